import type { IncomingHttpHeaders } from 'node:http'
import type { LookupFunction } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
// The whole of undici is half of the program: 20 ms of each start, and some megabytes of memory.
import Agent from 'undici/lib/dispatcher/agent.js'
import type { Outbound } from '../service/outbound.ts'

export interface TransportOptions {
  readonly outbound: Outbound
  /** Resolves the names of hosts; see `AddressPolicy`. */
  readonly lookup: LookupFunction
  /** Maximum number of connections to one host. */
  readonly connections: number
  /** Time to look a name up, connect, and agree on TLS. */
  readonly connectMs: number
  /** Time from the request to the head of its response. */
  readonly responseMs: number
}

/** The body of a response as sent, for one reader. */
export interface FileBody {
  /** Returns what arrived since the last call. The caller may free the chunks; see `freeChunk`. */
  take(): readonly Buffer[]
  /** True once all of it was taken. */
  readonly isComplete: boolean
  /** True once all of it arrived: for most small files, immediately. */
  readonly hasArrived: boolean
  /** Resolves once there is more to take. Rejects if the connection breaks before the announced end. */
  more(): Promise<void>
}

/** Head of a response, and its body. */
export interface FileResponse {
  readonly status: number
  /** Lower-case names. Of a header that was sent several times, the first. */
  readonly headers: Readonly<Partial<Record<(typeof usedHeaders)[number], string | undefined>>>
  readonly body: FileBody
  /** To be called at the end: closes the connection unless the whole body was received. */
  readonly destroy: () => void
}

export interface FileTransport {
  /**
   * Requests a file with GET; redirects are responses like others. Sends no cookie and no Accept-Encoding. Rejects with
   * Node's errors of connections and the HTTP parser, and with the signal's reason.
   */
  request(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<FileResponse>
  /** Closes all connections. */
  close(): Promise<void>
}

/** Connections are kept for the next file; a host that closes idle ones earlier says so. */
const keepAliveMs = 4_000

/** Interim answers (RFC 9110, section 15.2) that are waited out; servers send one or two before the real answer. */
const maxInterimAnswers = 20

/** Bytes of a body that wait to be read. More stay in the system's buffers. */
const maxWaitingBytes = 1024 * 1024

/** Transport with undici, which no other module uses. */
export function createTransport(options: TransportOptions): FileTransport {
  const { outbound, lookup, connections, connectMs, responseMs } = options
  const closing = new AbortController()
  const connect: buildConnector.connector = ({ protocol, host }, onConnected) => {
    outbound.connect(new URL(`${protocol}//${host}`), { lookup, timeoutMs: connectMs, signal: closing.signal }).then(
      (socket) => onConnected(null, socket),
      (error: Error) => onConnected(error, null),
    )
  }
  const agent = new Agent({
    connections,
    // Otherwise one connection finds out whether the host speaks HTTP/2, and all other files wait for it.
    allowH2: false,
    pipelining: 1,
    connect,
    headersTimeout: responseMs,
    // The minimum rate of a download is watched by `downloadFile`.
    bodyTimeout: 0,
    keepAliveTimeout: keepAliveMs,
  })
  return {
    request(url, headers, signal) {
      const exchange = new Exchange(signal)
      agent.dispatch({ origin: url.origin, path: `${url.pathname}${url.search}`, method: 'GET', headers }, exchange)
      return exchange.response
    },
    close() {
      closing.abort()
      return agent.destroy()
    },
  }
}

/**
 * Frees the memory of a chunk that nobody uses any more, if it holds nothing else. Chunks that wait for the garbage
 * collector make V8 mark the whole heap each time that some tens of megabytes have arrived: a quarter of the time that
 * a large file takes.
 */
export function freeChunk(chunk: Buffer): void {
  const { buffer, byteOffset, byteLength } = chunk
  // All empty chunks are the same one.
  const isWhole = byteLength > 0 && byteLength === buffer.byteLength
  // What is left of a chunk that undici has not read shares its end. Node's pool is for less than half of its size.
  const isRest = byteLength >= Buffer.poolSize / 2 && byteOffset + byteLength === buffer.byteLength
  if ((isWhole || isRest) && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** One request, and the body of its response for a single reader. */
class Exchange implements Dispatcher.DispatchHandler, FileBody {
  readonly #head = Promise.withResolvers<FileResponse>()
  readonly #signal: AbortSignal
  #controller: Dispatcher.DispatchController | undefined
  #interimAnswers = 0
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #arrivedBytes = 0
  #announcedBytes: number | undefined
  #state: 'open' | 'ended' | 'failed' = 'open'
  #failure: unknown
  #wake: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    if (signal.aborted) this.#onAbort()
    else signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** Resolves with the head of the response. */
  get response(): Promise<FileResponse> {
    return this.#head.promise
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#state === 'failed') controller.abort(aborted())
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) {
      this.#interimAnswers += 1
      if (this.#interimAnswers > maxInterimAnswers) controller.abort(tooManyInterimAnswers())
      return
    }
    const values = firstValues(headers)
    this.#announcedBytes = Number(values['content-length'])
    this.#head.resolve({ status, headers: values, body: this, destroy: this.#destroy })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.length
    this.#arrivedBytes += chunk.length
    if (this.#waitingBytes > maxWaitingBytes) controller.pause()
    this.#wake?.()
  }

  onResponseEnd(): void {
    if (this.#state === 'open') this.#state = 'ended'
    this.#leave()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // Undici takes a space behind the length, which RFC 9110 allows, for another digit.
    const isMiscounted = Reflect.get(error, 'code') === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
    if (isMiscounted && this.#arrivedBytes === this.#announcedBytes) this.onResponseEnd()
    else this.#fail(toNodeError(error))
  }

  readonly #onAbort = (): void => this.#fail(this.#signal.reason)

  readonly #destroy = (): void => {
    if (this.#state === 'open') this.#fail(aborted())
  }

  #fail(error: unknown): void {
    if (this.#state !== 'open') return
    this.#state = 'failed'
    this.#failure = error
    this.#head.reject(error)
    this.#leave()
    this.#controller?.abort(aborted())
  }

  #leave(): void {
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#wake?.()
  }

  get hasArrived(): boolean {
    return this.#state === 'ended'
  }

  get isComplete(): boolean {
    return this.#state === 'ended' && this.#waiting.length === 0
  }

  take(): readonly Buffer[] {
    const chunks = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    return chunks
  }

  async more(): Promise<void> {
    if (this.#waiting.length > 0 || this.#state === 'ended') return
    if (this.#state === 'failed') throw this.#failure
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      // May deliver what is left, and the end, before it returns.
      this.#controller?.resume()
    })
    this.#wake = undefined
  }
}

/** Error of a connection that this side closes. */
const aborted = () => Object.assign(new Error('The request was aborted'), { code: 'ECONNABORTED' })

const tooManyInterimAnswers = () => Object.assign(new Error('There was no answer'), { code: 'ECONNRESET' })

/**
 * Replaces undici's own codes by those that Node uses for the same; see `classifyConnection`. An answer that is not
 * HTTP is one of something between here and the host, and counts as a broken connection.
 */
function toNodeError(error: Error): Error {
  const code: unknown = Reflect.get(error, 'code')
  const isOwn = typeof code === 'string' && code.startsWith('UND_ERR_')
  // Undici asserts that a 101 names another protocol.
  const isUnreadable = error.name === 'HTTPParserError' || code === 'ERR_ASSERTION'
  if (!isOwn && !isUnreadable) return error
  const isTimeout = code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'UND_ERR_HEADERS_TIMEOUT'
  return Object.assign(new Error(error.message, { cause: error }), { code: isTimeout ? 'ETIMEDOUT' : 'ECONNRESET' })
}

/** Headers that anything reads. A server may send dozens. */
const usedHeaders = ['location', 'content-length', 'content-range', 'etag', 'last-modified', 'retry-after'] as const

function firstValues(headers: IncomingHttpHeaders): FileResponse['headers'] {
  const values: Partial<Record<(typeof usedHeaders)[number], string | undefined>> = {}
  for (const name of usedHeaders) {
    const value = headers[name]
    values[name] = asLatin1(typeof value === 'string' ? value : value?.[0])
  }
  return values
}

/** Node reads the bytes of a header as Latin-1, undici as UTF-8. */
function asLatin1(value: string | undefined): string | undefined {
  return value === undefined || isAscii.test(value) ? value : Buffer.from(value).toString('latin1')
}

const isAscii = /^\p{ASCII}*$/u
