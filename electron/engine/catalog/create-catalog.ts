import type { z } from 'zod'
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { AttentionCause, AttentionGroup } from '../../../shared/attention.ts'
import type {
  ArchiveCounts,
  ArchiveProgress,
  ChecklistDetail,
  checklistPageSchema,
  ChecklistQuery,
  FailureQuery,
  failurePageSchema,
  projectDetailSchema,
  projectPageSchema,
  ProjectQuery,
  ProjectSummary,
  VerifyFinding,
  verifyFindingPageSchema,
} from '../../../shared/views.ts'
import { readChecklistDetail } from '../service/readers/read-checklist-detail.ts'
import { readMediaList } from '../service/readers/read-media.ts'
import type { RemoteSection } from '../service/service-types.ts'
import type { CatalogChecklist, CatalogProject } from '../store/catalog-store.ts'
import { foreignFolders } from '../integrity/foreign-folders.ts'
import type { Store } from '../store/create-store.ts'
import type { Clock } from '../lib/ports.ts'
import { caseKey } from '../archive/safe-name.ts'
import { evaluateRecorded, isWaitingOnUpstream } from '../checklists/completeness.ts'
import { detailChecklist, fileNameOf, problemOf, summarizeChecklist } from './describe-checklist-view.ts'

interface Page {
  readonly offset: number
  readonly limit: number
}

/** Queries behind the app's pages, one page at a time. They read the database only, never the disk. */
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
  /** Returns checklists of all projects. */
  checklists(query: ChecklistQuery): z.infer<typeof checklistPageSchema>
  failures(query: FailureQuery): z.infer<typeof failurePageSchema>
  /** Problems on the disk that verify or sync found and that are not repaired. */
  findings(page: Page): z.infer<typeof verifyFindingPageSchema>
  /** Number of missing or changed files among the findings. */
  damagedFiles(): number
}

/** More than anyone fixes at once; the list of projects has all of them. */
const maxProjectsPerGroup = 20

const everything: Page = { offset: 0, limit: -1 }

const noCounts: ArchiveCounts = {
  projects: 0,
  unsyncedProjects: 0,
  unreadProjects: 0,
  projectsWithProblem: 0,
  checklists: 0,
  troubledChecklists: 0,
  files: 0,
  filesWaiting: 0,
  filesFailed: 0,
  previewsFailed: 0,
  projectsRetrying: 0,
  checklistsRetrying: 0,
  filesRetrying: 0,
  previewsRetrying: 0,
}

export function createCatalog(store: Store, clock: Pick<Clock, 'nowMs'>): Catalog {
  const { catalog } = store
  const now = () => new Date(clock.nowMs()).toISOString()
  // Both count over all files: a tenth of a second each on an archive of a million.
  const counted = store.cachedUntilWrite(
    () => {
      const at = now()
      return { counts: catalog.counts(at) ?? noCounts, until: catalog.nextAttentionAt(at), at }
    },
    ({ until, at }) => now() >= at && (until === null || now() < until),
  )
  const counts = () => counted().counts
  const progress = store.cachedUntilWrite((): ArchiveProgress => {
    const { checklists, open, reopened, ...files } = store.completeness.read(counts().files)
    const byStatus = open.map((row) => ({ ...row, gone: row.gone === 1 }))
    const whole = byStatus.find(({ status, gone }) => status === 'completed' && !gone)
    if (whole !== undefined) whole.checklists += reopened
    else if (reopened > 0) byStatus.push({ status: 'completed', gone: false, checklists: reopened })
    const completeChecklists = checklists - byStatus.reduce((sum, row) => sum + row.checklists, 0)
    const removedFiles = catalog.removedFiles()
    return { checklists, completeChecklists, open: byStatus, ...files, removedFiles }
  })

  function rowsOf(checklist: CatalogChecklist) {
    return {
      checklist,
      questions: store.questions.listForChecklist(checklist.key),
      assets: catalog.assets(checklist.key),
      jobs: store.jobs.listForChecklist(checklist.key),
    }
  }

  /**
   * Evaluates the checklists of a project. Those that were recorded as complete are counted by one statement: rows of
   * files and questions are read only of the others.
   */
  function evaluateAll(project: CatalogProject, rows: readonly CatalogChecklist[]) {
    const hasJobs = project.waitingFiles + project.failedFiles + project.failedPreviews > 0
    const closed = new Map(hasJobs ? [] : catalog.closedChecklists(project.id).map((one) => [one.key, one]))
    return rows.map((row) => {
      const whole = closed.get(row.key)
      if (whole !== undefined) {
        const { files, previews } = whole
        return {
          ...{ complete: true, isWaiting: false, expectedFiles: files, archivedFiles: files },
          previews: { expected: previews, archived: previews },
        }
      }
      const { state, previews } = evaluateRecorded(store, row)
      return { ...state, previews, isWaiting: isWaitingOnUpstream(row, state) }
    })
  }

  function summarize(project: CatalogProject): ProjectSummary {
    const all = evaluateAll(project, catalog.checklists(project.id, everything))
    return {
      id: project.id,
      name: project.name ?? project.id,
      address: project.address,
      lastSyncedAt: project.lastSyncedAt,
      problem: problemOf(project),
      checklists: all.length,
      completeChecklists: all.filter(({ complete }) => complete).length,
      waitingChecklists: all.filter(({ isWaiting }) => isWaiting).length,
      expectedFiles: all.reduce((sum, { expectedFiles }) => sum + expectedFiles, 0),
      archivedFiles: all.reduce((sum, { archivedFiles }) => sum + archivedFiles, 0),
      previews: {
        expected: all.reduce((sum, { previews }) => sum + previews.expected, 0),
        archived: all.reduce((sum, { previews }) => sum + previews.archived, 0),
      },
      waitingFiles: project.waitingFiles,
      failedFiles: project.failedFiles,
      failedPreviews: project.failedPreviews,
      needsAttention: project.needsAttention === 1,
    }
  }

  function requireProject(projectId: string): CatalogProject {
    const project = catalog.project(projectId, now())
    if (project !== undefined) return project
    throw new AppError('not-found', 'This project is no longer in the list. Add it again to continue archiving it.')
  }

  return {
    counts,
    progress,
    attention() {
      const at = now()
      return catalog.causes(at).map((group) => ({
        ...group,
        firstProjects:
          group.projects === 0
            ? []
            : catalog.failingProjects(group.cause, maxProjectsPerGroup, at).map(({ id, name, code, message }) => ({
                projectId: id,
                name: name ?? id,
                problem: { code, message },
              })),
      }))
    },
    attentionProjects: (cause) => catalog.projectsOfCause(cause, now()),
    projects(query) {
      const { total, rows } = catalog.projects(query, now())
      return { total, offset: query.offset, items: rows.map(summarize) }
    },
    projectNames: (query) => catalog.projectNames(query, now()).map(({ id, name }) => ({ id, name: name ?? id })),
    project(projectId, page) {
      const project = requireProject(projectId)
      const items = catalog.checklists(projectId, page).map((row) => summarizeChecklist(rowsOf(row), now()))
      const total = catalog.countChecklists(projectId)
      return { project: summarize(project), checklists: { total, offset: page.offset, items } }
    },
    checklist(projectId, checklistId) {
      const project = requireProject(projectId)
      const row = catalog.checklist(projectId, checklistId)
      if (row === undefined) {
        throw new AppError('not-found', 'This checklist is unknown. It may have another id by now.')
      }
      const answered = answeredSections(store, row)
      const rows = { ...rowsOf(row), answered, versions: store.versions.countForChecklist(row.key) }
      const { name, address } = project
      return { projectId, projectName: name ?? project.id, projectAddress: address, ...detailChecklist(rows, now()) }
    },
    checklists(query) {
      const { total, rows } = catalog.openChecklists(query, now())
      const items = rows.map(({ projectId, projectName, ...row }) => ({
        ...summarizeChecklist(rowsOf(row), now()),
        projectId,
        projectName: projectName ?? projectId,
      }))
      return { total, offset: query.offset, items }
    },
    failures({ projectId = null, checklistId = null, cause = null, ...page }) {
      const { total, rows } = catalog.failures({ ...page, projectId, checklistId, cause }, now())
      const items = rows.map(({ path, projectName, record, ...row }) => ({
        ...row,
        mediaId: record === null ? null : (readMediaList([store.parseJson(record)])[0]?.id ?? null),
        projectName: projectName ?? row.projectId,
        fileName: fileNameOf(path),
      }))
      return { total, offset: page.offset, items }
    },
    findings: (page) => pageOfFindings(store, page),
    damagedFiles: () => store.findings.count().damaged,
  }
}

/**
 * Reads the sections with their answers from the stored detail, which takes some milliseconds: only the page of one
 * checklist shows answers. Returns none if the detail was never read, or an earlier version of Solarchive stored one
 * that this one cannot read.
 */
function answeredSections(store: Store, { key, id }: CatalogChecklist): readonly RemoteSection[] {
  const detail = store.checklists.get(key)?.detailRaw ?? null
  if (detail === null) return []
  try {
    return readChecklistDetail(store.parseJson(detail), id).sections
  } catch (error) {
    if (toAppError(error).code === 'unreadable-answer') return []
    throw error
  }
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
