import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'electron-vite'

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      // The command line also runs on a Node of the user's own: the oldest that package.json allows.
      target: 'node22.12',
      rolldownOptions: { input: { headless: 'electron/headless/main.ts' } },
    },
  },
  renderer: {
    root: 'renderer',
    plugins: [vue()],
    build: { rolldownOptions: { input: 'renderer/index.html' } },
  },
})
