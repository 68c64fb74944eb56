import { exitCodes } from '../../shared/error-policy.ts'
import { homedir } from 'node:os'
import { forkProcess } from '../app/fork-process.ts'
import { createRedactor } from '../engine/lib/redact.ts'
import { type Io, StopRequest, type StopSignal } from './io.ts'

/** Stopping takes at most two seconds, including the exit. */
const defaultStopDeadlineMs = 1_800

/**
 * A Ctrl+C reaches this process up to three times: from the terminal, scripts/run.mjs, and npm. This close, they are
 * one.
 */
const echoMs = 400

/** Maximum time that open handles keep the process alive after the work is done and its output written. */
const lingerMs = 1_000

/**
 * Runs `work` on this process's streams, environment, and signals, and sets the process's exit code to the result.
 * After a stop signal the process exits at the latest when `stopDeadlineMs` have passed.
 */
export async function runProcess(
  work: (io: Io) => Promise<number>,
  { stopDeadlineMs = defaultStopDeadlineMs }: { readonly stopDeadlineMs?: number } = {},
): Promise<void> {
  const { env, platform, stdout, stderr } = process
  const redactor = createRedactor()
  ignoreClosedPipes()
  // Node would print the error with whatever secret is in it.
  process.once('uncaughtException', (error) => {
    stderr.write(`${redactor.redactText(error.stack ?? error.message)}\n`)
    process.exit(exitCodes.internal)
  })
  const { signal, stop, stopListening } = listenForStop(stopDeadlineMs)
  const folders = { currentFolder: process.cwd(), userFolder: homedir() }
  process.exitCode = await work({
    ...{ env, platform, ...folders, stdout, stderr, redactor, signal, stop },
    startProcess: forkProcess,
    // Reading the property opens the stream.
    get stdin() {
      return process.stdin
    },
  })
  stopListening()
  await Promise.all([flushed(stdout), flushed(stderr)])
  setTimeout(() => process.exit(), lingerMs).unref()
}

/** The reader of a pipe may close it early, as in `| head`. This is not an error, and the work continues. */
function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
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
} {
  const controller = new AbortController()
  let firstMs: number | undefined

  const stop = (name: StopSignal) => {
    const request = new StopRequest(name)
    const nowMs = performance.now()
    if (firstMs !== undefined) {
      if (nowMs - firstMs > echoMs) process.exit(exitCodeOf(controller.signal))
      return
    }
    firstMs = nowMs
    setTimeout(() => process.exit(request.exitCode), stopDeadlineMs).unref()
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
  }
}

function exitCodeOf({ reason }: AbortSignal): number {
  return reason instanceof StopRequest ? reason.exitCode : exitCodes.internal
}
