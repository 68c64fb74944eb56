// The photo grid and lightbox, which the order form shares.
export type { LightboxActions } from './open-lightbox.ts'
export { openableIndex, openablePhotos, questionEntries, type PhotoGridActions } from './photo-rows.ts'
export { usePhotoMenus } from './photo-menus.ts'
export { default as PhotoGrid } from './PhotoGrid.vue'
export { default as PhotoLightbox } from './PhotoLightbox.vue'
