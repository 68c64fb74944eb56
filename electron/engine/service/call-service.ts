import { AppError } from '../../../shared/errors.ts'
import type { Ports } from '../lib/ports.ts'
import type { Redactor } from '../lib/redact.ts'
import { answerError, rateLimited, redirectRefused, tokenMissing } from './answer-errors.ts'
import { callUrl } from './base-url.ts'
import { outcomeUnknown, type CallPurpose } from './call-purpose.ts'
import { connectionError, redactedCause } from './connection-errors.ts'
import type { CallGroup, CredentialStrategy } from './credentials.ts'
import { exchange, type CallTimeouts, type HttpAnswer } from './http-exchange.ts'
import type { RateBudget } from './rate-budget.ts'
import { parseAnswer } from './readers/parse-answer.ts'
import { readRetryAfterMs, freshHistory, nextStep, type Trouble } from './retry-rules.ts'
import type { CallOptions } from './service-types.ts'

/** One call as the client's methods describe it. */
interface ServiceCall {
  /** For messages: what the answer is about, as in "the checklists of a project". */
  readonly subject: string
  readonly group: CallGroup
  /** The path names a project and nothing else that the service may not know. */
  readonly isOfProject?: boolean
  /** Segments after `/api/v1`, not yet encoded. */
  readonly path: readonly string[]
  /** JSON text: makes the call a POST, which is sent once and never repeated. */
  readonly body?: string
  readonly options: CallOptions | undefined
}

/** A successful answer: its JSON, and what its head says of further pages. */
export interface ServiceAnswer extends Pick<HttpAnswer, 'status' | 'paging'> {
  readonly json: unknown
}

export interface ServiceCaller {
  /** Rejects with an AppError only. */
  call(call: ServiceCall): Promise<ServiceAnswer>
  readonly callCount: number
}

/** The service is known to redirect nothing; three steps cover a changed path and its trailing slash. */
const MAX_REDIRECTS = 3

/** A gateway's or a restarting server's way of saying "not now". */
const passingStatuses = [500, 502, 503, 504]

type Outcome =
  | { readonly kind: 'answered'; readonly answer: ServiceAnswer }
  | { readonly kind: 'redirected'; readonly status: number; readonly location: string }
  | { readonly kind: 'trouble'; readonly trouble: Trouble; readonly error: AppError }

/** Sends calls: token, budget, retries, redirects, and the translation of everything that goes wrong. */
export function createServiceCaller(parts: {
  baseUrl: string
  ports: Ports
  budget: RateBudget
  credentials: Readonly<Record<CallGroup, CredentialStrategy>>
  timeouts: CallTimeouts
  redactor: Redactor
}): ServiceCaller {
  const { baseUrl, ports, budget, credentials, timeouts, redactor } = parts
  const { clock, logger, secrets } = ports
  let callCount = 0

  const accessToken = async () => {
    const token = (await secrets.accessToken())?.trim() ?? ''
    redactor.addSecret(token)
    if (token === '') throw tokenMissing((await secrets.whyNone?.()) ?? null)
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw tokenMissing('The access token holds spaces or characters that no token has. Copy it again, as a whole.')
    }
    return token
  }

  const send = async (call: ServiceCall, url: URL, onConnected: () => void): Promise<HttpAnswer> => {
    const { priority = 'user', signal } = call.options ?? {}
    const ended = await budget.take(priority, signal)
    try {
      // Asked for after the wait, which may have been long enough for the token to be replaced.
      const token = await accessToken()
      const target = new URL(url)
      const headers: Record<string, string> = {}
      credentials[call.group]({ url: target, headers }, token)
      signal?.throwIfAborted()
      call.options?.beforeSending?.()
      callCount++
      const method = call.body === undefined ? 'GET' : 'POST'
      return await exchange({ method, url: target, headers, body: call.body, signal, onConnected }, timeouts)
    } finally {
      ended()
    }
  }

  const attempt = async (call: ServiceCall, url: URL): Promise<Outcome> => {
    const purpose = purposeOf(call)
    const startedMs = clock.monotonicMs()
    const note = (outcome: string | number) => {
      const fields = { subject: call.subject, path: redactor.redactText(url.pathname), outcome }
      logger.debug('Called the service', { ...fields, durationMs: Math.round(clock.monotonicMs() - startedMs) })
    }
    let answer: HttpAnswer
    let isConnected = false
    try {
      answer = await send(call, url, () => {
        isConnected = true
      })
    } catch (thrown) {
      if (thrown instanceof AppError || call.options?.signal?.aborted === true) throw thrown
      const error = connectionError(thrown, { purpose, redactor, isConnected })
      note(error.code)
      const trouble: Trouble = {
        kind: 'failed',
        mayPass: error.code.startsWith('unreachable-'),
        isTimeout: error.code === 'unreachable-timeout',
      }
      return { kind: 'trouble', trouble, error }
    }
    note(answer.status)
    return outcomeOf(answer, call)
  }

  const outcomeOf = (answer: HttpAnswer, call: ServiceCall): Outcome => {
    const { status, location, paging } = answer
    const purpose = purposeOf(call)
    if (status >= 200 && status < 300) {
      return { kind: 'answered', answer: { json: parseAnswer(answer, call.subject), status, paging } }
    }
    if (status === 429) {
      const askedWaitMs = readRetryAfterMs(answer.retryAfter, clock.nowMs())
      return { kind: 'trouble', trouble: { kind: 'refused', askedWaitMs }, error: rateLimited(askedWaitMs, purpose) }
    }
    if ([301, 302, 303, 307, 308].includes(status) && location !== undefined) {
      return { kind: 'redirected', status, location }
    }
    const trouble: Trouble = { kind: 'failed', mayPass: passingStatuses.includes(status), isTimeout: false }
    return { kind: 'trouble', trouble, error: answerError(answer, purpose, redactor, call.isOfProject) }
  }

  const run = async (call: ServiceCall): Promise<ServiceAnswer> => {
    await accessToken()
    const signal = call.options?.signal
    let url = callUrl(baseUrl, call.path)
    let history = freshHistory
    let redirects = 0
    for (;;) {
      const outcome = await attempt(call, url)
      if (outcome.kind === 'answered') return outcome.answer
      if (outcome.kind === 'redirected') {
        url = redirectTarget(url, outcome, { purpose: purposeOf(call), count: ++redirects, redactor })
        continue
      }
      const step = nextStep(history, outcome.trouble, purposeOf(call) === 'read')
      if (outcome.trouble.kind === 'refused' && step.kind !== 'retry') {
        budget.pauseFor(step.pauseMs)
        logger.warn('The service asks to wait', { pauseMs: step.pauseMs })
      }
      if (step.kind === 'give-up') throw outcome.error
      if (step.kind === 'retry') await clock.sleep(step.delayMs, signal)
      history = step.history
    }
  }

  return {
    async call(call) {
      try {
        return await run(call)
      } catch (thrown) {
        if (thrown instanceof AppError) throw thrown
        if (call.options?.signal?.aborted === true) throw stopped(purposeOf(call))
        throw new AppError(
          'internal',
          'Something unexpected went wrong while calling the service. The log tells more.',
          {
            cause: redactedCause(thrown, redactor),
          },
        )
      }
    },
    get callCount() {
      return callCount
    },
  }
}

function purposeOf(call: ServiceCall): CallPurpose {
  return call.body === undefined ? 'read' : 'order'
}

function stopped(purpose: CallPurpose): AppError {
  return new AppError('cancelled', `The call to the service was stopped. ${outcomeUnknown[purpose]}.`)
}

/** Where a redirect may lead: elsewhere on the same origin, for calls that may be repeated. */
function redirectTarget(
  from: URL,
  { status, location }: { status: number; location: string },
  { purpose, count, redactor }: { purpose: CallPurpose; count: number; redactor: Redactor },
): URL {
  if (purpose === 'order') throw redirectRefused(status, 'instead of taking it', purpose)
  if (count > MAX_REDIRECTS) throw redirectRefused(status, 'again and again', purpose)
  if (!URL.canParse(location, from.href)) throw redirectRefused(status, 'to something that is not an address', purpose)
  const target = new URL(location, from)
  if (target.origin !== from.origin) {
    throw redirectRefused(status, `to another address (${redactor.redactText(target.origin)})`, purpose)
  }
  target.username = ''
  target.password = ''
  return target
}
