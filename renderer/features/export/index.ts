export { default as ExportDialog } from './ExportDialog.vue'
export { progressShare, progressTime } from './export-labels.ts'
