import type { ExitCode } from '../../../shared/error-policy.ts'

/** What a command ends with; printing it is another's job. Lines are plain sentences or tables, colours included. */
export interface Outcome {
  readonly exitCode: ExitCode
  /** The one JSON document of `--json`; absent when the command has printed events. */
  readonly document?: unknown
  /** What went well; left out with `--quiet`. */
  readonly summary?: readonly string[]
  /** What was asked for. */
  readonly answer?: readonly string[]
  /** The command goes on until it is stopped: a signal is its regular end, and the exit code stands. */
  readonly endsByStop?: boolean
  /** What a person has to know or to do. */
  readonly problems?: readonly string[]
}
