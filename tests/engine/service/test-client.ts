import { ServiceClient, type ServiceClientOptions } from '../../../electron/engine/service/service-client.ts'
import { type CallMemory, RateBudget } from '../../../electron/engine/service/rate-budget.ts'
import type { Clock, LogFields, Ports } from '../../../electron/engine/lib/ports.ts'

/** A unique token with characters that are encoded differently in URLs and JSON. */
export const testToken = 'tok-CANARY/7+q="z'

/** A clock on which every sleep ends immediately and advances the time; `sleepsMs` records the waits. */
class SkippingClock implements Clock {
  readonly sleepsMs: number[] = []
  #skippedMs = 0

  nowMs(): number {
    return Date.UTC(2026, 0, 1) + this.monotonicMs()
  }

  monotonicMs(): number {
    return performance.now() + this.#skippedMs
  }

  async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    this.sleepsMs.push(delayMs)
    this.#skippedMs += delayMs
    await Promise.resolve()
  }
}

interface LogLine {
  readonly level: string
  readonly message: string
  readonly fields: LogFields | undefined
}

export interface TestClient {
  readonly client: ServiceClient
  readonly clock: SkippingClock
  readonly log: readonly LogLine[]
}

/** A client with skipped waits and a collected log; without a rate limit unless `callsPerMinute` is set. */
export function testClient(
  baseUrl: string,
  options: Partial<Pick<ServiceClientOptions, 'timeouts' | 'redactor'>> & {
    token?: string | undefined | (() => Promise<string | undefined>)
    callsPerMinute?: number
    memory?: CallMemory
  } = {},
): TestClient {
  const clock = new SkippingClock()
  const log: LogLine[] = []
  const line = (level: string) => (message: string, fields?: LogFields) => void log.push({ level, message, fields })
  const { token = testToken, callsPerMinute = 0, memory, ...rest } = options
  const ports: Ports = {
    clock,
    logger: {
      debug: line('debug'),
      info: line('info'),
      warn: line('warn'),
      error: line('error'),
      showMessage: line('showMessage'),
    },
    secrets: { accessToken: typeof token === 'function' ? token : () => Promise.resolve(token) },
  }
  const budget = new RateBudget({ clock, callsPerMinute, ...(memory && { memory }) })
  return { client: new ServiceClient({ baseUrl, ports, budget, ...rest }), clock, log }
}
