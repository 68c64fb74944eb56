import { TimeoutError } from 'got'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Redactor } from '../lib/redact.ts'
import { nothingHappened, outcomeUnknown, type CallPurpose } from './service-types.ts'
import { AnswerTooLargeError } from './http-exchange.ts'
import { isTlsCode, isUnknownIssuer, outboundErrorIn, unknownIssuerAdvice } from './proxy-tunnel.ts'

export type ConnectionCode = Extract<ErrorCode, `unreachable-${string}` | 'unreadable-answer' | 'internal'>

/** Sentences about errors; `service` is "The service" and its host. */
const sentences: Readonly<Record<ConnectionCode, (service: string) => string>> = {
  'unreachable-dns': (service) =>
    `${service} could not be found by its name. Check the internet connection and the address of the service.`,
  'unreachable-tls': (service) =>
    `${service} could not be reached by a secure connection. Check its address and the date of this computer; a ` +
    'proxy or a virus scanner may intercept the connection.',
  'unreachable-proxy': () => 'The proxy could not be used. Check its address in the settings.',
  'unreachable-refused': (service) =>
    `${service} does not accept connections. Check its address and the internet connection.`,
  'unreachable-timeout': (service) => `${service} took too long to answer.`,
  'unreachable-reset': (service) => `${service} ended the connection before its answer was complete.`,
  'unreadable-answer': (service) => `${service} did not answer as the service does. Check its address.`,
  internal: () => 'Something unexpected went wrong while calling the service. See the log for details.',
}

/** Codes for which the message advises to try again, unless the service may have received an order. */
const transient: ReadonlySet<ConnectionCode> = new Set([
  'unreachable-refused',
  'unreachable-timeout',
  'unreachable-reset',
])

/**
 * Returns the AppError for an error of an exchange. Messages of got and Node contain the whole URL, token included, so
 * the cause is a new error with a redacted message. `isConnected` means that a connection was established, so that the
 * service may have the call. The error's code does not show that: a network that fails during a call causes the same
 * codes as one that was never there.
 */
export function connectionError(
  thrown: unknown,
  { purpose, redactor, isConnected, url }: { purpose: CallPurpose; redactor: Redactor; isConnected: boolean; url: URL },
): AppError {
  const facts = factsOf(thrown)
  const code = classifyConnection(thrown)
  const phase = thrown instanceof TimeoutError ? thrown.event : undefined
  const isRepeatable = purpose !== 'order' || !isConnected
  const advice = isRepeatable && transient.has(code) ? ' Try again later.' : ''
  const sentence =
    thrown instanceof AnswerTooLargeError ? `${thrown.message} Check the address.` : sentenceOf(thrown, code, url)
  const meaning = (isConnected ? outcomeUnknown : nothingHappened)[purpose]
  return new AppError(code, `${sentence}${advice} ${meaning}.`, {
    details: {
      ...(facts.code === '' ? {} : { code: facts.code }),
      ...(phase === undefined ? {} : { phase }),
      ...(thrown instanceof AnswerTooLargeError ? { tooLarge: true } : {}),
      ...(isConnected ? {} : { unsent: true }),
    },
    cause: redactedCause(thrown, redactor),
  })
}

function sentenceOf(thrown: unknown, code: ConnectionCode, url: URL): string {
  const outbound = outboundErrorIn(thrown)
  if (outbound !== undefined) return outbound.message
  return isUnknownIssuer(thrown)
    ? `The service cannot prove who it is (TLS). ${unknownIssuerAdvice}`
    : sentences[code](`The service ${url.host}`)
}

/** Returns a replacement for an error that may contain secrets, with only its name and its redacted message. */
export function redactedCause(thrown: unknown, redactor: Redactor): Error {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : 'Something that is not an error'
  return new Error(redactor.redactText(text))
}

interface Facts {
  readonly code: string
  readonly message: string
}

/** Returns the code and message of an error. For an error while reading, got's own code hides the one of the cause. */
function factsOf(thrown: unknown): Facts {
  if (!(thrown instanceof Error)) return { code: '', message: '' }
  const code: unknown = Reflect.get(thrown, 'code')
  if (code === 'ERR_READING_RESPONSE_STREAM' && thrown.cause instanceof Error) {
    const inner = factsOf(thrown.cause)
    if (inner.code !== '') return inner
  }
  return { code: typeof code === 'string' ? code : '', message: thrown.message }
}

/** Returns the code for a failure to reach a server, or `internal` for any other error. */
export function classifyConnection(thrown: unknown): ConnectionCode {
  const outbound = outboundErrorIn(thrown)
  if (outbound !== undefined) return outbound.code
  const { code, message } = factsOf(thrown)
  if (thrown instanceof AnswerTooLargeError) return 'unreadable-answer'
  if (thrown instanceof TimeoutError || code === 'ETIMEDOUT') return 'unreachable-timeout'
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return 'unreachable-dns'
  if (['ECONNREFUSED', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL'].includes(code)) {
    return 'unreachable-refused'
  }
  // By a firewall.
  if (/^connect (?:EACCES|EPERM)\b/.test(message)) return 'unreachable-refused'
  // Node reports a connection closed during the TLS handshake as a reset; only the message differs.
  if (isTlsCode(code) || message.includes('secure TLS')) return 'unreachable-tls'
  // Codes of the HTTP parser and the decompressor for a premature end.
  if (code === 'HPE_INVALID_EOF_STATE' || code === 'Z_BUF_ERROR') return 'unreachable-reset'
  if (/^(?:HPE_|Z_|ZSTD_|ERR__ERROR|ERR_BROTLI)/.test(code)) return 'unreadable-answer'
  return /^(?:ECONN|EPIPE|ERR_HTTP|ERR_STREAM|ERR_SOCKET|ERR_READ)/.test(code) ? 'unreachable-reset' : 'internal'
}
