import { AppError } from '../../shared/errors.ts'
import type { FixableSetting } from '../../shared/setting-names.ts'
import type { Hook } from '../../shared/hooks.ts'
import type { HostSettings } from '../app/settings/resolve-settings.ts'
import type { SampleLoader } from '../app/start-sample.ts'
import type { TokenAdvice } from '../app/token/token-reader.ts'
import type { ArchiveAccess, VerifyAccess } from '../app/archive-access.ts'
import type { ArchiveReader, Engine } from '../engine/engine.ts'
import type { Log, Logger } from '../engine/lib/ports.ts'
import type { ConsoleOutput } from './output/console-output.ts'
import type { Host } from './run-host.ts'

/** Context of a command. `Access` is what it may do with the archive. */
export interface Session<Access = Engine> {
  readonly engine: Access
  readonly settings: HostSettings
  readonly output: ConsoleOutput
  readonly log: Log
  readonly tokenAdvice: TokenAdvice
  /** Returns the access token, if there is one. */
  readonly readToken: () => Promise<string | undefined>
  /** Aborts when the user or a supervisor stops the command. */
  readonly signal: AbortSignal
  /** The process that owns the data folder, if it is another one and has described itself. */
  readonly owner?: RunningOwner | undefined
  /**
   * To be called once the command reads no more of the archive folder, and before it keeps anything: rejects if the
   * archive was moved meanwhile. A move that begins later does not matter.
   */
  readonly onArchiveRead?: (() => Promise<void>) | undefined
}

/** Another process that owns the data folder. */
export interface RunningOwner {
  /** Time at which it became the owner, ISO 8601. */
  readonly since: string
  /** It is `watch`, `serve`, or the app, and neither paused nor blocked, as far as the session has asked it. */
  readonly keepsSyncing: boolean
  /** It is one of these, or a `sync`. */
  readonly downloads: boolean
}

/** The kinds of commands, and what each may do with the archive. */
export interface SessionOf {
  /** Works beside the owner of the data folder, and never has to become the owner. */
  readonly reading: Session<ArchiveReader>
  /** Like `reading`, but becomes the owner of the data folder to index what is not indexed, if there is no owner. */
  readonly readingIndexed: Session<ArchiveReader>
  /** Reads the database alone, so it also works while the archive folder is being moved. */
  readonly listing: Session<ArchiveReader>
  /** Like `listing`, and indexes like `readingIndexed`. */
  readonly searching: Session<ArchiveReader>
  /** Becomes the owner of the data folder, to record what it finds, or only reads beside the owner. */
  readonly verifying: Session<VerifyAccess>
  /** Becomes the owner of the data folder, or has the owner do the work. */
  readonly changing: Session<ArchiveAccess>
  /** Has to be the owner of the data folder. */
  readonly owning: Session
}

export interface SessionOptions extends Host {
  readonly settings: HostSettings
  /** Settings that options or the environment set. */
  readonly fixed: readonly FixableSetting[]
  /** Hooks with their secrets, which the owner of the data folder runs. */
  readonly hooks: readonly Hook[]
  /** First word of the command. */
  readonly command: string
  /**
   * Throws if the token must not be sent to the service's address, which a command that does not call the service may
   * have all the same: as the owner it does the work of other commands.
   */
  readonly requireConsent: () => void
  /** True for a command that may call the service, or change what comes from it. */
  readonly callsService?: boolean
}

export type Use<Access, T> = (session: Session<Access>) => Promise<T>

export const loadSample: SampleLoader = () => import('../sample-service/start-sample-service.ts')

/** Warnings that the commands or the engine say in other words, with the names of what they concern. */
const saidElsewhere: ReadonlySet<string> = new Set([
  'A checklist could not be read',
  'A file could not be archived',
  'A part of the archive could not be repaired and is left for later',
  'Archived files are missing or changed and are downloaded again',
  'Files wait until their host or the service can be reached',
  'The records of a project could not be written',
])

/** Returns a logger that also prints warnings. Errors are printed when the command ends with one. */
export function withConsole(log: Log, output: ConsoleOutput): Logger {
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn(message, fields) {
      if (!output.isQuiet && !saidElsewhere.has(message)) output.warn(message)
      log.warn(message, fields)
    },
    error: (message, fields) => log.error(message, fields),
    showMessage: (message) => output.warn(message),
  }
}

/** Adds the token file to the message, which is printed and never logged. */
export function withAdvice({ code, message, cause }: AppError, advice: TokenAdvice): AppError {
  return new AppError(code, `${message} ${advice.next}`.trimEnd(), { cause })
}
