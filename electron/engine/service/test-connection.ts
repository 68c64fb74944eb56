import { AppError } from '../../../shared/errors.ts'
import type { ConnectionOutcome, ConnectionTest } from '../../../shared/settings.ts'
import type { Clock, Log } from '../lib/ports.ts'
import { createRedactor } from '../lib/redact.ts'
import { callUrl, normalizeBaseUrl } from './base-url.ts'
import { classifyConnection } from './connection-errors.ts'
import { credentialStrategies } from './credentials.ts'
import { defaultTimeouts, exchange, type HttpAnswer } from './http-exchange.ts'
import { judgeProbe, judgeProjects, judgeWithoutToken, type ConnectionVerdict } from './judge-connection.ts'
import type { RateBudget } from './rate-budget.ts'

/** A service and a token to try. */
export interface ConnectionQuestion {
  /** As a person typed it. */
  readonly serviceUrl: string
  /** Undefined: none is known. */
  readonly token: string | undefined
}

interface ConnectionDeps {
  readonly clock: Clock
  readonly logger: Pick<Log, 'info'>
  readonly budget: RateBudget
}

/** Somebody sits before it: not as long as a call of the sync. */
const timeouts = { ...defaultTimeouts, connect: 8_000, secureConnect: 8_000, response: 15_000, request: 20_000 }

/** How long the rate budget is waited for, which a person's call is first to get. */
const budgetWaitMs = 5_000

/** As long as the service's ids are and as no id is: its checklists tell of the token without naming anything. */
const unknownProjectId = '0'.repeat(24)

/**
 * Tries an address and a token, once: asks for the projects, and where that call tells nothing of the token (it is not of
 * the service's specification) for the checklists of a project that is none, with the token and, where that seems accepted, without. All are counted in the budget; nothing is
 * tried again, redirected or stored. Never rejects; no message holds the token or what was typed.
 */
export async function testConnection(asked: ConnectionQuestion, deps: ConnectionDeps): Promise<ConnectionTest> {
  const verdict = await judge(asked, deps)
  deps.logger.info('The connection to the service was tested', { outcome: verdict.outcome })
  return { projectsFound: null, ...verdict, message: messageOf(verdict) }
}

async function judge(asked: ConnectionQuestion, deps: ConnectionDeps): Promise<ConnectionVerdict> {
  const token = asked.token?.trim() ?? ''
  try {
    const baseUrl = normalizeBaseUrl(asked.serviceUrl)
    if (token === '') return { outcome: 'no-token' }
    if (!/^[\x21-\x7e]+$/.test(token)) return { outcome: 'bad-token', detail: 'unsendable' }
    const ask = (path: readonly string[], as: string | null = token) => askOnce(callUrl(baseUrl, path), as, deps)
    const probe = ['checklist', unknownProjectId]
    const verdict = judgeProjects(await ask(['projects'])) ?? judgeProbe(await ask(probe))
    // What anybody is answered says nothing of the token.
    return verdict.detail === 'unlisted' ? judgeWithoutToken(await ask(probe, null), verdict) : verdict
  } catch (thrown) {
    return judgeThrown(thrown)
  }
}

async function askOnce(url: URL, token: string | null, { clock, budget }: ConnectionDeps): Promise<HttpAnswer> {
  const ended = await takeSoon(budget, clock)
  try {
    if (token !== null) credentialStrategies.query({ url, headers: {} }, token)
    return await exchange({ method: 'GET', url, headers: {} }, timeouts)
  } finally {
    ended()
  }
}

async function takeSoon(budget: RateBudget, clock: Clock): Promise<() => void> {
  const giveUp = new AbortController()
  const waited = new AbortController()
  clock.sleep(budgetWaitMs, waited.signal).then(
    () => giveUp.abort(),
    () => undefined,
  )
  try {
    return await budget.take('user', giveUp.signal)
  } catch (error) {
    throw new AppError('rate-limited', 'The calls of this minute are used up.', { cause: error })
  } finally {
    waited.abort()
  }
}

function judgeThrown(thrown: unknown): ConnectionVerdict {
  if (thrown instanceof AppError) {
    if (thrown.code === 'wrong-settings') return { outcome: 'bad-address', detail: thrown.message }
    if (thrown.code === 'rate-limited') return { outcome: 'rate-limited', detail: 'own' }
  }
  const code = classifyConnection(thrown)
  if (code === 'unreachable-tls') return { outcome: 'bad-tls' }
  if (code === 'unreadable-answer') return { outcome: 'not-the-service' }
  return { outcome: 'unreachable', detail: code }
}

const sentences: Readonly<Record<ConnectionOutcome, string>> = {
  ok: 'The service answers and accepts the token.',
  'bad-address': 'This is no address of a service. Give it like https://api.example.com, without a token.',
  unreachable: 'The service cannot be reached. Check the address and the internet connection.',
  'bad-tls':
    'No secure connection came about: the certificate of the server is not to be trusted, or it is none. Check the ' +
    'address and the date of this computer; a proxy or a virus scanner may be in between.',
  'no-token': 'There is no token yet. An administrator of the account makes one, under Settings, Access Tokens.',
  'bad-token': 'The service refuses the token: it is wrong or has expired. An administrator of the account makes one.',
  'no-permission': 'The token is valid but may not read checklists. Use one of an account that may.',
  'not-the-service': 'Something answers at this address, but not as the service does. Check the address.',
  'not-certain':
    'A server answers at this address, but not so that it can be told whether it is the service and accepts the token. ' +
    'Check the address. Where it is right, go on: the first sync tells.',
  'rate-limited': 'The service takes no more calls for now. Wait a minute, then try again.',
  'service-error': 'The service is there but has trouble of its own. Try again later.',
}

const details: Readonly<Record<string, string>> = {
  unsendable: 'The token holds spaces or characters that no token has. Copy it again, as a whole.',
  own: 'The calls that the service allows in a minute are used up. Wait a minute, then try again.',
  'unreachable-dns': 'There is no server of this name. Check the address and the internet connection.',
  'unreachable-timeout': 'The server does not answer in time. Check the address, or try again later.',
  unlisted: 'The service answers and accepts the token. It does not list projects: add them by their ids.',
}

const redactor = createRedactor()

function messageOf({ outcome, detail }: ConnectionVerdict): string {
  if (outcome === 'bad-address' && detail !== undefined) return redactor.redactText(detail)
  return (detail === undefined ? undefined : details[detail]) ?? sentences[outcome]
}
