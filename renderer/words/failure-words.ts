import type { AssetKind } from '../../shared/domain.ts'
import { formatUntil } from '../format/format-times.ts'

/** What a file is, in a word, with a shape of its own. */
export const fileKinds: Readonly<Record<AssetKind, { readonly label: string; readonly icon: string }>> = {
  report: { label: 'Report', icon: 'i-lucide-file-text' },
  photo: { label: 'Photo', icon: 'i-lucide-image' },
  thumbnail: { label: 'Thumbnail', icon: 'i-lucide-images' },
}

/** When a failed file is tried again by itself. */
export function nextTry(nextTryAt: string | null, nowMs: number): string {
  if (nextTryAt === null) return 'Not by itself'
  return Date.parse(nextTryAt) <= nowMs ? 'Due now' : formatUntil(nextTryAt, nowMs)
}
