import type { Origin, RouteName } from './routes.ts'

/**
 * One failure of a request. Each can begin with a delay (`delayMs`). `status`, `html`, `body`, `redirect`, `hang`, and
 * a plain `reset` replace the response: an order is then not placed, unless `afterProcessing` has the request carried
 * out first, before any delay. The other kinds damage the response after it was made.
 */
export type Fault = { readonly delayMs?: number; readonly afterProcessing?: boolean } & (
  | { readonly kind: 'latency'; readonly delayMs: number }
  /** The response waits for the promise. The end of the service ends the wait without one. Not on the command line. */
  | { readonly kind: 'hold'; readonly until: Promise<unknown> }
  | {
      readonly kind: 'status'
      readonly status: number
      readonly retryAfter?: number | string
      readonly message?: string
    }
  /** A login page with status 200, as captive portals and expired sessions send it. */
  | { readonly kind: 'html'; readonly status?: number }
  | { readonly kind: 'body'; readonly body: string | Buffer; readonly status?: number; readonly contentType?: string }
  /** The right bytes with a wrong content type. */
  | { readonly kind: 'contentType'; readonly contentType: string }
  | { readonly kind: 'redirect'; readonly to: string; readonly status?: 301 | 302 | 303 | 307 | 308 }
  /** The connection is reset: at once, or after `afterBytes` of the response's body (0: after its headers). */
  | { readonly kind: 'reset'; readonly afterBytes?: number }
  /** The body ends after `keepBytes` (default: half of it) in one of the three framings of HTTP/1.1. */
  | { readonly kind: 'truncate'; readonly framing: 'contentLength' | 'chunked' | 'close'; readonly keepBytes?: number }
  /** The response's bytes, then more without end. */
  | { readonly kind: 'endless' }
  | { readonly kind: 'trickle'; readonly bytesPerSecond?: number }
  /** The request is read and never answered. */
  | { readonly kind: 'hang' }
)

/** Facts of a request that a rule can match. */
export interface FaultSubject {
  readonly origin: Origin
  readonly route: RouteName
  readonly method: string
  readonly path: string
  /** The query with its `?`, or empty. */
  readonly search: string
}

export interface FaultRule {
  /** A route, all of an origin (`api`, `files`), a pattern of the path, or a function. */
  readonly route: RouteName | Origin | RegExp | ((request: FaultSubject) => boolean)
  readonly method?: string
  readonly fault: Fault
  /** Number of requests that it hits, by default all. */
  readonly count?: number
  /** Number of matching requests that it lets pass first. */
  readonly skip?: number
}

export interface ActiveFault {
  /** Number of requests that it has hit. */
  readonly hits: number
  remove(): void
}

/** Decides which requests fail. The first rule that matches a request and has hits left applies. */
export class FaultControl {
  #rules: { rule: FaultRule; seen: number; hits: number }[] = []

  add(rule: FaultRule): ActiveFault {
    const entry = { rule, seen: 0, hits: 0 }
    this.#rules.push(entry)
    return {
      get hits() {
        return entry.hits
      },
      remove: () => {
        this.#rules = this.#rules.filter((other) => other !== entry)
      },
    }
  }

  clear(): void {
    this.#rules = []
  }

  /** Returns the fault that hits this request and counts the hit, or null. */
  take(request: FaultSubject): Fault | null {
    for (const entry of this.#rules) {
      const { rule } = entry
      if (!matches(rule, request)) continue
      if (entry.hits >= (rule.count ?? Infinity)) continue
      entry.seen++
      if (entry.seen <= (rule.skip ?? 0)) continue
      entry.hits++
      return rule.fault
    }
    return null
  }
}

function matches({ route, method }: FaultRule, request: FaultSubject): boolean {
  if (method !== undefined && method.toUpperCase() !== request.method) return false
  if (typeof route === 'function') return route(request)
  if (route instanceof RegExp) return request.path.search(route) >= 0
  return route === request.route || route === request.origin
}
