import { type ClientRequestArgs, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { AppError } from '../../../shared/errors.ts'
import { createRedactor } from '../lib/redact.ts'
import { connectionError } from './connection-errors.ts'
import { handOver, type OnConnected, type Outbound } from './outbound.ts'
import { tooLate } from './proxy-tunnel.ts'

interface TryOptions {
  readonly outbound: Outbound
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly lookup?: LookupFunction
}

/**
 * Tries to connect to the host of an address, which makes no request and no API call. Resolves with the error, worded
 * for the service, if that fails or the signal aborts; never rejects.
 */
export async function tryConnection(url: URL, options: TryOptions): Promise<AppError | undefined> {
  const { outbound, ...connectOptions } = options
  try {
    const socket = await outbound.connect(url, { ...connectOptions, isBare: true })
    socket.on('error', () => undefined).destroy()
    return undefined
  } catch (thrown) {
    return toError(options.signal.aborted ? tooLate() : thrown, url)
  }
}

/**
 * Asks a host whether it is there: `HEAD /`, which every web server has to support (RFC 9110, section 9.1), without a
 * token, and no API call. Any answer will do. Resolves with the error, worded for the service, if there is none within
 * the time or the signal aborts; never rejects.
 */
export function askHost(url: URL, { outbound, timeoutMs, signal, lookup }: TryOptions): Promise<AppError | undefined> {
  const createConnection = (_: ClientRequestArgs, onConnected: OnConnected) => {
    handOver(outbound.connect(url, { timeoutMs, signal, lookup }), onConnected)
    return undefined
  }
  return new Promise((resolve) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    const sent = send(url.origin, { method: 'HEAD', createConnection, headers: { 'user-agent': 'Solarchive' } })
    const end = (thrown?: unknown) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      sent.destroy()
      resolve(thrown === undefined ? undefined : toError(thrown, url))
    }
    const onAbort = () => end(tooLate())
    const timer = setTimeout(onAbort, timeoutMs)
    signal.addEventListener('abort', onAbort, { once: true })
    sent.once('response', () => end())
    sent.on('error', end)
    if (signal.aborted) onAbort()
    else sent.end()
  })
}

function toError(thrown: unknown, url: URL): AppError {
  return connectionError(thrown, { purpose: 'archive', redactor: createRedactor(), isConnected: false, url })
}
