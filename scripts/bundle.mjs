// Bundles a program of this clone with its libraries: most of the start of a short process is finding and reading a
// thousand small files.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')
const engine = join(root, 'electron', 'engine')
const thread = join(engine, 'downloads', 'write-thread.ts')
const check = join(engine, 'integrity', 'check-thread.ts')
const analysis = join(engine, 'analysis', 'analysis-process.ts')
const pictures = join(engine, 'export', 'documents', 'picture-thread.ts')

const library = 'string-width'

/**
 * Loads the library that measures texts for a terminal with the first text that is not plain ASCII: what it prepares
 * takes 20 ms of each command.
 * @type {import('vite').Plugin}
 */
const lazyWidths = {
  name: 'lazy-widths',
  enforce: 'pre',
  resolveId: (id, importer) => (id === library && importer !== `\0${library}` ? `\0${library}` : undefined),
  load(id) {
    if (id !== `\0${library}`) return undefined
    const file = JSON.stringify(join(root, 'node_modules', library, 'index.js'))
    return `export default (text) => (/^[ -~]*$/.test(text) ? text.length : require(${file}).default(text))`
  },
}

/** Modules that take milliseconds to load, and that most commands never use: of Node, and one that reads EXIF. */
const seldomUsed = [
  'node:child_process',
  'node:crypto',
  'node:http',
  'node:https',
  'node:net',
  'node:tls',
  'node:worker_threads',
  'node:zlib',
  'exifreader',
]

/**
 * Loads these modules when something of them is first used.
 * @type {import('vite').Plugin}
 */
const lazyModules = {
  name: 'lazy-modules',
  renderChunk(code) {
    let changed = code
    for (const name of seldomUsed) {
      const local = name.replace(':', '_')
      const load = `require("${name}")`
      const interop = new RegExp(`^${local} = (\\S+)\\(${local}, 1\\);\\n`, 'm')
      const convert = interop.exec(changed)?.[1]
      const start = `let ${local} = ${load};\n`
      if (!changed.includes(start)) continue
      const value = convert === undefined ? load : `${convert}(${load}, 1)`
      changed = changed
        .replace(start, '')
        .replace(interop, '')
        .replaceAll(new RegExp(`\\bnew ${local}((?:\\.\\w+)+)`, 'g'), `new (${local}()$1)`)
        .replaceAll(new RegExp(`\\b${local}\\.`, 'g'), `${local}().`)
      changed += `\nfunction ${local}() {\n\treturn ${value};\n}\n`
    }
    return changed
  },
}

/**
 * V8 keeps a source with a single character beyond Latin-1 in two bytes for each character.
 * @type {import('vite').Plugin}
 */
const asciiOnly = {
  name: 'ascii-only',
  renderChunk: (code) =>
    code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
}

/**
 * @param {string} input path of the program's entry
 * @param {string} outDir emptied first
 */
export async function bundle(input, outDir) {
  await build({
    configFile: false,
    logLevel: 'warn',
    root,
    // The native library is found by its own path, and others have files beside them that they load.
    ssr: {
      noExternal: true,
      external: ['better-sqlite3', 'exifreader', 'pdfjs-dist', 'pdfkit', 'tesseract.js', 'zxing-wasm'],
    },
    plugins: [lazyWidths, lazyModules, asciiOnly],
    build: {
      ssr: true,
      target: 'node24',
      outDir,
      emptyOutDir: true,
      // Threads and processes are files of their own beside the chunk that starts them; see `programUrl`.
      // CommonJS starts faster: an import of `node:http` as a module, for example, loads all that Node exports there.
      rolldownOptions: {
        input: [input, thread, check, analysis, pictures],
        output: { format: 'cjs', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', comments: false },
      },
    },
  })
  writeFileSync(join(outDir, 'package.json'), '{ "type": "commonjs" }\n')
}

const [, script, input, outDir] = process.argv
if (script === import.meta.filename && input !== undefined && outDir !== undefined) await bundle(input, outDir)
