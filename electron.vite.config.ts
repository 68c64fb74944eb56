import ui from '@nuxt/ui/vite'
import vue from '@vitejs/plugin-vue'
import { resolve } from 'node:path'
import { defineConfig } from 'electron-vite'
import { componentTheme } from './renderer/theme/component-theme.ts'
import { pdfRuntimeFiles } from './scripts/pdf-runtime-files.mjs'
import { thirdPartyNotices } from './scripts/third-party-notices.mjs'

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      // The command line also runs on a Node of the user's own: the oldest that package.json allows.
      target: 'node22.12',
      rolldownOptions: { input: { headless: 'electron/headless/main.ts', app: 'electron/entry/main.ts' } },
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
    // The kit sets its colors in an inline style; renderer/theme/kit-colors.css sets them instead.
    resolve: {
      alias: [
        { find: /^.*\/runtime\/plugins\/colors(?:\.js)?$/, replacement: resolve('renderer/theme/no-kit-colors.ts') },
      ],
    },
    plugins: [
      vue(),
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
