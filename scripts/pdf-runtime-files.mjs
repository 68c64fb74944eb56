import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packageFolder = dirname(fileURLToPath(import.meta.resolve('pdfjs-dist/package.json')))

/**
 * Folders of the package (`from`, where it is another one than beside the pages), and which of their files a page may
 * need. WebAssembly is left out: the page's policy forbids it.
 */
const wanted = [
  { folder: 'build', from: 'legacy/build', names: /^pdf\.worker\.min\.mjs$/ },
  { folder: 'cmaps', names: /\.bcmap$/ },
  { folder: 'standard_fonts', names: /\.(pfb|ttf)$/ },
  { folder: 'wasm', names: /_nowasm_fallback\.js$/ },
  { folder: 'web/images', names: /^annotation-.*\.svg$/ },
]

/**
 * Puts what PDF.js asks for while it shows a report beside the pages, under `pdfjs/`: nothing of it comes from
 * elsewhere.
 * @returns {import('vite').Plugin}
 */
export function pdfRuntimeFiles() {
  return {
    name: 'pdf-runtime-files',
    generateBundle() {
      for (const { folder, from = folder, names } of wanted) {
        for (const name of readdirSync(join(packageFolder, from)).filter((file) => names.test(file))) {
          const source = readFileSync(join(packageFolder, from, name))
          this.emitFile({ type: 'asset', fileName: `pdfjs/${folder}/${name}`, source })
        }
      }
    },
  }
}
