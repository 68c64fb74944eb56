import type { ErrorCode } from '../../../shared/errors.ts'
import type { OrderState } from '../../../shared/order/order-views.ts'

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

/** `errorCode`: why the last try did not place it. */
export function outcomeOf({ state, errorCode }: { state: OrderState; errorCode: ErrorCode | null }): BatchOutcome {
  if (state === 'submitting') return 'sending'
  if (state !== 'draft') return state
  return errorCode === null || meetsAll.has(errorCode) ? 'waiting' : 'refused'
}
