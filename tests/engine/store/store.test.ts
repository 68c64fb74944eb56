import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { migrations } from '../../../electron/engine/store/migrate.ts'
import { openDatabase, withoutFlush } from '../../../electron/engine/store/open-database.ts'
import { findOwner, lockDataFolder } from '../../../electron/engine/store/data-folder-lock.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'solarchive-store-'))
  file = join(folder, 'solarchive.sqlite3')
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

describe('the database', () => {
  it('is created durable and strict, and can be reopened', () => {
    createStore(file).close()
    createStore(file).close()
    const db = new Database(file)
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
    const loose = db.prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' " +
        "AND strict = 0 AND name NOT LIKE 'sqlite%'",
    )
    expect(loose.all()).toEqual([])
    db.close()
  })

  it('waits with each commit until the drive has it, also after a transaction that did not', () => {
    const db = openDatabase(file)
    const flush = () => ['synchronous', 'fullfsync'].map((name) => db.pragma(name, { simple: true }))
    expect(flush()).toEqual([2, 1])
    withoutFlush(db, () => expect(flush()).toEqual([1, 1]))
    expect(flush()).toEqual([2, 1])
    db.close()
  })

  it('refuses a database of a newer version and leaves it unchanged', () => {
    createStore(file).close()
    const db = new Database(file)
    db.pragma('user_version = 999')
    db.close()
    expect(() => createStore(file)).toThrow(expect.objectContaining({ code: 'database-newer' }))
    const again = new Database(file)
    expect(again.pragma('user_version', { simple: true })).toBe(999)
    again.close()
  })

  it('of an earlier version still knows which files were lost, and counts them as missing', () => {
    const db = new Database(file)
    for (const sql of migrations.slice(0, 5)) db.exec(sql)
    db.exec(`INSERT INTO projects (id, added_at) VALUES ('p', 'then');
      INSERT INTO checklists (project_id, id, title, status, fingerprint, entry_raw)
        VALUES ('p', 'c', 't', 'completed', 'f', '{}');
      INSERT INTO assets (id, checklist_key, kind, remote_key, path, path_key, present, sha256, verified_at) VALUES
        (1, 1, 'photo', 'a', 'a', 'a', 0, NULL, 'then'), (2, 1, 'photo', 'b', 'b', 'b', 0, NULL, NULL),
        (3, 1, 'photo', 'c', 'c', 'c', 0, 'hash', 'then'), (4, 1, 'photo', 'd', 'd', 'd', 1, NULL, NULL);
      PRAGMA user_version = 5`)
    db.close()
    const store = createStore(file)
    expect(store.assets.fileCounts(1, 'f')).toMatchObject([
      { expected: 3, archived: 1, missingId: 1, missingSince: 'gone' },
    ])
    expect(store.archivedFiles.lostAssets('p')).toMatchObject([{ id: 1 }])
    expect(store.findings.page(0, 9)).toMatchObject([{ path: 'a', state: 'missing' }])
    store.close()
  })

  it('takes templates of packets and corrections', () => {
    const store = createStore(file)
    expect(store.packets.templates()).toEqual([])
    store.packets.save('a', '{"first":1}')
    store.packets.save('a', '{"second":2}')
    const correction = { templateId: 'a', titleKey: 'SURVEY', section: 's', question: 'q', slotId: 'roof' }
    store.packets.correct({ ...correction, checklistTitle: 'Survey' }, true)
    store.packets.correct({ ...correction, checklistTitle: 'survey' }, false)
    expect(store.packets.templates()).toEqual(['{"second":2}'])
    const remembered = { checklistTitle: 'survey', section: 's', question: 'q', slotId: 'roof', fills: false }
    expect(store.packets.corrections('a')).toEqual([remembered])
    expect([store.packets.remove('a'), store.packets.remove('a')]).toEqual([true, false])
    expect(store.packets.corrections('a')).toEqual([])
    store.close()
  })

  it('knows when each checklist was last read, and when it was asked for', () => {
    const store = createStore(file)
    store.projects.put('p', null, null, 'then')
    const texts = { title: 'Survey', status: 'completed', updatedAt: null, fingerprint: 'f', entryRaw: '{}' }
    const key = store.checklists.put({ projectId: 'p', id: 'c', ...texts })
    store.checklists.saveDetail(key, '{}', 'f', 'read')
    store.checklists.markChecked(key, 'checked')
    expect(store.checklists.get(key)).toMatchObject({ checkedAt: 'checked', detailReadAt: 'read' })
    store.close()
  })

  it('of an earlier version keeps its orders, with an unknown service', () => {
    const db = new Database(file)
    const before = migrations.slice(0, 7)
    for (const sql of before) db.exec(sql)
    db.exec(`INSERT INTO orders
        (state, source, project_id, texts, created_at, changed_at, payload, fingerprint, sent_at)
        VALUES ('unconfirmed', 'app', 'p', '{}', 'then', 'then', '{}', 'f', 'then');
      INSERT INTO order_batches (name, created_at, state) VALUES ('June', 'then', 'done');
      PRAGMA user_version = 7`)
    db.close()
    const store = createStore(file)
    expect(store.orders.get(1)).toMatchObject({ state: 'unconfirmed', sentAt: 'then', service: null })
    expect(store.orderPolls.projects({ service: 'https://any.example', since: '' })).toMatchObject([{ projectId: 'p' }])
    expect(store.orderBatches.list()).toMatchObject([{ name: 'June', rowsLeftOut: 0 }])
    store.close()
  })

  it('reports a file that is not a database', () => {
    writeFileSync(file, 'not a database, but long enough to be looked at as one'.repeat(100))
    expect(() => createStore(file)).toThrow(expect.objectContaining({ code: 'database-damaged' }))
  })

  it('returns a queued job once, and again after a restart if it was running', () => {
    const store = createStore(file)
    store.projects.put('p', null, null, '2026-01-01T00:00:00Z')
    const entry = {
      projectId: 'p',
      id: 'c',
      title: 't',
      status: 's',
      updatedAt: null,
      fingerprint: 'f',
      entryRaw: '{}',
    }
    store.checklists.put(entry)
    const key = store.checklists.listForProject('p')[0]?.key ?? 0
    const facts = {
      remoteKey: 'r',
      sourceHash: null,
      fileName: null,
      record: null,
      takenAt: null,
      latitude: null,
      longitude: null,
    }
    const id = store.assets.insert({
      ...facts,
      checklistKey: key,
      questionKey: null,
      kind: 'report',
      path: 'a',
      pathKey: 'A',
    })
    store.jobs.enqueue(id, 'p', 'fetch')
    expect(store.jobs.claim('p', 10)).toHaveLength(1)
    expect(store.jobs.claim('p', 10)).toHaveLength(0)
    store.close()
    const restarted = createStore(file)
    restarted.jobs.resetRunning()
    expect(restarted.jobs.claim('p', 10)).toMatchObject([{ assetId: id, attempts: 0 }])
    expect(restarted.jobs.listRunning()).toMatchObject([{ assetId: id, state: 'running' }])
    restarted.close()
  })
})

describe('the lock of a data folder', () => {
  const lockModule = new URL('../../../electron/engine/store/data-folder-lock.ts', import.meta.url)
  const owner = `
    import { lockDataFolder } from ${JSON.stringify(lockModule.href)}
    lockDataFolder(process.argv[1])
    globalThis.gc()
    console.log('locked')
    setInterval(() => {}, 1000)`

  async function startOwner() {
    const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', owner, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    return child
  }

  it('names the process that holds it, and is free once that is killed', async () => {
    const child = await startOwner()
    expect(() => lockDataFolder(folder)).toThrow(expect.objectContaining({ code: 'data-folder-locked' }))
    expect(() => lockDataFolder(folder)).toThrow(`process ${child.pid}`)
    child.kill('SIGKILL')
    await once(child, 'exit')
    lockDataFolder(folder).release()
  })

  it.each(['x\n', 'x'.repeat(5000)])(
    'is still held when its file gets damaged, and then only readers pass',
    async (text) => {
      const lockFile = join(folder, 'lock.sqlite3')
      const child = await startOwner()
      writeFileSync(lockFile, text)
      expect(() => lockDataFolder(folder)).toThrow(expect.objectContaining({ code: 'data-folder-locked' }))
      expect(findOwner(folder)).toEqual({ pid: child.pid })
      child.kill('SIGKILL')
      await once(child, 'exit')
      expect(() => lockDataFolder(folder)).toThrow(expect.objectContaining({ code: 'disk-error' }))
      expect(() => lockDataFolder(folder)).toThrow(`${lockFile} is damaged`)
      expect(findOwner(folder)).toBeUndefined()
      expect(readFileSync(lockFile, 'utf8')).toBe(text)
      rmSync(lockFile)
      lockDataFolder(folder).release()
    },
  )

  it('can be taken again after it was released', () => {
    lockDataFolder(folder).release()
    lockDataFolder(folder).release()
  })
})
