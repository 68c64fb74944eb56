import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { type Arena, commandLine, isInstalled, launcher, openSite, prepareCommandLine, timed } from './contest.ts'
import type { SiteTask } from './processes/messages.ts'
import { type AnyRow, median, seconds } from './rows.ts'

/** Processes of sha256sum at a time, and files of each. */
const hashing = ['-0', '-P2', '-n64', 'sha256sum'] as const

/** `verify` beside sha256sum on the same archives: of large and of small files, from memory and from the disk. */
export async function measureVerify(
  arena: Arena,
  rounds: number,
  { largePhotos = 200, smallPhotos = 2_500 } = {},
): Promise<AnyRow[]> {
  const sites: readonly (readonly [string, SiteTask])[] = [
    ['5 MB', { checklists: 2, photos: largePhotos, photoBytes: 5_000_000, previews: 'small' }],
    ['20 KB', { checklists: 25, photos: smallPhotos, photoBytes: 20_000, previews: 'like photos' }],
  ]
  const rows: AnyRow[] = []
  for (const [size, task] of sites) {
    const site = await openSite(task)
    const folder = arena.next('verify')
    await commandLine.run(site, folder)
    const { env, archive } = prepareCommandLine(site, folder)
    site.close()
    for (const [state, prepare] of [
      ['hot', () => undefined],
      ['cold', dropCaches],
    ] as const) {
      const name = `verify / sha256sum, files of ${size}, ${state}`
      rows.push(await measure(name, { env, archive, rounds, prepare }))
    }
  }
  return rows
}

interface VerifyRun {
  readonly env: NodeJS.ProcessEnv
  readonly archive: string
  readonly rounds: number
  /** Called before each run. Returns why the state cannot be reached, or `undefined`. */
  readonly prepare: () => string | undefined
}

async function measure(name: string, { env, archive, rounds, prepare }: VerifyRun): Promise<AnyRow> {
  if (!isInstalled('sha256sum')) return { name, missing: 'sha256sum is not installed' }
  const verify = () => timed(process.execPath, launcher('verify', '--quiet'), { env })
  const sums = () => timed('sh', ['-c', `find . -type f -print0 | xargs ${hashing.join(' ')}`], { cwd: archive })
  // The first of each reads what it needs itself.
  await verify()
  await sums()
  const times: { verify: number; sums: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const measured = { verify: 0, sums: 0 }
    const pair = [['verify', verify] as const, ['sums', sums] as const]
    for (const [side, run] of round % 2 === 0 ? pair : pair.toReversed()) {
      const missing = prepare()
      if (missing !== undefined) return { name, missing }
      measured[side] = await run()
    }
    times.push(measured)
  }
  const value = median(times.map((round) => round.sums / round.verify))
  const [own, theirs] = [median(times.map((round) => round.verify)), median(times.map((round) => round.sums))]
  const text = `${value.toFixed(2)} of its rate (${seconds(own)} beside ${seconds(theirs)})`
  return { name, text, value, target: 0.9, aim: 1, isMinimum: true }
}

/** Makes the system forget what it has read. */
function dropCaches(): string | undefined {
  try {
    execFileSync('sync')
    writeFileSync('/proc/sys/vm/drop_caches', '1')
    return undefined
  } catch {
    return 'only root on Linux can make the system forget what it has read'
  }
}
