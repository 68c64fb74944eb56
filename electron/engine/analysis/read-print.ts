import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'
import { maxWords, type PhotoWord, toWord } from './analysis-task.ts'
import { type GrayImage, toGraymap } from './gray-image.ts'

/** The part of Tesseract's interface in WebAssembly that is used here. */
interface Tesseract {
  readonly FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void }
  readonly TessBaseAPI: new () => {
    Init(folder: string | null, language: string, engine: number): number
    SetVariable(name: string, value: string): boolean
    SetImageFile(orientation: number, angle: number): number
    Recognize(monitor: null): number
    GetTSVText(page: number): string
  }
}

type Core = (options: { readonly wasmBinary: Uint8Array; readonly printErr: () => void }) => Promise<Tesseract>

/** Engine of neural networks alone; the data for the other one is not part of the app. */
const lstmOnly = 1

/** Finds as much text as possible in no particular order (PSM_SPARSE_TEXT): a photo is not a page. */
const sparseText = '11'

/** Words that are recognized with less confidence are mostly shadows and edges, as are single characters. */
const minConfidence = 0.5
const minLength = 2

async function open(): Promise<{ readonly fs: Tesseract['FS']; readonly api: InstanceType<Tesseract['TessBaseAPI']> }> {
  const require = createRequire(import.meta.url)
  // tesseract.js itself would only add a thread to this process.
  const requireCore = createRequire(require.resolve('tesseract.js'))
  const program = requireCore.resolve(`tesseract.js-core/tesseract-core-${hasSimd() ? 'simd-' : ''}lstm.js`)
  const core = requireCore(program) as Core
  const wasmBinary = readFileSync(program.replace(/\.js$/, '.wasm'))
  const tesseract = await core({ wasmBinary, printErr: () => undefined })
  const english = require.resolve('@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz')
  tesseract.FS.writeFile('eng.traineddata', gunzipSync(readFileSync(english)))
  const api = new tesseract.TessBaseAPI()
  if (api.Init(null, 'eng', lstmOnly) !== 0) throw new Error('The English data of Tesseract cannot be read')
  api.SetVariable('tessedit_pageseg_mode', sparseText)
  return { fs: tesseract.FS, api }
}

/** A module of WebAssembly with one instruction for vectors. */
const simdModule = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
])
/** Node's types describe no WebAssembly. */
const hasSimd = () =>
  (globalThis as unknown as { WebAssembly: { validate(bytes: Uint8Array): boolean } }).WebAssembly.validate(simdModule)

let opened: ReturnType<typeof open> | undefined

/** Reads the print on an upright photo. */
export async function readPrint(image: GrayImage): Promise<PhotoWord[]> {
  const { fs, api } = await (opened ??= open())
  fs.writeFile('/input', toGraymap(image))
  try {
    if (api.SetImageFile(1, 0) !== 0) return []
    api.Recognize(null)
    return wordsOf(api.GetTSVText(0), image.width, image.height)
  } finally {
    fs.unlink('/input')
  }
}

/** Level of a word in Tesseract's table; above it are pages, blocks, paragraphs, and lines. */
const wordLevel = '5'

function wordsOf(table: string, width: number, height: number): PhotoWord[] {
  const rows = table.split('\n').map((row) => row.split('\t'))
  const words = rows.flatMap(([level, page, block, paragraph, line, , x, y, wide, high, confidence, text = '']) => {
    if (level !== wordLevel || Number(confidence) < 100 * minConfidence) return []
    if (text.replace(/[^\p{L}\p{N}]/gu, '').length < minLength) return []
    const box = [Number(x) / width, Number(y) / height, Number(wide) / width, Number(high) / height] as const
    const word = toWord({ text, confidence: Number(confidence) / 100, box, endsLine: false })
    return word === undefined ? [] : [{ word, line: [page, block, paragraph, line].join() }]
  })
  return words
    .slice(0, maxWords)
    .map(({ word, line }, index) => ({ ...word, endsLine: words[index + 1]?.line !== line }))
}
