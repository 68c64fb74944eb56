import { questionFolderName, sectionFolderName } from '../archive/layout.ts'
import { caseKey, uniqueName } from '../archive/unique-name.ts'
import type { RemoteChecklistDetail, RemoteQuestion } from '../service/service-types.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'
import type { Storable } from './storable.ts'

/**
 * Records a checklist's sections and questions. A question that was there before, by section, label and category, keeps
 * its row and its folders; one that is no longer there is marked, its files stay. To be called in a transaction.
 */
export function saveDetail(
  store: Store,
  storable: Storable,
  checklist: ChecklistRow,
  detail: RemoteChecklistDetail,
  nowIso: string,
): void {
  const known = store.questions.listForChecklist(checklist.key)
  const left = [...known]
  const folders = new FolderNames(known)
  let position = 0
  detail.sections.forEach((remoteSection, sectionIndex) => {
    const section = { label: storable.text(remoteSection.label) }
    remoteSection.questions.forEach((remoteQuestion, index) => {
      const question = { ...remoteQuestion, label: storable.text(remoteQuestion.label) }
      position += 1
      const found = left.findIndex((row) => isSame(row, section.label, question))
      const row = found < 0 ? undefined : left.splice(found, 1)[0]
      if (row !== undefined) {
        store.questions.update(row.key, position, question.mediaCategoryId, question.clientRefIds)
        return
      }
      const sectionFolder = folders.section(section.label, sectionIndex)
      store.questions.insert({
        checklistKey: checklist.key,
        position,
        sectionLabel: section.label,
        label: question.label,
        sectionFolder,
        folder: folders.question(sectionFolder, question.label, index),
        mediaCategoryId: question.mediaCategoryId,
        clientRefIds: question.clientRefIds,
      })
    })
  })
  for (const row of left) dropQuestion(store, row)
  store.checklists.saveDetail(checklist.key, storable.json(detail.raw), checklist.fingerprint, nowIso)
}

/** What of it is archived stays and counts; what is not will not come any more. */
function dropQuestion(store: Store, row: QuestionRow): void {
  store.questions.markAbsent(row.key)
  for (const asset of store.assets.listForChecklist(row.checklistKey)) {
    if (asset.questionKey !== row.key || asset.sha256 !== null) continue
    store.assets.markGone(asset.id)
    store.jobs.finish(asset.id)
  }
}

function isSame(row: QuestionRow, sectionLabel: string, question: RemoteQuestion): boolean {
  return (
    row.sectionLabel === sectionLabel &&
    row.label === question.label &&
    row.mediaCategoryId === question.mediaCategoryId
  )
}

/** The folder names of a checklist: kept once given, distinct without regard to case. */
class FolderNames {
  readonly #sections = new Map<string, string>()
  readonly #taken = new Set<string>()

  constructor(known: readonly QuestionRow[]) {
    for (const row of known) {
      this.#sections.set(row.sectionLabel, row.sectionFolder)
      this.#taken.add(caseKey(row.sectionFolder)).add(caseKey(`${row.sectionFolder}/${row.folder}`))
    }
  }

  section(label: string, index: number): string {
    const given = this.#sections.get(label)
    if (given !== undefined) return given
    const name = uniqueName(sectionFolderName({ number: index + 1, label }), (candidate) =>
      this.#taken.has(caseKey(candidate)),
    )
    this.#sections.set(label, name)
    this.#taken.add(caseKey(name))
    return name
  }

  question(sectionFolder: string, label: string, index: number): string {
    const name = uniqueName(questionFolderName({ number: index + 1, label }), (candidate) =>
      this.#taken.has(caseKey(`${sectionFolder}/${candidate}`)),
    )
    this.#taken.add(caseKey(`${sectionFolder}/${name}`))
    return name
  }
}
