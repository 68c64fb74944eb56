import type { ExitCode } from '../exit-codes.ts'

/** What a command ends with; printing it is another's job. Lines are plain sentences or tables, colours included. */
export interface Outcome {
  readonly exitCode: ExitCode
  /** The one JSON document of `--json`. */
  readonly document: unknown
  /** What went well; left out with `--quiet`. */
  readonly summary?: readonly string[]
  /** What was asked for. */
  readonly answer?: readonly string[]
  /** What a person has to know or to do. */
  readonly problems?: readonly string[]
}
