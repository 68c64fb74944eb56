import { describe, expect, it } from 'vitest'
import type { ActiveFault } from '../../../electron/sample-service/http/faults.ts'
import type { SampleServiceOptions } from '../../../electron/sample-service/start-sample-service.ts'
import { JumpingClock } from '../../support/jumping-clock.ts'
import {
  archivedHashes,
  checklistOf,
  sampleArchive,
  type SampleArchive,
  servedHashes,
} from '../../support/sample-archive.ts'
import { startWatching, until } from '../../support/watching.ts'

/** A completed checklist of two questions with two photos each, on a service that does not announce their number. */
const site: SampleServiceOptions = {
  projects: 1,
  checklistsPerProject: 1,
  photoQuestionsPerChecklist: 2,
  photosPerQuestion: 2,
  statuses: ['completed'],
  awkwardNames: false,
  shapes: { references: 'none' },
}

const categories = (archive: SampleArchive) =>
  checklistOf(archive).sections.flatMap(({ questions }) => questions.flatMap((one) => one.mediaCategoryId ?? []))

/** Makes the first responses about one question's photos empty. */
function respondEmpty(archive: SampleArchive, question: number, times: number, body = '[]'): ActiveFault {
  const category = categories(archive)[question] ?? 'none'
  return archive.service.faults.add({
    route: ({ route, path }) => route === 'media' && path.includes(category),
    fault: { kind: 'body', body },
    count: times,
  })
}

const stateOf = (archive: SampleArchive) =>
  archive.withEngine(async (engine) => (await engine.status()).projects[0]?.checklists[0])
const mediaCalls = ({ service }: SampleArchive) => service.requests.count('media')
const photosIn = ({ root }: SampleArchive, reports = 1) => (archivedHashes(root).length - reports) / 2

describe.each([
  [0, Infinity],
  [1, 1],
  [1, 2],
  [2, Infinity],
])('if the service returns empty photo lists %d and %d times for two questions', (...times) => {
  it('one sync accepts a second empty list, for one more call per question, and ends complete', async () => {
    const archive = await sampleArchive(site)
    times.forEach((count, question) => respondEmpty(archive, question, count))
    expect(await archive.sync()).toMatchObject({ failures: [], filesFailed: 0 })
    expect(await stateOf(archive)).toMatchObject({ complete: true, gaps: [] })
    expect(photosIn(archive)).toBe(times.filter((count) => count < 2).length * 2)
    expect(mediaCalls(archive)).toBe(2 + times.filter((count) => count > 0).length)

    // The next pass makes no call; once the checklist changes, earlier empty lists no longer count.
    archive.service.requests.clear()
    await archive.sync()
    expect(mediaCalls(archive)).toBe(0)
    archive.service.replaceReport(checklistOf(archive))
    expect(await archive.sync()).toMatchObject({ failures: [] })
    expect(mediaCalls(archive)).toBe(2 + times.filter((count) => count === Infinity).length)
    expect(await stateOf(archive)).toMatchObject({ complete: true })
  })
})

it.each(['[]', '{"data":[]}', '{"items":[],"total":0}', '{"media":[]}'])(
  'photos missing from the first responses (%s) are archived by the same sync',
  async (body) => {
    const archive = await sampleArchive(site)
    for (const question of [0, 1]) respondEmpty(archive, question, 1, body)
    expect(await archive.sync()).toMatchObject({ failures: [] })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
    expect(await stateOf(archive)).toMatchObject({ complete: true })
  },
)

it('a checklist that is reopened and completed again needs a new confirmation that it is empty', async () => {
  const archive = await sampleArchive(site)
  const still = respondEmpty(archive, 0, Infinity)
  await archive.sync()
  const { service } = archive
  service.setStatus(checklistOf(archive), 'draft')
  await archive.sync()
  service.setStatus(checklistOf(archive), 'completed')
  still.remove()
  respondEmpty(archive, 0, 1)
  expect(await archive.sync()).toMatchObject({ failures: [] })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  expect(await stateOf(archive)).toMatchObject({ complete: true })
})

it('empty lists received while photos were still uploading do not count', async () => {
  const archive = await sampleArchive({ ...site, statuses: ['awaitingMedia'] })
  const still = [0, 1].map((question) => respondEmpty(archive, question, Infinity))
  await archive.sync()
  await archive.sync()
  still.forEach((fault) => fault.remove())
  archive.service.setStatus(checklistOf(archive), 'completed')
  for (const question of [0, 1]) respondEmpty(archive, question, 1)
  expect(await archive.sync()).toMatchObject({ failures: [] })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})

it('a sync that cannot check again says so and is not complete, and the next one checks', async () => {
  const archive = await sampleArchive(site)
  respondEmpty(archive, 0, 1)
  const broken = archive.service.faults.add({ route: 'media', fault: { kind: 'status', status: 500 }, skip: 1 })
  expect((await archive.sync()).failures).toMatchObject([{ code: 'service-error' }])
  expect(await stateOf(archive)).toMatchObject({
    complete: false,
    gaps: [{ expected: 0, archived: 0, reason: 'no photos listed yet' }],
  })
  broken.remove()
  expect(await archive.sync()).toMatchObject({ failures: [] })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  expect(await stateOf(archive)).toMatchObject({ complete: true })
})

it.each([1, Infinity])(
  'the watch checks again after some minutes, not before, if the list is empty %d times',
  async (times) => {
    const archive = await sampleArchive(site)
    const clock = new JumpingClock(300)
    const askedMs: number[] = []
    const [category = ''] = categories(archive)
    archive.service.faults.add({
      route({ route, path }) {
        if (route === 'media' && path.includes(category)) askedMs.push(clock.nowMs())
        return false
      },
      fault: { kind: 'reset' },
    })
    respondEmpty(archive, 0, times)
    await archive.withEngine(
      async (engine) => {
        const state = async () => (await engine.status()).projects[0]?.checklists[0]
        let first: ReturnType<typeof state> | undefined
        engine.events.on('project-synced', () => void (first ??= state()))
        const watching = startWatching(engine)
        await until('the checklist is complete', async () => (await state())?.complete === true)
        expect(await first).toMatchObject({ complete: false, gaps: [{ reason: 'no photos listed yet' }] })
        expect(watching.failures).toEqual([])
        await watching.stop()
      },
      {},
      { clock },
    )
    expect(photosIn(archive)).toBe(times === 1 ? 4 : 2)
    expect(mediaCalls(archive)).toBe(3)
    const [first = 0, second = 0, ...others] = askedMs
    expect(others).toEqual([])
    expect(second - first).toBeGreaterThanOrEqual(10 * 60_000)
    expect(second - first).toBeLessThan(2 * 60 * 60_000)
  },
)
