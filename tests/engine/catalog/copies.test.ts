import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { copyName } from '../../../electron/engine/catalog/copies.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { checklistOf, sampleArchive } from '../../support/sample-archive.ts'
import { errnoError } from '../archive/folder-test.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const oneChecklist = { projects: 1, checklistsPerProject: 1, statuses: ['completed'], awkwardNames: false } as const

it('copies are named by section and question, replace nothing, and never land in the archive', async () => {
  const archive = await sampleArchive({ ...oneChecklist, photoQuestionsPerChecklist: 1, photosPerQuestion: 3 })
  await archive.sync()
  const { projectId, id: checklistId } = checklistOf(archive)
  await archive.withEngine(async (engine) => {
    const { sections, report } = engine.catalog.checklist(projectId, checklistId)
    const photos = sections.flatMap(({ questions }) => questions).flatMap((question) => question.photos)
    const paths = await Promise.all(photos.map(async ({ assetId }) => (await engine.locate({ assetId })).path))
    const ids = [...photos.map(({ assetId }) => assetId), report?.assetId ?? 0]
    const { files } = await engine.copies(ids)
    expect(files.map(({ name }) => name)).toEqual([
      ...photos.map(({ fileName }) => expect.stringMatching(new RegExp(`^01 .+ - 01 .+ - ${fileName}$`)) as string),
      expect.stringMatching(/^[^[]+ - report\.pdf$/),
    ])

    const folder = temporaryFolder()
    const [first, second, third] = files.map(({ name }) => name)
    writeFileSync(join(folder, first ?? ''), 'mine')
    truncateSync(paths[1] ?? '', 10)
    expect(await engine.saveCopies([...ids, 999_999], folder)).toEqual({ files: 3, missing: 2 })
    expect(readFileSync(join(folder, first ?? ''), 'utf8')).toBe('mine')
    expect(existsSync(join(folder, second ?? ''))).toBe(false)
    expect(readFileSync(join(folder, third ?? ''))).toEqual(readFileSync(paths[2] ?? ''))
    expect(readdirSync(folder)).toHaveLength(4)

    // A preview of Windows may hold the file that is replaced for a moment.
    const held = vi.spyOn(promises, 'rename').mockRejectedValueOnce(errnoError('EPERM'))
    const { platform } = process
    Object.defineProperty(process, 'platform', { value: 'win32' })
    syncBuiltinESMExports()
    try {
      await engine.saveCopy(ids[0] ?? 0, join(folder, first ?? ''))
    } finally {
      held.mockRestore()
      Object.defineProperty(process, 'platform', { value: platform })
      syncBuiltinESMExports()
    }
    expect(readFileSync(join(folder, first ?? ''))).toEqual(readFileSync(paths[0] ?? ''))

    const link = join(temporaryFolder(), 'link')
    symlinkSync(archive.root, link)
    mkdirSync(join(archive.root, 'Mine'))
    for (const inside of [archive.root, join(archive.root, 'Mine'), link]) {
      await expect(engine.saveCopies(ids, inside)).rejects.toMatchObject({ code: 'wrong-usage' })
      await expect(engine.saveCopy(ids[0] ?? 0, join(inside, 'x.jpg'))).rejects.toMatchObject({ code: 'wrong-usage' })
    }
    // The destination's problems are its own; root may write anywhere, so rights are not tried.
    const missing = join(folder, 'gone')
    for (const [destination, message] of [
      [missing, /^The folder gone no longer exists\. .* the archive is unchanged\. Choose another folder\.$/],
      [join(folder, first ?? ''), /is not a folder\./],
    ] as const) {
      await expect(engine.saveCopies(ids, destination)).rejects.toMatchObject({ code: 'disk-error' })
      await expect(engine.saveCopies(ids, destination)).rejects.toThrow(message)
    }
    await expect(engine.saveCopy(ids[0] ?? 0, join(missing, 'x.jpg'))).rejects.toThrow(
      'The folder gone no longer exists',
    )
    await expect(engine.saveCopies([999_999], folder)).rejects.toMatchObject({ code: 'not-found' })
  })
})

it('a copy gets its name once it is complete, also beside what a kill left and on a disk without hard links', async () => {
  const archive = await sampleArchive({ ...oneChecklist, photoQuestionsPerChecklist: 1, photosPerQuestion: 1 })
  await archive.sync()
  const { projectId, id: checklistId } = checklistOf(archive)
  await archive.withEngine(async (engine) => {
    const [photo] = engine.catalog
      .checklist(projectId, checklistId)
      .sections.flatMap(({ questions }) => questions.flatMap(({ photos }) => photos.map(({ assetId }) => assetId)))
    const assetId = photo ?? 0
    const bytes = readFileSync((await engine.locate({ assetId })).path)
    const [{ name = '' } = {}] = (await engine.copies([assetId])).files
    const folder = temporaryFolder()
    const path = join(folder, name)
    let before: unknown
    const { link } = promises
    const linking = vi.spyOn(promises, 'link').mockImplementationOnce(async (from, to) => {
      before = [existsSync(path), readFileSync(from)]
      await link(from, to)
    })
    linking.mockRejectedValueOnce(errnoError('EPERM'))
    syncBuiltinESMExports()
    onTestFinished(() => {
      linking.mockRestore()
      syncBuiltinESMExports()
    })
    for (let time = 0; time < 2; time += 1) await engine.saveCopies([assetId], folder)
    expect(before).toEqual([false, bytes])
    expect(readdirSync(folder).map((file) => readFileSync(join(folder, file)))).toEqual([bytes, bytes])

    writeFileSync(join(folder, `.${name}.part`), 'what a kill left')
    await engine.saveCopy(assetId, path)
    expect(readFileSync(path)).toEqual(bytes)
    expect(readdirSync(folder)).toHaveLength(3)

    const longest = join(folder, `${'x'.repeat(251)}.jpg`)
    await engine.saveCopy(assetId, longest)
    expect(readFileSync(longest)).toEqual(bytes)
  })
})

it('the name of a copy is safe and keeps its extension', () => {
  const long = copyName(`P [1]/C [2]/photos/01 ${'Roof '.repeat(15)}/02 ${'Plane '.repeat(12)}/IMG_0091.jpg`)
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(100)
  expect(long).toMatch(/^01 Roof .*\.jpg$/)
})

it('a checklist has the answers of its questions and the earlier versions of its photos', async () => {
  const archive = await sampleArchive(oneChecklist)
  await archive.sync()
  const checklist = checklistOf(archive)
  const [photo] = photosOf(checklist)
  if (photo === undefined) throw new Error('The sample has no photo')
  await archive.withEngine(async (engine) => {
    const read = () => engine.catalog.checklist(checklist.projectId, checklist.id)
    const given = checklist.sections.flatMap(({ label, questions }) =>
      questions.map((question) => [label, question.label, question.answer]),
    )
    expect(given.filter(([, , answer]) => answer !== null).length).toBeGreaterThan(1)
    const shown = read().sections.flatMap(({ label, questions }) =>
      questions.map((question) => [label, question.label, question.answer]),
    )
    expect(shown).toEqual(given)

    const photos = () => read().sections.flatMap(({ questions }) => questions.flatMap((question) => question.photos))
    const before = await Promise.all(
      photos().map(async ({ assetId }) => [assetId, readFileSync((await engine.locate({ assetId })).path)] as const),
    )
    archive.service.replacePhoto(photo)
    await engine.sync()
    const [replaced, ...others] = photos().filter(({ earlierVersions }) => earlierVersions > 0)
    expect([replaced?.earlierVersions, others.length]).toEqual([1, 0])
    const bytes = new Map(before).get(replaced?.assetId ?? 0) ?? Buffer.alloc(0)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(engine.versions(replaced?.assetId ?? 0)).toMatchObject([{ version: sha256, sizeBytes: bytes.length }])
  })
})
