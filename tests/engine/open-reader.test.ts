import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ArchiveReader, Engine } from '../../electron/engine/engine.ts'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'
import { openReader } from '../../electron/engine/open-reader.ts'
import { writeCleanShutdownMarker } from '../../electron/engine/store/clean-shutdown-marker.ts'
import { createStore, openReadOnly } from '../../electron/engine/store/create-store.ts'
import { findOwner, lockDataFolder } from '../../electron/engine/store/data-folder-lock.ts'
import { photosOf } from '../../electron/sample-service/site/site-types.ts'
import { sampleArchive, shareArchive, type SampleArchive } from '../support/sample-archive.ts'

const shared = shareArchive(async (onDone) => {
  const archive = await sampleArchive(
    { projects: 2, checklistsPerProject: 1, statuses: ['completed'] },
    undefined,
    onDone,
  )
  await archive.sync()
  return archive
})

const settingsOf = ({ home, root, service }: SampleArchive) => ({
  homeFolder: home,
  archiveFolder: root,
  serviceUrl: service.url,
})

function open(archive: SampleArchive, isFrozen = false): ArchiveReader {
  const opened = openReader(settingsOf(archive), { clock: systemClock, isFrozen })
  if (opened.kind !== 'open') throw new Error('No reader')
  onTestFinished(() => opened.reader.close())
  return opened.reader
}

/** Everything about the files of a folder that a write would change. */
function filesIn(folder: string) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => {
    const { size, mtimeMs, mode } = statSync(join(folder, path))
    return { path, size, mtimeMs, mode }
  })
}

async function pathsOf(reader: ArchiveReader) {
  const paths: string[] = []
  for await (const { path } of reader.recordedFiles()) paths.push(path)
  return paths
}

/** Reads everything that an engine and a reader have in common. */
async function readAll(reader: ArchiveReader) {
  const page = { offset: 0, limit: 50 }
  return {
    key: reader.archiveKey,
    projects: reader.projects.list(),
    status: await reader.status(),
    unsynced: reader.unsynced(),
    rebuilt: reader.rebuilt(),
    failures: [reader.failures(), reader.countFailures()],
    lastVerify: reader.lastVerify(),
    counts: reader.catalog.counts(),
    activity: reader.activity({ limit: 50 }),
    orders: reader.orders.list({ ...page, search: '', filter: 'all' }),
    presets: reader.presets.list(),
    folders: [reader.archivedFolders(), reader.projectFolders()],
    files: await pathsOf(reader),
    photo: await reader.locate({ assetId: 2 }),
  }
}

test('without an owner and beside one, a reader answers like the engine, and writes nothing', async () => {
  const archive = shared()
  const before = filesIn(archive.home)
  const alone = await readAll(open(archive))
  expect(filesIn(archive.home)).toEqual(before)
  expect(alone.status.projects).toHaveLength(2)
  await archive.withEngine(async (engine) => {
    expect(await readAll(engine)).toEqual(alone)
    const beside = filesIn(archive.home)
    expect(await readAll(open(archive))).toEqual(alone)
    expect(filesIn(archive.home)).toEqual(beside)
  })
})

test('a reader beside an owner sees what the owner commits', async () => {
  const archive = shared()
  await archive.withEngine(async (engine) => {
    const reader = open(archive)
    engine.projects.add([{ id: 'p-new', name: 'New' }])
    expect(reader.projects.list()).toEqual(engine.projects.list())
    expect(() => reader.projects.known(['p-unknown'])).toThrow(expect.objectContaining({ code: 'not-found' }))
    expect(await reader.status()).toEqual(await engine.status())
  })
})

test('a frozen reader answers everything as of the moment of its status', async () => {
  const archive = shared()
  await archive.withEngine(async (engine) => {
    const frozen = open(archive, true)
    const { projects } = await frozen.status()
    engine.projects.add([{ id: 'p-new', name: 'New' }])
    expect([projects.length, frozen.projects.list().length, frozen.unsynced().length]).toEqual([2, 2, 0])
    expect(open(archive).unsynced()).toMatchObject([{ name: 'New', code: null, message: null }])
  })
})

test('a reader cannot write', async () => {
  const archive = shared()
  await archive.withEngine(() => {
    const store = openReadOnly(join(archive.home, 'solarchive.sqlite3'))
    expect(() => store.meta.set('key', 'value')).toThrow(expect.objectContaining({ name: 'AppError' }))
    expect(() => store.transaction(() => store.projects.put('p', 'P', null, ''))).toThrow(
      expect.objectContaining({ name: 'AppError' }),
    )
    store.close()
    return Promise.resolve()
  })
})

/** Returns the absolute path of an archived photo. */
const photoOf = async (engine: Engine) => (await engine.locate({ assetId: 2 })).path

test('a file that is being replaced is not reported, one that stays away is', async () => {
  const archive = shared()
  await archive.withEngine(async (engine) => {
    const photo = await photoOf(engine)
    const complete = await engine.status()
    const reader = open(archive)
    const store = createStore(join(archive.home, 'solarchive.sqlite3'))
    const file = { sha256: 'a'.repeat(64), sizeBytes: 1, etag: null, lastModified: null }
    store.versions.begin({ ...file, assetId: 2, versionPath: 'v', replacedAt: new Date().toISOString() })
    rmSync(photo)
    expect(await reader.status()).toEqual(complete)
    store.versions.end(2)
    store.close()
    expect(await reader.status()).toEqual(await engine.status())
    expect(await reader.status()).not.toEqual(complete)
  })
})

test('a reader leaves nothing to check to the next owner, even if it was open when the last one ended', async () => {
  const archive = shared()
  let reader: ArchiveReader | undefined
  await archive.withEngine(async (engine) => {
    reader = open(archive)
    engine.projects.add([{ id: 'p-new', name: 'New' }])
    await reader.status()
  })
  await reader?.close()
  archive.log.length = 0
  await archive.withEngine((engine) => Promise.resolve(expect(engine.projects.list()).toHaveLength(3)))
  expect(archive.log.filter((line) => line.includes('Checking the database'))).toEqual([])
})

test('an owner is needed for a database that is missing, was not closed, is older, or is to be rebuilt', async () => {
  const archive = shared()
  const { home } = archive
  const file = join(home, 'solarchive.sqlite3')
  const found = () => openReader(settingsOf(archive), { clock: systemClock })
  const bytes = readFileSync(file)
  rmSync(`${file}.closed`)
  expect(found()).toEqual({ kind: 'owner-needed', owner: undefined })
  rmSync(file)
  expect(found()).toEqual({ kind: 'owner-needed', owner: undefined })

  const lock = lockDataFolder(home)
  const owner = { pid: process.pid }
  try {
    expect(found()).toEqual({ kind: 'owner-needed', owner })
    // Byte 60 of the header is the version of the schema.
    writeFileSync(file, bytes.with(63, 1))
    expect(found()).toEqual({ kind: 'owner-needed', owner })
    writeFileSync(file, bytes.with(63, 200))
    expect(found).toThrow(expect.objectContaining({ code: 'database-newer' }))
    writeFileSync(file, bytes.with(0, 1))
    expect(found).toThrow(expect.objectContaining({ code: 'database-damaged' }))
  } finally {
    lock.release()
  }
  expect(findOwner(home)).toBeUndefined()

  // A data folder that was made again, beside an archive with files.
  rmSync(home, { recursive: true })
  await archive.withEngine(() => Promise.resolve())
  expect(found()).toEqual({ kind: 'owner-needed', owner: undefined })
  await archive.withEngine((engine) => engine.status())
  expect(found()).toMatchObject({ kind: 'open' })
})

test('an owner is needed for a database that a backup program restored in place, with its times', async () => {
  const archive = shared()
  const file = join(archive.home, 'solarchive.sqlite3')
  const found = () => openReader(settingsOf(archive), { clock: systemClock })
  const closedAt = new Date('2026-01-01T00:00:00Z')
  const restore = (bytes: Buffer) => {
    writeFileSync(file, bytes)
    utimesSync(file, closedAt, closedAt)
  }
  restore(readFileSync(file))
  writeCleanShutdownMarker(file)
  expect(found()).toMatchObject({ kind: 'open' })
  restore(readFileSync(file))
  expect(found()).toEqual({ kind: 'owner-needed', owner: undefined })
  // Its content is that of a clean end: an owner compares it with the archive, and need not check it.
  await archive.withEngine((engine) => engine.status())
  expect(archive.log.join()).toContain('The database was compared with the archive folder')
  expect(found()).toMatchObject({ kind: 'open' })
})

test('a verify beside an owner finds the same, and records nothing', async () => {
  const archive = shared()
  await archive.withEngine(async (engine) => {
    const photo = await photoOf(engine)
    const report = (await engine.locate({ assetId: 1 })).path
    const reader = open(archive)
    expect(await reader.verify()).toEqual({ ...(await engine.verify()), alreadyRead: 0, resumedFrom: null })

    rmSync(photo)
    writeFileSync(report, 'edited')
    writeFileSync(`${report}.txt`, 'of the crew')
    const sums = join(archive.root, engine.archivedFolders()[0]!, 'SHA256SUMS')
    writeFileSync(sums, 'edited')
    const progress: number[] = []
    const found = await reader.verify({ onProgress: ({ filesDone }) => void progress.push(filesDone) })
    expect(found.missing).toHaveLength(1)
    expect(found.changed).toHaveLength(2)
    expect(found.unexpected).toEqual([expect.stringContaining('.txt')])
    expect(progress.length).toBeGreaterThan(0)
    expect(engine.catalog.damagedFiles()).toBe(0)
    expect(await engine.verify()).toEqual(found)
    expect(engine.catalog.damagedFiles()).toBe(3)

    // Recorded as damaged by now, and still the same for a reader.
    expect(await reader.verify()).toEqual(found)
    const stop = new AbortController()
    stop.abort()
    await expect(reader.verify({ signal: stop.signal })).rejects.toMatchObject({ code: 'cancelled' })
  })
})

test('a verify beside an owner recognizes a lost file that a user restored, and accepts no other', async () => {
  const archive = shared()
  archive.service.faults.add({ route: 'thumbnail', fault: { kind: 'status', status: 404 } })
  await archive.withEngine(async (engine) => {
    const photo = await photoOf(engine)
    const bytes = readFileSync(photo)
    const reader = open(archive)
    rmSync(photo)
    const [path = ''] = (await engine.verify({ repair: true })).missing
    expect(join(archive.root, path)).toBe(photo)
    expect(await reader.verify()).toMatchObject({ missing: [path], unexpected: [] })
    writeFileSync(
      photo,
      bytes.map((byte) => byte ^ 1),
    )
    expect(await reader.verify()).toMatchObject({ missing: [path], unexpected: [path] })
    writeFileSync(photo, bytes)
    const found = await reader.verify()
    expect(found).toMatchObject({ missing: [], changed: [], unexpected: [] })
    expect(await engine.verify()).toEqual(found)
  })
})

test('status and verify beside a sync that replaces every photo never report one', async () => {
  const archive = shared()
  const { service } = archive
  await archive.withEngine(async (engine) => {
    const reader = open(archive)
    const complete = await engine.status()
    let isDone = false
    const rounds = (async () => {
      while (!isDone) {
        for (const { checklists } of service.projects) {
          for (const checklist of checklists) {
            service.replaceReport(checklist)
            for (const photo of photosOf(checklist)) service.replacePhoto(photo)
          }
        }
        await engine.sync()
      }
    })()
    for (let look = 0; look < 2; look += 1) {
      const { missing, changed, unexpected } = await reader.verify()
      expect({ missing, changed, unexpected }).toEqual({ missing: [], changed: [], unexpected: [] })
      const { projects } = await reader.status()
      const gaps = projects.flatMap(({ checklists }) => checklists.flatMap((checklist) => checklist.gaps))
      expect(gaps.filter(({ reason }) => reason === 'damaged')).toEqual([])
    }
    isDone = true
    await rounds
    const after = await reader.status()
    expect(after.projects.map(({ checklists }) => checklists.map(({ complete: isComplete }) => isComplete))).toEqual(
      complete.projects.map(({ checklists }) => checklists.map(({ complete: isComplete }) => isComplete)),
    )
    expect((await reader.verify()).checked).toBeGreaterThan(10)
  })
})
