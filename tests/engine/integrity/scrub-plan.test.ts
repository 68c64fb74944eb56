import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  pauseMs,
  readingCost,
  readingDue,
  readingSpeed,
  roundMs,
} from '../../../electron/engine/integrity/scrub-plan.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const tera = 1e12

/** Reads a terabyte, asked every minute; `wallMs` returns the wall clock at each. Returns the bytes read by then. */
function readOn(minutes: number, wallMs: (elapsedMs: number) => number, start = { done: 0, startedMs: 0 }): number[] {
  const done: number[] = []
  let doneBytes = start.done
  for (let minute = 1; minute <= minutes; minute += 1) {
    const roundAgeMs = wallMs(minute * minuteMs) - start.startedMs
    doneBytes += readingDue({ totalBytes: tera, doneBytes, roundAgeMs, sinceLastMs: minuteMs })
    done.push(doneBytes)
  }
  return done
}

const steadyPerMinute = (tera * minuteMs) / roundMs

describe('the scrub plan', () => {
  it('is spread evenly over 30 days', () => {
    const done = readOn(30 * 24 * 60, (elapsedMs) => elapsedMs)
    for (const day of [1, 7, 15, 29, 30]) {
      expect((done[day * 24 * 60 - 1] ?? 0) / tera).toBeCloseTo(day / 30, 6)
    }
  })

  it('never reads in a burst and never starves, whatever the clocks show', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            roundAgeMs: fc.double({ min: -400 * dayMs, max: 400 * dayMs, noNaN: true }),
            sinceLastMs: fc.oneof(
              fc.double({ min: 0, max: 10 * minuteMs, noNaN: true }),
              fc.integer({ min: -1e12, max: 1e12 }),
            ),
          }),
          { maxLength: 200 },
        ),
        (asked) => {
          let doneBytes = 0
          for (const { roundAgeMs, sinceLastMs } of asked) {
            const due = readingDue({ totalBytes: tera, doneBytes, roundAgeMs, sinceLastMs })
            const steady = (tera * Math.min(Math.max(sinceLastMs, 0), 15 * minuteMs)) / roundMs
            expect(due).toBeGreaterThanOrEqual(steady)
            expect(due).toBeLessThanOrEqual(10 * steady * (1 + 1e-9))
            doneBytes += due
          }
        },
      ),
    )
  })

  it.each([-300, -3, 3, 300])('reads at most ten times as fast when the clock jumps by %s days', (days) => {
    const done = readOn(60 * 24 * 10, (elapsedMs) => elapsedMs + (elapsedMs > dayMs ? days * dayMs : 0))
    const steps = done.map((bytes, minute) => bytes - (done[minute - 1] ?? 0))
    expect(Math.max(...steps)).toBeLessThanOrEqual(10 * steadyPerMinute * (1 + 1e-9))
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(steadyPerMinute * (1 - 1e-9))
  })

  it('finishes in time on a machine that runs three hours a day', () => {
    let doneBytes = 0
    for (let day = 0; day < 30; day += 1) {
      for (let minute = 0; minute < 180; minute += 1) {
        const roundAgeMs = day * dayMs + 9 * 60 * minuteMs + minute * minuteMs
        const sinceLastMs = minute === 0 ? 0 : minuteMs
        doneBytes += readingDue({ totalBytes: tera, doneBytes, roundAgeMs, sinceLastMs })
      }
    }
    expect(doneBytes / tera).toBeGreaterThan(0.97)
  })

  it('recognizes that the machine slept', () => {
    const state = { totalBytes: tera, doneBytes: 0, roundAgeMs: 3 * dayMs }
    const due = readingDue({ ...state, sinceLastMs: 3 * dayMs })
    expect(due).toBe(readingDue({ ...state, sinceLastMs: 15 * minuteMs }))
    expect(due / tera).toBeLessThan(0.004)
  })

  it('pauses until something is due, for 10 minutes at most', () => {
    expect(pauseMs(tera, 1)).toBe(0)
    expect(pauseMs(0, 0)).toBe(10 * minuteMs)
    expect(pauseMs(tera, -steadyPerMinute)).toBeCloseTo(minuteMs, 3)
    expect(pauseMs(tera, -tera)).toBe(10 * minuteMs)
    expect(pauseMs(tera, 0)).toBe(1_000)
  })

  it('yields a slow disk to users, and is still fast enough for any archive', () => {
    expect(readingSpeed(tera)).toBe(8_000_000)
    expect((readingSpeed(100 * tera) * roundMs) / 1000).toBeCloseTo(200 * tera, -6)
    expect(readingCost(2, 1_000)).toBe(525_288)
  })
})
