import { type ActivityFacts, activityKinds } from '../../../shared/activity.ts'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import type { BlockerKind } from '../../../shared/watch.ts'
import type { Clock } from '../lib/ports.ts'
import { pastTime, toIso } from '../lib/time.ts'
import type { Store } from '../store/create-store.ts'
import type { Blocker } from './blocker.ts'

/**
 * Time after which a blocker is recorded in the activity. Network and service outages are usually short; a refused
 * token and a missing disk require the user.
 */
const patienceMs: Readonly<Record<BlockerKind, number>> = {
  token: 0,
  disk: 0,
  offline: 5 * 60_000,
  service: 5 * 60_000,
}

/** Outages of one host that begin within this time after its last listed one are not listed: a line may be unsteady. */
const outageSpacingMs = 10 * 60_000

/** Outages read before one is recorded: more than the hosts that are down at the same time. */
const recentOutages = 10

/** A short outage of the service (`host` null) or of a download server. `sinceMs` is wall-clock time. */
interface Outage {
  readonly host: string | null
  readonly code: ErrorCode
  readonly sinceMs: number
}

/**
 * Records an outage that is over. The watch and a pass that a user started may both have noticed it: it is recorded
 * once.
 */
export function recordOutage(store: Store, { host, code, sinceMs }: Outage, clock: Pick<Clock, 'nowMs'>): void {
  const page = { before: null, after: null, projectId: null, kinds: ['outage'], limit: recentOutages }
  const isListed = store.activity.list(page).some(({ at, facts }) => {
    const { host: listed } = store.parseJson(facts) as ActivityFacts<'outage'>
    const endedMs = pastTime(Date.parse(at), clock.nowMs())
    return listed === host && endedMs !== null && endedMs >= sinceMs - outageSpacingMs
  })
  if (isListed) return
  const facts = { host, code, since: toIso(sinceMs) }
  store.transaction(() => store.activity.record({ at: toIso(clock.nowMs()), kind: 'outage', facts }))
}

/** Rows read at the start: more than enough for the start and end of each kind. */
const lookBack = 20

/**
 * Records each blocker in the activity once when it starts and once when it ends, also across a restart. One that ends
 * before it was recorded is recorded as a short outage.
 */
export class BlockerActivity {
  readonly #store: Store
  readonly #clock: Clock
  /** Recorded blockers that have not ended, and their start as ISO 8601 UTC. */
  readonly #reported: Map<BlockerKind, string>
  /** Blockers that are not recorded yet. */
  readonly #unreported = new Map<BlockerKind, Outage>()

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
    this.#reported = readReported(store)
  }

  /** Records a blocker that is present now, after its patience. */
  start({ kind, error, sinceMs }: Blocker): void {
    const nowMs = this.#clock.nowMs()
    if (this.#reported.has(kind)) return
    if (nowMs - sinceMs < patienceMs[kind]) {
      this.#unreported.set(kind, { host: null, code: error.code, sinceMs })
      return
    }
    this.#unreported.delete(kind)
    const since = toIso(sinceMs)
    this.#store.activity.record({
      at: toIso(nowMs),
      kind: 'obstacle',
      facts: { obstacle: kind, code: error.code, since },
    })
    this.#reported.set(kind, since)
  }

  /** Records the end of blockers that are known to be gone. */
  end(...kinds: readonly BlockerKind[]): void {
    for (const obstacle of kinds) {
      const outage = this.#unreported.get(obstacle)
      this.#unreported.delete(obstacle)
      if (outage !== undefined) recordOutage(this.#store, outage, this.#clock)
      const since = this.#reported.get(obstacle)
      if (since === undefined) continue
      this.#store.activity.record({
        at: toIso(this.#clock.nowMs()),
        kind: 'obstacle-gone',
        facts: { obstacle, since },
      })
      this.#reported.delete(obstacle)
    }
  }
}

function readReported(store: Store): Map<BlockerKind, string> {
  const kinds = ['obstacle', 'obstacle-gone']
  const rows = store.activity.list({ before: null, after: null, projectId: null, kinds, limit: lookBack })
  const reported = new Map<BlockerKind, string>()
  const schema = activityKinds['obstacle-gone'].facts
  for (const { kind, facts } of rows.toReversed()) {
    const { data } = schema.safeParse(store.parseJson(facts))
    if (data === undefined) continue
    if (kind === 'obstacle') reported.set(data.obstacle, data.since)
    else reported.delete(data.obstacle)
  }
  return reported
}
