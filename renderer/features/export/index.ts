export { default as ExportDialog } from './ExportDialog.vue'
export { progressTime } from './export-labels.ts'
