export { default as VersionCompare } from './VersionCompare.vue'
