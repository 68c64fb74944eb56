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
      const context = { purpose: 'read', redactor: createRedactor(), isConnected: false } as const
      resolve(thrown === undefined ? undefined : connectionError(thrown, context))
    }
    const fail = () => end(Object.assign(new Error('No connection within the time'), { code: 'ETIMEDOUT' }))
    const onAbort = () => fail()
    const timer = setTimeout(fail, timeoutMs)
    signal.addEventListener('abort', onAbort, { once: true })
    socket.once('connect', () => end())
    socket.once('error', end)
    if (signal.aborted) fail()
  })
}
