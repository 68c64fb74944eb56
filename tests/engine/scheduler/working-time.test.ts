import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pauseNow, quietUntilMs, startPause } from '../../../electron/engine/scheduler/working-time.ts'

const hour = 60 * 60_000
const day = 24 * hour
const times = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) })
const timeOfDay = fc
  .tuple(fc.nat(23), fc.nat(59))
  .map(([h, m]) => `${String(h).padStart(2, '0')}:${String(m).padStart(2, '0')}`)

const localTime = (ms: number) => new Date(ms).toTimeString().slice(0, 5)

describe('a pause', () => {
  it('for an hour lasts an hour', () => {
    const nowMs = Date.UTC(2026, 5, 1)
    const pause = startPause('hour', nowMs)
    expect(pauseNow(pause, nowMs + hour - 1)).toBe(pause)
    expect(pauseNow(pause, nowMs + hour)).toBeNull()
  })

  it('until tomorrow ends at six in the morning of the next day', () => {
    fc.assert(
      fc.property(times, (nowMs) => {
        const { untilMs } = startPause('tomorrow', nowMs)
        expect(localTime(untilMs ?? 0)).toBe('06:00')
        expect((untilMs ?? 0) - nowMs).toBeGreaterThan(5 * hour)
        expect((untilMs ?? 0) - nowMs).toBeLessThanOrEqual(31 * hour)
      }),
    )
  })

  it('until resumed has no end time', () => {
    fc.assert(fc.property(times, times, (a, b) => pauseNow(startPause('resumed', a), b) !== null))
  })

  it('never lasts longer than its duration from now, however the clock is set', () => {
    fc.assert(
      fc.property(times, times, (since, nowMs) => {
        const pause = pauseNow(startPause('hour', since), nowMs)
        if (pause !== null) expect((pause.untilMs ?? Infinity) - nowMs).toBeLessThanOrEqual(hour)
      }),
    )
  })
})

describe('quiet hours', () => {
  it('end on time, within a day, and only if they apply now', () => {
    fc.assert(
      fc.property(times, timeOfDay, timeOfDay, (nowMs, start, end) => {
        fc.pre(start !== end)
        const untilMs = quietUntilMs({ start, end }, nowMs)
        if (untilMs === null) return
        expect(untilMs).toBeGreaterThan(nowMs)
        expect(untilMs - nowMs).toBeLessThanOrEqual(day + hour)
        expect(quietUntilMs({ start, end }, untilMs)).toBeNull()
      }),
    )
  })

  it('across midnight cover both sides of it', () => {
    const quiet = { start: '22:00', end: '06:00' }
    const at = (hours: number) => new Date(2026, 5, 15, hours, 30).getTime()
    expect(quietUntilMs(quiet, at(23))).toBe(new Date(2026, 5, 16, 6).getTime())
    expect(quietUntilMs(quiet, at(5))).toBe(new Date(2026, 5, 15, 6).getTime())
    expect(quietUntilMs(quiet, at(12))).toBeNull()
    expect(quietUntilMs(quiet, at(21))).toBeNull()
  })
})
