import type { AppError } from '../../../shared/errors.ts'
import type { HostWait } from './events.ts'
import { type GateDeps, HostGate } from './host-gate.ts'
import type { Clock } from './ports.ts'

export interface HostGatesDeps {
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>
  readonly serviceUrl: URL
  /**
   * Asks a host for anything but a file or an API call. Resolves with the reason why it did not answer, or with
   * undefined. Never rejects.
   */
  readonly ask: (url: URL, signal: AbortSignal, isOfService: boolean) => Promise<AppError | undefined>
  readonly onBack: GateDeps['onBack']
}

/** The gates of one pass: one for the service, and one for each file host. */
export class HostGates {
  readonly service: HostGate
  readonly #deps: HostGatesDeps
  readonly #gates = new Map<string, HostGate>()
  readonly #end = new AbortController()
  #growingQueues = 0

  constructor(deps: HostGatesDeps) {
    this.#deps = deps
    this.service = new HostGate(this.#gateDeps(deps.serviceUrl), null)
    this.#gates.set(deps.serviceUrl.origin, this.service)
  }

  /** Returns the gate of the host that a link leads to, or undefined for a text that is not a link. */
  of(link: string): HostGate | undefined {
    if (!URL.canParse(link)) return undefined
    const url = new URL(link)
    const gate =
      this.#gates.get(url.origin) ??
      new HostGate(this.#gateDeps(url), url.host, (sinceMs) => this.#checkService(sinceMs))
    this.#gates.set(url.origin, gate)
    return gate
  }

  /** Returns the host that work waits for now, the service first, or undefined. */
  get wait(): HostWait | undefined {
    return [...this.#gates.values()].map((gate) => gate.wait).find((wait) => wait !== undefined)
  }

  /**
   * To be called when a project's queue begins. Returns a function to be called when no more files come: until then,
   * no file is the last one of its host.
   */
  beginQueue(): () => void {
    for (const gate of this.#gates.values()) gate.tryAgain()
    this.#growingQueues += 1
    let isGrowing = true
    return () => {
      if (!isGrowing) return
      isGrowing = false
      this.#growingQueues -= 1
      for (const gate of this.#gates.values()) gate.notify()
    }
  }

  /** Ends all checks. To be called at the end of the pass. */
  end(): void {
    this.#end.abort()
  }

  #gateDeps(url: URL): GateDeps {
    const { clock, ask, serviceUrl, onBack } = this.#deps
    const { signal } = this.#end
    const isOfService = url.origin === serviceUrl.origin
    return { clock, signal, ask: () => ask(url, signal, isOfService), isGrowing: () => this.#growingQueues > 0, onBack }
  }

  /** Calls wait for the rate limit, so that a dead network may show in the files long before it shows in a call. */
  #checkService(sinceMs: number): void {
    const { ask, serviceUrl } = this.#deps
    const { signal } = this.#end
    void ask(serviceUrl, signal, true).then((error) => {
      if (error !== undefined && !signal.aborted) this.service.close(error, sinceMs)
    })
  }
}
