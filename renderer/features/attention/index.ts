// Components and labels that other features embed.
export { default as DamagedFiles } from './DamagedFiles.vue'
export { groupPresentation, retryingSentence, subjects } from './attention-causes.ts'
