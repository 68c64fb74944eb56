import { activityKinds } from '../../../shared/activity.ts'
import type { ObstacleKind } from '../../../shared/watch.ts'
import type { Clock } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import type { Obstacle } from './blocker.ts'

/**
 * How long something has to be in the way before it is told of. Lost connections and a service in trouble mostly pass
 * by themselves; a refused token and a disk that is away wait for a person.
 */
const patienceMs: Readonly<Record<ObstacleKind, number>> = {
  token: 0,
  disk: 0,
  offline: 5 * 60_000,
  service: 5 * 60_000,
}

/** Rows to look back through at the start: more kinds than there are, told and gone. */
const lookBack = 20

/** Tells the activity once of each thing that is in the way, and once that it is gone; also over a restart. */
export class ObstacleNews {
  readonly #store: Store
  readonly #clock: Clock
  /** What was told and is not gone yet: since when, ISO 8601 UTC. */
  readonly #told: Map<ObstacleKind, string>

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
    this.#told = readTold(store)
  }

  /** It is in the way now. */
  met({ kind, error, sinceMs }: Obstacle): void {
    const nowMs = this.#clock.nowMs()
    if (this.#told.has(kind) || nowMs - sinceMs < patienceMs[kind]) return
    const since = new Date(sinceMs).toISOString()
    this.#store.activity.note({
      at: toIso(nowMs),
      kind: 'obstacle',
      facts: { obstacle: kind, code: error.code, since },
    })
    this.#told.set(kind, since)
  }

  /** What was done shows that these are not in the way. */
  gone(...kinds: readonly ObstacleKind[]): void {
    for (const obstacle of kinds) {
      const since = this.#told.get(obstacle)
      if (since === undefined) continue
      this.#store.activity.note({
        at: toIso(this.#clock.nowMs()),
        kind: 'obstacle-gone',
        facts: { obstacle, since },
      })
      this.#told.delete(obstacle)
    }
  }
}

function readTold(store: Store): Map<ObstacleKind, string> {
  const kinds = ['obstacle', 'obstacle-gone']
  const rows = store.activity.list({ before: null, after: null, projectId: null, kinds, limit: lookBack })
  const told = new Map<ObstacleKind, string>()
  const schema = activityKinds['obstacle-gone'].facts
  for (const { kind, facts } of rows.toReversed()) {
    const { data } = schema.safeParse(store.parseJson(facts))
    if (data === undefined) continue
    if (kind === 'obstacle') told.set(data.obstacle, data.since)
    else told.delete(data.obstacle)
  }
  return told
}

const toIso = (ms: number) => new Date(ms).toISOString()
