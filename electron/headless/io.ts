import { constants } from 'node:os'
import { AppError } from '../../shared/errors.ts'
import type { HostEnvironment } from '../app/settings/resolve-settings.ts'
import type { StartProcess } from '../engine/lib/ports.ts'
import type { Redactor } from '../engine/lib/redact.ts'

/** The part of a terminal, a file, or a pipe that printing needs. */
export interface TextStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Everything that the command line takes from its process, so that it also runs as a function. */
export interface Io extends HostEnvironment {
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: TextStream
  readonly stderr: TextStream
  /** Removes secrets from everything that is printed. Secrets are added as they are read. */
  readonly redactor: Redactor
  /** Aborts when the user or a supervisor stops the process; its reason is a `StopRequest`. */
  readonly signal: AbortSignal
  /** Stops this process as SIGTERM does. */
  readonly stop: () => void
  /** Starts programs that analyze files. Default: none, as in a function of a test. */
  readonly startProcess?: StartProcess | undefined
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Reason of an abort by a signal. */
export class StopRequest extends AppError {
  /** 128 + n for signal n, as in a shell. */
  readonly exitCode: number

  constructor(signal: StopSignal) {
    super('cancelled', 'It was stopped. What is archived so far is safe; the next sync resumes from there.')
    this.exitCode = 128 + constants.signals[signal]
  }
}
