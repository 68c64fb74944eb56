// Parts that other features embed.
export { default as ActivityRow } from './ActivityRow.vue'
export { useActivity } from './use-activity.ts'
