// Decoding, parsing, and reading a large answer take a turn each, so that none of them delays everything else for long.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../shared/errors.ts'
import { suggestsOutage } from '../lib/outage.ts'
import type { Ports } from '../lib/ports.ts'
import type { Redactor } from '../lib/redact.ts'
import { storeError } from '../store/store-error.ts'
import {
  answerError,
  isSendableToken,
  rateLimited,
  redirectRefused,
  tokenMissing,
  unsendableToken,
} from './answer-errors.ts'
import { callUrl } from './base-url.ts'
import { connectionError, redactedCause } from './connection-errors.ts'
import { exchange, type CallTimeouts, type HttpAnswer } from './http-exchange.ts'
import type { Outbound } from './outbound.ts'
import type { RateBudget } from './rate-budget.ts'
import { isWebPage, parseAnswer } from './readers/parse-answer.ts'
import { isRedirect, redirectTarget } from './redirects.ts'
import {
  readRetryAfterMs,
  freshHistory,
  maxPauseMs,
  maxWaitForCallMs,
  nextStep,
  parseHttpDate,
  type Trouble,
} from './retry-rules.ts'
import { type CallOptions, outcomeUnknown, type CallPurpose } from './service-types.ts'

/** One call as the client's methods describe it. */
interface ServiceCall {
  /** Subject of the answer for messages, as in "the checklists of a project". */
  readonly subject: string
  /** A call with the purpose `order` is sent once and never repeated. */
  readonly purpose: CallPurpose
  /** True if the path has no id but the project's, so that a 404 means an unknown project. */
  readonly isOfProject?: boolean
  /** Segments after `/api/v1`, not yet encoded. */
  readonly path: readonly string[]
  /** JSON text. Makes the call a POST. */
  readonly body?: string
  readonly options: CallOptions | undefined
}

/** A successful answer: its JSON, and the headers about further pages. */
export interface ServiceAnswer extends Pick<HttpAnswer, 'status' | 'paging'> {
  readonly json: unknown
}

/** The service is not known to redirect; three steps cover a changed path and its trailing slash. */
const maxRedirects = 3

/** Statuses of a gateway or a restarting server, which may disappear after a moment. */
const transientStatuses = [500, 502, 503, 504]

type CallOutcome =
  | { readonly kind: 'answered'; readonly answer: ServiceAnswer }
  | { readonly kind: 'redirected'; readonly status: number; readonly location: string }
  | { readonly kind: 'trouble'; readonly trouble: Trouble; readonly error: AppError }

export interface ServiceCallerDeps {
  readonly baseUrl: string
  readonly ports: Ports
  readonly budget: RateBudget
  readonly timeouts: CallTimeouts
  readonly outbound: Outbound
  readonly redactor: Redactor
}

/** Sends calls: adds the token, waits for the rate budget, retries, follows redirects, and converts all errors. */
export class ServiceCaller {
  readonly #deps: ServiceCallerDeps
  #callCount = 0

  constructor(deps: ServiceCallerDeps) {
    this.#deps = deps
  }

  /** API calls made so far, retries included. */
  get callCount(): number {
    return this.#callCount
  }

  /** Rejects with an AppError only. */
  async call(call: ServiceCall): Promise<ServiceAnswer> {
    try {
      const answer = await this.#runThroughGate(call)
      await nextTurn()
      return answer
    } catch (thrown) {
      // The database records calls.
      const known = storeError(thrown)
      if (known !== undefined) throw known
      if (call.options?.signal?.aborted === true) throw stopped(call.purpose)
      throw new AppError(
        'internal',
        'Something unexpected went wrong while calling the service. See the log for details.',
        {
          cause: redactedCause(thrown, this.#deps.redactor),
        },
      )
    }
  }

  async #runThroughGate(call: ServiceCall): Promise<ServiceAnswer> {
    const { gate, signal, priority = 'user' } = call.options ?? {}
    // A pass, or what a user asks, ends instead of waiting so long, also if the service had asked an earlier process.
    const isImpatient = gate !== undefined || (call.purpose === 'question' && priority === 'user')
    const pauseLeftMs = this.#deps.budget.pauseLeftMs()
    if (isImpatient && pauseLeftMs > maxWaitForCallMs) throw rateLimited(pauseLeftMs, call.purpose)
    if (gate === undefined) return await this.#run(call)
    // A call may wait long for the rate budget; nothing is to be sent once the service is given up.
    const combinedSignal = signal === undefined ? gate.whenDown : AbortSignal.any([signal, gate.whenDown])
    const gated = { ...call, options: { ...call.options, signal: combinedSignal } }
    const run = () => this.#run(gated).catch((thrown: unknown) => ({ thrown }))
    const outageIn = (result: ServiceAnswer | { readonly thrown: unknown }) => {
      if (!('thrown' in result)) return undefined
      return result.thrown instanceof AppError && suggestsOutage(result.thrown) ? result.thrown : undefined
    }
    const result = await gate.run({ subject: call.path.join('/'), signal, outageIn, isCall: true }, run)
    if ('thrown' in result && gate.whenDown.aborted) throw gate.whenDown.reason
    if ('thrown' in result) throw result.thrown
    return result
  }

  async #run(call: ServiceCall): Promise<ServiceAnswer> {
    const { baseUrl, ports, budget, redactor } = this.#deps
    await this.#accessToken()
    const { purpose } = call
    let url = callUrl(baseUrl, call.path)
    let history = freshHistory
    let redirects = 0
    for (;;) {
      const outcome = await this.#attempt(call, url)
      if (outcome.kind === 'answered') return outcome.answer
      if (outcome.kind === 'redirected') {
        url = targetOf(url, outcome, { purpose, count: ++redirects, redactor })
        continue
      }
      const mayRetry = purpose !== 'order' && call.options?.gate?.mayRetry !== false
      const step = nextStep(history, outcome.trouble, mayRetry)
      if (outcome.trouble.kind === 'refused' && step.kind !== 'retry') {
        budget.pauseFor(step.pauseMs)
        ports.logger.warn('The service is limiting requests', { pauseMs: step.pauseMs })
      }
      if (step.kind === 'fail') throw outcome.error
      if (step.kind === 'pause') call.options?.onPaused?.()
      if (step.kind === 'retry') await ports.clock.sleep(step.delayMs, call.options?.signal)
      history = step.history
    }
  }

  async #attempt(call: ServiceCall, url: URL): Promise<CallOutcome> {
    const { redactor, ports } = this.#deps
    const { clock, logger } = ports
    const startedMs = clock.monotonicMs()
    const log = (outcome: string | number) => {
      const fields = { subject: call.subject, path: redactor.redactText(url.pathname), outcome }
      logger.debug('Called the service', { ...fields, durationMs: Math.round(clock.monotonicMs() - startedMs) })
    }
    let answer: HttpAnswer
    let isConnected = false
    try {
      answer = await this.#send(call, url, () => {
        isConnected = true
      })
    } catch (thrown) {
      if (thrown instanceof AppError || call.options?.signal?.aborted === true) throw thrown
      const error = connectionError(thrown, { purpose: call.purpose, redactor, isConnected, url })
      log(error.code)
      const trouble: Trouble = {
        kind: 'failed',
        isTransient: error.code.startsWith('unreachable-'),
        isTimeout: error.code === 'unreachable-timeout',
      }
      return { kind: 'trouble', trouble, error }
    }
    log(answer.status)
    // A network that waits for a sign-in answers with its own page.
    if (answer.status < 500 && !isWebPage(answer)) call.options?.gate?.answered()
    await nextTurn()
    return this.#outcomeOf(answer, call)
  }

  async #send(call: ServiceCall, url: URL, onConnected: () => void): Promise<HttpAnswer> {
    const { budget, timeouts, outbound } = this.#deps
    const { priority = 'user', signal, gate } = call.options ?? {}
    const ended = await budget.take(priority, signal)
    try {
      // Read after the wait, during which the token may have been replaced.
      const token = await this.#accessToken()
      const target = new URL(url)
      // Documented for orders, and sent with every call by the known clients: the service's specification, section 5.
      target.searchParams.set('access_token', token)
      signal?.throwIfAborted()
      call.options?.beforeSending?.()
      this.#callCount++
      const method = call.body === undefined ? 'GET' : 'POST'
      const onData = gate === undefined ? undefined : () => gate.heard()
      const request = { method, url: target, body: call.body, signal, onConnected, onData } as const
      const send = () => exchange(request, timeouts, outbound)
      return await (gate === undefined ? send() : gate.request(send))
    } finally {
      ended()
    }
  }

  async #accessToken(): Promise<string> {
    const { secrets } = this.#deps.ports
    const token = (await secrets.accessToken())?.trim() ?? ''
    this.#deps.redactor.addSecret(token)
    if (token === '') throw tokenMissing((await secrets.whyNone?.()) ?? null)
    if (!isSendableToken(token)) throw tokenMissing(unsendableToken)
    return token
  }

  #outcomeOf(answer: HttpAnswer, call: ServiceCall): CallOutcome {
    const { redactor, ports } = this.#deps
    const { status, location, paging } = answer
    const { purpose } = call
    if (status >= 200 && status < 300) {
      // It is in the details of an error.
      const contentType = answer.contentType && redactor.redactText(answer.contentType)
      return {
        kind: 'answered',
        answer: { json: parseAnswer({ ...answer, contentType }, call.subject), status, paging },
      }
    }
    if (status === 429) {
      // A date in `Retry-After` is by the clock of the service, which may differ from that of this machine.
      const nowMs = parseHttpDate(answer.date ?? '') ?? ports.clock.nowMs()
      const askedWaitMs = readRetryAfterMs(answer.retryAfter, nowMs)
      const error = rateLimited(Math.min(askedWaitMs, maxPauseMs), purpose)
      return { kind: 'trouble', trouble: { kind: 'refused', askedWaitMs }, error }
    }
    if (isRedirect(status, location)) return { kind: 'redirected', status, location }
    const trouble: Trouble = { kind: 'failed', isTransient: transientStatuses.includes(status), isTimeout: false }
    return { kind: 'trouble', trouble, error: answerError(answer, purpose, redactor, call.isOfProject) }
  }
}

function stopped(purpose: CallPurpose): AppError {
  return new AppError('cancelled', `The call to the service was stopped. ${outcomeUnknown[purpose]}.`)
}

/** Returns the target of a redirect. Throws if it has another origin, or for an order, which must not be repeated. */
function targetOf(
  from: URL,
  { status, location }: { status: number; location: string },
  { purpose, count, redactor }: { purpose: CallPurpose; count: number; redactor: Redactor },
): URL {
  if (purpose === 'order') throw redirectRefused(status, 'instead of taking it', purpose)
  if (count > maxRedirects) throw redirectRefused(status, 'again and again', purpose)
  const target = redirectTarget(from, location)
  if (target === null) throw redirectRefused(status, 'to something that is not a web address', purpose)
  if (target.origin !== from.origin) {
    throw redirectRefused(status, `to another address (${redactor.redactText(target.origin)})`, purpose)
  }
  target.username = ''
  target.password = ''
  return target
}
