import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Engine } from '../../../electron/engine/engine.ts'
import type { SyncProgress } from '../../../electron/engine/lib/events.ts'
import type { Clock } from '../../../electron/engine/lib/ports.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { recordOutage } from '../../../electron/engine/scheduler/blocker-activity.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { startSampleService, type SampleService } from '../../../electron/sample-service/start-sample-service.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import {
  archivedHashes,
  readFiles,
  sampleArchive,
  type SampleArchive,
  servedHashes,
} from '../../support/sample-archive.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { closedPort, ownPort, withServer } from '../../support/with-server.ts'

/** 5 projects of 1 checklist with 4 questions of 3 photos: 25 files each. */
const site = {
  projects: 5,
  checklistsPerProject: 1,
  photoQuestionsPerChecklist: 4,
  photosPerQuestion: 3,
  statuses: ['completed'],
  awkwardNames: false,
  photoBytes: 2000,
  reportBytes: 5000,
} as const
const files = 125

/** Calls `act` at the nth request to the file host. */
function atFileRequest({ service }: SampleArchive, nth: number, act: () => void): void {
  let requests = 0
  const count = ({ origin }: { origin: string }) => {
    if (origin === 'files' && ++requests === nth) act()
    return false
  }
  service.faults.add({ route: count, fault: { kind: 'reset' } })
}

/** Ports for a service that is started again. */
const ownPorts = async () => ({ port: await ownPort(), filesPort: await ownPort() })

async function restart({ service }: SampleArchive): Promise<SampleService> {
  const ports = { port: Number(new URL(service.url).port), filesPort: Number(new URL(service.filesUrl).port) }
  const again = await startSampleService({ ...site, ...ports, token: service.token })
  onTestFinished(() => again.close())
  return again
}

const brokenCalls = ({ log }: SampleArchive) =>
  log.filter((line) => /"Called the service".*"unreachable-/.test(line)).length

/** Short pauses, and `onProbe` is called before the second check of a host. */
function clockWithProbe(onProbe: () => Promise<unknown>): Clock {
  return {
    ...systemClock,
    async sleep(delayMs, signal) {
      if (delayMs === 2_000) await onProbe()
      await systemClock.sleep(Math.min(delayMs, 5), signal)
    },
  }
}

describe('a service that dies during a sync', () => {
  it('ends it soon and once, costs no file an attempt, and the next sync continues', async () => {
    const archive = await sampleArchive({ ...site, ...(await ownPorts()) })
    atFileRequest(archive, 20, () => void archive.service.close())
    await archive.withEngine(async (engine) => {
      const report = await engine.sync()
      expect(report.filesDownloaded).toBeLessThan(30)
      const messages = report.outages.map(({ message }) => message)
      expect(messages).toHaveLength(2)
      expect(messages).toEqual(expect.arrayContaining(report.failures.map(({ message }) => message)))
      expect(report.filesWaiting).toBeGreaterThan(0)
      expect(report.notSynced).toBeGreaterThan(0)
      expect(engine.failures()).toEqual([])
      expect(brokenCalls(archive)).toBeLessThanOrEqual(6)
      const again = await restart(archive)
      expect(await engine.sync()).toMatchObject({ failures: [], filesWaiting: 0, notSynced: 0 })
      expect(archivedHashes(archive.root)).toEqual(await servedHashes(again))
    })
  })

  it('is waited for, which the progress says; and once it is back, the sync continues, and nothing failed', async () => {
    let again: Promise<SampleService> | undefined
    const isWaiting = Promise.withResolvers<void>()
    const clock = clockWithProbe(() => isWaiting.promise.then(() => (again ??= restart(archive))))
    const archive = await sampleArchive({ ...site, ...(await ownPorts()) }, clock)
    atFileRequest(archive, 20, () => void archive.service.close())
    const onProgress = ({ hostWait }: SyncProgress) => {
      if (hostWait !== undefined) isWaiting.resolve()
    }
    const report = await archive.withEngine(async (engine) => {
      const ended = await engine.sync({ onProgress })
      const listed = engine.activity({ groups: ['problems'], limit: 50 }).items
      const hosts = listed.map(({ kind, facts }) => (kind === 'outage' ? facts.host : kind))
      const { url, filesUrl } = archive.service
      expect(hosts.sort()).toEqual([null, new URL(filesUrl).host].filter((host) => host !== new URL(url).host).sort())
      return ended
    })
    expect(report).toMatchObject({ failures: [], outages: [], filesWaiting: 0, filesDownloaded: files })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes((await again) ?? archive.service))
  })
})

describe.each([503, 500])('a service that answers %i to every call from some time on', (status) => {
  it('ends the sync, although it accepts connections', async () => {
    const archive = await sampleArchive(site)
    archive.service.faults.add({ route: 'api', fault: { kind: 'status', status }, skip: 8 })
    const report = await archive.withEngine((engine) => engine.sync())
    expect(report.outages).toMatchObject([{ code: 'service-error' }])
    expect(report.notSynced).toBeGreaterThan(0)
    expect(archive.service.requests.count('api')).toBeLessThan(50)
  })
})

describe('a service that falls silent, but accepts connections', () => {
  /** A clock that runs fifty times faster. */
  const fastClock: Clock = {
    ...systemClock,
    monotonicMs: () => systemClock.monotonicMs() * 50,
    sleep: (delayMs, signal) => systemClock.sleep(delayMs / 50, signal),
  }

  it('ends the sync soon, and costs no file an attempt', async () => {
    const archive = await sampleArchive(site, fastClock)
    const { faults } = archive.service
    let silentSinceMs = NaN
    atFileRequest(archive, 20, () => (silentSinceMs = performance.now()))
    const isSilent = () => !Number.isNaN(silentSinceMs)
    // The check would wait for its timeout; a connection that breaks says the same.
    faults.add({ route: ({ method }) => isSilent() && method === 'HEAD', fault: { kind: 'reset' } })
    faults.add({ route: isSilent, fault: { kind: 'hang' } })
    await archive.withEngine(async (engine) => {
      const report = await engine.sync()
      // Earlier than the first timeout of a request.
      expect(performance.now() - silentSinceMs).toBeLessThan(30_000)
      expect(report.outages.map(({ code }) => code)).toContain('unreachable-timeout')
      expect(report.filesWaiting).toBeGreaterThan(0)
      expect(engine.failures()).toEqual([])
      faults.clear()
      expect(await engine.sync()).toMatchObject({ failures: [], filesWaiting: 0, notSynced: 0 })
    })
  })

  it('is only slow if it answers anything else meanwhile', async () => {
    const archive = await sampleArchive({ ...site, projects: 1 }, fastClock)
    const isAsked = ({ method }: { method: string }) => method === 'GET'
    archive.service.faults.add({ route: isAsked, count: 1, fault: { kind: 'latency', delayMs: 2_000 } })
    const report = await archive.withEngine((engine) => engine.sync())
    expect(report).toMatchObject({ failures: [], outages: [], filesDownloaded: 25 })
    expect(archive.service.requests.count('unknown')).toBeGreaterThan(0)
  })
})

describe('a host that answers with errors', () => {
  it('ends no sync if it is the service, and only about a few checklists', async () => {
    const archive = await sampleArchive({ ...site, projects: 1, checklistsPerProject: 6 })
    const broken = archive.service.projects[0]?.checklists.slice(0, 4).map(({ id }) => id) ?? []
    const isBroken = ({ path }: { path: string }) => broken.some((id) => path.endsWith(`/${id}`))
    archive.service.faults.add({ route: isBroken, fault: { kind: 'status', status: 500 } })
    const report = await archive.withEngine((engine) => engine.sync())
    expect(report).toMatchObject({ outages: [], notSynced: 0, filesDownloaded: 54 })
    expect(report.failures.map(({ checklistId }) => checklistId)).toEqual(broken)
  })

  it('keeps no other project from its files if it is the file host, and only about some projects', async () => {
    const archive = await sampleArchive(site)
    const broken = archive.service.projects.slice(0, 3).map(({ id }) => id)
    const isBroken = ({ path, origin }: { path: string; origin: string }) =>
      origin === 'files' && broken.some((id) => path.includes(id))
    archive.service.faults.add({ route: isBroken, fault: { kind: 'status', status: 500 } })
    // In this order: those with the errors are first.
    const projectIds = archive.service.projects.map(({ id }) => id)
    const report = await archive.withEngine((engine) => engine.sync({ projectIds }))
    expect(report).toMatchObject({ filesDownloaded: 50, notSynced: 0, outages: [{ code: 'service-error' }] })
  })

  it('may wait for a sign-in if they are web pages: no file has failed, and the next sync continues', async () => {
    const archive = await sampleArchive(site)
    archive.service.faults.add({ route: 'files', fault: { kind: 'html' } })
    await archive.withEngine(async (engine) => {
      const report = await engine.sync()
      expect(report).toMatchObject({ filesDownloaded: 0, filesWaiting: files, notSynced: 0 })
      expect(report.outages).toHaveLength(1)
      expect(report.outages[0]?.message).toMatch(/^The download server \(.*\) answers with a web page .* sign-in\?$/)
      expect(engine.failures()).toEqual([])
      archive.service.faults.clear()
      expect(await engine.sync()).toMatchObject({ failures: [], filesDownloaded: files })
    })
  })
})

describe('a file host that is down', () => {
  /** Syncs with the photos of the first project on a host that does not exist. */
  async function syncWithDeadHost(
    archive: SampleArchive,
    use: (engine: Engine) => Promise<void>,
    links = /http:[^"]*/g,
  ): Promise<void> {
    const dead = `http://127.0.0.1:${closedPort}`
    const { service } = archive
    const [first] = service.projects
    await withServer(
      async ({ url }, response) => {
        const answer = await fetch(service.url + url)
        const text = await answer.text()
        const isFirst = url.includes(`/media/${first?.id}/`)
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        const toDead = (link: string) => link.replace(service.filesUrl, dead)
        response.end(isFirst ? text.replace(links, toDead) : text)
      },
      ({ url }) => archive.withEngine(use, { serviceUrl: url }),
    )
  }

  it('stops no file of another host and no page, and its files wait', async () => {
    const archive = await sampleArchive(site)
    await syncWithDeadHost(archive, async (engine) => {
      const report = await engine.sync()
      // The report of the first project is on the other host.
      expect(report).toMatchObject({ filesDownloaded: files - 24, filesWaiting: 24, notSynced: 0 })
      expect(report.outages).toMatchObject([{ code: 'unreachable-refused' }])
      expect(report.outages[0]?.message).toMatch(/^The download server .*\(127\.0\.0\.1:\d+\)\.$/)
      expect(report.failures).toHaveLength(24)
      expect(engine.failures()).toEqual([])
    })
    expect(await archive.sync()).toMatchObject({ failures: [], filesDownloaded: 24 })
  })

  it('costs not even its only file an attempt', async () => {
    const archive = await sampleArchive({ ...site, projects: 1 })
    const use = async (engine: Engine) => {
      expect(await engine.sync()).toMatchObject({ filesDownloaded: 24, filesWaiting: 1, outages: [{}] })
      expect(engine.failures()).toEqual([])
    }
    const [photo] = photosOf(archive.service.projects[0]!.checklists[0]!)
    await syncWithDeadHost(archive, use, new RegExp(`http:[^"]*/photos/[^"]*${photo!.id}[^"]*`, 'g'))
  })

  it('is waited for, and then given up, by files whose fresh links lead to it', async () => {
    const archive = await sampleArchive(
      { ...site, projects: 1 },
      clockWithProbe(() => Promise.resolve()),
    )
    const { service } = archive
    const dead = `http://127.0.0.1:${closedPort}`
    const expired = service.faults.add({
      route: ({ origin, path }) => origin === 'files' && !path.startsWith('/reports/'),
      fault: { kind: 'status', status: 403 },
    })
    const asked = new Set<string>()
    await withServer(
      async ({ url }, response) => {
        const answer = await fetch(service.url + url)
        const isFresh = url.includes('/media/') && asked.has(url)
        asked.add(url)
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        const text = await answer.text()
        response.end(isFresh ? text.replaceAll(service.filesUrl, dead) : text)
      },
      ({ url }) =>
        archive.withEngine(
          async (engine) => {
            const report = await engine.sync()
            expect(report).toMatchObject({ filesDownloaded: 1, filesWaiting: 24, notSynced: 0 })
            const message = expect.stringContaining(new URL(dead).host) as string
            expect(report.outages).toEqual([expect.objectContaining({ code: 'unreachable-refused', message })])
            expect(engine.failures()).toEqual([])
          },
          { serviceUrl: url },
        ),
    )
    expired.remove()
    expect(await archive.sync()).toMatchObject({ failures: [], filesDownloaded: 24 })
  })

  it('ends a repair soon, and the next sync downloads what is missing', async () => {
    const archive = await sampleArchive(site)
    await archive.sync()
    await archive.withEngine(async (engine) => {
      for (const path of readFiles(archive.root).keys()) {
        if (/\.(?:jpg|pdf)$/.test(path)) rmSync(join(archive.root, path))
      }
      archive.service.requests.clear()
      archive.service.faults.add({ route: 'files', fault: { kind: 'reset' } })
      const { failures, missing } = await engine.verify({ repair: true })
      expect(missing).toHaveLength(files)
      expect(new Set(failures.map(({ message }) => message)).size).toBe(1)
      expect(archive.service.requests.count('files')).toBeLessThan(60)
      expect(engine.failures()).toEqual([])
      archive.service.faults.clear()
      expect(await engine.sync()).toMatchObject({ failures: [], filesDownloaded: files })
    })
  })
})

it('a sync that meets single files that always fail is not stopped, and reports only those', async () => {
  const archive = await sampleArchive(site)
  const bad = new Set<string>()
  const isBad = ({ origin, path }: { origin: string; path: string }) => {
    if (origin === 'files' && bad.size < 6) bad.add(path)
    return bad.has(path)
  }
  archive.service.faults.add({ route: isBad, fault: { kind: 'reset' } })
  const report = await archive.withEngine((engine) => engine.sync())
  expect(report.filesDownloaded).toBe(files - bad.size)
  expect(report.failures).toHaveLength(bad.size)
})

it('an outage of a time when the clock was ahead does not keep later ones from being listed', () => {
  const store = createStore(join(temporaryFolder(), 'solarchive.sqlite3'))
  onTestFinished(() => store.close())
  const minute = 60_000
  const right = Date.UTC(2026, 5, 12)
  for (const sinceMs of [right + 365 * 24 * 60 * minute, right, right + 5 * minute, right + 60 * minute]) {
    const clock = { nowMs: () => sinceMs + minute }
    recordOutage(store, { host: null, code: 'unreachable-timeout', sinceMs }, clock)
  }
  const page = { before: null, after: null, projectId: null, kinds: ['outage'], limit: 9 }
  // One that begins soon after another is not listed.
  expect(store.activity.list(page).map(({ at }) => (Date.parse(at) - right) / minute)).toEqual([61, 1, 525_601])
})
