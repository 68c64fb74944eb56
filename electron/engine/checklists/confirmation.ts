/**
 * Confirmation of answers that lack photos or questions. Such an answer may have come too early or be a mistake, so it
 * stays unconfirmed until a second answer agrees (docs/decisions/0003-what-complete-means.md, "Confirmation").
 */
import { AppError } from '../../../shared/errors.ts'
import type { RemoteChecklistDetail } from '../service/service-types.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'

type QuestionFacts = Pick<QuestionRow, 'present' | 'clientRefIds' | 'mediaReadAt' | 'firstEmptyAnswerAt'>
type HasStatus = Pick<ChecklistRow, 'status'>

/**
 * Minimum time before the service is asked again to confirm. Late photos come within minutes; polls of completed
 * checklists are at least 12 minutes apart.
 */
const minConfirmationMs = 10 * 60_000

/**
 * Returns whether an answer without photos is the first one for a question whose number of photos nothing else shows. A
 * checklist is not complete with it until the answer is confirmed for the same state of the checklist.
 */
export function isFirstEmptyAnswer(question: QuestionFacts, { status }: HasStatus): boolean {
  return status === 'completed' && question.clientRefIds === null && question.firstEmptyAnswerAt === null
}

/** Returns whether a question has an unconfirmed answer without photos, so that it has to be asked about again. */
export function isEmptyUnconfirmed(question: QuestionFacts, { status }: HasStatus): boolean {
  const { present, clientRefIds, mediaReadAt, firstEmptyAnswerAt } = question
  return (
    status === 'completed' &&
    present === 1 &&
    clientRefIds === null &&
    mediaReadAt === null &&
    firstEmptyAnswerAt !== null
  )
}

/** Returns whether to ask for confirmation now: always for a user, and if the clock was set back. */
export function isConfirmationDue(
  { firstEmptyAnswerAt }: QuestionFacts,
  nowMs: number,
  isUserInitiated: boolean,
): boolean {
  return (
    isUserInitiated ||
    firstEmptyAnswerAt === null ||
    !(Math.abs(nowMs - Date.parse(firstEmptyAnswerAt)) < minConfirmationMs)
  )
}

/**
 * Returns whether an answer without a single record for a category is confirmed: the category had no photos, its
 * questions announce none, or an earlier answer was empty too. Photos of a checklist that is no longer listed do not
 * count. Records the answer if it is unconfirmed.
 */
export function confirmEmptyCategory(store: Store, projectId: string, categoryId: string): boolean {
  const hadPhotos = store.questions
    .listForCategory(projectId, categoryId)
    .some(
      (question) =>
        question.clientRefIds?.length !== 0 &&
        store.checklists.get(question.checklistKey)?.upstreamGoneAt === null &&
        store.assets.listForQuestion(question).some(({ present }) => present === 1),
    )
  return confirmMissing(store, categoryKey(projectId, categoryId), hadPhotos ? ['emptied'] : [])
}

/** Forgets an unconfirmed answer: the service lists photos again, or confirmed that there are none. */
export function clearCategory(store: Store, projectId: string, categoryId: string): void {
  store.meta.remove(categoryKey(projectId, categoryId))
}

/**
 * Returns whether the questions of an answer are confirmed: it has every photo question that was there before, or an
 * earlier answer lacked the same ones. Records what is missing if it is unconfirmed.
 */
export function confirmQuestions(store: Store, checklistKey: number, detail: RemoteChecklistDetail): boolean {
  const listed = new Set(detail.sections.flatMap(({ questions }) => questions.map((q) => q.mediaCategoryId)))
  const missing = store.questions
    .listForChecklist(checklistKey)
    .filter(({ present, mediaCategoryId, clientRefIds }) => {
      return present === 1 && mediaCategoryId !== null && clientRefIds?.length !== 0 && !listed.has(mediaCategoryId)
    })
    .map(({ key }) => String(key))
  return confirmMissing(store, questionsKey(checklistKey), missing)
}

/** Returns whether a checklist has to be read again because an answer lacked questions. */
export function hasUnconfirmedQuestions(store: Store, checklistKey: number): boolean {
  return store.meta.get(questionsKey(checklistKey)) !== undefined
}

/** Forgets an unconfirmed answer: the service has all questions again, or confirmed that some are gone. */
export function clearQuestions(store: Store, checklistKey: number): void {
  store.meta.remove(questionsKey(checklistKey))
}

export function unconfirmedCategory(): AppError {
  return new AppError(
    'unreadable-answer',
    'The service sent no photos at all for a question that had some before. Nothing archived was changed; Solarchive ' +
      'asks again and accepts the answer if it is the same.',
  )
}

export function unconfirmedQuestions(): AppError {
  return new AppError(
    'unreadable-answer',
    'The service sent a checklist without some of the photo questions that it had before. Nothing archived was ' +
      'changed; Solarchive asks again and accepts the answer if it is the same.',
  )
}

/** Returns whether nothing is missing, or nothing but what an earlier answer lacked too; records it otherwise. */
function confirmMissing({ meta }: Store, key: string, missing: readonly string[]): boolean {
  const before = new Set(meta.get(key)?.split(','))
  if (missing.every((one) => before.has(one))) return true
  meta.set(key, missing.join(','))
  return false
}

// The words in these keys are those of released databases.
const categoryKey = (projectId: string, categoryId: string) =>
  `doubted-media:${JSON.stringify([projectId, categoryId])}`
const questionsKey = (checklistKey: number) => `doubted-questions:${checklistKey}`
