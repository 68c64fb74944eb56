import fs, {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ArchiveFolders } from '../../../electron/engine/archive/archive-folders.ts'
import type { Engine } from '../../../electron/engine/engine.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { rebuildDatabase } from '../../../electron/engine/recovery/rebuild-database.ts'
import { writeCleanShutdownMarker } from '../../../electron/engine/store/clean-shutdown-marker.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { createRebuildMarker } from '../../../electron/engine/store/rebuild-marker.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import {
  checklistOf,
  hashFiles,
  readFiles,
  sampleArchive,
  sha256,
  shareArchive,
  type SampleArchive,
} from '../../support/sample-archive.ts'
import { failCalls } from '../../support/hooks/fail-calls.ts'
import { watchCalls } from '../../support/hooks/watch-calls.ts'
import { silentLogger } from '../../support/silent-logger.ts'
import { recordSnapshots } from '../../support/record-snapshots.ts'
import { expectTrueChecksums } from '../../support/true-checksums.ts'
import { withoutPrivileges } from '../archive/folder-test.ts'
import {
  archivedFiles,
  backupsOf,
  databaseOf,
  documentsOf,
  expectWhole,
  filesSent,
  loseDatabase,
  seasonedArchive,
} from './whole-archive.ts'

const somePhoto = (archive: SampleArchive) =>
  [...readFiles(archive.root).keys()].find((path) => path.includes('/photos/')) ?? ''

const sharedArchive = shareArchive((onDone) => seasonedArchive({}, onDone))

describe('a rebuilt database', () => {
  it('has the projects with their names, and reports nothing as complete before the next sync', async () => {
    const archive = sharedArchive()
    const before = await archive.withEngine((engine) => Promise.resolve(engine.projects.list()))
    loseDatabase(archive)
    await archive.withEngine(async (engine) => {
      expect(engine.projects.list()).toEqual(before)
      const checklists = (await engine.status()).projects.flatMap((project) => project.checklists)
      expect(checklists.length).toBeGreaterThan(0)
      expect(checklists.filter(({ complete }) => complete)).toEqual([])
      expect(engine.unsynced()).toHaveLength(3)
    })
    expect(archive.log.join()).toContain('Projects that had been removed from the list are in it again')
  })

  it('still reports a photo as missing that neither the service nor the archive has any longer', async () => {
    const archive = sharedArchive()
    const total = async () =>
      archive.withEngine(async (engine) => {
        const checklists = (await engine.status()).projects.flatMap((project) => project.checklists)
        return {
          expected: checklists.reduce((sum, { expectedFiles }) => sum + expectedFiles, 0),
          lost: checklists.flatMap(({ gaps }) => gaps).filter(({ reason }) => reason === 'gone').length,
        }
      })
    const photo = photosOf(checklistOf(archive))[0]!
    const hash = sha256(await archive.service.photoBytes(photo))
    archive.service.removePhoto(photo)
    await archive.sync()
    const before = await total()
    const [path = ''] = [...readFiles(archive.root)].find(([, bytes]) => sha256(bytes) === hash) ?? []
    rmSync(join(archive.root, path))
    loseDatabase(archive)
    await archive.sync()
    expect(await total()).toEqual({ ...before, lost: before.lost + 1 })
  })

  it('reports an archived photo as missing, even if the service drops it before the next sync', async () => {
    const archive = sharedArchive()
    const photo = photosOf(checklistOf(archive))[0]!
    const hash = sha256(await archive.service.photoBytes(photo))
    const [path = ''] = [...readFiles(archive.root)].find(([, bytes]) => sha256(bytes) === hash) ?? []
    rmSync(join(archive.root, path))
    loseDatabase(archive)
    archive.service.removePhoto(photo)
    for (const time of ['once', 'twice', 'three times']) {
      await archive.sync()
      const { projects } = await archive.withEngine((engine) => engine.status())
      const gaps = projects.flatMap(({ checklists }) => checklists).flatMap((checklist) => checklist.gaps)
      expect(
        gaps.filter(({ reason }) => reason === 'gone'),
        `rebuilt ${time}`,
      ).toHaveLength(1)
      expectTrueChecksums(archive.root, [path])
      loseDatabase(archive)
    }
  })

  it('reports no lost file that a newer one has replaced', async () => {
    const archive = sharedArchive()
    const report = [...readFiles(archive.root).keys()].find((path) => path.endsWith('/report.pdf')) ?? ''
    const [current, version] = [
      join(archive.root, report),
      join(archive.root, dirname(report), '.versions', '2026-11-22T05-00-00Z', 'report.pdf'),
    ]
    mkdirSync(dirname(version), { recursive: true })
    renameSync(current, version)
    writeFileSync(current, Buffer.concat([readFileSync(version), Buffer.from('newer')]))
    loseDatabase(archive)
    archive.service.faults.add({ route: 'checklists', fault: { kind: 'status', status: 503 } })
    await archive.sync()
    const listed = readFileSync(join(archive.root, report.split('/')[0] ?? '', 'SHA256SUMS'), 'utf8')
    expect(listed).toContain('.versions/2026-11-22T05-00-00Z/report.pdf\n')
    expect(listed).not.toContain(`  ${report.split('/').slice(1).join('/')}\n`)
    archive.service.faults.clear()
    await archive.sync()
    expect(await archive.withEngine((engine) => engine.verify())).toMatchObject({ missing: [], changed: [] })
  })

  it('does not accept an edited file, and keeps it beside the downloaded one', async () => {
    const archive = sharedArchive()
    const path = somePhoto(archive)
    const bytes = readFileSync(join(archive.root, path))
    const edited = Buffer.from(bytes)
    edited[edited.length - 20] = (edited[edited.length - 20] ?? 0) ^ 0xff
    writeFileSync(join(archive.root, path), edited)
    loseDatabase(archive)
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 1, failures: [] })
    expect(filesSent(archive)).toBe(1)
    expect(readFileSync(join(archive.root, path))).toEqual(bytes)
    const beside = readdirSync(dirname(join(archive.root, path))).filter((name) => name.includes(' (edited '))
    expect(beside).toHaveLength(1)
    expect(readFileSync(join(archive.root, dirname(path), beside[0] ?? ''))).toEqual(edited)
    expect(readdirSync(dirname(join(archive.root, path))).filter((name) => name.includes(' (2)'))).toEqual([])
  })

  it('downloads missing files, and nothing else', async () => {
    const archive = sharedArchive()
    rmSync(join(archive.root, somePhoto(archive)))
    loseDatabase(archive)
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 1, failures: [] })
    expect(filesSent(archive)).toBe(1)
    await expectWhole(archive)
  })

  it('follows changes at the service meanwhile', async () => {
    const archive = sharedArchive()
    loseDatabase(archive)
    const [checklist] = archive.service.projects.flatMap(({ checklists }) => checklists)
    if (checklist === undefined) throw new Error('The sample has no checklist')
    archive.service.replaceReport(checklist)
    archive.service.addPhoto(checklist)
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 3, failures: [] })
    expect(filesSent(archive)).toBe(3)
    await expectWhole(archive)
  })

  it('keeps files that are gone at the service', async () => {
    const archive = sharedArchive()
    const [checklist] = archive.service.projects.flatMap(({ checklists }) => checklists)
    if (checklist === undefined) throw new Error('The sample has no checklist')
    const before = archivedFiles(archive)
    archive.service.removeChecklist(checklist)
    await archive.sync()
    loseDatabase(archive)
    archive.service.requests.clear()
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
    expect(archivedFiles(archive)).toEqual(before)
    expect(await archive.withEngine((engine) => engine.verify())).toMatchObject({ missing: [], unexpected: [] })
  })

  it('is completed by the next start if it was stopped', async () => {
    const archive = sharedArchive()
    loseDatabase(archive)
    await archive.withEngine(async (engine) => {
      await expect(engine.sync({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' })
    })
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
    expect(filesSent(archive)).toBe(0)
    await expectWhole(archive)
  })

  it('can be aborted while a status waits for it', async () => {
    const archive = sharedArchive()
    loseDatabase(archive)
    await archive.withEngine(async (engine) => {
      await expect(engine.status({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' })
      expect((await engine.status()).projects).toHaveLength(3)
    })
  })

  it('is not created without the archive: nothing starts over in an empty folder', async () => {
    const archive = sharedArchive()
    rmSync(backupsOf(archive), { recursive: true })
    writeFileSync(databaseOf(archive), 'garbage '.repeat(1000))
    renameSync(archive.root, `${archive.root} elsewhere`)
    await expect(archive.sync()).rejects.toMatchObject({ code: 'archive-unavailable' })
    expect(existsSync(archive.root)).toBe(false)
    renameSync(`${archive.root} elsewhere`, archive.root)
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
    await expectWhole(archive)
  })

  it('lists project folders it cannot recognize, and archives them under the same names', async () => {
    const archive = sharedArchive()
    const before = archivedFiles(archive)
    const folder = readdirSync(archive.root)[0] ?? ''
    for (const file of documentsOf(archive).filter((path) => path.includes(folder))) rmSync(file)
    loseDatabase(archive)
    expect((await archive.sync()).failures).toEqual([])
    expect(archive.log.some((line) => line.includes('could not be recognized') && line.includes(folder))).toBe(true)
    expect(archivedFiles(archive)).toEqual(before)
  })

  it.skipIf(process.platform === 'win32')('lists a folder whose name not every system allows', async () => {
    const archive = sharedArchive()
    const [folder = ''] = readdirSync(archive.root)
    renameSync(join(archive.root, folder), join(archive.root, `3:12 ${folder}`))
    loseDatabase(archive)
    expect((await archive.sync()).failures).toEqual([])
    expect(archive.log.some((line) => line.includes('could not be recognized') && line.includes('3:12'))).toBe(true)
  })

  it('waits for records that the disk cannot read, and then has all of them', async () => {
    const small = { projects: 2, checklistsPerProject: 2, statuses: ['completed'], awkwardNames: false } as const
    const archive = await sampleArchive(small)
    await withoutPrivileges(dirname(archive.root), async () => {
      await archive.sync()
      const before = hashFiles(archive.root)
      const [document = ''] = documentsOf(archive)
      rmSync(databaseOf(archive))
      rmSync(backupsOf(archive), { recursive: true, force: true })
      archive.service.requests.clear()
      for (const path of [document, dirname(document), dirname(dirname(document))]) {
        chmodSync(path, 0)
        await expect(archive.sync()).rejects.toMatchObject({
          code: 'disk-error',
          message: expect.stringContaining(`the records in ${dirname(dirname(document))} could not be read`) as string,
        })
        chmodSync(path, 0o755)
      }
      expect(archive.service.requests.records).toEqual([])
      expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
      expect(hashFiles(archive.root)).toEqual(before)
    })
  })

  it('waits for files that cannot be read because too many are open', async () => {
    const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
    await archive.sync()
    const [photo = ''] = [...readFiles(archive.root).keys()].filter((path) => path.includes('/photos/'))
    rmSync(databaseOf(archive))
    rmSync(backupsOf(archive), { recursive: true, force: true })
    const below = [join(archive.root, photo)]
    const end = await failCalls({ below, calls: ['descriptor'], from: 1, times: 1, what: 'EMFILE' })
    await expect(archive.sync())
      .rejects.toMatchObject({ code: 'disk-error', details: { errno: 'EMFILE' } })
      .finally(() => void end())
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
  })

  it('in another data folder writes the same records, so that the right one finds nothing changed', async () => {
    const archive = sharedArchive()
    const other = { homeFolder: join(dirname(archive.home), 'other home') }
    const before = hashFiles(archive.root)
    const verified = { missing: [], changed: [], unexpected: [] }
    await archive.withEngine(async (engine) => {
      expect(engine.isMadeFromArchive).toBe(true)
      // The orders of the database that wrote the archive are unknown.
      const { orderId } = engine.orders.create({ texts: { projectId: engine.projects.list()[0]?.id ?? '' } })
      expect(engine.orders.get(orderId)).toMatchObject({ isRestored: true })
      expect(await engine.verify()).toMatchObject(verified)
    }, other)
    expect(hashFiles(archive.root)).toEqual(before)
    expect(await archive.sync(other)).toMatchObject({ filesDownloaded: 0, failures: [] })
    expect(hashFiles(archive.root)).toEqual(before)
    await archive.withEngine(async (engine) => {
      expect(engine.isMadeFromArchive).toBe(false)
      expect(await engine.verify()).toMatchObject(verified)
    })
  })

  it('keeps the list with the files of a checklist that is lost as well, so that a verify finds the loss', async () => {
    const archive = sharedArchive()
    const folders = Map.groupBy(documentsOf(archive).map(dirname), dirname)
    const [project, [lost = '']] = [...folders].find(([, checklists]) => checklists.length > 1)!
    const path = join(project, 'SHA256SUMS')
    const list = readFileSync(path)
    rmSync(lost, { recursive: true })
    loseDatabase(archive)
    const changed = [`${basename(project)}/SHA256SUMS`]
    await archive.withEngine(async (engine) => {
      expect(await engine.verify()).toMatchObject({ missing: [], changed, unexpected: [] })
    })
    expect(archive.log.join()).toContain('lists files that are missing or changed')
    expect(readFileSync(path)).toEqual(list)
    await archive.withEngine(async (engine) => {
      const { quarantined } = await engine.verify({ repair: true })
      expect(quarantined.map((kept) => readFileSync(join(archive.root, kept)))).toEqual([list])
      expect(await engine.verify()).toMatchObject({ missing: [], changed: [] })
    })
  })

  it('recognizes a project folder into which a checklist of another one was copied', async () => {
    const archive = sharedArchive()
    const [folder = '', other = ''] = readdirSync(archive.root)
    const checklist = readdirSync(join(archive.root, other)).find((name) => name !== 'SHA256SUMS') ?? ''
    const copy = `${folder}/A copy`
    cpSync(join(archive.root, other, checklist), join(archive.root, copy), { recursive: true })
    const copied = [...readFiles(archive.root).keys()].filter((path) => path.startsWith(`${copy}/`))
    loseDatabase(archive)
    expect(await archive.sync()).toMatchObject({ projects: 3, filesDownloaded: 0, failures: [] })
    expect(await archive.withEngine((engine) => engine.verify())).toMatchObject({
      missing: [],
      changed: [],
      unexpected: copied.sort(),
    })
  })

  it('ignores a copied project folder', async () => {
    const archive = sharedArchive()
    const folder = readdirSync(archive.root)[0] ?? ''
    const copy = `A copy of ${folder} for the office`
    cpSync(join(archive.root, folder), join(archive.root, copy), { recursive: true })
    loseDatabase(archive)
    expect(await archive.sync()).toMatchObject({ projects: 3, filesDownloaded: 0, failures: [] })
    expect(await archive.withEngine((engine) => engine.verify())).toMatchObject({
      missing: [],
      changed: [],
      unexpected: [copy],
    })
  })
})

describe('damage found later', () => {
  it('while Solarchive works ends the work, and the next start repairs it', async () => {
    const archive = sharedArchive()
    await archive.withEngine(async (engine) => {
      const other = new Database(databaseOf(archive))
      other.exec("UPDATE checklists SET entry_raw = '{ cut off', document_stale = 1")
      other.close()
      await expect(engine.verify()).rejects.toMatchObject({ code: 'database-damaged' })
    })
    archive.service.requests.clear()
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
    expect(filesSent(archive)).toBe(0)
    expect(readdirSync(archive.home).some((name) => name.includes('.damaged-'))).toBe(true)
    await expectWhole(archive)
  })

  it('as a write-ahead log deleted after a crash: its content is read from the archive', async () => {
    const archive = sharedArchive()
    const crashed = join(archive.home, '..', 'crashed')
    mkdirSync(crashed)
    await archive.withEngine(async (engine) => {
      const [checklist] = archive.service.projects.flatMap(({ checklists }) => checklists)
      if (checklist !== undefined) archive.service.addPhoto(checklist)
      await engine.sync()
      // The state after such a crash: the database without the content of its log.
      copyFileSync(databaseOf(archive), join(crashed, 'solarchive.sqlite3'))
    })
    for (const name of readdirSync(archive.home).filter((file) => file.startsWith('solarchive.sqlite3')))
      rmSync(join(archive.home, name))
    copyFileSync(join(crashed, 'solarchive.sqlite3'), databaseOf(archive))
    archive.service.requests.clear()
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
    expect(filesSent(archive)).toBe(0)
    await expectWhole(archive)
  })
})

it('a copied database is compared with the archive, and costs no extra call', async () => {
  const archive = sharedArchive()
  await archive.sync()
  const calls = (await archive.sync()).apiCalls
  const copy = readFileSync(databaseOf(archive))
  rmSync(databaseOf(archive))
  writeFileSync(databaseOf(archive), copy)
  archive.service.requests.clear()
  expect(await archive.sync()).toMatchObject({ apiCalls: calls, filesDownloaded: 0, failures: [] })
  expect(archive.service.requests.count('files')).toBe(0)
  expect(readdirSync(archive.home).filter((name) => name.includes('.damaged-'))).toEqual([])
})

it('an older database is compared with an archive whose disk lists names in another Unicode form', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  for (const project of archive.service.projects) archive.service.renameProject(project, 'Peña residence')
  await archive.sync()
  const copy = readFileSync(databaseOf(archive))
  const photo = archive.service.addPhoto(checklistOf(archive))
  await archive.sync()
  const before = archivedFiles(archive)
  archive.service.removePhoto(photo)
  rmSync(databaseOf(archive))
  writeFileSync(databaseOf(archive), copy)
  const { readdirSync: list } = fs
  const listing = vi.spyOn(fs, 'readdirSync').mockImplementation((path) => {
    const entries = list(path, { withFileTypes: true })
    for (const entry of entries) entry.name = entry.name.normalize('NFD')
    return entries as never
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    listing.mockRestore()
    syncBuiltinESMExports()
  })
  expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
  listing.mockRestore()
  syncBuiltinESMExports()
  expect(archivedFiles(archive)).toEqual(before)
})

it('a first sync that ended before the first file does not count as a lost database', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  archive.service.faults.add({ route: 'files', fault: { kind: 'status', status: 503 } })
  await archive.sync()
  expect(documentsOf(archive)).toHaveLength(1)
  archive.service.faults.clear()
  await archive.sync()
  expect(archive.log.join()).not.toContain('rebuilt')
  await expectWhole(archive)
})

it('after a first sync without a file into another folder, the archive that is chosen is read', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  await archive.sync()
  const before = archivedFiles(archive)
  for (const name of readdirSync(archive.home)) rmSync(join(archive.home, name), { recursive: true })
  const other = { archiveFolder: `${archive.root} other` }
  archive.service.faults.add({ route: 'files', fault: { kind: 'status', status: 503 } })
  await archive.withEngine((engine) => Promise.resolve(engine.projects.add(archive.service.projects)), other)
  await archive.sync(other)
  archive.service.faults.clear()
  expect(await archive.sync()).toMatchObject({ filesDownloaded: 0 })
  expect(archivedFiles(archive)).toEqual(before)
})

describe('a database with the number and the times of the one that was closed', () => {
  /** Writes a copy over the file, as a backup program does that restores it in place. */
  const restoreInPlace = (archive: SampleArchive, copy: Buffer, mtime: Date) => {
    writeFileSync(databaseOf(archive), copy)
    utimesSync(databaseOf(archive), mtime, mtime)
  }
  /** A time that every file system keeps. */
  const closedAt = new Date('2026-01-01T00:00:00Z')
  const close = (archive: SampleArchive) => {
    utimesSync(databaseOf(archive), closedAt, closedAt)
    writeCleanShutdownMarker(databaseOf(archive))
    return { database: readFileSync(databaseOf(archive)), marker: readFileSync(`${databaseOf(archive)}.closed`) }
  }

  it('is compared with the archive, which has photos that are gone at the service', async () => {
    const archive = sharedArchive()
    const { database, marker } = close(archive)
    const checklist = checklistOf(archive)
    const photo = archive.service.addPhoto(checklist)
    await archive.sync()
    const before = archivedFiles(archive)
    archive.service.removePhoto(photo)
    restoreInPlace(archive, database, closedAt)
    writeFileSync(`${databaseOf(archive)}.closed`, marker)
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
    expect(archivedFiles(archive)).toEqual(before)
    expectTrueChecksums(archive.root)
    expect(archive.log.join()).toContain('projects that were removed since are in it again')
    expect(await archive.withEngine((engine) => engine.verify())).toMatchObject({
      missing: [],
      changed: [],
      unexpected: [],
    })
  })

  it('changes no file and records nothing if only its rights were changed', async () => {
    const archive = sharedArchive()
    close(archive)
    const records = () =>
      [...readFiles(archive.root).keys()].map((path) => statSync(join(archive.root, path), { bigint: true }).mtimeNs)
    const before = records()
    chmodSync(databaseOf(archive), 0o400)
    chmodSync(databaseOf(archive), 0o600)
    archive.service.requests.clear()
    await archive.withEngine(async (engine) => {
      await engine.status()
      expect(engine.activity({ groups: ['problems'], limit: 50 }).items).toEqual([])
    })
    expect(archive.log.join()).toContain('The database was compared with the archive folder')
    expect(archive.log.join()).not.toContain('The database was older')
    expect(records()).toEqual(before)
  })

  it('still writes the documents that were due', async () => {
    const archive = sharedArchive()
    const [file = ''] = documentsOf(archive)
    const newer = readFileSync(file, 'utf8')
    // As after a photo whose document met a full disk.
    const older = newer.replace(/"sha256": "[0-9a-f]{64}"/, '"sha256": null')
    expect(older).not.toBe(newer)
    writeFileSync(file, older)
    const db = new Database(databaseOf(archive))
    db.prepare('UPDATE checklists SET document_stale = 1').run()
    db.close()
    close(archive)
    chmodSync(databaseOf(archive), 0o400)
    chmodSync(databaseOf(archive), 0o600)
    await archive.sync()
    expect(readFileSync(file, 'utf8')).toBe(newer)
  })
})

it('a copy of the database with its log, made while it was in use, is compared with the archive', async () => {
  const archive = sharedArchive()
  const copy = `${archive.home}-copy`
  await archive.sync()
  await archive.withEngine((engine) => {
    engine.projects.remove(archive.service.projects[0]!.id)
    cpSync(archive.home, copy, { recursive: true })
    return Promise.resolve()
  })
  expect(statSync(join(copy, 'solarchive.sqlite3-wal')).size).toBeGreaterThan(0)
  const photo = archive.service.addPhoto(checklistOf(archive))
  await archive.sync()
  const before = archivedFiles(archive)
  archive.service.removePhoto(photo)
  rmSync(archive.home, { recursive: true })
  renameSync(copy, archive.home)
  expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
  expect(archivedFiles(archive)).toEqual(before)
  expectTrueChecksums(archive.root)
})

it.each([
  ['each project', 2_000, [0, 1, 2]],
  ['no project', 0, [0]],
] as const)(
  'a process killed during a rebuild that recorded %s leaves the rest to the next start',
  async (_, passedMs, counts) => {
    let elapsedMs = 0
    const clock = { ...systemClock, monotonicMs: () => (elapsedMs += passedMs) }
    const archive = sharedArchive()
    const before = archivedFiles(archive)
    loseDatabase(archive)
    const folders = [archive.home, archive.root]
    const moments = await recordSnapshots(folders, () => archive.withEngine((engine) => engine.status(), {}, { clock }))
    const projectsDone: number[] = []
    for (const { restore } of moments.filter(({ name }) => /^\d+, before openSync .*checklist\.json$/.test(name))) {
      restore()
      const store = createStore(databaseOf(archive))
      projectsDone.push(createRebuildMarker(store.meta).get()?.done.length ?? -1)
      store.close()
      restore()
      expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
      expect(filesSent(archive)).toBe(0)
      expect(archivedFiles(archive)).toEqual(before)
      await expectWhole(archive)
    }
    expect(new Set(projectsDone)).toEqual(new Set(counts))
  },
)

it.each(['damaged', 'restored'] as const)(
  'a project that a stopped rebuild of a %s database read, and reads again, has the same rows and files',
  async (reason) => {
    const archive = sharedArchive()
    const [edited = '', missing = ''] = [...readFiles(archive.root).keys()].filter((path) => path.includes('/photos/'))
    const file = join(archive.root, edited)
    writeFileSync(
      file,
      readFileSync(file).map((byte) => byte ^ 1),
    )
    rmSync(join(archive.root, missing))
    if (reason === 'damaged') loseDatabase(archive)
    else {
      // As of a backup from before the photos were archived.
      const older = new Database(databaseOf(archive))
      older.exec("UPDATE assets SET sha256 = NULL, size_bytes = NULL, archived_at = NULL WHERE kind = 'photo'")
      older.close()
    }
    const store = createStore(databaseOf(archive))
    onTestFinished(() => store.close())
    const clock = { ...systemClock, nowMs: () => Date.parse('2027-01-01T00:00:00Z') }
    const deps = { folders: new ArchiveFolders(archive.root), store, ports: { clock, logger: silentLogger } }
    const rebuild = async () => {
      createRebuildMarker(store.meta).set({ reason, done: [] })
      await rebuildDatabase(deps, new AbortController().signal)
      const database = new Database(databaseOf(archive), { readonly: true })
      const names = database
        .prepare<[], { name: string }>(
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'",
        )
        .all()
        .map(({ name }) => name)
        .filter((name) => !['activity', 'meta'].includes(name) && !name.startsWith('search'))
      const rows = names.map((name) => [name, database.prepare(`SELECT * FROM ${name}`).all()])
      database.close()
      return { rows: new Map(rows as [string, unknown[]][]), files: hashFiles(archive.root) }
    }
    const first = await rebuild()
    expect(first.rows.get('assets')).not.toEqual([])
    expect([...first.files.keys()].filter((path) => path.includes(' (edited '))).toHaveLength(1)
    expect(await rebuild()).toEqual(first)
  },
)

it('a rebuild reads the row of each checklist alone, and not those of its whole project', async () => {
  const archive = sharedArchive()
  loseDatabase(archive)
  const store = createStore(databaseOf(archive))
  onTestFinished(() => store.close())
  const lists = vi.spyOn(store.checklists, 'listForProject')
  const deps = { folders: new ArchiveFolders(archive.root), store, ports: { clock: systemClock, logger: silentLogger } }
  for (const state of ['new', 'known']) {
    createRebuildMarker(store.meta).set({ reason: 'damaged', done: [] })
    await rebuildDatabase(deps, new AbortController().signal)
    expect(store.projects.listAll(), state).toHaveLength(3)
    expect(lists, state).not.toHaveBeenCalled()
  }
})

it('an older database is named as such also if its comparison with the archive was stopped once', async () => {
  const archive = sharedArchive()
  const [first = ''] = readdirSync(archive.root).sort()
  const older = new Database(databaseOf(archive))
  older
    .prepare("UPDATE assets SET sha256 = NULL, archived_at = NULL WHERE kind = 'photo' AND path LIKE ? || '/%'")
    .run(first)
  older.close()
  const store = createStore(databaseOf(archive))
  onTestFinished(() => store.close())
  const marker = createRebuildMarker(store.meta)
  marker.set({ reason: 'restored', done: [] })
  let elapsedMs = 0
  const stopped = new AbortController()
  const clock = {
    ...systemClock,
    monotonicMs: () => {
      if (marker.get()?.done.length === 1) stopped.abort()
      return (elapsedMs += 2_000)
    },
  }
  const messages: string[] = []
  const logger = { ...silentLogger, showMessage: (message: string) => void messages.push(message) }
  const deps = { folders: new ArchiveFolders(archive.root), store, ports: { clock, logger } }
  await expect(rebuildDatabase(deps, stopped.signal)).rejects.toMatchObject({ code: 'cancelled' })
  expect(messages).toEqual([])
  expect(marker.get()?.done).toEqual([first])
  await rebuildDatabase(deps, new AbortController().signal)
  expect(messages).toEqual([expect.stringContaining('The database was older than the archive folder')])
  const shown = { before: null, after: null, kinds: null, projectId: null, limit: 1 }
  expect(store.activity.list(shown)).toMatchObject([{ kind: 'database-rebuilt' }])
})

it('a database created while the drive was away recognizes the archive when the drive is back', async () => {
  const archive = await sampleArchive({
    projects: 2,
    checklistsPerProject: 1,
    statuses: ['completed'],
    awkwardNames: false,
  })
  await archive.sync()
  renameSync(archive.root, `${archive.root}-away`)
  rmSync(archive.home, { recursive: true })
  mkdirSync(archive.root)
  const start = (work: (engine: Engine) => Promise<unknown>) =>
    archive.withEngine(async (engine) => {
      for (const { id } of engine.projects.list()) engine.projects.remove(id)
      await work(engine)
    })
  await start((engine) => engine.sync())
  rmSync(archive.root, { recursive: true })
  renameSync(`${archive.root}-away`, archive.root)
  archive.service.requests.clear()
  expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
})

it('a database that creates the archive folder recognizes the archive if the drive is back at that moment', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  await archive.sync()
  const away = `${archive.root}-away`
  let [isLater, moment] = [true, 0]
  for (; isLater; moment += 1) {
    rmSync(archive.home, { recursive: true, force: true })
    const store = createStore(databaseOf(archive))
    createRebuildMarker(store.meta).set({ reason: 'new', done: [] })
    renameSync(archive.root, away)
    const watched = watchCalls({ roots: [archive.root], outside: away }, (count) => {
      if (count === moment + 1) renameSync(away, archive.root)
    })
    const deps = {
      folders: new ArchiveFolders(archive.root),
      store,
      ports: { clock: systemClock, logger: silentLogger },
    }
    try {
      await rebuildDatabase(deps, new AbortController().signal, { startsArchive: true })
    } finally {
      watched.stop()
    }
    isLater = !existsSync(away)
    if (isLater) expect([moment, store.projects.listAll().length]).toEqual([moment, 1])
    store.close()
  }
  expect(moment).toBeGreaterThan(3)
})

it('a database created while too many files are open asks about the orders that another one had', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  await archive.sync()
  rmSync(archive.home, { recursive: true })
  const end = await failCalls({ below: [archive.root], calls: ['descriptor'], from: 1, what: 'EMFILE' })
  onTestFinished(() => void end())
  await archive.withEngine(async (engine) => {
    expect(end()).toBeGreaterThan(0)
    expect(await engine.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
  })
  const store = createStore(databaseOf(archive))
  onTestFinished(() => store.close())
  expect(store.meta.get('orders-may-be-missing-since')).toBeDefined()
})

it('a database created while the drive of its archive is away is rebuilt once that is back', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  await archive.sync()
  rmSync(archive.home, { recursive: true })
  renameSync(archive.root, `${archive.root}-away`)
  const end = await failCalls({ below: [archive.root], calls: ['mkdir'], from: 1, what: 'EACCES' })
  onTestFinished(() => void end())
  await archive.withEngine(async (engine) => {
    await expect(engine.sync()).rejects.toMatchObject({ code: 'archive-read-only' })
    end()
    renameSync(`${archive.root}-away`, archive.root)
    expect(await engine.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
  })
  const store = createStore(databaseOf(archive))
  onTestFinished(() => store.close())
  expect(store.meta.get('orders-may-be-missing-since')).toBeDefined()
})

it.each([1, 3, 5])('a project is rebuilt although its document cannot be read at first (%i calls)', async (times) => {
  const archive = await sampleArchive({ projects: 2, checklistsPerProject: 1, statuses: ['completed'] })
  await archive.sync()
  rmSync(archive.home, { recursive: true })
  const [document = ''] = [...readFiles(archive.root).keys()].filter((path) => path.endsWith('/checklist.json'))
  const calls = {
    below: [join(archive.root, document)],
    calls: ['descriptor'],
    from: 1,
    times,
    what: 'EMFILE',
  } as const
  const end = await failCalls(calls)
  onTestFinished(() => void end())
  await archive.withEngine(async (engine) => {
    await engine.status().catch(() => undefined)
    expect(end()).toBeGreaterThan(0)
    expect(await engine.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
  })
})
