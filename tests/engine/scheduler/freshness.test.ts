import { describe, expect, it } from 'vitest'
import { makeWorld } from '../../bench/freshness/checklist-lifecycles.ts'
import { simulate } from '../../bench/freshness/simulate.ts'

const hour = 3_600_000
const day = 24 * hour

/** A tenth of the projects of the freshness bench, with a tenth of its calls, so that calls are as scarce as there. */
const world = makeWorld({
  seed: 7,
  projects: 200,
  active: 24,
  mix: { new: 0.55, recent: 0.35, long: 0.1 },
  skew: 0.6,
  endMs: 2 * day,
})
const options = { world, seed: 7, callsPerMinute: 6, measuredMs: day, strategy: 'schedule' } as const

describe('a day of watching 200 projects', () => {
  it('notices most completed checklists within minutes, within the rate budget, and skips no project', async () => {
    const { delays, maxCallsInAMinute, maxUnpolledMs } = await simulate(options)
    const sorted = delays.map(({ delayMs }) => delayMs).sort((a, b) => a - b)
    expect(sorted.length).toBeGreaterThan(20)
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(5 * 60_000)
    expect(maxCallsInAMinute).toBe(6)
    expect(maxUnpolledMs).toBeLessThan(25 * hour)
  })

  it.each([
    ['forward', 3 * day],
    ['back', -3 * day],
  ])('works as before when the clock jumps %s three days', async (_, byMs) => {
    const jumps = [{ atMs: day / 2, byMs }]
    const { delays, maxCallsInAMinute, maxUnpolledMs } = await simulate({ ...options, jumps })
    const sorted = delays.map(({ delayMs }) => delayMs).sort((a, b) => a - b)
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(5 * 60_000)
    expect(maxCallsInAMinute).toBe(6)
    expect(maxUnpolledMs).toBeLessThan(25 * hour)
  })
})
