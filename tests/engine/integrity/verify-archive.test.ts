import { createHash } from 'node:crypto'
import { chmod, open, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, vi } from 'vitest'
import type { FileState, ManifestFile } from '../../../electron/engine/archive/check-file.ts'
import { createQuickCheck } from '../../../electron/engine/integrity/quick-check.ts'
import { verifyArchive } from '../../../electron/engine/integrity/verify-archive.ts'
import { errnoError, folderTest as test, withoutPrivileges, writeFiles } from '../archive/folder-test.ts'

const files = {
  'P/C/report.pdf': 'the report',
  'P/C/checklist.json': '{}',
  'P/C/photos/01 Roof/02 Ridge/IMG.jpg': 'a photo',
  'P/C/photos/01 Roof/02 Ridge/Ü.jpg': 'another photo',
  'P/C/.versions/2026-11-21T01-38-28Z/report.pdf': 'the report before',
  'Q/C/report.pdf': 'another report',
}
const recordOf = (path: string, text: string): ManifestFile => ({
  path,
  sha256: createHash('sha256').update(text).digest('hex'),
  sizeBytes: Buffer.byteLength(text),
})
const manifest = Object.entries(files).map(([path, text]) => recordOf(path, text))
const nothing = { missing: [], changed: [], unexpected: [], unreadable: [] }
/** Ended: its files are left to the other way, as with a thread that cannot be started. */
const ended = createQuickCheck()
const inThreads = createQuickCheck()
await ended.end()
afterAll(() => inThreads.end())

describe.for([
  ['an archive that is read in threads', inThreads],
  ['an archive that threads cannot read', ended],
] as const)('%s', ([, quick]) => {
  const verify = (root: string) => verifyArchive({ root, manifest, projectFolders: ['P', 'Q'], quick })

  test('with all files unchanged is intact', async ({ root }) => {
    await writeFiles(root, { ...files, 'P/SHA256SUMS': '', 'Q/SHA256SUMS': '', 'not ours': '', 'R/foreign': '' })
    const seen: [path: string, state: FileState][] = []
    const result = await verifyArchive({
      root,
      manifest,
      projectFolders: ['P', 'Q'],
      quick,
      onFile: ({ path }, state) => seen.push([path, state]),
    })
    expect(result).toEqual({ checked: 6, ok: 6, ...nothing })
    expect(seen.sort()).toEqual(manifest.map(({ path }) => [path, 'ok']).sort())
  })

  test('without files is intact', async ({ root }) => {
    expect(await verifyArchive({ root, manifest: [], projectFolders: [], quick })).toEqual({
      checked: 0,
      ok: 0,
      ...nothing,
    })
  })

  test('lists missing, changed, and unexpected files', async ({ root }) => {
    await writeFiles(root, {
      ...files,
      'P/C/report.pdf': 'THE REPORT',
      'P/C/checklist.json': '{"longer":true}',
      'P/C/photos/stray.jpg': '',
      'P/C/SHA256SUMS': 'only that of the project is ours',
      'P/C/7.part': 'downloads lie in the project folder itself',
      'Q/C/report (2).pdf': '',
    })
    await rm(join(root, 'P/C/photos/01 Roof/02 Ridge/IMG.jpg'))
    expect(await verify(root)).toEqual({
      ...nothing,
      checked: 6,
      ok: 3,
      missing: ['P/C/photos/01 Roof/02 Ridge/IMG.jpg'],
      changed: ['P/C/checklist.json', 'P/C/report.pdf'],
      unexpected: ['P/C/7.part', 'P/C/SHA256SUMS', 'P/C/photos/stray.jpg', 'Q/C/report (2).pdf'],
    })
  })

  test('ignores its own unfinished files and those that desktops create', async ({ root }) => {
    await writeFiles(root, {
      ...files,
      'P/12-0123456789ab.part': '',
      'P/13.part': '',
      'P/.SHA256SUMS.0123456789ab.part': '',
      'P/.SHA256SUMS.part': '',
      'P/C/.checklist.json.part': '',
      'P/.DS_Store': '',
      'P/C/photos/Thumbs.db': '',
      'Q/desktop.ini': '',
      'Q/C/._report.pdf': '',
    })
    expect(await verify(root)).toEqual({ checked: 6, ok: 6, ...nothing })
  })

  test.skipIf(process.platform === 'win32')('accepts neither a link nor a folder as a file', async ({ root }) => {
    await writeFiles(root, files)
    await rename(join(root, 'P/C/report.pdf'), join(root, 'elsewhere.pdf'))
    await symlink('../../elsewhere.pdf', join(root, 'P/C/report.pdf'))
    await rm(join(root, 'P/C/checklist.json'))
    await writeFiles(root, { 'P/C/checklist.json/file': '' })
    await symlink('report.pdf', join(root, 'Q/C/link.pdf'))
    expect(await verify(root)).toEqual({
      ...nothing,
      checked: 6,
      ok: 4,
      changed: ['P/C/checklist.json', 'P/C/report.pdf'],
      unexpected: ['P/C/checklist.json/file', 'Q/C/link.pdf'],
    })
  })

  test('lists the files of a project folder that is missing entirely', async ({ root }) => {
    await writeFiles(root, files)
    await rm(join(root, 'Q'), { recursive: true })
    expect(await verify(root)).toEqual({
      ...nothing,
      checked: 6,
      ok: 5,
      missing: ['Q/C/report.pdf'],
    })
  })

  test('that is away is not reported as incomplete', async ({ root }) => {
    await expect(verify(join(root, 'drive'))).rejects.toMatchObject({ code: 'archive-unavailable' })
  })

  test('that goes away meanwhile is not reported as incomplete', async ({ root }) => {
    const archive = join(root, 'drive')
    await writeFiles(archive, files)
    async function* unplugged() {
      yield* manifest.slice(0, 3)
      await rename(archive, join(root, 'unplugged'))
      yield* manifest.slice(3)
    }
    const verifying = verifyArchive({ root: archive, manifest: unplugged(), projectFolders: ['P', 'Q'], quick })
    await expect(verifying).rejects.toMatchObject({ code: 'archive-unavailable' })
  })

  test('is never left through a path of a damaged database', async ({ root }) => {
    await writeFiles(root, { 'archive/P/a': '', outside: 'secret' })
    const leading = { path: '../outside', sha256: createHash('sha256').update('secret').digest('hex'), sizeBytes: 6 }
    const result = await verifyArchive({ root: join(root, 'archive'), manifest: [leading], projectFolders: [], quick })
    expect(result).toMatchObject({ checked: 1, ok: 0, missing: ['../outside'] })
  })

  test('copied through a Mac matches names in another Unicode form', async ({ root }) => {
    await writeFiles(root, { ...files, ['P/C/photos/01 Roof/02 Ridge/Ü.jpg'.normalize('NFD')]: 'another photo' })
    expect(await verify(root)).toMatchObject({ ok: 6, unexpected: [] })
  })

  test.runIf(process.platform === 'linux')(
    'lists a file whose recorded name is missing and that has it in another Unicode form',
    async ({ root }) => {
      const path = 'P/C/photos/01 Roof/02 Ridge/Ü.jpg'
      await writeFiles(root, files)
      await rename(join(root, path), join(root, path.normalize('NFD')))
      expect(await verify(root)).toMatchObject({ missing: [path], unexpected: [path.normalize('NFD')] })
    },
  )

  test.skipIf(process.platform === 'win32')('lists files that cannot be read', async ({ root }) => {
    await writeFiles(root, { ...files, 'Q/closed/file': '' })
    await chmod(join(root, 'P/C/report.pdf'), 0)
    await chmod(join(root, 'Q/closed'), 0)
    const result = await withoutPrivileges(root, () => verify(root))
    await chmod(join(root, 'Q/closed'), 0o700)
    expect(result).toMatchObject({
      ok: 5,
      changed: ['P/C/report.pdf'],
      unreadable: [
        { path: 'P/C/report.pdf', errno: 'EACCES' },
        { path: 'Q/closed', errno: 'EACCES' },
      ],
    })
  })

  test('can be aborted', async ({ root }) => {
    await writeFiles(root, files)
    const stop = new AbortController()
    let seen = 0
    const verifying = verifyArchive({
      root,
      manifest,
      projectFolders: ['P'],
      signal: stop.signal,
      quick,
      onFile: () => ++seen === 2 && stop.abort(new Error('enough')),
    })
    await expect(verifying).rejects.toThrow('enough')
  })

  test('of many files lets other work continue meanwhile', async ({ root }) => {
    const photo = Buffer.alloc(300_000, 'photo')
    const many = Array.from({ length: 100 }, (_, index) => `P/${index}.jpg`)
    await writeFiles(root, Object.fromEntries(many.map((path) => [path, photo])))
    const sha256 = createHash('sha256').update(photo).digest('hex')
    let turns = 0
    let done = false
    const otherWork = () => {
      turns += 1
      if (!done) setImmediate(otherWork)
    }
    otherWork()
    const result = await verifyArchive({
      root,
      manifest: many.map((path) => ({ path, sha256, sizeBytes: photo.length })),
      projectFolders: ['P'],
      quick,
    })
    done = true
    expect(result).toEqual({ checked: 100, ok: 100, ...nothing })
    expect(turns).toBeGreaterThan(100)
  })

  test('has every kind of damage found among hundreds of small files', async ({ root }) => {
    const at = (index: number) => `P/C/photos/${index % 3}/${index}.jpg`
    const paths = Array.from({ length: 300 }, (_, index) => at(index))
    const content = (path: string) => `the photo ${path}`.repeat(9)
    await writeFiles(join(root, 'archive'), Object.fromEntries(paths.map((path) => [path, content(path)])))
    const { same, longer, shorter, gone, folder } = {
      same: at(7),
      longer: at(70),
      shorter: at(100),
      gone: at(200),
      folder: at(299),
    }
    const other = { [same]: content(same).replace('t', 'T'), [longer]: `${content(longer)}!` }
    await writeFiles(join(root, 'archive'), { ...other, [shorter]: content(shorter).slice(1) })
    for (const path of [gone, folder]) await rm(join(root, 'archive', path))
    await writeFiles(join(root, 'archive'), { [`${folder}/file`]: '' })
    const result = await verifyArchive({
      root: join(root, 'archive'),
      manifest: paths.map((path) => recordOf(path, content(path))),
      projectFolders: ['P'],
      quick,
    })
    expect(result).toEqual({
      ...nothing,
      checked: 300,
      ok: 295,
      missing: [gone],
      unexpected: [`${folder}/file`],
      changed: [same, longer, shorter, folder].sort(),
    })
  })

  test.skipIf(process.platform === 'win32')('does not follow a link to the same files', async ({ root }) => {
    const archive = join(root, 'archive')
    const paths = Array.from({ length: 400 }, (_, index) => `P/C/photos/${index}.jpg`)
    await writeFiles(archive, Object.fromEntries(paths.map((path) => [path, path])))
    const records = paths.map((path) => recordOf(path, path))
    async function* replaced() {
      yield* records.slice(0, 200)
      await rename(join(archive, 'P/C/photos'), join(root, 'photos'))
      await symlink('../../../photos', join(archive, 'P/C/photos'))
      yield* records.slice(200)
    }
    const { missing, changed } = await verifyArchive({
      root: archive,
      manifest: replaced(),
      projectFolders: [],
      quick,
    })
    expect(changed).toEqual([])
    expect(missing).toEqual(expect.arrayContaining(paths.slice(200)))
  })
})

test('a file that Windows refuses for a reason of its own is unreadable', async ({ root, onTestFinished }) => {
  await writeFiles(root, files)
  const handle = await open(join(root, 'Q/C/report.pdf'))
  const reading = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'read')
  reading.mockRejectedValueOnce(errnoError('UNKNOWN'))
  onTestFinished(() => reading.mockRestore())
  await handle.close()
  const { unreadable, ok } = await verifyArchive({ root, manifest, projectFolders: ['P', 'Q'], quick: ended })
  expect(unreadable).toMatchObject([{ errno: 'UNKNOWN' }])
  expect(ok).toBe(manifest.length - 1)
})

test('threads find small intact files alone', async ({ root }) => {
  await writeFiles(root, { ...files, 'Q/C/report.pdf': 'another REPORT' })
  expect(await inThreads.check(root, manifest)).toEqual(manifest.map(({ path }) => path !== 'Q/C/report.pdf'))
  expect(await ended.check(root, manifest)).toEqual([])
})
