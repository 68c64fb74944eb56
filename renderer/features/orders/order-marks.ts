import type { OrderSummary } from '../../../shared/order/order-views.ts'

/** Whether anything sets an order apart from others. */
export function hasMarks({ isExpedited, isAutomated }: Pick<OrderSummary, 'isExpedited' | 'isAutomated'>): boolean {
  return isExpedited || isAutomated === true
}
