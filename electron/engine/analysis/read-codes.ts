import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { type PhotoWord, toWord } from './analysis-task.ts'
import { type GrayImage, toGraymap } from './decode-photo.ts'

/** Codes on one photo: a box of modules has one on each. */
const maxCodes = 50

const require = createRequire(import.meta.url)
prepareZXingModule({
  overrides: { wasmBinary: readFileSync(require.resolve('zxing-wasm/reader/zxing_reader.wasm')).buffer },
})

/** Reads the barcodes and QR codes on an upright photo. */
export async function readCodes(image: GrayImage): Promise<PhotoWord[]> {
  const { width, height } = image
  const codes = await readBarcodes(toGraymap(image), {
    ...{ tryHarder: true, tryRotate: true, tryDownscale: true, tryInvert: true, maxNumberOfSymbols: maxCodes },
  })
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
