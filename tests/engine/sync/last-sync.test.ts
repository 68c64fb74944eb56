import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import type { SyncResult } from '../../../electron/engine/engine.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { readLastSync, SyncPasses } from '../../../electron/engine/sync/last-sync.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { sampleArchive } from '../../support/sample-archive.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const done: SyncResult = {
  projects: 2,
  checklists: 2,
  apiCalls: 4,
  notSynced: 0,
  durationMs: 10,
  filesDownloaded: 3,
  filesUnchanged: 0,
  filesFailed: 0,
  filesWaiting: 0,
  bytesDownloaded: 30,
  downloads: { newFiles: 3, replacedFiles: 0, previews: 0 },
  failures: [],
  failedProjects: [],
  renamed: [],
  outages: [],
}

function passesOfUsers() {
  const clock = new FakeClock()
  const store = createStore(join(temporaryFolder(), 'solarchive.sqlite3'))
  onTestFinished(() => store.close())
  const passes = new SyncPasses(store, clock)
  const begin = () => {
    const end = Promise.withResolvers<SyncResult>()
    const run = passes.run(() => end.promise)
    run.catch(() => undefined)
    return { end, run }
  }
  return { clock, passes, begin, last: () => readLastSync(store) }
}

const stopped = () => new AppError('cancelled', 'The sync was stopped.')

it('records how a pass ended', async () => {
  const { clock, passes, begin, last } = passesOfUsers()
  const pass = begin()
  expect([passes.isRunning, last()]).toMatchObject([true, { startedAt: '2026-01-01T00:00:00.000Z', outcome: null }])
  await clock.advance(60_000)
  pass.end.reject(stopped())
  await expect(pass.run).rejects.toThrow('stopped')
  expect(last()).toMatchObject({ endedAt: '2026-01-01T00:01:00.000Z', outcome: 'stopped' })
  expect(passes.isRunning).toBe(false)
})

it('does not record the end of a pass while another one runs', async () => {
  const { clock, begin, last } = passesOfUsers()
  const first = begin()
  await clock.advance(60_000)
  const second = begin()
  second.end.reject(stopped())
  await expect(second.run).rejects.toThrow('stopped')
  expect(last()).toMatchObject({ startedAt: '2026-01-01T00:00:00.000Z', outcome: null })
  first.end.resolve(done)
  await first.run
  expect(last()).toMatchObject({ startedAt: '2026-01-01T00:00:00.000Z', outcome: 'done', projects: 2 })
})

it('records the pass that ends last, if two end at once', async () => {
  const { begin, last } = passesOfUsers()
  const [first, second] = [begin(), begin()]
  first.end.resolve(done)
  second.end.resolve(done)
  await Promise.all([first.run, second.run])
  expect(last()).toMatchObject({ outcome: 'done' })
})

it('takes only the error of a project for the reason why a pass ended early', async () => {
  const { begin, last } = passesOfUsers()
  const message = 'The download server asked to wait.'
  const ofFile = {
    projectId: 'p',
    checklistId: 'c',
    checklistTitle: 'Survey',
    path: 'P/C/photos/1.jpg',
    code: 'rate-limited',
    message,
  }
  const ofProject = { ...ofFile, checklistId: null, checklistTitle: null, path: null, code: 'token-refused' }
  const passes: [SyncResult['failures'], object | null][] = [
    [[ofFile], null],
    [[ofFile, ofProject], { code: 'token-refused', message }],
  ]
  for (const [failures, error] of passes) {
    const pass = begin()
    pass.end.resolve({ ...done, failures })
    await pass.run
    expect(last()).toMatchObject({ outcome: 'failures', error })
  }
})

it('does not say that the service was last asked in the future, after the clock was ahead', async () => {
  const archive = await sampleArchive({ projects: 2, checklistsPerProject: 0 })
  const ahead = { ...systemClock, nowMs: () => systemClock.nowMs() + 365 * 24 * 60 * 60_000 }
  await archive.withEngine((engine) => engine.sync(), {}, { clock: ahead })
  await archive.withEngine(async (engine) => {
    expect(engine.lastCheckAt()).toBe(null)
    await engine.sync({ projectIds: archive.service.projects.slice(1).map(({ id }) => id) })
    expect(Date.parse(engine.lastCheckAt() ?? '')).toBeLessThanOrEqual(systemClock.nowMs())
  })
})
