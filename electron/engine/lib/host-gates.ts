import { errorPolicy, isOutage, stopsPass } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Clock } from './ports.ts'

/** After this many failures in a row, of different projects, files, or calls, the host counts as down. */
export const failuresInARow = 3

/** Pauses before the checks of a host that is down: 21 seconds in all, enough for a server that restarts. */
const probeDelaysMs = [1_000, 2_000, 4_000, 6_000, 8_000]

/** A host that is still down after this time is given up, however few checks were made: each may take seconds. */
const maxClosedMs = 15_000

/** Statuses by which a gateway reports that the server behind it is down. A 500 may be about one file or call. */
const gatewayStatuses: readonly unknown[] = [502, 503, 504]

/** A host that is down for the rest of a pass; code and message are those of the failure that showed it. */
export class HostDownError extends AppError {
  /** `fileHost`: name of the file host; `null` for the service. */
  constructor({ code, message, details }: AppError, fileHost: string | null) {
    super(code, fileHost === null ? message : `${message.replace(/\.$/, '')} (${fileHost}).`, details && { details })
  }
}

/** Returns whether an error shows that its host may be down, rather than that one file, call, or line is bad. */
export function suggestsOutage({ code, details }: AppError): boolean {
  if (details?.['slow'] === true || !isOutage(code)) return false
  return errorPolicy[code].scope === 'network' || gatewayStatuses.includes(details?.['status'])
}

export interface HostGatesDeps {
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>
  readonly serviceUrl: URL
  /** Tries to connect to a host. Resolves with the reason why that failed, or undefined. Never rejects. */
  readonly connect: (url: URL, signal: AbortSignal, isOfService: boolean) => Promise<AppError | undefined>
}

/** The gates of one pass: one for the service, and one for each file host. */
export class HostGates {
  readonly service: HostGate
  readonly #deps: HostGatesDeps
  readonly #gates = new Map<string, HostGate>()
  readonly #end = new AbortController()

  constructor(deps: HostGatesDeps) {
    this.#deps = deps
    this.service = new HostGate(this.#gateDeps(deps.serviceUrl), null)
    this.#gates.set(deps.serviceUrl.origin, this.service)
  }

  /** Returns the gate of the host that a link leads to. */
  of(link: string): HostGate {
    const url = new URL(link)
    const gate = this.#gates.get(url.origin) ?? new HostGate(this.#gateDeps(url), url.host, () => this.#checkService())
    this.#gates.set(url.origin, gate)
    return gate
  }

  /** Ends all checks. To be called at the end of the pass. */
  end(): void {
    this.#end.abort()
  }

  #gateDeps(url: URL): GateDeps {
    const { clock, connect, serviceUrl } = this.#deps
    const { signal } = this.#end
    return { clock, signal, connect: () => connect(url, signal, url.origin === serviceUrl.origin) }
  }

  /** Calls wait for the rate limit, so that a dead network may show in the files long before it shows in a call. */
  #checkService(): void {
    const { connect, serviceUrl } = this.#deps
    const { signal } = this.#end
    void connect(serviceUrl, signal, true).then((error) => {
      if (error !== undefined && !signal.aborted) this.service.close(error)
    })
  }
}

interface GateDeps {
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>
  /** Aborts at the end of the pass. */
  readonly signal: AbortSignal
  readonly connect: () => Promise<AppError | undefined>
}

/**
 * Closes when failures in a row show that a host is down. Work waits at the closed gate while the host is checked at
 * growing intervals, and goes on if it is back; otherwise the host is given up for the rest of the pass. A host that
 * answers anything in between is not down.
 */
export class HostGate {
  readonly #deps: GateDeps
  readonly #fileHost: string | null
  readonly #onClosed: () => void
  /** Subjects that failed since the last answer. */
  readonly #row = new Set<unknown>()
  #answers = 0
  /** Checks since the last answer. */
  #probes = 0
  #closedAtMs = 0
  #state: 'open' | 'closed' | HostDownError = 'open'
  readonly #givenUp = new AbortController()
  /** Work that is at the host or waits for it, and how much of it waits to learn whose failure its own was. */
  #users = 0
  #undecided = 0
  #change = Promise.withResolvers<void>()

  /** `fileHost`: see `HostDownError`. */
  constructor(deps: GateDeps, fileHost: string | null, onClosed: () => void = () => undefined) {
    this.#deps = deps
    this.#fileHost = fileHost
    this.#onClosed = onClosed
  }

  get #isService(): boolean {
    return this.#fileHost === null
  }

  /** False if the host is down or was just found again: then a failure is not worth a quick retry. */
  get mayRetry(): boolean {
    return this.#state === 'open' && this.#probes === 0
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** Aborts when the host is given up, with the HostDownError. */
  get whenDown(): AbortSignal {
    return this.#givenUp.signal
  }

  /** Called with every answer and every piece of a file. */
  answered(): void {
    this.#answers += 1
    this.#probes = 0
    if (this.#row.size === 0) return
    this.#row.clear()
    this.#notify()
  }

  /** Called with every failed try of a file or call. */
  failed(subject: unknown, error: AppError): void {
    if (!suggestsOutage(error)) return
    this.#row.add(subject)
    // A connection that the service refuses is about no single call; a host that was just found again failed again.
    const isCertain = this.#probes > 0 || (this.#isService && stopsPass(error.code))
    if (isCertain || this.#row.size >= failuresInARow) this.close(error)
  }

  close(error: AppError): void {
    if (this.#state !== 'open') return
    this.#state = 'closed'
    if (this.#probes === 0) this.#closedAtMs = this.#deps.clock.monotonicMs()
    // A pass that never reached the service ends at once: waiting is for a connection that worked.
    if (this.#isService && this.#answers === 0) this.#giveUp(error)
    else void this.#probe(error)
    this.#notify()
    this.#onClosed()
  }

  /**
   * Runs the work once the gate is open, and again if it failed because the host was down, or if it resolves with
   * undefined because it found the gate closed. `outageIn` returns the error of a result that suggests an outage.
   * Rejects with HostDownError if the host is given up, and with the signal's reason.
   */
  async run<T>(
    { subject, signal, outageIn }: GateUse<T>,
    work: () => Promise<T | undefined>,
    /** The result of work that was done before its host was known. */
    first?: T,
  ): Promise<T> {
    this.#users += 1
    try {
      let answersBefore: number | undefined
      for (let result = first; ; result = undefined) {
        if (result === undefined) {
          await this.#untilOpen(signal)
          result = await work()
          if (result === undefined) continue
        }
        const error = outageIn(result)
        if (error === undefined || signal?.aborted === true) return result
        // The host answered others since the first failure: this one is about the file or call.
        if (answersBefore !== undefined && this.#answers > answersBefore) return result
        answersBefore ??= this.#answers
        this.failed(subject, error)
        if (!(await this.#isHostsFault(subject, signal))) return result
      }
    } finally {
      this.#users -= 1
      this.#notify()
    }
  }

  async #untilOpen(signal: AbortSignal | undefined): Promise<void> {
    while (this.#state === 'closed') await this.#nextChange(signal)
    if (typeof this.#state !== 'string') throw this.#state
  }

  /**
   * Waits until others show whether a failure is the host's or one file's. A call does not wait: it has no number of
   * tries that could be lost.
   */
  async #isHostsFault(subject: unknown, signal: AbortSignal | undefined): Promise<boolean> {
    while (this.#state === 'open') {
      const isAlone = this.#undecided + 1 >= this.#users
      if (this.#isService || isAlone || !this.#row.has(subject)) return false
      this.#undecided += 1
      await this.#nextChange(signal).finally(() => {
        this.#undecided -= 1
      })
    }
    return true
  }

  async #probe(error: AppError): Promise<void> {
    const { clock, signal, connect } = this.#deps
    try {
      for (;;) {
        const delayMs = probeDelaysMs[this.#probes]
        const closedMs = clock.monotonicMs() - this.#closedAtMs
        if (delayMs === undefined || (this.#probes > 0 && closedMs >= maxClosedMs)) {
          this.#giveUp(error)
          return
        }
        this.#probes += 1
        await clock.sleep(delayMs, signal)
        if ((await connect()) === undefined) break
      }
      this.#state = 'open'
      this.#row.clear()
      this.#notify()
    } catch {
      // The pass has ended.
    }
  }

  #giveUp(error: AppError): void {
    this.#state = new HostDownError(error, this.#fileHost)
    this.#givenUp.abort(this.#state)
    this.#notify()
  }

  #notify(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  async #nextChange(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const stopped = Promise.withResolvers<void>()
    const onAbort = () => stopped.resolve()
    signal?.addEventListener('abort', onAbort, { once: true })
    await Promise.race([this.#change.promise, stopped.promise])
    signal?.removeEventListener('abort', onAbort)
    signal?.throwIfAborted()
  }
}

interface GateUse<T> {
  /** Identifies the file or call; its tries count once. */
  readonly subject: unknown
  readonly signal: AbortSignal | undefined
  readonly outageIn: (result: T) => AppError | undefined
}
