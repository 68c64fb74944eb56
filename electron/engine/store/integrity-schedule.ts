import type { MetaStore } from './meta-store.ts'

const key = 'integrity-checked-at'

/** Once a week, whatever happened: bits that flip on a disk leave no other trace. */
const checkEveryMs = 7 * 24 * 60 * 60_000

/** When the database was last checked, in milliseconds since 1970; undefined when it never was. */
export function lastChecked(meta: MetaStore): number | undefined {
  const at = Date.parse(meta.get(key) ?? '')
  return Number.isNaN(at) ? undefined : at
}

/** A check that lies in the future tells of a clock that was wrong: due. */
export function isCheckDue(checkedMs: number | undefined, nowMs: number): boolean {
  return checkedMs === undefined || checkedMs > nowMs || nowMs - checkedMs >= checkEveryMs
}

export function noteChecked(meta: MetaStore, nowMs: number): void {
  meta.set(key, new Date(nowMs).toISOString())
}
