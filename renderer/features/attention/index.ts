// Components and labels that other features embed.
export { default as DamagedFiles } from './DamagedFiles.vue'
export { default as OutgoingAttention } from './OutgoingAttention.vue'
export { useAttentionMenu } from './attention-menu.ts'
export { groupPresentation, retryingSentence, subjects } from './attention-causes.ts'
