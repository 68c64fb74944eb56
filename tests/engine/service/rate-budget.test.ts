import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { createCallMemory, RateBudget } from '../../../electron/engine/service/rate-budget.ts'
import { callPriorities, type CallPriority } from '../../../electron/engine/service/service-types.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { caught } from './caught.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const minute = 60_000

describe('the rate budget', () => {
  test('lets the allowed number start immediately, and the next when the first has left the window', async () => {
    const clock = new FakeClock()
    const budget = new RateBudget({ clock, callsPerMinute: 2 })
    const granted: number[] = []
    for (let call = 0; call < 3; call++) {
      void budget.take('user').then((ended) => {
        granted.push(clock.monotonicMs())
        ended()
      })
    }
    await clock.advance(0)
    expect(granted).toEqual([0, 0])
    expect(budget.waitMs()).toBe(minute + 1)
    await clock.advance(minute)
    expect(granted).toHaveLength(2)
    await clock.advance(1)
    expect(granted).toEqual([0, 0, minute + 1])
    expect(budget.waitMs()).toBe(0)
  })

  test('a call counts until a minute after its end, since the service may have counted it at any time', async () => {
    const clock = new FakeClock()
    const budget = new RateBudget({ clock, callsPerMinute: 1 })
    const ended = await budget.take('user')
    const next = budget.take('user').then(() => clock.monotonicMs())
    await clock.advance(90_000)
    ended()
    ended()
    await clock.advance(2 * minute)
    expect(await next).toBe(90_000 + minute + 1)
  })

  test('reports how many calls could start immediately', async () => {
    const clock = new FakeClock()
    const budget = new RateBudget({ clock, callsPerMinute: 3 })
    expect(budget.freeCalls()).toBe(3)
    const ended = await budget.take('user')
    expect(budget.freeCalls()).toBe(2)
    ended()
    expect(budget.freeCalls()).toBe(2)
    budget.pauseFor(1000)
    expect(budget.freeCalls()).toBe(0)
    await clock.advance(minute + 1)
    expect(budget.freeCalls()).toBe(3)
    for (let call = 0; call < 4; call++) void budget.take('idle')
    expect(budget.freeCalls()).toBe(0)
    expect(new RateBudget({ clock, callsPerMinute: 0 }).freeCalls()).toBe(Infinity)
  })

  test('reports how long calls take if there are no others', async () => {
    const clock = new FakeClock()
    const budget = new RateBudget({ clock, callsPerMinute: 3 })
    ;(await budget.take('user'))()
    await clock.advance(10_000)
    ;(await budget.take('user'))()
    const takeMs = [1, 2, 3, 4, 5].map((calls) => budget.callsTakeMs(calls))
    // One at once, one each as the two leave the window, then as these calls do.
    expect(takeMs).toEqual([0, 50_001, 60_001, 60_001, 110_002])
    budget.pauseFor(90_000)
    expect(budget.callsTakeMs(2)).toBe(90_000)
    expect(new RateBudget({ clock, callsPerMinute: 0 }).callsTakeMs(1_000)).toBe(0)
  })

  test('a pause that the service asked for holds back the next process too, and never longer than meant', () => {
    const store = createStore(join(temporaryFolder(), 'database.sqlite3'))
    onTestFinished(() => store.close())
    const clock = new FakeClock()
    const service = 'https://api.example'
    const memoryOf = (address = service) => createCallMemory(store, clock, { service: address })
    const leftMs = (address?: string) => {
      const budget = new RateBudget({ clock, callsPerMinute: 0, memory: memoryOf(address) })
      const stop = new AbortController()
      budget.take('user', stop.signal).catch(() => undefined)
      const waitMs = budget.waitMs()
      stop.abort()
      return waitMs
    }
    new RateBudget({ clock, memory: memoryOf() }).pauseFor(minute)
    expect([leftMs(), leftMs('https://other.example')]).toEqual([minute, 0])
    clock.jump(20_000)
    expect(leftMs()).toBe(40_000)
    clock.jump(-10 * 24 * 60 * minute)
    expect(leftMs(), 'the clock was set back by ten days').toBe(minute)
    clock.jump(20 * 24 * 60 * minute)
    expect(leftMs()).toBe(0)
    for (const [untilMs, askedAtMs] of [
      [1e300, 0],
      [clock.nowMs() + 365 * 24 * 60 * minute, clock.nowMs()],
    ]) {
      store.meta.set('api-pause', JSON.stringify({ service, askedAtMs, untilMs }))
      expect(leftMs(), 'an absurd value').toBe(60 * minute)
    }
    store.meta.set('api-pause', '{"service":')
    expect(leftMs()).toBe(0)
  })

  test('a call of the process before counts for a second more: the service counted it when it arrived', async () => {
    const store = createStore(join(temporaryFolder(), 'database.sqlite3'))
    onTestFinished(() => store.close())
    const clock = new FakeClock()
    const open = () => {
      const memory = createCallMemory(store, clock, { service: 'https://api.example' })
      return new RateBudget({ clock, callsPerMinute: 1, memory })
    }
    ;(await open().take('user'))()
    await clock.advance(minute)
    const next = open()
    const sent = next.take('user').then(() => clock.monotonicMs())
    expect(next.waitMs()).toBe(1_001)
    await clock.advance(minute)
    expect(await sent).toBe(minute + 1_001)
  })

  test('a call within the 60,000th millisecond still belongs to the minute', async () => {
    const clock = new FakeClock()
    const budget = new RateBudget({ clock, callsPerMinute: 1 })
    void budget.take('user').then((ended) => ended())
    await clock.advance(minute)
    const next = budget.take('user').then(() => clock.monotonicMs())
    await clock.advance(minute)
    expect(await next).toBe(minute + 1)
  })

  test('serves by priority, then in order of arrival', async () => {
    const clock = new FakeClock()
    const budget = new RateBudget({ clock, callsPerMinute: 1 })
    const order: string[] = []
    const take = (name: string, priority: CallPriority) =>
      budget.take(priority).then((ended) => {
        order.push(name)
        ended()
      })
    const all = [take('first', 'idle'), take('idle 1', 'idle'), take('hot', 'hot'), take('links', 'links')]
    all.push(take('idle 2', 'idle'), take('user 1', 'user'), take('user 2', 'user'))
    await clock.advance(10 * minute)
    await Promise.all(all)
    expect(order).toEqual(['first', 'user 1', 'user 2', 'links', 'hot', 'idle 1', 'idle 2'])
  })

  test('a pause holds all calls, a shorter one does not end a longer one, and 0 calls means no limit', async () => {
    const clock = new FakeClock()
    const budget = new RateBudget({ clock, callsPerMinute: 0 })
    budget.pauseFor(10_000)
    budget.pauseFor(1_000)
    let granted = 0
    for (let call = 0; call < 500; call++) void budget.take('idle').then(() => granted++)
    await clock.advance(9_999)
    expect(granted).toBe(0)
    expect(budget.waitMs()).toBe(1)
    await clock.advance(1)
    expect(granted).toBe(500)
  })

  test('a pause also holds calls that already wait for the window', async () => {
    const clock = new FakeClock()
    const budget = new RateBudget({ clock, callsPerMinute: 1 })
    void budget.take('user').then((ended) => ended())
    const next = budget.take('user').then(() => clock.monotonicMs())
    await clock.advance(30_000)
    budget.pauseFor(100_000)
    await clock.advance(5 * minute)
    expect(await next).toBe(130_000)
  })

  test('an aborted call leaves the queue immediately and takes no slot', async () => {
    const clock = new FakeClock()
    const budget = new RateBudget({ clock, callsPerMinute: 1 })
    void budget.take('user').then((ended) => ended())
    const stop = new AbortController()
    const stopped = caught(budget.take('user', stop.signal))
    const other = budget.take('user').then(() => clock.monotonicMs())
    stop.abort()
    expect((await stopped).code).toBe('cancelled')
    await clock.advance(2 * minute)
    expect(await other).toBe(minute + 1)
    expect((await caught(budget.take('user', AbortSignal.abort()))).code).toBe('cancelled')
  })

  test('a call that cannot be recorded fails and takes no slot, and the next one is served', async () => {
    const clock = new FakeClock()
    let recorded = 0
    const memory = {
      recentAgesMs: () => [0],
      record() {
        if (++recorded === 1) throw new AppError('disk-full', 'Full')
      },
    }
    const budget = new RateBudget({ clock, callsPerMinute: 1, memory })
    const unrecorded = caught(budget.take('user'))
    const next = budget.take('user').then(() => clock.monotonicMs())
    await clock.advance(minute + 1)
    expect((await unrecorded).code).toBe('disk-full')
    expect(await next).toBe(minute + 1)
  })

  test('no timer remains when the last waiting call leaves', async () => {
    const clock = new FakeClock()
    const budget = new RateBudget({ clock, callsPerMinute: 1 })
    void budget.take('user').then((ended) => ended())
    await clock.advance(0)
    const stop = new AbortController()
    const stopped = caught(budget.take('idle', stop.signal))
    expect(clock.sleeping).toBe(1)
    stop.abort()
    await stopped
    expect(clock.sleeping).toBe(0)
  })

  test('never exceeds the limit in any minute, keeps the order, and serves every call eventually', async () => {
    const call = fc.record({
      atMs: fc.integer({ min: 0, max: 200_000 }),
      durationMs: fc.integer({ min: 0, max: 70_000 }),
      priority: fc.constantFrom(...callPriorities),
      abortAfterMs: fc.option(fc.integer({ min: 0, max: 150_000 }), { nil: undefined, freq: 4 }),
    })
    const pause = fc.record({ atMs: fc.integer({ min: 0, max: 200_000 }), ms: fc.integer({ min: 1, max: 90_000 }) })
    const plan = fc.record({
      limit: fc.integer({ min: 1, max: 5 }),
      calls: fc.array(call, { minLength: 1, maxLength: 40 }),
      pauses: fc.array(pause, { maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(plan, async ({ limit, calls, pauses }) => {
        const clock = new FakeClock()
        const budget = new RateBudget({ clock, callsPerMinute: limit })
        const queue = calls.map((each) => ({ ...each, stop: new AbortController(), arrival: 0, leftAtMs: -1 }))
        const waiting = new Set<(typeof queue)[number]>()
        let arrivals = 0
        const spans: { fromMs: number; toMs: number }[] = []
        const passedOver: { other: (typeof queue)[number]; atMs: number }[] = []
        let cancelled = 0

        const run = async (mine: (typeof queue)[number]) => {
          await clock.sleep(mine.atMs)
          if (mine.abortAfterMs !== undefined) void clock.sleep(mine.abortAfterMs).then(() => mine.stop.abort())
          waiting.add(mine)
          mine.arrival = ++arrivals
          const ended = await budget.take(mine.priority, mine.stop.signal).catch(() => null)
          waiting.delete(mine)
          const fromMs = clock.monotonicMs()
          mine.leftAtMs = fromMs
          if (ended === null) {
            cancelled++
            return
          }
          for (const { atMs, ms } of pauses) expect(fromMs <= atMs || fromMs >= atMs + ms).toBe(true)
          for (const other of waiting) {
            if (!other.stop.signal.aborted && comesBefore(other, mine)) passedOver.push({ other, atMs: fromMs })
          }
          await clock.sleep(mine.durationMs)
          spans.push({ fromMs, toMs: clock.monotonicMs() })
          ended()
        }
        for (const { atMs, ms } of pauses) void clock.sleep(atMs).then(() => budget.pauseFor(ms))
        const all = Promise.all(queue.map(run))
        await clock.advance(60 * minute)
        await all

        expect(spans.length + cancelled).toBe(calls.length)
        expect(waiting.size).toBe(0)
        // Calls that are granted in one moment may go on in any order.
        expect(passedOver.filter(({ other, atMs }) => other.leftAtMs !== atMs)).toEqual([])
        // Whenever during each call the service counts it, a new call never meets `limit` others within a minute.
        for (const { fromMs } of spans) {
          const others = spans.filter((other) => other.fromMs <= fromMs && other.toMs >= fromMs - minute)
          expect(others.length).toBeLessThanOrEqual(limit)
        }
      }),
      { numRuns: 150 },
    )
  })
})

interface Waiting {
  readonly priority: CallPriority
  readonly arrival: number
}

function comesBefore(one: Waiting, other: Waiting): boolean {
  const [rank, otherRank] = [callPriorities.indexOf(one.priority), callPriorities.indexOf(other.priority)]
  return rank < otherRank || (rank === otherRank && one.arrival < other.arrival)
}
