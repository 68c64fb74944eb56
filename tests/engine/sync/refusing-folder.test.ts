import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Engine } from '../../../electron/engine/engine.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import type { SyncReport } from '../../../shared/domain.ts'
import { JumpingClock } from '../../support/jumping-clock.ts'
import {
  archivedHashes,
  checklistOf,
  readFiles,
  sampleArchive,
  servedHashes,
  type SampleArchive,
} from '../../support/sample-archive.ts'
import { expectTrueChecksums } from '../../support/true-checksums.ts'
import { startWatching, until } from '../../support/watching.ts'
import { withoutPrivileges } from '../archive/folder-test.ts'

const site = {
  projects: 3,
  checklistsPerProject: 1,
  photoQuestionsPerChecklist: 2,
  statuses: ['completed'],
  awkwardNames: false,
} as const

/** An archive in which access to the first project's folder can be removed. */
interface ClosingArchive extends SampleArchive {
  /** Sets the mode of the first project's folder, or of one below it. */
  chmod(mode: number, below?: string): void
  /** Name of the checklist's folder in the first project's folder. */
  readonly checklistFolder: string
}

/** Runs the work on a complete archive, as a user bound by permissions. */
async function onArchive(work: (archive: ClosingArchive) => Promise<void>): Promise<void> {
  const archive = await sampleArchive(site)
  await withoutPrivileges(dirname(archive.root), async () => {
    expect((await archive.sync()).failures).toEqual([])
    const folder = join(
      archive.root,
      await archive.withEngine((engine) => Promise.resolve(folderOf(engine, first(archive)))),
    )
    const checklistFolder = readdirSync(folder).find((name) => name !== 'SHA256SUMS') ?? ''
    const chmod = (mode: number, below = '') => chmodSync(join(folder, below), mode)
    try {
      await work({ ...archive, chmod, checklistFolder })
    } finally {
      chmod(0o755)
      chmod(0o755, checklistFolder)
    }
  })
}

const first = ({ service }: SampleArchive) => service.projects[0]?.id ?? ''

function folderOf(engine: Engine, projectId: string): string {
  return engine.projects.list().find(({ id }) => id === projectId)?.folder ?? ''
}

/** Replaces a report and a photo, and adds a photo, in every project. */
function changeUpstream({ service }: SampleArchive): void {
  for (const checklist of service.projects.flatMap(({ checklists }) => checklists)) {
    service.replaceReport(checklist)
    for (const photo of photosOf(checklist).slice(0, 1)) service.replacePhoto(photo)
    service.addPhoto(checklist)
  }
}

/** If each project is complete, according to `status`. */
async function completeness(archive: SampleArchive): Promise<boolean[]> {
  const { projects } = await archive.withEngine((engine) => engine.status())
  const byId = new Map(projects.map(({ id, checklists }) => [id, checklists.every(({ complete }) => complete)]))
  return archive.service.projects.map(({ id }) => byId.get(id) ?? false)
}

function expectOnlyFirstFailed(archive: SampleArchive, report: SyncReport): void {
  expect(report.failures.length).toBeGreaterThan(0)
  for (const failure of report.failures) {
    expect(failure).toMatchObject({ projectId: first(archive), code: 'disk-error' })
    expect(failure.message).toMatch(
      /has no write access, or no read access, to the folder .+\. .*Give Solarchive read and write access to this folder/,
    )
    expect(failure.message).toContain(archive.root)
  }
}

async function expectWhole(archive: SampleArchive): Promise<void> {
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  expect(await completeness(archive)).toEqual([true, true, true])
  expect([...readFiles(archive.root).keys()].filter((path) => path.endsWith('.part'))).toEqual([])
  const verified = await archive.withEngine((engine) => engine.verify())
  expect(verified).toMatchObject({ missing: [], changed: [], unexpected: [] })
}

describe('a project folder without write access', () => {
  const closings: [string, number, (archive: ClosingArchive) => string][] = [
    ['read-only', 0o555, () => ''],
    ['not even readable', 0o000, () => ''],
    ['the folder of one checklist', 0o555, ({ checklistFolder }) => checklistFolder],
  ]

  it.each(closings)(
    '(%s) is reported with instructions, and the other projects are archived',
    async (_name, mode, where) => {
      await onArchive(async (archive) => {
        changeUpstream(archive)
        archive.chmod(mode, where(archive))
        // The second pass opens an archive in which records and replacements are pending.
        for (let pass = 0; pass < 2; pass++) {
          const before = archive.service.requests.count('files')
          expectOnlyFirstFailed(archive, await archive.sync())
          expect(await completeness(archive)).toEqual([false, true, true])
          if (pass === 1) expect(archive.service.requests.count('files') - before).toBeLessThan(10)
        }
        archive.chmod(0o755, where(archive))
        expect((await archive.sync()).failures).toEqual([])
        await expectWhole(archive)
      })
    },
  )

  it('is caught up automatically once access returns, and never stops the watch', async () => {
    await onArchive(async (archive) => {
      archive.chmod(0o555)
      changeUpstream(archive)
      const work = async (engine: Engine) => {
        const watching = startWatching(engine)
        await until('the failure is reported', () => watching.failures.length > 0)
        const complete = async () =>
          (await engine.status()).projects.filter(({ checklists }) => checklists.every((one) => one.complete)).length
        await until('the others are archived', async () => (await complete()) === 2)
        archive.chmod(0o755)
        await until('it is archived', async () => (await complete()) === 3)
        expect(watching.states.filter(({ kind }) => kind === 'blocked')).toEqual([])
        await watching.stop()
      }
      await archive.withEngine(work, {}, { clock: new JumpingClock(600) })
      expect((await archive.sync()).failures).toEqual([])
      await expectWhole(archive)
    })
  })

  it('with a changed photo fails that alone: another one is restored, and a new one is archived', async () => {
    await onArchive(async (archive) => {
      const { root, service, checklistFolder } = archive
      const photos = [...readFiles(root).keys()].filter((path) => path.includes(`${checklistFolder}/photos/`))
      const [restored = '', left = ''] = photos.sort()
      const original = readFileSync(join(root, restored))
      for (const path of [restored, left]) appendFileSync(join(root, path), 'edited')
      const closed = dirname(left.slice(left.indexOf(checklistFolder)))
      archive.chmod(0o555, closed)
      service.addPhoto(checklistOf(archive))
      const { failures, downloads } = await archive.sync()
      archive.chmod(0o755, closed)
      expect(failures).toMatchObject([{ projectId: first(archive), path: left, code: 'disk-error' }])
      expect(downloads.newFiles).toBe(1)
      expect(readFileSync(join(root, restored))).toEqual(original)
      expect(readFileSync(join(root, left), 'latin1')).toMatch(/edited$/)
      expect(await completeness(archive)).toEqual([false, true, true])

      expect((await archive.sync()).failures).toEqual([])
      expect(archivedHashes(root)).toEqual(expect.arrayContaining(await servedHashes(service)))
      expect(await completeness(archive)).toEqual([true, true, true])
    })
  })

  it('with a changed checklist.json fails that alone', async () => {
    await onArchive(async (archive) => {
      const { root, checklistFolder } = archive
      const [path = ''] = [...readFiles(root).keys()].filter((one) => one.endsWith(`${checklistFolder}/checklist.json`))
      appendFileSync(join(root, path), 'edited')
      archive.chmod(0o555, checklistFolder)
      const { failures } = await archive.sync()
      archive.chmod(0o755, checklistFolder)
      expect(failures).toMatchObject([{ projectId: first(archive), path, code: 'disk-error' }])
      await archive.withEngine((engine) => {
        expect(engine.catalog.findings({ offset: 0, limit: 10 }).items).toMatchObject([{ path, state: 'changed' }])
        return Promise.resolve()
      })
      expect((await archive.sync()).failures).toEqual([])
      expect(await archive.withEngine((engine) => engine.verify())).toMatchObject({ missing: [], changed: [] })
    })
  })

  it('with a damaged file is reported by a repair, which repairs the other projects', async () => {
    await onArchive(async (archive) => {
      const reports = [...readFiles(archive.root).keys()].filter((path) => path.endsWith('/report.pdf'))
      for (const report of reports) renameSync(join(archive.root, report), join(archive.root, `${report}-gone`))
      archive.chmod(0o555)
      archive.chmod(0o555, archive.checklistFolder)
      const result = await archive.withEngine((engine) => engine.verify({ repair: true }))
      expect(result.missing).toHaveLength(1)
      expect(result.failures).toMatchObject([{ path: result.missing[0], code: 'disk-error' }])
    })
  })
})

it('a read-only archive folder is reported as such, once', async () => {
  await onArchive(async (archive) => {
    changeUpstream(archive)
    const folders = readdirSync(archive.root).map((name) => join(archive.root, name))
    const chmodAll = (mode: number) => [...folders, archive.root].forEach((folder) => chmodSync(folder, mode))
    chmodAll(0o555)
    const { failures } = await archive.sync()
    chmodAll(0o755)
    expect(failures.map(({ code }) => code)).toEqual(['archive-read-only'])
    expect((await archive.sync()).failures).toEqual([])
    await expectWhole(archive)
  })
})

it('a SHA256SUMS that cannot be written again stays missing until it can', async () => {
  const archive = await sampleArchive(site)
  await withoutPrivileges(dirname(archive.root), async () => {
    await archive.sync()
    const [sums = ''] = [...readFiles(archive.root).keys()].filter((path) => path.endsWith('/SHA256SUMS'))
    const folder = join(archive.root, dirname(sums))
    rmSync(join(archive.root, sums))
    chmodSync(folder, 0o555)
    await archive.sync()
    for (const repair of [false, true, false]) {
      const verified = await archive.withEngine((engine) => engine.verify({ repair }))
      expect(verified).toMatchObject({ missing: [sums], changed: [], repaired: 0 })
    }
    chmodSync(folder, 0o755)
    await archive.sync()
    expect(await archive.withEngine((engine) => engine.verify())).toMatchObject({ missing: [], changed: [] })
    expectTrueChecksums(archive.root)
  })
})

it('the first pass into a read-only folder ends before any call', async () => {
  const archive = await sampleArchive(site)
  await withoutPrivileges(dirname(archive.root), async () => {
    mkdirSync(archive.root, { mode: 0o555 })
    await expect(archive.sync()).rejects.toMatchObject({
      code: 'archive-read-only',
      message: expect.stringContaining('is not writable') as string,
    })
    expect(archive.service.requests.count('api')).toBe(0)
  })
})

it('an archive folder that cannot be created is reported as that, not as a missing drive', async () => {
  const archive = await sampleArchive(site)
  const above = dirname(archive.root)
  await withoutPrivileges(above, async () => {
    const closed = join(above, 'closed')
    mkdirSync(closed, { mode: 0o555 })
    await expect(archive.sync({ archiveFolder: join(closed, 'archive') })).rejects.toMatchObject({
      code: 'archive-read-only',
      message: expect.stringContaining(`may not write to ${closed},`) as string,
    })
    expect(archive.service.requests.count('api')).toBe(0)
  })
})

describe('an archive folder that this user may not enter', () => {
  const closings: [string, number, (root: string) => string][] = [
    ['is closed', 0o000, (root) => root],
    ['can only be listed', 0o444, (root) => root],
    ['is in a closed folder', 0o000, dirname],
  ]
  it.each(closings)('and that %s is reported as that, not as one that is gone', async (_, mode, where) => {
    const archive = await sampleArchive(site)
    const archiveFolder = join(dirname(archive.root), 'closed', 'archive')
    await withoutPrivileges(dirname(archive.root), async () => {
      expect((await archive.sync({ archiveFolder })).failures).toEqual([])
      chmodSync(where(archiveFolder), mode)
      try {
        const refusal = {
          code: 'archive-unavailable',
          message: expect.stringMatching(/^Solarchive may not read .+ Give the user that runs Solarchive /) as string,
        }
        await expect(archive.sync({ archiveFolder })).rejects.toMatchObject(refusal)
        await archive.withEngine(
          async (engine) => {
            const watching = startWatching(engine)
            const isBlocked = () => watching.states.at(-1)?.kind === 'blocked'
            await until('it waits', isBlocked)
            expect(watching.states.at(-1)).toMatchObject({ obstacle: 'disk', ...refusal })
            chmodSync(where(archiveFolder), 0o755)
            await until('it resumes', () => !isBlocked())
            await watching.stop()
          },
          { archiveFolder },
          { clock: new JumpingClock(600) },
        )
      } finally {
        chmodSync(where(archiveFolder), 0o755)
      }
      expect((await archive.sync({ archiveFolder })).failures).toEqual([])
    })
  })
})

it('an archive folder that this user may enter and not list needs read access, says the message', async () => {
  const archive = await sampleArchive(site)
  await withoutPrivileges(dirname(archive.root), async () => {
    await archive.sync()
    chmodSync(archive.root, 0o311)
    try {
      await expect(archive.withEngine((engine) => engine.verify())).rejects.toMatchObject({
        code: 'archive-read-only',
        message: expect.stringContaining('Give Solarchive read and write access to the folder') as string,
      })
    } finally {
      chmodSync(archive.root, 0o755)
    }
  })
})
