import type { ChecklistRow } from '../store/checklists-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'

type QuestionFacts = Pick<QuestionRow, 'present' | 'clientRefIds' | 'mediaReadAt' | 'saidEmptyAt'>
type ChecklistFacts = Pick<ChecklistRow, 'status'>

/**
 * Whether an answer without a record is the first word on a question of which nothing else tells how many photos it
 * has. Once for each state of its checklist, that is not enough to call the checklist complete.
 */
export function isFirstEmpty(question: QuestionFacts, checklist: ChecklistFacts, files: number): boolean {
  return (
    checklist.status === 'completed' && question.clientRefIds === null && files === 0 && question.saidEmptyAt === null
  )
}

/** Whether a question was said to have no photos, and is to be asked about once more before that is believed. */
export function isInDoubt(question: QuestionFacts, { status }: ChecklistFacts): boolean {
  const { present, clientRefIds, mediaReadAt, saidEmptyAt } = question
  return (
    status === 'completed' && present === 1 && clientRefIds === null && mediaReadAt === null && saidEmptyAt !== null
  )
}

/** Photos that are late come within minutes. The shortest pause between two polls of what is completed is 12 minutes. */
const soonestMs = 10 * 60_000

/** Whether to ask again now. A person who asks wants to know; a clock that was set back makes nobody wait. */
export function isDueAgain({ saidEmptyAt }: QuestionFacts, nowMs: number, isPersons: boolean): boolean {
  return isPersons || saidEmptyAt === null || !(Math.abs(nowMs - Date.parse(saidEmptyAt)) < soonestMs)
}
