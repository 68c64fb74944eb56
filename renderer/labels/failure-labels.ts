import type { AssetKind } from '../../shared/domain.ts'
import type { PhotoView } from '../../shared/views.ts'
import { countOf } from './format-numbers.ts'
import { formatUntil } from './format-times.ts'

/** What a file is, in a word, with a shape of its own. */
export const fileKinds: Readonly<Record<AssetKind, { readonly label: string; readonly icon: string }>> = {
  report: { label: 'Report', icon: 'i-lucide-file-text' },
  photo: { label: 'Photo', icon: 'i-lucide-image' },
  thumbnail: { label: 'Thumbnail', icon: 'i-lucide-images' },
}

/** Of photos that are archived and could not be compared with, or replaced by, what the service has now: how many, and why. */
export function olderVersions(photos: readonly Pick<PhotoView, 'archived' | 'problem'>[]): string[] {
  const reasons = photos.flatMap(({ archived, problem }) => (archived && problem !== null ? [problem.message] : []))
  return [...Map.groupBy(reasons, (reason) => reason)].map(
    ([reason, { length }]) => `${countOf(length, 'photo')}: a newer version could not be fetched. ${reason}`,
  )
}

/** When a failed file is tried again by itself. */
export function nextTry(nextTryAt: string | null, nowMs: number): string {
  if (nextTryAt === null) return 'Not by itself'
  return Date.parse(nextTryAt) <= nowMs ? 'Due now' : formatUntil(nextTryAt, nowMs)
}
