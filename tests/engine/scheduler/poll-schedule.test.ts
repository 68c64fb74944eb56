import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isFullPassDue,
  planPoll,
  tierOf,
  type PollState,
  type PollTier,
} from '../../../electron/engine/scheduler/poll-schedule.ts'
import { afterFailure } from '../../support/poll-states.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const nowMs = Date.UTC(2026, 5, 1)

const polled = (tier: PollTier, silenceMs: number, more: Partial<PollState> = {}): PollState => ({
  projectId: 'p1',
  tier,
  polledMs: nowMs,
  triedMs: nowMs,
  changedMs: nowMs - silenceMs,
  pollFailures: 0,
  lastFullPassMs: nowMs,
  ...more,
})

const tiers = fc.constantFrom<PollTier>('hot', 'open', 'settled')
const ids = fc.string({ minLength: 1, maxLength: 24 })
const silences = fc.integer({ min: 0, max: 1000 * day })

/** Any value that a database may contain or a wrong clock may have written. */
const anyNumber = fc.oneof(
  fc.double(),
  fc.integer({ min: -10, max: 10 }),
  fc.integer({ min: nowMs - 400 * day, max: nowMs + 400 * day }),
)
const anyState = fc.record({
  projectId: ids,
  tier: tiers,
  polledMs: fc.option(anyNumber),
  triedMs: fc.option(anyNumber),
  changedMs: fc.option(anyNumber),
  pollFailures: anyNumber,
  lastFullPassMs: fc.option(anyNumber),
})

describe('the tier of a project', () => {
  it.each([
    [[], 'settled'],
    [['completed', 'completed'], 'settled'],
    [['completed', 'draft'], 'open'],
    [['formSubmitted'], 'open'],
    [['pdfProcessingFailed', 'completed'], 'open'],
    [['some new status'], 'open'],
    [['draft', 'awaitingMedia'], 'hot'],
    [['pdfProcessing', 'completed'], 'hot'],
  ])('with checklists %j is %s', (statuses, tier) => {
    expect(tierOf(statuses)).toBe(tier)
  })
})

describe('the next poll', () => {
  it('is about a minute away while photos are expected, however long nothing has changed', () => {
    fc.assert(
      fc.property(ids, silences, (projectId, silenceMs) => {
        const delayMs = planPoll(polled('hot', silenceMs, { projectId }), nowMs).dueMs - nowMs
        expect(delayMs).toBeGreaterThan(0.8 * minute)
        expect(delayMs).toBeLessThanOrEqual(minute)
      }),
    )
  })

  it('is minutes to an hour away for an open project, and minutes to a day for a settled one', () => {
    const bounds = { hot: [minute, minute], open: [5 * minute, hour], settled: [15 * minute, day] } as const
    fc.assert(
      fc.property(ids, tiers, silences, (projectId, tier, silenceMs) => {
        const { dueMs } = planPoll(polled(tier, silenceMs, { projectId }), nowMs)
        expect(dueMs - nowMs).toBeGreaterThan(0.8 * bounds[tier][0])
        expect(dueMs - nowMs).toBeLessThanOrEqual(bounds[tier][1])
      }),
    )
  })

  it('comes less often the longer nothing has changed, down to once a day', () => {
    fc.assert(
      fc.property(ids, tiers, silences, silences, (projectId, tier, a, b) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)]
        const after = (silenceMs: number) => planPoll(polled(tier, silenceMs, { projectId }), nowMs)
        expect(after(less).dueMs).toBeLessThanOrEqual(after(more).dueMs)
        expect(after(less).patienceMs).toBeLessThanOrEqual(after(more).patienceMs)
      }),
    )
    expect(planPoll(polled('settled', 365 * day), nowMs).dueMs - nowMs).toBeGreaterThan(19 * hour)
  })

  it('does not depend on when it is asked for', () => {
    fc.assert(
      fc.property(tiers, silences, fc.integer({ min: 0, max: 100 * day }), (tier, silenceMs, laterMs) => {
        const state = polled(tier, silenceMs)
        expect(planPoll(state, nowMs + laterMs)).toEqual(planPoll(state, nowMs))
      }),
    )
  })

  it('is jittered: projects polled at the same moment do not become due together again', () => {
    const dueTimes = Array.from({ length: 1000 }, (_, index) => {
      return planPoll(polled('settled', 100 * day, { projectId: `project-${index}` }), nowMs).dueMs
    })
    const perHour = Map.groupBy(dueTimes, (dueMs) => Math.floor(dueMs / hour))
    expect(Math.max(...[...perHour.values()].map(({ length }) => length))).toBeLessThan(350)
    expect(new Set(dueTimes).size).toBeGreaterThan(990)
  })

  it('is immediate for a project that was never polled, in a full pass', () => {
    const plan = planPoll(polled('settled', 0, { polledMs: null, triedMs: null, lastFullPassMs: null }), nowMs)
    expect(plan).toMatchObject({ dueMs: nowMs, pressingMs: nowMs, fullPassMs: nowMs })
  })
})

describe('a schedule chosen by the user', () => {
  const schedules = fc.constantFrom(['hourly', hour] as const, ['daily', day] as const)

  it('limits how often a project is polled, and never delays it beyond that', () => {
    fc.assert(
      fc.property(
        schedules,
        ids,
        tiers,
        silences,
        silences,
        ([schedule, minIntervalMs], projectId, tier, silenceMs, readMs) => {
          const state = polled(tier, silenceMs, { projectId, lastFullPassMs: nowMs - readMs })
          const { dueMs, earliestMs, pressingMs, fullPassMs } = planPoll(state, nowMs, schedule)
          expect(Math.min(dueMs, earliestMs, pressingMs, fullPassMs)).toBeGreaterThanOrEqual(nowMs + minIntervalMs)
          expect(dueMs).toBe(Math.max(nowMs + minIntervalMs, planPoll(state, nowMs).dueMs))
          expect(earliestMs).toBeLessThanOrEqual(dueMs)
          expect(dueMs).toBeLessThanOrEqual(pressingMs)
        },
      ),
    )
  })

  it('delays neither a new project nor one whose poll failed', () => {
    for (const schedule of ['hourly', 'daily'] as const) {
      const added = polled('hot', 0, { polledMs: null, triedMs: null, lastFullPassMs: null })
      expect(planPoll(added, nowMs, schedule).dueMs).toBe(nowMs)
      const failed = afterFailure(polled('hot', 0, { polledMs: nowMs - 2 * day }), nowMs)
      expect(planPoll(failed, nowMs, schedule)).toEqual(planPoll(failed, nowMs))
    }
  })

  it('yields finite times within the day, whatever the database contains', () => {
    fc.assert(
      fc.property(schedules, anyState, ([schedule], state) => {
        const plan = planPoll(state, nowMs, schedule)
        const times = [plan.sinceMs, plan.dueMs, plan.earliestMs, plan.pressingMs, plan.fullPassMs, plan.patienceMs]
        expect(times.every(Number.isFinite)).toBe(true)
        expect(plan.dueMs).toBeLessThanOrEqual(nowMs + day)
      }),
    )
  })
})

describe('a project whose polls fail', () => {
  it('is polled less and less, every six hours in the end', () => {
    let state = polled('hot', 0)
    const delays: number[] = []
    for (let failure = 0; failure < 15; failure++) {
      state = afterFailure(state, nowMs + 60 * day)
      delays.push(planPoll(state, nowMs + 60 * day).dueMs - nowMs - 60 * day)
    }
    expect(delays[0]).toBeLessThanOrEqual(30_000)
    expect(delays[14]).toBeGreaterThanOrEqual(3 * hour)
    expect(Math.max(...delays)).toBeLessThanOrEqual(6 * hour)
  })

  it('does not take precedence over others until a day after it was last asked about', () => {
    for (const polledMs of [null, nowMs - 30 * day]) {
      const failed = afterFailure(polled('open', 0, { polledMs }), nowMs)
      expect(planPoll(failed, nowMs + hour).pressingMs).toBe(nowMs + day)
    }
  })
})

describe('the weekly full pass', () => {
  it('comes once a week, at a different time for each project', () => {
    fc.assert(
      fc.property(ids, (projectId) => {
        const afterMs = planPoll(polled('settled', 0, { projectId }), nowMs).fullPassMs - nowMs
        expect(afterMs).toBeGreaterThan(5.5 * day)
        expect(afterMs).toBeLessThanOrEqual(7 * day)
      }),
    )
  })

  it('is due in a pass of a user after a week, and after a clock that was ahead', () => {
    expect(isFullPassDue(null, nowMs), 'a project that was never read').toBe(false)
    expect(isFullPassDue(nowMs - 6 * day, nowMs)).toBe(false)
    expect(isFullPassDue(nowMs - 7 * day, nowMs)).toBe(true)
    expect(isFullPassDue(nowMs + 3 * day, nowMs)).toBe(true)
    expect(isFullPassDue(nowMs + 60_000, nowMs), 'a small adjustment of the clock').toBe(false)
  })

  it('does not come for all projects at once if the last one is unknown', () => {
    const days = Array.from({ length: 700 }, (_, index) => {
      const state = polled('settled', 0, { projectId: `project-${index}`, lastFullPassMs: nowMs + 3 * day })
      return Math.floor((planPoll(state, nowMs).fullPassMs - nowMs) / day)
    })
    const perDay = Map.groupBy(days, (number) => number)
    expect([...perDay.keys()].sort()).toEqual([0, 1, 2, 3, 4, 5, 6])
    for (const [, of] of perDay) expect(of.length).toBeLessThan(160)
  })
})

describe('whatever the database contains and the clock shows', () => {
  it('every time of a plan is finite, and nothing waits longer than a day', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        const plan = planPoll(state, nowMs)
        const times = [plan.sinceMs, plan.dueMs, plan.earliestMs, plan.pressingMs, plan.fullPassMs, plan.patienceMs]
        expect(times.every(Number.isFinite)).toBe(true)
        expect(plan.patienceMs).toBeGreaterThan(0)
        expect(plan.dueMs).toBeLessThanOrEqual(nowMs + day)
        expect(plan.dueMs).toBeLessThanOrEqual(plan.pressingMs)
        expect(plan.earliestMs).toBeLessThanOrEqual(plan.dueMs)
        expect(plan.pressingMs).toBeLessThanOrEqual(nowMs + day)
        expect(plan.fullPassMs).toBeLessThanOrEqual(nowMs + 7 * day)
      }),
      { numRuns: 2000 },
    )
  })

  it('no plan is before the last poll', () => {
    fc.assert(
      fc.property(anyState, fc.integer({ min: 0, max: 400 * day }), (state, agoMs) => {
        const polledMs = nowMs - agoMs
        expect(planPoll({ ...state, polledMs }, nowMs).dueMs).toBeGreaterThan(polledMs)
        expect(planPoll({ ...state, polledMs }, nowMs).earliestMs).toBeGreaterThan(polledMs)
      }),
    )
  })

  it('a project polled in the future is due immediately, one polled a moment ahead of the clock is not', () => {
    expect(planPoll(polled('settled', 100 * day, { polledMs: nowMs + 3 * day }), nowMs).dueMs).toBe(nowMs)
    expect(planPoll(polled('hot', 0, { polledMs: nowMs + 30_000 }), nowMs).dueMs).toBeGreaterThan(nowMs + 40_000)
  })
})
