import { existsSync } from 'node:fs'
import { type ErrorCode, isTokenError } from '../../shared/error-policy.ts'
import { AppError, toAppError } from '../../shared/errors.ts'
import { findLiveOwner, isOwned, namingOwner, ownerNotReady } from '../app/api/live-owner.ts'
import type { OwnerClient } from '../app/api/owner-client.ts'
import { otherUserError, ownerSince, whyUnreadable } from '../app/api/owner-file.ts'
import { accessOver, type ArchiveAccess, type VerifyAccess } from '../app/archive-access.ts'
import { requireNoMove } from '../app/move/move-record.ts'
import type { HostSettings } from '../app/settings/resolve-settings.ts'
import { limitsWithoutEffect, requireSameAs, settingsBesideOwner } from '../app/settings/settings-beside-owner.ts'
import { usesChosenFolders } from '../app/start-sample.ts'
import { encryptedTokenFile, TokenReader } from '../app/token/token-reader.ts'
import type { ArchiveReader, Engine } from '../engine/engine.ts'
import type { Log } from '../engine/lib/ports.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import { isUnused, openReader } from '../engine/open-reader.ts'
import {
  type RunningOwner,
  type Session,
  type SessionOf,
  type SessionOptions,
  type Use,
  withAdvice,
} from './session.ts'

/** Opens the session of a command by its kind. Rejects only with an AppError. */
export const sessions: {
  readonly [Kind in keyof SessionOf]: <T>(
    options: SessionOptions,
    use: (session: SessionOf[Kind]) => Promise<T>,
  ) => Promise<T>
} = {
  reading: (options, use) => withReader(options, use, whileNotMoved),
  readingIndexed: (options, use) => withReader(options, use, whileNotMoved, isIndexing),
  listing: (options, use) => withReader(withAnyArchive(options), use, readNow),
  searching: (options, use) => withReader(withAnyArchive(options), use, readNow, isIndexing),
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

/** Errors whose reason may be that the data folder belongs to another user. */
const accessErrors: ReadonlySet<ErrorCode> = new Set(['internal', 'disk-error', 'wrong-settings'])

/** Returns the error as an AppError, with the real reason for a data folder of another user that cannot be read. */
function explain(thrown: unknown, homeFolder: string): AppError {
  const error = toAppError(thrown)
  return (accessErrors.has(error.code) ? whyUnreadable(homeFolder) : undefined) ?? error
}

const readNow = async <T>(_: Reading, read: () => Promise<T>) => ({ done: await read() })

/** Returns the options of a command that reads no files: any archive folder that was set for it will do. */
function withAnyArchive(options: SessionOptions): SessionOptions {
  return { ...options, fixed: options.fixed.filter((name) => name !== 'archiveFolder') }
}

const isIndexing = (reader: ArchiveReader) => reader.search({ query: '', limit: 1 }).isIndexing

/**
 * Opens an archive for a command that only reads: beside the owner of the data folder, if there is one, else from the
 * database that the last owner closed, and writes nothing. What a reader cannot serve is done as the owner: a database
 * that is missing, outdated, damaged, or was not closed, or one with which `needsOwner` returns true.
 */
function withReader<T>(
  options: SessionOptions,
  use: Use<ArchiveReader, T>,
  guard: (reading: Reading, read: (onArchiveRead?: Session['onArchiveRead']) => Promise<T>) => Promise<Attempt<T>>,
  needsOwner: (reader: ArchiveReader) => boolean = () => false,
): Promise<T> {
  return whileOwnerChanges(options, async (isLast) => {
    const settings = await settingsBesideOwner(options.settings, options.fixed)
    const opened = openReader(settings, { clock: systemClock, isFrozen: true, orEmpty: !settings.useSample })
    if (opened.kind === 'open') {
      try {
        const mayHoldOthers = settings.useSample && usesChosenFolders(settings) && !opened.isSample
        // The sample service, which knows its projects, is only started by an owner.
        if (opened.owner === undefined && (mayHoldOthers || needsOwner(opened.reader))) {
          return await asOwner(options, use, isLast)
        }
        const session = { ...withoutEngine(options, settings), engine: opened.reader }
        return await guard({ options, settings, isBesideOwner: opened.owner !== undefined }, (onArchiveRead) =>
          use({ ...session, onArchiveRead }),
        )
      } catch (thrown) {
        if (opened.owner !== undefined || toAppError(thrown).code !== 'database-damaged') throw thrown
      } finally {
        await opened.reader.close()
      }
    } else if (opened.owner !== undefined) {
      await requireSetUp(settings.homeFolder)
      if (isLast) throw ownerNotReady(opened.owner.pid)
      return undefined
    }
    return asOwner(options, use, isLast)
  })
}

/** Throws `setup-needed` if the owner of the data folder has no engine, which would create the database. */
async function requireSetUp(homeFolder: string): Promise<void> {
  const owner = findLiveOwner(homeFolder)
  if (owner?.facts === undefined) return
  const { askOwner } = await import('../app/api/owner-client.ts')
  const [state] = await Promise.allSettled([askOwner(owner, 'owner.state', {})])
  if (state.status === 'rejected' && toAppError(state.reason).code === 'setup-needed') throw state.reason
}

interface Reading {
  readonly options: SessionOptions
  readonly settings: HostSettings
  /** Another process owns the data folder. */
  readonly isBesideOwner: boolean
}

/**
 * Reads an archive folder. Throws if it is being moved, and returns `undefined` if it was moved meanwhile: its files
 * would count as lost. What a command does after `onArchiveRead` is not done a second time.
 */
async function whileNotMoved<T>(
  { options, settings, isBesideOwner }: Reading,
  read: (onArchiveRead: Session['onArchiveRead']) => Promise<T>,
): Promise<Attempt<T>> {
  const { homeFolder, archiveFolder } = settings
  const requireUnmoved = () => requireNoMove(homeFolder, archiveFolder, { isBesideOwner })
  const isUnmoved = async () => {
    const [unmoved] = await Promise.allSettled([requireUnmoved()])
    // Before any refusal: the old folder of a move that has just switched is not one that a user named. An owner that
    // came meanwhile may have other settings: the archive was read with this command's.
    const now = options.fixed.includes('archiveFolder') ? settings : await settingsBesideOwner(options.settings, [])
    if (now.archiveSource === 'owner' && now.archiveFolder !== archiveFolder) return false
    if (unmoved.status === 'rejected') throw unmoved.reason
    return true
  }
  let onceRead: Promise<boolean> | undefined
  const onArchiveRead = async () => {
    const [read] = await Promise.allSettled([(onceRead ??= isUnmoved())])
    if (read.status === 'fulfilled' && read.value) return
    // Ends the command before it keeps anything; what follows is judged below.
    throw new AppError('archive-unavailable', 'The archive was moved meanwhile.')
  }
  const [result] = await Promise.allSettled([requireUnmoved().then(() => read(onArchiveRead))])
  if (!(await (onceRead ?? isUnmoved()))) return undefined
  if (result.status === 'rejected') throw result.reason
  return { done: result.value }
}

/** Becomes the owner, or reads beside the owner. An unused data folder is only read, and stays unchanged. */
function withVerifier<T>(options: SessionOptions, use: Use<VerifyAccess, T>): Promise<T> {
  return whileOwnerChanges(options, async (isLast) => {
    const orEmpty = !options.settings.useSample
    if (!isOwned(options.settings.homeFolder) && !(orEmpty && isUnused(options.settings))) {
      return asOwner(options, use, isLast)
    }
    const settings = await settingsBesideOwner(options.settings, options.fixed)
    const opened = openReader(settings, { clock: systemClock, orEmpty })
    if (opened.kind !== 'open') {
      await requireSetUp(settings.homeFolder)
      if (isLast) throw ownerNotReady(opened.owner?.pid)
      return undefined
    }
    try {
      const session = { ...withoutEngine(options, settings), engine: opened.reader }
      return await whileNotMoved({ options, settings, isBesideOwner: opened.owner !== undefined }, () => use(session))
    } finally {
      await opened.reader.close()
    }
  })
}

/** Becomes the owner, or has the owner do the work. */
function withAccess<T>(options: SessionOptions, use: Use<ArchiveAccess, T>): Promise<T> {
  return whileOwnerChanges(options, async (isLast) => {
    const { connectToOwner } = await import('../app/api/owner-client.ts')
    const found = await connectToOwner(options.settings.homeFolder)
    if (found.kind === 'connected') return { done: await throughOwner(options, found.client, use) }
    if (found.kind === 'none') return asOwner(options, use, isLast)
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
    const { withEngine } = await import('./own-session.ts')
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
  // The running process reads its token itself: only what is stored can be replaced.
  const running =
    facts.command === 'app' && existsSync(encryptedTokenFile(settings.homeFolder))
      ? 'Paste a new token into the running app (Settings, Connection): it keeps its token in the keychain.'
      : session.tokenAdvice.running
  const tokenAdvice = { running, next: running }
  let reader: ArchiveReader | undefined
  const openOnce = () => {
    if (reader !== undefined) return reader
    const opened = openReader(settings, { clock: systemClock })
    if (opened.kind !== 'open') throw ownerNotReady(opened.owner?.pid)
    return (reader = opened.reader)
  }
  try {
    // Ends with the reason if the owner is not set up, before its database is read.
    const { kind } = await client.call('owner.state', {})
    requireSameAs(facts, options.settings, fixed)
    for (const warning of limitsWithoutEffect(facts, options.settings, fixed)) output.warn(warning)
    const keepsSyncing = session.owner?.keepsSyncing === true && (kind === 'idle' || kind === 'syncing')
    const owner = session.owner && { ...session.owner, keepsSyncing }
    return await use({ ...session, tokenAdvice, owner, engine: accessOver(client, openOnce) })
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
  { output, redactor, environment, signal }: SessionOptions,
  settings: HostSettings,
): Omit<Session, 'engine'> {
  const { homeFolder, accessToken } = settings
  const { platform } = environment
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
