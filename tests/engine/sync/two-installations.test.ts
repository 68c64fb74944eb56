import { appendFileSync, cpSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { writeCleanShutdownMarker } from '../../../electron/engine/store/clean-shutdown-marker.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { databaseName } from '../../../electron/engine/store/database-files.ts'
import type { SampleServiceOptions } from '../../../electron/sample-service/start-sample-service.ts'
import { photosOf, type SamplePhoto } from '../../../electron/sample-service/site/site-types.ts'
import { JumpingClock } from '../../support/jumping-clock.ts'
import { checklistOf, readFiles, sampleArchive, sha256, type SampleArchive } from '../../support/sample-archive.ts'
import { startWatching, until } from '../../support/watching.ts'

/** Photos of different sizes: a sync compares sizes only. */
const small = { projects: 1, checklistsPerProject: 1, statuses: ['completed'], photoBytes: undefined } as const

let archive: SampleArchive
let photo: SamplePhoto
let other: { homeFolder: string }

beforeEach(() => shareArchive())

/** Archives a project in two installations on one archive. */
async function shareArchive(options: SampleServiceOptions = {}): Promise<void> {
  archive = await sampleArchive({ ...small, ...options })
  other = { homeFolder: join(dirname(archive.home), 'other') }
  photo = photosOf(checklistOf(archive))[0] ?? expect.fail('The sample has no photo')
  await archive.sync()
  await archive.sync(other)
}

const stateOf = (settings = {}) =>
  archive.withEngine(async (engine) => (await engine.status()).projects[0]?.checklists[0], settings)

const verify = (settings = {}) => archive.withEngine((engine) => engine.verify(), settings)

const edited = () => [...readFiles(archive.root).keys()].filter((path) => path.includes(' (edited '))

/** Returns the row of a file in the database of the other installation. */
function otherRow(path: string) {
  const store = createStore(join(other.homeFolder, databaseName))
  try {
    return store.assets.listForChecklist(1).find((asset) => asset.path === path)
  } finally {
    store.close()
  }
}

/** Returns where the archive has these bytes. */
function pathsOf(bytes: Buffer): string[] {
  return [...readFiles(archive.root)].filter(([, found]) => found.equals(bytes)).map(([path]) => path)
}

/** Replaces the photo at the service, and archives it in the first installation. */
async function replacePhoto(): Promise<{ path: string; bytes: Buffer }> {
  archive.service.replacePhoto(photo)
  return archivePhoto()
}

/** Archives the photo that the service has in the first installation. */
async function archivePhoto(): Promise<{ path: string; bytes: Buffer }> {
  const bytes = await archive.service.photoBytes(photo)
  await archive.sync()
  const [path = expect.fail('The new photo is not archived'), ...more] = pathsOf(bytes)
  expect(more).toEqual([])
  return { path, bytes }
}

/** Expects that a replaced photo has kept its path, and that the other installation has it archived. */
async function expectKept({ path, bytes }: { path: string; bytes: Buffer }): Promise<void> {
  expect(pathsOf(bytes)).toEqual([path])
  expect(edited()).toEqual([])
  expect(await stateOf(other)).toMatchObject({ complete: true })
  // With the old version, which the first installation moved to `.versions/`.
  expect(await verify(other)).toMatchObject({ missing: [], changed: [], unexpected: [] })
}

it.each([
  ['of another size', {}],
  ['of the same size', { photoBytes: 20_000 }],
])('a photo %s that one installation replaced stays archived if the service removes it next', async (size, options) => {
  await shareArchive(options)
  const before = await archive.service.photoBytes(photo)
  const replaced = await replacePhoto()
  expect(replaced.bytes.length === before.length).toBe(size === 'of the same size')
  archive.service.removePhoto(photo)
  await archive.sync(other)
  await expectKept(replaced)
  await archive.sync()
  expect(await stateOf()).toMatchObject({ complete: true })
  expect(await verify()).toMatchObject({ missing: [], changed: [], unexpected: [] })
})

it('a poll of the watch keeps a photo that the other installation replaced', async () => {
  const replaced = await replacePhoto()
  archive.service.removePhoto(photo)
  const clock = new JumpingClock()
  // A poll is due, and not the weekly pass that compares sizes.
  clock.jump(24 * 60 * 60_000)
  await archive.withEngine(
    async (engine) => {
      const watching = startWatching(engine)
      await until('the poll has ended', () => watching.synced.length > 0)
      await watching.stop()
    },
    other,
    { clock },
  )
  await archive.sync(other)
  await expectKept(replaced)
})

it('a start that writes the records again keeps a photo that the other installation replaced', async () => {
  const replaced = await replacePhoto()
  archive.service.removePhoto(photo)
  const file = join(other.homeFolder, databaseName)
  const store = createStore(file)
  for (const { id } of store.projects.listAll()) store.projects.setChecksumsStale(id, true)
  store.close()
  // Without it, the database would count as replaced, and the archive would be read.
  writeCleanShutdownMarker(file)
  expect(await verify(other)).toMatchObject({ missing: [], changed: [], unexpected: [] })
  await archive.sync(other)
  await expectKept(replaced)
})

it('a photo that the other installation replaced is not confirmed until it was compared with the service', async () => {
  const ofPhoto = new RegExp(`^/photos/.*/${photo.id}\\.jpg`)
  const refusePhoto = () => archive.service.faults.add({ route: ofPhoto, fault: { kind: 'status', status: 500 } })
  archive.service.replacePhoto(photo)
  refusePhoto()
  await archive.sync(other)
  archive.service.faults.clear()
  const { path, bytes } = await archivePhoto()
  refusePhoto()
  await archive.sync(other)
  expect(pathsOf(bytes)).toEqual([path])
  expect(otherRow(path)).toMatchObject({ sha256: sha256(bytes), confirmedFingerprint: null, etag: null, damage: null })
  expect(await stateOf(other)).toMatchObject({ complete: false })
  archive.service.faults.clear()
  archive.service.replacePhoto(photo)
  const newest = await archive.service.photoBytes(photo)
  await archive.sync(other)
  expect(pathsOf(newest)).toEqual([path])
  expect(pathsOf(bytes)).toEqual([expect.stringContaining('/.versions/')])
  expect(await stateOf(other)).toMatchObject({ complete: true })
  expect(edited()).toEqual([])
})

it.each([
  ['of another size', {}],
  ['of the same size', { photoBytes: 20_000 }],
])('a repair keeps a photo %s that the other installation replaced', async (_size, options) => {
  await shareArchive(options)
  const { path, bytes } = await replacePhoto()
  archive.service.removePhoto(photo)
  const verified = await archive.withEngine((engine) => engine.verify({ repair: true }), other)
  expect(verified).toMatchObject({ missing: [], changed: [] })
  expect(pathsOf(bytes)).toEqual([path])
  expect(edited()).toEqual([])
  expect(otherRow(path)).toMatchObject({ sha256: sha256(bytes), confirmedFingerprint: null, damage: null })
  await archive.sync(other)
  expect(await stateOf(other)).toMatchObject({ complete: true })
})

it('a photo that somebody edited after the other installation replaced it is quarantined', async () => {
  const { path, bytes } = await replacePhoto()
  appendFileSync(join(archive.root, path), 'edited')
  await archive.sync(other)
  expect(pathsOf(bytes)).toEqual([path])
  expect(edited().map((file) => sha256(readFiles(archive.root).get(file) ?? Buffer.of()))).toEqual([
    sha256(Buffer.concat([bytes, Buffer.from('edited')])),
  ])
})

it('a photo of an older copy of the archive is not taken for the newer one, which is lost', async () => {
  const copy = `${archive.root} copy`
  cpSync(archive.root, copy, { recursive: true, preserveTimestamps: true })
  await replacePhoto()
  archive.service.removePhoto(photo)
  rmSync(archive.root, { recursive: true })
  cpSync(copy, archive.root, { recursive: true, preserveTimestamps: true })
  await archive.sync()
  expect(await stateOf()).toMatchObject({ complete: false })
  expect(edited()).toHaveLength(2)
})

it('checklist.json of the other installation is written again, and one that somebody edited is quarantined', async () => {
  for (const settings of [{}, other, {}, other]) {
    archive.service.addPhoto(checklistOf(archive))
    await archive.sync(settings)
  }
  expect(edited()).toEqual([])
  await archive.sync()
  expect(await verify()).toMatchObject({ missing: [], changed: [], unexpected: [] })
  const [path = ''] = [...readFiles(archive.root).keys()].filter((name) => name.endsWith('/checklist.json'))
  appendFileSync(join(archive.root, path), ' ')
  await archive.sync(other)
  expect(edited()).toEqual([expect.stringMatching(/\/checklist \(edited [^)]*\)\.json$/)])
})
