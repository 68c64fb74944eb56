import { z } from 'zod'
import type { VerifyReport } from '../../../shared/domain.ts'
import type { Store } from '../store/create-store.ts'

/** One going through the whole archive, which may be stopped and gone on with. */
export interface VerifyRun {
  /** ISO 8601 UTC. Files that were found right in this run carry it: it also is the run's name. */
  readonly startedAt: string
  /** Null: it was stopped, or is under way. */
  readonly finishedAt: string | null
}

/** What a run says of the archive is said as of its start: after a week that is no answer any more. */
const maxRunMs = 7 * 24 * 60 * 60_000

const runSchema = z.object({ startedAt: z.iso.datetime(), finishedAt: z.iso.datetime().nullable() })

/** Under which the last run is kept among the single facts. */
export const verifyRunKey = 'verify-run'

/**
 * The run to go on with, or a new one: after one that ended, that began more than a week ago, or that began in the
 * future (the clock was set back). A new run never has the name of the last one, whose marks it must not take for its own.
 */
export function chooseRun(stored: string | undefined, nowMs: number): { run: VerifyRun; resumes: boolean } {
  const last = parseRun(stored)
  const startedMs = last === undefined ? NaN : Date.parse(last.startedAt)
  const ageMs = nowMs - startedMs
  if (last?.finishedAt === null && ageMs >= 0 && ageMs < maxRunMs) return { run: last, resumes: true }
  const startMs = startedMs === nowMs ? nowMs + 1 : nowMs
  return { run: { startedAt: new Date(startMs).toISOString(), finishedAt: null }, resumes: false }
}

function parseRun(text: string | undefined): VerifyRun | undefined {
  try {
    return runSchema.safeParse(JSON.parse(text ?? 'null')).data
  } catch {
    return undefined
  }
}

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
export function recordLastVerify(
  store: Store,
  { checked, ok, repaired, ...paths }: VerifyReport,
  endedAt: string,
): void {
  const [missing, changed, unexpected] = [paths.missing.length, paths.changed.length, paths.unexpected.length]
  const last: LastVerify = { endedAt, checked, ok, repaired, missing, changed, unexpected }
  store.meta.set(key, JSON.stringify(last))
}

/** Null: none ended in this data folder yet. */
export function readLastVerify(store: Store): LastVerify | null {
  return lastVerifySchema.safeParse(store.parseJson(store.meta.get(key) ?? 'null')).data ?? null
}
