import packageJson from '../../../package.json' with { type: 'json' }
import { randomBytes } from 'node:crypto'
import { chmodSync, lstatSync, mkdtempSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Duplex } from 'node:stream'
import {
  ownerCalls,
  ownerHeaders,
  type OwnerCallName,
  type OwnerCallOutput,
  type OwnerEvent,
  type OwnerLine,
  type ParsedOwnerCallInput,
} from '../../../shared/contract/owner-calls.ts'
import type { OwnerFacts } from '../../../shared/contract/owner-facts.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { Engine, EngineSettings } from '../../engine/engine.ts'
import { errnoCode } from '../../engine/lib/fs/disk-error.ts'
import { retryWhileLockedSync } from '../../engine/lib/fs/durable-files.ts'
import { makeFoldersSync } from '../../engine/lib/fs/make-folders.ts'
import type { Log } from '../../engine/lib/ports.ts'
import { lockedBy } from '../../engine/store/data-folder-lock.ts'
import { isSameSecret } from '../is-same-secret.ts'
import { refuseTokenInCall } from '../token/refuse-token.ts'
import { readCallBody } from './call-body.ts'
import { wrongInput } from './create-api.ts'
import { logUnexpected, toEnvelope } from './error-envelope.ts'
import { safeAfter } from './owner-client.ts'
import { ownerFile, ownerFolder, readOwnerFacts } from './owner-file.ts'

/** The settings of an owner that other processes go by. */
export type OfferedSettings = Pick<
  OwnerFacts,
  'serviceUrl' | 'archiveFolder' | 'useSample' | 'apiCallsPerMinute' | 'concurrency'
>

export interface OwnerSocketOptions {
  readonly homeFolder: string
  /** Command of this process, or `app`. */
  readonly command: string
  /** Returns the current settings, also while there is no engine. */
  readonly settings: () => OfferedSettings
  /** Returns the current engine. Throws the reason for a user if there is none. */
  readonly engine: () => Engine
  /** Throws while the archive is being moved and may only be read. */
  readonly requireWritableArchive?: () => void
  /** Returns the access token, if there is one. */
  readonly readToken: () => Promise<string | undefined>
  readonly log: Log
  /** Ends this process as SIGTERM does. */
  readonly stop: () => void
}

/**
 * Longest path of a socket that every system accepts: 104 bytes on macOS and 108 on Linux, with the terminating zero.
 */
const maxAddressBytes = 100

/** More requests than those of all commands that a user runs at once; each command has two or three. */
const maxRequests = 128

/**
 * Connections that have sent no key yet: a command sends it at once. For a newer one the oldest is closed, so that
 * others, however many, keep no command out.
 */
const maxUnproven = 256

/** Interval of the lines that say that this process lives. */
const livesEveryMs = 2_000

/** A process that reads nothing must not fill the memory with progress. */
const maxUnreadBytes = 1024 * 1024

/** Time in which stopped requests get their answer. */
const maxStopMs = 1_000

/** Time between two calls of a process that this process waits for before it ends. */
const maxBetweenCallsMs = 2_000

/**
 * Opens the socket of this process, which owns the data folder. Returns `undefined` if there can be none, such as on a
 * full disk: the owner works without it, and commands of other processes end with 5.
 */
export async function openOwnerSocket(options: OwnerSocketOptions): Promise<OwnerSocket | undefined> {
  const socket = new OwnerSocket(options)
  try {
    await socket.open()
    return socket
  } catch (error) {
    options.log.warn('Other processes cannot reach this one', { errno: errnoCode(error) })
    return undefined
  }
}

/** Returns what other processes may know of an engine's settings. */
export function offerOf(settings: EngineSettings, useSample: boolean): OfferedSettings {
  const { serviceUrl, archiveFolder, apiCallsPerMinute = null, concurrency = null } = settings
  return { serviceUrl, archiveFolder, useSample, apiCallsPerMinute, concurrency }
}

interface Running {
  readonly name: string
  readonly abort: AbortController
  readonly ended: Promise<void>
}

/** Socket of the owner of a data folder, for other processes of the same user; see `owner-calls.ts`. */
export class OwnerSocket {
  readonly #options: OwnerSocketOptions
  readonly #key = randomBytes(32).toString('base64url')
  readonly #server: Server
  readonly #running = new Map<string, Running>()
  /** Processes that are connected, whether or not a call of theirs runs. */
  readonly #attached = new Set<ServerResponse>()
  /** Connections that have not sent the key, oldest first. */
  readonly #unproven = new Set<Duplex>()
  #requests = 0
  #address = ''
  /** Other processes wait until this one has ended. */
  #isRetired = false
  #isClosing = false
  #onChange: () => void = () => undefined

  constructor(options: OwnerSocketOptions) {
    this.#options = options
    this.#server = createServer(
      { maxHeaderSize: 8 * 1024, headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 },
      (request, response) => void this.#answer(request, response),
    )
    this.#server.maxConnections = 2 * (maxUnproven + maxRequests)
    this.#server.on('clientError', (_error, socket) => socket.destroy())
    this.#server.on('connection', (socket) => this.#admit(socket))
  }

  #admit(socket: Duplex): void {
    const [oldest] = this.#unproven
    if (this.#unproven.size >= maxUnproven) oldest?.destroy()
    this.#unproven.add(socket)
    socket.once('close', () => this.#unproven.delete(socket))
  }

  async open(): Promise<void> {
    const { homeFolder } = this.#options
    makeOwnFolder(ownerFolder(homeFolder))
    removeTraces(homeFolder)
    try {
      await this.#listen(socketAddress(homeFolder, process.platform))
    } catch (error) {
      if (process.platform === 'win32') throw error
      // The path is too long, or the file system has no sockets. `mkdtemp` makes the folder for this user alone.
      const address = join(mkdtempSync(otherFolders()), 'socket')
      await this.#listen(address).catch((refusal: unknown) => {
        removeOtherFolder(address)
        throw refusal
      })
    }
    this.publish()
  }

  #listen(address: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#server.once('error', reject)
    this.#server.listen(address, () => {
      this.#server.off('error', reject)
      this.#server.on('error', (error) => logUnexpected(this.#options.log, toAppError(error)))
      this.#server.unref()
      if (process.platform !== 'win32') chmodSync(address, 0o600)
      this.#address = address
      resolve()
    })
    return promise
  }

  /**
   * Publishes the settings when the engine was replaced. If they cannot be written, those of the former engine are
   * withdrawn, and commands of other processes end with 5.
   */
  publish(): void {
    const { homeFolder, command, settings, log } = this.#options
    const { pid } = process
    const facts: OwnerFacts = {
      pid,
      version: packageJson.version,
      command,
      ...settings(),
      address: this.#address,
      key: this.#key,
    }
    try {
      writeOwnerFile(homeFolder, facts)
    } catch (error) {
      log.warn('Other processes cannot reach this one', { errno: errnoCode(error) })
      withdrawOwnerFile(homeFolder)
    }
  }

  /**
   * Resolves once the calls that run now have ended, to whether there were any. Questions about the watch do not count,
   * nor do drafts that are only held: a command may wait for its user.
   */
  async callsEnded(): Promise<boolean> {
    const uncounted = ['owner.state', 'orders.holdDraft']
    const calls = [...this.#running.values()].filter(({ name }) => !uncounted.includes(name))
    await Promise.all(calls.map(({ ended }) => ended))
    return calls.length > 0
  }

  /**
   * Accepts no more processes, and resolves once the connected ones are done. `onWait` is called with their number if
   * there are any.
   */
  async finish(onWait: (processes: number) => void, signal: AbortSignal): Promise<void> {
    this.#isRetired = true
    if (this.#attached.size > 0 && !signal.aborted) onWait(this.#attached.size)
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    while (this.#attached.size > 0 && !signal.aborted) {
      const changed = new Promise<void>((resolve) => {
        this.#onChange = resolve
      })
      let timer: NodeJS.Timeout | undefined
      const isQuiet = new Promise<'quiet'>((resolve) => {
        const isIdle = [...this.#running.values()].every(({ name }) => name === 'orders.holdDraft')
        if (isIdle) timer = setTimeout(() => resolve('quiet'), maxBetweenCallsMs)
      })
      const next = await Promise.race([changed, stopped, isQuiet])
      clearTimeout(timer)
      if (next === 'quiet') return
    }
  }

  /** Stops all requests, answers them, and closes the socket. */
  async close(): Promise<void> {
    this.#isRetired = true
    this.#isClosing = true
    for (const { abort, name } of this.#running.values()) abort.abort(ownerEnded(name))
    const ended = Promise.all([...this.#running.values()].map((running) => running.ended))
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, maxStopMs).unref())])
    // Until now, commands that read took the settings from it. The next owner removes what is left.
    await rm(ownerFile(this.#options.homeFolder), { force: true }).catch(() => undefined)
    // Removes the socket's file, too.
    this.#server.close()
    this.#server.closeAllConnections()
    removeOtherFolder(this.#address)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined)
    const { url = '', headers } = request
    const write = (line: OwnerLine) => void response.write(`${JSON.stringify(line)}\n`)
    try {
      if (request.method !== 'POST') throw new AppError('wrong-usage', 'This address takes POST requests only.')
      if (!isSameSecret(String(headers[ownerHeaders.key]), this.#key)) throw wrongKey()
      requireSameVersion(headers[ownerHeaders.version])
      this.#unproven.delete(request.socket)
      // A cancel ends a request.
      if (this.#requests >= maxRequests && url !== '/cancel') throw tooManyRequests()
      this.#requests += 1
      response.once('close', () => (this.#requests -= 1))
      // Says that this process lives, before it does anything.
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' })
      response.flushHeaders()
      if (url === '/attach' && !this.#isRetired) return this.#attach(request, response)
      if (url === '/attach') throw new AppError('data-folder-locked', 'It is ending.', { details: { isEnding: true } })
      const id = String(headers[ownerHeaders.request])
      if (url === '/cancel') this.#running.get(id)?.abort.abort(new AppError('cancelled', stoppedText))
      const value = url === '/cancel' ? {} : await this.#run(id, nameIn(url), request, response)
      write({ answer: { ok: true, value } })
    } catch (thrown) {
      const error = toAppError(thrown)
      if (error.code === 'internal') logUnexpected(this.#options.log, error)
      // The rest of a body that is too large is not read.
      if (!response.headersSent) response.setHeader('Connection', 'close')
      write({ answer: { ok: false, error: toEnvelope(error) } })
    }
    response.end()
    if (!request.complete) response.once('finish', () => request.destroy())
  }

  /** Keeps a connection to a process for the whole time of its command. */
  #attach(request: IncomingMessage, response: ServerResponse): void {
    request.resume()
    this.#attached.add(response)
    const timer = setInterval(() => response.write('\n'), livesEveryMs).unref()
    response.write('\n')
    response.once('close', () => {
      clearInterval(timer)
      this.#attached.delete(response)
      this.#onChange()
    })
  }

  async #run(id: string, name: string, request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    if (this.#isClosing) throw ownerEnded(name)
    if (!/^[\w-]{8,64}$/.test(id) || this.#running.has(id)) throw new AppError('wrong-usage', 'This request has no id.')
    const abort = new AbortController()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    this.#running.set(id, { name, abort, ended })
    response.once('close', () => {
      if (!response.writableFinished) abort.abort(new AppError('cancelled', stoppedText))
      resolve()
    })
    try {
      const body = await readCallBody(request)
      if (body.kind === 'too-large') throw new AppError('wrong-usage', 'The request is too large. Send it in parts.')
      if (body.kind === 'not-json') throw new AppError('wrong-usage', 'The request is not JSON. Nothing was changed.')
      const emit = (event: OwnerEvent) => {
        if (response.writableLength > maxUnreadBytes || response.destroyed) return
        response.write(`${JSON.stringify(event satisfies OwnerLine)}\n`)
      }
      return await this.#call(name, body.value, { signal: abort.signal, emit })
    } catch (thrown) {
      if (toAppError(thrown).code !== 'cancelled') throw thrown
      if (this.#isClosing) throw ownerEnded(name)
      // Neither the command nor the owner has ended: the engine was replaced.
      throw abort.signal.aborted ? thrown : ownerRestarted(name)
    } finally {
      this.#running.delete(id)
      this.#onChange()
    }
  }

  async #call(name: string, input: unknown, context: CallContext): Promise<unknown> {
    if (!isOwnerCall(name)) throw new AppError('wrong-usage', 'Solarchive has no call of this name.')
    const { log, readToken, engine, requireWritableArchive, stop } = this.#options
    const parsed = ownerCalls[name].input.safeParse(input)
    if (!parsed.success) throw wrongInput(parsed.error)
    await refuseTokenInCall(parsed.data, readToken)
    // An app beside this process asks for its state every two seconds.
    if (name !== 'owner.state') log.info('Another process makes a call', { call: name })
    const run = handlers[name] as Handler<OwnerCallName>
    if (writingCalls.has(name)) requireWritableArchive?.()
    return run(parsed.data, { ...context, engine, stop })
  }
}

interface CallContext {
  readonly signal: AbortSignal
  readonly emit: (event: OwnerEvent) => void
}

interface HandlerContext extends CallContext {
  readonly engine: () => Engine
  readonly stop: () => void
}

type Handler<Name extends OwnerCallName> = (
  input: ParsedOwnerCallInput<Name>,
  context: HandlerContext,
) => OwnerCallOutput<Name> | Promise<OwnerCallOutput<Name>>

/** Calls that write into the archive folder. */
const writingCalls: ReadonlySet<OwnerCallName> = new Set<OwnerCallName>(['sync.run', 'verify.run', 'evidence.stamp'])

const handlers: { readonly [Name in OwnerCallName]: Handler<Name> } = {
  'projects.add': ({ projects }, { engine }) => ({ projects: engine().projects.add(projects) }),
  'projects.remove': ({ projectId }, { engine }) => ({ project: engine().projects.remove(projectId) }),
  'projects.discover': (_, { engine, signal }) => engine().projects.discover(signal),
  'sync.run': async ({ projectIds = [] }, { engine, signal, emit }) => {
    const result = await engine().sync({
      projectIds,
      signal,
      onProgress: (value) => emit({ event: 'sync-progress', value }),
    })
    return { ...result, outages: [...result.outages] }
  },
  'verify.run': async ({ projectIds = [], repair }, { engine, signal, emit }) => {
    const result = await engine().verify({
      projectIds,
      repair,
      signal,
      onProgress: (value) => emit({ event: 'verify-progress', value }),
    })
    return { ...result, quarantined: [...result.quarantined], failures: [...result.failures] }
  },
  'evidence.stamp': ({ authority }, { engine, signal }) => engine().stampEvidence({ authority, signal }),
  'orders.holdDraft': async ({ texts }, { engine, signal, emit }) => {
    const emitDraft = (orderId: number | null) => emit({ event: 'draft', value: { orderId } })
    const hold = (orderId: number, held: AbortSignal) => {
      emitDraft(orderId)
      return untilCancelled(signal, held)
    }
    await engine().orders.withDraft(texts, hold, { signal, onWait: () => emitDraft(null) })
    return {}
  },
  'orders.preview': ({ texts }, { engine }) => engine().orders.preview(texts),
  'orders.review': ({ orderId }, { engine, signal }) => engine().orders.review(orderId, signal),
  'orders.place': (input, { engine, signal }) => engine().orders.place(input, signal),
  'orders.check': ({ orderId }, { engine, signal }) => engine().orders.check(orderId, signal),
  'orders.settle': (decision, { engine }) => engine().orders.resolve(decision),
  'owner.budget': (_, { engine }) => engine().apiBudget(),
  'owner.state': (_, { engine }) => engine().watch.state(),
  'owner.stop'(_, { engine, stop }) {
    const finished = finishOrders(engine)
    // The answer goes first.
    setTimeout(() => void finished.then(stop), 50)
    return {}
  },
}

/** Resolves once no order waits for its answer. None is sent afterwards. */
async function finishOrders(engine: () => Engine): Promise<void> {
  try {
    await engine().orders.finish()
  } catch {
    // Without an engine there are no orders.
  }
}

/** Resolves once the caller cancels its call. Rejects with the reason of `held` if that aborts otherwise. */
function untilCancelled(signal: AbortSignal, held: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // An owner that ends aborts it as well, with another reason.
  const isCancelled = () => signal.aborted && toAppError(signal.reason).code === 'cancelled'
  const end = () => (isCancelled() ? resolve() : reject(held.reason as Error))
  held.addEventListener('abort', end, { once: true })
  if (held.aborted) end()
  return promise
}

const stoppedText = 'It was stopped. What is archived so far is safe; the next sync resumes from there.'

function nameIn(url: string): string {
  return url.startsWith('/call/') ? url.slice('/call/'.length) : ''
}

function isOwnerCall(name: string): name is OwnerCallName {
  return Object.hasOwn(ownerCalls, name)
}

function wrongKey(): AppError {
  return new AppError('data-folder-locked', 'The key in owner.json is not that of the running Solarchive. Try again.')
}

function tooManyRequests(): AppError {
  return new AppError(
    'data-folder-locked',
    `The running Solarchive (process ${process.pid}) works for too many commands at once. Nothing was changed. Run ` +
      'the command again in a moment.',
  )
}

function requireSameVersion(sent: string | string[] | undefined): void {
  if (sent === packageJson.version) return
  throw new AppError(
    'data-folder-locked',
    `The running Solarchive (process ${process.pid}) is version ${packageJson.version}, and this command is a ` +
      'different version. Nothing was changed. Restart the older one.',
  )
}

/** Answer to requests that were in flight when the owner ended. */
function ownerEnded(name: string): AppError {
  return new AppError(
    'data-folder-locked',
    `The Solarchive that did the work (process ${process.pid}) was stopped; ${safeAfter(name)}. Run the command again.`,
    { details: { pid: process.pid } },
  )
}

/** Answer to requests whose engine was closed: settings were saved, or the archive is being moved. */
function ownerRestarted(name: string): AppError {
  return lockedBy(process.pid, `restarted with other settings or ended; ${safeAfter(name)}. Run the command again.`)
}

/** Creates the folder for this user alone. Throws if something else, or a folder of another user, has its name. */
function makeOwnFolder(folder: string): void {
  makeFoldersSync(folder, 0o700)
  // A link to a folder is not followed.
  const found = lstatSync(folder)
  if (!found.isDirectory()) throw new AppError('disk-error', `${folder} is not a folder.`)
  if (process.platform === 'win32') return
  if (found.uid !== process.getuid?.()) throw new AppError('disk-error', `${folder} belongs to another user.`)
  chmodSync(folder, 0o700)
}

/**
 * Returns an address for the socket of a data folder. Throws if every path in it is too long for one. Windows has pipes
 * with names of their own; nobody can take one that nobody can guess.
 */
export function socketAddress(homeFolder: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return `\\\\.\\pipe\\solarchive-${randomBytes(16).toString('hex')}`
  const path = join(ownerFolder(homeFolder), 'socket')
  if (Buffer.byteLength(path) > maxAddressBytes) throw new RangeError('The path is too long for a socket')
  return path
}

function writeOwnerFile(homeFolder: string, facts: OwnerFacts): void {
  const file = ownerFile(homeFolder)
  const newFile = `${file}.new`
  rmSync(newFile, { force: true })
  // A link in its place is not followed.
  writeFileSync(newFile, `${JSON.stringify(facts)}\n`, { flag: 'wx', mode: 0o600 })
  retryWhileLockedSync(() => renameSync(newFile, file))
}

/** Other processes would believe outdated facts. */
function withdrawOwnerFile(homeFolder: string): void {
  try {
    rmSync(ownerFile(homeFolder), { force: true })
  } catch {
    // Nobody can write here.
  }
}

/** Removes what an owner that was killed has left. */
function removeTraces(homeFolder: string): void {
  const facts = readOwnerFacts(homeFolder)
  rmSync(ownerFile(homeFolder), { force: true })
  rmSync(join(ownerFolder(homeFolder), 'socket'), { force: true })
  if (facts !== undefined) removeOtherFolder(facts.address)
}

/** Start of the folders for sockets outside the data folder. */
const otherFolders = () => join(tmpdir(), 'solarchive-socket-')

/** Removes the folder of a socket outside the data folder. */
function removeOtherFolder(address: string): void {
  if (!address.startsWith(otherFolders())) return
  try {
    rmSync(address, { force: true })
    rmdirSync(dirname(address))
  } catch {
    // Somebody else's, or removed already.
  }
}
