import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { createDatabaseBackups } from '../../../electron/engine/store/backup-database.ts'
import { createRebuildMarker } from '../../../electron/engine/store/rebuild-marker.ts'
import { checklistOf, sampleArchive } from '../../support/sample-archive.ts'
import { dayMs, storeFolder } from './store-folder.ts'

function backedUpFolder() {
  const folder = storeFolder()
  const store = folder.open()
  createRebuildMarker(store.meta).clear()
  const backups = createDatabaseBackups({ store, folder: folder.backups, logger: folder.logger })
  return { ...folder, store, due: () => backups.backupIfDue(folder.clock.nowMs()) }
}

it('one backup is created per day, and seven are kept', async () => {
  const { backups, clock, due, store } = backedUpFolder()
  for (let day = 1; day <= 10; day++) {
    expect(await due()).toBe('made')
    expect(await due()).toBe('not-due')
    await clock.advance(dayMs - 1)
    expect(await due()).toBe('not-due')
    await clock.advance(1)
  }
  store.close()
  expect(readdirSync(backups).sort()).toEqual(
    [4, 5, 6, 7, 8, 9, 10].map((day) => `solarchive-2026-01-${String(day).padStart(2, '0')}T00-00-00Z.sqlite3`),
  )
})

it('two simultaneous requests create one backup', async () => {
  const { backups, due, store } = backedUpFolder()
  expect(await Promise.all([due(), due()])).toEqual(['made', 'made'])
  store.close()
  expect(readdirSync(backups)).toHaveLength(1)
})

it('files of the user in the folder stay, and unfinished backups of a killed process are deleted', async () => {
  const { backups, clock, due, store } = backedUpFolder()
  await due()
  writeFileSync(join(backups, 'my own copy.sqlite3'), 'mine')
  writeFileSync(join(backups, 'solarchive-2026-01-01T12-00-00Z.sqlite3.part'), 'half')
  await clock.advance(dayMs)
  await due()
  store.close()
  expect(readdirSync(backups).sort()).toEqual([
    'my own copy.sqlite3',
    'solarchive-2026-01-01T00-00-00Z.sqlite3',
    'solarchive-2026-01-02T00-00-00Z.sqlite3',
  ])
})

it('a clock that was days ahead causes neither a missing backup nor a burst of them', async () => {
  const { backups, clock, due, store } = backedUpFolder()
  await clock.advance(3 * dayMs)
  await due()
  const ahead = readdirSync(backups)[0] ?? ''
  const behind = createDatabaseBackups({
    store,
    folder: backups,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const backMs = clock.nowMs() - 3 * dayMs
  expect(await behind.backupIfDue(backMs)).toBe('made')
  expect(await behind.backupIfDue(backMs + 1000)).toBe('not-due')
  store.close()
  expect(readdirSync(backups).sort()).toEqual(['solarchive-2026-01-01T00-00-00Z.sqlite3', ahead])
})

it('a damaged database never takes the place of a good backup', async () => {
  const { backups, clock, due, store, file, log, open, home } = backedUpFolder()
  await due()
  const good = readFileSync(join(backups, readdirSync(backups)[0] ?? ''))
  await clock.advance(dayMs)
  const other = new Database(file)
  other.exec(`INSERT INTO projects (id, added_at) VALUES ('p', 't');
    INSERT INTO checklists (project_id, id, title, status, fingerprint, entry_raw)
    VALUES ('p', 'c', 't', 's', 'f', '{ cut off')`)
  other.close()
  expect(await due()).toBe('damaged')
  expect(readdirSync(backups)).toHaveLength(1)
  expect(readFileSync(join(backups, readdirSync(backups)[0] ?? ''))).toEqual(good)
  expect(log.join()).toContain('The database is damaged')
  expect(await due()).toBe('not-due')
  store.close()
  open().close()
  expect(readdirSync(home).some((name) => name.includes('.damaged-'))).toBe(true)
})

it('none is created while a rebuild is due, and a failed one stops nothing', async () => {
  const { backups, due, store, home } = backedUpFolder()
  createRebuildMarker(store.meta).set({ reason: 'damaged', done: [] })
  expect(await due()).toBe('not-due')
  createRebuildMarker(store.meta).clear()
  writeFileSync(backups, 'a file where the folder should be')
  expect(await due()).toBe('failed')
  store.close()
  expect(readdirSync(home)).toContain('solarchive.sqlite3.closed')
})

it('a sync creates it, and it contains neither the token nor a link', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  await archive.sync()
  await archive.sync()
  const names = readdirSync(join(archive.home, 'backups'))
  expect(names).toHaveLength(1)
  const bytes = readFileSync(join(archive.home, 'backups', names[0] ?? '')).toString('latin1')
  expect(bytes).toContain(checklistOf(archive).id)
  expect(bytes).not.toContain(archive.service.token)
  expect(bytes).not.toContain(archive.service.filesUrl)
  expect(bytes).not.toMatch(/sig(nature)?=/i)
})
