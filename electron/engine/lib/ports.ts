/** The interfaces that a host implements for the engine. */
import type { NativeMenu } from '../../../shared/contract/calls.ts'

export interface Clock {
  /** Wall-clock time, milliseconds since 1970 UTC. May jump. */
  nowMs(): number
  /** Monotonic time for intervals, in milliseconds from an arbitrary start. */
  monotonicMs(): number
  /** Resolves after `delayMs`, or rejects with the signal's reason as soon as it aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

export type LogFields = Readonly<Record<string, unknown>>

/**
 * Writes log lines. Messages are constant sentences; data goes into fields, as ids and codes. Everything passes one
 * redactor before it is written.
 */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export interface Logger extends Log {
  /** Shows a message to the user without logging it: it may contain names and paths. */
  showMessage(message: string): void
}

export interface Secrets {
  /** Returns the service's access token, if known. Called before each use, so that the token can be replaced. */
  accessToken(): Promise<string | undefined>
  /** Returns why a stored token cannot be used, or `null` if none is stored. Called if there is no token. */
  whyNone?(): Promise<string | null>
}

/** The machine's file manager, if a user is present. Paths are absolute and exist. */
export interface Desktop {
  /** Opens the folder of a file, with the file selected if possible. */
  showInFolder(path: string): Promise<void>
  openFolder(path: string): Promise<void>
  /** Opens a file in its default program. */
  openFile(path: string): Promise<void>
  /**
   * Shows a folder picker at an existing folder, or if empty, at the folder of downloads; resolves to `null` if it is
   * canceled. Absent without a window.
   */
  chooseFolder?(from: string): Promise<string | null>
  /** Shows a native menu; resolves to the index of the chosen item, or `null`. Absent without a window. */
  showMenu?(menu: NativeMenu): Promise<number | null>
  /**
   * Asks a user in a dialog of the system; resolves to true only if the user agrees. The signal closes it, which means
   * no. Absent without a window.
   */
  confirm?(
    question: { readonly message: string; readonly detail: string; readonly yes: string },
    signal: AbortSignal,
  ): Promise<boolean>
  /** Shows a save dialog that proposes `name`; resolves to `null` if it is canceled. Absent without a window. */
  chooseFile?(name: string): Promise<string | null>
}

/** Starting in the background when the user logs in, on hosts that support it. */
export interface LoginItem {
  isOn(): Promise<boolean>
  /** Throws `wrong-settings`. */
  set(isOn: boolean): Promise<void>
}

/** A program of Solarchive that runs in a process of its own. */
export interface ProcessPort {
  send(message: unknown): void
  /** Ends the process at once. */
  kill(): void
}

export interface ProcessListeners {
  readonly onMessage: (message: unknown) => void
  /** Called once, also if the process cannot be started. */
  readonly onEnd: () => void
}

/** Starts a program of Solarchive in a process with a low priority, without token, environment, or console. */
export type StartProcess = (program: URL, listeners: ProcessListeners) => ProcessPort

export interface Ports {
  readonly clock: Clock
  readonly logger: Logger
  readonly secrets: Secrets
  /** Absent where no process can be started: archived files are not analyzed then. */
  readonly startProcess?: StartProcess | undefined
}
