import { isTokenError } from '../../shared/error-policy.ts'
import { AppError, toAppError } from '../../shared/errors.ts'
import type { FixableSetting } from '../../shared/settings.ts'
import {
  connectToOwner,
  findLiveOwner,
  isOwned,
  namingOwner,
  type OwnerClient,
  ownerNotReady,
} from '../app/api/owner-client.ts'
import { otherUserError, ownerSince, whyUnreadable } from '../app/api/owner-file.ts'
import { offerOf, openOwnerSocket, type OwnerSocket } from '../app/api/owner-socket.ts'
import { accessBeside, accessOver, accessTo, type ArchiveAccess, type VerifyAccess } from '../app/archive-access.ts'
import { recordError } from '../app/log/create-file-log.ts'
import { requireNoMove } from '../app/move/move-record.ts'
import { type DataFolder, openDataFolder } from '../app/data-folder.ts'
import type { HostSettings } from '../app/settings/resolve-settings.ts'
import { compareWithOwner, settingsBesideOwner } from '../app/settings/settings-beside-owner.ts'
import { dataForSample, type SampleLoader, startSample, usesChosenFolders } from '../app/start-sample.ts'
import { type TokenAdvice, TokenReader } from '../app/token/token-reader.ts'
import { createEngine } from '../engine/create-engine.ts'
import type { ArchiveReader, Engine } from '../engine/engine.ts'
import type { Log, Logger } from '../engine/lib/ports.ts'
import type { Redactor } from '../engine/lib/redact.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import { isUnused, openReader } from '../engine/open-reader.ts'
import type { ConsoleOutput } from './output/console-output.ts'
import { describeNewDatabase } from './output/describe-folders.ts'

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
}

/** Another process that owns the data folder. */
export interface RunningOwner {
  /** Time at which it became the owner, ISO 8601. */
  readonly since: string
  /** It is `watch`, `serve`, or the app. */
  readonly keepsSyncing: boolean
  /** It is one of these, or a `sync`. */
  readonly downloads: boolean
}

/** The kinds of commands, and what each may do with the archive. */
export interface SessionOf {
  /** Works beside the owner of the data folder, and never has to become the owner. */
  readonly reading: Session<ArchiveReader>
  /** Reads the database alone, so it also works while the archive folder is being moved. */
  readonly listing: Session<ArchiveReader>
  /** Becomes the owner of the data folder, to record what it finds, or only reads beside the owner. */
  readonly verifying: Session<VerifyAccess>
  /** Becomes the owner of the data folder, or has the owner do the work. */
  readonly changing: Session<ArchiveAccess>
  /** Has to be the owner of the data folder. */
  readonly owning: Session
}

export interface SessionOptions {
  readonly settings: HostSettings
  /** Settings that options or the environment set. */
  readonly fixed: readonly FixableSetting[]
  /** First word of the command. */
  readonly command: string
  readonly output: ConsoleOutput
  readonly redactor: Redactor
  readonly platform: NodeJS.Platform
  readonly signal: AbortSignal
  /** Stops this process as SIGTERM does. */
  readonly stop: () => void
  /** True for a command that may call the service, or change what comes from it. */
  readonly callsService?: boolean
}

type Use<Access, T> = (session: Session<Access>) => Promise<T>

/** Opens the session of a command by its kind. Rejects only with an AppError. */
export const sessions: {
  readonly [Kind in keyof SessionOf]: <T>(
    options: SessionOptions,
    use: (session: SessionOf[Kind]) => Promise<T>,
  ) => Promise<T>
} = {
  reading: (options, use) => withReader(options, use, whileNotMoved),
  listing: (options, use) => withReader(options, use, async (_, read) => ({ done: await read() })),
  verifying: withVerifier,
  changing: (options, use) => withAccess({ ...options, callsService: true }, use),
  owning: (options, use) => withOwnership({ ...options, callsService: true }, use),
}

/** Time in which an owner starts or ends. */
const ownerPatienceMs = 10_000

const retryAfterMs = 100

/** Result of a command, or `undefined` to try again. */
type Attempt<T> = { readonly done: T } | undefined

/** Calls `attempt` until it returns a value, for at most `ownerPatienceMs`; then it throws in place of `undefined`. */
async function whileOwnerChanges<T>(
  { signal, settings: { homeFolder } }: SessionOptions,
  attempt: (isLast: boolean) => Promise<Attempt<T>>,
): Promise<T> {
  const untilMs = systemClock.monotonicMs() + ownerPatienceMs
  for (;;) {
    const isLast = systemClock.monotonicMs() >= untilMs
    const result = await attempt(isLast).catch((thrown: unknown) => {
      throw explain(thrown, homeFolder)
    })
    if (result !== undefined) return result.done
    if (isLast) throw ownerNotReady(undefined)
    await systemClock.sleep(retryAfterMs, signal)
  }
}

/** Returns the error as an AppError, with the real reason for a data folder of another user that cannot be read. */
function explain(thrown: unknown, homeFolder: string): AppError {
  const error = toAppError(thrown)
  const mayBeAnotherUsers = ['internal', 'disk-error', 'wrong-settings'].includes(error.code)
  return (mayBeAnotherUsers ? whyUnreadable(homeFolder) : undefined) ?? error
}

/**
 * Opens an archive for a command that only reads: beside the owner of the data folder, if there is one, else from the
 * database that the last owner closed, and writes nothing. What a reader cannot serve is done as the owner: a database
 * that is missing, outdated, damaged, or was not closed.
 */
function withReader<T>(
  options: SessionOptions,
  use: Use<ArchiveReader, T>,
  guard: (reading: Reading, read: () => Promise<T>) => Promise<Attempt<T>>,
): Promise<T> {
  return whileOwnerChanges(options, async (isLast) => {
    const settings = await settingsBesideOwner(options.settings, options.fixed)
    const opened = openReader(settings, { clock: systemClock, isFrozen: true, orEmpty: !settings.useSample })
    if (opened.kind === 'open') {
      try {
        const mayHoldOthers = settings.useSample && usesChosenFolders(settings) && !opened.isSample
        // The sample service, which knows its projects, is only started by an owner.
        if (mayHoldOthers && opened.owner === undefined) return await asOwner(options, use, isLast)
        const session = { ...withoutEngine(options, settings), engine: opened.reader }
        return await guard({ options, settings, isBesideOwner: opened.owner !== undefined }, () => use(session))
      } catch (thrown) {
        if (opened.owner !== undefined || toAppError(thrown).code !== 'database-damaged') throw thrown
      } finally {
        await opened.reader.close()
      }
    } else if (opened.owner !== undefined) {
      if (isLast) throw ownerNotReady(opened.owner.pid)
      return undefined
    }
    return asOwner(options, use, isLast)
  })
}

interface Reading {
  readonly options: SessionOptions
  readonly settings: HostSettings
  /** Another process owns the data folder. */
  readonly isBesideOwner: boolean
}

/**
 * Reads an archive folder. Throws if it is being moved, and returns `undefined` if it was moved meanwhile: its files
 * would count as lost.
 */
async function whileNotMoved<T>(
  { options, settings, isBesideOwner }: Reading,
  read: () => Promise<T>,
): Promise<Attempt<T>> {
  const { homeFolder, archiveFolder } = settings
  const requireUnmoved = () => requireNoMove(homeFolder, archiveFolder, { isBesideOwner })
  await requireUnmoved()
  const [result] = await Promise.allSettled([read()])
  await requireUnmoved()
  const now = await settingsBesideOwner(options.settings, options.fixed)
  if (now.archiveSource === 'owner' && now.archiveFolder !== archiveFolder) return undefined
  if (result.status === 'rejected') throw result.reason
  return { done: result.value }
}

/** Becomes the owner, or reads beside the owner. An unused data folder is only read: it stays as it is. */
function withVerifier<T>(options: SessionOptions, use: Use<VerifyAccess, T>): Promise<T> {
  return whileOwnerChanges(options, async (isLast) => {
    const orEmpty = !options.settings.useSample
    if (!isOwned(options.settings.homeFolder) && !(orEmpty && isUnused(options.settings))) {
      return asOwner(options, (session) => use({ ...session, engine: accessTo(session.engine) }), isLast)
    }
    const settings = await settingsBesideOwner(options.settings, options.fixed)
    const opened = openReader(settings, { clock: systemClock, orEmpty })
    if (opened.kind !== 'open') {
      if (isLast) throw ownerNotReady(opened.owner?.pid)
      return undefined
    }
    try {
      const session = { ...withoutEngine(options, settings), engine: accessBeside(opened.reader) }
      return await whileNotMoved({ options, settings, isBesideOwner: opened.owner !== undefined }, () => use(session))
    } finally {
      await opened.reader.close()
    }
  })
}

/** Becomes the owner, or has the owner do the work. */
function withAccess<T>(options: SessionOptions, use: Use<ArchiveAccess, T>): Promise<T> {
  return whileOwnerChanges(options, async (isLast) => {
    const found = await connectToOwner(options.settings.homeFolder)
    if (found.kind === 'connected') return { done: await throughOwner(options, found.client, use) }
    if (found.kind === 'none') {
      return asOwner(options, (session) => use({ ...session, engine: accessTo(session.engine) }), isLast)
    }
    if (isLast) throw ownerNotReady(found.pid)
    return undefined
  })
}

/** Commands that own the data folder until they are stopped, and the app. */
const lastingCommands: readonly string[] = ['watch', 'serve', 'app']

/** Becomes the owner. Waits for an owner that is about to end. */
function withOwnership<T>(options: SessionOptions, use: Use<Engine, T>): Promise<T> {
  return whileOwnerChanges(options, (isLast) => {
    const command = findLiveOwner(options.settings.homeFolder)?.facts?.command
    return asOwner(options, use, isLast || (command !== undefined && lastingCommands.includes(command)))
  })
}

/** Returns `undefined` if another process owns the data folder and `isLast` is false. */
async function asOwner<T>(options: SessionOptions, use: Use<Engine, T>, isLast: boolean): Promise<Attempt<T>> {
  let isOwner = false
  const useAsOwner: Use<Engine, T> = (session) => {
    isOwner = true
    return use(session)
  }
  try {
    return { done: await withEngine(options, useAsOwner) }
  } catch (thrown) {
    if (isOwner || toAppError(thrown).code !== 'data-folder-locked') throw thrown
    if (isLast) throw namingOwner(thrown, options.settings.homeFolder)
    return undefined
  }
}

/** Runs a command whose work is done by the owner of the data folder. */
async function throughOwner<T>(options: SessionOptions, client: OwnerClient, use: Use<ArchiveAccess, T>): Promise<T> {
  const { output, fixed } = options
  const { facts } = client
  const { serviceUrl, archiveFolder } = facts
  const settings = { ...options.settings, serviceUrl, archiveFolder }
  const session = withoutEngine(options, settings)
  // The running process reads its token itself: only the file can be replaced.
  const tokenAdvice = { ...session.tokenAdvice, next: session.tokenAdvice.running }
  let reader: ArchiveReader | undefined
  const openOnce = () => {
    if (reader !== undefined) return reader
    const opened = openReader(settings, { clock: systemClock })
    if (opened.kind !== 'open') throw ownerNotReady(opened.owner?.pid)
    return (reader = opened.reader)
  }
  try {
    for (const warning of compareWithOwner(options.settings, fixed, facts)) output.warn(warning)
    return await use({ ...session, tokenAdvice, engine: accessOver(client, openOnce) })
  } catch (thrown) {
    const error = toAppError(thrown)
    throw isTokenError(error.code) ? withAdvice(error, tokenAdvice) : error
  } finally {
    client.close()
    await reader?.close()
  }
}

/** Returns the session of a command that does not own the data folder, and writes nothing into it. */
function withoutEngine(
  { output, redactor, platform, signal }: SessionOptions,
  settings: HostSettings,
): Omit<Session, 'engine'> {
  const { homeFolder, accessToken } = settings
  const showMessage = (message: string) => output.warn(message)
  const tokens = new TokenReader({ homeFolder, environmentToken: accessToken, platform, redactor, showMessage })
  const readToken = () => tokens.accessToken()
  const owner = runningOwner(homeFolder)
  return { settings, output, log: noLog, tokenAdvice: tokens.advice, readToken, signal, owner }
}

function runningOwner(homeFolder: string): RunningOwner | undefined {
  if (otherUserError(homeFolder) !== undefined) return undefined
  const command = findLiveOwner(homeFolder)?.facts?.command
  const since = ownerSince(homeFolder)
  if (command === undefined || since === undefined) return undefined
  const keepsSyncing = lastingCommands.includes(command)
  return { since, keepsSyncing, downloads: keepsSyncing || command === 'sync' }
}

/** The log file belongs to the owner of the data folder. */
const noLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** Opens the engine, and with `--sample` the embedded service, for one command, and always closes them. */
async function withEngine<T>(options: SessionOptions, use: Use<Engine, T>): Promise<T> {
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

async function openSession<T>(
  { settings: configured, command, output, redactor, signal, stop, callsService = false }: SessionOptions,
  { log, tokens, followRefusals }: DataFolder,
  use: Use<Engine, T>,
): Promise<T> {
  const { homeFolder, archiveFolder, useSample } = configured
  await requireNoMove(homeFolder, archiveFolder)
  const sample = useSample ? await startSample(loadSample) : undefined
  try {
    const settings =
      sample === undefined
        ? { ...configured, ...(callsService && { dataFor: { kind: 'service' as const } }) }
        : { ...configured, serviceUrl: sample.url, ...dataForSample(configured, sample) }
    if (sample !== undefined) redactor.addSecret(sample.token)
    const secrets = sample === undefined ? tokens : { accessToken: () => Promise.resolve(sample.token) }
    const engine = createEngine(settings, { clock: systemClock, logger: withConsole(log, output), secrets })
    followRefusals(engine)
    if (engine.isMadeFromArchive) output.warn(describeNewDatabase(configured))
    let socket: OwnerSocket | undefined
    try {
      if (sample !== undefined && engine.projects.list().length === 0) engine.projects.add(sample.projects)
      const readToken = () => tokens.accessToken()
      const offered = () => ({ engine, settings: offerOf(settings, useSample) })
      socket = await openOwnerSocket({ homeFolder, command, offered, readToken, log, stop })
      return await use({ engine, settings, output, log, tokenAdvice: tokens.advice, readToken, signal })
    } finally {
      await socket?.finish((processes) => output.note(describeWait(processes)), signal)
      await socket?.close()
      await engine.close()
    }
  } finally {
    await sample?.close()
  }
}

function describeWait(processes: number): string {
  const others = processes === 1 ? 'another command' : `${processes} other commands`
  return `This command is done, and still works for ${others}. Ctrl+C ends them.`
}

/** Adds the token file to the message, which is printed and never logged. */
function withAdvice({ code, message, cause }: AppError, advice: TokenAdvice): AppError {
  return new AppError(code, `${message} ${advice.next}`.trimEnd(), { cause })
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
