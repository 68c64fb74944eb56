import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { formatChecksums } from '../../../electron/engine/archive/checksums.ts'
import { pathBelow } from '../../../electron/engine/archive/layout.ts'
import { checksumsParts, inOrderOfPaths } from '../../../electron/engine/checklists/archive-records.ts'
import { createStore, type Store } from '../../../electron/engine/store/create-store.ts'
import type { ArchivedFile } from '../../../electron/engine/store/archived-files-store.ts'
import { nextSteps, walkStart } from '../../../electron/engine/integrity/scrub-plan.ts'
import { archivedFilesOf, measureArchivedFiles } from '../../../electron/engine/checklists/archived-files.ts'
import { recordDamage } from '../../../electron/engine/integrity/findings.ts'

const sha256 = 'a'.repeat(64)
const at = '2026-11-21T09:00:00.000Z'

/** Names that sort in another order with the `/` that follows them in paths. */
const checklists = ['C', 'C!']

/** Two projects, `P` and `P2`, of two checklists with 1,250 assets each, every fifth of which is not archived. */
function storeOf(): Store {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-archived-'))
  const store = createStore(join(folder, 'solarchive.sqlite3'))
  onTestFinished(() => {
    store.close()
    rmSync(folder, { recursive: true })
  })
  store.transaction(() => {
    for (const projectId of ['P', 'P2']) {
      store.projects.put(projectId, null, null, at)
      store.projects.setFolder(projectId, projectId, projectId)
      for (const id of checklists) fillChecklist(store, projectId, id)
    }
  })
  return store
}

function fillChecklist(store: Store, projectId: string, id: string): void {
  store.checklists.put({
    projectId,
    id,
    title: id,
    status: 'completed',
    updatedAt: null,
    fingerprint: 'f',
    entryRaw: '{}',
  })
  const key = store.checklists.listForProject(projectId).find((row) => row.id === id)?.key ?? 0
  const folder = `${projectId}/${id}`
  store.checklists.setFolder(key, folder, folder)
  store.checklists.setDocument(key, sha256, 1_000)
  for (let index = 0; index < 1_250; index += 1) {
    const path = `${folder}/photos/${index}.jpg`
    const assetId = store.assets.insert({
      checklistKey: key,
      questionKey: null,
      kind: 'photo',
      remoteKey: `${index}`,
      path,
      pathKey: path,
      sourceHash: null,
      fileName: null,
      record: null,
      takenAt: null,
      latitude: null,
      longitude: null,
    })
    if (index % 5 === 0) continue
    const file = { sha256, sizeBytes: 10, etag: null, lastModified: null, urlIdentity: null, archivedAt: at }
    store.assets.markArchived({ id: assetId, ...file })
    if (index % 2 === 1) continue
    const version = `${folder}/.versions/2026/${index}.jpg`
    store.versions.insert({ path: version, assetId, sha256, sizeBytes: 100, replacedAt: at })
  }
}

async function all(store: Store, projectId: string): Promise<ArchivedFile[]> {
  const files: ArchivedFile[] = []
  for await (const file of archivedFilesOf(store, projectId, projectId)) files.push(file)
  return files
}

const manifestOf = (store: Store, projectId: string) =>
  store.checklists.keysForProject(projectId).flatMap((key) => store.assets.manifestOfChecklist(key))

/** Photos and old versions of one checklist. */
const assets = 1_000
const versions = 500

it('every file of a project is returned once, in pages', async () => {
  const store = storeOf()
  for (const projectId of ['P', 'P2']) {
    const files = await all(store, projectId)
    const kinds = Map.groupBy(files, ({ kind }) => kind)
    expect([kinds.get('document')?.length, kinds.get('asset')?.length, kinds.get('version')?.length]).toEqual([
      2,
      2 * assets,
      2 * versions,
    ])
    expect(new Set(files.map(({ path }) => path)).size).toBe(files.length)
    expect(files.every((file) => file.projectId === projectId && file.path.startsWith(`${projectId}/`))).toBe(true)
    expect(files.map(({ path }) => path).sort()).toEqual(
      manifestOf(store, projectId)
        .map(({ path }) => path)
        .sort(),
    )
  }
})

it('the parts of SHA256SUMS are all files of a project, sorted by path', () => {
  const store = storeOf()
  for (const projectId of ['P', 'P2']) {
    const all = manifestOf(store, projectId).map((file) => ({ ...file, path: pathBelow(projectId, file.path) }))
    const parts = [...checksumsParts(store, projectId, projectId)]
    expect(parts).toHaveLength(checklists.length)
    expect(parts.join('')).toBe(formatChecksums(all))
  }
})

it('folders in the order of paths come as their files do, whatever their names are', () => {
  const name = fc.oneof(
    fc.string({ unit: fc.constantFrom(' ', '!', '-', '.', '0', 'a', '[', '\u{1F4F7}', '\uFF01'), minLength: 1 }),
    fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('/')),
  )
  const names = fc.uniqueArray(name, { minLength: 1 })
  fc.assert(
    fc.property(names, names, (folderNames, fileNames) => {
      const folders = folderNames.map((folder) => ({ folder: `P/${folder}` }))
      const paths = (folder: string) => fileNames.map((file) => `${folder}/${file}`)
      expect(inOrderOfPaths(folders).flatMap(({ folder }) => paths(folder).sort())).toEqual(
        folders.flatMap(({ folder }) => paths(folder)).sort(),
      )
    }),
  )
})

it('a walk through the whole archive passes every file once, whatever is added and deleted meanwhile', () => {
  const store = storeOf()
  const seen: string[] = []
  let position = walkStart
  for (let steps = nextSteps(store, position, 300); steps.length > 0; steps = nextSteps(store, position, 300)) {
    seen.push(...steps.map(({ file }) => file.path))
    position = steps.at(-1)?.position ?? position
    const first = steps[0]?.file
    if (first?.kind === 'asset') store.assets.markLost(first.id, at)
  }
  expect(seen.filter((path) => path.endsWith('/SHA256SUMS'))).toEqual(['P/SHA256SUMS', 'P2/SHA256SUMS'])
  expect(seen).toHaveLength(4 * (1 + assets + versions) + 2)
  expect(new Set(seen).size).toBe(seen.length)
})

it('totals count archived files', async () => {
  const store = storeOf()
  expect(await measureArchivedFiles(store, new AbortController().signal)).toEqual({
    files: 4 * (1 + assets + versions),
    bytes: 4 * (1_000 + 10 * assets + 100 * versions),
  })
})

it('a verified mark is valid only for the bytes that were verified', async () => {
  const store = storeOf()
  const files = await all(store, 'P')
  store.transaction(() => store.archivedFiles.markVerified(files, at))
  const marked = async () => (await all(store, 'P')).filter(({ verifiedAt }) => verifiedAt === at).length
  expect(await marked()).toBe(files.length)

  const [one, two] = files.filter((file) => file.kind === 'asset')
  if (one === undefined || two === undefined) throw new Error('There are assets')
  const again = { sizeBytes: 10, etag: null, lastModified: null, urlIdentity: null, archivedAt: at }
  store.assets.markArchived({ id: one.id, sha256, ...again })
  expect(await marked()).toBe(files.length)
  store.assets.markArchived({ id: two.id, sha256: 'b'.repeat(64), ...again })
  store.checklists.setDocument(two.checklistKey, 'b'.repeat(64), 1)
  expect(await marked()).toBe(files.length - 2)
  store.transaction(() => store.archivedFiles.markVerified(files, at))
  expect(await marked()).toBe(files.length - 2)
  expect(store.archivedFiles.isCurrent(one)).toBe(true)
  expect(store.archivedFiles.isCurrent(two)).toBe(false)
})

it('a damaged file loses its verified mark', async () => {
  const store = storeOf()
  const files = await all(store, 'P')
  const kinds = ['asset', 'document', 'version'] as const
  const [asset, document, version] = kinds.map((kind) => files.find((file) => file.kind === kind))
  if (asset === undefined || document === undefined || version === undefined) throw new Error('There are all kinds')
  const found = [asset, document, version]
  const unmarked = async () => (await all(store, 'P')).filter(({ verifiedAt }) => verifiedAt === null)
  store.transaction(() => {
    store.archivedFiles.markVerified(files, at)
    recordDamage(
      store,
      found.map((file) => ({ file, state: 'changed' as const })),
      at,
    )
  })
  const damaged = await unmarked()
  expect(damaged.map(({ path }) => path).sort()).toEqual(found.map(({ path }) => path).sort())
  // They were read before the damage was found.
  store.transaction(() => store.archivedFiles.markVerified(found, at))
  expect(await unmarked()).toEqual(damaged)
  store.transaction(() => store.archivedFiles.markVerified(damaged, at))
  expect(await unmarked()).toEqual([])
})

it('a lost archived file is distinguished from one that was never archived', () => {
  const store = storeOf()
  const asset = store.archivedFiles.assets(0, 1)[0]
  if (asset === undefined) throw new Error('There are assets')
  expect(store.archivedFiles.lostAssets('P')).toEqual([])
  store.assets.markLost(asset.id, at)
  expect(store.archivedFiles.lostAssets('P')).toEqual([
    { id: asset.id, checklistKey: asset.checklistKey, path: asset.path, lostSha256: asset.sha256 },
  ])
  store.assets.markArchived({
    id: asset.id,
    sha256,
    sizeBytes: 1,
    etag: null,
    lastModified: null,
    urlIdentity: null,
    archivedAt: at,
  })
  expect(store.archivedFiles.lostAssets('P')).toEqual([])
})
