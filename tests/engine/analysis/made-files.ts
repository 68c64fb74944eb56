import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { constants, deflateSync } from 'node:zlib'
import { encode } from 'jpeg-js'
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer'
import type { FileToRead } from '../../../electron/engine/analysis/analysis-task.ts'

/** Writes a file, and returns it as the engine describes it to the process. */
export function writeFile(folder: string, name: string, bytes: Uint8Array): FileToRead {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return { path, sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** Returns the operators that show lines of text on a page. */
export function textOperators(...lines: string[]): string {
  return `BT /F1 12 Tf 14 TL 72 720 Td ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`
}

interface PdfOptions {
  /** Operators of each page. */
  readonly pages: readonly (string | Buffer)[]
  /** Number of pages that show the last one again. Default: 0. */
  readonly repeats?: number
}

/** Returns a PDF with compressed pages. */
export function makePdf({ pages, repeats = 0 }: PdfOptions): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  const add = (...chunks: (string | Buffer)[]) => {
    for (const chunk of chunks) {
      const bytes = Buffer.from(chunk)
      parts.push(bytes)
      length += bytes.length
    }
  }
  const object = (...chunks: (string | Buffer)[]) => {
    offsets.push(length)
    add(`${offsets.length} 0 obj\n`, ...chunks, '\nendobj\n')
    return offsets.length
  }
  object('<< /Type /Catalog /Pages 2 0 R >>')
  const count = pages.length + repeats
  const kids = Array.from({ length: count }, (_, index) => `${4 + pages.length + index} 0 R`)
  object(`<< /Type /Pages /Count ${count} /Kids [${kids.join(' ')}] >>`)
  object('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>')
  const contents = pages.map((page) => {
    const stream = deflateSync(page, { level: constants.Z_BEST_SPEED })
    return object(`<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`, stream, '\nendstream')
  })
  kids.forEach((_, index) => {
    const content = contents[Math.min(index, contents.length - 1)]
    object(
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> ',
      `/Contents ${content} 0 R >>`,
    )
  })
  const start = length
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  add(`xref\n0 ${rows.length + 1}\n0000000000 65535 f \n`, rows.join(''))
  add(`trailer\n<< /Size ${rows.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`)
  return Buffer.concat(parts)
}

interface PhotoOptions {
  readonly quality?: number
  readonly orientation?: number
  /** `YYYY:MM:DD HH:MM:SS`; not with an orientation. */
  readonly cameraTime?: string
}

/** Returns a JPEG of `width` by `height` pixels; `shade` is 0 to 255. */
export function makePhoto(
  width: number,
  height: number,
  shade: (x: number, y: number) => number,
  { quality = 90, orientation, cameraTime }: PhotoOptions = {},
): Buffer {
  const data = Buffer.alloc(4 * width * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const pixel = 4 * (y * width + x)
      data[pixel] = data[pixel + 1] = data[pixel + 2] = shade(x, y)
    }
  }
  const jpeg = encode({ data, width, height }, quality).data
  if (orientation !== undefined) return withExif(jpeg, [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0], '')
  // 20 characters at byte 26, after the one tag.
  const time = [0x01, 0x32, 0, 2, 0, 0, 0, 20, 0, 0, 0, 26]
  return cameraTime === undefined ? jpeg : withExif(jpeg, time, `${cameraTime}\0`)
}

/** Inserts an EXIF segment with one tag, and a value after it, after the start of a JPEG. */
function withExif(jpeg: Buffer, tag: readonly number[], value: string): Buffer {
  const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, ...tag, 0, 0, 0, 0]
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), Buffer.from(tiff), Buffer.from(value, 'latin1')])
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2])
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)])
}

const writerFile = createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm')
prepareZXingModule({ overrides: { wasmBinary: readFileSync(writerFile).buffer } })

/** Returns whether a module of a QR code with this text is dark, at `scale` pixels a module from `left` and `top`. */
export async function qrCode(text: string, { left, top, scale }: { left: number; top: number; scale: number }) {
  const { symbol } = await writeBarcode(text, { format: 'QRCode' })
  return {
    size: symbol.width * scale,
    isDark(x: number, y: number): boolean {
      const [column, row] = [Math.floor((x - left) / scale), Math.floor((y - top) / scale)]
      if (column < 0 || row < 0 || column >= symbol.width || row >= symbol.height) return false
      return symbol.data[row * symbol.width + column] === 0
    },
  }
}
