import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isFinished,
  nextOrderPollMs,
  type OrderPollFacts,
} from '../../../electron/engine/orders/order-poll-schedule.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const nowMs = Date.UTC(2026, 5, 1)
const nothing: OrderPollFacts = {
  projectId: 'p1',
  askedMs: null,
  quietUntilMs: null,
  unconfirmedSentMs: [],
  givenUpSentMs: [],
  placed: [],
}

/** The poll times of a project from `startMs` on if every poll succeeds without a change, in steps of 20 s. */
function pollTimes(facts: OrderPollFacts, startMs: number, endMs: number): number[] {
  const asked: number[] = []
  let current = facts
  for (let timeMs = startMs; timeMs <= endMs; timeMs += 20_000) {
    if (nextOrderPollMs(current, timeMs) > timeMs) continue
    asked.push(timeMs)
    current = { ...current, askedMs: timeMs }
  }
  return asked
}

describe('the orders of a project', () => {
  it('are polled soon after one was sent without a response, then every hour', () => {
    const asked = pollTimes({ ...nothing, unconfirmedSentMs: [nowMs] }, nowMs, nowMs + 4 * hour)
    expect(asked.map((timeMs) => (timeMs - nowMs) / minute)).toEqual([1, 2, 5, 15, 75, 135, 195])
  })

  it('are polled at once, then every hour, if one without a response was sent while the clock was ahead', () => {
    const asked = pollTimes({ ...nothing, unconfirmedSentMs: [nowMs + day] }, nowMs, nowMs + 3 * hour)
    expect(asked.map((timeMs) => (timeMs - nowMs) / minute)).toEqual([0, 60, 120, 180])
  })

  it('are polled less and less while nothing changes, and often again after a change', () => {
    const ordered = { ...nothing, placed: [{ status: 'ordered', changedMs: nowMs }] }
    const asked = pollTimes(ordered, nowMs, nowMs + 60 * day)
    const within = (from: number, to: number) => asked.filter((timeMs) => timeMs >= nowMs + from && timeMs < nowMs + to)
    expect(within(0, hour).length).toBeGreaterThanOrEqual(3)
    expect(within(7 * day, 8 * day).length).toBeLessThanOrEqual(5)
    expect(within(40 * day, 41 * day).length).toBeLessThanOrEqual(3)
    // Never forgotten, and cheap: fewer calls than one checklist with its photos.
    const gaps = asked.slice(1).map((timeMs, index) => timeMs - (asked[index] ?? 0))
    expect(Math.max(...gaps)).toBeLessThanOrEqual(12 * hour + 20_000)
    expect(asked.length).toBeLessThan(350)
    const late = nowMs + 60 * day
    const changed = { ...nothing, askedMs: late, placed: [{ status: 'inProgress', changedMs: late }] }
    expect(nextOrderPollMs(changed, late)).toBeLessThanOrEqual(late + 15 * minute)
  })

  it('that are finished are eventually polled once a week', () => {
    const done = { ...nothing, askedMs: nowMs, placed: [{ status: 'completed', changedMs: nowMs - 90 * day }] }
    const nextMs = nextOrderPollMs(done, nowMs)
    expect(nextMs).toBeGreaterThan(nowMs + 5 * day)
    expect(nextMs).toBeLessThanOrEqual(nowMs + 7 * day)
    expect(['Completed', 'CANCELLED', 'canceled', 'delivered'].every(isFinished)).toBe(true)
    expect(['ordered', 'inProgress', 'incomplete', 'unknown', 'qaReview', ''].some(isFinished)).toBe(false)
  })

  it('respect a quiet period, unless one is unconfirmed', () => {
    const quiet = {
      ...nothing,
      askedMs: nowMs,
      quietUntilMs: nowMs + day,
      placed: [{ status: 'ordered', changedMs: null }],
    }
    expect(nextOrderPollMs(quiet, nowMs)).toBe(nowMs + day)
    expect(nextOrderPollMs({ ...quiet, unconfirmedSentMs: [nowMs - 10_000] }, nowMs)).toBe(nowMs + 50_000)
    expect(nextOrderPollMs({ ...quiet, quietUntilMs: nowMs + 400 * day }, nowMs)).toBeLessThanOrEqual(nowMs + hour)
  })

  it('have a next poll within a week, whatever times are stored', () => {
    const anyTime = fc.oneof(
      fc.constant(null),
      fc.double(),
      fc.integer({ min: nowMs - 400 * day, max: nowMs + 400 * day }),
    )
    const anyFacts = fc.record({
      projectId: fc.string(),
      askedMs: anyTime,
      quietUntilMs: anyTime,
      unconfirmedSentMs: fc.array(
        anyTime.map((timeMs) => timeMs ?? Number.NaN),
        { maxLength: 2 },
      ),
      givenUpSentMs: fc.array(
        anyTime.map((timeMs) => timeMs ?? Number.NaN),
        { maxLength: 2 },
      ),
      placed: fc.array(fc.record({ status: fc.string(), changedMs: anyTime }), { minLength: 1, maxLength: 3 }),
    })
    fc.assert(fc.property(anyFacts, (facts) => nextOrderPollMs(facts, nowMs) <= nowMs + 7 * day))
    expect(nextOrderPollMs(nothing, nowMs)).toBe(Infinity)
  })
})
