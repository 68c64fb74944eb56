export { countOf, formatCount } from './format.ts'
