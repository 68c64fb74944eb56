import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import { exportOptionsSchema, type ExportProgress, type ExportSelection } from '../../../shared/export.ts'
import { documentParts, exportFormats, type ExportPart, exportParts } from '../../../shared/export-parts.ts'
import { filesOf, planExport, type PlannedFile } from '../../../electron/engine/export/plan-export.ts'
import { readExif } from '../../../electron/engine/catalog/photo-metadata.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { lockDataFolder } from '../../../electron/engine/store/data-folder-lock.ts'
import { databaseName } from '../../../electron/engine/store/database-files.ts'
import type { SampleServiceOptions } from '../../../electron/sample-service/start-sample-service.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { failCalls } from '../../support/hooks/fail-calls.ts'
import { readZip } from '../../support/read-zip.ts'
import {
  hashFiles,
  readFiles,
  sampleArchive,
  sha256,
  shareArchive,
  type SampleArchive,
} from '../../support/sample-archive.ts'
import { canMount, makeSmallDisk, mountAgain } from '../../support/small-disk.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { exportFrom, leaveWork, storeOf } from './exported.ts'
import { checkSums, findBagProblems, judge, readSums } from './outside-judges.ts'

const site: SampleServiceOptions = {
  projects: 2,
  checklistsPerProject: 2,
  statuses: ['completed', 'awaitingMedia'],
  photoQuestionsPerChecklist: 3,
  photosPerQuestion: 2,
}

const shared = shareArchive(async (onDone) => {
  const archive = await sampleArchive(site, undefined, onDone)
  await archive.sync()
  return archive
})

function planned(archive: SampleArchive): PlannedFile[] {
  const plan = planExport(storeOf(archive), systemClock, { kind: 'everything' })
  return plan.projects.flatMap(({ checklists }) => checklists.flatMap((checklist) => [...filesOf(checklist)]))
}

const hashesOf = (files: Iterable<Buffer>) => [...files].map(sha256).sort()

const everyPart = [...exportParts]
/** Documents take three times as long as everything else. */
const quickParts = everyPart.filter((part) => !documentParts.some((document) => document === part))
const isAdded = (path: string) =>
  /(^|\/)(tables|geo)\/|\.xmp$|(^|\/)(contact-sheet|certificate)\.pdf$|^SHA256SUMS$/.test(path)

test('a folder has each file bit for bit, sums, tables, positions, sidecars; other programs accept it', async () => {
  const archive = shared()
  const to = join(temporaryFolder(), 'handed over')
  const result = await exportFrom(archive, { to, options: { include: everyPart } })
  const files = readFiles(to)
  const originals = planned(archive)
  expect(hashesOf([...files].filter(([path]) => !isAdded(path)).map(([, bytes]) => bytes))).toEqual(
    originals.map((file) => file.sha256).sort(),
  )
  expect(result).toMatchObject({ path: to, format: 'folder', projects: 2, checklists: 4, files: originals.length })
  expect(result.sizeBytes).toBe(originals.reduce((sum, file) => sum + file.sizeBytes, 0))
  expect(result.gaps.length).toBeGreaterThan(0)
  expect(readdirSync(join(to, '..'))).toEqual(['handed over'])

  checkSums(to, 'SHA256SUMS')
  expect(new Set(readSums(to, 'SHA256SUMS').keys())).toEqual(
    new Set([...files.keys()].filter((path) => path !== 'SHA256SUMS')),
  )
  const photos = originals.filter(({ kind }) => kind === 'photo')
  // A sidecar has the time of its photo, to the letter.
  const times = [...files].flatMap(([path, bytes]) => {
    const exif = path.endsWith('.xmp') ? readExif(files.get(path.slice(0, -4)) ?? Buffer.alloc(0)) : undefined
    return exif === undefined ? [] : [[bytes.toString(), `${exif.takenAt}${exif.utcOffset}`] as const]
  })
  expect(times).toHaveLength(photos.length)
  for (const [xmp, time] of times) expect(xmp).toContain(`<exif:DateTimeOriginal>${time}</exif:DateTimeOriginal>`)
  for (const name of ['photos.geojson', 'photos.kml', 'photos.gpx']) {
    const layer = name.endsWith('gpx') ? ['waypoints'] : []
    const seen = judge('ogrinfo', ['-so', '-al', join(to, 'geo', name), ...layer])
    if (seen !== null)
      expect(seen).toContain(`Feature Count: ${photos.filter(({ position }) => position !== null).length}`)
  }
  const sheets = judge('ogrinfo', ['-so', '-al', join(to, 'tables', 'export.xlsx')])
  if (sheets !== null) {
    expect(sheets).not.toMatch(/ERROR|Warning/)
    expect(sheets).toContain(
      `Feature Count: ${photos.length + originals.filter(({ kind }) => kind === 'report').length}`,
    )
  }
  const sidecars = judge('exiftool', ['-json', '-validate', '-all', '-r', '-ext', 'xmp', '-n', to])
  if (sidecars !== null) {
    const seen = JSON.parse(sidecars.slice(sidecars.indexOf('['), sidecars.lastIndexOf(']') + 1)) as Record<
      string,
      unknown
    >[]
    const ofHash = new Map(seen.map((tags) => [tags['SHA256'] ?? tags['Sha256'], tags]))
    expect(ofHash.size).toBe(new Set(photos.map((file) => file.sha256)).size)
    for (const photo of photos) {
      const tags = ofHash.get(photo.sha256)
      expect(tags).toMatchObject({ Validate: expect.stringMatching(/^0 0|^OK/) as string })
      expect(Number(tags?.['GPSLatitude'])).toBeCloseTo(photo.position?.latitude ?? 0, 6)
      expect(Number(tags?.['GPSLongitude'])).toBeCloseTo(photo.position?.longitude ?? 0, 6)
    }
  }
  const table = readFileSync(join(to, 'tables', 'files.csv'), 'utf8')
  expect(table.startsWith('\uFEFFproject_id,')).toBe(true)
  expect(table.split('\r\n')).toHaveLength(photos.length + originals.filter(({ kind }) => kind === 'report').length + 2)
  const document = JSON.parse(readFileSync(join(to, 'tables', 'export.json'), 'utf8')) as { projects: { id: string }[] }
  expect(document.projects).toHaveLength(2)
})

test('the contact sheet has what was chosen, and the certificate whole projects, also in a zip', async () => {
  const archive = shared()
  const [project] = planExport(storeOf(archive), systemClock, { kind: 'everything' }).projects
  const [checklist, other] = project?.checklists ?? []
  const question = checklist?.questions.find(({ photos }) => photos.length > 0)
  if (project === undefined || checklist === undefined || other === undefined || question === undefined)
    throw new Error('The sample archive has no photos.')
  const { section, question: label } = question
  const seen: (readonly [string, number, number])[] = []
  const { path } = await exportFrom(archive, {
    to: join(temporaryFolder(), 'documents.zip'),
    selection: {
      kind: 'questions',
      projectId: project.id,
      checklistId: checklist.id,
      questions: [{ section, question: label }],
    },
    options: { format: 'zip', include: ['contact-sheet', 'certificate'] },
    onProgress: ({ phase, filesDone, filesTotal }) => seen.push([phase, filesDone, filesTotal]),
  })
  const files = await readZip(readFileSync(path))
  expect([...files.keys()]).toEqual(['contact-sheet.pdf', 'certificate.pdf', 'SHA256SUMS'])
  expect(seen.findLast(([phase]) => phase === 'contact-sheet')?.[2]).toBe(question.photos.length)
  const folder = temporaryFolder()
  for (const [name, { bytes }] of files) writeFileSync(join(folder, name), bytes)
  checkSums(folder, 'SHA256SUMS')
  const textOf = (name: string) => {
    judge('qpdf', ['--check', join(folder, name)])
    return judge('pdftotext', ['-layout', join(folder, name), '-'])
  }
  const [sheet, certificate] = [textOf('contact-sheet.pdf'), textOf('certificate.pdf')]
  if (sheet === null || certificate === null) return
  for (const photo of question.photos) expect(sheet).toContain(photo.sha256.slice(0, 12))
  expect(sheet.match(/[0-9a-f]{12}/g)).toHaveLength(question.photos.length)
  expect(certificate).toContain(checklist.title)
  expect(certificate).toContain(other.title)
})

test('a contact sheet has the names of the exported copies, and those of the archive if there are none', async () => {
  const archive = shared()
  const photo = planned(archive).find(({ kind }) => kind === 'photo')
  if (photo === undefined) throw new Error('The sample archive has no photos.')
  const selection = { kind: 'photos' as const, assetIds: [photo.assetId] }
  const texts = []
  for (const include of [['photos', 'contact-sheet'], ['contact-sheet']] as const) {
    const to = join(temporaryFolder(), 'named')
    const names = '{project}/Photo {sequence:4} as it is called in this export of {date}'
    await exportFrom(archive, { to, selection, options: { include: [...include], names } })
    texts.push(judge('pdftotext', ['-layout', join(to, 'contact-sheet.pdf'), '-']))
  }
  const [named, plain] = texts
  if (named === undefined || named === null || plain === undefined || plain === null) return
  expect(plain).toContain(photo.fileName)
  expect(named).not.toContain(photo.fileName)
  // A long name is whole, on two lines.
  expect(named.replaceAll(/\s+/g, ' ')).toMatch(/Photo 0001 as it is called in this export.* of 20\d\d-\d\d-\d\d\.jpg/)
})

test('documents of several projects begin with a line and a page number for each, and a verdict', async () => {
  const archive = shared()
  const to = join(temporaryFolder(), 'documents')
  await exportFrom(archive, { to, options: { include: ['contact-sheet', 'certificate'] } })
  const { projects } = planExport(storeOf(archive), systemClock, { kind: 'everything' })
  for (const [name, verdict] of [
    ['certificate.pdf', /Not complete: 0 of 2 projects complete/],
    ['contact-sheet.pdf', /\d+ photos, \d+ missing/],
  ] as const) {
    const pages = judge('pdftotext', ['-layout', join(to, name), '-'])?.split('\f')
    if (pages === undefined) continue
    expect(pages[0]).toMatch(/2 projects\n/)
    expect(pages[0]).toMatch(verdict)
    for (const project of projects) {
      const line = pages[0]?.split('\n').find((text) => text.includes(project.name))
      const page = Number(/(\d+)$/.exec(line ?? '')?.[1])
      expect(pages[page - 1]?.trim().split('\n').slice(0, 8).join('\n')).toContain(project.name)
      expect(pages[page - 1]).toMatch(/CERTIFICATE OF COMPLETENESS|CONTACT SHEET/)
    }
  }
})

test.for([
  ['contact-sheet', 'certificate'],
  ['photos', 'tables', 'certificate', 'contact-sheet'],
] as const)('damage that an export of %s comes across is in its documents, too', async (include) => {
  const archive = shared()
  const { projects } = planExport(storeOf(archive), systemClock, { kind: 'everything' })
  const complete = projects
    .flatMap(({ checklists }) => checklists)
    .find((checklist) => checklist.complete && checklist.questions.some(({ photos }) => photos.length > 0))
  const [damaged] = complete?.questions.flatMap(({ photos }) => photos) ?? []
  if (complete === undefined || damaged === undefined) throw new Error('No complete checklist')
  truncateSync(join(archive.root, damaged.path), 100)
  const { path, gaps } = await exportFrom(archive, {
    to: join(temporaryFolder(), 'documents'),
    selection: { kind: 'ids', ids: [complete.id] },
    options: { include: [...include] },
  })
  expect(gaps).toMatchObject([{ checklistId: complete.id, expected: 2, archived: 1, reason: 'damaged' }])
  if (include.some((part) => part === 'tables')) {
    const json = readFileSync(join(path, 'tables', 'export.json'), 'utf8')
    expect(json).toContain('"complete":false')
    expect(json).not.toContain(damaged.sha256)
  }
  for (const name of ['contact-sheet.pdf', 'certificate.pdf']) {
    const text = judge('pdftotext', ['-layout', join(path, name), '-'])
    if (text === null) continue
    expect(text).toContain('1 of 2 photos missing or changed on the disk')
    expect(text).toContain('Not complete')
  }
})

test('a bag is accepted by sha256sum and by a checker of RFC 8493, also with a percent sign in a name', async () => {
  const archive = shared()
  const to = join(temporaryFolder(), 'bag')
  const include = everyPart
  const names = '100% {project}/{sequence:4} {name}'
  await exportFrom(archive, { to, options: { format: 'bagit', include, names } })
  expect(findBagProblems(to)).toEqual([])
  checkSums(to, 'manifest-sha256.txt')
  checkSums(to, 'tagmanifest-sha256.txt')
  expect(readdirSync(join(to, 'data')).some((name) => name.startsWith('100_ '))).toBe(true)
  // The checker sees what is wrong.
  const [first = ''] = readSums(to, 'manifest-sha256.txt').keys()
  truncateSync(join(to, first), 1)
  writeFileSync(join(to, 'data', 'more.txt'), 'not listed')
  expect(findBagProblems(to)).toHaveLength(3)
})

test('a zip is accepted by unzip and zipinfo, and has the same files', async () => {
  const archive = shared()
  const folder = temporaryFolder()
  const result = await exportFrom(archive, { to: folder, options: { format: 'zip', include: quickParts } })
  expect(result.path).toBe(join(folder, 'Solarchive export.zip'))
  const entries = await readZip(readFileSync(result.path))
  expect(hashesOf([...entries].filter(([path]) => !isAdded(path)).map(([, { bytes }]) => bytes))).toEqual(
    planned(archive)
      .map((file) => file.sha256)
      .sort(),
  )
  const tested = judge('unzip', ['-t', result.path])
  if (tested !== null) expect(tested).toContain('No errors detected')
  const listed = judge('zipinfo', ['-l', result.path])
  if (listed !== null) expect(listed).toContain(`number of entries: ${entries.size}`)
  // Another export gets a name of its own.
  const again = await exportFrom(archive, { to: folder, options: { format: 'zip', include: ['reports'] } })
  expect(again.path).toBe(join(folder, 'Solarchive export (2).zip'))
})

test('an export beside a sync that replaces every photo belongs to the state before', async () => {
  const archive = await sampleArchive({
    projects: 3,
    checklistsPerProject: 2,
    statuses: ['completed'],
    photosPerQuestion: 4,
  })
  await archive.sync()
  const before = planned(archive)
    .filter(({ kind }) => kind !== 'thumbnail')
    .map((file) => file.sha256)
    .sort()
  const photos = archive.service.projects.flatMap(({ checklists }) => checklists.flatMap(photosOf))
  for (const photo of photos) archive.service.replacePhoto(photo)
  const folder = temporaryFolder()
  const [result, synced] = await Promise.all([
    exportFrom(archive, { to: join(folder, 'out'), options: { include: ['reports', 'photos'] } }),
    archive.sync(),
  ])
  expect(synced.filesDownloaded).toBeGreaterThanOrEqual(photos.length)
  expect(result.gaps).toEqual([])
  const files = [...readFiles(join(folder, 'out'))].filter(([path]) => path !== 'SHA256SUMS').map(([, bytes]) => bytes)
  expect(hashesOf(files)).toEqual(before)
})

test('files that are missing or changed in the archive are gaps, and everything else is exported', async () => {
  const archive = shared()
  const [report, photo, other] = [
    planned(archive).find(({ kind }) => kind === 'report'),
    ...planned(archive).filter(({ kind }) => kind === 'photo'),
  ]
  if (report === undefined || photo === undefined || other === undefined)
    throw new Error('The sample has too few files')
  const selection = { kind: 'photos' as const, assetIds: [report.assetId, photo.assetId, other.assetId] }
  const folder = temporaryFolder()
  expect(await exportFrom(archive, { to: join(folder, 'a'), selection })).toMatchObject({ files: 3, gaps: [] })
  rmSync(join(archive.root, report.path))
  const bytes = readFileSync(join(archive.root, photo.path))
  writeFileSync(join(archive.root, photo.path), bytes.fill(0, bytes.length - 1))
  const result = await exportFrom(archive, { to: join(folder, 'b'), selection, options: { format: 'bagit' } })
  expect(result).toMatchObject({ files: 1, sizeBytes: other.sizeBytes })
  expect(result.gaps.map(({ reason, expected, archived }) => [reason, expected - archived])).toEqual([
    ['damaged', 1],
    ['damaged', 1],
  ])
  expect(findBagProblems(join(folder, 'b'))).toEqual([])
  // An archive that is gone is no archive of missing files.
  renameSync(archive.root, `${archive.root} gone`)
  await expect(exportFrom(archive, { to: join(folder, 'c'), selection })).rejects.toMatchObject({
    code: 'archive-unavailable',
  })
  expect(readdirSync(folder).sort()).toEqual(['a', 'b'])
})

test('an archive that cannot be read because too many files are open ends an export with what to do', async () => {
  const archive = shared()
  const end = await failCalls({ below: [archive.root], calls: ['descriptor'], from: 1, what: 'EMFILE' })
  onTestFinished(() => void end())
  const written = exportFrom(archive, { to: join(temporaryFolder(), 'a') })
  await expect(written).rejects.toMatchObject({ code: 'disk-error', details: { errno: 'EMFILE' } })
})

test('a file that cannot be read is not called lost: the export ends, and says why', async () => {
  const archive = shared()
  const folder = temporaryFolder()
  for (const [call, what, advice] of [
    ['open', 'EACCES', 'Check the disk and the permissions'],
    ['open', 'EMFILE', 'Raise the limit of open files'],
    ['read', 'EIO', 'Check the disk'],
  ] as const) {
    const end = await failCalls({ below: [archive.root], calls: [call], from: 3, what })
    try {
      await expect(exportFrom(archive, { to: join(folder, what) })).rejects.toMatchObject({
        code: 'disk-error',
        message: expect.stringMatching(
          new RegExp(`could not read .*\\.(pdf|jpg) in the archive.*${what}.*${advice}`),
        ) as string,
      })
    } finally {
      end()
    }
    expect(existsSync(join(folder, what))).toBe(false)
  }
})

const reads = [
  ...exportFormats.map((format) => ({ format, names: undefined, times: 2 })),
  ...exportFormats.map((format) => ({ format, names: '{date} {name}', times: 3 })),
]

test.for(reads)('a large photo is read $times times for a $format with names $names', async (wanted) => {
  const { format, names, times } = wanted
  const archive = await sampleArchive({
    projects: 1,
    checklistsPerProject: 1,
    statuses: ['completed'],
    photoQuestionsPerChecklist: 1,
    photosPerQuestion: 1,
    photoBytes: 5_000_000,
  })
  await archive.sync()
  const photo = planned(archive).find(({ kind }) => kind === 'photo')
  if (photo === undefined) throw new Error('The sample has no photo')
  const handle = await open(join(archive.root, photo.path))
  const read = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'read')
  await handle.close()
  onTestFinished(() => read.mockRestore())
  const to = join(temporaryFolder(), format === 'zip' ? 'out.zip' : 'out')
  const selection = { kind: 'photos' as const, assetIds: [photo.assetId] }
  const result = await exportFrom(archive, { to, selection, options: { format, names, include: ['photos', 'xmp'] } })
  expect(result).toMatchObject({ files: 1, gaps: [] })
  const results = await Promise.all(read.mock.results.map(({ value }) => value as Promise<{ bytesRead: number }>))
  const bytesRead = results.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
  expect(bytesRead / photo.sizeBytes).toBeGreaterThan(times)
  expect(bytesRead / photo.sizeBytes).toBeLessThan(times + 0.5)
  if (format === 'zip') {
    expect(judge('unzip', ['-t', to]) ?? 'No errors detected').toContain('No errors detected')
    return
  }
  const xmp = [...readFiles(to)].find(([path]) => path.endsWith('.xmp'))?.[1]
  const { takenAt } = readExif(readFileSync(join(archive.root, photo.path))) ?? {}
  expect(takenAt).toBeDefined()
  expect(xmp?.toString()).toContain(`<exif:DateTimeOriginal>${takenAt}`)
})

test('a bag without any file has its folder for files', async () => {
  const archive = shared()
  const to = join(temporaryFolder(), 'bag')
  const photos = planned(archive).filter(({ kind }) => kind === 'photo')
  const selection = { kind: 'photos' as const, assetIds: photos.slice(0, 1).map(({ assetId }) => assetId) }
  await exportFrom(archive, { to, selection, options: { format: 'bagit', include: ['reports'] } })
  expect(findBagProblems(to)).toEqual([])
  expect(readdirSync(join(to, 'data'))).toEqual([])
  rmSync(join(to, 'data'), { recursive: true })
  expect(findBagProblems(to)).toEqual(['there is no folder data'])
})

test('a folder and a zip without any file have no sums, which sha256sum would refuse', async () => {
  const archive = shared()
  const folder = temporaryFolder()
  const photos = planned(archive).filter(({ kind }) => kind === 'photo')
  const selection = { kind: 'photos' as const, assetIds: photos.slice(0, 1).map(({ assetId }) => assetId) }
  const include = ['reports' as const]
  await exportFrom(archive, { to: join(folder, 'out'), selection, options: { include } })
  expect(readdirSync(join(folder, 'out'))).toEqual([])
  const { path } = await exportFrom(archive, { to: folder, selection, options: { format: 'zip', include } })
  expect([...(await readZip(readFileSync(path))).keys()]).toEqual([])
})

test.for(exportFormats)('a canceled export to a %s leaves nothing', async (format) => {
  const archive = shared()
  const folder = temporaryFolder()
  const stop = new AbortController()
  const onProgress = () => stop.abort()
  const options = { format, include: everyPart }
  await expect(
    exportFrom(archive, { to: join(folder, 'out'), options, signal: stop.signal, onProgress }),
  ).rejects.toMatchObject({ code: 'cancelled' })
  expect(readdirSync(folder)).toEqual([])
})

test('an interrupted export resumes, without what it no longer has', async () => {
  const archive = shared()
  const folder = temporaryFolder()
  const to = join(folder, 'out')
  const include = [...quickParts, 'certificate' as const]
  await exportFrom(archive, { to, options: { include } })
  const whole = readFiles(to)
  rmSync(to, { recursive: true })

  // As after a kill: some files complete, one cut off, and one of another selection, also in the place of a folder.
  const { content, scratch } = await leaveWork(to)
  mkdirSync(join(content, 'Old', 'folder'), { recursive: true })
  writeFileSync(join(content, 'Old', 'folder', 'photo.jpg'), 'old')
  writeFileSync(join(content, 'tables'), 'old')
  for (const path of [join(content, 'certificate.pdf'), scratch]) writeFileSync(path, 'old')
  mkdirSync(join(content, 'SHA256SUMS', 'old'), { recursive: true })
  const photos = [...whole].filter(([path]) => !isAdded(path))
  for (const [index, [path, bytes]] of photos.entries()) {
    mkdirSync(join(content, path, '..'), { recursive: true })
    writeFileSync(join(content, path), index === 0 ? bytes.subarray(1) : bytes)
  }
  const kept = photos.at(-1)?.[0] ?? ''
  const { ino } = statSync(join(content, kept))
  await exportFrom(archive, { to, options: { include } })
  const names = [...readFiles(to).keys()].sort()
  expect(names).toEqual([...whole.keys()].sort())
  expect(existsSync(join(to, 'Old'))).toBe(false)
  expect(statSync(join(to, kept)).ino).toBe(ino)
  expect(readFileSync(join(to, 'certificate.pdf'), 'latin1')).toMatch(/^%PDF-/)
  checkSums(to, 'SHA256SUMS')
  expect(readdirSync(folder)).toEqual(['out'])
})

test('nothing is replaced, nothing is written into the archive, and a wrong template is explained', async () => {
  const archive = shared()
  const folder = temporaryFolder()
  const file = join(folder, 'mine.zip')
  writeFileSync(file, 'mine')
  for (const [to, message] of [
    [file, 'exists already'],
    [join(folder, 'missing', 'out'), 'does not exist'],
    [archive.root, 'outside'],
    [join(archive.root, 'out'), 'outside'],
    [join(archive.home, 'out'), 'outside'],
  ] as const) {
    await expect(exportFrom(archive, { to })).rejects.toMatchObject({
      code: 'wrong-usage',
      message: expect.stringContaining(message) as string,
    })
  }
  await expect(
    exportFrom(archive, { to: join(folder, 'out'), options: { names: '{project}/{foto}' } }),
  ).rejects.toMatchObject({ code: 'wrong-usage', message: expect.stringMatching(/\{foto\}.*\{sequence\}/) as string })
  expect(readFileSync(file, 'utf8')).toBe('mine')
  expect(readdirSync(folder)).toEqual(['mine.zip'])
})

test('a folder that cannot be written is a wrong path, and the disk fails if that begins later', async () => {
  const archive = shared()
  const folder = temporaryFolder()
  const to = join(folder, 'out')
  const failing = async (call: 'mkdir' | 'write', what: string) => {
    const end = await failCalls({ below: [folder], calls: [call], from: 1, what })
    const written = exportFrom(archive, { to }).finally(end)
    return written.catch((error: unknown) => error)
  }
  for (const what of ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENAMETOOLONG']) {
    expect(await failing('mkdir', what)).toMatchObject({ code: 'wrong-usage', details: { errno: what } })
    expect(readdirSync(folder)).toEqual([])
  }
  expect(await failing('mkdir', 'EIO')).toMatchObject({ code: 'disk-error' })
  expect(readdirSync(folder)).toEqual([])
  for (const what of ['EACCES', 'ENOENT']) {
    expect(await failing('write', what)).toMatchObject({ code: 'disk-error', details: { errno: what } })
    // It is resumed.
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\.out\..*\.partial$/)])
  }
  expect(await exportFrom(archive, { to })).toMatchObject({ path: to })
  expect(readdirSync(folder)).toEqual(['out'])
})

test.for(exportFormats)('an export that finishes reads nothing of the archive any more, as a %s', async (format) => {
  const archive = shared()
  const folder = temporaryFolder()
  const options = { format, include: everyPart }
  const { path, ...whole } = await exportFrom(archive, { to: join(folder, 'whole'), options })
  const away = `${archive.root} moved`
  const onProgress = ({ phase }: ExportProgress) => {
    if (phase === 'finishing' && existsSync(archive.root)) renameSync(archive.root, away)
  }
  const moved = await exportFrom(archive, { to: join(folder, 'moved'), options, onProgress })
  renameSync(away, archive.root)
  expect(moved).toEqual({ ...whole, path: join(folder, 'moved') })
})

test.skipIf(!canMount())(
  'nothing is written into the archive or the data folder under another path of them',
  async () => {
    const archive = shared()
    const before = hashFiles(archive.root)
    for (const folder of [archive.root, archive.home]) {
      const mount = mountAgain(folder)
      const { path } = mount
      onTestFinished(() => mount.remove())
      const inside = readdirSync(path, { withFileTypes: true }).find((entry) => entry.isDirectory())?.name ?? '.'
      for (const to of [path, join(path, 'out'), join(path, inside, 'out')]) {
        await expect(exportFrom(archive, { to })).rejects.toMatchObject({ code: 'wrong-usage' })
      }
      expect(existsSync(join(folder, 'out'))).toBe(false)
    }
    expect(hashFiles(archive.root)).toEqual(before)
  },
)

test.skipIf(!canMount())(
  'a disk that is too small is refused before anything is written, and one that fills up is cleared',
  async () => {
    const archive = shared()
    const disk = makeSmallDisk(128)
    onTestFinished(() => disk.remove())
    await expect(exportFrom(archive, { to: join(disk.path, 'out') })).rejects.toMatchObject({
      code: 'disk-full',
      message: expect.stringMatching(/needs .* and .* are free/) as string,
    })
    expect(readdirSync(disk.path)).toEqual([])
    for (const format of exportFormats) {
      disk.resize(32 * 1024)
      const onProgress = () => disk.leaveFree(8)
      await expect(
        exportFrom(archive, { to: join(disk.path, 'out'), options: { format, include: everyPart }, onProgress }),
      ).rejects.toMatchObject({ code: 'disk-full', message: expect.stringContaining('is full') as string })
      expect(readdirSync(disk.path)).toEqual([])
    }
  },
)

test('only complete checklists are exported if that is asked for', async () => {
  const archive = shared()
  const folder = temporaryFolder()
  const result = await exportFrom(archive, { to: join(folder, 'out'), options: { onlyComplete: true } })
  expect(result.gaps).toEqual([])
  expect(result.checklists).toBe(2)
  const plan = planExport(storeOf(archive), systemClock, { kind: 'everything' })
  const open = plan.projects[0]?.checklists.find(({ complete }) => !complete)
  const selection = {
    kind: 'checklists' as const,
    checklists: [{ projectId: plan.projects[0]?.id ?? '', checklistId: open?.id ?? '' }],
  }
  await expect(
    exportFrom(archive, { to: join(folder, 'none'), selection, options: { onlyComplete: true } }),
  ).rejects.toMatchObject({
    code: 'not-found',
    message: expect.stringContaining('1 checklist of this is left out, not being complete') as string,
  })
})

test('tables and a certificate count what is missing on the disk as missing, although they copy nothing', async () => {
  const archive = shared()
  const [project] = planExport(storeOf(archive), systemClock, { kind: 'everything' }).projects
  const complete = project?.checklists.find((checklist) => checklist.complete)
  const open = project?.checklists.find((checklist) => !checklist.complete)
  const photo = complete?.questions.flatMap(({ photos }) => photos)[0]
  const checklist = (id = '') => ({
    kind: 'checklists' as const,
    checklists: [{ projectId: project?.id ?? '', checklistId: id }],
  })
  const write = async (selection: ExportSelection, ...include: ExportPart[]) =>
    exportFrom(archive, { to: join(temporaryFolder(), 'out'), selection, options: { include } })
  expect((await write(checklist(complete?.id), 'tables', 'certificate')).gaps).toEqual([])
  rmSync(join(archive.root, photo?.path ?? ''))
  truncateSync(join(archive.root, photo?.thumbnail?.path ?? ''), 5)
  const lost = { archived: 1, expected: 2, reason: 'damaged' }
  expect((await write(checklist(complete?.id), 'reports', 'tables')).gaps).toMatchObject([lost])
  expect((await write(checklist(complete?.id), 'certificate')).gaps).toMatchObject([lost, lost])
  // It is about the whole project, whatever is exported of it.
  const { path } = await write(checklist(open?.id), 'photos', 'certificate')
  expect(judge('pdftotext', ['-layout', join(path, 'certificate.pdf'), '-']) ?? '2 files missing').toContain(
    '2 files missing or changed on the disk',
  )
})

test('a place without a GPS fix is no place in tables, and a thumbnail alone has no path of the archive', async () => {
  const archive = shared()
  const database = new Database(join(archive.home, databaseName))
  database.exec('UPDATE assets SET latitude = 0, longitude = 0')
  database.close()
  const photo = planned(archive).find(({ thumbnail }) => thumbnail !== null)
  rmSync(join(archive.root, photo?.path ?? ''))
  await archive.withEngine((engine) => engine.verify())
  const options = { include: ['tables' as const, 'thumbnails' as const] }
  const { path } = await exportFrom(archive, { to: join(temporaryFolder(), 'out'), options })
  const json = readFileSync(join(path, 'tables', 'export.json'), 'utf8')
  expect(json).toContain('"latitude":null,"longitude":null')
  expect(json).not.toContain('"latitude":0')
  expect(json).not.toContain('/thumbnails/')
})

test('a certificate names no project that is left out because nothing of it is complete', async () => {
  const archive = shared()
  const { projects } = planExport(storeOf(archive), systemClock, { kind: 'everything' })
  const [open, other] = projects
  const [left, complete] = [
    open?.checklists.find((checklist) => !checklist.complete),
    other?.checklists.find((checklist) => checklist.complete),
  ]
  const checklists = [
    { projectId: open?.id ?? '', checklistId: left?.id ?? '' },
    { projectId: other?.id ?? '', checklistId: complete?.id ?? '' },
  ]
  const { path, leftOut } = await exportFrom(archive, {
    to: join(temporaryFolder(), 'out'),
    selection: { kind: 'checklists', checklists },
    options: { include: ['certificate'], onlyComplete: true },
  })
  expect(leftOut).toBe(1)
  const text = judge('pdftotext', ['-layout', join(path, 'certificate.pdf'), '-'])
  if (text === null) return
  expect(text).not.toContain(open?.name)
  // It is about the whole of the other one.
  for (const { title } of other?.checklists ?? []) expect(text).toContain(title)
})

test('an export of a search waits for the index, and is refused where nobody completes it', async () => {
  const archive = shared()
  const query = { query: 'kind:photo', limit: 1 }
  const call = { selection: { kind: 'search', query } } as const
  await archive.withEngine((engine) => engine.completeIndex())
  const whole = await exportFrom(archive, { ...call, to: join(temporaryFolder(), 'whole') })
  const db = new Database(join(archive.home, databaseName))
  db.exec(`UPDATE search_state SET version = 99; DELETE FROM search_queue;
    INSERT INTO search_words (search_words) VALUES ('delete-all');
    INSERT INTO search_parts (search_parts) VALUES ('delete-all');`)
  db.close()
  const to = join(temporaryFolder(), 'x')
  await expect(exportFrom(archive, { ...call, to })).rejects.toMatchObject({
    code: 'data-folder-locked',
    message: expect.stringContaining('still indexing the archive') as string,
  })
  expect(existsSync(to)).toBe(false)
  const lock = lockDataFolder(archive.home)
  const beside = exportFrom(archive, { ...call, to }).finally(() => lock.release())
  await expect(beside).rejects.toThrow(`The running Solarchive (process ${process.pid}) is still indexing`)
  const options = exportOptionsSchema.parse({})
  const again = await archive.withEngine((engine) => engine.exports.write({ ...call, to, options }))
  expect(again.files).toBe(whole.files)
  expect(again.files).toBeGreaterThan(10)
})
