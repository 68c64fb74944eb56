import { createOrders, type Orders } from '../../../electron/engine/orders/create-orders.ts'
import type { OrderDeps } from '../../../electron/engine/orders/order-deps.ts'
import type { Clock } from '../../../electron/engine/lib/ports.ts'
import { ServiceClient } from '../../../electron/engine/service/service-client.ts'
import type { CallTimeouts } from '../../../electron/engine/service/http-exchange.ts'
import { RateBudget } from '../../../electron/engine/service/rate-budget.ts'
import type { Store } from '../../../electron/engine/store/create-store.ts'
import { openStore } from '../../../electron/engine/store/open-store.ts'
import { createSanitizer } from '../../../electron/engine/lib/sanitizer.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import type { SampleServiceOptions } from '../../../electron/sample-service/start-sample-service.ts'
import type { OrderTexts } from '../../../shared/order/order-fields.ts'
import type { OrderDetail } from '../../../shared/order/order-views.ts'
import { newDataFolder } from '../../support/new-data-folder.ts'
import { type SampleArchive, sampleArchive } from '../../support/sample-archive.ts'
import { silentLogger } from '../../support/silent-logger.ts'

/** Real time with clocks that can be moved forward, and shortened pauses between retries. */
export class OrderClock implements Clock {
  #monotonicMs = 0
  #wallMs = 0

  /** Moves both clocks forward, as if time passed. */
  pass(ms: number): void {
    this.#monotonicMs += ms
    this.#wallMs += ms
  }

  /** Sets the wall clock only, as a user does. */
  set(ms: number): void {
    this.#wallMs += ms
  }

  nowMs = (): number => systemClock.nowMs() + this.#wallMs
  monotonicMs = (): number => systemClock.monotonicMs() + this.#monotonicMs
  sleep = (delayMs: number, signal?: AbortSignal): Promise<void> => systemClock.sleep(Math.min(delayMs, 5), signal)
}

/** Orders with their database and dependencies, as one process has them, without the archive. */
export interface OrderSession {
  readonly orders: Orders
  readonly deps: OrderDeps
  readonly store: Store
}

export interface OrderWorld extends SampleArchive {
  readonly clock: OrderClock
  /** The id of the service's project. */
  readonly projectId: string
  /** Opens the database, works, and closes it, as a process does. `url` is the address of another service. */
  withOrders<T>(work: (session: OrderSession) => Promise<T>, options?: { url?: string; token?: string }): Promise<T>
}

const silent = () => undefined

/** Short, since some of these tests wait for a silent service; long enough for a busy machine. */
const timeouts: Partial<CallTimeouts> = { response: 5_000, socket: 5_000 }

/** A service with one small project and no orders, and an empty data folder. */
export async function orderWorld(options: SampleServiceOptions = {}): Promise<OrderWorld> {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 0, existingOrders: 0, ...options })
  const { service, home } = archive
  const makeHome = newDataFolder(home)
  const clock = new OrderClock()
  const logger = silentLogger
  return {
    ...archive,
    clock,
    projectId: service.projects[0]?.id ?? '',
    async withOrders(work, { url = service.url, token = service.token } = {}) {
      makeHome()
      const store = openStore({ homeFolder: home, clock, logger })
      const ports = { clock, logger, secrets: { accessToken: () => Promise.resolve(token) } }
      const budget = new RateBudget({ clock, callsPerMinute: 0 })
      const closing = new AbortController()
      try {
        const { orders, deps } = createOrders({
          client: new ServiceClient({ baseUrl: url, ports, budget, timeouts }),
          store,
          clock,
          logger,
          serviceUrl: url,
          onChanged: silent,
          sanitizer: createSanitizer(() => [token]),
          timings: { answerWindowMs: 5 * 60_000 },
          run: (_, run) => run(closing.signal),
        })
        return await work({ orders, deps, store })
      } finally {
        closing.abort()
        store.close()
      }
    },
  }
}

/** The fields that a user fills in; all others keep their defaults. */
export const filledIn: OrderTexts = {
  homeownerName: 'Ruth Sato',
  projectAddress: '1 Main St, Boise, ID 83702',
  tierLevel: 'maxFill',
  sizedForCategory: 'consumption',
  sizedForValue: '100',
  designOneModule: 'REC Alpha Pure-R 430',
  moduleSpacingShort: '0.5',
}

/** A complete draft for the project. */
export function completeDraft(orders: Orders, projectId: string, texts: OrderTexts = {}): OrderDetail {
  return orders.create({ projectId, texts: { ...filledIn, ...texts } })
}

/** Asks the service about all unconfirmed orders, and returns how many stay unconfirmed. */
export async function checkUnconfirmed(orders: Orders): Promise<number> {
  const list = () => orders.list({ offset: 0, limit: 50, search: '', filter: 'unconfirmed' })
  for (const { orderId } of list().items) await orders.check(orderId)
  return list().counts.unconfirmed
}

/** Reviews a draft and places it. */
export async function placeReviewed(orders: Orders, orderId: number, again = false): Promise<OrderDetail> {
  const { fingerprint } = await orders.review(orderId)
  return orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true, again })
}
