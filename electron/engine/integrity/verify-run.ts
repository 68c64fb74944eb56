import { z } from 'zod'
import type { VerifyReport } from '../../../shared/domain.ts'
import { parseJson } from '../lib/parse-json.ts'
import type { Store } from '../store/create-store.ts'

/** One verify of the whole archive, which can be stopped and resumed. */
export interface VerifyRun {
  /** ISO 8601 UTC. Also identifies the run: files found unchanged in it are marked with this time. */
  readonly startedAt: string
  /** `null` if it was stopped or is in progress. */
  readonly finishedAt: string | null
}

/** An older run is not resumed: its result describes the archive as of its start. */
const maxRunMs = 7 * 24 * 60 * 60_000

const runSchema = z.object({ startedAt: z.iso.datetime(), finishedAt: z.iso.datetime().nullable() })

/** Meta key of the last run. */
export const verifyRunKey = 'verify-run'

/**
 * Returns the run to resume, or a new one if none may be, or the last run ended, began more than a week ago, or began in
 * the future (the clock was set back). A new run never has the start time of the last one: it would take over that run's
 * marks.
 */
export function chooseRun(
  stored: string | undefined,
  nowMs: number,
  { mayResume = true } = {},
): { run: VerifyRun; resumes: boolean } {
  const last = runSchema.safeParse(parseJson(stored)).data
  const startedMs = last === undefined ? NaN : Date.parse(last.startedAt)
  const ageMs = nowMs - startedMs
  if (mayResume && last?.finishedAt === null && ageMs >= 0 && ageMs < maxRunMs) return { run: last, resumes: true }
  const startMs = startedMs === nowMs ? nowMs + 1 : nowMs
  return { run: { startedAt: new Date(startMs).toISOString(), finishedAt: null }, resumes: false }
}

const count = z.int().min(0)

const lastVerifySchema = z.object({
  /** Start of the pass that completed it, also of a resumed run. ISO 8601 UTC; earlier versions did not store it. */
  startedAt: z.iso.datetime().optional(),
  /** ISO 8601 UTC. */
  endedAt: z.iso.datetime(),
  checked: count,
  ok: count,
  repaired: count,
  missing: count,
  changed: count,
  unexpected: count,
  /** Folders that still had another name. */
  renamed: count.default(0),
})

/** File counts of the last completed verify. */
export type LastVerify = z.infer<typeof lastVerifySchema>

const key = 'verify-last'

/** Stores the result of a completed verify. Must be called in a transaction. */
export function recordLastVerify(
  store: Store,
  { checked, ok, repaired, ...paths }: VerifyReport,
  { startedAt, endedAt }: { readonly startedAt: string; readonly endedAt: string },
): void {
  const [missing, changed, unexpected] = [paths.missing.length, paths.changed.length, paths.unexpected.length]
  const renamed = paths.renamed.filter(({ restored }) => !restored).length
  const last: LastVerify = { startedAt, endedAt, checked, ok, repaired, missing, changed, unexpected, renamed }
  store.meta.set(key, JSON.stringify(last))
}

/** Returns `null` if no verify was completed in this data folder yet. */
export function readLastVerify(store: Store): LastVerify | null {
  return lastVerifySchema.safeParse(store.parseJson(store.meta.get(key) ?? 'null')).data ?? null
}
