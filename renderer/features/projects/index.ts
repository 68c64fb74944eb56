// Components that other features embed.
export { default as FolderMenu } from './FolderMenu.vue'
export { default as RemoveProjectsDialog } from './RemoveProjectsDialog.vue'
