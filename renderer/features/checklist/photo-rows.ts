import type { Gap } from '../../../shared/domain.ts'
import type { ChecklistDetail, PhotoView } from '../../../shared/views.ts'
import { missingIn } from '../../labels/checklist-labels.ts'

/** Narrowest tile in pixels: unless the user chooses another one, and the limits of that choice. */
export const defaultTileWidth = 148
export const minTileWidth = 92
export const maxTileWidth = 320

type QuestionView = ChecklistDetail['sections'][number]['questions'][number]

/** A question and its position in the checklist. `key` is stable while the checklist's questions are unchanged. */
export interface QuestionEntry {
  readonly key: string
  readonly sectionLabel: string
  readonly question: QuestionView
  /** Index of its first photo among all photos that can be opened. */
  readonly firstOpenable: number
}

/** A tile: a photo, or the number of photos that the service does not have yet. */
export type TileView =
  | { readonly kind: 'photo'; readonly photo: PhotoView; readonly openable: number | null; readonly number: number }
  | { readonly kind: 'missing'; readonly count: number; readonly gap: Gap | null }

export type PhotoRow =
  | { readonly kind: 'section'; readonly key: string; readonly entry: number; readonly label: string }
  | { readonly kind: 'question'; readonly key: string; readonly entry: number }
  | { readonly kind: 'tiles'; readonly key: string; readonly entry: number; readonly tiles: readonly TileView[] }

/** A photo that can be opened, with its question. */
export interface OpenablePhoto {
  readonly photo: PhotoView
  readonly question: string
  readonly section: string
  readonly answer: string | null
}

/** Returns the questions of all sections in order. */
export function questionEntries(sections: ChecklistDetail['sections']): QuestionEntry[] {
  const used = new Map<string, number>()
  let openable = 0
  return sections.flatMap((section) =>
    section.questions.map((question) => {
      const name = `${section.label}\n${question.label}`
      const nth = used.get(name) ?? 0
      used.set(name, nth + 1)
      const entry = { key: `${name}\n${nth}`, sectionLabel: section.label, question, firstOpenable: openable }
      openable += question.photos.filter(({ archived }) => archived).length
      return entry
    }),
  )
}

/** Returns the photos that can be opened, which are the archived ones, in the order of the questions. */
export function openablePhotos(entries: readonly QuestionEntry[]): OpenablePhoto[] {
  return entries.flatMap(({ question, sectionLabel }) =>
    question.photos
      .filter(({ archived }) => archived)
      .map((photo) => ({ photo, question: question.label, section: sectionLabel, answer: question.answer })),
  )
}

/** Returns the index of a photo among those that can be opened; -1 if it is gone. */
export function openableIndex(photos: readonly OpenablePhoto[], assetId: number): number {
  return photos.findIndex(({ photo }) => photo.assetId === assetId)
}

/** Returns the questions with missing, failed, or unconfirmed photos. */
export function missingEntries(entries: readonly QuestionEntry[]): QuestionEntry[] {
  return entries.filter(({ question }) => hasMissing(question))
}

/**
 * Returns the next entry after `from` with missing photos, from the start again after the last; -1 if there is none.
 */
export function nextMissing(entries: readonly QuestionEntry[], from: number): number {
  const after = entries.findIndex(({ question }, index) => index > from && hasMissing(question))
  return after === -1 ? entries.findIndex(({ question }) => hasMissing(question)) : after
}

/** Returns how many photos of a question are missing in the archive. */
export function missingCount({ expectedPhotos, archivedPhotos }: QuestionView): number {
  return Math.max(0, expectedPhotos - archivedPhotos)
}

function hasMissing({ gaps, photos }: QuestionView): boolean {
  return gaps.length > 0 || photos.some(({ archived }) => !archived)
}

/** Methods of PhotoGrid. */
export interface PhotoGridActions {
  /** Scrolls a question to the top. */
  readonly jump: (entry: number) => void
  /** Scrolls a photo into view and focuses it. */
  readonly focusPhoto: (openable: number) => Promise<void>
  readonly focusGrid: () => void
}

/** Returns the questions as rows of `columns` tiles; with `onlyMissing`, without the archived photos. */
export function photoRows(entries: readonly QuestionEntry[], columns: number, onlyMissing = false): PhotoRow[] {
  const rows: PhotoRow[] = []
  entries.forEach((entry, index) => {
    const { key, sectionLabel } = entry
    if (index === 0 || entries[index - 1]?.sectionLabel !== sectionLabel) {
      rows.push({ kind: 'section', key: `section ${key}`, entry: index, label: sectionLabel })
    }
    rows.push({ kind: 'question', key: `question ${key}`, entry: index })
    const tiles = tilesOf(entry).filter((tile) => !onlyMissing || tile.kind === 'missing' || !tile.photo.archived)
    for (let from = 0; from < tiles.length; from += columns) {
      rows.push({ kind: 'tiles', key: `tiles ${from} ${key}`, entry: index, tiles: tiles.slice(from, from + columns) })
    }
  })
  return rows
}

function tilesOf({ question, firstOpenable }: QuestionEntry): TileView[] {
  let openable = firstOpenable
  const tiles: TileView[] = question.photos.map((photo, index) => ({
    kind: 'photo',
    photo,
    openable: photo.archived ? openable++ : null,
    number: index + 1,
  }))
  const count = question.expectedPhotos - question.photos.length
  if (count > 0) tiles.push({ kind: 'missing', count, gap: photoGap(question) })
  return tiles
}

/** Returns why photos are not uploaded yet; `null` if the gap may be about one that is listed. */
function photoGap(question: QuestionView): Gap | null {
  if (question.photos.some(({ archived }) => !archived)) return null
  return question.gaps.find(({ kind }) => kind === 'photos') ?? null
}

export function questionState(
  question: QuestionView,
): 'complete' | 'missing' | 'unconfirmed' | 'gone' | 'answered' | 'without photos' {
  if (question.gaps.some((gap) => missingIn(gap) > 0)) return 'missing'
  if (question.gaps.length > 0) return 'unconfirmed'
  if (question.expectedPhotos === 0 && question.photos.length === 0)
    return question.answer === null ? 'without photos' : 'answered'
  return question.goneUpstream ? 'gone' : 'complete'
}
