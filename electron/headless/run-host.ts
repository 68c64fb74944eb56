import { type AppError, concernsDataFolder, toAppError } from '../../shared/errors.ts'
import type { HostEnvironment } from '../app/settings/resolve-settings.ts'
import { exitCodeOfEnd } from './exit-code-of-report.ts'
import { type Io, StopRequest } from './io.ts'
import { ConsoleOutput, type Outcome, type OutputOptions } from './output/console-output.ts'

/** Environment of a command, and the console that it prints to. */
export interface Host extends Pick<Io, 'redactor' | 'signal' | 'stop' | 'startProcess'> {
  readonly environment: HostEnvironment
  readonly output: ConsoleOutput
}

export interface HostResult extends Pick<Outcome, 'endsByStop'> {
  readonly exitCode: number
}

/** Runs `act`, prints the error if it throws, and returns the exit code. Never rejects. */
export async function runHost(
  io: Io,
  { json, quiet }: Pick<OutputOptions, 'json' | 'quiet'>,
  act: (host: Host) => Promise<HostResult>,
): Promise<number> {
  const { env, platform, currentFolder, userFolder, stdout, stderr, redactor, signal, stop, startProcess } = io
  const output = new ConsoleOutput({ stdout, stderr, env, redactor, json, quiet })
  const environment = { env, platform, currentFolder, userFolder }
  let result: HostResult
  try {
    result = await act({ environment, output, redactor, signal, stop, startProcess })
  } catch (thrown) {
    const error = toAppError(thrown)
    result = { exitCode: exitCodeOfEnd(error) }
    if (json) output.printDocument({ error: { code: error.code, message: error.message } })
    output.error(describeError(error))
    if (error.code === 'internal' && error.cause instanceof Error)
      output.error(error.cause.stack ?? error.cause.message)
  }
  const reason: unknown = signal.reason
  return reason instanceof StopRequest && result.endsByStop !== true ? reason.exitCode : result.exitCode
}

/** Returns an error as text for a terminal: its message, and the option or command that helps. */
export function describeError(error: AppError): string {
  const { code, message, details } = error
  if (concernsDataFolder(error)) return `${message} --home sets the data folder.`
  if (code === 'archive-unavailable') return `${message} --archive sets the archive folder.`
  if (code === 'not-found' && details?.['projectId'] !== undefined) {
    return `${message} "projects list" shows what is in it, "projects add" adds to it.`
  }
  return message
}
