import type { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import type {
  ArchiveCounts,
  Attention,
  ChecklistDetail,
  checklistPageSchema,
  ChecklistQuery,
  FailureQuery,
  failurePageSchema,
  projectDetailSchema,
  projectPageSchema,
  ProjectQuery,
  ProjectSummary,
} from '../../../shared/views.ts'
import type { CatalogChecklist, CatalogProject } from '../store/catalog-store.ts'
import type { Store } from '../store/create-store.ts'
import { reckonRecorded } from '../sync/reckon-recorded.ts'
import { detailChecklist, fileNameOf, problemOf, summarizeChecklist } from './describe-checklist-view.ts'

interface Page {
  readonly offset: number
  readonly limit: number
}

/** What the app shows of the database, a page at a time; the disk is not looked at. */
export interface Catalog {
  counts(): ArchiveCounts
  attention(): Attention
  projects(query: ProjectQuery): z.infer<typeof projectPageSchema>
  /** Throws `not-found`. */
  project(projectId: string, page: Page): z.infer<typeof projectDetailSchema>
  /** Throws `not-found`. */
  checklist(projectId: string, checklistId: string): ChecklistDetail
  /** Of all projects. */
  checklists(query: ChecklistQuery): z.infer<typeof checklistPageSchema>
  failures(query: FailureQuery): z.infer<typeof failurePageSchema>
}

/** More than anybody puts right in one go; the list of projects has all of them. */
const mostAttention = 20

const everything: Page = { offset: 0, limit: -1 }

const noCounts: ArchiveCounts = {
  projects: 0,
  unsyncedProjects: 0,
  projectsWithProblem: 0,
  checklists: 0,
  files: 0,
  filesWaiting: 0,
  filesFailed: 0,
}

export function createCatalog(store: Store): Catalog {
  const { catalog } = store

  function rowsOf(checklist: CatalogChecklist) {
    return {
      checklist,
      questions: store.questions.listForChecklist(checklist.key),
      assets: catalog.assets(checklist.key),
      jobs: store.jobs.listForChecklist(checklist.key),
    }
  }

  function summarize(project: CatalogProject): ProjectSummary {
    const ledgers = catalog.checklists(project.id, everything).map((row) => reckonRecorded(store, row).state)
    return {
      id: project.id,
      name: project.name ?? project.id,
      address: project.address,
      lastSyncedAt: project.lastSyncedAt,
      problem: problemOf(project),
      checklists: ledgers.length,
      completeChecklists: ledgers.filter(({ complete }) => complete).length,
      expectedFiles: ledgers.reduce((sum, { expectedFiles }) => sum + expectedFiles, 0),
      archivedFiles: ledgers.reduce((sum, { archivedFiles }) => sum + archivedFiles, 0),
      waitingFiles: project.waitingFiles,
      failedFiles: project.failedFiles,
    }
  }

  function requireProject(projectId: string): CatalogProject {
    const project = catalog.project(projectId)
    if (project !== undefined) return project
    throw new AppError('not-found', 'This project is not in the list any more. Add it again to go on archiving it.')
  }

  return {
    counts: () => catalog.counts() ?? noCounts,
    attention: () =>
      catalog.failingProjects(mostAttention).map(({ id, name, code, message }) => ({
        projectId: id,
        name: name ?? id,
        problem: { code, message },
      })),
    projects(query) {
      const { total, rows } = catalog.projects(query)
      return { total, offset: query.offset, items: rows.map(summarize) }
    },
    project(projectId, page) {
      const project = requireProject(projectId)
      const items = catalog.checklists(projectId, page).map((row) => summarizeChecklist(rowsOf(row)))
      const total = catalog.countChecklists(projectId)
      return { project: summarize(project), checklists: { total, offset: page.offset, items } }
    },
    checklist(projectId, checklistId) {
      const project = requireProject(projectId)
      const row = catalog.checklist(projectId, checklistId)
      if (row === undefined) {
        throw new AppError('not-found', 'This checklist is not known. It may have been read under another id since.')
      }
      return { projectId, projectName: project.name ?? project.id, ...detailChecklist(rowsOf(row)) }
    },
    checklists(query) {
      const { total, rows } = catalog.openChecklists(query)
      const items = rows.map(({ projectId, projectName, ...row }) => ({
        ...summarizeChecklist(rowsOf(row)),
        projectId,
        projectName: projectName ?? projectId,
      }))
      return { total, offset: query.offset, items }
    },
    failures({ projectId = null, checklistId = null, ...page }) {
      const { total, rows } = catalog.failures({ ...page, projectId, checklistId })
      const items = rows.map(({ path, projectName, ...row }) => ({
        ...row,
        projectName: projectName ?? row.projectId,
        fileName: fileNameOf(path),
      }))
      return { total, offset: page.offset, items }
    },
  }
}
