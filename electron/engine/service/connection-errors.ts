import { TimeoutError } from 'got'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Redactor } from '../lib/redact.ts'
import { nothingHappened, outcomeUnknown, type CallPurpose } from './call-purpose.ts'
import { AnswerTooLargeError } from './http-exchange.ts'

export type ConnectionCode = Extract<ErrorCode, `unreachable-${string}` | 'unreadable-answer' | 'internal'>

const sentences: Readonly<Record<ConnectionCode, string>> = {
  'unreachable-dns':
    'The name of the service could not be found. Check the internet connection and the address of the service.',
  'unreachable-tls':
    'No secure connection to the service came about. Check its address and the date of this computer; a proxy or a ' +
    'virus scanner may be in between.',
  'unreachable-refused': 'The service does not accept connections. Check its address and the internet connection.',
  'unreachable-timeout': 'The service took too long to answer.',
  'unreachable-reset': 'The connection to the service broke before its answer was complete.',
  'unreadable-answer': 'What came is nothing that the service would send. Check the address of the service.',
  internal: 'Something unexpected went wrong while calling the service. The log tells more.',
}

/** What may be over by itself. Said of nothing that may have been done: whoever tries that again does it twice. */
const passing: ReadonlySet<ConnectionCode> = new Set<ConnectionCode>([
  ...(['unreachable-refused', 'unreachable-timeout', 'unreachable-reset'] as const),
])

/**
 * Makes an AppError of what an exchange threw. Messages of got and Node hold the whole URL, token included: the cause is
 * a new error with a redacted message. `isConnected`: a connection had come about, so that the service may have the call. The
 * error's code does not tell that: a network that goes away in the middle looks like one that was never there.
 */
export function connectionError(
  thrown: unknown,
  { purpose, redactor, isConnected }: { purpose: CallPurpose; redactor: Redactor; isConnected: boolean },
): AppError {
  const facts = factsOf(thrown)
  const code = classifyConnection(thrown)
  const phase = thrown instanceof TimeoutError ? thrown.event : undefined
  const isRepeatable = purpose === 'read' || !isConnected
  const advice = isRepeatable && passing.has(code) ? ' Try again later.' : ''
  const meaning = (isConnected ? outcomeUnknown : nothingHappened)[purpose]
  return new AppError(code, `${sentences[code]}${advice} ${meaning}.`, {
    details: {
      ...(facts.code === '' ? {} : { code: facts.code }),
      ...(phase === undefined ? {} : { phase }),
      ...(isConnected ? {} : { unsent: true }),
    },
    cause: redactedCause(thrown, redactor),
  })
}

/** A stand-in for an error that may hold secrets: its name and message, redacted, and nothing else of it. */
export function redactedCause(thrown: unknown, redactor: Redactor): Error {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : 'Something that is not an error'
  return new Error(redactor.redactText(text))
}

interface Facts {
  readonly code: string
  readonly message: string
}

/** got wraps what broke while reading into an error of its own code; the cause has the one that tells. */
function factsOf(thrown: unknown): Facts {
  if (!(thrown instanceof Error)) return { code: '', message: '' }
  const code: unknown = Reflect.get(thrown, 'code')
  if (code === 'ERR_READING_RESPONSE_STREAM' && thrown.cause instanceof Error) {
    const inner = factsOf(thrown.cause)
    if (inner.code !== '') return inner
  }
  return { code: typeof code === 'string' ? code : '', message: thrown.message }
}

/** What broke on the way to a server, or `internal` for what is no matter of the connection. */
export function classifyConnection(thrown: unknown): ConnectionCode {
  const { code, message } = factsOf(thrown)
  if (thrown instanceof AnswerTooLargeError) return 'unreadable-answer'
  if (thrown instanceof TimeoutError || code === 'ETIMEDOUT') return 'unreachable-timeout'
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return 'unreachable-dns'
  if (['ECONNREFUSED', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL'].includes(code)) {
    return 'unreachable-refused'
  }
  // Node reports a peer that hangs up during the handshake as a plain reset; only its message tells.
  if (/CERT|SSL|TLS|EPROTO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH/.test(code) || message.includes('secure TLS')) {
    return 'unreachable-tls'
  }
  // The parser's and the decompressor's words for an end in the middle.
  if (code === 'HPE_INVALID_EOF_STATE' || code === 'Z_BUF_ERROR') return 'unreachable-reset'
  if (/^(?:HPE_|Z_|ZSTD_|ERR__ERROR|ERR_BROTLI)/.test(code)) return 'unreadable-answer'
  return /^(?:ECONN|EPIPE|ERR_HTTP|ERR_STREAM|ERR_SOCKET|ERR_READ)/.test(code) ? 'unreachable-reset' : 'internal'
}
