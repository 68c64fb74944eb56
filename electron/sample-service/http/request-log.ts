import type { IncomingHttpHeaders } from 'node:http'
import type { Origin, RouteName } from './routes.ts'

/** One request as it came in. */
export interface RequestRecord {
  readonly origin: Origin
  readonly route: RouteName
  readonly method: string
  readonly path: string
  /** The query with its `?`, or empty. */
  readonly search: string
  readonly headers: IncomingHttpHeaders
  /** When it came, in milliseconds of the service's clock. */
  readonly at: number
  /** Null until it is answered, and for good where a fault leaves it unanswered. */
  status: number | null
}

/** Every request since the start or the last `clear`; the counters know all, the list the latest. */
export class RequestLog {
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

  /** How many requests came to a route or to an origin, of one method or of all (an origin counts all methods). */
  count(where: RouteName | Origin, method?: string): number {
    return this.#counts.get(method === undefined ? where : `${method.toUpperCase()} ${where}`) ?? 0
  }

  clear(): void {
    this.#records = []
    this.#counts.clear()
  }

  /** The file requests that carry what only the API may see: the token, an `Authorization` header or a cookie. */
  leaks(token: string): readonly RequestRecord[] {
    return this.#records.filter(
      ({ origin, headers, search }) =>
        origin === 'files' &&
        (headers.authorization !== undefined ||
          headers.cookie !== undefined ||
          search.includes('access_token') ||
          search.includes(token) ||
          JSON.stringify(headers).includes(token)),
    )
  }
}
