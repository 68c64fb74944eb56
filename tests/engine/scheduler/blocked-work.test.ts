import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database, { type Statement } from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Engine } from '../../../electron/engine/engine.ts'
import type { Clock } from '../../../electron/engine/lib/ports.ts'
import { createCertificates, passOn, startProxy, startTls } from '../../support/connect-proxy.ts'
import { JumpingClock } from '../../support/jumping-clock.ts'
import { sampleArchive, servedHashes } from '../../support/sample-archive.ts'
import { openssl } from '../../support/time-stamp-authority.ts'
import { startWatching, until } from '../../support/watching.ts'

const minuteMs = 60_000

const site = {
  projects: 2,
  checklistsPerProject: 1,
  photoQuestionsPerChecklist: 2,
  statuses: ['completed'],
  awkwardNames: false,
} as const

/** A clock that counts sleeps that end immediately. */
function countingClock(): { clock: Clock; woken: () => number } {
  const clock = new JumpingClock(60)
  let woken = 0
  return {
    woken: () => woken,
    clock: {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      sleep(delayMs, signal) {
        if (!(delayMs > 1)) woken += 1
        return clock.sleep(delayMs, signal)
      },
    },
  }
}

it('failed files of a removed project cause no busy loop', async () => {
  const archive = await sampleArchive(site)
  archive.service.faults.add({ route: /photo/, fault: { kind: 'status', status: 404 } })
  const { clock, woken } = countingClock()
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    await until('both projects were polled', () => watching.synced.length >= 2)
    for (const { id } of engine.projects.list()) engine.projects.remove(id)
    await until('no project is left to poll', () => {
      const state = engine.watch.state()
      return state.kind === 'idle' && state.nextPollAt === null
    })
    const before = woken()
    await clock.sleep(minuteMs)
    expect(woken() - before).toBeLessThan(20)
    await watching.stop()
  }
  await archive.withEngine(work, {}, { clock })
})

it('a project whose folder was replaced by a file is retried with pauses, not in a loop', async () => {
  const archive = await sampleArchive(site)
  archive.service.faults.add({ route: /photo/, fault: { kind: 'status', status: 404 } })
  const { clock } = countingClock()
  const work = async (engine: Engine) => {
    const failedMs: number[] = []
    engine.events.on('sync-failure', ({ code }) => code === 'disk-error' && failedMs.push(clock.monotonicMs()))
    const watching = startWatching(engine)
    await until('both projects were polled', () => watching.synced.length >= 2)
    const failed = engine.failures()[0]
    const folder = engine.projects.list().find(({ id }) => id === failed?.projectId)?.folder
    if (folder == null) throw new Error('No file failed')
    renameSync(join(archive.root, folder), `${archive.root}-aside`)
    writeFileSync(join(archive.root, folder), 'not a folder')
    await until('the project failed twice', () => failedMs.length >= 2)
    await watching.stop()
    const [first = 0, second = 0] = failedMs
    expect(second - first).toBeGreaterThan(minuteMs / 6)
  }
  await archive.withEngine(work, {}, { clock })
})

it.skipIf(openssl === undefined).each([403, 502])(
  'files whose host a proxy refuses (%i) fail with a reason and are retried with pauses',
  async (status) => {
    const archive = await sampleArchive(site)
    const certificates = createCertificates()
    const backends = { 'api.solar.test': archive.service.url, 'files.solar.test': archive.service.filesUrl }
    const front = await startTls(certificates, passOn(backends))
    let isRefused = true
    const proxy = await startProxy({
      route: (target) => (isRefused && target.startsWith('files.') ? { status } : { port: front.port }),
    })
    onTestFinished(async () => {
      await proxy.close()
      await front.close()
      certificates.remove()
    })
    const attempts = () => proxy.targets.filter((target) => target.startsWith('files.')).length
    const files = (await servedHashes(archive.service)).length
    const work = async (engine: Engine) => {
      const watching = startWatching(engine)
      await until('each file was tried', () => attempts() >= files)
      await until(
        'each file failed, or there was one more round',
        () => engine.failures().length === files || attempts() > 2 * files,
      )
      expect(attempts()).toBe(files)
      await until('the watch rests', () => engine.watch.state().kind === 'idle')
      expect(new Set(engine.failures().map(({ code }) => code))).toEqual(new Set(['unreachable-proxy']))
      expect(engine.failures()[0]?.message).toContain('files.solar.test')
      isRefused = false
      engine.retry('all')
      await until('everything is archived', () => engine.catalog.progress().completeChecklists === site.projects)
      await watching.stop()
    }
    const network = {
      httpsProxy: { text: `http://127.0.0.1:${proxy.port}`, from: 'HTTPS_PROXY' },
      caFile: certificates.caFile,
    }
    await archive.withEngine(work, { serviceUrl: 'https://api.solar.test', network })
  },
)

it('work on a project stops when it is removed during its downloads', async () => {
  const photosPerQuestion = 10
  const photos = site.projects * site.photoQuestionsPerChecklist * photosPerQuestion
  const archive = await sampleArchive({ ...site, photosPerQuestion })
  archive.service.faults.add({ route: 'files', fault: { kind: 'latency', delayMs: 100 } })
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    await until('files come', () => archive.service.requests.count('files') > 4)
    for (const { id } of engine.projects.list()) engine.projects.remove(id)
    await until('work on the removed projects has ended', () => engine.watch.state().kind === 'idle')
    const before = archive.service.requests.count('files')
    expect(before).toBeLessThan(photos)
    engine.watch.recheck()
    await watching.stop()
    expect(archive.service.requests.count('files')).toBe(before)
  }
  await archive.withEngine(work)
})

it('a project that is removed or retried has no others read', async () => {
  const archive = await sampleArchive(site)
  archive.service.faults.add({ route: /photo/, fault: { kind: 'status', status: 404 } })
  await archive.sync()
  const database = new Database(':memory:')
  const reading = vi.spyOn(Object.getPrototypeOf(database.prepare('SELECT 1')) as Statement, 'all')
  database.close()
  await archive.withEngine((engine) => {
    const [first, second] = engine.projects.list()
    reading.mockClear()
    expect(engine.retry({ projectId: first?.id ?? '' })).toBeGreaterThan(0)
    engine.projects.remove(second?.id ?? '')
    const queries = (reading.mock.contexts as Statement[]).map(({ source }) => source)
    expect(queries.length).toBeGreaterThan(0)
    expect(queries.filter((query) => /FROM (projects|checklists)\b/.test(query))).toEqual([])
    return Promise.resolve()
  })
})

it('a missing token is reported at the start, and the watch resumes when one is set', async () => {
  const archive = await sampleArchive(site)
  let token: string | undefined
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    await until('it is reported', () => watching.states.at(-1)?.kind === 'blocked')
    expect(watching.states[0]).toMatchObject({ kind: 'blocked', obstacle: 'token' })
    expect(archive.service.requests.count('api')).toBe(0)
    token = archive.service.token
    engine.watch.recheck()
    await until('both projects are archived', () => watching.synced.length >= 2)
    await watching.stop()
  }
  await archive.withEngine(work, {}, { secrets: { accessToken: () => Promise.resolve(token) } })
})
