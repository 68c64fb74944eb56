import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export const cloneFolder = resolve(import.meta.dirname, '..', '..')
export const entry = join(cloneFolder, 'electron', 'headless', 'solarchive.mjs')

/** Module for `-r` of Electron and Node, without which stopping and the first paint have limits that are for users. */
export const longLimits = join(cloneFolder, 'tests', 'desktop', 'support', 'long-limits.cjs')

/** Home folder of tests that name none, which does not exist: that of the user may hold an archive and a token. */
export const noUserFolder = join(tmpdir(), `solarchive-no-user-${process.pid}`)

export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly child: ChildProcess
  /** Output so far. */
  readonly printed: { stdout: string; stderr: string }
  readonly ended: Promise<Ended>
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** Script to run instead of the command line's entry. */
  readonly script?: string
  readonly nodeArgs?: readonly string[]
  readonly node?: string
  /** Content of standard input. */
  readonly input?: string
}

/** Starts the real command line in a new process, without this machine's settings in its environment. */
export function startSolarchive(args: readonly string[], options: RunOptions = {}): Started {
  const { env = {}, cwd = cloneFolder, script = entry, nodeArgs = [], node = process.execPath, input } = options
  const child = spawn(node, [...nodeArgs, script, ...args], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: noUserFolder,
      USERPROFILE: noUserFolder,
      // Reuses the code that this clone has compiled before.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end(input)
  const printed = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text))
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode: exitCode as number | null, ...printed }))
  return { child, printed, ended }
}

/** Runs the command line to its end. */
export function runSolarchive(args: readonly string[], options?: RunOptions): Promise<Ended> {
  return startSolarchive(args, options).ended
}
