import fc from 'fast-check'
import { expect, it } from 'vitest'
import { backoffMs } from '../../../electron/engine/lib/backoff.ts'

it('the backoff of a failing file is between 15 seconds and 6 hours, half to all of a doubling step', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempts, random) => {
      const delayMs = backoffMs(attempts, random)
      expect(delayMs).toBeGreaterThanOrEqual(15_000)
      expect(delayMs).toBeLessThanOrEqual(6 * 3_600_000)
      expect(backoffMs(attempts + 1, random)).toBeGreaterThanOrEqual(delayMs)
    }),
  )
  expect(backoffMs(1, 1)).toBe(30_000)
  expect(backoffMs(40, 1)).toBe(6 * 3_600_000)
})
