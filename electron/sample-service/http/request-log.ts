import type { IncomingHttpHeaders } from 'node:http'
import type { FaultSubject } from './faults.ts'
import type { Origin, RouteName } from './routes.ts'

export interface RequestRecord extends FaultSubject {
  readonly headers: IncomingHttpHeaders
  /** Time of arrival in milliseconds of the service's clock. */
  readonly at: number
  /** `null` until a response is sent; a fault can prevent that. */
  status: number | null
}

/** Requests since the start or the last `clear`: counters of all of them, and a list of the latest. */
export class RequestLog {
  /** Number of requests that are being processed, also for clients that have gone. */
  inProgress = 0
  readonly #limit: number
  readonly #counts = new Map<string, number>()
  #records: RequestRecord[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The latest requests, oldest first. */
  get records(): readonly RequestRecord[] {
    return this.#records
  }

  add(record: RequestRecord): void {
    for (const key of [record.origin, record.route, `${record.method} ${record.route}`]) {
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    }
    this.#records.push(record)
    // Trimming now and then, not each time, keeps a long list cheap.
    if (this.#records.length > this.#limit * 1.25 + 16) this.#records = this.#records.slice(-this.#limit)
  }

  /** Returns the number of requests to a route, of one method or of all, or to an origin, of all methods. */
  count(where: RouteName | Origin, method?: string): number {
    return this.#counts.get(method === undefined ? where : `${method.toUpperCase()} ${where}`) ?? 0
  }

  clear(): void {
    this.#records = []
    this.#counts.clear()
  }

  /** Returns the file requests that carry a secret of the API: the token, an `Authorization` header, or a cookie. */
  leaks(token: string): readonly RequestRecord[] {
    return this.#records.filter(
      ({ origin, headers, search }) =>
        origin === 'files' &&
        (headers.authorization !== undefined ||
          headers.cookie !== undefined ||
          search.includes('access_token') ||
          search.includes(token) ||
          search.includes(encodeURIComponent(token)) ||
          JSON.stringify(headers).includes(token)),
    )
  }
}
