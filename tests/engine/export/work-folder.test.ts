import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createPackets } from '../../../electron/engine/export/create-packets.ts'
import { openWorkFolder } from '../../../electron/engine/export/work-folder.ts'
import { exportFormats } from '../../../shared/export-parts.ts'
import { hashFiles, readFiles, sampleArchive, shareArchive, type SampleArchive } from '../../support/sample-archive.ts'
import { canMount, makeSmallDisk } from '../../support/small-disk.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { failOnWindows } from '../archive/folder-test.ts'
import { depsOf, exportFrom, leaveWork } from './exported.ts'
import { checkSums, findBagProblems, judge } from './outside-judges.ts'

const shared = shareArchive(async (onDone) => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, photosPerQuestion: 1 }, undefined, onDone)
  await archive.sync()
  return archive
})

function writePacketOf(archive: SampleArchive, to: string) {
  return createPackets(depsOf(archive)).write({ selection: { kind: 'everything' }, template: 'permit-photos', to })
}

const photoOf = ({ root }: SampleArchive) => {
  const path = [...readFiles(root).keys()].find((name) => name.includes('/photos/'))
  if (path === undefined) throw new Error('The sample archive has no photos.')
  return join(root, path)
}

/** Plants something in the folder of an interrupted export that leads to the victim, a folder of somebody else. */
const plants: [string, (content: string, victim: string) => void][] = [
  ['the content', (content, victim) => (rmSync(content, { recursive: true }), symlinkSync(victim, content))],
  ['a folder in it', (content, victim) => symlinkSync(victim, join(content, 'tables'))],
  ['a file in it', (content, victim) => symlinkSync(join(victim, 'questions.csv'), join(content, 'SHA256SUMS'))],
  ['the scratch file', (content, victim) => symlinkSync(join(victim, 'questions.csv'), join(content, '..', 'scratch'))],
  [
    'the folder itself',
    (content, victim) => (rmSync(dirname(content), { recursive: true }), symlinkSync(victim, dirname(content))),
  ],
]

test.for(plants)('a link in the place of %s of an interrupted export is not followed', async ([, plant]) => {
  const archive = shared()
  const [folder, victim] = [temporaryFolder(), temporaryFolder()]
  mkdirSync(join(victim, 'content'))
  for (const name of ['questions.csv', 'mine.txt', 'content/mine.txt']) writeFileSync(join(victim, name), 'precious')
  const before = hashFiles(victim)
  for (const name of ['folder', 'packet']) {
    const to = join(folder, name)
    const { content } = await leaveWork(to)
    plant(content, victim)
    if (name === 'folder') await exportFrom(archive, { to, options: { include: ['tables', 'certificate'] } })
    else await writePacketOf(archive, to)
    expect(hashFiles(victim)).toEqual(before)
    checkSums(to, 'SHA256SUMS')
    // It is left alone.
    expect(existsSync(dirname(content))).toBe(true)
  }
})

test('an archived photo with a second name in an interrupted export is neither changed nor handed over', async () => {
  const archive = shared()
  const before = hashFiles(archive.root)
  const to = join(temporaryFolder(), 'out')
  const { content } = await leaveWork(to)
  mkdirSync(join(content, 'tables'))
  linkSync(photoOf(archive), join(content, 'tables', 'questions.csv'))
  await exportFrom(archive, { to })
  expect(hashFiles(archive.root)).toEqual(before)
  checkSums(to, 'SHA256SUMS')
})

test.for(exportFormats)('of two exports to one path at once the first gets the name, as a %s', async (format) => {
  const archive = shared()
  const folder = temporaryFolder()
  const to = join(folder, 'out')
  const results = await Promise.allSettled([
    exportFrom(archive, { to, options: { format } }),
    exportFrom(archive, { to, options: { format, include: ['thumbnails'] } }),
    writePacketOf(archive, to),
  ])
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'wrong-usage' })
  }
  expect(readdirSync(folder)).toEqual(['out'])
  if (results[2].status === 'fulfilled' || format === 'folder') checkSums(to, 'SHA256SUMS')
  else if (format === 'zip') judge('unzip', ['-tqq', to])
  else expect(findBagProblems(to)).toEqual([])
})

test('of exports and packets at once to one folder that exists each has a name of its own', async () => {
  const archive = shared()
  for (const format of exportFormats) {
    const folder = temporaryFolder()
    const exporting = [1, 2].map(() => exportFrom(archive, { to: folder, options: { format } }))
    const packing = format === 'folder' ? [1, 2].map(() => writePacketOf(archive, folder)) : []
    const [exported, packets] = await Promise.all([Promise.all(exporting), Promise.all(packing)])
    const paths = [...exported, ...packets].map(({ path }) => path)
    expect(new Set(paths).size).toBe(exporting.length + packing.length)
    expect(readdirSync(folder).sort()).toEqual(paths.map((path) => basename(path)).sort())
    for (const { path } of exported) {
      if (format === 'folder') checkSums(path, 'SHA256SUMS')
      else if (format === 'zip') judge('unzip', ['-tqq', path])
      else expect(findBagProblems(path)).toEqual([])
    }
    for (const { path } of packets) checkSums(path, 'SHA256SUMS')
  }
})

test('only what certainly ended is taken over: what another machine or a process that runs left stays', async () => {
  const archive = shared()
  const folder = temporaryFolder()
  const [photo = ''] = readFiles((await exportFrom(archive, { to: join(folder, 'whole') })).path).keys()
  const as = async (change: (name: string) => string) => {
    const { content } = await leaveWork(join(folder, 'out'))
    mkdirSync(join(content, 'Old'))
    writeFileSync(join(content, 'Old', 'mine.txt'), photo)
    const name = change(basename(dirname(content)))
    renameSync(dirname(content), join(folder, name))
    return name
  }
  const parts = /^(\.out\.)(\w+)-(\d+)-(\w+)(-\w+\.partial)$/
  const left = [
    await as((name) => name.replace(parts, '$1ffffffff-$3-$4$5')),
    await as((name) => name.replace(parts, '$1ffffffff-4999999-$4$5')),
    // Unlike this process, its parent does not end; nothing is known about when it began.
    await as((name) => name.replace(parts, `$1$2-${process.ppid}-00000000$5`)),
    await as(() => '.out.mine.partial'),
    await as(() => '.out.partial'),
  ]
  // A process that ended, and, where the system says when one began, another one that has its number by now.
  await as((name) => name.replace(parts, '$1$2-4999999-$4$5'))
  if (process.platform === 'linux') await as((name) => name.replace(parts, `$1$2-${process.ppid}-12345678$5`))
  for (const format of exportFormats) {
    await exportFrom(archive, { to: join(folder, 'out'), options: { format } })
    rmSync(join(folder, 'out'), { recursive: true })
    expect(readdirSync(folder).sort()).toEqual([...left, 'whole'].sort())
  }
  for (const name of left) expect(readFileSync(join(folder, name, 'content', 'Old', 'mine.txt'), 'utf8')).toBe(photo)
})

test('an interrupted export that a scanner of Windows holds for a moment is resumed', async () => {
  const to = join(temporaryFolder(), 'out')
  const { content } = await leaveWork(to)
  writeFileSync(join(content, 'mine.txt'), 'half')
  failOnWindows('rename')
  const work = await openWorkFolder({ path: to }, { kind: 'folder', resumes: true })
  await work.close()
  expect(readdirSync(work.content)).toEqual(['mine.txt'])
})

test('an export whose folder was replaced meanwhile does not get its name', async () => {
  const archive = shared()
  for (const format of exportFormats) {
    const folder = temporaryFolder()
    let isReplaced = false
    const onProgress = () => {
      const [work] = readdirSync(folder)
      if (isReplaced || work === undefined) return
      isReplaced = true
      const content = join(folder, work, 'content')
      renameSync(content, `${content} moved`)
      if (format === 'zip') writeFileSync(content, 'half')
      else mkdirSync(content)
    }
    const to = join(folder, 'out')
    await expect(exportFrom(archive, { to, options: { format }, onProgress })).rejects.toMatchObject({
      code: 'disk-error',
    })
    expect(existsSync(to)).toBe(false)
  }
})

test.skipIf(!canMount())('what an interrupted export left is no reason to find the disk full', async () => {
  const archive = shared()
  const whole = join(temporaryFolder(), 'whole')
  const { sizeBytes, files } = await exportFrom(archive, { to: whole })
  const photos = [...readFiles(whole)]
  for (const format of exportFormats) {
    const disk = makeSmallDisk(Math.ceil((1.3 * (sizeBytes + files * 6144)) / 1024))
    onTestFinished(() => disk.remove())
    const to = join(disk.path, 'out')
    const { content } = await leaveWork(to)
    const below = format === 'bagit' ? join(content, 'data') : content
    for (const [path, bytes] of photos) {
      mkdirSync(dirname(join(below, path)), { recursive: true })
      writeFileSync(join(below, path), bytes)
    }
    await exportFrom(archive, { to, options: { format } })
    expect(readdirSync(disk.path)).toEqual(['out'])
  }
  const disk = makeSmallDisk(12 * 1024)
  onTestFinished(() => disk.remove())
  const to = join(disk.path, 'out')
  writeFileSync((await leaveWork(to)).scratch, Buffer.alloc(8 * 2 ** 20))
  await writePacketOf(archive, to)
  expect(readdirSync(disk.path)).toEqual(['out'])
})
