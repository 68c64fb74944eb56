import { AppError, type ErrorDetails } from '../../../shared/errors.ts'
import type { Redactor } from '../lib/redact.ts'
import { nothingHappened, outcomeUnknown, type CallPurpose } from './call-purpose.ts'
import type { HttpAnswer } from './http-exchange.ts'
import { readRejectionDetails } from './rejection-details.ts'

/** How many of the service's reasons the message itself repeats; the rest is in the details. */
const REASONS_IN_MESSAGE = 3

/**
 * Makes an AppError of an answer that is neither a success nor a redirect to follow nor a `429`. `isOfProject`: a project is all
 * that was asked about.
 */
export function answerError(
  answer: HttpAnswer,
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
        `The access token is valid but may not do this. ${nothing}. Use a token of an account that may, or ask the ` +
          "account's administrator.",
        { details: { status } },
      )
    case 404:
      return new AppError(
        'not-found',
        `The service does not know ${isOfProject ? 'this project' : 'what was asked for'}. ${nothing}. Check the id of the project and the address of the service, and that the token ` +
          'belongs to the same company.',
        { details: { status } },
      )
    case 400:
    case 422:
      return rejected(answer, nothing, redactor)
    default:
      return serviceError(status, purpose)
  }
}

const newToken = 'An administrator of the account makes a new token under Settings, Access Tokens.'

/** `why`: what keeps a stored token from being used, null where none is stored. */
export function tokenMissing(why: string | null): AppError {
  const problem = why ?? `No access token is stored. ${newToken}`
  return new AppError('token-missing', `${problem} The service was not asked; what is archived stays as it is.`)
}

/** The service will not have the token. */
function tokenRefused(whatHappened: string, details?: ErrorDetails): AppError {
  return new AppError('token-refused', `${whatHappened} ${newToken}`, details === undefined ? {} : { details })
}

/** The service asked to wait for longer than one call is worth waiting for. */
export function rateLimited(retryAfterMs: number, purpose: CallPurpose): AppError {
  return new AppError(
    'rate-limited',
    `The service takes no more calls for now (its limit is reached) and asks to wait ${spanOf(retryAfterMs)}. ` +
      `${nothingHappened[purpose]}. Solarchive makes no call before that time is over; try again then.`,
    { details: { status: 429, retryAfterMs } },
  )
}

/** A redirect that must not be followed: the token would go with it. */
export function redirectRefused(status: number, why: string, purpose: CallPurpose): AppError {
  return new AppError(
    'service-error',
    `The service redirected the call ${why}. The token was not sent there. ${outcomeUnknown[purpose]}. Check the ` +
      'address of the service (https:// instead of http://, say).',
    { details: { status } },
  )
}

/** Said by what stands in between when it no longer waits: the service may have the call all the same. */
const gaveUpWaiting: ReadonlySet<number> = new Set([408, 460, 499])

/** Whether a status says that what was asked for was not done. A 5xx can come after the deed. */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !gaveUpWaiting.has(status)
}

function serviceError(status: number, purpose: CallPurpose): AppError {
  const isUnknown = purpose === 'order' && !isRefusal(status)
  const meaning = isUnknown
    ? `${outcomeUnknown[purpose]}. If it stays like this`
    : `${nothingHappened[purpose]}. Try again later; if it stays like this`
  return new AppError(
    'service-error',
    `The service failed to answer (status ${status}). ${meaning}, ask the service's support.`,
    { details: { status } },
  )
}

function rejected({ status, body }: HttpAnswer, nothing: string, redactor: Redactor): AppError {
  const problems = readRejectionDetails(body, redactor)
  const reasons = problems
    .slice(0, REASONS_IN_MESSAGE)
    .map(({ field, message }) => (field === null ? message : `${field}: ${message}`))
  const because = reasons.length === 0 ? 'without saying why' : `and says: ${reasons.join('; ').replace(/\.$/, '')}`
  return new AppError(
    'rejected',
    `The service rejected what was sent, ${because}. ${nothing}. Correct what it names and try again.`,
    { details: { status, problems } },
  )
}

function spanOf(ms: number): string {
  if (ms <= 90_000) return `${Math.ceil(ms / 1000)} seconds`
  return ms <= 5_400_000 ? `${Math.ceil(ms / 60_000)} minutes` : `${Math.ceil(ms / 3_600_000)} hours`
}
