import { stopsPass } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import type { HostWait } from './events.ts'
import { HostDownError, isAnswer, isWebPage, suggestsOutage } from './outage.ts'
import type { Clock } from './ports.ts'

/** After this many failures in a row, of different projects, files, or calls, the host counts as down. */
export const failuresInARow = 3

/** The same for a service that answered nothing but errors yet: its first projects alone may be broken. */
const errorsInARow = 10

/** A host is asked whether it is there if none of the requests in flight received a byte for this time. */
const maxSilenceMs = 10_000

/** Interval of the checks for silence. */
const checkSilenceEveryMs = 500

/** Pauses before the checks of a host that is down: 21 seconds in all, enough for a server that restarts. */
const probeDelaysMs = [1_000, 2_000, 4_000, 6_000, 8_000]

/** A host that is still down after this time is given up, however few checks were made: each may take seconds. */
const maxClosedMs = 20_000

/** Of a host that fell silent, this much of the silence counts as time that it was down. */
const maxSilenceCountedMs = 15_000

/** Statuses by which a gateway reports that the server behind it is down. */
const gatewayStatuses: readonly unknown[] = [502, 503, 504]

export interface GateDeps {
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>
  /** Aborts at the end of the pass. */
  readonly signal: AbortSignal
  readonly ask: () => Promise<AppError | undefined>
  /** Returns whether more files may come. */
  readonly isGrowing: () => boolean
  /** Called when the host is back, with the error that showed that it was down, and for how long it was. */
  readonly onBack: (fileHost: string | null, error: AppError, downMs: number) => void
}

/**
 * The gate of one host:
 *
 * - open: work continues. It closes when failures in a row, or a silence, show that the host is down.
 * - closed: work waits while the host is checked at growing intervals. It opens again if the host is back.
 * - given up, with the reason: for the rest of the pass.
 *
 * A host that answers anything in between is not down.
 */
export class HostGate {
  readonly #deps: GateDeps
  readonly #fileHost: string | null
  readonly #onClosed: (sinceMs: number) => void
  #state: 'open' | 'closed' | HostDownError = 'open'
  /** Subjects that failed since the last answer. */
  readonly #row = new Set<unknown>()
  #answers = 0
  /** Checks since the last answer. */
  #probes = 0
  #closedAtMs = 0
  /** Repeats a call that the host answered; resolves with the error that shows that it does not any more. */
  #repeat: (() => Promise<AppError | undefined>) | undefined
  #givenUp = new AbortController()
  /** Requests in flight. */
  readonly #requests = new Set<AbortController>()
  #heardAtMs = 0
  #silenceCheck: NodeJS.Timeout | undefined
  #isAsking = false
  /** Number of tasks that use the host or wait for it. */
  #users = 0
  /** Number of those that wait to learn whether their failure was the host's. */
  #undecided = 0
  /** Set while something waits. */
  #change: PromiseWithResolvers<void> | undefined

  /** `fileHost`: see `HostDownError`. `onClosed` is called with the monotonic time since when the host is down. */
  constructor(deps: GateDeps, fileHost: string | null, onClosed: (sinceMs: number) => void = () => undefined) {
    this.#deps = deps
    this.#fileHost = fileHost
    this.#onClosed = onClosed
  }

  get #isService(): boolean {
    return this.#fileHost === null
  }

  /** False if the host may be down, or was just found again: then a failure is not worth a quick retry. */
  get mayRetry(): boolean {
    return this.#state === 'open' && this.#probes === 0 && this.#row.size < failuresInARow
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  get wait(): HostWait | undefined {
    return this.#state === 'closed' ? { host: this.#fileHost, waitedMs: Math.round(this.#closedMs) } : undefined
  }

  /** Aborts when the host is given up, with the HostDownError. */
  get whenDown(): AbortSignal {
    return this.#givenUp.signal
  }

  /** Called with every piece of any answer. */
  heard(): void {
    this.#heardAtMs = this.#deps.clock.monotonicMs()
  }

  /** Called with every answer that is one of the host's, and every piece of a file. */
  answered(): void {
    this.heard()
    this.#answers += 1
    this.#probes = 0
    if (this.#row.size === 0) return
    this.#row.clear()
    this.notify()
  }

  /** Called with every failed try of a file or call. */
  failed(subject: unknown, error: AppError): void {
    if (!suggestsOutage(error)) return
    this.#row.add(subject)
    // A connection that the service refuses is about no single call; a host that was just found again failed again.
    const isCertain = this.#probes > 0 || (this.#isService && stopsPass(error.code))
    if (isCertain || this.#row.size >= this.#maxRow(error)) this.close(error)
  }

  #maxRow(error: AppError): number {
    const status = error.details?.['status']
    const mayBeItsOwn = this.#isService && this.#answers === 0 && !isWebPage(error)
    return mayBeItsOwn && status !== undefined && !gatewayStatuses.includes(status) ? errorsInARow : failuresInARow
  }

  /** Closes the gate. `sinceMs` is the monotonic time since when the host is down. */
  close(error: AppError, sinceMs = this.#deps.clock.monotonicMs()): void {
    if (this.#state !== 'open') return
    this.#state = 'closed'
    if (this.#probes === 0) this.#closedAtMs = sinceMs
    const wasNeverReached = this.#isService && this.#answers === 0 && error.code !== 'unreachable-timeout'
    // A pass that never reached the service ends at once: waiting is for a connection that worked.
    if (wasNeverReached) this.#giveUp(error)
    else void this.#probe(error)
    this.notify()
    this.#onClosed(this.#closedAtMs)
  }

  get #closedMs(): number {
    return this.#deps.clock.monotonicMs() - this.#closedAtMs
  }

  async #probe(error: AppError): Promise<void> {
    const { clock, signal, ask, onBack } = this.#deps
    try {
      for (;;) {
        const delayMs = probeDelaysMs[this.#probes]
        if (delayMs === undefined || (this.#probes > 0 && this.#closedMs >= maxClosedMs)) {
          this.#giveUp(error)
          return
        }
        this.#probes += 1
        await clock.sleep(delayMs, signal)
        const check = (isAnswer(error) ? this.#repeat : undefined) ?? ask
        if ((await check()) === undefined) break
      }
      signal.throwIfAborted()
      this.#state = 'open'
      this.#row.clear()
      this.heard()
      this.notify()
      onBack(this.#fileHost, error, this.#closedMs)
    } catch {
      // The pass has ended.
    }
  }

  #giveUp(error: AppError): void {
    this.#state = new HostDownError(error, this.#fileHost)
    this.#givenUp.abort(this.#state)
    for (const request of this.#requests) request.abort(this.#state)
    this.notify()
  }

  /**
   * Opens the gate of a file host that was given up for its answers: they may be about the files of one project. The
   * next failure gives it up again.
   */
  tryAgain(): void {
    if (this.#isService || typeof this.#state === 'string' || !isAnswer(this.#state)) return
    this.#givenUp = new AbortController()
    this.#state = 'open'
  }

  /**
   * Runs one request, which has to report what it receives. `stop` is aborted when the host is given up; without it,
   * the request has to listen to `whenDown`. While requests are in flight and none of them receives anything, the host
   * is checked.
   */
  async request<T>(send: () => Promise<T>, stop = new AbortController()): Promise<T> {
    if (this.#requests.size === 0) this.heard()
    this.#requests.add(stop)
    this.#silenceCheck ??= setInterval(() => void this.#checkSilence(), checkSilenceEveryMs).unref()
    try {
      return await send()
    } finally {
      this.#requests.delete(stop)
      if (this.#requests.size === 0) {
        clearInterval(this.#silenceCheck)
        this.#silenceCheck = undefined
      }
    }
  }

  async #checkSilence(): Promise<void> {
    const { clock, signal, ask } = this.#deps
    const heardAtMs = this.#heardAtMs
    if (this.#isAsking || this.#state !== 'open' || clock.monotonicMs() - heardAtMs < maxSilenceMs) return
    this.#isAsking = true
    const error = await ask()
    this.#isAsking = false
    if (signal.aborted || this.#requests.size === 0 || this.#heardAtMs !== heardAtMs) return
    // A host that answers this is only slow.
    if (error === undefined) this.heard()
    else this.close(silent(this.#fileHost), Math.max(heardAtMs, clock.monotonicMs() - maxSilenceCountedMs))
  }

  /** To be called when work begins to wait for the host, and at its end; `run` does both. */
  enter(): void {
    this.#users += 1
  }

  leave(): void {
    this.#users -= 1
    this.notify()
  }

  /**
   * Runs the work once the gate is open, and again if it failed because the host was down, or if it resolves with
   * undefined because it found the gate closed. Rejects with HostDownError if the host is given up, and with the
   * signal's reason.
   */
  async run<T>(
    use: GateUse<T>,
    work: () => Promise<T | undefined>,
    /** Result of the first run of `work`, if that was needed to learn the host. */
    first?: T,
  ): Promise<T> {
    const { signal, outageIn, isCall = false } = use
    this.enter()
    try {
      let hasFailed = false
      let answersBefore: number | undefined
      for (let result = first; ; result = undefined) {
        if (result === undefined) {
          if (this.#state !== 'open') await this.#untilOpen(signal)
          if (hasFailed) answersBefore = this.#answers
          result = await work()
          if (result === undefined) continue
        }
        const error = outageIn(result)
        if (error === undefined && isCall) {
          this.#repeat = async () => {
            const repeated = await work()
            return repeated === undefined ? undefined : outageIn(repeated)
          }
        }
        if (error === undefined || signal?.aborted === true) return result
        // The host is back and answered others: this failure is about the file or call.
        if (answersBefore !== undefined && this.#answers > answersBefore) return result
        hasFailed = true
        this.failed(use.subject, error)
        if (!(await this.#isHostsFault(use, error))) return result
      }
    } finally {
      this.leave()
    }
  }

  async #untilOpen(signal: AbortSignal | undefined): Promise<void> {
    while (this.#state === 'closed') await this.#nextChange(signal)
    if (typeof this.#state !== 'string') throw this.#state
  }

  /**
   * Waits until others show whether a failure is the host's or one file's; if there are no others, the host is asked. A
   * call does not wait: it has no number of tries that could be lost.
   */
  async #isHostsFault<T>({ subject, signal, isCall }: GateUse<T>, error: AppError): Promise<boolean> {
    while (this.#state === 'open') {
      if (isCall === true || !this.#row.has(subject)) return false
      const isAlone = !this.#deps.isGrowing() && this.#undecided + 1 >= this.#users
      if (isAlone) {
        if (isAnswer(error) || (await this.#deps.ask()) === undefined) return false
        this.close(error)
      } else {
        this.#undecided += 1
        await this.#nextChange(signal).finally(() => {
          this.#undecided -= 1
        })
      }
    }
    return true
  }

  /** Makes everything that waits look at the state again. */
  notify(): void {
    this.#change?.resolve()
    this.#change = undefined
  }

  async #nextChange(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const stopped = Promise.withResolvers<void>()
    const onAbort = () => stopped.resolve()
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#change ??= Promise.withResolvers()
    await Promise.race([this.#change.promise, stopped.promise])
    signal?.removeEventListener('abort', onAbort)
    signal?.throwIfAborted()
  }
}

interface GateUse<T> {
  /** Identifies the file or call; its tries count once. */
  readonly subject: unknown
  readonly signal: AbortSignal | undefined
  /** Returns the error of a result that suggests an outage. */
  readonly outageIn: (result: T) => AppError | undefined
  /** True for an API call: it can be repeated at any time. */
  readonly isCall?: boolean
}

function silent(fileHost: string | null): AppError {
  const message = fileHost === null ? 'The service stopped answering. Archived files are unchanged.' : undefined
  return new AppError('unreachable-timeout', message ?? 'The download server stopped answering.')
}
