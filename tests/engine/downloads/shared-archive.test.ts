import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ArchiveFolders } from '../../../electron/engine/archive/archive-folders.ts'
import { partPath } from '../../../electron/engine/downloads/part-file.ts'
import { createGroupWriter } from '../../../electron/engine/downloads/group-writer.ts'
import { Publisher } from '../../../electron/engine/downloads/publisher.ts'
import { replaceFile } from '../../../electron/engine/downloads/replace-file.ts'
import { installationId } from '../../../electron/engine/store/meta-store.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { openArchive } from '../../../electron/engine/recovery/open-archive.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { errnoError, failOnWindows } from '../archive/folder-test.ts'
import { failCalls } from '../../support/hooks/fail-calls.ts'
import { readFiles } from '../../support/sample-archive.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const nothing = () => undefined
const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing, showMessage: nothing }
const { signal } = new AbortController()
const sha = (text: string) => createHash('sha256').update(text).digest('hex')
const photo = 'P [p]/C [c]/photos/01 Roof/01 Ridge/IMG.jpg'

function archiveFolder(): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'archive/P [p]'), { recursive: true })
  return folder
}

/** Opens another database on the archive, with one photo of the same name and, being the first, the same id. */
function installOn(folder: string, name: string) {
  const store = createStore(join(folder, `${name}.sqlite3`))
  onTestFinished(() => store.close())
  store.projects.put('p', 'P', null, '2026-01-01T00:00:00Z')
  store.projects.setFolder('p', 'P [p]', 'P [P]')
  const entry = { title: 'C', status: 'completed', updatedAt: null, fingerprint: 'f', entryRaw: '{}' }
  store.checklists.put({ ...entry, projectId: 'p', id: 'c' })
  const checklistKey = store.checklists.listForProject('p')[0]?.key ?? 0
  store.checklists.setFolder(checklistKey, 'P [p]/C [c]', 'P [P]/C [C]')
  const facts = { sourceHash: null, fileName: null, record: null, takenAt: null, latitude: null, longitude: null }
  const of = { checklistKey, questionKey: null, kind: 'photo', remoteKey: name } as const
  const id = store.assets.insert({ ...facts, ...of, path: photo, pathKey: photo.toUpperCase() })
  store.jobs.enqueue(id, 'p', 'fetch')
  const folders = new ArchiveFolders(join(folder, 'archive'), installationId(store))
  const asset = () => store.assets.get(id) ?? expect.fail('no asset')
  const part = partPath('P [p]', id, folders.installation)
  /** A finished download, on the disk. */
  const finish = (text: string) => {
    writeFileSync(join(folders.root, part), text)
    return { ...download(text), sha256: sha(text) }
  }
  const download = (text: string) => ({
    asset: asset(),
    projectId: 'p',
    partPath: part,
    sizeBytes: text.length,
    etag: null,
    lastModified: null,
    urlIdentity: null,
    isCurrent: () => true,
  })
  const writer = createGroupWriter('thread')
  onTestFinished(() => writer.close())
  const publisher = new Publisher(folders, store, systemClock, writer)
  /** Publishes a small download. */
  const publish = (text: string) =>
    publisher.publish({ ...download(text), extension: '.jpg', content: { in: 'memory', chunks: [Buffer.from(text)] } })
  return { store, folders, asset, part, finish, publish }
}

it('two installations never write the same part file, and each keeps its id', () => {
  const folder = archiveFolder()
  const [one, other] = [installOn(folder, 'one'), installOn(folder, 'other')]
  expect(one.asset().id).toBe(other.asset().id)
  expect(one.part).not.toBe(other.part)
  expect(installationId(one.store)).toBe(one.folders.installation)
})

it('two that assign one name to different photos at the same time both keep their photo', async () => {
  const folder = archiveFolder()
  const both = [installOn(folder, 'one'), installOn(folder, 'other')]
  await Promise.all(both.map(({ publish }, index) => publish(`photo ${index}`)))
  for (const [index, { asset, folders }] of both.entries()) {
    expect(readFileSync(join(folders.root, asset().path), 'utf8')).toBe(`photo ${index}`)
    expect(asset().sha256).toBe(sha(`photo ${index}`))
  }
  expect(readFiles(join(folder, 'archive')).size).toBe(2)
})

it('two that archive the same photo share one file', async () => {
  const folder = archiveFolder()
  const both = [installOn(folder, 'one'), installOn(folder, 'other')]
  await Promise.all(both.map(({ publish }) => publish('the photo')))
  expect(both.map(({ asset }) => asset().path)).toEqual([photo, photo])
  expect([...readFiles(join(folder, 'archive')).keys()]).toEqual([photo])
})

it('a file whose folder does not reach the disk is not archived', async () => {
  const { folders, asset, publish } = installOn(archiveFolder(), 'one')
  vi.spyOn(folders, 'sync').mockRejectedValueOnce(errnoError('EIO'))
  await expect(publish('the photo')).rejects.toMatchObject({ code: 'EIO' })
  expect(asset().sha256).toBeNull()
  expect(await publish('the photo')).toBe('new')
  expect(asset()).toMatchObject({ path: photo, sha256: sha('the photo') })
})

it('a replacement already written by the other installation is not moved away as the old file', async () => {
  const folder = archiveFolder()
  const both = [installOn(folder, 'one'), installOn(folder, 'other')]
  for (const { publish } of both) await publish('old')
  for (const { store, folders, finish } of both) {
    await replaceFile(folders, store, finish('new'), '2026-01-02T03:04:05.000Z')
  }
  const files = new Map([...readFiles(join(folder, 'archive'))].map(([path, bytes]) => [path, String(bytes)]))
  expect(files.get(photo)).toBe('new')
  expect([...files.values()].sort()).toEqual(['new', 'old'])
})

/** An installation whose process ended after it had reserved the name of its photo, the file `reserved`. */
function installWithReservedName() {
  const installation = installOn(archiveFolder(), 'one')
  const reserved = join(installation.folders.root, photo)
  mkdirSync(dirname(reserved), { recursive: true })
  writeFileSync(reserved, '')
  expect(installation.store.jobs.claim('p', 1)).toHaveLength(1)
  return { ...installation, reserved }
}

it('opening the archive frees a name that an interrupted download had only reserved', async () => {
  const { store, folders, asset, publish, reserved } = installWithReservedName()
  await openArchive(folders, store, { clock: systemClock, logger }, signal)
  await publish('the photo')
  expect(asset()).toMatchObject({ path: photo, sha256: sha('the photo') })
  expect(readFileSync(reserved, 'utf8')).toBe('the photo')
})

it('a reserved name that a write-protected disk keeps is freed by the next opening that writes', async () => {
  const { store, folders, asset, publish, reserved } = installWithReservedName()
  const end = await failCalls({ below: [folders.root], calls: ['rm'], from: 1, what: 'EROFS' })
  await openArchive(folders, store, { clock: systemClock, logger }, signal, { onlyReads: true })
  expect(end()).toBe(1)
  expect(readFileSync(reserved, 'utf8')).toBe('')
  await openArchive(folders, store, { clock: systemClock, logger }, signal)
  await publish('the photo')
  expect(asset()).toMatchObject({ path: photo, sha256: sha('the photo') })
})

it('opening the archive deletes its own leftover part files, and abandoned ones of others', async () => {
  const folder = archiveFolder()
  const { store, folders, part } = installOn(folder, 'one')
  const stranger = '0123456789ab'
  const fresh = [`7-${stranger}.part`, '8.part', `.SHA256SUMS.${stranger}.part`]
  const old = [`9-${stranger}.part`, '10.part', `.SHA256SUMS.aaaaaaaaaaaa.part`]
  const userFiles = ['notes.part', '.notes.part']
  const at = (name: string) => join(folders.root, 'P [p]', name)
  for (const name of [...fresh, ...old, ...userFiles]) writeFileSync(at(name), 'half')
  writeFileSync(join(folders.root, part), 'half')
  const before = new Date(Date.now() - 8 * 24 * 60 * 60_000)
  for (const name of [...old, ...userFiles]) utimesSync(at(name), before, before)
  await openArchive(folders, store, { clock: systemClock, logger }, signal)
  const left = [...readFiles(join(folders.root, 'P [p]')).keys()].filter((name) => name.endsWith('.part'))
  expect(left.sort()).toEqual([...fresh, ...userFiles].sort())
})

it('a scanner of Windows that holds a part for a moment leaves none behind, and fails no file', async () => {
  const { store, folders, part, publish } = installOn(archiveFolder(), 'one')
  await publish('the photo')
  failOnWindows('rm')
  expect(await publish('the photo')).toBe('unchanged')
  expect([...readFiles(folders.root).keys()]).toEqual([photo])
  writeFileSync(join(folders.root, part), 'half')
  failOnWindows('rm')
  await openArchive(folders, store, { clock: systemClock, logger }, signal)
  expect(readFiles(folders.root).has(part)).toBe(false)
})
