import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFileLog } from '../../../electron/engine/hosting/log/create-file-log.ts'
import { prepareHomeFolder } from '../../../electron/engine/hosting/prepare-home-folder.ts'
import { createRedactor } from '../../../electron/engine/redact.ts'
import { createDatabaseBackups } from '../../../electron/engine/store/backup-database.ts'
import { lockDataFolder } from '../../../electron/engine/store/data-folder-lock.ts'
import { openStore } from '../../../electron/engine/store/open-store.ts'
import { createRebuildMarker } from '../../../electron/engine/store/rebuild-marker.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const rightsOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** A folder that was there before, open to others, and the rights of what is in it. */
function openFolder() {
  const place = mkdtempSync(join(tmpdir(), 'solarchive-rights-'))
  onTestFinished(() => rmSync(place, { recursive: true }))
  const home = join(place, 'data')
  mkdirSync(home)
  chmodSync(home, 0o755)
  return {
    place,
    home,
    put: (name: string, mode = 0o644) => {
      writeFileSync(join(home, name), '')
      chmodSync(join(home, name), mode)
    },
    putFolder: (name: string, mode = 0o755) => {
      mkdirSync(join(home, name))
      chmodSync(join(home, name), mode)
    },
    rights: () =>
      Object.fromEntries(
        readdirSync(home, { recursive: true, encoding: 'utf8' }).map((name) => [name, rightsOf(join(home, name))]),
      ),
  }
}

/** Opens a data folder as the hosts do and has everything written to it that the engine writes by itself. */
async function work(home: string) {
  const clock = new FakeClock()
  prepareHomeFolder(home)
  const logger = createFileLog({ homeFolder: home, redactor: createRedactor(), clock, onBroken: () => undefined })
  const lock = lockDataFolder(home)
  const store = openStore({ homeFolder: home, clock, logger: { ...logger, tell: () => undefined } })
  createRebuildMarker(store.meta).clear()
  const backups = createDatabaseBackups({ store, folder: join(home, 'backups'), logger })
  expect(await backups.backupIfDue(clock.nowMs())).toBe('made')
  logger.info('Something happened')
  return {
    end() {
      store.close()
      lock.release()
    },
  }
}

describe.skipIf(process.platform === 'win32')('other users of the machine', () => {
  it('can read nothing that is written into a folder which is open to them', async () => {
    const { home, rights } = openFolder()
    const working = await work(home)
    const during = rights()
    expect(Object.keys(during)).toEqual(
      expect.arrayContaining(['lock.sqlite3', 'logs/solarchive.log', 'solarchive.pid', 'solarchive.sqlite3-wal']),
    )
    working.end()
    for (const [name, mode] of Object.entries({ ...during, ...rights() })) {
      expect([name, mode]).toEqual([name, ['backups', 'logs'].includes(name) ? '700' : '600'])
    }
  })

  it('are shut out of a folder that is new, and at the next start of one that holds our database and nothing else', async () => {
    const { place, home, put } = openFolder()
    prepareHomeFolder(join(place, 'new/data'))
    expect([rightsOf(join(place, 'new')), rightsOf(join(place, 'new/data'))]).toEqual(['700', '700'])
    ;(await work(home)).end()
    expect(rightsOf(home)).toBe('755')
    put('token', 0o600)
    prepareHomeFolder(home)
    expect(rightsOf(home)).toBe('700')
  })

  it('lose what they could do with the files of before, whatever else is in the folder', () => {
    const { home, put, putFolder, rights } = openFolder()
    const own = [
      ...['solarchive.sqlite3', 'solarchive.sqlite3-wal', 'solarchive.sqlite3-shm', 'lock.sqlite3', 'solarchive.pid'],
      ...['solarchive.sqlite3.damaged-2026-01-01T00-00-00Z', 'settings.json', 'archive-move.json', 'token.encrypted'],
    ]
    for (const name of own) put(name, 0o666)
    for (const name of ['backups', 'logs', 'chromium']) putFolder(name)
    for (const name of [
      'backups/solarchive-2026-01-01T00-00-00Z.sqlite3',
      'logs/solarchive.log',
      'logs/solarchive.4.log',
    ])
      put(name)
    const others = { 'holiday.jpg': '644', 'backups/mine.txt': '644', archive: '755', 'archive/a.jpg': '644' }
    put('holiday.jpg')
    put('backups/mine.txt')
    putFolder('archive')
    put('archive/a.jpg')
    prepareHomeFolder(home)
    expect(rights()).toMatchObject({
      ...Object.fromEntries(own.map((name) => [name, '600'])),
      ...{ backups: '700', logs: '700', chromium: '700' },
      ...{ 'backups/solarchive-2026-01-01T00-00-00Z.sqlite3': '600', 'logs/solarchive.log': '600' },
      'logs/solarchive.4.log': '600',
      ...others,
    })
    expect(rightsOf(home)).toBe('755')
  })

  it('keep what is not ours: a folder without our database, a token file, and what a link leads to', () => {
    const { place, home, put, rights } = openFolder()
    put('token', 0o640)
    writeFileSync(join(place, 'elsewhere'), '')
    chmodSync(join(place, 'elsewhere'), 0o644)
    symlinkSync(join(place, 'elsewhere'), join(home, 'settings.json'))
    prepareHomeFolder(home)
    expect([rightsOf(home), rights()]).toEqual(['755', { token: '640', 'settings.json': '644' }])
  })

  it('are no reason to take rights from the owner, or to give some', () => {
    const { home, put, rights } = openFolder()
    put('solarchive.sqlite3', 0o440)
    put('settings.json', 0o400)
    chmodSync(home, 0o2775)
    prepareHomeFolder(home)
    expect([statSync(home).mode & 0o7777, rights()]).toEqual([
      0o2700,
      { 'solarchive.sqlite3': '400', 'settings.json': '400' },
    ])
  })
})
