import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFileLog } from '../../electron/app/log/create-file-log.ts'
import { prepareHomeFolder } from '../../electron/app/prepare-home-folder.ts'
import { createRedactor } from '../../electron/engine/lib/redact.ts'
import { createDatabaseBackups } from '../../electron/engine/store/backup-database.ts'
import { lockDataFolder } from '../../electron/engine/store/data-folder-lock.ts'
import { openStore } from '../../electron/engine/store/open-store.ts'
import { createRebuildMarker } from '../../electron/engine/store/rebuild-marker.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const rightsOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** An existing folder that others may read, with functions to fill it and read its file modes. */
function openFolder() {
  const parent = temporaryFolder()
  const home = join(parent, 'data')
  mkdirSync(home)
  chmodSync(home, 0o755)
  return {
    parent,
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

/** Opens a data folder as the hosts do and writes everything to it that the engine writes by itself. */
async function work(home: string) {
  const clock = new FakeClock()
  prepareHomeFolder(home)
  const logger = createFileLog({ homeFolder: home, redactor: createRedactor(), clock, onBroken: () => undefined })
  const lock = lockDataFolder(home)
  const store = openStore({ homeFolder: home, clock, logger: { ...logger, showMessage: () => undefined } })
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

// Windows has no file modes for group and others.
describe.skipIf(process.platform === 'win32')('other users of the machine', () => {
  it('cannot read new files in a folder that is open to them', async () => {
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

  it('have no access to a new folder, but keep it to an existing one', async () => {
    const { parent, home, put } = openFolder()
    prepareHomeFolder(join(parent, 'new/data'))
    expect([rightsOf(join(parent, 'new')), rightsOf(join(parent, 'new/data'))]).toEqual(['700', '700'])
    ;(await work(home)).end()
    put('token', 0o600)
    prepareHomeFolder(home)
    expect(rightsOf(home)).toBe('755')
  })

  it('lose access to existing files of Solarchive, whatever else is in the folder', () => {
    const { home, put, putFolder, rights } = openFolder()
    const own = [
      'solarchive.sqlite3',
      'solarchive.sqlite3-wal',
      'solarchive.sqlite3-shm',
      'solarchive.sqlite3.closed',
      'solarchive.sqlite3.damaged-2026-01-01T00-00-00Z',
      'solarchive.sqlite3.damaged-2026-01-01T00-00-00Z-2-wal',
      'solarchive.sqlite3.new',
      'lock.sqlite3',
      'solarchive.pid',
      'settings.json',
      'archive-move.json',
      'window.json',
      'token.encrypted',
      'open-solarchive.html',
      'backups/solarchive-2026-01-01T00-00-00Z.sqlite3',
      'backups/solarchive-2026-01-02T00-00-00Z.sqlite3.part',
      'logs/solarchive.log',
      'logs/solarchive.4.log',
    ]
    const others = [
      'holiday.jpg',
      'solarchive.sqlite3.copy',
      'solarchive.sqlite3-notes',
      'lock.sqlite3.txt',
      'my-settings.json',
      'backups/mine.txt',
      'backups/solarchive-photos.sqlite3',
      'logs/nginx.log',
      'logs/solarchive-notes.log',
      'archive/a.jpg',
      'archive/settings.json',
      'archive/solarchive.sqlite3',
      'chromium/Cookies',
    ]
    const folders = ['backups', 'logs', 'chromium', 'archive']
    for (const name of folders) putFolder(name)
    for (const name of [...own, ...others]) put(name, 0o666)
    prepareHomeFolder(home)
    expect(rights()).toEqual({
      ...Object.fromEntries(own.map((name) => [name, '600'])),
      ...Object.fromEntries(others.map((name) => [name, '666'])),
      ...Object.fromEntries(folders.map((name) => [name, '755'])),
    })
    expect(rightsOf(home)).toBe('755')
  })

  it('keep access to files that are not ours: settings without our database, a token file, link targets', () => {
    const { parent, home, put, rights } = openFolder()
    const names = ['token', 'settings.json', 'window.json', 'archive-move.json', 'open-solarchive.html']
    for (const name of names) put(name)
    const elsewhere = join(parent, 'elsewhere')
    mkdirSync(elsewhere)
    for (const name of ['solarchive.log', 'solarchive.sqlite3']) {
      writeFileSync(join(elsewhere, name), '')
      chmodSync(join(elsewhere, name), 0o644)
    }
    symlinkSync(join(elsewhere, 'solarchive.sqlite3'), join(home, 'solarchive.sqlite3'))
    symlinkSync(elsewhere, join(home, 'logs'))
    prepareHomeFolder(home)
    for (const name of names) expect([name, rights()[name]]).toEqual([name, '644'])
    for (const name of ['solarchive.log', 'solarchive.sqlite3']) expect(rightsOf(join(elsewhere, name))).toBe('644')
  })

  it('can still read an archive inside the data folder, or equal to it', async () => {
    const { home, put, putFolder, rights } = openFolder()
    for (const name of ['archive', 'archive/Ada', 'backups', 'logs']) putFolder(name)
    const archived = ['archive/SHA256SUMS', 'archive/Ada/report.pdf', 'SHA256SUMS', 'backups/SHA256SUMS']
    for (const name of archived) put(name)
    chmodSync(join(home, 'backups'), 0o2755)
    ;(await work(home)).end()
    prepareHomeFolder(home)
    expect(rights()).toMatchObject({
      archive: '755',
      'archive/Ada': '755',
      backups: '755',
      logs: '755',
      'solarchive.sqlite3': '600',
      ...Object.fromEntries(archived.map((name) => [name, '644'])),
    })
    expect([rightsOf(home), statSync(join(home, 'backups')).mode & 0o7777]).toEqual(['755', 0o2755])
  })

  it('do not affect the rights of the owner', () => {
    const { home, put, rights } = openFolder()
    put('solarchive.sqlite3', 0o440)
    put('settings.json', 0o400)
    chmodSync(home, 0o2775)
    prepareHomeFolder(home)
    expect([statSync(home).mode & 0o7777, rights()]).toEqual([
      0o2775,
      { 'solarchive.sqlite3': '400', 'settings.json': '400' },
    ])
  })
})
