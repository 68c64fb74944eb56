import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { SampleService } from '../../electron/sample-service/start-sample-service.ts'
import { photosOf, type SampleChecklist } from '../../electron/sample-service/site/site-types.ts'
import { faultWorld } from '../support/fault-world.ts'
import { archivedBy, readLedger } from '../support/ledger.ts'
import { recordSnapshots } from '../support/record-snapshots.ts'
import {
  archivedHashes,
  checklistOf,
  readFiles,
  sampleArchive,
  servedHashes,
  shareArchive,
} from '../support/sample-archive.ts'

const removals: [string, (service: SampleService, checklist: SampleChecklist) => void][] = [
  [
    'a photo',
    (service, checklist) =>
      photosOf(checklist)
        .slice(0, 1)
        .forEach((photo) => service.removePhoto(photo)),
  ],
  [
    'all photos of a question',
    (service, checklist) => checklist.sections[0]?.questions[0]?.photos.slice().forEach((p) => service.removePhoto(p)),
  ],
  ['a checklist', (service, checklist) => service.removeChecklist(checklist)],
  ['a report, because the checklist is reopened,', (service, checklist) => service.setStatus(checklist, 'draft')],
]

const site = {
  projects: 1,
  checklistsPerProject: 2,
  photoQuestionsPerChecklist: 2,
  photosPerQuestion: 2,
  statuses: ['completed'],
  awkwardNames: false,
} as const
const sharedArchive = shareArchive(async (onDone) => {
  const archive = await sampleArchive(site, undefined, onDone)
  await archive.sync()
  return archive
})

it.each(removals.flatMap((row) => [true, false].map((isArchived) => [...row, isArchived] as const)))(
  '%s that disappears while its files are pending leaves no failure (%#)',
  async (_name, remove, isArchived) => {
    const archive = isArchived ? sharedArchive() : await sampleArchive(site)
    const { service } = archive
    const checklist = checklistOf(archive)
    service.replaceReport(checklist)
    service.faults.add({ route: 'files', fault: { kind: 'status', status: 500 } })
    expect((await archive.sync()).filesFailed).toBeGreaterThan(0)
    service.faults.clear()
    remove(service, checklist)
    await archive.sync()
    expect(await archive.sync()).toMatchObject({ failures: [], filesFailed: 0, filesDownloaded: 0 })
    service.requests.clear()
    await archive.sync()
    expect(service.requests.count('api')).toBe(1)
    if (!isArchived) return
    const listed = new Set(service.projects.flatMap(({ checklists }) => checklists.map(({ id }) => id)))
    const status = await archive.withEngine((engine) => engine.status())
    const states = status.projects.flatMap(({ checklists }) => checklists.filter(({ id }) => listed.has(id)))
    expect(states.flatMap(({ gaps }) => gaps)).toEqual([])
  },
)

it('a checklist that is listed again later has its files downloaded then', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 2, statuses: ['completed'] })
  const { service } = archive
  service.faults.add({ route: 'files', fault: { kind: 'status', status: 500 } })
  await archive.sync()
  service.faults.clear()
  service.faults.add({ route: 'checklists', fault: { kind: 'body', body: '[]' } })
  expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, filesFailed: 0 })
  service.faults.clear()
  expect((await archive.sync()).failures).toEqual([])
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(service))
})

it('files renamed but not recorded before a kill, then replaced upstream, are kept as versions', async () => {
  const world = await faultWorld({ service: { projects: 1, checklistsPerProject: 1, photosPerQuestion: 3 } })
  const archivedHere = () => archivedBy(readLedger(world.home)).size
  const publishedHere = () => [...readFiles(world.root).keys()].filter(isPhoto).length
  const snapshots = await recordSnapshots([world.home, world.root], () => world.syncHere())
  const between = snapshots.find(({ restore }) => {
    restore()
    return publishedHere() > archivedHere()
  })
  expect(between).toBeDefined()
  world.expectNothingWrong()
  await world.changeUpstream()
  await world.expectCompletes()
  const paths = readdirSync(world.root, { recursive: true, encoding: 'utf8' })
  expect(paths.filter((path) => path.includes('.versions') && isPhoto(path)).length).toBeGreaterThan(0)
  expect(paths.filter((path) => path.includes('(2)'))).toEqual([])
})

const isPhoto = (path: string) => path.endsWith('.jpg')
