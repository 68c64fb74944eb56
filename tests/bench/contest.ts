import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { cloneFolder } from '../headless/run-solarchive.ts'
import { ask, askOnce, start } from './ask.ts'
import type { DownloadFigures, DownloadTask, ServedSample, ServedSite, SiteTask } from './processes/messages.ts'
import { type AnyRow, median, type Row, seconds } from './rows.ts'

/** Files at a time, of every competitor. */
const concurrency = 16

/**
 * The folder of all runs. Nothing in it is deleted before the end of all benches: ext4 creates files three to five
 * times slower for some seconds after thousands were deleted.
 */
export class Arena {
  readonly folder = mkdtempSync(join(tmpdir(), 'solarchive-bench-'))
  #count = 0

  /** Returns the path of a new folder. */
  next(name: string): string {
    this.#count += 1
    const folder = join(this.folder, `${String(this.#count).padStart(3, '0')}-${name}`)
    mkdirSync(folder)
    return folder
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A site that is served by a process of its own. */
export interface Site extends ServedSite {
  readonly server: ChildProcess
  close(): void
}

export async function openSite(task: SiteTask): Promise<Site> {
  const server = start('serve-site.ts')
  const served = await ask<ServedSite>(server, task)
  return { ...served, server, close: () => server.kill() }
}

/** Returns whether a program is on the PATH. */
export function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

export interface CommandLine {
  readonly env: NodeJS.ProcessEnv
  readonly archive: string
}

/** Adds the site's projects to a new data folder, and returns how to run commands on it. */
export function prepareCommandLine({ url, token, projectIds }: ServedSample, folder: string): CommandLine {
  const archive = join(folder, 'archive')
  const own = Object.entries(process.env).filter(([name]) => !/^(SOLARCHIVE|npm)_/.test(name))
  const env = {
    ...Object.fromEntries(own),
    SOLARCHIVE_HOME: join(folder, 'home'),
    SOLARCHIVE_ARCHIVE: archive,
    SOLARCHIVE_URL: url,
    SOLARCHIVE_TOKEN: token,
  }
  execFileSync(process.execPath, launcher('projects', 'add', ...projectIds), { env, stdio: 'ignore' })
  return { env, archive }
}

/** Returns the arguments of Node for a command, as npm starts it. */
export function launcher(...args: readonly string[]): string[] {
  return [join(cloneFolder, 'scripts', 'run.mjs'), 'cli', ...args]
}

export const syncArguments = ['sync', '--quiet', '--api-rate', '0', '--concurrency', String(concurrency)]

/** A way to download a site into a new folder. Resolves to the milliseconds of the clock. */
export interface Competitor {
  readonly name: string
  readonly run: (site: ServedSite, folder: string) => Promise<number>
}

export const commandLine: Competitor = {
  name: 'command line',
  run: async (site, folder) => {
    const { env } = prepareCommandLine(site, folder)
    return timed(process.execPath, launcher(...syncArguments), { env })
  },
}

/** The engine alone; calls `onFigures` with all that was measured in its process. */
export const engine = (onFigures: (figures: DownloadFigures) => void): Competitor => ({
  name: 'engine',
  run: async ({ url, token, projectIds }, folder) => {
    const task: DownloadTask = { url, token, projectIds, folder, concurrency }
    const figures = await askOnce<DownloadFigures>('engine-run.ts', task)
    onFigures(figures)
    return figures.wallMs
  },
})

export const curl: Competitor = {
  name: 'curl',
  run: async ({ filesUrl, paths }, folder) => {
    const config = join(folder, 'curl.txt')
    // Curl would look for each folder before each file.
    for (const parent of new Set(paths.map(dirname))) mkdirSync(join(folder, parent), { recursive: true })
    writeFileSync(config, paths.map((path) => `url="${filesUrl}/${path}"\noutput="${path}"\n`).join(''))
    const args = [
      '--parallel',
      '--parallel-max',
      String(concurrency),
      '--fail',
      '--no-progress-meter',
      '--config',
      config,
    ]
    return (await timed('curl', args, { cwd: folder })) + (await timed('sync', ['-f', folder]))
  },
}

export const rclone: Competitor = {
  name: 'rclone',
  run: async ({ filesUrl, paths }, folder) => {
    const list = join(folder, 'rclone.txt')
    writeFileSync(list, paths.join('\n'))
    const source = ['--http-url', filesUrl, '--http-no-head', '--files-from-raw', list, '--no-traverse']
    const parallel = ['--transfers', String(concurrency), '--checkers', String(concurrency)]
    const args = ['copy', ...source, ...parallel, '--quiet', '--config', '', ':http:', join(folder, 'files')]
    return (await timed('rclone', args)) + (await timed('sync', ['-f', folder]))
  },
}

/** Runs a program to its end. Resolves to the milliseconds of the clock; rejects if it fails. */
export async function timed(
  program: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<number> {
  const startMs = performance.now()
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${program} ${args.slice(0, 3).join(' ')} ended with ${code}`)
  return performance.now() - startMs
}

export interface Contest {
  readonly name: string
  readonly site: ServedSite
  readonly arena: Arena
  readonly rounds: number
  readonly ours: Competitor
  readonly theirs: Competitor
  readonly target: number
  readonly aim: number
}

/** Runs both in turn, in alternating order, and returns the median of the ratios of each round. */
export async function compete({ name, site, arena, rounds, ours, theirs, target, aim }: Contest): Promise<AnyRow> {
  const missing = theirs.name
  if (!isInstalled(missing)) return { name, missing: `${missing} is not installed` }
  const times: { ours: number; theirs: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const measured = { ours: 0, theirs: 0 }
    const pair = [['ours', ours] as const, ['theirs', theirs] as const]
    for (const [side, competitor] of round % 2 === 0 ? pair : pair.toReversed()) {
      // Pages that an earlier run has left to write do not count for this one.
      execFileSync('sync')
      measured[side] = await competitor.run(site, arena.next(competitor.name.replaceAll(' ', '-')))
    }
    times.push(measured)
  }
  const value = median(times.map((round) => round.ours / round.theirs))
  const medians = [median(times.map((round) => round.ours)), median(times.map((round) => round.theirs))] as const
  const rate = `${Math.round(site.paths.length / (medians[0] / 1000)).toLocaleString('en-US')} files/s`
  const text = `${value.toFixed(2)} (${seconds(medians[0])}, ${rate}, beside ${seconds(medians[1])})`
  return { name, text, value, target, aim } satisfies Row
}
