// Shared by the palette and the search page.
export { default as HitImage } from './HitImage.vue'
export { default as HitText } from './HitText.vue'
export { countSentence, hitLocation } from './search-hits.ts'
export { useSavedSearches } from './use-saved-searches.ts'
export { useSearch } from './use-search.ts'
