import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { type Ended, startSolarchive } from '../headless/run-solarchive.ts'
import { bundledProcess } from '../support/build-processes.ts'
import { compileCache, install, type Installation } from '../support/installation.ts'
import type { Spoil } from '../support/hooks/spoil-calls.ts'
import { otherDisk } from '../support/other-disk.ts'
import { readFiles, sha256 } from '../support/sample-archive.ts'

const script = bundledProcess('move-archive')
const spoilHook = fileURLToPath(new URL('../support/hooks/spoil-calls.ts', import.meta.url))

/** Some hundred processes; only a hang runs into it. */
const timeoutMs = 15 * 60_000

let installation: Installation | undefined
const folders: string[] = []

afterEach(async () => {
  await installation?.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A small archive that is complete. */
async function archived(): Promise<Installation> {
  installation = await install({
    service: { projects: 2, checklistsPerProject: 1, photoQuestionsPerChecklist: 1, photosPerQuestion: 2 },
  })
  await installation.syncHere()
  return installation
}

/** Path to hash of everything in a folder that is whole. */
function hashesIn(folder: string): Map<string, string> {
  const whole = [...readFiles(folder)].filter(([path]) => !path.endsWith('.part'))
  return new Map(whole.map(([path, bytes]) => [path, sha256(bytes)]))
}

function newFolderOn(disk: string): string {
  const folder = mkdtempSync(join(disk, 'solarchive-moved-'))
  folders.push(folder)
  return join(folder, 'the archive')
}

async function move({ home, root, service }: Installation, to: string, spoil?: Spoil): Promise<Ended> {
  const nodeArgs = spoil === undefined ? [] : ['--import', spoilHook]
  const env = { NODE_COMPILE_CACHE: compileCache, ...(spoil !== undefined && { SPOIL: JSON.stringify(spoil) }) }
  return startSolarchive([home, root, to, service.url, service.token], { script, nodeArgs, env }).ended
}

/** Kills a move before its nth change of the disk, and starts again until it is done. Answers whether it was killed. */
async function killedAt(nth: number, mine: Installation, disk: string): Promise<boolean> {
  const before = hashesIn(mine.root)
  const to = newFolderOn(disk)
  const countFile = join(mine.folder, 'count')
  const below = [mine.home, mine.root, to]
  const calls: Spoil['calls'] = ['write', 'sync', 'rename', 'mkdir', 'rm']
  const killed = await move(mine, to, { below, calls, from: nth, what: 'SIGKILL', countFile })
  const both = [hashesIn(mine.root), hashesIn(to)]
  for (const [path, hash] of before) {
    expect(
      both.map((found) => found.get(path)),
      `${path} after a kill at ${nth}`,
    ).toContain(hash)
  }
  const again = await move(mine, to)
  expect(again.stderr, `after a kill at ${nth}`).toBe('')
  expect(again.exitCode, `after a kill at ${nth}`).toBe(0)
  expect(hashesIn(to), `after a kill at ${nth}`).toEqual(before)
  expect(hashesIn(mine.root).size, `left after a kill at ${nth}`).toBe(0)
  expect(existsSync(join(mine.home, 'archive-move.json'))).toBe(false)
  const settings = JSON.parse(readFileSync(join(mine.home, 'settings.json'), 'utf8')) as { archiveFolder?: string }
  expect(settings.archiveFolder).toBe(to)
  return killed.exitCode === null
}

/** Answers how many changes there are. Every `step`th is tried. */
async function killedEverywhere(disk: string, step = 1): Promise<number> {
  const mine = await archived()
  const saved = join(mine.folder, 'saved')
  cpSync(mine.home, join(saved, 'home'), { recursive: true })
  cpSync(mine.root, join(saved, 'archive'), { recursive: true })
  let nth = 1
  while (await killedAt(nth, mine, disk)) {
    nth += step
    for (const [from, to] of [
      [join(saved, 'home'), mine.home],
      [join(saved, 'archive'), mine.root],
    ] as const) {
      rmSync(to, { recursive: true, force: true })
      cpSync(from, to, { recursive: true })
    }
  }
  return nth - 1
}

it(
  'killed before any change of the disk while the archive is renamed, nothing is lost and the next start goes on',
  async () => {
    expect(await killedEverywhere(tmpdir(), 2)).toBeGreaterThan(8)
  },
  timeoutMs,
)

const anotherDisk = otherDisk
if (anotherDisk !== undefined)
  describe('to another disk', () => {
    it(
      'killed before any change of the disk, nothing is lost and the next start goes on',
      async () => {
        expect(await killedEverywhere(anotherDisk, 6)).toBeGreaterThan(30)
      },
      timeoutMs,
    )

    it('files that the system does not let go of in the old place are told, and the move is done', async () => {
      const mine = await archived()
      const before = hashesIn(mine.root)
      const to = newFolderOn(anotherDisk)
      const { stdout } = await move(mine, to, { below: [mine.root], calls: ['rm'], from: 2, what: 'EPERM' })
      const leftBehind = before.size - 1
      expect(JSON.parse(stdout)).toMatchObject({ kind: 'idle', last: { ok: true, report: { leftBehind } } })
      expect(hashesIn(to)).toEqual(before)
      expect(hashesIn(mine.root).size).toBe(leftBehind)
      expect(existsSync(join(mine.home, 'archive-move.json'))).toBe(false)
    })
  })
