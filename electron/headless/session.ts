import { isTokenError } from '../../shared/error-policy.ts'
import { AppError, toAppError } from '../../shared/errors.ts'
import { recordError } from '../app/log/create-file-log.ts'
import { requireNoMove } from '../app/move/move-record.ts'
import { type DataFolder, openDataFolder } from '../app/data-folder.ts'
import type { HostSettings } from '../app/settings/resolve-settings.ts'
import { type SampleLoader, startSample } from '../app/start-sample.ts'
import { type TokenAdvice, TokenReader } from '../app/token/token-reader.ts'
import { createEngine } from '../engine/create-engine.ts'
import type { ArchiveReader, Engine } from '../engine/engine.ts'
import type { Log, Logger } from '../engine/lib/ports.ts'
import type { Redactor } from '../engine/lib/redact.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import { openReader, type OpenedReader } from '../engine/open-reader.ts'
import type { ConsoleOutput } from './output/console-output.ts'

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
}

/** The kinds of commands, and what each may do with the archive. */
export interface SessionOf {
  /** Works beside the owner of the data folder, and never has to become the owner. */
  readonly reading: Session<ArchiveReader>
  /** Has to be the owner of the data folder. */
  readonly owning: Session
}

export interface SessionOptions {
  readonly settings: HostSettings
  readonly output: ConsoleOutput
  readonly redactor: Redactor
  readonly platform: NodeJS.Platform
  readonly signal: AbortSignal
}

/**
 * Opens the engine, and with `--sample` the embedded service, for one command, and always closes them. Rejects only
 * with an AppError.
 */
export async function withSession<T>(options: SessionOptions, use: (session: Session) => Promise<T>): Promise<T> {
  const { settings, output, redactor, platform } = options
  const warn = (message: string) => output.warn(message)
  const dataFolder = openDataFolder({ ...settings, platform, redactor, showMessage: warn })
  try {
    return await openSession(options, dataFolder, use)
  } catch (thrown) {
    const error = recordError(dataFolder.log, thrown)
    throw isTokenError(error.code) ? withAdvice(error, dataFolder.tokens.advice) : error
  }
}

/** Time that a reading command waits for an owner that is starting, and has no complete database yet. */
const ownerPatienceMs = 10_000

const retryAfterMs = 200

/**
 * Opens an archive for a command that only reads: beside the owner of the data folder, if there is one, else from the
 * database that the last owner closed, and writes nothing. What a reader cannot serve is left to `withSession`: a
 * database that is missing, outdated, damaged, or was not closed. Rejects only with an AppError.
 */
export async function withReader<T>(
  options: SessionOptions,
  use: (session: Session<ArchiveReader>) => Promise<T>,
): Promise<T> {
  const { settings, signal } = options
  const untilMs = systemClock.monotonicMs() + ownerPatienceMs
  for (;;) {
    const opened = openReader(settings, { clock: systemClock, isFrozen: true })
    const isLate = systemClock.monotonicMs() >= untilMs
    try {
      if (opened.kind === 'open') return await readWith(options, opened.reader, use)
      if (opened.owner === undefined) return await withSession(options, use)
      if (isLate) throw ownerIsStarting(opened.owner)
    } catch (thrown) {
      const { code } = toAppError(thrown)
      // An owner started meanwhile.
      const mayPass = code === 'data-folder-locked' && opened.owner === undefined && !isLate
      if (code === 'database-damaged' && opened.kind === 'open' && opened.owner === undefined) {
        return withSession(options, use)
      }
      if (!mayPass) throw thrown
    }
    await systemClock.sleep(retryAfterMs, signal)
  }
}

async function readWith<T>(
  { settings, output, redactor, platform, signal }: SessionOptions,
  reader: ArchiveReader,
  use: (session: Session<ArchiveReader>) => Promise<T>,
): Promise<T> {
  const { homeFolder, archiveFolder, accessToken } = settings
  try {
    await requireNoMove(homeFolder, archiveFolder)
    const showMessage = (message: string) => output.warn(message)
    const tokens = new TokenReader({ homeFolder, environmentToken: accessToken, platform, redactor, showMessage })
    const readToken = () => tokens.accessToken()
    return await use({ engine: reader, settings, output, log: noLog, tokenAdvice: tokens.advice, readToken, signal })
  } finally {
    await reader.close()
  }
}

/** The log file belongs to the owner of the data folder. */
const noLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

function ownerIsStarting({ pid }: NonNullable<OpenedReader['owner']>): AppError {
  return new AppError(
    'data-folder-locked',
    `Another Solarchive${pid === undefined ? '' : ` (process ${pid})`} has the data folder and has not opened its ` +
      'database yet, so it cannot be read. Try again in a moment.',
    { details: { pid: pid ?? null } },
  )
}

async function openSession<T>(
  { settings: configured, output, redactor, signal }: SessionOptions,
  { log, tokens, followRefusals }: DataFolder,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  await requireNoMove(configured.homeFolder, configured.archiveFolder)
  const sample = configured.useSample ? await startSample(loadSample) : undefined
  try {
    const settings = sample === undefined ? configured : { ...configured, serviceUrl: sample.url }
    if (sample !== undefined) redactor.addSecret(sample.token)
    const secrets = sample === undefined ? tokens : { accessToken: () => Promise.resolve(sample.token) }
    const engine = createEngine(settings, { clock: systemClock, logger: withConsole(log, output), secrets })
    followRefusals(engine)
    try {
      if (sample !== undefined && engine.projects.list().length === 0) engine.projects.add(sample.projects)
      const readToken = () => tokens.accessToken()
      return await use({ engine, settings, output, log, tokenAdvice: tokens.advice, readToken, signal })
    } finally {
      await engine.close()
    }
  } finally {
    await sample?.close()
  }
}

/** Adds the token file to the message, which is printed and never logged. */
function withAdvice({ code, message, cause }: AppError, advice: TokenAdvice): AppError {
  return new AppError(code, `${message} ${advice.next}`, { cause })
}

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

/** Opens the session of a command by its kind; see the functions. */
export const sessions: {
  readonly [Kind in keyof SessionOf]: <T>(
    options: SessionOptions,
    use: (session: SessionOf[Kind]) => Promise<T>,
  ) => Promise<T>
} = { reading: withReader, owning: withSession }
