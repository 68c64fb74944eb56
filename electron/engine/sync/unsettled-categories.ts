import type { JobRow } from '../store/jobs-store.ts'
import type { ChecklistRows } from './ledger.ts'

/**
 * The media categories of a checklist that have to be asked for: those never read since the checklist changed, those
 * whose files wait for a link, and those that owe photos. A question known to have no media costs no call.
 */
export function unsettledCategories(rows: ChecklistRows, hasLink: (assetId: number) => boolean): string[] {
  const waiting = new Set(
    rows.jobs
      .filter(isDue)
      .map((job) => job.assetId)
      .filter((assetId) => !hasLink(assetId)),
  )
  const categories = rows.questions
    .filter((question) => {
      if (question.present === 0 || question.clientRefIds?.length === 0) return false
      const own = rows.assets.filter((asset) => asset.questionKey === question.key)
      const photos = own.filter((asset) => asset.kind === 'photo' && (asset.present === 1 || asset.sha256 !== null))
      return (
        question.mediaReadAt === null ||
        photos.length < (question.clientRefIds?.length ?? 0) ||
        own.some((asset) => waiting.has(asset.id))
      )
    })
    .map((question) => question.mediaCategoryId)
    .filter((categoryId) => categoryId !== null)
  return [...new Set(categories)]
}

/** What failed waits for its next try. */
export const isDue = ({ state }: Pick<JobRow, 'state'>) => state !== 'failed'
