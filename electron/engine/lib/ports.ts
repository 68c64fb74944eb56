/** The interfaces that a host implements for the engine. */

export interface Clock {
  /** Wall-clock time, milliseconds since 1970 UTC. May jump. */
  nowMs(): number
  /** A clock that never jumps, for intervals, in milliseconds from an arbitrary start. */
  monotonicMs(): number
  /** Resolves after `delayMs`, or rejects with the signal's reason as soon as it aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

export type LogFields = Readonly<Record<string, unknown>>

/**
 * Lines for the log. Messages are sentences of the source; facts go into fields, as ids and codes. All of it passes one
 * redactor before it is written anywhere.
 */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export interface Logger extends Log {
  /** A sentence for the person who is there, not for the log: names and paths may stand in it. */
  tell(message: string): void
}

export interface Secrets {
  /** Returns the service's access token, if known. Called before each use, so that the token can be replaced. */
  accessToken(): Promise<string | undefined>
  /** Returns a message about why a stored token is not used, or `null` if none is stored. Called if there is no token. */
  whyNone?(): Promise<string | null>
}

/** The machine's file manager, where somebody sits in front of it. Paths are absolute and exist. */
export interface Desktop {
  /** Opens the folder of a file, with the file selected if possible. */
  showInFolder(path: string): Promise<void>
  openFolder(path: string): Promise<void>
  /** Opens a file in the program that the machine has for it. */
  openFile(path: string): Promise<void>
  /** Shows a folder picker at an existing folder; resolves to `null` if it is canceled. Absent without a window. */
  chooseFolder?(from: string): Promise<string | null>
}

/** Starting with the person's session, in the background, where a host can have it. */
export interface LoginItem {
  isOn(): Promise<boolean>
  /** Throws `wrong-settings`. */
  set(isOn: boolean): Promise<void>
}

export interface Ports {
  readonly clock: Clock
  readonly logger: Logger
  readonly secrets: Secrets
}
