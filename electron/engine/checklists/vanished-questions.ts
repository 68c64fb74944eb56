import { AppError } from '../../../shared/errors.ts'
import type { RemoteChecklistDetail } from '../service/service-types.ts'
import type { Store } from '../store/create-store.ts'

/**
 * Whether an answer that lacks photo questions which were there before is not believed yet: their category is in it no
 * more, and no answer before lacked them, too. The doubt is written down, so that the second is believed.
 */
export function areQuestionsDoubted(store: Store, checklistKey: number, detail: RemoteChecklistDetail): boolean {
  const listed = new Set(detail.sections.flatMap(({ questions }) => questions.map((q) => q.mediaCategoryId)))
  const lacking = store.questions
    .listForChecklist(checklistKey)
    .filter(({ present, mediaCategoryId, clientRefIds }) => {
      return present === 1 && mediaCategoryId !== null && clientRefIds?.length !== 0 && !listed.has(mediaCategoryId)
    })
    .map(({ key }) => String(key))
  const before = new Set(store.meta.get(doubtKey(checklistKey))?.split(','))
  if (lacking.every((key) => before.has(key))) return false
  store.meta.set(doubtKey(checklistKey), lacking.join(','))
  return true
}

/** Whether a checklist has to be read once more because of such a doubt. */
export function hasDoubtedQuestions(store: Store, checklistKey: number): boolean {
  return store.meta.get(doubtKey(checklistKey)) !== undefined
}

/** The service has all questions again, or has said twice that some are no more. */
export function settleQuestions(store: Store, checklistKey: number): void {
  store.meta.remove(doubtKey(checklistKey))
}

const doubtKey = (checklistKey: number) => `doubted-questions:${checklistKey}`

export function questionsVanished(): AppError {
  return new AppError(
    'unreadable-answer',
    'The service sent a checklist without some of the photo questions that it had before. Nothing archived was changed; ' +
      'it is asked again, and believed if it says the same.',
  )
}
