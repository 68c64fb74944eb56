// Parts that other features and the command palette use.
export { orderPresentation, orderTitle } from './order-labels.ts'
export { default as OrdersAttention } from './OrdersAttention.vue'
export { default as ProjectOrders } from './ProjectOrders.vue'
export { orderPath } from './use-order-actions.ts'
