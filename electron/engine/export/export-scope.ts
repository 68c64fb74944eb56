import { AppError } from '../../../shared/errors.ts'
import type { ExportSelection } from '../../../shared/export.ts'
import type { SearchHit } from '../../../shared/search.ts'
import { searchAll } from '../catalog/search/search.ts'
import type { Store } from '../store/create-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'

/**
 * Chosen part of a checklist: all of it, or questions by their keys, and photos and reports by their ids. Of
 * `announced` questions only what they lack was chosen.
 */
export type ChecklistScope = 'whole' | Readonly<Record<keyof ChosenParts, ReadonlySet<number>>>

interface ChosenParts {
  readonly questions: Set<number>
  readonly announced: Set<number>
  readonly assets: Set<number>
}

/** Projects, checklists, and files that a selection names. */
export class ExportScope {
  /** Projects of which anything was chosen; undefined: all. */
  readonly projectIds: readonly string[] | undefined
  readonly #store: Store
  readonly #isEverything: boolean
  readonly #projects = new Map<string, 'whole' | 'parts'>()
  readonly #checklists = new Map<number, 'whole' | ChosenParts>()
  /** Questions by `labelsKey` of the checklists that were searched for chosen ones. */
  readonly #questions = new Map<number, ReadonlyMap<string, readonly QuestionRow[]>>()

  /** Throws `not-found` if something of the selection is unknown, and `wrong-usage` for a bad query. */
  constructor(store: Store, selection: ExportSelection) {
    this.#store = store
    this.#isEverything = selection.kind === 'everything'
    this.#add(selection)
    this.projectIds = this.#isEverything ? undefined : [...this.#projects.keys()]
  }

  isWhole(projectId: string): boolean {
    return this.#isEverything || this.#projects.get(projectId) === 'whole'
  }

  /** Returns undefined if nothing of the checklist was chosen. */
  ofChecklist(checklistKey: number): ChecklistScope | undefined {
    return this.#checklists.get(checklistKey)
  }

  #add(selection: ExportSelection): void {
    switch (selection.kind) {
      case 'everything':
        break
      case 'ids':
        for (const id of selection.ids) this.#addId(id)
        break
      case 'projects':
        for (const id of selection.projectIds) this.#addProject(id)
        break
      case 'checklists':
        for (const { projectId, checklistId } of selection.checklists) this.#addChecklist(projectId, checklistId)
        break
      case 'questions':
        for (const labels of selection.questions) this.#addQuestion(selection.projectId, selection.checklistId, labels)
        break
      case 'photos':
        for (const id of selection.assetIds) this.#addAsset(id)
        break
      case 'search':
        for (const hit of searchAll(this.#store, selection.query)) this.#addHit(hit)
        if (this.#projects.size === 0) throw new AppError('not-found', 'The search found nothing to export.')
        break
    }
  }

  #addId(id: string): void {
    if (this.#store.projects.isActive(id)) return this.#addProject(id)
    const owners = this.#store.checklists.projectsOf(id).filter((projectId) => this.#store.projects.isActive(projectId))
    if (owners.length === 0) {
      throw new AppError('not-found', `There is no project and no checklist with the ID ${id}. Check it.`, {
        details: { id },
      })
    }
    for (const projectId of owners) this.#addChecklist(projectId, id)
  }

  #addHit({ kind, projectId, checklistId, section, question, assetId }: SearchHit): void {
    if (kind === 'project') this.#addProject(projectId)
    else if (kind === 'checklist' && checklistId !== null) this.#addChecklist(projectId, checklistId)
    else if (assetId !== null) this.#addAsset(assetId)
    else if (checklistId !== null && section !== null && question !== null) {
      // A photo that is announced, and has no file yet, is a gap of its question.
      const parts = kind === 'photo' ? 'announced' : 'questions'
      this.#addQuestion(projectId, checklistId, { section, question }, parts)
    }
  }

  #addProject(id: string): void {
    this.#projects.set(id, 'whole')
  }

  #addChecklist(projectId: string, checklistId: string): void {
    this.#addPart(projectId)
    this.#checklists.set(this.#checklistKey(projectId, checklistId), 'whole')
  }

  #addQuestion(
    projectId: string,
    checklistId: string,
    labels: { section: string; question: string },
    as: 'questions' | 'announced' = 'questions',
  ): void {
    const key = this.#checklistKey(projectId, checklistId)
    const found = this.#questionsOf(key).get(labelsKey(labels.section, labels.question)) ?? []
    if (found.length === 0) {
      throw new AppError('not-found', `There is no question "${labels.question}" in this checklist.`)
    }
    const parts = this.#partsOf(projectId, key)
    if (parts !== 'whole') for (const question of found) parts[as].add(question.key)
  }

  /** Returns the questions of a checklist by their labels. Each is read once: a search may find thousands of them. */
  #questionsOf(checklistKey: number): ReadonlyMap<string, readonly QuestionRow[]> {
    const questions =
      this.#questions.get(checklistKey) ??
      Map.groupBy(this.#store.questions.listForChecklist(checklistKey), ({ sectionLabel, label }) =>
        labelsKey(sectionLabel, label),
      )
    this.#questions.set(checklistKey, questions)
    return questions
  }

  #addAsset(assetId: number): void {
    const asset = this.#store.assets.get(assetId)
    const checklist = asset === undefined ? undefined : this.#store.checklists.get(asset.checklistKey)
    if (asset === undefined || checklist === undefined || asset.kind === 'thumbnail') {
      throw new AppError('not-found', 'A chosen file is unknown. It may have been replaced by another one.')
    }
    const parts = this.#partsOf(checklist.projectId, checklist.key)
    if (parts !== 'whole') parts.assets.add(assetId)
  }

  #partsOf(projectId: string, key: number) {
    this.#addPart(projectId)
    const known = this.#checklists.get(key)
    const parts = known ?? { questions: new Set<number>(), announced: new Set<number>(), assets: new Set<number>() }
    if (known === undefined) this.#checklists.set(key, parts)
    return parts
  }

  #addPart(projectId: string): void {
    if (!this.#projects.has(projectId)) this.#projects.set(projectId, 'parts')
  }

  #checklistKey(projectId: string, checklistId: string): number {
    const row = this.#store.catalog.checklist(projectId, checklistId)
    if (row !== undefined) return row.key
    throw new AppError('not-found', `The checklist ${checklistId} is unknown. It may have another ID by now.`, {
      details: { projectId, checklistId },
    })
  }
}

const labelsKey = (section: string, question: string) => JSON.stringify([section, question])
