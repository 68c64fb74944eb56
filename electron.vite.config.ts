import ui from '@nuxt/ui/vite'
import vue from '@vitejs/plugin-vue'
import { resolve } from 'node:path'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'
import { componentTheme } from './renderer/theme/component-theme.ts'
import { pdfRuntimeFiles } from './scripts/pdf-runtime-files.mjs'
import { thirdPartyNotices } from './scripts/third-party-notices.mjs'

/** The kit renders each toast again for every frame, for the bar of its remaining time, which the app does not show. */
const stillToasts: Plugin = {
  name: 'still-toasts',
  transform: {
    filter: { id: /reka-ui\/dist\/Toast\/ToastRootImpl\.js/ },
    handler(code) {
      const still = code.replace(/useRafFn\((?=\(\) => \{)[^}]*\}, \{ fpsLimit: 60 \}\)/, '{ pause() {}, resume() {} }')
      if (still === code) throw new Error('The kit measures the remaining time of a toast in another way')
      return still
    },
  },
}

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      // The command line also runs on a Node of the user's own: the oldest that package.json allows.
      target: 'node22.19',
      rolldownOptions: {
        input: {
          headless: 'electron/headless/main.ts',
          app: 'electron/entry/main.ts',
          'write-thread': 'electron/engine/downloads/write-thread.ts',
          'check-thread': 'electron/engine/integrity/check-thread.ts',
          'analysis-process': 'electron/engine/analysis/analysis-process.ts',
          'picture-thread': 'electron/engine/export/documents/picture-thread.ts',
        },
        // Threads and processes are started from a file beside the one that starts them; see `programUrl`.
        output: { chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      // A sandboxed preload is one CommonJS file.
      rolldownOptions: {
        input: { bridge: 'electron/preload/bridge.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'renderer',
    // The kit sets its colors in an inline style; renderer/theme/style.css sets them instead.
    resolve: {
      alias: [
        { find: /^.*\/runtime\/plugins\/colors(?:\.js)?$/, replacement: resolve('renderer/theme/no-kit-colors.ts') },
      ],
    },
    plugins: [
      vue(),
      stillToasts,
      pdfRuntimeFiles(),
      thirdPartyNotices(resolve()),
      ui({
        ui: componentTheme,
        // Imports stand in the files that use them, where every tool sees them.
        autoImport: false,
        components: false,
        dts: false,
        // The setting decides, not the browser's memory: see stores/installation-store.ts.
        colorMode: false,
        theme: { colors: ['primary', 'success', 'info', 'warning', 'error'] },
        // Every icon that is used is in the bundle; none is asked for at run time.
        icon: { clientBundle: { scan: { globInclude: ['**/*.{vue,ts}'] } } },
      }),
    ],
    build: {
      target: 'chrome130',
      rolldownOptions: { input: 'renderer/index.html' },
    },
  },
})
