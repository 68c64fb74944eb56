import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ArchiveFolders } from '../../../electron/engine/archive/archive-folders.ts'
import { recoverReplacements, replaceFile } from '../../../electron/engine/downloads/replace-file.ts'
import type { Logger } from '../../../electron/engine/lib/ports.ts'
import { createStore, type Store } from '../../../electron/engine/store/create-store.ts'
import { withoutPrivileges } from '../archive/folder-test.ts'

const nothing = () => undefined
const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing, showMessage: nothing }

const oldText = '%PDF old'
const newText = '%PDF new, longer'
const report = 'P [p]/C [c]/report.pdf'
const version = 'P [p]/C [c]/.versions/2026-01-02T03-04-05Z/report.pdf'
const sha = (text: string) => createHash('sha256').update(text).digest('hex')

let home: string
let root: string
let store: Store
let folders: ArchiveFolders
let assetId: number

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'solarchive-replace-'))
  root = join(home, 'archive')
  mkdirSync(join(root, 'P [p]/C [c]'), { recursive: true })
  store = createStore(join(home, 'db.sqlite3'))
  folders = new ArchiveFolders(root)
  store.projects.put('p', 'P', null, '2026-01-01T00:00:00Z')
  store.projects.setFolder('p', 'P [p]', 'P [P]')
  const entry = { title: 'C', status: 'completed', updatedAt: null, fingerprint: 'f', entryRaw: '{}' }
  store.checklists.put({ ...entry, projectId: 'p', id: 'c' })
  const key = store.checklists.listForProject('p')[0]?.key ?? 0
  store.checklists.setFolder(key, 'P [p]/C [c]', 'P [P]/C [C]')
  const facts = { sourceHash: null, fileName: null, record: null, takenAt: null, latitude: null, longitude: null }
  assetId = store.assets.insert({
    ...facts,
    checklistKey: key,
    questionKey: null,
    kind: 'report',
    remoteKey: 'report',
    path: report,
    pathKey: report.toUpperCase(),
  })
  store.assets.markArchived({ ...archived(oldText), id: assetId, archivedAt: '2026-01-01T00:00:00Z' })
  store.jobs.enqueue(assetId, 'p', 'recheck')
  store.jobs.claim('p', 1)
  write(report, oldText)
  write(part(), newText)
})

afterEach(() => {
  store.close()
  rmSync(home, { recursive: true })
})

const archived = (text: string) => ({
  sha256: sha(text),
  sizeBytes: text.length,
  etag: `"${sha(text)}"`,
  lastModified: null,
  urlIdentity: null,
  isCurrent: () => true,
})
const at = (path: string) => join(root, path)
const part = () => `P [p]/${assetId}-${folders.installation}.part`

function write(path: string, text: string): void {
  mkdirSync(join(at(path), '..'), { recursive: true })
  writeFileSync(at(path), text)
}

function begin(): void {
  store.versions.begin({ ...archived(newText), assetId, versionPath: version, replacedAt: '2026-01-02T03:04:05.000Z' })
}

function expectBothThere(): void {
  expect(readFileSync(at(report), 'utf8')).toBe(newText)
  expect(readFileSync(at(version), 'utf8')).toBe(oldText)
  expect(store.assets.get(assetId)).toMatchObject({ sha256: sha(newText), sizeBytes: newText.length })
  expect(store.versions.listForAsset(assetId)).toMatchObject([{ path: version, sha256: sha(oldText) }])
  expect(store.versions.pending()).toEqual([])
}

function expectReplaced(): void {
  expectBothThere()
  expect(store.assets.get(assetId)).toMatchObject({ confirmedFingerprint: 'f', etag: archived(newText).etag })
  expect(store.jobs.isOpen(assetId)).toBe(false)
}

/** The next pass downloads the file again, and compares it. */
function expectRecovered(): void {
  expectBothThere()
  expect(store.assets.get(assetId)).toMatchObject({ confirmedFingerprint: null, etag: null, lastModified: null })
  expect(store.jobs.isOpen(assetId)).toBe(true)
}

function expectUntouched(): void {
  expect(readFileSync(at(report), 'utf8')).toBe(oldText)
  expect(existsSync(at(version))).toBe(false)
  expect(store.assets.get(assetId)).toMatchObject({ sha256: sha(oldText) })
  expect(store.versions.listForAsset(assetId)).toEqual([])
  expect(store.jobs.isOpen(assetId)).toBe(true)
  expect(store.versions.pending()).toEqual([])
}

/** A disk on which this many renames fail. */
class FailingFolders extends ArchiveFolders {
  failures = Infinity

  override publish(partPath: string, relativePath: string): Promise<void> {
    if (this.failures <= 0) return super.publish(partPath, relativePath)
    this.failures -= 1
    return Promise.reject(Object.assign(new Error('EIO: i/o error, rename'), { code: 'EIO' }))
  }
}

describe('replacing an archived file', () => {
  it('keeps the old file under .versions and records both', async () => {
    const asset = store.assets.get(assetId)
    if (asset === undefined) throw new Error('no asset')
    const finished = { ...archived(newText), asset, projectId: 'p', partPath: part() }
    await replaceFile(folders, store, finished, '2026-01-02T03:04:05.000Z')
    expectReplaced()
  })

  it('restores the old file if the new one cannot be renamed, and replaces it the next time', async () => {
    const asset = store.assets.get(assetId)
    if (asset === undefined) throw new Error('no asset')
    const finished = { ...archived(newText), asset, projectId: 'p', partPath: part() }
    const failing = new FailingFolders(root, folders.installation)
    await expect(replaceFile(failing, store, finished, '2026-01-02T03:04:05.000Z')).rejects.toThrow('EIO')
    expectUntouched()
    failing.failures = 0
    await replaceFile(failing, store, finished, '2026-01-02T03:04:05.000Z')
    expectReplaced()
  })

  it('retries once immediately if the disk fails briefly', async () => {
    const asset = store.assets.get(assetId)
    if (asset === undefined) throw new Error('no asset')
    const finished = { ...archived(newText), asset, projectId: 'p', partPath: part() }
    const failing = new FailingFolders(root, folders.installation)
    failing.failures = 1
    await replaceFile(failing, store, finished, '2026-01-02T03:04:05.000Z')
    expectReplaced()
  })

  it('has not happened if the process ended before the first rename', async () => {
    begin()
    await recoverReplacements(folders, store, silent)
    expectUntouched()
  })

  it('is finished if the process ended between the renames', async () => {
    begin()
    moveOldAway()
    await recoverReplacements(folders, store, silent)
    expectRecovered()
  })

  it('is recorded if the process ended after both renames', async () => {
    begin()
    moveOldAway()
    renameSync(at(part()), at(report))
    await recoverReplacements(folders, store, silent)
    expectRecovered()
  })

  it('is finished or undone if a rebuild of the database recorded the moved file meanwhile', async () => {
    const moved = { path: version, assetId, sha256: sha(oldText), sizeBytes: oldText.length }
    for (const survived of [false, true]) {
      begin()
      moveOldAway()
      store.versions.insert({ ...moved, replacedAt: '2026-01-02T03:04:05.000Z' })
      write(part(), survived ? newText : 'torn')
      await recoverReplacements(folders, store, silent)
      if (survived) expectRecovered()
      else expectUntouched()
    }
  })

  it('waits while the folder cannot be read, and is finished once it can', async () => {
    begin()
    moveOldAway()
    const project = join(root, 'P [p]')
    chmodSync(home, 0o755)
    chmodSync(project, 0)
    await withoutPrivileges(root, () => recoverReplacements(folders, store, silent))
    chmodSync(project, 0o755)
    expect(store.versions.pending()).toHaveLength(1)
    await recoverReplacements(folders, store, silent)
    expectRecovered()
  })

  it.each(['P [p]', 'P [p]/C [c]'])(
    'waits while the folder %s has another name, and is finished then',
    async (folder) => {
      begin()
      moveOldAway()
      renameSync(at(folder), at('Renamed'))
      await recoverReplacements(folders, store, silent)
      expect(store.versions.pending()).toHaveLength(1)
      expect(existsSync(at(folder))).toBe(false)
      renameSync(at('Renamed'), at(folder))
      await recoverReplacements(folders, store, silent, { projectId: 'q' })
      expect(store.versions.pending()).toHaveLength(1)
      await recoverReplacements(folders, store, silent, { projectId: 'p' })
      expectRecovered()
    },
  )

  it('is undone if the new file did not survive', async () => {
    begin()
    moveOldAway()
    writeFileSync(at(part()), 'torn')
    await recoverReplacements(folders, store, silent)
    expectUntouched()
  })
})

function moveOldAway(): void {
  mkdirSync(join(at(version), '..'), { recursive: true })
  renameSync(at(report), at(version))
}
