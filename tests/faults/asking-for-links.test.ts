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
} from '../support/sample-archive.ts'
import { createSkippingClock } from '../support/skipping-clock.ts'
import { startWatching, until } from '../support/watching.ts'

const site = {
  projects: 1,
  checklistsPerProject: 1,
  photoQuestionsPerChecklist: 3,
  photosPerQuestion: 4,
  statuses: ['completed'],
  awkwardNames: false,
} as const
const photos = 12

/** What is in the way of asking the service, and the code that tells of it. */
const obstacles: [string, Fault | 'pulled cable', string][] = [
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

/** What is written down of every file that is to be fetched. */
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

/** Puts the obstacle in the way of the API calls of one service, and away again. */
async function barrier({ service }: Pick<SampleArchive, 'service'>, obstacle: Fault | 'pulled cable') {
  const cable = await layCable(service.url)
  let isDown = false
  if (obstacle !== 'pulled cable')
    service.faults.add({ route: ({ origin }) => isDown && origin === 'api', fault: obstacle })
  return {
    serviceUrl: cable.url,
    lower() {
      if (!isDown && obstacle === 'pulled cable') void cable.pull()
      isDown = true
    },
    async lift() {
      isDown = false
      if (obstacle === 'pulled cable') await cable.plug()
    },
  }
}

/** An archive all of whose photos were not on the file host when they were fetched for the first time. */
async function archiveWithoutPhotos(clock = createSkippingClock()): Promise<SampleArchive> {
  const archive = await sampleArchive(site, clock)
  const gone = archive.service.faults.add({ route: 'photo', fault: { kind: 'status', status: 404 } })
  expect((await archive.sync()).filesFailed).toBe(photos)
  gone.remove()
  return archive
}

const paths = (failures: readonly SyncFailure[]) => failures.flatMap(({ path }) => path ?? [])

describe.each(obstacles)('%s, met while asking for a link,', (_name, obstacle, code) => {
  it('ends a pass that tells what was not fetched and why, and is no failure of the files', async () => {
    const archive = await archiveWithoutPhotos()
    const { service } = archive
    const way = await barrier(archive, obstacle)
    // The service answers until the file host refuses the links of the photos: then it cannot be asked for fresh ones.
    const refused = service.faults.add({
      route({ route }) {
        if (route === 'photo') way.lower()
        return route === 'photo'
      },
      fault: { kind: 'status', status: 403 },
    })
    const report = await archive.sync({ serviceUrl: way.serviceUrl })
    expect(refused.hits).toBeGreaterThan(0)
    expect(new Set(paths(report.failures)).size).toBe(photos)
    expect(report.failures.filter(({ checklistId }) => checklistId === null)).toHaveLength(1)
    expect(new Set(report.failures.map((failure) => failure.code))).toEqual(new Set([code]))
    expect(report).toMatchObject({ filesFailed: photos, filesDownloaded: 0 })
    expect(jobs(archive)).toEqual(waiting(photos))

    refused.remove()
    await way.lift()
    expect(await archive.sync({ serviceUrl: way.serviceUrl })).toMatchObject({ failures: [], filesDownloaded: photos })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(service))
    expect(jobs(archive)).toEqual([])
  })

  it('keeps no file back whose link is at hand', async () => {
    const archive = await archiveWithoutPhotos()
    const { service } = archive
    const way = await barrier(archive, obstacle)
    // The last one: when its turn comes, the service has been asked about all of them.
    const dead = photosOf(checklistOf(archive)).at(-1)
    const refused = service.faults.add({
      route({ path }) {
        const isDead = path.includes(`/photos/`) && path.includes(dead?.id ?? 'no photo')
        if (isDead) way.lower()
        return isDead
      },
      fault: { kind: 'status', status: 403 },
    })
    // The others come when the service cannot be asked any more.
    service.faults.add({ route: 'photo', fault: { kind: 'latency', delayMs: 200 } })
    const report = await archive.sync({ serviceUrl: way.serviceUrl })
    expect(report).toMatchObject({ filesFailed: 1, filesDownloaded: photos - 1 })
    expect(jobs(archive)).toEqual(waiting(1))

    refused.remove()
    await way.lift()
    expect(await archive.sync({ serviceUrl: way.serviceUrl })).toMatchObject({ failures: [], filesDownloaded: 1 })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(service))
  })

  it('holds up the watch, which fetches the files when it is over', async () => {
    const archive = await archiveWithoutPhotos()
    const way = await barrier(archive, obstacle)
    way.lower()
    const work = async (engine: Engine) => {
      const watching = startWatching(engine)
      const isTold = () =>
        watching.failures.some((failure) => failure.code === code) ||
        watching.states.some((state) => state.kind === 'blocked' && state.code === code)
      await until('what is in the way is told', isTold)
      // Those whose next try has not come yet are still as the first pass left them.
      const asBefore = { attempts: 1, code: 'file-gone' }
      expect(jobs(archive)).toMatchObject(Array.from({ length: photos }, () => asBefore))
      expect(paths(watching.failures)).toEqual([])
      await way.lift()
      engine.watch.recheck()
      await until('every photo is archived', () => jobs(archive).length === 0)
      expect(paths(watching.failures)).toEqual([])
      await watching.stop()
    }
    await archive.withEngine(work, { serviceUrl: way.serviceUrl }, { clock: new JumpingClock(300) })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  })
})

it('a sync that the service asks to wait too long for ends with 4 and lists the files', async () => {
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
  expect((await installation.sync()).exitCode).toBe(0)
  expect(archivedHashes(installation.root)).toEqual(await servedHashes(service))
})
