import { posix } from 'node:path'
import type { AssetKind, Gap, Place } from '../../../shared/domain.ts'
import { AppError } from '../../../shared/errors.ts'
import { countOf } from '../../../shared/format.ts'
import type { ExportSelection } from '../../../shared/export.ts'
import { toPlace } from '../../../shared/photo-places.ts'
import { answeredSections, answersOf } from '../checklists/answers.ts'
import { evaluateChecklist, isArchived, type QuestionCompleteness } from '../checklists/completeness.ts'
import { type LastVerify, readLastVerify } from '../integrity/verify-run.ts'
import type { Clock } from '../lib/ports.ts'
import { chosenProjects, isUnsynced, toProject } from '../projects/project-list.ts'
import type { CatalogAsset, CatalogChecklist } from '../store/catalog-store.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import { type ChecklistScope, ExportScope } from './export-scope.ts'

/** Everything that an export needs to know, as of one moment. The files themselves are read later, by their hashes. */
export interface ExportPlan {
  /** When the rows were read, ISO 8601 UTC. */
  readonly at: string
  readonly projects: readonly PlannedProject[]
  /** The last verify of the archive; null if there was none. */
  readonly lastVerify: LastVerify | null
}

export interface PlannedProject {
  readonly id: string
  readonly name: string
  readonly address: string | null
  /** Relative to the archive root; null until something is archived. */
  readonly folder: string | null
  /** False if no sync has completed it, or the last one failed: it may have more than is known. */
  readonly isSynced: boolean
  /** When a sync last compared it with the service, ISO 8601 UTC; null if none did. */
  readonly comparedAt: string | null
  /** The whole project was chosen, not only parts of it. */
  readonly isWhole: boolean
  readonly checklists: readonly PlannedChecklist[]
}

export interface PlannedChecklist {
  readonly id: string
  readonly title: string
  readonly status: string
  readonly updatedAt: string | null
  /** Of the whole checklist, as are the counts. */
  readonly complete: boolean
  readonly expectedFiles: number
  readonly archivedFiles: number
  /** The whole checklist was chosen, not only questions or files of it. */
  readonly isWhole: boolean
  /** Gaps in what was chosen; one of the kind `checklist` whatever was chosen, and beside others. */
  readonly gaps: readonly Gap[]
  /** Null if it is not archived, or was not chosen. */
  readonly report: PlannedFile | null
  /** The chosen ones, in the order of the checklist. */
  readonly questions: readonly PlannedQuestion[]
}

export interface PlannedQuestion {
  readonly section: string
  readonly question: string
  /** Null if there is none, or the plan is without answers. */
  readonly answer: string | null
  /** Number in the checklist, from 1; the same whatever else was chosen. */
  readonly sequence: number
  /** Number of photos that the question should have, or of those that were chosen. */
  readonly expectedPhotos: number
  /** Gaps in what was chosen. */
  readonly gaps: readonly Gap[]
  /** Archived photos, each with its thumbnail if it has one, in the order in which the service listed them first. */
  readonly photos: readonly PlannedFile[]
  /** Archived thumbnails of chosen photos that are not archived themselves. */
  readonly loneThumbnails: readonly PlannedFile[]
}

/** A file in the archive as of the moment of the plan. */
export interface PlannedFile {
  readonly assetId: number
  /**
   * Identity at the service: one photo that several questions refer to is a file of each. Unique in a question; files
   * of different questions with the same one are the same photo only if their bytes are equal, too.
   */
  readonly remoteKey: string
  readonly kind: AssetKind
  /** Relative to the archive root. */
  readonly path: string
  readonly fileName: string
  readonly sizeBytes: number
  readonly sha256: string
  readonly archivedAt: string | null
  /** Time and position from the service; see `capture-facts.ts` for those in the file. */
  readonly takenAt: string | null
  readonly position: Place | null
  /** Of a photo, if it is archived. */
  readonly thumbnail: PlannedFile | null
}

export interface PlanOptions {
  /** False to leave out the thumbnails, which are half of the files. Default: true. */
  readonly thumbnails?: boolean
  /** False to leave out the answers, which takes most of the time. Default: true. */
  readonly answers?: boolean
}

/**
 * Reads what is to be handed over, in one transaction. Throws `not-found` if something of the selection is unknown, and
 * `wrong-usage` for a search that means nothing.
 */
export function planExport(
  store: Store,
  clock: Pick<Clock, 'nowMs'>,
  selection: ExportSelection,
  { thumbnails = true, answers = true }: PlanOptions = {},
): ExportPlan {
  return store.reading(() => {
    const at = new Date(clock.nowMs()).toISOString()
    const scope = new ExportScope(store, selection)
    const projects = chosenProjects(store.projects.listActive(), scope.projectIds)
    const planned = projects.map((row) => planProject({ store, scope, thumbnails, answers }, row))
    return { at, projects: planned, lastVerify: readLastVerify(store) }
  })
}

/** Returns the plan with its projects as a whole: a certificate is about whole projects. */
export function withWholeProjects(store: Store, clock: Pick<Clock, 'nowMs'>, plan: ExportPlan): ExportPlan {
  if (plan.projects.every(({ isWhole }) => isWhole)) return plan
  return planExport(
    store,
    clock,
    { kind: 'projects', projectIds: plan.projects.map(({ id }) => id) },
    { answers: false },
  )
}

/** Returns the files of a plan, each report and photo before the thumbnail of the photo. */
export function* filesOf(checklist: PlannedChecklist): Generator<PlannedFile> {
  if (checklist.report !== null) yield checklist.report
  for (const { photos, loneThumbnails } of checklist.questions) {
    for (const photo of photos) {
      yield photo
      if (photo.thumbnail !== null) yield photo.thumbnail
    }
    yield* loneThumbnails
  }
}

interface Planning extends Required<PlanOptions> {
  readonly store: Store
  readonly scope: ExportScope
}

function planProject(planning: Planning, row: ProjectRow): PlannedProject {
  const { store, scope } = planning
  const isWhole = scope.isWhole(row.id)
  const rows = store.catalog.checklists(row.id, { offset: 0, limit: -1 })
  const checklists = rows.flatMap((checklist) => {
    const chosen = isWhole ? ('whole' as const) : scope.ofChecklist(checklist.key)
    return chosen === undefined ? [] : [planChecklist(planning, checklist, chosen)]
  })
  return { ...toProject(row), isSynced: !isUnsynced(row), comparedAt: row.lastSyncedAt, isWhole, checklists }
}

function planChecklist(
  { store, thumbnails, answers: withAnswers }: Planning,
  checklist: CatalogChecklist,
  scope: ChecklistScope,
): PlannedChecklist {
  const questions = store.questions.listForChecklist(checklist.key)
  const assets = store.catalog.assets(checklist.key)
  const planned = thumbnails ? assets : assets.filter(({ kind }) => kind !== 'thumbnail')
  const jobs = store.jobs.listForChecklist(checklist.key)
  const { state, questions: lines, unknownState } = evaluateChecklist({ checklist, questions, assets, jobs })
  const detail = withAnswers ? (store.checklists.get(checklist.key)?.detailRaw ?? null) : null
  const answers = answersOf(questions, answeredSections(store, checklist.id, detail))
  const isWhole = scope === 'whole'
  const ofQuestion = Map.groupBy(planned, ({ questionKey }) => questionKey)
  const shown = lines.filter(
    ({ question, expected }) =>
      question.present === 1 || expected > 0 || ofQuestion.get(question.key)?.some(isArchived) === true,
  )
  const chosenQuestions = shown.flatMap((line, index) => {
    const { key } = line.question
    const chosen =
      isWhole || scope.questions.has(key) ? 'whole' : { assets: scope.assets, isAnnounced: scope.announced.has(key) }
    const question = planQuestion(line, ofQuestion.get(key) ?? [], chosen)
    if (question === undefined) return []
    return [{ ...question, answer: answers.get(line.question.key) ?? null, sequence: index + 1 }]
  })
  const report = assets.find(({ id, kind }) => kind === 'report' && (isWhole || scope.assets.has(id)))
  const { id, title, status, updatedAt, complete, expectedFiles, archivedFiles } = state
  const reportGaps = state.gaps.filter(({ kind }) => kind === 'report' && report !== undefined)
  const gaps = isWhole
    ? state.gaps.filter((gap) => gap !== unknownState)
    : [...reportGaps, ...chosenQuestions.flatMap((question) => question.gaps)]
  return {
    id,
    title,
    status,
    updatedAt,
    complete,
    expectedFiles,
    archivedFiles,
    isWhole,
    gaps: unknownState === null ? gaps : [...gaps, unknownState],
    report: report === undefined ? null : planFile(report, null),
    questions: chosenQuestions,
  }
}

/** Returns undefined if nothing of the question was chosen. */
function planQuestion(
  { question, expected, gaps }: QuestionCompleteness,
  assets: readonly CatalogAsset[],
  chosen: 'whole' | { readonly assets: ReadonlySet<number>; readonly isAnnounced: boolean },
): Omit<PlannedQuestion, 'answer' | 'sequence'> | undefined {
  const isChosen = ({ id }: CatalogAsset) => chosen === 'whole' || chosen.assets.has(id)
  const ofKind = (wanted: AssetKind) => assets.filter(({ kind }) => kind === wanted)
  const wanted = ofKind('photo').filter(isChosen)
  if (chosen !== 'whole' && wanted.length === 0 && !chosen.isAnnounced) return undefined
  const thumbnails = new Map(ofKind('thumbnail').map((asset) => [asset.remoteKey, asset]))
  const photos: PlannedFile[] = []
  const loneThumbnails: PlannedFile[] = []
  for (const asset of wanted) {
    const ofPhoto = thumbnails.get(asset.remoteKey)
    const thumbnail = ofPhoto === undefined ? null : planFile(ofPhoto, null)
    const photo = planFile(asset, thumbnail)
    if (photo !== null) photos.push(photo)
    else if (thumbnail !== null) loneThumbnails.push(thumbnail)
  }
  const planned = { section: question.sectionLabel, question: question.label, photos, loneThumbnails }
  if (chosen === 'whole') return { ...planned, expectedPhotos: expected, gaps }
  const missing = (kind: 'photos' | 'thumbnails', label: string, wantedFiles: number, archived: number): Gap[] => {
    const reason = gaps.find((gap) => gap.kind === kind)?.reason ?? 'not downloaded yet'
    return archived < wantedFiles ? [{ kind, question: label, expected: wantedFiles, archived, reason }] : []
  }
  const wantedThumbnails = wanted.filter(({ remoteKey }) => thumbnails.has(remoteKey)).length
  const archivedThumbnails = photos.filter(({ thumbnail }) => thumbnail !== null).length + loneThumbnails.length
  const { expected: all, archived } = gaps.find(({ kind }) => kind === 'photos') ?? { expected: 0, archived: 0 }
  const expectedPhotos = chosen.isAnnounced ? photos.length + all - archived : wanted.length
  return {
    ...planned,
    expectedPhotos,
    gaps: [
      ...missing('photos', question.label, expectedPhotos, photos.length),
      ...missing('thumbnails', `${question.label} (thumbnails)`, wantedThumbnails, archivedThumbnails),
    ],
  }
}

/** Returns null for a file that is not in the archive, or is known to be damaged. */
function planFile(asset: CatalogAsset, thumbnail: PlannedFile | null): PlannedFile | null {
  const { id, remoteKey, kind, path, sha256, sizeBytes, archivedAt, takenAt, latitude, longitude } = asset
  if (!isArchived(asset) || sha256 === null || sizeBytes === null) return null
  return {
    assetId: id,
    remoteKey,
    kind,
    path,
    fileName: posix.basename(path),
    sizeBytes,
    sha256,
    archivedAt,
    takenAt,
    thumbnail,
    position: toPlace(latitude, longitude),
  }
}

/**
 * Throws `not-found` for a selection that has nothing in it, also because the `leftOut` checklists are not complete.
 */
export function requireAnything(plan: ExportPlan, leftOut = 0): void {
  if (plan.projects.some(({ checklists, isWhole }) => isWhole || checklists.length > 0)) return
  const reason =
    leftOut === 0
      ? 'nothing of this is in the archive. Nothing was written. Sync first, or choose others.'
      : `${countOf(leftOut, 'checklist')} of this ${leftOut === 1 ? 'is' : 'are'} left out, not being complete. Nothing ` +
        'was written. Sync first, choose others, or export incomplete checklists, too.'
  throw new AppError('not-found', `There is nothing to export: ${reason}`)
}
