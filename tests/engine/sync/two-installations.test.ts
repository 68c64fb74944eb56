import { appendFileSync, cpSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { ArchiveFolders } from '../../../electron/engine/archive/archive-folders.ts'
import { recordFindings } from '../../../electron/engine/integrity/findings.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { openArchive } from '../../../electron/engine/recovery/open-archive.ts'
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

/** Returns the content of the project's list of checksums. */
function listOf(): string | undefined {
  return [...readFiles(archive.root)].find(([path]) => path.endsWith('/SHA256SUMS'))?.[1].toString()
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

it('a sync that is stopped leaves the list that shows a replaced photo as it is, and no warning', async () => {
  await shareArchive({ photoBytes: 20_000 })
  const replaced = await replacePhoto()
  archive.service.removePhoto(photo)
  archive.service.addPhoto(checklistOf(archive))
  archive.service.faults.add({ route: 'files', fault: { kind: 'hang' } })
  const before = listOf()
  const logged = archive.log.length
  const stop = new AbortController()
  await archive.withEngine(async (engine) => {
    const inFlight: number[] = []
    engine.events.on('downloads', (files) => void inFlight.push(files.length))
    const pass = engine.sync({ signal: stop.signal })
    await until('a file is in flight', () => (inFlight.at(-1) ?? 0) > 0)
    stop.abort()
    await expect(pass).rejects.toMatchObject({ code: 'cancelled' })
    expect(otherRow(replaced.path)?.sha256).not.toBe(sha256(replaced.bytes))
  }, other)
  expect(listOf()).toEqual(before)
  expect(archive.log.slice(logged).join()).not.toContain('could not be written')
  archive.service.faults.clear()
  await archive.sync(other)
  await expectKept(replaced)
})

it.each(['start', 'check in the background'])(
  'a %s that is stopped adopts nothing and records nothing',
  async (work) => {
    const { path, bytes } = await replacePhoto()
    const before = listOf()
    const store = createStore(join(other.homeFolder, databaseName))
    try {
      for (const { id } of store.projects.listAll()) store.projects.setChecksumsStale(id, true)
      const [file = expect.fail('no file')] = store.archivedFiles.assets(0, 100).filter((asset) => asset.path === path)
      const logged: string[] = []
      const note = (message: string) => void logged.push(message)
      const logger = { debug: note, info: note, warn: note, error: note, showMessage: note }
      const folders = new ArchiveFolders(archive.root)
      const signal = AbortSignal.abort()
      const stopped =
        work === 'start'
          ? openArchive(folders, store, { clock: systemClock, logger }, signal)
          : recordFindings({ folders, store, clock: systemClock, logger }, [{ file, state: 'changed' }], {
              forgetVersions: false,
              signal,
            })
      await expect(stopped).rejects.toBe(signal.reason)
      expect(store.assets.get(file.id)).toMatchObject({ sha256: file.sha256, damage: null })
      expect(logged).toEqual([])
    } finally {
      store.close()
    }
    expect([listOf(), pathsOf(bytes)]).toEqual([before, [path]])
  },
)

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
