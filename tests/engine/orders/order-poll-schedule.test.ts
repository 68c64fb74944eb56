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
  placed: [],
}

/** When a project is asked about from `startMs` on, where every ask is answered and nothing changes. Looked at every 20 s. */
function askTimes(facts: OrderPollFacts, startMs: number, endMs: number): number[] {
  const asked: number[] = []
  let standing = facts
  for (let timeMs = startMs; timeMs <= endMs; timeMs += 20_000) {
    if (nextOrderPollMs(standing, timeMs) > timeMs) continue
    asked.push(timeMs)
    standing = { ...standing, askedMs: timeMs }
  }
  return asked
}

describe('the orders of a project', () => {
  it('are asked for soon after one was sent without an answer, then every hour', () => {
    const asked = askTimes({ ...nothing, unconfirmedSentMs: [nowMs] }, nowMs, nowMs + 4 * hour)
    expect(asked.map((timeMs) => (timeMs - nowMs) / minute)).toEqual([1, 2, 5, 15, 75, 135, 195])
  })

  it('are polled ever less while nothing changes, and often again when something does', () => {
    const ordered = { ...nothing, placed: [{ status: 'ordered', changedMs: nowMs }] }
    const asked = askTimes(ordered, nowMs, nowMs + 60 * day)
    const within = (from: number, to: number) => asked.filter((timeMs) => timeMs >= nowMs + from && timeMs < nowMs + to)
    expect(within(0, hour).length).toBeGreaterThanOrEqual(3)
    expect(within(7 * day, 8 * day).length).toBeLessThanOrEqual(5)
    expect(within(40 * day, 41 * day).length).toBeLessThanOrEqual(3)
    // Never forgotten, and cheap: less than what one checklist with its photos costs.
    const gaps = asked.slice(1).map((timeMs, index) => timeMs - (asked[index] ?? 0))
    expect(Math.max(...gaps)).toBeLessThanOrEqual(12 * hour + 20_000)
    expect(asked.length).toBeLessThan(350)
    const late = nowMs + 60 * day
    const changed = { ...nothing, askedMs: late, placed: [{ status: 'inProgress', changedMs: late }] }
    expect(nextOrderPollMs(changed, late)).toBeLessThanOrEqual(late + 15 * minute)
  })

  it('that are over are asked for once a week in the end', () => {
    const done = { ...nothing, askedMs: nowMs, placed: [{ status: 'completed', changedMs: nowMs - 90 * day }] }
    const nextMs = nextOrderPollMs(done, nowMs)
    expect(nextMs).toBeGreaterThan(nowMs + 5 * day)
    expect(nextMs).toBeLessThanOrEqual(nowMs + 7 * day)
    expect(['Completed', 'CANCELLED', 'canceled', 'delivered'].every(isFinished)).toBe(true)
    expect(['ordered', 'inProgress', 'incomplete', 'unknown', 'qaReview', ''].some(isFinished)).toBe(false)
  })

  it('keep a quiet time, but for one of which nobody knows whether it was placed', () => {
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

  it('have a next time within a week, whatever the clock has written', () => {
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
      placed: fc.array(fc.record({ status: fc.string(), changedMs: anyTime }), { minLength: 1, maxLength: 3 }),
    })
    fc.assert(fc.property(anyFacts, (facts) => nextOrderPollMs(facts, nowMs) <= nowMs + 7 * day))
    expect(nextOrderPollMs(nothing, nowMs)).toBe(Infinity)
  })
})
