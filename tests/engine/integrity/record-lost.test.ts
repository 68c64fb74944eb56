import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Engine } from '../../../electron/engine/engine.ts'
import { filesOf, planExport, type PlannedFile } from '../../../electron/engine/export/plan-export.ts'
import { recordLost } from '../../../electron/engine/integrity/record-lost.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { databaseName } from '../../../electron/engine/store/database-files.ts'
import { exportOptionsSchema } from '../../../shared/export.ts'
import { sampleArchive, shareArchive, type SampleArchive } from '../../support/sample-archive.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { exportFrom, storeOf } from '../export/exported.ts'

const shared = shareArchive(async (onDone) => {
  const archive = await sampleArchive(
    { projects: 2, checklistsPerProject: 1, statuses: ['completed'], photosPerQuestion: 2 },
    undefined,
    onDone,
  )
  await archive.sync()
  return archive
})

const selection = { kind: 'everything' } as const
const options = exportOptionsSchema.parse({})
const exportWith = (engine: Engine) => engine.exports.write({ selection, options, to: temporaryFolder() })
const damaged = (engine: Engine) => engine.catalog.damagedFiles()

function photosOf(archive: SampleArchive): PlannedFile[] {
  const plan = planExport(storeOf(archive), systemClock, selection)
  return plan.projects
    .flatMap(({ checklists }) => checklists.flatMap((checklist) => [...filesOf(checklist)]))
    .filter(({ kind }) => kind === 'photo')
}

/** Changes a file without changing its size, which only its hash shows. */
function changeByte(path: string): void {
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0, bytes.length - 1))
}

async function unfinished(engine: Engine): Promise<number> {
  const { projects } = await engine.status()
  return projects.flatMap(({ checklists }) => checklists).filter(({ complete }) => !complete).length
}

test('what an export or a packet of the owner finds missing or changed no longer counts as archived', async () => {
  const archive = shared()
  const [one, other] = photosOf(archive)
  if (one === undefined || other === undefined) throw new Error('The sample has too few photos')
  await archive.withEngine(async (engine) => {
    changeByte(join(archive.root, one.path))
    expect(damaged(engine)).toBe(0)
    expect((await exportWith(engine)).gaps).toMatchObject([{ reason: 'damaged' }])
    expect(damaged(engine)).toBe(1)
    // The file itself is left to a repair.
    expect(readFileSync(join(archive.root, one.path)).length).toBe(one.sizeBytes)
    expect(await unfinished(engine)).toBe(1)
    rmSync(join(archive.root, other.path))
    const order = { selection, template: 'permit-photos', documents: ['contact-sheet'] as const }
    await engine.packets.write({ ...order, to: temporaryFolder() })
    expect(damaged(engine)).toBe(2)
  })
  await archive.withEngine(async (engine) => {
    expect(damaged(engine)).toBe(2)
    await engine.verify({ repair: true })
    expect(damaged(engine)).toBe(0)
    expect((await exportWith(engine)).gaps).toEqual([])
  })
})

test.each([false, true])('a verify of one project finds a restored file right (repair: %s)', async (repair) => {
  const archive = shared()
  const [photo] = photosOf(archive)
  if (photo === undefined) throw new Error('The sample has no photo')
  const path = join(archive.root, photo.path)
  const bytes = readFileSync(path)
  await archive.withEngine(async (engine) => {
    const projectIds = archive.service.projects.map(({ id }) => id)
    changeByte(path)
    expect((await engine.verify({ projectIds })).changed).toEqual([photo.path])
    expect([damaged(engine), await unfinished(engine)]).toEqual([1, 1])
    writeFileSync(path, bytes)
    expect(await engine.verify({ projectIds, repair })).toMatchObject({ changed: [], repaired: 0 })
    expect([damaged(engine), await unfinished(engine)]).toEqual([0, 0])
  })
})

test('a reader beside an owner records nothing', async () => {
  const archive = shared()
  const [photo] = photosOf(archive)
  changeByte(join(archive.root, photo?.path ?? ''))
  await archive.withEngine(async (engine) => {
    expect((await exportFrom(archive, { to: temporaryFolder() })).gaps).toHaveLength(1)
    expect(damaged(engine)).toBe(0)
  })
})

test('in an archive that is away, or has a renamed folder, an export finds nothing that it records', async () => {
  const archive = shared()
  const [photo] = photosOf(archive)
  const [folder = ''] = photo?.path.split('/') ?? []
  await archive.withEngine(async (engine) => {
    renameSync(join(archive.root, folder), join(archive.root, 'Renamed by somebody'))
    expect((await exportWith(engine)).gaps.length).toBeGreaterThan(0)
    expect(damaged(engine)).toBe(0)
    renameSync(join(archive.root, 'Renamed by somebody'), join(archive.root, folder))

    // An unmounted drive leaves an empty folder.
    renameSync(archive.root, `${archive.root} gone`)
    mkdirSync(archive.root)
    await expect(exportWith(engine)).rejects.toMatchObject({ code: 'archive-unavailable' })
    const packet = { selection, template: 'permit-photos', to: temporaryFolder() }
    await expect(engine.packets.write(packet)).rejects.toMatchObject({ code: 'archive-unavailable' })
    rmSync(archive.root, { recursive: true })
    renameSync(`${archive.root} gone`, archive.root)
    expect(damaged(engine)).toBe(0)
    expect(await unfinished(engine)).toBe(0)
  })
})

test('only what is found missing or changed again is recorded', async () => {
  const archive = shared()
  const [intact, lost, unknown] = photosOf(archive)
  if (intact === undefined || lost === undefined || unknown === undefined) throw new Error('Too few photos')
  rmSync(join(archive.root, lost.path))
  const store = createStore(join(archive.home, databaseName))
  try {
    const deps = { store, root: archive.root, clock: systemClock }
    const signal = new AbortController().signal
    expect(await recordLost(deps, [intact.assetId, lost.assetId, 999_999], signal)).toBe(1)
    expect(store.assets.get(lost.assetId)).toMatchObject({ damage: 'missing' })
    expect(store.assets.get(intact.assetId)).toMatchObject({ damage: null })
    const stopped = AbortSignal.abort()
    rmSync(join(archive.root, unknown.path))
    await expect(recordLost(deps, [unknown.assetId], stopped)).rejects.toThrow()
    expect(store.assets.get(unknown.assetId)).toMatchObject({ damage: null })
  } finally {
    store.close()
  }
})
