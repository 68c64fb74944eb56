import type { Plugin } from 'vue'

/** Stands in for the UI kit's plugin that writes its colours into an inline style; `kit-colors.css` has them. */
const noKitColors: Plugin = { install: () => undefined }
export default noKitColors
