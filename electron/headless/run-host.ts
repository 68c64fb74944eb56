import { homedir } from 'node:os'
import { type AppError, toAppError } from '../../shared/errors.ts'
import { createRedactor, type Redactor } from '../engine/lib/redact.ts'
import { exitCodeOfError, exitCodes } from './exit-codes.ts'
import { ConsoleOutput } from './output/console-output.ts'
import { ignoreClosedPipes } from './output/ignore-closed-pipes.ts'
import { describeError } from './report/describe-error.ts'
import type { Surroundings } from '../app/settings/default-folders.ts'
import { listenForStop } from './stop-signals.ts'

/** After the work is done, whatever still holds the process may hold it for this long. */
const lingerMs = 1_000

/** This process, as far as the command line needs it. */
export interface Host {
  readonly surroundings: Surroundings
  readonly output: ConsoleOutput
  readonly redactor: Redactor
  /** Aborts when the person, or a supervisor, wants an end. */
  readonly signal: AbortSignal
}

/** What the host's work ended with. */
export interface HostResult {
  readonly exitCode: number
  /** A signal was the regular end: the exit code stands, and is not that of the signal. */
  readonly endsByStop: boolean
}

export interface HostOptions {
  readonly json: boolean
  readonly quiet: boolean
  /** Makes an AppError of what `act` throws. */
  readonly explain?: (thrown: unknown) => AppError
}

/** Runs `act` on this process's console and sets the process's exit code by what it answers or throws. */
export async function runHost(
  { json, quiet, explain = toAppError }: HostOptions,
  act: (host: Host) => Promise<HostResult>,
): Promise<void> {
  ignoreClosedPipes()
  const { env, stdout, stderr, platform } = process
  const redactor = createRedactor()
  const output = new ConsoleOutput({ stdout, stderr, env, redactor, json, quiet })
  const surroundings = { env, platform, currentFolder: process.cwd(), userFolder: homedir() }
  const stop = listenForStop()
  // Node would print the error as it is, and whatever secret is in it.
  process.once('uncaughtException', (error) => {
    output.error(error.stack ?? error.message)
    process.exit(exitCodes.internal)
  })
  let result: HostResult
  try {
    result = await act({ surroundings, output, redactor, signal: stop.signal })
  } catch (thrown) {
    const error = explain(thrown)
    result = { exitCode: exitCodeOfError(error.code), endsByStop: false }
    if (json) output.printDocument({ error: { code: error.code, message: error.message } })
    output.error(describeError(error))
    if (error.code === 'internal' && error.cause instanceof Error)
      output.error(error.cause.stack ?? error.cause.message)
  }
  stop.stopListening()
  process.exitCode = result.endsByStop ? result.exitCode : (stop.exitCode() ?? result.exitCode)
  setTimeout(() => process.exit(), lingerMs).unref()
}
