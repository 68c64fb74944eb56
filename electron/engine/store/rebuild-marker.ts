import { z } from 'zod'
import type { MetaStore } from './meta-store.ts'

/**
 * Why the archive folder must be searched: the database is `new` (there was none), was `restored` from a backup and lacks
 * everything later, or is an empty one in place of a `damaged` one.
 */
export type RebuildReason = 'new' | 'restored' | 'damaged'

/** A rebuild that is due or in progress. */
export interface PendingRebuild {
  readonly reason: RebuildReason
  /** Project folders that were looked through already. */
  readonly done: readonly string[]
}

const key = 'archive-rebuild'

const pendingSchema = z.object({
  reason: z.enum(['new', 'restored', 'damaged']),
  done: z.array(z.string()),
})

/** The note in the database that it lacks what the archive folder tells. In it, so that both are true or lost together. */
export function createRebuildMarker(meta: MetaStore) {
  return {
    /** Undefined when nothing is due. A note that cannot be read asks for the whole of it. */
    get(): PendingRebuild | undefined {
      const text = meta.get(key)
      if (text === undefined) return undefined
      try {
        const parsed = pendingSchema.safeParse(JSON.parse(text))
        if (parsed.success) return parsed.data
      } catch {
        // Falls through to the whole.
      }
      return { reason: 'damaged', done: [] }
    },
    set(pending: PendingRebuild): void {
      meta.set(key, JSON.stringify(pending))
    },
    clear(): void {
      meta.remove(key)
    },
  }
}
