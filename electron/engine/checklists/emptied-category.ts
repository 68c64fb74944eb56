import { AppError } from '../../../shared/errors.ts'
import type { Store } from '../store/create-store.ts'

/**
 * Whether an answer without a single record is not believed yet: there were photos before, the checklist does not say
 * itself that there are none, and it is the first such answer. The doubt is written down, so that the second is believed.
 */
export function isEmptied(store: Store, projectId: string, categoryId: string): boolean {
  const questions = store.questions.listForCategory(projectId, categoryId)
  const hadPhotos = questions.some(
    (question) =>
      question.clientRefIds?.length !== 0 &&
      store.assets.listForQuestion(question).some(({ present }) => present === 1),
  )
  const key = emptiedKey(projectId, categoryId)
  if (!hadPhotos || store.meta.get(key) !== undefined) return false
  store.meta.set(key, 'emptied')
  return true
}

/** The service lists photos again, or has said twice that there are none. */
export function settleEmptied(store: Store, projectId: string, categoryId: string): void {
  store.meta.remove(emptiedKey(projectId, categoryId))
}

const emptiedKey = (projectId: string, categoryId: string) => `doubted-media:${JSON.stringify([projectId, categoryId])}`

export function emptied(): AppError {
  return new AppError(
    'unreadable-answer',
    'The service sent no photos at all for a question that had some before. Nothing archived was changed; it is asked ' +
      'again, and believed if it says the same.',
  )
}
