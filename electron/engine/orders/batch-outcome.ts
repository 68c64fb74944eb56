import type { ErrorCode } from '../../../shared/errors.ts'
import type { OrderDetail, OrderState } from '../../../shared/order/order-views.ts'

/** What became of an order of a batch. `sending`: it is on its way. */
export type BatchOutcome = 'placed' | 'unconfirmed' | 'refused' | 'waiting' | 'sending'

/** Every other order would meet these too. What they kept from being placed still waits. */
export const meetsAll: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['cancelled', 'token-refused', 'token-missing', 'no-permission', 'rate-limited'] as const),
  ...(['service-error', 'unreadable-answer'] as const),
  ...([
    'unreachable-dns',
    'unreachable-tls',
    'unreachable-refused',
    'unreachable-timeout',
    'unreachable-reset',
  ] as const),
])

interface Standing {
  readonly state: OrderState
  /** Why the last try did not place it. */
  readonly errorCode: ErrorCode | null
  /** Who found that it was not placed after it was sent; null where nobody had to. */
  readonly settledBy: OrderDetail['settledBy']
}

/** One that was sent, and of which somebody had to find out that it was not placed, is sent again by a person alone. */
export function outcomeOf({ state, errorCode, settledBy }: Standing): BatchOutcome {
  if (state === 'submitting') return 'sending'
  if (state !== 'draft') return state
  return settledBy === null && (errorCode === null || meetsAll.has(errorCode)) ? 'waiting' : 'refused'
}
