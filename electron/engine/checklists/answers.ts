import { toAppError } from '../../../shared/errors.ts'
import { readChecklistDetail } from '../service/readers/read-checklist-detail.ts'
import type { RemoteSection } from '../service/service-types.ts'
import type { Store } from '../store/create-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'

/**
 * Reads the sections with their answers from the stored detail of a checklist with this id, which takes some
 * milliseconds. Returns none if the detail was never read, or an earlier version of Solarchive stored one that this one
 * cannot read.
 */
export function answeredSections(
  store: Pick<Store, 'parseJson'>,
  checklistId: string,
  detail: string | null,
): readonly RemoteSection[] {
  if (detail === null) return []
  try {
    return readChecklistDetail(store.parseJson(detail), checklistId).sections
  } catch (error) {
    if (toAppError(error).code === 'unreadable-answer') return []
    throw error
  }
}

/**
 * Returns the answers by question. A question of the service's answer belongs to the row with its section, label, and
 * media category; of several, the first belongs to the first.
 */
export function answersOf(
  questions: readonly QuestionRow[],
  answered: readonly RemoteSection[],
): ReadonlyMap<number, string> {
  const nameOf = (...name: (string | null)[]) => JSON.stringify(name)
  const rows = Map.groupBy(
    questions.filter(({ present }) => present === 1),
    (row) => nameOf(row.sectionLabel, row.label, row.mediaCategoryId),
  )
  const answers = new Map<number, string>()
  for (const section of answered) {
    for (const { label, mediaCategoryId, answer } of section.questions) {
      const row = rows.get(nameOf(section.label, label, mediaCategoryId))?.shift()
      if (row !== undefined && answer !== null) answers.set(row.key, answer)
    }
  }
  return answers
}

/** Stores the answers of a checklist's questions from its detail, for rows that do not have them yet. */
export function storeAnswers(store: Store, checklist: { key: number; id: string; detail: string | null }): void {
  const answered = answeredSections(store, checklist.id, checklist.detail)
  if (answered.length === 0) return
  for (const [key, answer] of answersOf(store.questions.listForChecklist(checklist.key), answered)) {
    store.questions.setAnswer(key, answer)
  }
}
