import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Engine } from '../../electron/engine/engine.ts'
import type { Fault } from '../../electron/sample-service/http/faults.ts'
import { photosOf } from '../../electron/sample-service/site/site-types.ts'
import type { SyncFailure } from '../../shared/domain.ts'
import { layCable } from '../support/cable.ts'
import { install } from '../support/installation.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import {
  archivedHashes,
  checklistOf,
  sampleArchive,
  type SampleArchive,
  servedHashes,
  shareArchive,
} from '../support/sample-archive.ts'
import { createSkippingClock } from '../support/skipping-clock.ts'
import { startWatching, until } from '../support/watching.ts'

const site = {
  projects: 1,
  checklistsPerProject: 1,
  photoQuestionsPerChecklist: 3,
  photosPerQuestion: 3,
  statuses: ['completed'],
  awkwardNames: false,
} as const
const photos = 9

/** Blockers of calls to the service, and their error codes. */
const blockers: [string, Fault | 'pulled cable', string][] = [
  ['a 429 without Retry-After', { kind: 'status', status: 429 }, 'rate-limited'],
  ['a 429 with Retry-After', { kind: 'status', status: 429, retryAfter: 30 }, 'rate-limited'],
  ['a 429 that asks to wait for long', { kind: 'status', status: 429, retryAfter: 1800 }, 'rate-limited'],
  ['a refused token', { kind: 'status', status: 401 }, 'token-refused'],
  ['a broken connection', { kind: 'reset' }, 'unreachable-reset'],
  ['a pulled cable', 'pulled cable', 'unreachable-refused'],
]

interface Job {
  readonly state: string
  readonly attempts: number
  readonly code: string | null
}

/** Returns the recorded jobs of all pending files. */
function jobs({ home }: { home: string }): Job[] {
  const db = new Database(join(home, 'solarchive.sqlite3'), { readonly: true })
  try {
    return db.prepare<[], Job>('SELECT state, attempts, error_code AS code FROM jobs').all()
  } finally {
    db.close()
  }
}

const waiting = (count: number) =>
  Array.from({ length: count }, () => ({ state: 'queued', attempts: 1, code: 'file-gone' }))

/** Returns functions that start and end an outage of the API calls of one service. */
async function prepareOutage({ service }: Pick<SampleArchive, 'service'>, blocker: Fault | 'pulled cable') {
  const cable = await layCable(service.url)
  let isDown = false
  if (blocker !== 'pulled cable')
    service.faults.add({ route: ({ origin }) => isDown && origin === 'api', fault: blocker })
  return {
    serviceUrl: cable.url,
    start() {
      if (!isDown && blocker === 'pulled cable') void cable.pull()
      isDown = true
    },
    async end() {
      isDown = false
      if (blocker === 'pulled cable') await cable.plug()
    },
  }
}

/** An archive whose photos were all missing on the file host at the first download. */
const archiveWithoutPhotos = shareArchive(async (onDone) => {
  const archive = await sampleArchive(site, createSkippingClock(), onDone)
  const gone = archive.service.faults.add({ route: 'photo', fault: { kind: 'status', status: 404 } })
  expect((await archive.sync()).filesFailed).toBe(photos)
  gone.remove()
  return archive
})

const paths = (failures: readonly SyncFailure[]) => failures.flatMap(({ path }) => path ?? [])

describe.each(blockers)('%s during a link request', (_name, blocker, code) => {
  it('ends a pass that reports the missing files and why, and is not a failure of the files', async () => {
    const archive = archiveWithoutPhotos()
    const { service } = archive
    const outage = await prepareOutage(archive, blocker)
    // The service responds until the file host refuses the photos: then their links cannot be refreshed.
    const refused = service.faults.add({
      route({ route }) {
        if (route === 'photo') outage.start()
        return route === 'photo'
      },
      fault: { kind: 'status', status: 403 },
    })
    const report = await archive.sync({ serviceUrl: outage.serviceUrl })
    expect(refused.hits).toBeGreaterThan(0)
    expect(new Set(paths(report.failures)).size).toBe(photos)
    expect(report.failures.filter(({ checklistId }) => checklistId === null)).toHaveLength(1)
    expect(new Set(report.failures.map((failure) => failure.code))).toEqual(new Set([code]))
    expect(report).toMatchObject({ filesFailed: photos, filesDownloaded: 0 })
    expect(jobs(archive)).toEqual(waiting(photos))

    refused.remove()
    await outage.end()
    endPause(archive)
    expect(await archive.sync({ serviceUrl: outage.serviceUrl })).toMatchObject({
      failures: [],
      filesDownloaded: photos,
    })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(service))
    expect(jobs(archive)).toEqual([])
  })

  it('delays no file whose link is cached', async () => {
    const archive = archiveWithoutPhotos()
    const { service } = archive
    const outage = await prepareOutage(archive, blocker)
    // The last one: when it is downloaded, the links of all of them have been requested.
    const dead = photosOf(checklistOf(archive)).at(-1)
    const refused = service.faults.add({
      route({ path }) {
        const isDead = path.includes(`/photos/`) && path.includes(dead?.id ?? 'no photo')
        if (isDead) outage.start()
        return isDead
      },
      fault: { kind: 'status', status: 403 },
    })
    // The others are downloaded when the service is no longer reachable.
    service.faults.add({ route: 'photo', fault: { kind: 'latency', delayMs: 200 } })
    const report = await archive.sync({ serviceUrl: outage.serviceUrl })
    expect(report).toMatchObject({ filesFailed: 1, filesDownloaded: photos - 1 })
    expect(jobs(archive)).toEqual(waiting(1))

    refused.remove()
    await outage.end()
    endPause(archive)
    expect(await archive.sync({ serviceUrl: outage.serviceUrl })).toMatchObject({ failures: [], filesDownloaded: 1 })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(service))
  })

  it('blocks the watch, which downloads the files afterwards', async () => {
    const archive = archiveWithoutPhotos()
    const outage = await prepareOutage(archive, blocker)
    outage.start()
    const work = async (engine: Engine) => {
      const watching = startWatching(engine)
      const isReported = () =>
        watching.failures.some((failure) => failure.code === code) ||
        watching.states.some((state) => state.kind === 'blocked' && state.code === code)
      await until('the blocker is reported', isReported)
      // Jobs whose next attempt is not due yet are unchanged since the first pass.
      const unchanged = { attempts: 1, code: 'file-gone' }
      expect(jobs(archive)).toMatchObject(Array.from({ length: photos }, () => unchanged))
      expect(paths(watching.failures)).toEqual([])
      await outage.end()
      engine.watch.recheck()
      await until('every photo is archived', () => jobs(archive).length === 0)
      expect(paths(watching.failures)).toEqual([])
      await watching.stop()
    }
    await archive.withEngine(work, { serviceUrl: outage.serviceUrl }, { clock: new JumpingClock(300) })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  })
})

it('a sync that the service asks to wait too long ends with 4 and lists the files', async () => {
  const installation = await install({ service: site })
  onTestFinished(() => installation.close())
  const { service } = installation
  const gone = service.faults.add({ route: 'photo', fault: { kind: 'status', status: 404 } })
  expect((await installation.sync()).exitCode).toBe(4)
  gone.remove()
  service.faults.add({ route: 'photo', fault: { kind: 'status', status: 403 } })
  service.faults.add({ route: 'media', fault: { kind: 'status', status: 429, retryAfter: 1800 }, skip: 3 })
  const { exitCode, report } = await installation.sync()
  expect(exitCode).toBe(4)
  expect(new Set(paths(report?.failures ?? [])).size).toBe(photos)
  expect(jobs(installation)).toEqual(waiting(photos))
  service.faults.clear()
  const called = service.requests.records.length
  const early = await installation.sync()
  expect(early).toMatchObject({ exitCode: 4, report: { failures: [{ code: 'rate-limited' }] } })
  expect(service.requests.records.length, 'called before the time that the service asked for').toBe(called)
  expect(endPause(installation), 'a pause is kept for the next process').toBe(1)
  expect((await installation.sync()).exitCode).toBe(0)
  expect(archivedHashes(installation.root)).toEqual(await servedHashes(service))
})

/** Ends the pause that the service asked for, as if its time had passed. Returns the number of pauses: 0 or 1. */
function endPause({ home }: { readonly home: string }): number {
  const db = new Database(join(home, 'solarchive.sqlite3'))
  try {
    return db.prepare("DELETE FROM meta WHERE key = 'api-pause'").run().changes
  } finally {
    db.close()
  }
}
