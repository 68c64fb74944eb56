import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPackets } from '../../../electron/engine/export/create-packets.ts'
import { sampleArchive, shareArchive } from '../../support/sample-archive.ts'
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

test('nothing is certified or handed over from an empty folder in the place of the archive', async () => {
  const archive = shared()
  // An unmounted drive leaves an empty folder.
  renameSync(archive.root, `${archive.root} gone`)
  mkdirSync(archive.root)
  const to = join(temporaryFolder(), 'out')
  const certificate = exportFrom(archive, { to, options: { include: ['certificate'] } })
  await expect(certificate).rejects.toMatchObject({ code: 'archive-unavailable' })
  const packet = createPackets(depsOf(archive)).write({
    selection: { kind: 'everything' },
    template: 'permit-photos',
    documents: ['certificate'],
    to,
  })
  await expect(packet).rejects.toMatchObject({ code: 'archive-unavailable' })
  expect(existsSync(to)).toBe(false)
})
