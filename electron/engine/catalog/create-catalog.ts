import { posix } from 'node:path'
import type { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import type { AttentionCause, AttentionGroup } from '../../../shared/attention.ts'
import type {
  ArchiveCounts,
  ArchiveProgress,
  ChecklistDetail,
  checklistPageSchema,
  hintPageSchema,
  PhotoHint,
  ChecklistQuery,
  FailureQuery,
  failurePageSchema,
  PhotoPlacesQuery,
  PhotoView,
  PlacedPhoto,
  projectDetailSchema,
  projectPageSchema,
  ProjectQuery,
  ProjectSummary,
  VerifyFinding,
  verifyFindingPageSchema,
} from '../../../shared/views.ts'
import { readMediaList } from '../service/readers/read-media.ts'
import type { CatalogChecklist, CatalogProject } from '../store/catalog-store.ts'
import { foreignFolders } from '../integrity/foreign-folders.ts'
import type { Store } from '../store/create-store.ts'
import type { ArchiveTotals, StatusCount } from '../store/project-facts-store.ts'
import type { Clock } from '../lib/ports.ts'
import { caseKey } from '../archive/safe-name.ts'
import { answeredSections } from '../checklists/answers.ts'
import { evaluateFacts, refreshFacts, type ChecklistFacts } from '../checklists/refresh-facts.ts'
import { detailChecklist, problemOf, summarizeChecklist } from './describe-checklist-view.ts'

interface Page {
  readonly offset: number
  readonly limit: number
}

/** A photo with its question. */
export type ListedPhoto = PhotoView & Pick<PlacedPhoto, 'checklistId' | 'checklistTitle' | 'section' | 'question'>

/** Photos of a project, or of one of its checklists. */
export interface ListedPhotos {
  readonly projectName: string
  readonly projectAddress: string | null
  readonly checklistTitle: string | null
  readonly photos: readonly ListedPhoto[]
}

/** Queries behind the app's pages, one page at a time. They read the database only, never the archive. */
export interface Catalog {
  counts(): ArchiveCounts
  progress(): ArchiveProgress
  /** Returns what needs attention by cause, the largest group first. */
  attention(): AttentionGroup[]
  /** Returns the IDs of the projects that a group concerns, those of its checklists included. */
  attentionProjects(cause: AttentionCause): string[]
  projects(query: ProjectQuery): z.infer<typeof projectPageSchema>
  /** Returns all projects up to `limit`. */
  projectNames(query: ProjectQuery): { readonly id: string; readonly name: string }[]
  /** Throws `not-found`. */
  project(projectId: string, page: Page): z.infer<typeof projectDetailSchema>
  /** Throws `not-found`. */
  checklist(projectId: string, checklistId: string): ChecklistDetail
  /** Returns the known photos, archived or not, in the order of checklists and questions. Throws `not-found`. */
  photos(query: PhotoPlacesQuery): ListedPhotos
  /** Returns checklists of all projects. */
  checklists(query: ChecklistQuery): z.infer<typeof checklistPageSchema>
  /** Returns the hints about the photos of a checklist. Throws `not-found`. */
  hints(projectId: string, checklistId: string): PhotoHint[]
  /** Returns the checklists with hints, the latest first. */
  hintedChecklists(page: Page): z.infer<typeof hintPageSchema>
  failures(query: FailureQuery): z.infer<typeof failurePageSchema>
  /** Problems on the disk that verify or sync found and that are not repaired. */
  findings(page: Page): z.infer<typeof verifyFindingPageSchema>
  /** Number of missing or changed files among the findings. */
  damagedFiles(): number
}

/** More than anyone fixes at once; the list of projects has all of them. */
const maxProjectsPerGroup = 20

export function createCatalog(store: Store, clock: Pick<Clock, 'nowMs'>): Catalog {
  const { catalog } = store

  /** Runs reads of the facts of projects, which hold for this moment. */
  const fresh = <T>(read: (at: string) => T): T =>
    store.reading(() => {
      const at = new Date(clock.nowMs()).toISOString()
      refreshFacts(store, at)
      return read(at)
    })

  return {
    counts: () => fresh(() => toCounts(store.facts.totals())),
    progress: () => fresh(() => toProgress(store.facts.totals(), store.facts.statuses())),
    attention: () => fresh(() => listAttention(store)),
    attentionProjects: (cause) => fresh(() => catalog.projectsOfCause(cause)),
    projects: (query) =>
      fresh(() => {
        const { total, rows } = catalog.projects(query)
        return { total, offset: query.offset, items: rows.map(toSummary) }
      }),
    projectNames: (query) => fresh(() => catalog.projectNames(query)),
    project: (projectId, page) =>
      fresh((at) => {
        const project = requireProject(store, projectId)
        const items = catalog.checklists(projectId, page).map((row) => summarizeRow(store, row, at))
        const total = catalog.countChecklists(projectId)
        return { project: toSummary(project), checklists: { total, offset: page.offset, items } }
      }),
    checklist: (projectId, checklistId) => fresh((at) => describeChecklist(store, projectId, checklistId, at)),
    hints: (projectId, checklistId) =>
      store.reading(() => describeHints(store, requireChecklist(store, projectId, checklistId).key)),
    hintedChecklists: (page) => store.reading(() => pageOfHints(store, page)),
    photos: (query) => fresh((at) => listPhotos(store, query, at)),
    checklists: (query) => fresh((at) => pageOfChecklists(store, query, at)),
    failures: (query) => fresh((at) => pageOfFailures(store, query, at)),
    findings: (page) => pageOfFindings(store, page),
    damagedFiles: () => store.findings.count().damaged,
  }
}

function requireProject({ catalog }: Store, projectId: string): CatalogProject {
  const project = catalog.project(projectId)
  if (project !== undefined) return project
  throw new AppError('not-found', 'This project is no longer in the list. Add it again to continue archiving it.')
}

function requireChecklist({ catalog }: Store, projectId: string, checklistId: string): CatalogChecklist {
  const checklist = catalog.checklist(projectId, checklistId)
  if (checklist !== undefined) return checklist
  throw new AppError('not-found', 'This checklist is unknown. It may have another ID by now.')
}

function listAttention({ catalog }: Store): AttentionGroup[] {
  return catalog.causes().map((group) => ({
    ...group,
    firstProjects:
      group.projects === 0
        ? []
        : catalog.failingProjects(group.cause, maxProjectsPerGroup).map(({ id, name, code, message }) => ({
            projectId: id,
            name: name ?? id,
            problem: { code, message },
          })),
  }))
}

function summarizeRow(store: Store, row: CatalogChecklist, at: string) {
  const stored = store.facts.checklist(row.key)
  const facts = stored === undefined ? evaluateFacts(store, row) : (JSON.parse(stored) as ChecklistFacts)
  return summarizeChecklist(row, facts, at)
}

/** Reads what the details of a checklist are made of, but for its answers. */
function rowsOf(store: Store, checklist: CatalogChecklist) {
  return {
    checklist,
    questions: store.questions.listForChecklist(checklist.key),
    assets: store.catalog.assets(checklist.key),
    jobs: store.jobs.listForChecklist(checklist.key),
    quietUntil: store.catalog.quietUntil(checklist.key),
    versions: store.versions.countForChecklist(checklist.key),
  }
}

function describeChecklist(store: Store, projectId: string, checklistId: string, at: string): ChecklistDetail {
  const { id, name, address } = requireProject(store, projectId)
  const row = requireChecklist(store, projectId, checklistId)
  const detail = store.checklists.get(row.key)?.detailRaw ?? null
  const rows = { ...rowsOf(store, row), answered: answeredSections(store, row.id, detail) }
  return { projectId, projectName: name ?? id, projectAddress: address, ...detailChecklist(rows, at) }
}

function listPhotos(store: Store, { projectId, checklistId }: PhotoPlacesQuery, at: string): ListedPhotos {
  const { id, name, address } = requireProject(store, projectId)
  const checklist = checklistId === undefined ? null : requireChecklist(store, projectId, checklistId)
  // A negative limit is none in SQLite.
  const all = checklist === null ? store.catalog.checklists(projectId, { offset: 0, limit: -1 }) : [checklist]
  const photos = all.flatMap((row) => {
    const rows = { ...rowsOf(store, row), answered: [] }
    const of = { checklistId: row.id, checklistTitle: row.title }
    return detailChecklist(rows, at).sections.flatMap((section) =>
      section.questions.flatMap(({ label, photos: listed }) =>
        listed.map((photo) => ({ ...photo, ...of, section: section.label, question: label })),
      ),
    )
  })
  return {
    projectName: name ?? id,
    projectAddress: address,
    checklistTitle: checklist?.title ?? null,
    photos,
  }
}

function pageOfChecklists(store: Store, query: ChecklistQuery, at: string): z.infer<typeof checklistPageSchema> {
  const items = store.catalog.openChecklists(query, at).map(({ projectId, projectName, ...row }) => ({
    ...summarizeRow(store, row, at),
    projectId,
    projectName: projectName ?? projectId,
  }))
  return { total: countChecklists(store, query), offset: query.offset, items }
}

function countChecklists({ catalog, facts }: Store, { filter, cause }: ChecklistQuery): number {
  const { listedIncomplete, listedWaiting, troubledChecklists } = facts.totals()
  if (filter === 'attention') {
    return cause === undefined ? troubledChecklists : catalog.countChecklistsOfCause(cause)
  }
  return filter === 'incomplete' ? listedIncomplete : listedWaiting
}

function pageOfFailures(store: Store, query: FailureQuery, at: string): z.infer<typeof failurePageSchema> {
  const { projectId = null, checklistId = null, cause = null, ...page } = query
  const { total, rows } = store.catalog.failures({ ...page, projectId, checklistId, cause }, at)
  const items = rows.map(({ path, projectName, record, ...row }) => ({
    ...row,
    mediaId: record === null ? null : (readMediaList([store.parseJson(record)]).list[0]?.id ?? null),
    projectName: projectName ?? row.projectId,
    fileName: posix.basename(path),
  }))
  return { total, offset: page.offset, items }
}

function toSummary(project: CatalogProject): ProjectSummary {
  const { expectedPreviews, archivedPreviews, errorCode, errorMessage, ...rest } = project
  return {
    ...rest,
    name: project.name ?? project.id,
    problem: problemOf({ errorCode, errorMessage }),
    previews: { expected: expectedPreviews, archived: archivedPreviews },
    needsAttention: project.needsAttention === 1,
  }
}

/** Files and checklists of removed projects are counted, as they are in the archive; their jobs are not. */
function toCounts(totals: ArchiveTotals): ArchiveCounts {
  const { projects, unsyncedProjects, unreadProjects, projectsWithProblem, projectsRetrying } = totals
  const { troubledChecklists, checklistsRetrying, filesWaiting } = totals
  const { filesFailed, previewsFailed, filesRetrying, previewsRetrying } = totals
  return {
    projects,
    unsyncedProjects,
    unreadProjects,
    projectsWithProblem,
    projectsRetrying,
    checklists: totals.knownChecklists,
    troubledChecklists,
    checklistsRetrying,
    files: totals.knownFiles,
    filesWaiting,
    filesFailed,
    previewsFailed,
    filesRetrying,
    previewsRetrying,
  }
}

function toProgress(totals: ArchiveTotals, statuses: readonly StatusCount[]): ArchiveProgress {
  const { checklists, expectedFiles, archivedFiles, photosNotUploaded, filesNotChecked, reportsPending } = totals
  const { checklistsNotChecked, checklistsNeverRead, removedFiles } = totals
  return {
    checklists,
    completeChecklists: checklists - statuses.reduce((sum, row) => sum + row.checklists, 0),
    open: statuses.map((row) => ({ ...row, gone: row.gone === 1 })),
    expectedFiles,
    archivedFiles,
    previews: { expected: totals.expectedPreviews, archived: totals.archivedPreviews },
    photosNotUploaded,
    filesNotChecked,
    checklistsNotChecked,
    checklistsNeverRead,
    reportsPending,
    removedFiles,
  }
}

/** Returns the hints of a checklist, question by question, the most severe first. */
function describeHints(store: Store, checklistKey: number): PhotoHint[] {
  return store.hints.ofChecklist(checklistKey).map(({ assetId, kind, meters, otherAssetId, ...of }) => {
    const { projectId, projectName, checklistId, checklistTitle, question } = of
    if (otherAssetId === null || projectId === null) return { assetId, kind, meters, other: null }
    const checklist = { checklistId: checklistId ?? '', checklistTitle: checklistTitle ?? '', question: question ?? '' }
    const other = { assetId: otherAssetId, projectId, projectName: projectName ?? projectId, ...checklist }
    return { assetId, kind, meters, other }
  })
}

function pageOfHints(store: Store, { offset, limit }: Page): z.infer<typeof hintPageSchema> {
  const items = store.hints
    .checklists({ offset, limit })
    .map(({ projectName, dark, blurred, duplicate, far, ...of }) => ({
      ...of,
      projectName: projectName ?? of.projectId,
      photos: { dark, blurred, duplicate, far },
    }))
  return { total: store.hints.countChecklists(), offset, items }
}

/** Returns a page of the problems found on the disk, damage first, each with its project and checklist. */
function pageOfFindings(store: Store, { offset, limit }: Page) {
  const { damaged, unexpected } = store.findings.count()
  const recorded = damaged + unexpected
  const foreign = foreignFolders.list(store).map((path) => ({ path, state: 'unexpected' as const }))
  const rows = [
    ...store.findings.page(offset, limit),
    ...foreign.slice(Math.max(0, offset - recorded), Math.max(0, offset + limit - recorded)),
  ]
  const items: VerifyFinding[] = rows.map(({ path, state }) => {
    const facts = factsOf(store, path)
    return {
      path,
      state,
      project: named(facts?.projectId, facts?.projectName),
      checklist: named(facts?.checklistId, facts?.checklistTitle),
    }
  })
  return { total: recorded + foreign.length, offset, items }
}

function factsOf(store: Store, path: string) {
  const [project = '', checklist = ''] = path.split('/')
  return store.findings.factsOf({
    projectFolder: caseKey(project),
    checklistFolder: caseKey(`${project}/${checklist}`),
  })
}

function named(id: string | null | undefined, name: string | null | undefined) {
  return id == null ? null : { id, name: name ?? id }
}
