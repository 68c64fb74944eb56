import { AppError, type ErrorCode } from '../../../shared/errors.ts'
import type { CallOptions, RemoteServiceRequest, ServiceClient } from '../service/service-types.ts'

/** The service's orders of a project. */
export interface OrderList {
  readonly orders: readonly RemoteServiceRequest[]
  readonly isWhole: boolean
}

/** The call is known from a client only: the service may not have it, may not give it, or may mean something else by it. */
const saysNothing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['not-found', 'no-permission', 'unreadable-answer', 'service-error', 'rejected'] as const),
])

/** Null when the service cannot say. Throws what every other call would meet too: token, network, limit, `cancelled`. */
export async function askForOrders(
  client: ServiceClient,
  projectId: string,
  { onNothing, ...options }: Pick<CallOptions, 'priority' | 'signal'> & { onNothing?: (because: ErrorCode) => void },
): Promise<OrderList | null> {
  let isWhole = true
  const onPartial = () => {
    isWhole = false
  }
  try {
    const orders = await client.listServiceRequests(projectId, { ...options, onPartial })
    return { orders, isWhole }
  } catch (error) {
    if (!(error instanceof AppError) || !saysNothing.has(error.code)) throw error
    onNothing?.(error.code)
    return null
  }
}
