import { afterEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'

afterEach(() => vi.useRealTimers())

describe('sleeping', () => {
  test('ends after its time', async () => {
    const start = systemClock.monotonicMs()
    await systemClock.sleep(20)
    expect(systemClock.monotonicMs() - start).toBeGreaterThanOrEqual(18)
  })

  test("ends at once with the signal's own reason", async () => {
    const controller = new AbortController()
    const sleep = systemClock.sleep(60_000, controller.signal)
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(sleep).rejects.toBe(reason)
    await expect(systemClock.sleep(60_000, controller.signal)).rejects.toBe(reason)
  })

  test('may last longer than a timer can', async () => {
    vi.useFakeTimers()
    let isAwake = false
    void systemClock.sleep(40 * 86_400_000).then(() => (isAwake = true))
    await vi.advanceTimersByTimeAsync(39 * 86_400_000)
    expect(isAwake).toBe(false)
    await vi.advanceTimersByTimeAsync(86_400_000)
    expect(isAwake).toBe(true)
  })
})
