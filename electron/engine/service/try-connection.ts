import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect, type LookupFunction } from 'node:net'
import type { AppError } from '../../../shared/errors.ts'
import { createRedactor } from '../lib/redact.ts'
import { connectionError } from './connection-errors.ts'

interface TryOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly lookup?: LookupFunction
}

/**
 * Tries to connect to the host of an address, which makes no request and no API call. Resolves with the error, worded
 * for the service, if that fails or the signal aborts; never rejects.
 */
export function tryConnection(url: URL, { timeoutMs, signal, lookup }: TryOptions): Promise<AppError | undefined> {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  // The host of an IPv6 address is in brackets.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    const socket = connect({ host, port, ...(lookup !== undefined && { lookup }) })
    const end = (thrown?: unknown) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      socket.destroy()
      resolve(thrown === undefined ? undefined : toError(thrown))
    }
    const fail = () => end(tooLate())
    const onAbort = () => fail()
    const timer = setTimeout(fail, timeoutMs)
    signal.addEventListener('abort', onAbort, { once: true })
    socket.once('connect', () => end())
    socket.once('error', end)
    if (signal.aborted) fail()
  })
}

/**
 * Asks a host whether it is there: `HEAD /`, which every web server has to support (RFC 9110, section 9.1), without a
 * token, and no API call. Any answer will do. Resolves with the error, worded for the service, if there is none within
 * the time or the signal aborts; never rejects.
 */
export function askHost({ origin }: URL, { timeoutMs, signal, lookup }: TryOptions): Promise<AppError | undefined> {
  return new Promise((resolve) => {
    const send = origin.startsWith('https:') ? httpsRequest : httpRequest
    const options = { method: 'HEAD', agent: false, headers: { 'user-agent': 'Solarchive' } }
    const sent = send(origin, { ...options, ...(lookup !== undefined && { lookup }) })
    const end = (thrown?: unknown) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      sent.destroy()
      resolve(thrown === undefined ? undefined : toError(thrown))
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

function toError(thrown: unknown): AppError {
  return connectionError(thrown, { purpose: 'archive', redactor: createRedactor(), isConnected: false })
}

function tooLate(): Error {
  return Object.assign(new Error('No answer within the time'), { code: 'ETIMEDOUT' })
}
