import { AppError } from '../../../shared/errors.ts'
import type { ConnectionTest } from '../../../shared/settings.ts'
import type { Clock, Log } from '../lib/ports.ts'
import { createRedactor } from '../lib/redact.ts'
import { isSendableToken, unsendableToken } from './answer-errors.ts'
import { callUrl, normalizeBaseUrl } from './base-url.ts'
import { classifyConnection } from './connection-errors.ts'
import { defaultTimeouts, exchange, type HttpAnswer } from './http-exchange.ts'
import { judgeProbe, judgeProjects, judgeWithoutToken, type ConnectionVerdict } from './judge-connection.ts'
import type { Outbound } from './outbound.ts'
import { isUnknownIssuer, outboundErrorIn, unknownIssuerAdvice } from './proxy-tunnel.ts'
import type { RateBudget } from './rate-budget.ts'

/** A service and a token to test. */
export interface ConnectionQuestion {
  /** As typed by a user. */
  readonly serviceUrl: string
  /** `undefined` if none is known. */
  readonly token: string | undefined
}

interface ConnectionDeps {
  readonly clock: Clock
  readonly logger: Pick<Log, 'info'>
  readonly budget: RateBudget
  readonly outbound: Outbound
  readonly signal?: AbortSignal
}

/** Shorter timeouts than those of the sync, because a user is waiting. */
const timeouts = { ...defaultTimeouts, connect: 8_000, secureConnect: 8_000, response: 15_000, request: 20_000 }

/** Maximum wait for the rate budget, where the user's call has the highest priority. */
const budgetWaitMs = 5_000

/** A well-formed id that no project has, so that the request tests the token without naming a project. */
const unknownProjectId = '0'.repeat(24)

/**
 * Tests an address and a token. Requests the projects. If that says nothing about the token (the call is not in the
 * service's specification), requests the checklists of an unknown project, and if the token seems accepted, once more
 * without it. All calls count in the budget; nothing is retried, redirected, or stored. Rejects only with the signal's
 * reason; no message contains the token or the input.
 */
export async function testConnection(asked: ConnectionQuestion, deps: ConnectionDeps): Promise<ConnectionTest> {
  const verdict = await judge(asked, deps)
  const { outcome, projectsFound = null } = verdict
  deps.logger.info('The connection to the service was tested', { outcome })
  return { outcome, projectsFound, message: messageOf(verdict) }
}

async function judge(asked: ConnectionQuestion, deps: ConnectionDeps): Promise<ConnectionVerdict> {
  const token = asked.token?.trim() ?? ''
  try {
    const baseUrl = normalizeBaseUrl(asked.serviceUrl)
    if (token === '') return { outcome: 'no-token' }
    if (!isSendableToken(token)) return { outcome: 'bad-token', detail: 'unsendable' }
    const ask = (path: readonly string[], as: string | null = token) => askOnce(callUrl(baseUrl, path), as, deps)
    const probe = ['checklist', unknownProjectId]
    const verdict = judgeProjects(await ask(['projects'])) ?? judgeProbe(await ask(probe))
    // An answer that anyone gets says nothing about the token.
    return verdict.detail === 'unlisted' ? judgeWithoutToken(await ask(probe, null), verdict) : verdict
  } catch (thrown) {
    // It says nothing about the service.
    deps.signal?.throwIfAborted()
    return judgeThrown(thrown)
  }
}

async function askOnce(url: URL, token: string | null, deps: ConnectionDeps): Promise<HttpAnswer> {
  const { outbound, signal } = deps
  const ended = await takeSoon(deps)
  try {
    if (token !== null) url.searchParams.set('access_token', token)
    return await exchange({ method: 'GET', url, signal }, timeouts, outbound)
  } finally {
    ended()
  }
}

async function takeSoon({ budget, clock, signal }: ConnectionDeps): Promise<() => void> {
  const timeout = new AbortController()
  const stopTimer = new AbortController()
  clock.sleep(budgetWaitMs, stopTimer.signal).then(
    () => timeout.abort(),
    () => undefined,
  )
  try {
    const signals = signal === undefined ? [timeout.signal] : [timeout.signal, signal]
    return await budget.take('user', AbortSignal.any(signals))
  } catch (error) {
    throw new AppError('rate-limited', 'The calls of this minute are used up.', { cause: error })
  } finally {
    stopTimer.abort()
  }
}

function judgeThrown(thrown: unknown): ConnectionVerdict {
  if (thrown instanceof AppError) {
    if (thrown.code === 'wrong-settings') return { outcome: 'bad-address', detail: thrown.message }
    if (thrown.code === 'rate-limited') return { outcome: 'rate-limited', detail: 'own' }
  }
  const code = classifyConnection(thrown)
  const outbound = outboundErrorIn(thrown)
  const explained = outbound?.message ?? (isUnknownIssuer(thrown) ? untrusted : undefined)
  const message = explained === undefined ? {} : { message: explained }
  if (code === 'unreachable-tls') return { outcome: 'bad-tls', ...message }
  if (code === 'unreadable-answer') return { outcome: 'not-the-service' }
  return { outcome: 'unreachable', detail: code, ...message }
}

const sentences: Readonly<Record<ConnectionVerdict['outcome'], string>> = {
  ok: 'The service answers and accepts the token.',
  'bad-address':
    'This is not the address of a service. Enter an address like https://api.example.com, without a token.',
  unreachable: 'The service cannot be reached. Check the address and the internet connection.',
  'bad-tls':
    'No secure connection could be established: the certificate of the server is invalid or not trusted. Check the ' +
    'address and the date of this computer; a proxy or a virus scanner may intercept the connection.',
  'no-token':
    'There is no token yet. An administrator of the account creates one in the service, under Settings, Access Tokens.',
  'bad-token': 'The service refuses the token: it is wrong or has expired. Ask your administrator for a new one.',
  'no-permission':
    'The token is valid but has no permission to read checklists. Use a token of an account that has it.',
  'not-the-service': 'Something answers at this address, but not as the service does. Check the address.',
  'not-certain':
    'A server answers at this address, but its answer does not show whether it is the service and accepts the token. ' +
    'Check the address. If it is correct, the first sync shows whether it works.',
  'rate-limited': 'The service accepts no more calls for now. Wait a minute, then try again.',
  'service-error': 'The service answers but reports an internal problem. Try again later.',
}

const untrusted = `The server cannot prove who it is. ${unknownIssuerAdvice}`

const details: Readonly<Record<string, string>> = {
  unsendable: unsendableToken,
  own: 'The calls that the service allows in a minute are used up. Wait a minute, then try again.',
  'unreachable-dns': 'There is no server with this name. Check the address and the internet connection.',
  'unreachable-timeout': 'The server did not answer in time. Check the address, or try again later.',
  unlisted: 'The service answers and accepts the token. It does not list projects: add them by their IDs.',
}

const redactor = createRedactor()

function messageOf({ outcome, detail, message }: ConnectionVerdict): string {
  if (message !== undefined) return message
  if (outcome === 'bad-address' && detail !== undefined) return redactor.redactText(detail)
  return (detail === undefined ? undefined : details[detail]) ?? sentences[outcome]
}
