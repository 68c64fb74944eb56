import { describe, expect, test } from 'vitest'
import type { TimeLeft } from '../../../electron/engine/lib/events.ts'
import { RateBudget } from '../../../electron/engine/service/rate-budget.ts'
import { readingOrder } from '../../../electron/engine/sync/sync-pass.ts'
import { TimeLeftMeter, type ProjectProgress } from '../../../electron/engine/sync/time-left.ts'
import { FakeClock } from '../../support/fake-clock.ts'

interface Site {
  readonly projects: number
  readonly callsPerMinute: number
  /** Calls that the service allows in 60 seconds, if these are fewer; it refuses others without `Retry-After`. */
  readonly allowedPerMinute?: number
  /** Milliseconds of a call, and of a file; both vary. */
  readonly callMs: number
  readonly fileMs: number
  readonly categories: readonly [number, number]
  /** As `categories`, of the projects whose names are in the second half. Default: the same. */
  readonly laterCategories?: readonly [number, number]
  readonly photos: readonly [number, number]
  /** Milliseconds between two estimates. Default: a second, as in the app. */
  readonly everyMs?: number
}

interface Estimate extends Partial<TimeLeft> {
  readonly atMs: number
}

/** Simulates a first sync as `syncPass` runs it, and returns its duration and its estimates. */
async function simulate(
  site: Site,
  seed: number,
): Promise<{ readonly totalMs: number; readonly estimates: Estimate[] }> {
  const random = seededRandom(seed)
  const between = ([low, high]: readonly [number, number]) => low + Math.floor(random() * (high - low + 1))
  const varied = (ms: number) => ms * (0.4 + 1.2 * random())
  const clock = new FakeClock()
  const budget = new RateBudget({ clock, callsPerMinute: site.callsPerMinute })
  const meter = new TimeLeftMeter(budget, 8)
  const works: { -readonly [Key in keyof ProjectProgress]: ProjectProgress[Key] }[] = []
  const queue: (() => Promise<void>)[] = []
  let slots = 8
  let isDone = false

  function pump(): void {
    while (slots > 0 && queue.length > 0) {
      slots -= 1
      void queue
        .shift()?.()
        .finally(() => {
          slots += 1
          pump()
        })
    }
  }
  const callsAtMs: number[] = []
  const isAllowedNow = () => {
    const nowMs = clock.monotonicMs()
    while (callsAtMs[0] !== undefined && nowMs - callsAtMs[0] > 60_000) callsAtMs.shift()
    if (callsAtMs.length >= (site.allowedPerMinute ?? Infinity)) return false
    callsAtMs.push(nowMs)
    return true
  }
  async function call(work: (typeof works)[number]): Promise<void> {
    for (let isAllowed = false; !isAllowed;) {
      const ended = await budget.take('user')
      isAllowed = isAllowedNow()
      await clock.sleep(varied(site.callMs))
      ended()
      // As `service/retry-rules.ts` has it.
      if (!isAllowed) budget.pauseFor(60_000)
    }
    work.callsDone += 1
    work.callsLeft = Math.max(0, work.callsLeft - 1)
  }
  async function project(categories: readonly [number, number]): Promise<void> {
    const work: (typeof works)[number] = { callsDone: 0, callsLeft: 1, categories: null, files: 0, filesEnded: 0 }
    works.push(work)
    await call(work)
    const checklists = between([1, 3])
    work.callsLeft = checklists
    for (let i = 0; i < checklists; i += 1) await call(work)
    const total = checklists * between(categories)
    work.categories = { read: 0, total }
    work.callsLeft = total
    const files: Promise<void>[] = []
    const add = (count: number) => {
      work.files += count
      for (let i = 0; i < count; i += 1) {
        files.push(
          new Promise((resolve) => {
            queue.push(async () => {
              await clock.sleep(varied(site.fileMs))
              work.filesEnded += 1
              resolve()
            })
          }),
        )
      }
      pump()
    }
    for (let read = 1; read <= total; read += 1) {
      await call(work)
      work.categories = { read, total }
      add(2 * between(site.photos))
    }
    add(checklists)
    await Promise.all(files)
  }

  const { categories, laterCategories = categories } = site
  const byName = Array.from({ length: site.projects }, (_, index) => ({
    id: `project-${index}`,
    lastSyncedAt: null,
    categories: index < site.projects / 2 ? categories : laterCategories,
  }))
  const waiting = readingOrder(byName).values()
  const worker = async () => {
    for (const next of waiting) await project(next.categories)
  }
  void Promise.all([worker(), worker(), worker()]).then(() => (isDone = true))
  const estimates: Estimate[] = []
  const { everyMs = 1000 } = site
  for (let atMs = everyMs; !isDone; atMs += everyMs) {
    await clock.advance(everyMs)
    const pass = { projects: site.projects, begun: works }
    estimates.push({ atMs, ...meter.advance(atMs, () => pass) })
  }
  return { totalMs: clock.monotonicMs(), estimates }
}

const limited = { callsPerMinute: 60, callMs: 150 }
const unlimited = { callsPerMinute: 0, callMs: 150 }
const usual = { categories: [4, 9], photos: [0, 6] } as const

const half = { allowedPerMinute: 30 }
const small = { categories: [2, 4], laterCategories: [8, 12], photos: [0, 6] } as const
const large = { categories: [8, 12], laterCategories: [2, 4], photos: [0, 6] } as const

/** Sites, and the share of their time, from the second minute on, in which there has to be an estimate. */
const sites: readonly (readonly [string, Site, number])[] = [
  ['one large project', { projects: 1, ...limited, fileMs: 300, categories: [90, 150], photos: [0, 9] }, 0.95],
  ['few projects', { projects: 25, ...limited, fileMs: 300, ...usual }, 0.1],
  ['many projects', { projects: 150, ...limited, fileMs: 300, ...usual }, 0.6],
  // Nine hours: one seed, and an estimate every ten seconds, take two seconds of processor time.
  ['two thousand projects', { projects: 2_000, ...limited, fileMs: 300, ...usual, everyMs: 10_000 }, 0.95],
  ['projects whose size goes with their names', { projects: 150, ...limited, fileMs: 300, ...small }, 0.5],
  ['projects of the opposite sizes', { projects: 150, ...limited, fileMs: 300, ...large }, 0.5],
  ['projects at half the limit that is set', { projects: 100, ...limited, ...half, fileMs: 300, ...usual }, 0.5],
  ['projects at most of the limit', { projects: 100, ...limited, allowedPerMinute: 50, fileMs: 300, ...usual }, 0.5],
  ['projects at a limit that is not set', { projects: 100, ...unlimited, ...half, fileMs: 300, ...usual }, 0.5],
  ['many projects with a slow file host', { projects: 100, ...limited, fileMs: 6_000, ...usual }, 0.3],
  ['many projects without a limit', { projects: 250, ...unlimited, fileMs: 200, ...usual }, 0.8],
  ['many projects of a slow service', { projects: 60, ...unlimited, callMs: 5_000, fileMs: 200, ...usual }, 0.1],
  ['few projects with a slow file host', { projects: 5, ...unlimited, fileMs: 15_000, ...usual }, 0.3],
]

describe('the time left of a first sync is at most a quarter off after its first minute, or not shown: of', () => {
  test.for(sites)('%s', async ([, site, minShown]) => {
    const seeds = site.projects < 1_000 ? [1, 2, 3] : [1]
    const passes = await Promise.all(seeds.map((seed) => simulate(site, seed)))
    const late = passes.flatMap(({ totalMs, estimates }) =>
      estimates.flatMap(({ atMs, leftMs = null, callsPerMinute = null }) =>
        atMs < 60_000 ? [] : [{ leftMs, callsPerMinute, trueMs: totalMs - atMs }],
      ),
    )
    const shown = late.flatMap(({ leftMs, trueMs }) => (leftMs === null ? [] : [{ leftMs, trueMs }]))
    const isRight = shown.filter(({ leftMs, trueMs }) => Math.abs(leftMs - trueMs) <= Math.max(10_000, trueMs / 4))
    expect(isRight.length / shown.length).toBeGreaterThan(0.9)
    const rates = new Set(late.map(({ callsPerMinute }) => callsPerMinute))
    if (site.allowedPerMinute !== undefined) expect(rates).toEqual(new Set([null]))
    expect(shown.length / late.length).toBeGreaterThan(minShown)
  })
})

test('only projects that were never synced are shuffled, always in the same way', () => {
  const all = Array.from({ length: 40 }, (_, index) => ({
    id: `project-${index}`,
    lastSyncedAt: index % 4 === 0 ? '2026-01-01T00:00:00.000Z' : null,
  }))
  const order = readingOrder(all)
  expect(order).not.toEqual(all)
  expect(order.toSorted((one, other) => all.indexOf(one) - all.indexOf(other))).toEqual(all)
  expect(order.filter((_, index) => index % 4 === 0)).toEqual(all.filter((_, index) => index % 4 === 0))
  expect(readingOrder(all)).toEqual(order)
})

/** Returns numbers from 0 to 1 that are the same for a seed (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
