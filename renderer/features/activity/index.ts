// Parts that other features embed.
export { default as ActivityLine } from './ActivityLine.vue'
export { useActivity } from './use-activity.ts'
