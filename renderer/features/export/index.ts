export { default as ExportDialog } from './ExportDialog.vue'
export { default as NamesField } from './NamesField.vue'
export { default as PartsField } from './PartsField.vue'
export { type NamesScheme, progressShare, progressTime } from './export-labels.ts'
