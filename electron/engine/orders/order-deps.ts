import type { Clock, Log } from '../lib/ports.ts'
import type { ServiceClient } from '../service/service-types.ts'
import type { Store } from '../store/create-store.ts'
import type { Storable } from '../lib/sanitizer.ts'
import type { AnswerWindow } from './answer-window.ts'
import type { OrderTimings } from './orders.ts'

/** What the work on orders needs. */
export interface OrderParts {
  readonly store: Store
  readonly client: ServiceClient
  /** The origin of its address. */
  readonly service: string
  readonly storable: Storable
  readonly clock: Clock
  readonly logger: Log
  readonly answers: AnswerWindow
  readonly timings: OrderTimings
  /** Orders that this process is placing now. */
  readonly underWay: Set<number>
  /** Aborts when nothing is to be sent any more; what is on its way gets its answer. */
  readonly finishing: AbortSignal
  /** An order was made, changed or removed. */
  readonly onChanged: (orderId: number) => void
}

/** The address of the service that an order was sent to, where that is not the present one: nobody but that one can say anything of it. */
export function otherServiceOf(
  { service }: Pick<OrderParts, 'service'>,
  row: { readonly service: string | null },
): string | null {
  return row.service === null || row.service === service ? null : row.service
}

export const nowOf = ({ clock }: Pick<OrderParts, 'clock'>) => new Date(clock.nowMs()).toISOString()
