import { z } from 'zod'
import { errorCodes } from '../../../shared/error-policy.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { EvidenceState } from '../../../shared/evidence.ts'
import { backoffMs, maxDelayMs } from '../lib/backoff.ts'
import type { Clock } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'

/** Stored as JSON, so that a restart neither forgets a failure nor asks an authority sooner. */
const storedSchema = z.object({
  last: z.object({ folder: z.string(), stampedAt: z.string(), signedBy: z.string() }).nullable(),
  problem: z
    .object({
      code: z.enum(errorCodes),
      message: z.string(),
      since: z.string(),
      failures: z.int().min(1),
      nextTryAt: z.string(),
      /** True once the activity lists it. */
      isListed: z.boolean(),
    })
    .nullable(),
  /** UTC date on which everything that was due was stamped; null if that never was. */
  doneOn: z.string().nullable().default(null),
})
type Stored = z.infer<typeof storedSchema>

const key = 'evidence'

/** A failure of this length is listed in the activity, and one that lasts a day needs attention. */
const listedAfterMs = 60 * 60_000
const attentionAfterMs = 24 * 60 * 60_000

function read(store: Pick<Store, 'meta' | 'parseJson'>): Stored {
  const text = store.meta.get(key)
  const parsed = text === undefined ? undefined : storedSchema.safeParse(store.parseJson(text)).data
  return parsed ?? { last: null, problem: null, doneOn: null }
}

type Last = NonNullable<Stored['last']>

const withLast = (stored: Stored, last: Last): Stored =>
  stored.last !== null && timeOf(stored.last) > timeOf(last) ? stored : { ...stored, last }

/**
 * Returns the time of what was stamped, as far as two are compared: the name of its folder, or the time of the stamp if
 * a clock that was ahead gave the folder a later one.
 */
function timeOf({ folder, stampedAt }: Last): string {
  const name = folder.slice(folder.lastIndexOf('/') + 1)
  const stamped = stampedAt.replaceAll(':', '-')
  return name < stamped ? name : stamped
}

/** Returns the state of the time stamps from the database. */
export function readEvidenceState(
  store: Pick<Store, 'meta' | 'parseJson'>,
  clock: Pick<Clock, 'nowMs'>,
  { isDaily, isStamping }: Pick<EvidenceState, 'isDaily' | 'isStamping'>,
): EvidenceState {
  const { last, problem } = read(store)
  // Once it is turned off, nothing tries again, and nobody waits for it.
  if (problem === null || !isDaily) return { isDaily, isStamping, last, problem: null }
  const { code, message, since, nextTryAt } = problem
  const attention = clock.nowMs() - Date.parse(since) >= attentionAfterMs
  return { isDaily, isStamping, last, problem: { error: { code, message }, since, nextTryAt, attention } }
}

/** Records what became of time stamps, and when the next try is due. */
export function createEvidenceRecord(store: Store, clock: Clock) {
  const now = () => new Date(clock.nowMs()).toISOString()
  const put = (stored: Stored) => store.meta.set(key, JSON.stringify(stored))
  return {
    /** Returns the milliseconds until the next try after a failure; 0 if it is due, or nothing has failed. */
    waitMs(): number {
      const { problem } = read(store)
      if (problem === null) return 0
      // A clock that was set back must not put the next try off.
      const waitMs = Date.parse(problem.nextTryAt) - clock.nowMs()
      return waitMs > 0 && waitMs <= maxDelayMs ? waitMs : 0
    },
    hasProblem: () => read(store).problem !== null,
    /** Forgets a failure: time stamps that are turned on again later start over. */
    forgetProblem(): void {
      const stored = read(store)
      if (stored.problem !== null) put({ ...stored, problem: null })
    },
    isDone: (day: string) => read(store).doneOn === day,
    /** Folders are stamped late as well: the last stamp is that of the newest one. */
    stamped(last: Last): void {
      store.transaction(() => {
        put({ ...withLast(read(store), last), problem: null })
        const { folder, signedBy } = last
        store.activity.record({ at: now(), kind: 'evidence-stamped', facts: { folder, signedBy } })
      })
    },
    /** Records a stamp that was found: the database may be newer than it. */
    found: (last: Last) => put(withLast(read(store), last)),
    /** Records that nothing more is to be stamped on a day (UTC date). */
    done(day: string): void {
      put({ ...read(store), problem: null, doneOn: day })
    },
    failed({ code, message }: AppError): void {
      const stored = read(store)
      const since = stored.problem?.since ?? now()
      const failures = (stored.problem?.failures ?? 0) + 1
      const isOld = clock.nowMs() - Date.parse(since) >= listedAfterMs
      const wasListed = stored.problem?.isListed === true
      const nextTryAt = new Date(clock.nowMs() + backoffMs(failures + 3, Math.random())).toISOString()
      store.transaction(() => {
        put({ ...stored, problem: { code, message, since, failures, nextTryAt, isListed: wasListed || isOld } })
        if (isOld && !wasListed) {
          store.activity.record({ at: now(), kind: 'evidence-failed', facts: { code, since } })
        }
      })
    },
  }
}
