// Parts that other features use.
export { default as OrdersAttention } from './OrdersAttention.vue'
export { default as ProjectOrders } from './ProjectOrders.vue'
