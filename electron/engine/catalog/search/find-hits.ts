import { posix } from 'node:path'
import type { SearchKind } from '../../../../shared/search-kinds.ts'
import type { DocumentKind } from '../../store/search-schema.ts'
import { documentOf, type FoundQuestion, type RowKind, type SearchStore } from '../../store/search-store.ts'
import { isPart } from './match-text.ts'
import type { ParsedQuery } from './parse-query.ts'
import type { SearchPlan } from './plan-search.ts'

/** A search: its query, how its documents are found, and the kinds of its hits (`undefined`: all). */
export interface Search extends SearchPlan {
  readonly parsed: ParsedQuery
  readonly kinds: ReadonlySet<SearchKind> | undefined
}

/** A hit, and the row that it is made of. */
export interface Hit {
  readonly kind: SearchKind
  readonly row: RowKind
  readonly key: number
}

/** Returns which kinds of documents can have hits of the wanted kinds. */
export function documentFilter({ kinds, parsed }: Search): (kind: DocumentKind) => boolean {
  const hitsOf: Readonly<Record<DocumentKind, readonly SearchKind[]>> = {
    project: hasFactFilter(parsed) ? [] : ['project'],
    order: ['order'],
    checklist: ['checklist'],
    question: ['question', 'answer', 'photo'],
    file: ['photo'],
    // Without words, every photo is found by its question.
    text: parsed.terms.length > 0 ? ['photo'] : [],
    page: ['report'],
  }
  return (kind) => hitsOf[kind].some((hit) => kinds?.has(hit) ?? true)
}

/**
 * Returns the hits of documents, of those with any. A photo that several documents are about is a hit of one of them.
 */
export function expand(
  index: SearchStore,
  ids: readonly number[],
  search: Search,
): ReadonlyMap<number, readonly Hit[]> {
  const documents = ids.map((id) => ({ id, ...documentOf(id) }))
  const ofKind = (wanted: DocumentKind) => documents.filter(({ kind }) => kind === wanted)
  const hits = new Map<number, readonly Hit[]>()
  const questions = ofKind('question')
  if (questions.length > 0) {
    const rows = index.questions(questions.map(({ key }) => key))
    const assetIds = rows.flatMap(({ assetId }) => assetId ?? [])
    const excluded = search.without === null ? undefined : photosWith(index, search.without, assetIds)
    const shown = Map.groupBy(rows, ({ key }) => key)
    for (const { id, key } of questions) hits.set(id, hitsOfQuestion(shown.get(key) ?? [], search, excluded))
  }
  for (const [id, hit] of hitsOfPhotos(index, [...ofKind('file'), ...ofKind('text')], search)) hits.set(id, [hit])
  for (const { id, kind, key } of documents) {
    if (kind === 'question' || kind === 'file' || kind === 'text') continue
    if (kind === 'project') hits.set(id, [{ kind, row: kind, key }])
    else if (!hasFactFilter(search.parsed) || matchesFacts(index.facts(kind, key), search.parsed))
      hits.set(id, [{ kind: hitKinds[kind], row: kind, key }])
  }
  return new Map([...hits].map(([id, all]) => [id, all.filter(({ kind }) => search.kinds?.has(kind) ?? true)]))
}

const hitKinds = { order: 'order', checklist: 'checklist', page: 'report' } as const

/** Returns those photos that have a text that matches. */
function photosWith(index: SearchStore, match: string, assetIds: readonly number[]): ReadonlySet<number> {
  const texts = new Map(index.textsOnPhotos(assetIds).map(({ id, assetId }) => [id, assetId]))
  return new Set(index.wordsAmong(match, [...texts.keys()]).flatMap((id) => texts.get(id) ?? []))
}

/**
 * Returns the hits of names of files and of texts on photos. A photo is a hit of its question if that matches, else of
 * the first of its texts that does, and only else of an identifier. It is none if its question or any of its texts has
 * an excluded word.
 */
function hitsOfPhotos(
  index: SearchStore,
  documents: readonly { readonly id: number; readonly kind: DocumentKind }[],
  search: Search,
): ReadonlyMap<number, Hit> {
  if (documents.length === 0) return new Map()
  const photos = new Map(index.photosOf(documents.map(({ id }) => id)).map((photo) => [photo.id, photo]))
  const rows = index.questions([...new Set([...photos.values()].map(({ question }) => documentOf(question).key))])
  const rowOf = new Map(rows.map((row) => [row.assetId, row]))
  const texts = Map.groupBy(
    index.textsOnPhotos([...new Set([...photos.values()].map(({ assetId }) => assetId))]),
    ({ assetId }) => assetId,
  )
  const about = ({ assetId, question }: { assetId: number; question: number }) => [
    question,
    ...(texts.get(assetId) ?? []).map(({ id }) => id),
  ]
  // Files without text need no check here: their questions were already matched when the files were found.
  const related = [...photos.values()].filter(({ assetId }) => texts.has(assetId)).flatMap(about)
  const matching = (match: string | null) =>
    new Set(match === null ? [] : index.wordsAmong(match, [...new Set(related)]))
  const [found, excluded] = [matching(search.all), matching(search.without)]
  return new Map(
    documents.flatMap(({ id, kind }): [number, Hit][] => {
      const photo = photos.get(id)
      const row = photo && rowOf.get(photo.assetId)
      if (photo === undefined || row === undefined) return []
      const own = about(photo)
      const best = Math.max(...own.filter((document) => found.has(document)))
      if ((best > 0 && best !== id) || own.some((document) => excluded.has(document))) return []
      const { key } = documentOf(id)
      return hitsOfPhoto(row, search).map((hit) => [id, kind === 'text' ? { kind: 'photo', row: 'text', key } : hit])
    }),
  )
}

/** Returns the answer and the photos of a question, or the question if it has neither. */
function hitsOfQuestion(
  rows: readonly FoundQuestion[],
  search: Search,
  excluded: ReadonlySet<number> | undefined,
): Hit[] {
  const [first] = rows
  if (first === undefined) return []
  const photos = rows
    .filter(({ assetId }) => assetId !== null && excluded?.has(assetId) !== true)
    .flatMap((row) => hitsOfPhoto(row, search))
  const { key, isAnswered, unlisted } = first
  const isMatch = matchesFacts({ status: first.status, date: first.updatedAt }, search.parsed)
  const isBare = isAnswered === 0 && unlisted === 0 && rows.every(({ assetId }) => assetId === null)
  return [
    ...(isMatch && !search.parsed.missingOnly && isAnswered === 1
      ? [{ kind: 'answer', row: 'answer', key } as const]
      : []),
    ...photos,
    // Photos that the service has announced have no file yet.
    ...(isMatch && unlisted > 0 ? [{ kind: 'photo', row: 'question', key } as const] : []),
    ...(isMatch && (isBare || search.kinds?.has('question') === true)
      ? [{ kind: 'question', row: 'question', key } as const]
      : []),
  ]
}

function hitsOfPhoto(
  { assetId, isArchived, path, takenAt, status, updatedAt }: FoundQuestion,
  { parsed }: Search,
): Hit[] {
  if (assetId === null || (parsed.missingOnly && isArchived === 1)) return []
  if (!matchesFacts({ status, date: takenAt ?? updatedAt }, parsed)) return []
  const name = posix.basename(path ?? '').toLowerCase()
  if (parsed.excluded.some((term) => isPart(term) && name.includes(term.text.toLowerCase()))) return []
  return [{ kind: 'photo', row: 'file', key: assetId }]
}

function hasFactFilter({ before, after, statuses }: ParsedQuery): boolean {
  return before !== null || after !== null || statuses.length > 0
}

/** Returns a status as it is compared. */
export const plainStatus = (status: string) => status.toLowerCase().replaceAll(/[\s-]/g, '')

function matchesFacts(facts: { status: string; date: string | null } | undefined, parsed: ParsedQuery): boolean {
  if (facts === undefined) return false
  const { statuses, before, after } = parsed
  const { status, date } = facts
  if (statuses.length > 0 && !statuses.some((wanted) => plainStatus(wanted) === plainStatus(status))) return false
  if (before !== null && (date === null || date >= before)) return false
  return after === null || (date !== null && date >= after)
}
