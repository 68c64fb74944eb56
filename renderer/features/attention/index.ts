// Components that other features embed.
export { default as ChecklistProblems } from './ChecklistProblems.vue'
export { default as DamagedFiles } from './DamagedFiles.vue'
export { default as ProjectProblems } from './ProjectProblems.vue'
