import { expect, it } from 'vitest'
import type { Engine } from '../../../electron/engine/engine.ts'
import type { Clock } from '../../../electron/engine/lib/ports.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { sampleArchive } from '../../support/sample-archive.ts'

it('two passes in a row stay within the rate limit together', async () => {
  const archive = await sampleArchive({
    projects: 1,
    checklistsPerProject: 1,
    statuses: ['draft'],
    awkwardNames: false,
  })
  const limited = { apiCallsPerMinute: 2 }
  await archive.sync(limited)
  await archive.sync(limited)
  const stop = new AbortController()
  const waitsMs: number[] = []
  const clock: Clock = {
    ...systemClock,
    sleep(delayMs, signal) {
      waitsMs.push(delayMs)
      // The pass waits for the end of the minute.
      if (delayMs > 30_000) setImmediate(() => stop.abort())
      return systemClock.sleep(delayMs, signal)
    },
  }
  const work = (engine: Engine) =>
    expect(engine.sync({ signal: stop.signal })).rejects.toMatchObject({ code: 'cancelled' })
  await archive.withEngine(work, limited, { clock })
  expect(Math.max(...waitsMs)).toBeLessThanOrEqual(60_001)
  expect(archive.service.requests.count('api')).toBe(2)
})
