import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { shapePresets } from '../../../electron/sample-service/http/response-shapes.ts'
import { archivedFiles, backupsOf, databaseOf, expectWhole, filesSent, seasonedArchive } from './whole-archive.ts'
import { shareArchive } from '../../support/sample-archive.ts'

const pageBytes = 4096

function overwrite(file: string, position: number, bytes: Buffer): void {
  const handle = openSync(file, 'r+')
  writeSync(handle, bytes, 0, bytes.length, position)
  closeSync(handle)
}

/** Kinds of damage to a database file; `gone` leaves nothing to quarantine. */
const damages: readonly { name: string; gone?: true; damage: (file: string) => void }[] = [
  { name: 'deleted', gone: true, damage: (file) => rmSync(file) },
  { name: 'empty', damage: (file) => truncateSync(file, 0) },
  { name: 'truncated', damage: (file) => truncateSync(file, Math.floor(statSync(file).size / 2)) },
  { name: 'truncated within its header', damage: (file) => truncateSync(file, 50) },
  { name: 'garbage', damage: (file) => writeFileSync(file, 'This is no database. '.repeat(1000)) },
  {
    name: 'a zeroed page in the middle',
    damage: (file) => {
      const page = Math.floor(statSync(file).size / pageBytes / 2)
      overwrite(file, page * pageBytes, Buffer.alloc(pageBytes))
    },
  },
  {
    name: 'flipped bytes',
    damage: (file) => {
      for (let at = 2 * pageBytes; at < statSync(file).size; at += 3 * pageBytes) {
        overwrite(file, at, Buffer.from([0xff, 0x17, 0xff, 0xff, 0x00, 0xff, 0xff, 0xff]))
      }
    },
  },
  {
    name: "another program's database",
    damage: (file) => {
      rmSync(file)
      const other = new Database(file)
      other.exec('CREATE TABLE meta (colour TEXT); PRAGMA user_version = 2')
      other.close()
    },
  },
]

const pristineArchive = shareArchive((onDone) => seasonedArchive({}, onDone))

describe.each([
  { backup: 'with a backup of yesterday', kinds: damages },
  // Damage is found before a backup is looked for, so one kind of it is enough.
  { backup: 'without a backup', kinds: damages.filter(({ name }) => ['deleted', 'empty', 'garbage'].includes(name)) },
])('$backup', ({ backup, kinds }) => {
  it.each(kinds)('after a database is $name, the next sync restores everything', async ({ damage, gone }) => {
    const archive = pristineArchive()
    const before = archivedFiles(archive)
    const loggedBefore = archive.log.length
    if (backup === 'without a backup') rmSync(backupsOf(archive), { recursive: true })
    damage(databaseOf(archive))

    expect(await archive.sync()).toMatchObject({ projects: 3, filesDownloaded: 0, filesFailed: 0, failures: [] })
    expect(filesSent(archive)).toBe(0)
    expect(archivedFiles(archive)).toEqual(before)
    await expectWhole(archive)
    expect(readdirSync(archive.home).some((name) => name.includes('.damaged-'))).toBe(gone !== true)
    expect(existsSync(databaseOf(archive))).toBe(true)
    const reassurances = archive.log
      .slice(loggedBefore)
      .filter((line) => line.includes('The archived files are not affected'))
    expect(reassurances).toHaveLength(gone === true && backup === 'without a backup' ? 0 : 1)
  })
})

it.each(['strong', 'weak', 'none'] as const)(
  'a lost database costs no download if the file host sends %s validators',
  async (validators) => {
    const archive = await seasonedArchive({ validators, projects: 2 })
    rmSync(backupsOf(archive), { recursive: true })
    rmSync(databaseOf(archive))
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
    expect(filesSent(archive)).toBe(0)
    await expectWhole(archive)
  },
)

it.each(Object.entries(shapePresets))(
  'a lost database costs no download if responses are %s',
  async (_name, shapes) => {
    const archive = await seasonedArchive({ shapes, projects: 2 })
    const before = archivedFiles(archive)
    rmSync(backupsOf(archive), { recursive: true })
    rmSync(databaseOf(archive))
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
    expect(filesSent(archive)).toBe(0)
    expect(archivedFiles(archive)).toEqual(before)
    await expectWhole(archive)
  },
)
