import { existsSync, readdirSync, renameSync, unlinkSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ArchiveFolders } from '../../../electron/engine/archive/archive-folders.ts'
import { type Finding, recordFindings } from '../../../electron/engine/integrity/findings.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import type { ArchivedAsset } from '../../../electron/engine/store/archived-files-store.ts'
import { AppError } from '../../../shared/errors.ts'
import { failCalls } from '../../support/hooks/fail-calls.ts'
import { sampleArchive, shareArchive } from '../../support/sample-archive.ts'
import { errnoError } from '../archive/folder-test.ts'

const site = { projects: 1, checklistsPerProject: 1, statuses: ['completed'], awkwardNames: false } as const

const sharedArchive = shareArchive(async (onDone) => {
  const archive = await sampleArchive(site, undefined, onDone)
  await archive.sync()
  return archive
})

/** An archived checklist, its first file, and a function that records a finding about it. */
function archived() {
  const archive = sharedArchive()
  const store = createStore(join(archive.home, 'solarchive.sqlite3'))
  onTestFinished(() => store.close())
  const quiet = () => undefined
  const parts = {
    store,
    folders: new ArchiveFolders(archive.root),
    clock: systemClock,
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet, showMessage: quiet },
  }
  const [asset] = store.archivedFiles.assets(0, 1)
  if (asset === undefined) throw new Error('The sample has a file')
  const jobs = () => store.jobs.listForChecklist(asset.checklistKey).map(({ assetId, state }) => ({ assetId, state }))
  return {
    archive,
    asset,
    jobs,
    isThere: () => existsSync(join(archive.root, asset.path)),
    record: (state: Finding['state'], file: ArchivedAsset = asset) =>
      recordFindings(parts, [{ file, state }], { forgetVersions: true }),
  }
}

/** Makes every read of an open file fail, by default as a failing medium does. */
async function failReads(errno = 'EIO'): Promise<void> {
  const handle = await open(import.meta.filename)
  await handle.close()
  const read = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'read').mockRejectedValue(errnoError(errno))
  onTestFinished(() => read.mockRestore())
}

describe('a file that cannot be read', () => {
  it.each(['EACCES', 'EPERM', 'EBUSY', 'ESTALE', 'ETIMEDOUT', 'UNKNOWN'])(
    '(%s) may be unchanged, and is left alone',
    async (errno) => {
      const { asset, record, isThere, jobs } = archived()
      const { left, quarantined } = await record({ errno })
      expect(left.get(asset.path)).toMatchObject({ code: 'disk-error', details: { errno } })
      expect([quarantined, isThere(), jobs()]).toEqual([[], true, []])
    },
  )

  it('because the medium fails is quarantined and queued', async () => {
    const { asset, record, isThere, jobs } = archived()
    await failReads()
    const { left, quarantined } = await record({ errno: 'EIO' })
    expect([left.size, quarantined.length, isThere()]).toEqual([0, 1, false])
    expect(jobs()).toEqual([{ assetId: asset.id, state: 'queued' }])
  })

  it('for another reason at a second try is left alone', async () => {
    const { asset, record, isThere, jobs } = archived()
    await failReads('ESTALE')
    const { left, quarantined } = await record({ errno: 'EIO' })
    expect(left.get(asset.path)).toMatchObject({ code: 'disk-error', details: { errno: 'ESTALE' } })
    expect([quarantined, isThere(), jobs()]).toEqual([[], true, []])
  })

  it('because the medium failed for a moment is left alone', async () => {
    const { asset, record, isThere, jobs } = archived()
    const { left, quarantined } = await record({ errno: 'EIO' })
    expect(left.get(asset.path)?.message).toMatch(/^It was missing or unreadable a moment ago, and is there again/)
    expect([quarantined, isThere(), jobs()]).toEqual([[], true, []])
  })
})

describe('a finding is void', () => {
  it('when the file was replaced meanwhile', async () => {
    const { record, asset, isThere, jobs } = archived()
    expect(await record('changed', { ...asset, sha256: 'f'.repeat(64) })).toEqual({
      recorded: [],
      quarantined: [],
      left: new Map(),
    })
    expect([isThere(), jobs()]).toEqual([true, []])
  })

  it('when it was already handled', async () => {
    const { asset, record, jobs } = archived()
    await record('changed')
    expect(await record('changed')).toEqual({ recorded: [], quarantined: [], left: new Map() })
    expect(jobs()).toEqual([{ assetId: asset.id, state: 'queued' }])
  })
})

it('a changed file deleted before it can be quarantined is missing', async () => {
  const { asset, archive, record, jobs } = archived()
  unlinkSync(join(archive.root, asset.path))
  const recorded = [{ file: asset, state: 'changed' }]
  expect(await record('changed')).toEqual({ recorded, quarantined: [], left: new Map() })
  expect(jobs()).toEqual([{ assetId: asset.id, state: 'queued' }])
})

it('too many open files are no finding, whichever call meets them, and whatever was renamed', async () => {
  const archive = await sampleArchive({ ...site, photoQuestionsPerChecklist: 1, photosPerQuestion: 1 })
  await archive.sync()
  const [folder = ''] = readdirSync(archive.root)
  renameSync(join(archive.root, folder), join(archive.root, 'Another name'))
  const verify = () => archive.withEngine((engine) => engine.verify())
  const status = () => archive.withEngine(async (engine) => (await engine.status()).projects)
  const before = await status()
  let refused = 0
  for (let failing = 1, failed = 1; failed > 0; failing += 1) {
    const calls = { below: [archive.root], calls: ['descriptor'], from: failing, times: 1, what: 'EMFILE' } as const
    const end = await failCalls(calls)
    const result = await verify()
      .catch((error: unknown) => error)
      .finally(() => (failed = end()))
    if (result instanceof AppError) {
      expect(result).toMatchObject({ code: 'disk-error', details: { errno: 'EMFILE' } })
      expect(result.message).toMatch(
        /^Solarchive could not (?:open|read) the archive folder.*: too many files are open/,
      )
      refused += 1
    } else expect(result).toMatchObject({ missing: [], changed: [] })
    expect(await status()).toEqual(before)
  }
  expect(refused).toBeGreaterThan(0)
})
