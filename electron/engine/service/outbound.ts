import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Agent as HttpAgent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import * as tls from 'node:tls'
import { bareHost, type NetworkSettings, portOf, type Route, routeOf } from './proxy-route.ts'
import { closedEarly, isUnknownIssuer, openTunnel, OutboundError, tooLate, unusable } from './proxy-tunnel.ts'

export interface Agents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

export interface ConnectOptions {
  /** Resolves the names of hosts that are reached directly; a proxy resolves them itself. */
  readonly lookup?: LookupFunction | undefined
  /** Time to look a name up, connect, and agree on TLS. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** True for the bare connection, without TLS and its certificates. */
  readonly isBare?: boolean
}

/** Connections are kept for the next call, as Node's own agents do. */
const keepAlive: AgentOptions = { keepAlive: true, scheduling: 'lifo', timeout: 5_000 }

/** Time to connect through a proxy for a call, which is then part of the call's own limits. */
const callConnectMs = 15_000

/** TLS sessions that are kept to be resumed; one for each host. */
const maxSessions = 200

/** Connections to other machines: directly or through a proxy, with the certificates to trust. */
export class Outbound {
  readonly #settings: NetworkSettings
  readonly #closing = new AbortController()
  /** Undefined without certificates of our own: Node's default is then used. */
  #context: Promise<tls.SecureContext | undefined> | undefined
  #trustsSystem = false
  /** By host and port. Undici keeps only weak references to sessions, which do not outlive a garbage collection. */
  readonly #sessions = new Map<string, Buffer>()
  readonly #kept = new Map<Route['kind'], Promise<Agents>>()
  /** For encrypted connections to proxies. */
  #toProxy: Promise<HttpsAgent> | undefined

  constructor(settings: NetworkSettings = {}) {
    this.#settings = settings
  }

  /** Returns agents for a request of Node's clients. Orders use a fresh connection. */
  async agentsFor(url: URL, { isFresh }: { readonly isFresh: boolean }): Promise<Agents> {
    const { kind } = routeOf(url, this.#settings)
    if (isFresh) return await this.#createAgents(kind, { keepAlive: false })
    const agents = this.#kept.get(kind) ?? this.#createAgents(kind, keepAlive)
    this.#kept.set(kind, agents)
    // A file that could not be read may be there for the next connection.
    agents.catch(() => this.#kept.get(kind) === agents && this.#kept.delete(kind))
    return await agents
  }

  async #createAgents(kind: Route['kind'], options: AgentOptions): Promise<Agents> {
    const connect = (url: URL) => this.connect(url, { timeoutMs: callConnectMs })
    return kind === 'direct'
      ? { http: new HttpAgent(options), https: await this.#createTlsAgent(options) }
      : {
          http: tunneling(new HttpAgent(options), 'http:', connect),
          https: tunneling(new HttpsAgent(options), 'https:', connect),
        }
  }

  async #createTlsAgent(options: AgentOptions): Promise<HttpsAgent> {
    const secureContext = await this.#secureContext()
    return new HttpsAgent({
      ...options,
      rejectUnauthorized: true,
      ...(secureContext !== undefined && { secureContext }),
    })
  }

  /** Connects to the host of an address. Rejects with OutboundError, Node's errors, and the signal's reason. */
  connect(url: URL, options: ConnectOptions): Promise<Socket> {
    return this.withMoreTrust(() => this.#connect(url, options))
  }

  /**
   * Makes an attempt to connect. If it fails because the issuer of a certificate is not known, the system's own
   * certificates are trusted from now on, and the attempt is made again.
   */
  async withMoreTrust<T>(attempt: () => Promise<T>): Promise<T> {
    const didTrustSystem = this.#trustsSystem
    try {
      return await attempt()
    } catch (error) {
      if (didTrustSystem || !isUnknownIssuer(error) || typeof tls.getCACertificates !== 'function') throw error
      if (!this.#trustsSystem) this.#trustSystem()
      return await attempt()
    }
  }

  #trustSystem(): void {
    this.#trustsSystem = true
    this.#context = undefined
    this.#toProxy = undefined
    this.#kept.clear()
  }

  /** Ends all connections of calls, and those that are being made. */
  close(): void {
    this.#closing.abort()
    for (const agents of this.#kept.values()) {
      agents.then(
        ({ http, https }) => [http, https].forEach((agent) => agent.destroy()),
        () => undefined,
      )
    }
  }

  async #connect(url: URL, { lookup, timeoutMs, signal, isBare = false }: ConnectOptions): Promise<Socket> {
    const route = routeOf(url, this.#settings)
    if (route.kind === 'unusable') throw unusable(route.from)
    const [host, port] = [bareHost(url.hostname), portOf(url)]
    const isTls = url.protocol === 'https:' && !isBare
    const secureContext = isTls ? await this.#secureContext() : undefined
    const proxy = route.kind === 'proxy' ? route.proxy : undefined
    const agent = proxy?.isTls === true && (await this.#agentToProxy())
    const signals = [this.#closing.signal, ...(signal === undefined ? [] : [signal])]
    return await withTimeout(timeoutMs, signals, async ({ signal, whenReady }) => {
      const tunnel = proxy === undefined ? undefined : await openTunnel(proxy, { host, port, agent, signal })
      const target = { host, port, ...(lookup !== undefined && { lookup }) }
      if (!isTls) return tunnel ?? (await whenReady(connectTcp({ ...target, ...socketDefaults }), 'connect'))
      const key = `${host}:${port}`
      const session = this.#sessions.get(key)
      const socket = tls.connect({
        ...(tunnel === undefined ? target : { host, socket: tunnel }),
        ...(isIP(host) === 0 && { servername: host }),
        ...(secureContext !== undefined && { secureContext }),
        ...(session !== undefined && { session }),
        ALPNProtocols: ['http/1.1'],
        rejectUnauthorized: true,
      })
      socket.on('session', (fresh: Buffer) => this.#keepSession(key, fresh))
      socket.setKeepAlive(true, socketDefaults.keepAliveInitialDelay).setNoDelay(true)
      socket.once('close', () => tunnel?.destroy())
      return await whenReady(socket, 'secureConnect')
    })
  }

  #agentToProxy(): Promise<HttpsAgent> {
    const agent = (this.#toProxy ??= this.#createTlsAgent({}))
    agent.catch(() => (this.#toProxy = undefined))
    return agent
  }

  #keepSession(key: string, session: Buffer): void {
    this.#sessions.delete(key)
    this.#sessions.set(key, session)
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > maxSessions && oldest !== undefined) this.#sessions.delete(oldest)
  }

  /** Made once, because parsing all certificates takes up to 40 ms. */
  #secureContext(): Promise<tls.SecureContext | undefined> {
    const context = (this.#context ??= this.#createContext())
    context.catch(() => {
      // A file that could not be read may be there for the next connection.
      if (this.#context === context) this.#context = undefined
    })
    return context
  }

  async #createContext(): Promise<tls.SecureContext | undefined> {
    const { caFile, extraCaFile } = this.#settings
    const own = caFile === undefined ? [] : await readCertificates(caFile).catch(noCertificates)
    const extra = extraCaFile === undefined ? [] : await readCertificates(extraCaFile).catch(() => [])
    // Reading the system's store takes a tenth of a second of the main thread on some systems.
    const system = this.#trustsSystem ? certificatesOf('system') : []
    const added = [...own, ...extra, ...system]
    return added.length === 0 ? undefined : tls.createSecureContext({ ca: [...certificatesOf('default'), ...added] })
  }
}

/** Node before 22.15 has only its own list, and no access to the system's. */
function certificatesOf(store: 'default' | 'system'): readonly string[] {
  if (typeof tls.getCACertificates === 'function') return tls.getCACertificates(store)
  return store === 'default' ? tls.rootCertificates : []
}

/** Returns the certificates of a PEM file. Throws an Error that says why it cannot be used. */
export async function readCertificates(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The file with certificates, ${path}, cannot be read (${error.code ?? error.name}).`, {
      cause: error,
    })
  })
  const found = text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END [^-]+-----/g) ?? []
  if (found.length === 0) throw new Error(`The file ${path} contains no certificate in PEM format.`)
  try {
    for (const certificate of found) new X509Certificate(certificate)
  } catch (cause) {
    throw new Error(`The file ${path} contains a certificate that cannot be read.`, { cause })
  }
  return found
}

function noCertificates({ message }: Error): never {
  const advice = 'No secure connection is made. Set the file again, or remove it, in the settings ("caFile").'
  throw new OutboundError('unreachable-tls', `${message} ${advice}`)
}

/** As undici sets them: sockets of an idle connection are checked, and small requests are sent at once. */
const socketDefaults = { keepAlive: true, keepAliveInitialDelay: 60_000, noDelay: true, highWaterMark: 64 * 1024 }

/** An attempt to connect that ends in time. */
interface Attempt {
  readonly signal: AbortSignal
  /** Resolves with the socket once the event arrives. Destroys the socket if it fails, or the attempt ends before. */
  readonly whenReady: (socket: Socket, event: 'connect' | 'secureConnect') => Promise<Socket>
}

async function withTimeout(
  timeoutMs: number,
  signals: readonly AbortSignal[],
  connect: (attempt: Attempt) => Promise<Socket>,
): Promise<Socket> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(tooLate('There was no connection within the time')), timeoutMs)
  const signal = AbortSignal.any([timeout.signal, ...signals])
  const whenReady: Attempt['whenReady'] = (socket, event) =>
    new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        signal.removeEventListener('abort', onAbort)
        socket.off(event, onReady).off('close', onClose)
        socket.destroy()
        reject(error instanceof Error ? error : new Error('The connection was stopped', { cause: error }))
      }
      const onAbort = () => fail(signal.reason)
      const onClose = () => fail(closedEarly())
      const onReady = () => {
        signal.removeEventListener('abort', onAbort)
        // Who uses the socket listens before the next event.
        socket.off('error', fail).off('close', onClose)
        resolve(socket)
      }
      // Stays after a failure: errors of a destroyed socket are irrelevant.
      socket.on('error', fail).once('close', onClose).once(event, onReady)
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) onAbort()
    })
  try {
    return await connect({ signal, whenReady })
  } finally {
    clearTimeout(timer)
  }
}

type Connect = (url: URL) => Promise<Socket>
export type OnConnected = (error: Error | null, socket: Duplex) => void

/** Lets an agent connect through tunnels. */
function tunneling<A extends HttpAgent>(agent: A, protocol: string, connect: Connect): A {
  const createConnection = ({ host, port }: ClientRequestArgs, onConnected?: OnConnected) => {
    const name = isIP(host ?? '') === 6 ? `[${host}]` : host
    if (onConnected !== undefined) handOver(connect(new URL(`${protocol}//${name}:${port}`)), onConnected)
  }
  return Object.assign(agent, { createConnection })
}

/** Hands a connection, or the reason that there is none, to the callback of Node's `createConnection`. */
export function handOver(connecting: Promise<Socket>, onConnected: OnConnected): void {
  connecting.then(
    (socket) => onConnected(null, socket),
    // Node reads no socket in case of an error, although its type requires one.
    (error: Error) => onConnected(error, undefined as unknown as Duplex),
  )
}
