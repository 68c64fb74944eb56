import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { prepareZXingModule, purgeZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { type PhotoWord, toWord } from './analysis-task.ts'
import { type GrayImage, toGraymap } from './gray-image.ts'

/** Codes on one photo: a box of modules has one on each. */
const maxCodes = 50

/** In a function, since the build declares a `require` of its own in every module. */
function readWasm() {
  const require = createRequire(import.meta.url)
  return readFileSync(require.resolve('zxing-wasm/reader/zxing_reader.wasm')).buffer
}
const wasmBinary = readWasm()

/**
 * Reads the barcodes and QR codes on an upright photo. Afterwards the memory of WebAssembly, which only grows, is
 * garbage: some 80 MB for 12 megapixels.
 */
export async function readCodes(image: GrayImage): Promise<PhotoWord[]> {
  const { width, height } = image
  prepareZXingModule({ overrides: { wasmBinary } })
  const codes = await readBarcodes(toGraymap(image), {
    tryHarder: true,
    tryRotate: true,
    tryDownscale: true,
    tryInvert: true,
    maxNumberOfSymbols: maxCodes,
  }).finally(() => purgeZXingModule())
  return codes.flatMap(({ isValid, text, format, position }) => {
    if (!isValid) return []
    const corners = [position.topLeft, position.topRight, position.bottomRight, position.bottomLeft]
    const [left, right] = rangeOf(corners.map(({ x }) => x))
    const [top, bottom] = rangeOf(corners.map(({ y }) => y))
    const box = [left / width, top / height, (right - left) / width, (bottom - top) / height] as const
    return toWord({ text, confidence: 1, box, endsLine: true, format }) ?? []
  })
}

const rangeOf = (values: readonly number[]) => [Math.min(...values), Math.max(...values)] as const
