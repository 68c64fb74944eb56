import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packageFolder = dirname(fileURLToPath(import.meta.resolve('pdfjs-dist/package.json')))

/**
 * Folders beside the pages, their source in the package (`from`) if it has another name, and the files to copy.
 * WebAssembly is left out, because the pages' policy forbids it.
 */
const wanted = [
  { folder: 'build', from: 'legacy/build', names: /^pdf\.worker\.min\.mjs$/ },
  { folder: 'cmaps', names: /\.bcmap$/ },
  { folder: 'standard_fonts', names: /\.(pfb|ttf)$/ },
  { folder: 'wasm', names: /_nowasm_fallback\.js$/ },
  { folder: 'web/images', names: /^annotation-.*\.svg$/ },
]

/**
 * Copies the files that PDF.js loads while it shows a report to `pdfjs/` beside the pages.
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
