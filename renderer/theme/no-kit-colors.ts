import type { Plugin } from 'vue'

/** Replaces the UI kit's plugin that writes its colors into an inline style; `style.css` sets them. */
const noKitColors: Plugin = { install: () => undefined }
export default noKitColors
