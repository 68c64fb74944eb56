import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ArchiveReader } from '../../../electron/engine/engine.ts'
import { createPackets } from '../../../electron/engine/export/create-packets.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { openReader } from '../../../electron/engine/open-reader.ts'
import { databaseName } from '../../../electron/engine/store/database-files.ts'
import { exportOptionsSchema } from '../../../shared/export.ts'
import { sampleArchive, shareArchive, type SampleArchive } from '../../support/sample-archive.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { depsOf, exportFrom } from './exported.ts'

const shared = shareArchive(async (onDone) => {
  const archive = await sampleArchive(
    { projects: 1, checklistsPerProject: 1, statuses: ['completed'] },
    undefined,
    onDone,
  )
  await archive.sync()
  return archive
})

const selection = { kind: 'everything' } as const
const options = exportOptionsSchema.parse({ include: ['photos', 'certificate'] })
const packet = { selection, template: 'permit-photos', documents: ['certificate'] } as const

function openBesideOwner({ home, root, service }: SampleArchive): ArchiveReader {
  const settings = { homeFolder: home, archiveFolder: root, serviceUrl: service.url }
  const opened = openReader(settings, { clock: systemClock })
  if (opened.kind !== 'open') throw new Error('No reader')
  onTestFinished(() => opened.reader.close())
  return opened.reader
}

test('nothing is certified or handed over from an empty folder in the place of the archive', async () => {
  const archive = shared()
  // An unmounted drive leaves an empty folder.
  renameSync(archive.root, `${archive.root} gone`)
  mkdirSync(archive.root)
  const to = join(temporaryFolder(), 'out')
  const certificate = exportFrom(archive, { to, options: { include: ['certificate'] } })
  await expect(certificate).rejects.toMatchObject({ code: 'archive-unavailable' })
  const written = createPackets(depsOf(archive)).write({ ...packet, to })
  await expect(written).rejects.toMatchObject({ code: 'archive-unavailable' })
  expect(existsSync(to)).toBe(false)
})

test.each(['export', 'packet'] as const)(
  'a lost database is restored before it is handed over as: %s',
  async (kind) => {
    const archive = shared()
    const write = async ({ exports, packets }: Pick<ArchiveReader, 'exports' | 'packets'>) => {
      const to = join(temporaryFolder(), 'out')
      if (kind === 'export') return (await exports.write({ selection, options, to })).files
      return (await packets.write({ ...packet, to })).slots.reduce((sum, { photos }) => sum + photos, 0)
    }
    const before = await archive.withEngine(write)
    expect(before).toBeGreaterThan(0)
    rmSync(join(archive.home, databaseName))
    await archive.withEngine(async (engine) => {
      const reader = openBesideOwner(archive)
      const message = expect.stringContaining(`(process ${process.pid}) has not yet compared its database`) as string
      await expect(write(reader)).rejects.toMatchObject({ code: 'data-folder-locked', message })
      expect(await write(engine)).toBe(before)
      expect(await write(reader)).toBe(before)
    })
  },
)
