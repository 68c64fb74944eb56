import { z } from 'zod'
import { parseJson } from '../lib/parse-json.ts'
import type { MetaStore } from './meta-store.ts'

/**
 * Reason for searching the archive folder: the database is `new` (there was none), was `restored` from a backup, or
 * may be a copy, and lacks later changes, or is an empty one that replaces a `damaged` one.
 */
type RebuildReason = 'new' | 'restored' | 'damaged'

/** A rebuild that is due or in progress. */
export interface PendingRebuild {
  readonly reason: RebuildReason
  /** Project folders that were already searched. */
  readonly done: readonly string[]
  /** True if a run that was stopped has restored something that the database lacked. */
  readonly restored?: boolean | undefined
}

const key = 'archive-rebuild'

const pendingSchema = z.object({
  reason: z.enum(['new', 'restored', 'damaged']),
  done: z.array(z.string()),
  restored: z.boolean().optional(),
})

/**
 * Marker that the archive folder must be searched. It is in the database, so that the two cannot be lost separately.
 */
export function createRebuildMarker(meta: MetaStore) {
  return {
    /** Returns the pending rebuild, or `undefined`. An unreadable marker requests a full one. */
    get(): PendingRebuild | undefined {
      const text = meta.get(key)
      if (text === undefined) return undefined
      return pendingSchema.safeParse(parseJson(text)).data ?? { reason: 'damaged', done: [] }
    },
    set(pending: PendingRebuild): void {
      meta.set(key, JSON.stringify(pending))
    },
    clear(): void {
      meta.remove(key)
    },
  }
}
