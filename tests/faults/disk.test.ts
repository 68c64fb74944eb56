import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readSettingsFile, writeSettingsFile } from '../../electron/app/settings/settings-file.ts'
import { createTokenStore, TokenReader } from '../../electron/app/token/token-reader.ts'
import type { Engine } from '../../electron/engine/engine.ts'
import { createRedactor } from '../../electron/engine/lib/redact.ts'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'
import { createStore } from '../../electron/engine/store/create-store.ts'
import { databaseName } from '../../electron/engine/store/database-files.ts'
import { faultWorld, smallDisk } from '../support/fault-world.ts'
import { failCalls } from '../support/hooks/fail-calls.ts'
import { readEnd, type SyncEnd } from '../support/installation.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { readLedger } from '../support/ledger.ts'
import { archivedHashes, sampleArchive, servedHashes } from '../support/sample-archive.ts'
import { canMount, type SmallDisk } from '../support/small-disk.ts'
import { runMain } from '../support/run-main.ts'
import { canStrace, injecting } from '../support/strace.ts'
import { startWatching, until } from '../support/watching.ts'

/** Space for everything that these tests archive. */
const enoughKilobytes = 20_000

/** 142 files in each project: more than are requested before the first is recorded, so that a fault meets the rest. */
const manyFiles = { service: { photosPerQuestion: 35 } } as const

function expectEnd(end: SyncEnd, exitCode: number, code: string): void {
  expect({ exitCode: end.exitCode, codes: end.codes }, end.stderr).toEqual({ exitCode, codes: [code] })
}

/** Only a pass that has begun reports the archive's state at its end, for which the archive has to be there. */
const usage = 2
const incomplete = 4
/** Nothing can be recorded in the data folder. */
const unrecorded = 1

describe('an injected disk fault', () => {
  const faults = [
    ['a full disk', 'write', 'ENOSPC', 'disk-full'],
    ['a used-up quota', 'write', 'EDQUOT', 'disk-full'],
    ['a write that fails', 'write', 'EIO', 'disk-error'],
    ['an fsync that fails', 'sync', 'EIO', 'disk-error'],
    ['a rename that fails', 'rename', 'EIO', 'disk-error'],
    ['a disk that became read-only', 'rename', 'EROFS', 'archive-read-only'],
  ] as const

  // The second call is during publishing, the 30th among the renames and records of replacements.
  it.each(faults.flatMap((fault) => [2, 30].map((from) => [...fault, from] as const)))(
    '(%s, %s: %s is %s, from call %i) loses nothing, and the next pass completes',
    async (_name, call, what, code, from) => {
      const world = await faultWorld()
      await world.syncHere()
      await world.changeUpstream()
      const end = await world.syncWithFailingCalls({ below: [world.root], calls: [call], from, what })
      expectEnd(end, incomplete, code)
      world.expectNothingWrong()
      await world.expectCompletes()
    },
  )

  it.each([
    ['SQLITE_FULL', 'disk-full', 1],
    ['SQLITE_FULL', 'disk-full', 60],
    ['SQLITE_IOERR_FSYNC', 'disk-error', 1],
    ['SQLITE_IOERR_FSYNC', 'disk-error', 60],
  ])(
    '(%s of the database is %s, from statement %i) is reported, and the next pass completes',
    async (what, code, from) => {
      const world = await faultWorld()
      expectEnd(await world.syncWithFailingCalls({ below: ['database'], calls: ['run'], from, what }), unrecorded, code)
      world.expectNothingWrong()
      await world.expectCompletes()
    },
  )
})

it.each([1, 10, 40, 80])(
  'a full disk below the database (from statement %i) makes the watch wait, and it resumes once there is room',
  async (from) => {
    const archive = await sampleArchive({ projects: 2, checklistsPerProject: 1, photosPerQuestion: 2 })
    const work = async (engine: Engine) => {
      const end = await failCalls({ below: ['database'], calls: ['run'], from, what: 'SQLITE_FULL' })
      onTestFinished(() => void end())
      const watching = startWatching(engine)
      const isBlocked = () =>
        watching.states.some(
          (state) => state.kind === 'blocked' && state.obstacle === 'disk' && state.code === 'disk-full',
        )
      await until('the watch waits for room', isBlocked)
      end()
      engine.watch.recheck()
      const served = await servedHashes(archive.service)
      await until('all files are archived', () => archivedHashes(archive.root).length === served.length)
      await watching.stop()
      expect(watching.failures).toEqual([])
      expect(archivedHashes(archive.root)).toEqual(served)
    }
    // Only the recheck ends the wait: this clock never reaches the next look at the disk.
    const nowMs = systemClock.monotonicMs()
    await archive.withEngine(work, {}, { clock: { ...systemClock, monotonicMs: () => nowMs } })
    expect(await archive.sync()).toMatchObject({ failures: [], filesDownloaded: 0 })
  },
)

describe('an archive folder that is renamed away', () => {
  it('during a pass is not created again, and the next pass continues once it is back', async () => {
    const world = await faultWorld(manyFiles)
    world.atFileRequestAfterCommit(() => renameSync(world.root, `${world.root} elsewhere`))
    expectEnd(await world.sync(), usage, 'archive-unavailable')
    expectEnd(await world.sync(), usage, 'archive-unavailable')
    renameSync(`${world.root} elsewhere`, world.root)
    world.expectNothingWrong()
    await world.expectCompletes()
  })
})

// Needs the right to mount; the tests above cover the same errors without it.
describe.runIf(canMount())('a real disk', () => {
  it('that is full keeps archived files, is reported, and receives the rest once there is space', async () => {
    const disk = smallDisk(150)
    const world = await faultWorld({ root: disk.path })
    for (let pass = 0; pass < 2; pass++) {
      expectEnd(await world.sync(), incomplete, 'disk-full')
      world.expectNothingWrong()
    }
    disk.resize(enoughKilobytes)
    await world.expectCompletes()
  })

  it('that is too small for some files fails only these, and receives them once there is space', async () => {
    const disk = smallDisk(4000)
    const world = await faultWorld({ root: disk.path, service: { reportBytes: 6_000_000 } })
    const end = await world.sync()
    expectEnd(end, incomplete, 'file-too-large')
    expect(end.report?.failures.map(({ path }) => path?.endsWith('/report.pdf'))).toEqual([true, true, true, true])
    expect(end.report?.failures[0]?.message).toMatch(/needs 6 MB, .+ has 3 MB .+ Free at least 3 MB more/)
    // Photos and thumbnails are there, and nothing of the reports.
    expect(end.report?.filesDownloaded).toBe(4 * 6 * 2)
    world.expectNothingWrong()
    disk.resize(40_000)
    await world.expectCompletes()
  })

  it('that is full when files are replaced keeps the old ones', async () => {
    const disk = smallDisk(enoughKilobytes)
    const world = await faultWorld({ root: disk.path })
    await world.syncHere()
    await world.changeUpstream()
    disk.leaveFree(20)
    expectEnd(await world.sync(), incomplete, 'disk-full')
    world.expectNothingWrong()
    disk.resize(enoughKilobytes)
    await world.expectCompletes()
  })

  it('that becomes read-only before or during a pass is reported', async () => {
    const disk = smallDisk(enoughKilobytes)
    const world = await faultWorld({ root: disk.path, ...manyFiles })
    world.atFileRequest(50, () => untilAllowed(() => disk.setReadOnly(true)))
    // In a process of its own, which closes files while the service waits for the remount in this one.
    expectEnd(readEnd(await world.startSync().ended), incomplete, 'archive-read-only')
    world.expectNothingWrong()
    expectEnd(await world.sync(), usage, 'archive-read-only')
    disk.setReadOnly(false)
    await world.expectCompletes()

    disk.setReadOnly(true)
    expect(await world.sync()).toMatchObject({ exitCode: 0 })
    await world.changeUpstream()
    expectEnd(await world.sync(), incomplete, 'archive-read-only')
    world.expectNothingWrong()
    disk.setReadOnly(false)
    await world.expectCompletes()
  })

  it.each([
    ['full', 'disk-full', (disk: SmallDisk) => disk.leaveFree(0)],
    ['read-only', 'archive-read-only', (disk: SmallDisk) => disk.setReadOnly(true)],
  ] as const)('that is %s and lacks records of a pass is verified nevertheless', async (_what, code, refuse) => {
    const disk = smallDisk(enoughKilobytes)
    const world = await faultWorld({ root: disk.path })
    await world.syncHere()
    await world.changeUpstream()
    refuse(disk)
    expectEnd(await world.sync(), incomplete, code)
    const env = { SOLARCHIVE_URL: world.service.url, SOLARCHIVE_HOME: world.home, SOLARCHIVE_ARCHIVE: world.root }
    const { exitCode, stdout, stderr } = await runMain(['verify', '--json'], { env })
    expect({ exitCode, report: JSON.parse(stdout) as unknown }, stderr).toMatchObject({
      exitCode: 0,
      report: { missing: [], changed: [] },
    })
    expect(stderr).toContain('could not bring the records of a project up to date')
    disk.setReadOnly(false)
    disk.resize(enoughKilobytes)
    await world.expectCompletes()
  })

  it('that filled up during a pass is verified: only the sums, which lack what was archived, are not right', async () => {
    const disk = smallDisk(enoughKilobytes)
    const world = await faultWorld({ root: disk.path })
    await world.syncHere()
    await world.changeUpstream()
    disk.leaveFree(100)
    const end = await world.sync()
    expectEnd(end, incomplete, 'disk-full')
    expect(end.report?.filesDownloaded).toBeGreaterThan(0)
    const env = { SOLARCHIVE_URL: world.service.url, SOLARCHIVE_HOME: world.home, SOLARCHIVE_ARCHIVE: world.root }
    const { exitCode, stdout } = await runMain(['verify', '--json'], { env })
    const { missing, changed } = JSON.parse(stdout) as Record<'missing' | 'changed', string[]>
    expect({ exitCode, missing }).toEqual({ exitCode: incomplete, missing: [] })
    expect(changed.length).toBeGreaterThan(0)
    expect(changed.filter((path) => !path.endsWith('/SHA256SUMS'))).toEqual([])
    disk.resize(enoughKilobytes)
    expect(await runMain(['verify', '--json'], { env })).toMatchObject({ exitCode: 0 })
    await world.expectCompletes()
  })

  it('that is read-only since a process was killed is verified nevertheless, but not repaired', async () => {
    const disk = smallDisk(enoughKilobytes)
    const world = await faultWorld({ root: disk.path })
    await world.syncHere()
    const { installation, projectFolders } = readLedger(world.home)
    writeFileSync(join(disk.path, projectFolders[0] ?? '', `1-${installation}.part`), 'a part of a download')
    disk.setReadOnly(true)
    const env = { SOLARCHIVE_URL: world.service.url, SOLARCHIVE_HOME: world.home, SOLARCHIVE_ARCHIVE: world.root }
    const verified = await runMain(['verify', '--json'], { env })
    expect(verified, verified.stderr).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(verified.stdout)).toMatchObject({ missing: [], changed: [], unexpected: [] })
    expect(await runMain(['verify', '--repair', '--json'], { env })).toMatchObject({ exitCode: usage })
    disk.setReadOnly(false)
    await world.expectCompletes()
  })

  it('that is read-only since a file was being replaced is verified nevertheless', async () => {
    const disk = smallDisk(enoughKilobytes)
    const world = await faultWorld({ root: disk.path })
    await world.syncHere()
    const store = createStore(join(world.home, databaseName))
    const { path = '' } = store.assets.get(1) ?? {}
    const versionPath = `${path}.old`
    const sha256 = '0'.repeat(64)
    store.versions.begin({ assetId: 1, versionPath, replacedAt: '2026-06-12T10:00:00.000Z', sha256, sizeBytes: 1 })
    store.close()
    renameSync(join(disk.path, path), join(disk.path, versionPath))
    disk.setReadOnly(true)
    const env = { SOLARCHIVE_URL: world.service.url, SOLARCHIVE_HOME: world.home, SOLARCHIVE_ARCHIVE: world.root }
    const { exitCode, stdout, stderr } = await runMain(['verify', '--json'], { env })
    expect({ exitCode, report: JSON.parse(stdout) as unknown }, stderr).toMatchObject({
      exitCode: incomplete,
      report: { missing: [path], changed: [] },
    })
    expect(stderr).toContain(`${path}: Solarchive could not finish the replacement of a file`)
    disk.setReadOnly(false)
    expect(await runMain(['verify', '--json'], { env })).toMatchObject({ exitCode: 0 })
    await world.expectCompletes()
  })

  it('that is unplugged during a pass leaves an empty folder, which stays empty', async () => {
    const disk = smallDisk(enoughKilobytes)
    const world = await faultWorld({ root: disk.path, ...manyFiles })
    world.atFileRequestAfterCommit(() => disk.unplug())
    expectEnd(await world.sync(), usage, 'archive-unavailable')
    expectEnd(await world.sync(), usage, 'archive-unavailable')
    expect(readdirSync(disk.path)).toEqual([])
    disk.plugIn()
    world.expectNothingWrong()
    await world.expectCompletes()
  })

  // The first file that does not fit is the lock's, the pid's, one of the database, or that of a commit.
  it('that is plugged in again with little space is watched again', async () => {
    const disk = smallDisk(enoughKilobytes)
    const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
    await archive.sync({ archiveFolder: disk.path })
    writeFileSync(join(disk.path, 'of someone else'), randomBytes(10_000_000))
    // Less than must stay free for downloads.
    disk.leaveFree(100)
    const work = async (engine: Engine) => {
      disk.unplug()
      const watching = startWatching(engine)
      const isAt = (kind: string) => watching.states.at(-1)?.kind === kind
      await until('the watch waits for the disk', () => isAt('blocked'))
      expect(watching.states.at(-1)).toMatchObject({ obstacle: 'disk', code: 'archive-unavailable' })
      disk.plugIn()
      await until('the watch has nothing to do', () => isAt('idle'))
      await watching.stop()
    }
    await archive.withEngine(work, { archiveFolder: disk.path }, { clock: new JumpingClock(60) })
  })

  it.each([0, 4, 16, 40, 100, 200, 300])(
    'with room for %i KB of the data folder: a command says that it is full, and works once there is room',
    async (kilobytes) => {
      const disk = smallDisk(8)
      writeFileSync(join(disk.path, 'something else'), 'x')
      disk.leaveFree(kilobytes)
      const env = { SOLARCHIVE_HOME: disk.path, SOLARCHIVE_ARCHIVE: join(disk.path, '..', 'archive') }
      const add = () => runMain(['projects', 'add', 'p-1'], { env })
      const full = new RegExp(
        `^The disk with the data folder ${disk.path} is full \\(.+ free\\), so nothing more can be recorded\\. .+ ` +
          'Free some space there, then try again\\. --home sets the data folder\\.\n$',
      )
      for (let time = 0; time < 2; time++) {
        const { exitCode, stdout, stderr } = await add()
        expect([exitCode, stdout]).toEqual([1, ''])
        expect(stderr).toMatch(full)
      }
      disk.resize(enoughKilobytes)
      expect(await add()).toMatchObject({ exitCode: 0, stderr: '' })
    },
  )

  it('with the data folder that is full keeps a damaged database, which is replaced once there is room', async () => {
    const disk = smallDisk(enoughKilobytes)
    const world = await faultWorld({ home: disk.path })
    await world.syncHere()
    const database = join(disk.path, 'solarchive.sqlite3')
    writeFileSync(database, randomBytes(200_000))
    disk.leaveFree(40)
    const env = { SOLARCHIVE_HOME: disk.path, SOLARCHIVE_ARCHIVE: world.root }
    for (let time = 0; time < 2; time++) {
      expect(await runMain(['status'], { env })).toMatchObject({ exitCode: 1, stdout: '' })
      expect(readdirSync(disk.path).filter((name) => name.includes('damaged'))).toEqual([])
    }
    disk.resize(enoughKilobytes)
    await world.expectCompletes()
    expect(readdirSync(disk.path).some((name) => name.includes('damaged'))).toBe(true)
  })

  it('with the data folder that is full or read-only takes no settings and no token, and says so', async () => {
    const disk = smallDisk(enoughKilobytes)
    await writeSettingsFile(disk.path, { concurrency: 3 })
    const redactor = createRedactor()
    const { platform } = process
    const from = {
      homeFolder: disk.path,
      environmentToken: undefined,
      platform,
      redactor,
      showMessage: () => undefined,
    }
    const tokens = createTokenStore(disk.path, new TokenReader(from))
    disk.leaveFree(0)
    const full =
      /could not be saved in .+: its disk is full \(0 B free\); free some space there.+ Nothing was changed\.$/
    await expect(writeSettingsFile(disk.path, { concurrency: 4 })).rejects.toThrow(full)
    await expect(tokens.save('a-token', { inFile: true })).rejects.toThrow(full)
    disk.resize(enoughKilobytes)
    disk.setReadOnly(true)
    await expect(writeSettingsFile(disk.path, { concurrency: 4 })).rejects.toThrow('its disk can only be read')
    const ended = await runMain(['projects', 'add', 'p-1'], { env: { SOLARCHIVE_HOME: disk.path } })
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' })
    expect(ended.stderr).toMatch(
      /^The disk with the data folder .+ can only be read, so nothing more can be recorded\./,
    )
    disk.setReadOnly(false)
    expect((await readSettingsFile(disk.path)).settings).toEqual({ concurrency: 3 })
    expect(readdirSync(disk.path)).toEqual(['settings.json'])
    await tokens.save('a-token', { inFile: true })
  })

  it('with the data folder that is full is reported, and the next pass completes', async () => {
    const disk = smallDisk(enoughKilobytes)
    const world = await faultWorld({ home: disk.path })
    disk.leaveFree(100)
    const end = await world.sync()
    // Which of them depends on what no longer fits: the record of a project's failure, or also that of the pass.
    expect([unrecorded, incomplete], end.stderr).toContain(end.exitCode)
    expect(end.codes).toEqual(['disk-full'])
    disk.resize(enoughKilobytes)
    world.expectNothingWrong()
    await world.expectCompletes()
  })
})

// As above.
describe.runIf(canStrace())('a failing fsync', () => {
  it('of files fails only these files, and none of them counts as archived', async () => {
    const world = await faultWorld()
    await world.syncHere()
    await world.changeUpstream()
    const { projectFolders, assets, installation } = readLedger(world.home)
    // The fsync of replaced files, and of later ones.
    const ids = [...assets.map(({ id }) => id), ...Array.from({ length: 8 }, (_, index) => assets.length + index + 1)]
    const parts = projectFolders.flatMap((folder) =>
      ids.map((id) => join(world.root, folder, `${id}-${installation}.part`)),
    )
    const end = await world.syncTraced(injecting(['fsync'], parts, 'error=EIO'))
    expectEnd(end, incomplete, 'disk-error')
    expect(end.report?.filesDownloaded).toBe(0)
    world.expectNothingWrong()
    await world.expectCompletes()
  })

  it('of folders is reported, and their files are checked again', async () => {
    const world = await faultWorld()
    await world.syncHere()
    await world.changeUpstream()
    const folders = new Set(readLedger(world.home).assets.map(({ path }) => join(world.root, path, '..')))
    expectEnd(await world.syncTraced(injecting(['fsync'], folders, 'error=EIO')), incomplete, 'disk-error')
    world.expectNothingWrong()
    await world.expectCompletes()
  })

  it.each([1, 8])('of the database, from call %i on, is reported, and the next pass completes', async (from) => {
    const world = await faultWorld()
    const database = join(world.home, 'solarchive.sqlite3')
    const args = injecting(['fsync', 'fdatasync'], [database, `${database}-wal`], `error=EIO:when=${from}+`)
    expectEnd(await world.syncTraced(args), unrecorded, 'disk-error')
    world.expectNothingWrong()
    await world.expectCompletes()
  })
})

/** Remounts the disk, which the system refuses while a file is open for writing: retries until none is. */
function untilAllowed(act: () => void): void {
  const attempt = () => {
    try {
      act()
      clearInterval(timer)
    } catch {
      // Retry.
    }
  }
  const timer = setInterval(attempt, 1)
  attempt()
}
