import { type Agent, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type Socket } from 'node:net'
import type { Proxy } from './proxy-route.ts'

/**
 * Failure of the way to other machines: of the proxy, or of the file with certificates. The message is for users: what
 * happened and what to do. It contains no password.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly code: 'unreachable-proxy' | 'unreachable-tls'

  constructor(code: OutboundError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Returns the OutboundError in an error or among its causes. */
export function outboundErrorIn(thrown: unknown): OutboundError | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof OutboundError) return error
  }
  return undefined
}

/** Codes of OpenSSL for a certificate whose issuer is not known, as that of a company's proxy. */
const unknownIssuerCodes = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'CERT_UNTRUSTED',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** Returns whether a connection failed because the issuer of the other side's certificate is not known. */
export function isUnknownIssuer(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (unknownIssuerCodes.has(String(Reflect.get(error, 'code')))) return true
  }
  return false
}

/**
 * Returns whether an error's code is one of TLS. Some of Node's codes for certificates (X509_V_ERR) say so only as a
 * whole: UNSPECIFIED is that of every reason without a code of its own.
 */
export const isTlsCode = (code: string): boolean =>
  /CERT|SSL|TLS|EPROTO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH/.test(code) ||
  /^(?:INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|UNSPECIFIED)$/.test(code)

/** Advice for a certificate of an unknown issuer. */
export const unknownIssuerAdvice =
  "The issuer of its certificate is not known here. A company's proxy or a virus scanner that reads encrypted " +
  'connections has its own: ask your administrator for that certificate as a PEM file, and set the file as "caFile" ' +
  'in the settings.'

interface TunnelOptions {
  readonly host: string
  readonly port: number
  /** Agent for an encrypted connection to the proxy. */
  readonly agent: Agent | false
  readonly signal: AbortSignal
}

/**
 * Opens a tunnel through a proxy (RFC 9110, section 9.3.6), for `http:` too: an answer of the proxy can then not be
 * taken for one of the host, and the proxy receives only host and port. Rejects with OutboundError.
 */
export function openTunnel(proxy: Proxy, { host, port, agent, signal }: TunnelOptions): Promise<Socket> {
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  return new Promise((resolve, reject) => {
    const fail = (thrown: unknown) =>
      reject(signal.aborted ? stopped(proxy, signal.reason) : unusableProxy(proxy, thrown))
    const send = proxy.isTls ? httpsRequest : httpRequest
    const request = send({
      method: 'CONNECT',
      host: proxy.hostname,
      port: proxy.port,
      path: target,
      agent,
      signal,
      headers: {
        host: target,
        'user-agent': 'Solarchive',
        connection: 'keep-alive',
        'proxy-connection': 'keep-alive',
        ...(proxy.authorization !== undefined && { 'proxy-authorization': proxy.authorization }),
      },
    })
    request.on('error', fail)
    request.once('connect', ({ statusCode = 0, headers }, socket, head) => {
      // Nothing of the host can arrive before it was asked for anything.
      if (statusCode >= 200 && statusCode < 300 && head.length === 0) {
        resolve(socket)
        return
      }
      socket.on('error', () => undefined).destroy()
      reject(refusedBy(proxy, target, statusCode, String(headers['proxy-authenticate'] ?? '')))
    })
    request.once('response', () => fail(closedEarly()))
    request.end()
  })
}

/** Returns the error of a setting that is not the address of a proxy. */
export const unusable = (from: string) =>
  new OutboundError(
    'unreachable-proxy',
    `${from} is not the address of a proxy that Solarchive can use. Write it like http://proxy.example.com:3128.`,
  )

/** Returns the error of a proxy that refuses a connection. Its own text is not repeated: it may say anything. */
function refusedBy(
  { name, from, authorization }: Proxy,
  target: string,
  status: number,
  schemes: string,
): OutboundError {
  const error = (sentences: string) => new OutboundError('unreachable-proxy', sentences)
  const change = `or choose another proxy (${from})`
  if (status === 407) {
    const isBasic = schemes === '' || /\bbasic\b/i.test(schemes)
    if (!isBasic) {
      return error(
        `The proxy ${name} asks for a kind of sign-in that Solarchive does not support; it supports Basic. Ask the ` +
          `administrator of the proxy to let this computer through without it, ${change}.`,
      )
    }
    const what = authorization === undefined ? 'requires' : 'refuses'
    // The settings take precedence over the environment, and never contain a password. Lower case comes first.
    const advice = from.endsWith('_PROXY')
      ? `Put "user:password@" before the host in the environment variable ${from}, or ${from.toLowerCase()} if that ` +
        'is set.'
      : `Set ${from} to "environment" (From the environment), and the environment variable HTTPS_PROXY to the ` +
        'address of the proxy, with "user:password@" before the host. If https_proxy is set, change that one.'
    return error(`The proxy ${name} ${what} the user name and password. ${advice}`)
  }
  if (status < 300) {
    return error(`The proxy ${name} does not answer as a proxy does (${status}). Check its address, ${change}.`)
  }
  if ([502, 503, 504].includes(status)) {
    return error(
      `The proxy ${name} could not connect to ${target} (${status}). Try again later. If it lasts, ask the ` +
        `administrator of the proxy, ${change}.`,
    )
  }
  return error(
    `The proxy ${name} refuses connections to ${target} (${status}). Ask its administrator to allow them, ${change}.`,
  )
}

/** Returns the error of a proxy that cannot be connected to, or does not answer as one. */
function unusableProxy({ name, from }: Proxy, thrown: unknown): OutboundError {
  const error = (what: string, advice: string) => new OutboundError('unreachable-proxy', `${what} ${advice}`)
  const check = `Check the address of the proxy (${from}).`
  const code = thrown instanceof Error ? String(Reflect.get(thrown, 'code')) : ''
  if (isUnknownIssuer(thrown)) return error(`The proxy ${name} cannot prove who it is.`, unknownIssuerAdvice)
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) {
    return error(`The name of the proxy ${name} could not be found.`, `${check} Is this computer in its network?`)
  }
  if (code.startsWith('HPE_') || isTlsCode(code)) {
    return error(`What answers at ${name} is not the proxy that was expected there.`, check)
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return error(`The proxy ${name} closed the connection.`, `Try again later. ${check}`)
  }
  return error(`The proxy ${name} does not accept connections.`, `${check} Is this computer in its network?`)
}

function stopped({ name, from }: Proxy, reason: unknown): Error {
  const isLate = reason instanceof Error && Reflect.get(reason, 'code') === 'ETIMEDOUT'
  if (!isLate) return reason instanceof Error ? reason : new Error('The connection was stopped', { cause: reason })
  const sentences = `The proxy ${name} did not answer in time. Try again later, or check its address (${from}).`
  return new OutboundError('unreachable-proxy', sentences)
}

/** Error of a connection or a request that takes too long. */
export const tooLate = (message = 'No answer within the time') =>
  Object.assign(new Error(message), { code: 'ETIMEDOUT' })

/** Error of a connection that ends before it is of use. */
export const closedEarly = () => Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' })
