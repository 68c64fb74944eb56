import { exitCodes } from '../../shared/error-policy.ts'
import { fstatSync, writeSync } from 'node:fs'
import { homedir } from 'node:os'
import { forkProcess } from '../app/fork-process.ts'
import { createRedactor } from '../engine/lib/redact.ts'
import { type Io, StopRequest, type StopSignal, type TextStream } from './io.ts'

/** Stopping takes at most two seconds, including the exit. */
const defaultStopDeadlineMs = 1_800

/**
 * One stop may reach this process several times: from a supervisor that signals all processes of a service, from npm,
 * and from scripts/run.mjs. This close, they are one.
 */
const echoMs = 400

/** Maximum time that open handles keep the process alive after the work is done and its output written. */
const lingerMs = 1_000

/**
 * Runs `work` on this process's streams, environment, and signals, and sets the process's exit code to the result, or
 * to 1 if a part of the output could not be written. After a stop signal the process exits at the latest when
 * `stopDeadlineMs` have passed, with the signal's code unless the work is done and its output written by then.
 */
export async function runProcess(
  work: (io: Io) => Promise<number>,
  { stopDeadlineMs = defaultStopDeadlineMs }: { readonly stopDeadlineMs?: number } = {},
): Promise<void> {
  const { env, platform, stderr } = process
  const redactor = createRedactor()
  const { stdout, errorOfStdout } = surviveOutput()
  // Node would print the error with whatever secret is in it.
  process.once('uncaughtException', (error) => {
    stderr.write(`${redactor.redactText(error.stack ?? error.message)}\n`)
    process.exit(exitCodes.internal)
  })
  const currentFolder = findCurrentFolder()
  if (currentFolder === undefined) {
    const message =
      'The current folder was deleted, or may not be read. Change to another folder, then run the command again.'
    if (process.argv.includes('--json'))
      stdout.write(`${JSON.stringify({ error: { code: 'wrong-usage', message } })}\n`)
    stderr.write(`${message}\n`)
    process.exitCode = exitCodes.wrongUsage
    return
  }
  const { signal, stop, stopListening, keepExitCode } = listenForStop(stopDeadlineMs)
  process.exitCode = await work({
    env,
    platform,
    currentFolder,
    userFolder: findUserFolder(),
    stdout,
    stderr,
    redactor,
    signal,
    stop,
    startProcess: forkProcess,
    // Reading the property opens the stream.
    get stdin() {
      return process.stdin
    },
  })
  stopListening()
  await flushed(process.stdout)
  const error = errorOfStdout()
  if (error !== undefined) {
    process.exitCode = exitCodes.internal
    stderr.write(
      `A part of the output could not be written (${error.code}). Make room for it, or redirect it elsewhere.\n`,
    )
  }
  await flushed(stderr)
  keepExitCode()
  setTimeout(() => process.exit(), lingerMs).unref()
}

/** Returns the folder that relative paths start at, or undefined if it was deleted. */
function findCurrentFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

/** Returns the user's home folder, or `/` for a user without one, as containers have. */
function findUserFolder(): string {
  try {
    return homedir()
  } catch {
    return '/'
  }
}

/**
 * Lets the work continue whatever happens to its output: the reader of a pipe may close it early, as in `| head`, a
 * terminal may be gone, and a disk full. Returns the stdout to write to, and the first error that lost a part of it; a
 * closed pipe or terminal is none.
 */
function surviveOutput(): {
  readonly stdout: TextStream
  readonly errorOfStdout: () => NodeJS.ErrnoException | undefined
} {
  const { stdout, stderr } = process
  let first: NodeJS.ErrnoException | undefined
  const onError = (error: NodeJS.ErrnoException) => {
    const isClosed = error.code === 'EPIPE' || (error.code === 'EIO' && stdout.isTTY)
    if (!isClosed) first ??= error
  }
  stdout.on('error', onError)
  stderr.on('error', () => undefined)
  const toFile = (text: string) => {
    try {
      writeAll(stdout.fd, text)
    } catch (error) {
      onError(error as NodeJS.ErrnoException)
    }
  }
  return { stdout: isFile(stdout.fd) ? { write: toFile } : stdout, errorOfStdout: () => first }
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile()
  } catch {
    // Windows gives a program without a console no stdout.
    return false
  }
}

/** Writes a text to a file. Node's stream writes once, and on a disk that is nearly full takes a part for all of it. */
function writeAll(fd: number, text: string): void {
  for (let rest = Buffer.from(text); rest.length > 0;) rest = rest.subarray(writeSync(fd, rest))
}

/** Resolves once everything has been written, however slowly a pipe is read, or can no longer be. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}

/**
 * Returns a signal that aborts at the first SIGINT, SIGTERM, or SIGHUP, or when the parent (scripts/run.mjs) that
 * passes them on ends. After the first one the process has `stopDeadlineMs`; a second one ends it at once.
 */
function listenForStop(stopDeadlineMs: number): {
  readonly signal: AbortSignal
  readonly stop: () => void
  readonly stopListening: () => void
  /** From now on the process exits with the code that is set, also at the deadline. */
  readonly keepExitCode: () => void
} {
  const controller = new AbortController()
  let mayBeEcho = true
  let isCodeFinal = false

  const stop = (name: StopSignal) => {
    const request = new StopRequest(name)
    if (controller.signal.aborted) {
      if (!mayBeEcho) process.exit(exitCodeOf(controller.signal))
      return
    }
    // Signals that came while this thread was busy are handled late: they are between a timer and an immediate.
    setTimeout(() => setImmediate(() => (mayBeEcho = false)), echoMs).unref()
    setTimeout(() => process.exit(isCodeFinal ? undefined : request.exitCode), stopDeadlineMs).unref()
    controller.abort(request)
  }
  const listeners = [
    ['SIGINT', () => stop('SIGINT')],
    ['SIGTERM', () => stop('SIGTERM')],
    ['SIGHUP', () => stop('SIGHUP')],
    ['disconnect', () => stop('SIGTERM')],
  ] as const
  for (const [event, listener] of listeners) process.on(event, listener)
  // A listener for `disconnect` would keep the process alive; only the work should.
  process.channel?.unref()
  return {
    signal: controller.signal,
    stop: () => stop('SIGTERM'),
    stopListening() {
      for (const [event, listener] of listeners) process.off(event, listener)
    },
    keepExitCode() {
      isCodeFinal = true
    },
  }
}

function exitCodeOf({ reason }: AbortSignal): number {
  return reason instanceof StopRequest ? reason.exitCode : exitCodes.internal
}
