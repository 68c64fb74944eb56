import type { FileCounts } from '../store/assets-store.ts'
import type { Store } from '../store/create-store.ts'
import type { OpenJob } from '../store/jobs-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'

export interface CategoryFacts {
  readonly questions: readonly QuestionRow[]
  readonly files: readonly Pick<FileCounts, 'questionKey' | 'kind' | 'listed'>[]
  readonly openJobs: readonly OpenJob[]
}

export function readCategoryFacts(store: Store, { key, fingerprint }: { key: number; fingerprint: string }) {
  return {
    questions: store.questions.listForChecklist(key),
    files: store.assets.fileCounts(key, fingerprint),
    openJobs: store.jobs.openForChecklist(key),
  }
}

/**
 * The media categories of a checklist that have to be asked for: those never read since the checklist changed, those
 * whose files wait for a link, and those that owe photos. What failed waits for its next try. A question known to have
 * no media costs no call, and one that was just said to have none is left until it is due again.
 */
export function unsettledCategories(
  facts: CategoryFacts,
  hasLink: (assetId: number) => boolean,
  isAskedNow: (question: QuestionRow) => boolean,
): string[] {
  const { questions, files, openJobs } = facts
  const waiting = new Set(openJobs.filter(({ assetId }) => !hasLink(assetId)).map(({ questionKey }) => questionKey))
  const photos = new Map(
    files.filter(({ kind }) => kind === 'photo').map(({ questionKey, listed }) => [questionKey, listed]),
  )
  const categories = questions
    .filter((question) => {
      const { key, present, clientRefIds, mediaReadAt } = question
      if (present === 0 || clientRefIds?.length === 0) return false
      const isUnread = mediaReadAt === null && isAskedNow(question)
      return isUnread || (photos.get(key) ?? 0) < (clientRefIds?.length ?? 0) || waiting.has(key)
    })
    .map(({ mediaCategoryId }) => mediaCategoryId)
    .filter((categoryId) => categoryId !== null)
  return [...new Set(categories)]
}
