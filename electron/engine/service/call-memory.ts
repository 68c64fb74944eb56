import { z } from 'zod'
import type { Clock } from '../lib/ports.ts'
import type { CallMemory } from './rate-budget.ts'
import type { Store } from '../store/create-store.ts'

/** The minute of the service's documented rate limit. */
const windowMs = 60_000
const key = 'recent-api-calls'
const timesSchema = z.array(z.number())

/**
 * Stores the times of the last minute's calls in the database, so that consecutive passes together stay within the
 * service's limit. They are wall-clock times, the only ones that processes share; times in the future are dropped.
 * `callsMadeAtMs` are calls that were made before the database was open.
 */
export function createCallMemory(store: Store, clock: Clock, callsMadeAtMs: readonly number[] = []): CallMemory {
  let times = [...parse(store.meta.get(key)), ...callsMadeAtMs].sort((a, b) => a - b)

  const recent = (nowMs: number) => times.filter((atMs) => atMs <= nowMs && nowMs - atMs <= windowMs)

  return {
    recentAgesMs: () => recent(clock.nowMs()).map((atMs) => clock.nowMs() - atMs),
    record() {
      times = [...recent(clock.nowMs()), clock.nowMs()]
      store.meta.set(key, JSON.stringify(times))
    },
  }
}

function parse(text: string | undefined): number[] {
  try {
    const parsed = timesSchema.safeParse(JSON.parse(text ?? '[]'))
    return parsed.success ? parsed.data : []
  } catch {
    return []
  }
}
