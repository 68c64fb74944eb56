import { AppError, type ErrorDetails } from '../../../shared/errors.ts'
import type { Redactor } from '../lib/redact.ts'
import { nothingHappened, outcomeUnknown, type CallPurpose } from './service-types.ts'
import type { HttpAnswer } from './http-exchange.ts'
import { readRejectionDetails } from './rejection-details.ts'

/** Number of the service's reasons that the message repeats; the rest is in the details. */
const reasonsInMessage = 3

/**
 * Returns the AppError for an answer that is neither a success, a followed redirect, nor a `429`. `isOfProject` means
 * that the request had no id but the project's.
 */
export function answerError(
  answer: Pick<HttpAnswer, 'status' | 'body'>,
  purpose: CallPurpose,
  redactor: Redactor,
  isOfProject = false,
): AppError {
  const { status } = answer
  const nothing = nothingHappened[purpose]
  switch (status) {
    case 401:
      return tokenRefused(`The service refuses the access token: it is wrong or has expired. ${nothing}.`, { status })
    case 403:
      return new AppError(
        'no-permission',
        `The access token is valid but has no permission for this. ${nothing}. Use a token of an account that has ` +
          "it, or ask the account's administrator.",
        { details: { status } },
      )
    case 404:
      return new AppError(
        'not-found',
        isOfProject
          ? `The service does not know this project. ${nothing}. Check the ID of the project and the address of the ` +
              'service, and that the token belongs to the same company.' +
              (purpose === 'archive' ? ' If the ID is wrong, remove the project.' : '')
          : `The service does not have what was requested; it may have been deleted there. ${nothing}. If that is ` +
              'unlikely, check the address of the service, and that the token belongs to the same company.',
        { details: { status } },
      )
    case 400:
    case 422:
      return rejected(answer, purpose, redactor)
    default:
      return serviceError(status, purpose)
  }
}

const newToken = 'An administrator of the account creates a new token in the service, under Settings, Access Tokens.'

/**
 * Returns the error for a missing token. `why` is the reason why a stored token cannot be used; `null` if none is
 * stored.
 */
export function tokenMissing(why: string | null): AppError {
  const problem = why ?? `No access token is stored. ${newToken}`
  return new AppError('token-missing', `${problem} The service was not called, and nothing was changed.`)
}

/** Returns the error for a token that the service refuses. */
function tokenRefused(whatHappened: string, details?: ErrorDetails): AppError {
  return new AppError('token-refused', `${whatHappened} ${newToken}`, details === undefined ? {} : { details })
}

/** Returns the error for a service that asks for a longer wait than one call allows. */
export function rateLimited(retryAfterMs: number, purpose: CallPurpose): AppError {
  return new AppError(
    'rate-limited',
    `Solarchive has reached the rate limit of the service, which asks it to wait ${spanOf(retryAfterMs)}. ` +
      `${nothingHappened[purpose]}. Solarchive makes no calls until then; try again later.`,
    { details: { status: 429, retryAfterMs } },
  )
}

/** Returns the error for a redirect that must not be followed, because the token would be sent along. */
export function redirectRefused(status: number, why: string, purpose: CallPurpose): AppError {
  return new AppError(
    'service-error',
    `The service redirected the call ${why}. The token was not sent there. ${outcomeUnknown[purpose]}. Check the ` +
      'address of the service (for example https:// instead of http://).',
    { details: { status } },
  )
}

/** Statuses of a proxy that stopped waiting: the service may have received the call anyway. */
const proxyTimeouts: ReadonlySet<number> = new Set([408, 460, 499])

/** Returns whether a status means that the request was not executed. A 5xx may come after the execution. */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !proxyTimeouts.has(status)
}

function serviceError(status: number, purpose: CallPurpose): AppError {
  const isUnknown = purpose === 'order' && !isRefusal(status)
  const meaning = isUnknown
    ? `${outcomeUnknown[purpose]}. If this happens again`
    : `${nothingHappened[purpose]}. Try again later; if this happens again`
  return new AppError(
    'service-error',
    `The service failed to answer (status ${status}). ${meaning}, ask the service's support.`,
    { details: { status } },
  )
}

function rejected(
  { status, body }: Pick<HttpAnswer, 'status' | 'body'>,
  purpose: CallPurpose,
  redactor: Redactor,
): AppError {
  const problems = readRejectionDetails(body, redactor)
  const reasons = problems
    .slice(0, reasonsInMessage)
    .map(({ field, message }) => (field === null ? message : `${field}: ${message}`))
  const because = reasons.length === 0 ? 'without saying why' : `and says: ${reasons.join('; ').replace(/\.$/, '')}`
  const remedy =
    purpose === 'order'
      ? 'Correct the named fields and try again.'
      : "If this happens again, ask the service's support."
  return new AppError(
    'rejected',
    `The service rejected the request ${because}. ${nothingHappened[purpose]}. ${remedy}`,
    { details: { status, problems } },
  )
}

/** Error message for a token that cannot be sent in a URL or a header. */
export const unsendableToken =
  'The access token contains spaces or characters that are not allowed in a token. Copy it again completely.'

/** Returns whether a token consists of printable ASCII characters only. */
export function isSendableToken(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token)
}

/** Returns a span of at most an hour as text. */
function spanOf(ms: number): string {
  return ms <= 90_000 ? `${Math.ceil(ms / 1000)} seconds` : `${Math.ceil(ms / 60_000)} minutes`
}
