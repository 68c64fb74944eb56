import { describe, expect, it, onTestFinished } from 'vitest'
import type { Engine } from '../../../electron/engine/engine.ts'
import type { Fault } from '../../../electron/sample-service/http/faults.ts'
import { startSampleService, type SampleService } from '../../../electron/sample-service/start-sample-service.ts'
import { JumpingClock } from '../../support/jumping-clock.ts'
import { archivedHashes, sampleArchive, type SampleArchive, servedHashes } from '../../support/sample-archive.ts'
import { startWatching, until } from '../../support/watching.ts'
import { ownPort } from '../../support/with-server.ts'

const site = {
  projects: 1,
  checklistsPerProject: 2,
  photoQuestionsPerChecklist: 2,
  photosPerQuestion: 3,
  statuses: ['completed'],
  awkwardNames: false,
  photoBytes: 2000,
  reportBytes: 5000,
} as const
/** Two checklists with two photo questions each. */
const categories = 4

const isComplete = ({ catalog }: Engine) => catalog.progress().completeChecklists === 2

const faults: [string, Fault][] = [
  ['resets connections', { kind: 'reset' }],
  ['refuses connections', { kind: 'redirect', to: 'http://127.0.0.1:1/' }],
  ['has no such files', { kind: 'status', status: 404 }],
]

/** Restarts the service with its files at another port: earlier links are dead. */
async function moveFileHost({ service }: SampleArchive): Promise<SampleService> {
  await service.close()
  const moved = await startSampleService({ ...site, port: Number(new URL(service.url).port) })
  onTestFinished(() => moved.close())
  return moved
}

async function failEverything(archive: SampleArchive, engine: Engine, fault: Fault): Promise<SampleService> {
  archive.service.faults.add({ route: 'files', fault })
  expect((await engine.sync()).filesFailed).toBeGreaterThan(categories)
  return moveFileHost(archive)
}

describe.each(faults)('a file host that %s and has moved', (_name, fault) => {
  it('is found when the user syncs again, for one call per category', async () => {
    const archive = await sampleArchive({ ...site, port: await ownPort() })
    const moved = await archive.withEngine(async (engine) => {
      const service = await failEverything(archive, engine, fault)
      expect(await engine.sync()).toMatchObject({ failures: [], filesFailed: 0, filesWaiting: 0 })
      return service
    })
    expect(moved.requests.count('media')).toBe(categories)
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(moved))
  })
})

it('a moved file host is found when the user retries failed files while Solarchive watches', async () => {
  const archive = await sampleArchive({ ...site, port: await ownPort() })
  const moved = await archive.withEngine(async (engine) => {
    const service = await failEverything(archive, engine, { kind: 'status', status: 404 })
    const failed = engine.failures().length
    expect(engine.retry('all')).toBe(failed)
    const watching = startWatching(engine)
    await until('everything is archived', () => isComplete(engine))
    expect(watching.failures).toEqual([])
    await watching.stop()
    return service
  })
  expect(moved.requests.count('media')).toBe(categories)
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(moved))
})

it('a moved file host is found by the watch after two attempts, for one call per category and backoff', async () => {
  const archive = await sampleArchive({ ...site, port: await ownPort() })
  archive.service.faults.add({ route: 'files', fault: { kind: 'status', status: 404 } })
  const haveAttempts = (min: number) => (engine: Engine) =>
    engine.failures().length > 0 && engine.failures().every(({ attempts }) => attempts >= min)
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    await until('each file was tried four times', () => haveAttempts(4)(engine))
    expect(archive.service.requests.count('media')).toBeLessThanOrEqual(categories * 4)
    // A host may be down briefly: two attempts with the first links come before the first call for new ones.
    const { records } = archive.service.requests
    const newLinks = records.filter(({ route }) => route === 'media')[categories]
    const attempts = new Map<string, number>()
    for (const record of records.slice(0, newLinks && records.indexOf(newLinks))) {
      // Links of reports come with the list of checklists.
      if (record.origin === 'files' && record.route !== 'report')
        attempts.set(record.path, (attempts.get(record.path) ?? 0) + 1)
    }
    expect(Math.max(...attempts.values())).toBe(2)
    const moved = await moveFileHost(archive)
    await until('everything is archived', () => isComplete(engine))
    await watching.stop()
    return moved
  }
  const moved = await archive.withEngine(work, {}, { clock: new JumpingClock(300) })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(moved))
})
