import { z } from 'zod'
import type { VerifyReport } from '../../../shared/domain.ts'
import type { Store } from '../store/create-store.ts'

const count = z.int().min(0)

const lastVerifySchema = z.object({
  /** ISO 8601 UTC. */
  endedAt: z.iso.datetime(),
  checked: count,
  ok: count,
  repaired: count,
  missing: count,
  changed: count,
  unexpected: count,
})

/** What the last verify that ran to its end came to, in files; it outlasts the process that ran it. */
export type LastVerify = z.infer<typeof lastVerifySchema>

const key = 'verify-last'

/** To be called in a transaction. */
export function keepLastVerify(store: Store, { checked, ok, repaired, ...paths }: VerifyReport, endedAt: string): void {
  const [missing, changed, unexpected] = [paths.missing.length, paths.changed.length, paths.unexpected.length]
  const last: LastVerify = { endedAt, checked, ok, repaired, missing, changed, unexpected }
  store.meta.set(key, JSON.stringify(last))
}

/** Null: none ended in this data folder yet. */
export function readLastVerify(store: Store): LastVerify | null {
  return lastVerifySchema.safeParse(store.parseJson(store.meta.get(key) ?? 'null')).data ?? null
}
