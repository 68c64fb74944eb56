import { type ClientRequestArgs, type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { AppError, toAppError } from '../../../shared/errors.ts'
import { classifyConnection, type ConnectionCode } from './connection-errors.ts'
import { AnswerTooLargeError } from './http-exchange.ts'
import { handOver, type OnConnected, type Outbound } from './outbound.ts'
import { closedEarly, outboundErrorIn, tooLate } from './proxy-tunnel.ts'

export interface PostRequest {
  /** Checked by the caller's policy. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Resolves the names of hosts that are reached directly; see `AddressPolicy`. */
  readonly lookup: LookupFunction
  /** Time for everything, from the name's lookup to the last byte of the answer. */
  readonly timeoutMs: number
  /** A larger answer is an error. */
  readonly maxAnswerBytes: number
  /** True if only the status counts: an answer that is larger, does not end, or breaks off is then no error. */
  readonly isStatusEnough?: boolean
  readonly signal: AbortSignal
}

export interface PostAnswer {
  readonly status: number
  /** Without parameters, in lower case; undefined if the answer has none. */
  readonly contentType: string | undefined
  readonly body: Buffer
}

/**
 * Posts bytes over a fresh connection and returns the answer, whatever its status. A redirect is an answer like others:
 * it is not followed, so that nothing is sent to an address that nobody chose. Sends no token and no cookie. Rejects
 * with the signal's reason, and with errors of Node that `postError` words.
 */
export async function postBytes(outbound: Outbound, request: PostRequest): Promise<PostAnswer> {
  const { url, headers, body, lookup, timeoutMs, maxAnswerBytes, isStatusEnough = false } = request
  request.signal.throwIfAborted()
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(tooLate()), timeoutMs)
  const signal = AbortSignal.any([timeout.signal, request.signal])
  const createConnection = (_: ClientRequestArgs, onConnected: OnConnected) => {
    handOver(outbound.connect(url, { lookup, timeoutMs, signal }), onConnected)
    return undefined
  }
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const options = { 'user-agent': 'Solarchive', ...headers, 'content-length': String(body.byteLength) }
  const sent = send(url, { method: 'POST', createConnection, headers: options, signal })
  try {
    const { promise: head, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    // Node emits nothing else for an answer that switches to another protocol.
    sent.once('close', () => reject(closedEarly()))
    sent.once('response', resolve).on('error', reject).end(body)
    const response = await head
    const chunks: Buffer[] = []
    let size = 0
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        size += chunk.byteLength
        if (size > maxAnswerBytes) throw new AnswerTooLargeError('The answer is too large.')
        chunks.push(chunk)
      }
    } catch (error) {
      if (!isStatusEnough || request.signal.aborted) throw error
    }
    return {
      status: response.statusCode ?? 0,
      contentType: response.headers['content-type']?.split(';')[0]?.trim().toLowerCase(),
      body: Buffer.concat(chunks),
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    clearTimeout(timer)
    sent.destroy()
  }
}

const reasons: Readonly<Record<ConnectionCode, string>> = {
  'unreachable-dns': 'its name could not be found',
  'unreachable-tls': 'no secure connection could be established; it cannot prove who it is',
  'unreachable-proxy': 'the proxy could not be used',
  'unreachable-refused': 'it does not accept connections',
  'unreachable-timeout': 'it took too long to answer',
  'unreachable-reset': 'the connection broke before its answer was complete',
  'unreadable-answer': 'its answer is too large, or none of a web server',
  internal: 'something unexpected went wrong',
}

/**
 * Returns an error of `postBytes`, or of its policy, as an AppError that begins with `what`, such as "The authority
 * tsa.example.com did not answer". Neither addresses nor headers get into the message.
 */
export function postError(thrown: unknown, what: string): AppError {
  if (thrown instanceof AppError) return thrown
  const code = classifyConnection(thrown)
  const outbound = outboundErrorIn(thrown)
  const reason = outbound === undefined ? `${reasons[code]}.` : outbound.message
  return new AppError(code, `${what}: ${reason}`, { cause: code === 'internal' ? toAppError(thrown) : undefined })
}
