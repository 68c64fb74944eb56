import { expect, it } from 'vitest'
import type { JobOutcome } from '../../../electron/engine/downloads/job-runner.ts'
import { EngineEvents } from '../../../electron/engine/lib/events.ts'
import { ProgressReporter } from '../../../electron/engine/scheduler/reporters.ts'
import { RateBudget } from '../../../electron/engine/service/rate-budget.ts'
import { TimeLeftMeter } from '../../../electron/engine/sync/time-left.ts'
import { AppError } from '../../../shared/errors.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { peakGrowthMegabytes } from '../../support/live-memory.ts'

it('keeps nothing of failed files in memory, however often they fail while a host is down', async () => {
  const clock = new FakeClock()
  const budget = new RateBudget({ clock, callsPerMinute: 60 })
  const events = new EngineEvents()
  const reporter = new ProgressReporter({
    events,
    budget,
    clock,
    countRead: () => ({ projects: 1, read: 1 }),
    isPassRunning: () => false,
    createTimeLeftMeter: () => new TimeLeftMeter(budget, 8),
  })
  let emitted = 0
  events.on('sync-failure', () => void (emitted += 1))
  const outcome: JobOutcome = {
    kind: 'failed',
    asset: {
      id: 1,
      checklistKey: 1,
      kind: 'photo',
      sourceHash: null,
      path: 'P/C/photo.jpg',
      sha256: null,
      archivedAt: null,
      etag: null,
      lastModified: null,
      verifiedAt: null,
      damage: null,
    },
    error: new AppError('unreachable-timeout', 'The file host did not answer.'),
    checklistId: 'c',
    checklistTitle: 'C',
  }
  const failures = 200_000
  const growth = await peakGrowthMegabytes(5, () => {
    reporter.planned('p', 1)
    for (let times = 0; times < failures; times++) reporter.file('p', outcome)
    return Promise.resolve()
  })
  expect(emitted).toBe(failures)
  expect(growth).toBeLessThan(5)
})
