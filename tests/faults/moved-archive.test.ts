import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../../electron/app/create-app.ts'
import type { MoveState } from '../../shared/background-tasks.ts'
import { withoutDescriptor } from '../support/hooks/fail-calls.ts'
import { hostPorts, settingsSource, tokenStore } from '../support/host-ports.ts'
import { install, type TestInstallation } from '../support/installation.ts'
import { smallFilesFolder } from '../support/memory-disk.ts'
import { otherDisk } from '../support/other-disk.ts'
import { recordSnapshots } from '../support/record-snapshots.ts'
import { readFiles, sha256 } from '../support/sample-archive.ts'
import { canMount, makeSmallDisk } from '../support/small-disk.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A small complete archive, deleted after the test. */
async function archived(): Promise<TestInstallation> {
  const installation = await install({
    service: { projects: 2, checklistsPerProject: 1, photoQuestionsPerChecklist: 1, photosPerQuestion: 2 },
    within: smallFilesFolder,
  })
  onTestFinished(() => installation.close())
  await installation.syncHere()
  return installation
}

/** Returns path to hash of every finished file in a folder. */
function hashesIn(folder: string): Map<string, string> {
  const finished = [...readFiles(folder)].filter(([path]) => !path.endsWith('.part'))
  return new Map(finished.map(([path, bytes]) => [path, sha256(bytes)]))
}

/** Returns the path of a new archive folder on a disk, deleted after the test. */
function newFolderOn(disk: string): string {
  const folder = temporaryFolder(disk)
  return join(folder, 'the archive')
}

/** Runs a host that moves the archive, or resumes a move, and ends afterwards. Returns the last state. */
async function move({ home, root, service }: TestInstallation, to: string): Promise<MoveState> {
  const host = await createApp({
    source: settingsSource(home, root, service.url),
    ports: hostPorts(tokenStore(service.token)),
  })
  try {
    const done = Promise.withResolvers<MoveState>()
    let isRunning = false
    host.api.subscribe(({ name, value: state }) => {
      if (name !== 'move-state') return
      if (state.kind === 'running') isRunning = true
      else if (isRunning) done.resolve(state)
    })
    if (!isRunning) {
      // The earlier host had finished except for its own end.
      if (host.setupState().archiveFolder === to) return { kind: 'idle', last: null, unfinished: null }
      const answer = await host.api.call('archive.move', { folder: to })
      if (!answer.ok) throw new Error(answer.error.message)
    }
    return await done.promise
  } finally {
    await host.close()
  }
}

/** Records a move and resumes it from each moment at which it could have been killed. Returns their number. */
async function killedEverywhere(disk: string): Promise<number> {
  const mine = await archived()
  const before = hashesIn(mine.root)
  const to = newFolderOn(disk)

  const expectMoved = (when: string) => {
    expect(hashesIn(to), when).toEqual(before)
    expect(hashesIn(mine.root).size, `left in the former place, ${when}`).toBe(0)
    expect(existsSync(join(mine.home, 'archive-move.json')), when).toBe(false)
    const settings = JSON.parse(readFileSync(join(mine.home, 'settings.json'), 'utf8')) as { archiveFolder?: string }
    expect(settings.archiveFolder, when).toBe(to)
  }
  const snapshots = await recordSnapshots([mine.home, mine.root, dirname(to)], () => move(mine, to))
  expectMoved('not killed')
  for (const { name, restore } of snapshots) {
    restore()
    const both = [hashesIn(mine.root), hashesIn(to)]
    for (const [path, hash] of before) {
      expect(
        both.map((found) => found.get(path)),
        `${path}, killed ${name}`,
      ).toContain(hash)
    }
    expect(await move(mine, to), `after a kill ${name}`).toMatchObject({ kind: 'idle', unfinished: null })
    expectMoved(`after a kill ${name}`)
  }
  process.stdout.write(`Resumed from ${snapshots.length} moments.\n`)
  return snapshots.length
}

it('a move by rename killed before any change of the disk loses nothing, and the next start resumes', async () => {
  expect(await killedEverywhere(smallFilesFolder)).toBeGreaterThan(8)
})

const anotherDisk = otherDisk === smallFilesFolder ? tmpdir() : otherDisk
describe.runIf(anotherDisk !== undefined)('a move to another disk', () => {
  const disk = anotherDisk ?? ''
  it('killed before any change of the disk loses nothing, and the next start resumes', async () => {
    expect(await killedEverywhere(disk)).toBeGreaterThan(30)
  })

  it('reports files in the old folder that the system does not release, and succeeds', async () => {
    const mine = await archived()
    const before = hashesIn(mine.root)
    const to = newFolderOn(disk)
    // The first two are those of probes.
    refuseRemovals(mine.root, 4)
    const leftBehind = before.size - 1
    expect(await move(mine, to)).toMatchObject({ kind: 'idle', last: { ok: true, report: { leftBehind } } })
    expect(hashesIn(to)).toEqual(before)
    expect(hashesIn(mine.root).size).toBe(leftBehind)
    expect(existsSync(join(mine.home, 'archive-move.json'))).toBe(false)
  })

  it.each([
    ['no folder', () => undefined],
    ['an empty folder', mkdirSync],
  ])('waits if its drive is unplugged while files are copied and leaves %s, then resumes', async (_, leave) => {
    const mine = await archived()
    const before = hashesIn(mine.root)
    const to = newFolderOn(disk)
    const away = join(dirname(to), 'away')
    const stopFailing = failSecondCopy(to, () => {
      renameSync(to, away)
      leave(to)
    })
    expect(await move(mine, to)).toMatchObject({
      kind: 'idle',
      last: { ok: false, error: { code: 'archive-unavailable' } },
      unfinished: { archive: 'between', isAtRest: true },
    })
    expect([hashesIn(mine.root), hashesIn(to).size]).toEqual([before, 0])
    stopFailing()
    rmSync(to, { recursive: true, force: true })
    renameSync(away, to)
    expect(await move(mine, to)).toMatchObject({ kind: 'idle', last: { ok: true, report: { leftBehind: 0 } } })
    expect([hashesIn(mine.root).size, hashesIn(to)]).toEqual([0, before])
  })
})

it.skipIf(!canMount())(
  'a move away from a read-only disk succeeds, and reports the files that stay on it',
  async () => {
    const mine = await archived()
    const before = hashesIn(mine.root)
    const disk = makeSmallDisk(16_000)
    onTestFinished(() => disk.remove())
    const root = join(disk.path, 'archive')
    cpSync(mine.root, root, { recursive: true })
    disk.setReadOnly(true)
    const to = newFolderOn(tmpdir())
    const leftBehind = before.size
    expect(await move({ ...mine, root }, to)).toMatchObject({ last: { ok: true, report: { leftBehind } } })
    expect([hashesIn(root), hashesIn(to)]).toEqual([before, before])
    expect(existsSync(join(mine.home, 'archive-move.json'))).toBe(false)
  },
)

/** Makes the second file created below `folder` fail like a drive that is unplugged, which `unplug` does. */
function failSecondCopy(folder: string, unplug: () => void): () => void {
  const { open } = promises
  let copies = 0
  promises.open = async (path, ...options) => {
    const file = withoutDescriptor(String(path))
    if (file.startsWith(folder) && file.endsWith('.part') && ++copies === 2) {
      unplug()
      throw Object.assign(new Error(`EIO: i/o error, open '${file}'`), { code: 'EIO' })
    }
    return open(path, ...options)
  }
  const stop = () => {
    promises.open = open
    syncBuiltinESMExports()
  }
  syncBuiltinESMExports()
  onTestFinished(stop)
  return stop
}

/** Makes the `from`th and all later removals below `folder` fail until the test ends. */
function refuseRemovals(folder: string, from: number): void {
  const { rm } = promises
  let removals = 0
  promises.rm = async (path, options) => {
    if (withoutDescriptor(String(path)).startsWith(folder) && ++removals >= from) {
      throw Object.assign(new Error(`EPERM: operation not permitted, rm '${String(path)}'`), { code: 'EPERM' })
    }
    return rm(path, options)
  }
  syncBuiltinESMExports()
  onTestFinished(() => {
    promises.rm = rm
    syncBuiltinESMExports()
  })
}
