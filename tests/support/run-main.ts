import { PassThrough } from 'node:stream'
import { createRedactor } from '../../electron/engine/lib/redact.ts'
import { type Io, StopRequest, type StopSignal } from '../../electron/headless/io.ts'
import { main } from '../../electron/headless/main.ts'
import { cloneFolder, type Ended, noUserFolder, type RunOptions } from '../headless/run-solarchive.ts'

export interface MainOptions extends Pick<RunOptions, 'env' | 'cwd' | 'input'> {
  /** True if a user sits at a terminal, who types `input`. */
  readonly isTerminal?: boolean
  /** Input of that user, if not all at once. */
  readonly keyboard?: PassThrough
}

/** The command line as a function in this process: a twentieth of the time of a separate process. */
export interface StartedMain {
  /** Output so far. */
  readonly printed: { stdout: string; stderr: string }
  readonly ended: Promise<Ended>
  readonly hasEnded: () => boolean
  /** Stops it as a signal to the process does, and waits for its end. */
  readonly stop: (signal?: StopSignal) => Promise<Ended>
}

/** Starts a function of the command line without this machine's settings in its environment. */
export function startInProcess(work: (io: Io) => Promise<number>, options: MainOptions = {}): StartedMain {
  const { env = {}, cwd = cloneFolder, input = '', isTerminal = false, keyboard } = options
  const printed = { stdout: '', stderr: '' }
  const controller = new AbortController()
  let exitCode: number | null = null
  const stdin = Object.assign(keyboard ?? new PassThrough(), { isTTY: isTerminal })
  if (keyboard === undefined) stdin.end(input)
  const ended = work({
    env: { PATH: process.env.PATH, ...env },
    platform: process.platform,
    currentFolder: cwd,
    userFolder: env['HOME'] ?? noUserFolder,
    stdin,
    stdout: { write: (text) => (printed.stdout += text) },
    stderr: { isTTY: isTerminal, write: (text) => (printed.stderr += text) },
    redactor: createRedactor(),
    signal: controller.signal,
    stop: () => controller.abort(new StopRequest('SIGTERM')),
  }).then((code) => {
    exitCode = code
    return { exitCode, ...printed }
  })
  return {
    printed,
    ended,
    hasEnded: () => exitCode !== null,
    stop(signal = 'SIGTERM') {
      controller.abort(new StopRequest(signal))
      return ended
    },
  }
}

/** Starts a command. */
export function startMain(args: readonly string[], options?: MainOptions): StartedMain {
  return startInProcess((io) => main(args, io), options)
}

/** Runs a command until it ends. */
export function runMain(args: readonly string[], options?: MainOptions): Promise<Ended> {
  return startMain(args, options).ended
}
