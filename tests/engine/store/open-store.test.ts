import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import fs, {
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
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createDatabaseBackups } from '../../../electron/engine/store/backup-database.ts'
import { judgeCheck } from '../../../electron/engine/store/check-database.ts'
import { writeCleanShutdownMarker } from '../../../electron/engine/store/clean-shutdown-marker.ts'
import { quarantineDatabase } from '../../../electron/engine/store/database-files.ts'
import { migrations } from '../../../electron/engine/store/migrate.ts'
import { createRebuildMarker } from '../../../electron/engine/store/rebuild-marker.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { errnoError } from '../archive/folder-test.ts'
import { dayMs, storeFolder } from './store-folder.ts'

/** The start of each migration's SHA-256. A new migration adds a line; no line changes. */
const migrationHashes = [
  '032c93e7af82',
  '6a118ea467d0',
  'bfd5ea731c47',
  'a7e3fbb0795a',
  '52da21067d27',
  '7f837b3061fb',
  '0b540c9215fa',
  'b38e81f24e85',
  '47d87d0a9154',
  'c3c8562ddbb7',
  'bae818202a0b',
  '77764ff84f5e',
  '82b24eed0c0c',
  '9a4408d25f94',
  'a69eae7b3449',
  '72d1da37e0fb',
  '4ef5e716c1a9',
  '98d8f106ad79',
  '309e892f7875',
  '2ca5dc6e9d32',
  '71d3c1d126b4',
  '628fc16de0a5',
  'e22f9d0ca130',
]

it('no migration ever changes, not even in a comment: a database made before would not be known any more', () => {
  expect(migrations.map((sql) => hash('sha256', sql).slice(0, 12))).toEqual(migrationHashes)
})

const asideOf = (home: string) => readdirSync(home).filter((name) => name.includes('.damaged-'))

function pretendPlatform(value: NodeJS.Platform): void {
  const { platform } = process
  Object.defineProperty(process, 'platform', { value })
  onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }))
}

function change(file: string, sql: string): void {
  const db = new Database(file)
  db.exec(sql)
  db.close()
}

describe('the database is checked', () => {
  it('but not after an orderly close', () => {
    const folder = storeFolder()
    folder.open().close()
    folder.open().close()
    folder.open().close()
    expect(folder.checks()).toBe(0)
  })

  it('once a week, even if a wrong clock dated the last check in the future', async () => {
    const folder = storeFolder()
    folder.open().close()
    await folder.clock.advance(7 * dayMs - 1)
    folder.open().close()
    expect(folder.checks()).toBe(0)
    await folder.clock.advance(1)
    folder.open().close()
    folder.open().close()
    expect(folder.checks()).toBe(1)
    change(folder.file, "UPDATE meta SET value = '2099-01-01T00:00:00.000Z' WHERE key = 'integrity-checked-at'")
    folder.open().close()
    expect(folder.checks()).toBe(2)
  })

  it('after a process that was killed, which leaves the database and no copy of it', async () => {
    const folder = storeFolder()
    const first = folder.open()
    createRebuildMarker(first.meta).clear()
    first.close()
    const module = new URL('../../../electron/engine/store/open-store.ts', import.meta.url).href
    const script = `
      import { openStore } from ${JSON.stringify(module)}
      const silent = () => undefined
      const logger = { debug: silent, info: silent, warn: silent, error: silent }
      const store = openStore({ homeFolder: process.argv[1], clock: { nowMs: () => ${folder.clock.nowMs()} }, logger })
      store.projects.put('p', null, null, '2026-01-01T00:00:00Z')
      console.log('open')
      // A store that nothing uses any more is collected as garbage, and thereby closed.
      setInterval(() => store, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder.home], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const store = folder.open()
    expect(folder.checks()).toBe(1)
    expect(store.projects.get('p')).toBeDefined()
    expect(createRebuildMarker(store.meta).get()).toBeUndefined()
    store.close()
    expect(asideOf(folder.home)).toEqual([])
    folder.open().close()
    expect(folder.checks()).toBe(1)
  })

  it('after another program wrote to it, and after damage was found', () => {
    const folder = storeFolder()
    folder.open().close()
    change(folder.file, 'CREATE TABLE t (a); DROP TABLE t')
    const store = folder.open()
    expect(folder.checks()).toBe(1)
    store.suspectDamage()
    store.close()
    folder.open().close()
    expect(folder.checks()).toBe(2)
  })
})

describe('a damaged database', () => {
  it.each([
    [
      'an index that does not fit its table',
      'PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = ' +
        "(SELECT rootpage FROM sqlite_schema WHERE name = 'jobs_by_project') WHERE name = 'jobs_queued'",
    ],
    ['an extra table', 'CREATE TABLE colours (name TEXT)'],
    ['a missing table', 'DROP TABLE replacements'],
    [
      'a row that refers to nothing',
      'PRAGMA foreign_keys = OFF; ' +
        "INSERT INTO jobs (asset_id, project_id, purpose, state) VALUES (7, 'p', 'fetch', 'queued')",
    ],
    [
      'invalid JSON',
      "INSERT INTO projects (id, added_at) VALUES ('p', 't'); " +
        'INSERT INTO checklists (project_id, id, title, status, fingerprint, entry_raw) ' +
        "VALUES ('p', 'c', 't', 's', 'f', '{ cut off')",
    ],
    ...['listed_before', 'field_problems', 'candidates', 'remote', 'remote_view'].map((column) => [
      `invalid JSON in ${column} of an order`,
      `INSERT INTO orders (state, source, project_id, texts, created_at, changed_at, ${column})
         VALUES ('draft', 'app', 'p', '{}', 't', 't', '{ cut off')`,
    ]),
    [
      'invalid JSON in an attempt to place an order',
      `INSERT INTO order_attempts
         (source, project_id, texts, payload, fingerprint, sent_at, listed_before, unchecked)
         VALUES ('app', 'p', '{}', '{}', 'f', 't', '{ cut off', 0)`,
    ],
    ['invalid JSON in the facts of a checklist', "INSERT INTO checklist_facts VALUES (1, '{ cut off')"],
    ['invalid JSON in the totals', "INSERT INTO project_totals VALUES ('r', '{ cut off')"],
    ['an older version number on the current schema', 'PRAGMA user_version = 1'],
  ])('with %s is quarantined, and an empty database waits to be filled', (_name, sql) => {
    const folder = storeFolder()
    folder.open().close()
    const db = new Database(folder.file)
    db.unsafeMode(true)
    db.exec(sql)
    db.close()
    const store = folder.open()
    expect(asideOf(folder.home)).toHaveLength(1)
    expect(createRebuildMarker(store.meta).get()).toEqual({ reason: 'damaged', done: [] })
    expect(store.projects.listAll()).toEqual([])
    store.close()
  })

  it('with unreadable meta rows is still used', () => {
    const folder = storeFolder()
    folder.open().close()
    change(
      folder.file,
      "INSERT INTO meta (key, value) VALUES ('archive-rebuild', '{'), ('integrity-checked-at', 'long ago') " +
        'ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    )
    const store = folder.open()
    expect(createRebuildMarker(store.meta).get()).toEqual({ reason: 'damaged', done: [] })
    store.close()
    expect(asideOf(folder.home)).toEqual([])
  })

  it('is quarantined together with its log, and never over an existing file', () => {
    const folder = storeFolder()
    for (let round = 0; round < 2; round++) {
      writeFileSync(folder.file, `garbage ${round} `.repeat(1000))
      writeFileSync(`${folder.file}-wal`, `log ${round}`)
      folder.open().close()
    }
    const aside = asideOf(folder.home).sort()
    expect(aside.filter((name) => !name.endsWith('-wal'))).toEqual([
      'solarchive.sqlite3.damaged-2026-01-01T00-00-00Z',
      'solarchive.sqlite3.damaged-2026-01-01T00-00-00Z-2',
    ])
    expect(readFileSync(join(folder.home, aside[0] ?? ''), 'utf8')).toContain('garbage 0')
  })

  it('is quarantined although another program of Windows reads it for a moment', () => {
    const folder = temporaryFolder()
    const file = join(folder, 'solarchive.sqlite3')
    writeFileSync(file, 'damaged')
    const held = vi.spyOn(fs, 'renameSync').mockImplementationOnce(() => {
      throw errnoError('EPERM')
    })
    pretendPlatform('win32')
    syncBuiltinESMExports()
    onTestFinished(() => {
      held.mockRestore()
      syncBuiltinESMExports()
    })
    const name = quarantineDatabase(file, '2027-01-01T00:00:00Z')
    expect(readdirSync(folder)).toEqual([name])
  })
})

describe('a start that ended', () => {
  it('after the quarantine of a damaged database, before its replacement, is continued by the next one', () => {
    const folder = storeFolder()
    folder.open().close()
    renameSync(folder.file, `${folder.file}.damaged-2026-01-01T00-00-00Z`)
    writeFileSync(`${folder.file}.new`, 'half')
    const store = folder.open()
    expect(createRebuildMarker(store.meta).get()).toEqual({ reason: 'damaged', done: [] })
    expect(store.meta.get('orders-may-be-missing-since')).toBeDefined()
    expect(folder.log.join()).toContain('The database was damaged.')
    createRebuildMarker(store.meta).clear()
    store.close()
    // A database that was quarantined long ago says nothing about the one that is there.
    const next = folder.open()
    expect(createRebuildMarker(next.meta).get()).toBeUndefined()
    next.close()
    expect(asideOf(folder.home)).toHaveLength(1)
  })

  it('before anything was quarantined is a first start again', () => {
    const folder = storeFolder()
    writeFileSync(`${folder.file}.new`, 'half')
    const store = folder.open()
    expect(createRebuildMarker(store.meta).get()).toEqual({ reason: 'new', done: [] })
    store.close()
  })
})

describe('a database without damage stays in place', () => {
  it('if it is from a newer version', () => {
    const folder = storeFolder()
    folder.open().close()
    change(folder.file, 'PRAGMA user_version = 999')
    expect(() => folder.open()).toThrow(expect.objectContaining({ code: 'database-newer' }))
    expect(asideOf(folder.home)).toEqual([])
  })

  it('if another program keeps it locked', () => {
    const folder = storeFolder()
    folder.open().close()
    const other = new Database(folder.file)
    other.pragma('locking_mode = EXCLUSIVE')
    other.exec('BEGIN EXCLUSIVE')
    expect(() => folder.open()).toThrow(expect.objectContaining({ code: 'data-folder-locked' }))
    other.exec('ROLLBACK')
    other.close()
    expect(asideOf(folder.home)).toEqual([])
    folder.open().close()
  })

  it('if it cannot be opened', () => {
    const folder = storeFolder()
    mkdirSync(folder.file)
    writeFileSync(join(folder.file, 'something'), 'else')
    expect(() => folder.open()).toThrow(expect.objectContaining({ code: 'disk-error' }))
    expect(existsSync(join(folder.file, 'something'))).toBe(true)
    expect(asideOf(folder.home)).toEqual([])
  })

  it('if the disk could not read a page', () => {
    // SQLite's result code 10 is SQLITE_IOERR, 266 its SQLITE_IOERR_READ; 11 is SQLITE_CORRUPT.
    const line = (code: number) => [{ integrity_check: `Tree 5: btreeInitPage() returns error code=${code}` }]
    for (const code of [7, 10, 266]) {
      expect(() => judgeCheck(line(code))).toThrow(expect.objectContaining({ code: 'disk-error' }))
    }
    expect(judgeCheck(line(11))).toContain('error code=11')
    expect(judgeCheck([{ integrity_check: 'ok' }])).toBeUndefined()
  })
})

describe('a lost database', () => {
  async function withBackups(days: number) {
    const folder = storeFolder()
    const store = folder.open()
    createRebuildMarker(store.meta).clear()
    const backups = createDatabaseBackups({ store, folder: folder.backups, logger: folder.logger })
    for (let day = 1; day <= days; day++) {
      store.projects.put(`p${day}`, null, null, '2026-01-01T00:00:00Z')
      expect(await backups.backupIfDue(folder.clock.nowMs())).toBe('made')
      await folder.clock.advance(dayMs)
    }
    store.close()
    return folder
  }

  it('is restored from its newest backup, with a marker that later changes are missing', async () => {
    const folder = await withBackups(3)
    rmSync(folder.file)
    const store = folder.open()
    expect(store.projects.listAll().map(({ id }) => id)).toEqual(['p1', 'p2', 'p3'])
    expect(createRebuildMarker(store.meta).get()).toEqual({ reason: 'restored', done: [] })
    expect(folder.log.join()).toContain('added or removed since then may have to be added or removed again')
    store.close()
    expect(readdirSync(folder.backups)).toHaveLength(3)
  })

  it('is restored from an older backup if newer ones are damaged, which are kept', async () => {
    const folder = await withBackups(3)
    const names = readdirSync(folder.backups).sort()
    writeFileSync(join(folder.backups, names[2] ?? ''), 'garbage'.repeat(1000))
    const page = readFileSync(join(folder.backups, names[1] ?? ''))
    page.fill(0, 4096 * 3, 4096 * 4)
    writeFileSync(join(folder.backups, names[1] ?? ''), page)
    rmSync(folder.file)
    const store = folder.open()
    expect(store.projects.listAll().map(({ id }) => id)).toEqual(['p1'])
    store.close()
    expect(readdirSync(folder.backups).sort()).toEqual(names)
  })

  it('is not replaced by an older version of Solarchive if its newest backup is from a newer one', async () => {
    const folder = await withBackups(2)
    const names = readdirSync(folder.backups).sort()
    const newest = join(folder.backups, names[1] ?? '')
    change(newest, 'PRAGMA user_version = 999')
    const bytes = readFileSync(newest)
    rmSync(folder.file)
    expect(() => folder.open()).toThrow(expect.objectContaining({ code: 'database-newer' }))
    expect(() => folder.open()).toThrow(`its backup ${newest} is from a newer Solarchive`)
    expect(() => folder.open()).toThrow('Install the newer version again')
    expect(readdirSync(folder.home).sort()).toEqual(['backups', 'solarchive.sqlite3.closed'])
    expect(readdirSync(folder.backups).sort()).toEqual(names)
    expect(readFileSync(newest)).toEqual(bytes)
    expect(() => folder.open()).toThrow('move that backup to another folder')
    renameSync(newest, join(temporaryFolder(), 'newer'))
    const store = folder.open()
    expect(store.projects.listAll().map(({ id }) => id)).toEqual(['p1'])
    store.close()
  })

  it('is restored again if a start was interrupted during a restore', async () => {
    const folder = await withBackups(1)
    rmSync(folder.file)
    writeFileSync(`${folder.file}.new`, 'half')
    writeFileSync(`${folder.file}.new-wal`, 'half')
    const store = folder.open()
    expect(store.projects.listAll()).toHaveLength(1)
    store.close()
    expect(readdirSync(folder.home).sort()).toEqual(['backups', 'solarchive.sqlite3', 'solarchive.sqlite3.closed'])
  })
})

describe('a data folder that was restored from a copy', () => {
  const later = '2026-01-02T00:00:00Z'
  const texts = { projectId: 'p1', homeownerName: 'Ann Lee' }

  function closedFolder() {
    const folder = storeFolder()
    const store = folder.open()
    createRebuildMarker(store.meta).clear()
    store.projects.put('p1', null, null, later)
    store.close()
    // A time that every copy keeps, whatever the precision.
    utimesSync(folder.file, 1_700_000_000, 1_700_000_000)
    writeCleanShutdownMarker(folder.file)
    return folder
  }

  it('may lack what was recorded since, although its files have their times', () => {
    const folder = closedFolder()
    const copy = join(temporaryFolder(), 'copy')
    const keepingTimes = { recursive: true, preserveTimestamps: true }
    cpSync(folder.home, copy, keepingTimes)
    rmSync(folder.file)
    cpSync(copy, folder.home, keepingTimes)
    const store = folder.open()
    expect(createRebuildMarker(store.meta).get()).toEqual({ reason: 'restored', done: [] })
    store.close()
    expect(folder.checks()).toBe(1)
  })

  it('may lack it too if a copy was written over the file, which keeps its number', () => {
    const folder = closedFolder()
    writeFileSync(folder.file, readFileSync(folder.file))
    utimesSync(folder.file, 1_700_000_000, 1_700_000_000)
    const store = folder.open()
    expect(createRebuildMarker(store.meta).get()).toEqual({ reason: 'restored', done: [] })
    const orderId = store.orders.insertDraft({ source: 'app', texts, region: null, at: later })
    expect(store.orders.get(orderId)?.restored).toBe(1)
    store.close()
  })

  it('may lack it too if a reader had left an empty write-ahead log', () => {
    const folder = closedFolder()
    const copy = join(temporaryFolder(), 'copy')
    cpSync(folder.file, copy)
    writeFileSync(`${folder.file}-wal`, '')
    renameSync(copy, folder.file)
    const store = folder.open()
    expect(createRebuildMarker(store.meta).get()).toEqual({ reason: 'restored', done: [] })
    const orderId = store.orders.insertDraft({ source: 'app', texts, region: null, at: later })
    expect(store.orders.get(orderId)?.restored).toBe(1)
    store.close()
  })

  /** Puts a copy back that was made while the database was in use, with its write-ahead log. */
  function restoreCopyInUse(folder = closedFolder()) {
    const file = { recursive: true, preserveTimestamps: true }
    const store = folder.open()
    store.orders.insertDraft({ source: 'app', texts, region: null, at: later })
    const copy = join(temporaryFolder(), 'copy')
    cpSync(folder.home, copy, file)
    store.close()
    rmSync(folder.home, { recursive: true })
    cpSync(copy, folder.home, file)
    expect(statSync(`${folder.file}-wal`).size).toBeGreaterThan(0)
    return folder
  }

  it('may lack it too if the copy was made while the database was in use, with its write-ahead log', () => {
    const folder = restoreCopyInUse()
    const store = folder.open()
    expect(createRebuildMarker(store.meta).get()).toEqual({ reason: 'restored', done: [] })
    expect(store.orders.get(1)?.restored).toBe(1)
    createRebuildMarker(store.meta).clear()
    store.close()
    const next = folder.open()
    expect(createRebuildMarker(next.meta).get()).toBeUndefined()
    next.close()
  })

  it.each([
    ['has no birth times', () => 0n],
    ['has no birth times, for which Node returns that of the last change', ({ ctimeNs }) => ctimeNs],
    ['has birth times in hundredths of a second', ({ birthtimeNs }) => birthtimeNs - (birthtimeNs % 10_000_000n)],
    ['gives the same file another number at the next mount', () => 1_700_000_000_123_456_789n],
    ['is a share of SMB, whose server may compute birth times', ({ birthtimeNs }) => birthtimeNs, 0xfe534d42],
  ] satisfies [string, (found: fs.BigIntStats) => bigint, number?][])(
    'is not taken for one after a kill on a disk of Linux that %s',
    (_name, birthtimeNs, type = 0xef53) => {
      // A new database needs the real platform: Windows refuses to sync folders.
      const folder = closedFolder()
      const { statSync: stat } = fs
      pretendPlatform('linux')
      const stats = vi.spyOn(fs, 'statSync').mockImplementation(((path: string, options: fs.StatSyncOptions) => {
        const found = stat(path, options) as fs.BigIntStats | undefined
        return found && options?.bigint ? Object.assign(found, { birthtimeNs: birthtimeNs(found) }) : found
      }) as typeof stat)
      const disk = vi.spyOn(fs, 'statfsSync').mockReturnValue({ ...fs.statfsSync(folder.home), type })
      syncBuiltinESMExports()
      onTestFinished(() => {
        stats.mockRestore()
        disk.mockRestore()
        syncBuiltinESMExports()
      })
      // Another file with the same content looks there as the same one does after a mount.
      const store = restoreCopyInUse(folder).open()
      expect(createRebuildMarker(store.meta).get()).toBeUndefined()
      expect(store.orders.get(1)?.restored).toBe(0)
      store.close()
    },
  )

  it.each([
    ['win32', 'linux'],
    ['linux', 'win32'],
  ] as const)(
    'is not taken for one on %s, which identifies files by something else, after a kill on %s',
    (now, last) => {
      const folder = closedFolder()
      pretendPlatform(last)
      restoreCopyInUse(folder)
      pretendPlatform(now)
      const store = folder.open()
      expect(createRebuildMarker(store.meta).get()).toBeUndefined()
      expect(store.orders.get(1)?.restored).toBe(0)
      store.close()
    },
  )

  it('is compared with all projects, also with those that a rebuild had compared before the copy was made', () => {
    const folder = closedFolder()
    const store = folder.open()
    createRebuildMarker(store.meta).set({ reason: 'damaged', done: ['Lee [p1]'], restored: true })
    store.close()
    const open = () => {
      const reopened = folder.open()
      const pending = createRebuildMarker(reopened.meta).get()
      reopened.close()
      return pending
    }
    expect(open()).toEqual({ reason: 'damaged', done: ['Lee [p1]'], restored: true })
    utimesSync(folder.file, 1_700_000_000, 1_700_000_000)
    writeCleanShutdownMarker(folder.file)
    writeFileSync(folder.file, readFileSync(folder.file))
    utimesSync(folder.file, 1_700_000_000, 1_700_000_000)
    expect(open()).toEqual({ reason: 'damaged', done: [], restored: true })
  })

  it('is none after it was moved, nor with a marker of an earlier version', () => {
    const folder = closedFolder()
    renameSync(folder.home, `${folder.home}-moved`)
    renameSync(`${folder.home}-moved`, folder.home)
    folder.open().close()
    utimesSync(folder.file, 1_700_000_000, 1_700_000_000)
    const { size } = statSync(folder.file)
    writeFileSync(`${folder.file}.closed`, `{"sizeBytes":"${size}","modifiedNs":"1700000000000000000"}\n`)
    const store = folder.open()
    expect(createRebuildMarker(store.meta).get()).toBeUndefined()
    store.close()
    expect(folder.checks()).toBe(0)
  })
})
