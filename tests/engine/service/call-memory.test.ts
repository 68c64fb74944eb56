import { expect, it } from 'vitest'
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
  const started = performance.now()
  await archive.withEngine(async (engine) => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 300)
    await expect(engine.sync({ signal: stop.signal })).rejects.toMatchObject({ code: 'cancelled' })
  }, limited)
  expect(performance.now() - started).toBeGreaterThan(250)
  expect(archive.service.requests.count('api')).toBe(2)
})
