import { AppError } from '../../../shared/errors.ts'
import type { ExportSelection } from '../../../shared/export.ts'
import type { SearchHit, SearchQuery } from '../../../shared/search.ts'
import { search } from '../catalog/search/search.ts'
import type { Store } from '../store/create-store.ts'

/** Chosen part of a checklist: all of it, or questions by their keys, and photos and reports by their ids. */
export type ChecklistScope = 'whole' | { readonly questions: ReadonlySet<number>; readonly assets: ReadonlySet<number> }

/** Projects, checklists, and files that a selection names. */
export interface Scope {
  /** Projects of which anything was chosen; undefined: all. */
  readonly projectIds: readonly string[] | undefined
  isWhole(projectId: string): boolean
  /** Returns undefined if nothing of the checklist was chosen. */
  ofChecklist(checklistKey: number): ChecklistScope | undefined
}

/**
 * Reads what a selection means. Throws `not-found` if something of it is unknown, and `wrong-usage` for a bad query.
 */
export function createScope(store: Store, selection: ExportSelection): Scope {
  const projects = new Map<string, 'whole' | 'parts'>()
  const checklists = new Map<number, 'whole' | { questions: Set<number>; assets: Set<number> }>()

  function addProject(id: string): void {
    projects.set(id, 'whole')
  }

  function addPart(projectId: string): void {
    if (!projects.has(projectId)) projects.set(projectId, 'parts')
  }

  function checklistKey(projectId: string, checklistId: string): number {
    const row = store.catalog.checklist(projectId, checklistId)
    if (row !== undefined) return row.key
    throw new AppError('not-found', `The checklist ${checklistId} is unknown. It may have another id by now.`, {
      details: { projectId, checklistId },
    })
  }

  function addChecklist(projectId: string, checklistId: string): void {
    addPart(projectId)
    checklists.set(checklistKey(projectId, checklistId), 'whole')
  }

  function addId(id: string): void {
    if (store.projects.isActive(id)) return addProject(id)
    const owners = store.checklists.projectsOf(id).filter((projectId) => store.projects.isActive(projectId))
    if (owners.length === 0) {
      throw new AppError('not-found', `There is no project and no checklist with the ID ${id}. Check it.`, {
        details: { id },
      })
    }
    for (const projectId of owners) addChecklist(projectId, id)
  }

  function partsOf(projectId: string, key: number) {
    addPart(projectId)
    const known = checklists.get(key)
    const parts = known ?? { questions: new Set<number>(), assets: new Set<number>() }
    if (known === undefined) checklists.set(key, parts)
    return parts
  }

  function addQuestion(projectId: string, checklistId: string, labels: { section: string; question: string }): void {
    const key = checklistKey(projectId, checklistId)
    const found = store.questions
      .listForChecklist(key)
      .filter(({ sectionLabel, label }) => sectionLabel === labels.section && label === labels.question)
    if (found.length === 0) {
      throw new AppError('not-found', `There is no question "${labels.question}" in this checklist.`)
    }
    const parts = partsOf(projectId, key)
    if (parts !== 'whole') for (const question of found) parts.questions.add(question.key)
  }

  function addAsset(assetId: number): void {
    const asset = store.assets.get(assetId)
    const checklist = asset === undefined ? undefined : store.checklists.get(asset.checklistKey)
    if (asset === undefined || checklist === undefined || asset.kind === 'thumbnail') {
      throw new AppError('not-found', 'A chosen file is unknown. It may have been replaced by another one.')
    }
    const parts = partsOf(checklist.projectId, checklist.key)
    if (parts !== 'whole') parts.assets.add(assetId)
  }

  function addHit({ kind, projectId, checklistId, section, question, assetId }: SearchHit): void {
    if (kind === 'project') addProject(projectId)
    else if (kind === 'checklist' && checklistId !== null) addChecklist(projectId, checklistId)
    else if (assetId !== null) addAsset(assetId)
    // Also a photo that is announced, and has no file yet: its question has a gap.
    else if (checklistId !== null && section !== null && question !== null) {
      addQuestion(projectId, checklistId, { section, question })
    }
  }

  switch (selection.kind) {
    case 'everything':
      break
    case 'ids':
      selection.ids.forEach(addId)
      break
    case 'projects':
      selection.projectIds.forEach(addProject)
      break
    case 'checklists':
      for (const { projectId, checklistId } of selection.checklists) addChecklist(projectId, checklistId)
      break
    case 'questions':
      for (const labels of selection.questions) addQuestion(selection.projectId, selection.checklistId, labels)
      break
    case 'photos':
      selection.assetIds.forEach(addAsset)
      break
    case 'search':
      for (const hit of allHits(store, selection.query)) addHit(hit)
      if (projects.size === 0) throw new AppError('not-found', 'The search found nothing to export.')
      break
  }
  const isEverything = selection.kind === 'everything'
  return {
    projectIds: isEverything ? undefined : [...projects.keys()],
    isWhole: (projectId) => isEverything || projects.get(projectId) === 'whole',
    ofChecklist: (key) => checklists.get(key),
  }
}

/** Hits that are read at once. */
const pageSize = 200

function* allHits(store: Store, { query, kinds, projectId }: SearchQuery): Generator<SearchHit> {
  for (let cursor: string | undefined; ;) {
    const page = search(store, {
      ...{ query, limit: pageSize },
      ...(kinds && { kinds }),
      ...(projectId !== undefined && { projectId }),
      ...(cursor !== undefined && { cursor }),
    })
    const [problem] = page.problems
    if (problem !== undefined) throw new AppError('wrong-usage', problem.message)
    yield* page.hits
    if (page.cursor === null) return
    cursor = page.cursor
  }
}
