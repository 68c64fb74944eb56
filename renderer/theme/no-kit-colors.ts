import type { Plugin } from 'vue'

/** Replaces the UI kit's plugin that writes its colors into an inline style; `kit-colors.css` defines them. */
const noKitColors: Plugin = { install: () => undefined }
export default noKitColors
