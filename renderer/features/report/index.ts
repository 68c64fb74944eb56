export { default as ReportPane } from './ReportPane.vue'
