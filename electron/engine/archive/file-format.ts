/** The formats that a report, a photo or a thumbnail can have, with the extension of a file that has none. */
export const extensionsByFormat = {
  pdf: '.pdf',
  jpeg: '.jpg',
  png: '.png',
  gif: '.gif',
  webp: '.webp',
  heic: '.heic',
  avif: '.avif',
  tiff: '.tif',
  bmp: '.bmp',
  mp4: '.mp4',
  mov: '.mov',
} as const

export type FileFormat = keyof typeof extensionsByFormat

/** Extensions that a photo or a video may keep, in lower case. */
export const mediaExtensions: ReadonlySet<string> = new Set(
  '.jpg .jpeg .jpe .jfif .png .gif .webp .heic .heif .avif .tif .tiff .dng .bmp .mp4 .m4v .mov .3gp'.split(' '),
)

/** How far readers look for the start of a PDF (Adobe's PDF Reference 1.7, appendix H, note 13). */
const pdfStartBytes = 1024

/** Brands of ISO/IEC 23008-12 (HEIF) and of the AV1 image format; every other brand is a video's. */
const heicBrands = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'mif2', 'msf1'])
const avifBrands = new Set(['avif', 'avis'])

/** Boxes that a QuickTime film without a file type box starts with. */
const quickTimeBoxes = new Set(['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'])

/** Sizes of the second header of a BMP: two letters alone are too little to go by. */
const bmpHeaderBytes = new Set([12, 16, 40, 52, 56, 64, 108, 124])

/** Tells a format by its magic bytes. `head` are the file's first bytes, 1 KiB or more unless it is shorter. */
export function formatOf(head: Uint8Array): FileFormat | undefined {
  const text = latin1(head, 0, pdfStartBytes)
  if (text.startsWith('\xFF\xD8\xFF')) return 'jpeg'
  if (text.startsWith('\x89PNG\r\n\x1A\n')) return 'png'
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'gif'
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'webp'
  if (/^(?:II[*+]\0|MM\0[*+])/.test(text)) return 'tiff'
  if (text.startsWith('BM') && bmpHeaderBytes.has(head[14] ?? 0) && text.startsWith('\0\0\0', 15)) return 'bmp'
  // Boxes start with their length: below these limits, which no text starts with.
  if (text.startsWith('\0\0') && text.startsWith('ftyp', 4)) return formatOfBrands(head)
  if (text < '\x09' && quickTimeBoxes.has(text.slice(4, 8))) return 'mov'
  return /^%PDF-|%PDF-\d\.\d/.test(text) ? 'pdf' : undefined
}

/** Bytes as text, a character a byte. */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', start, end)
}

/** The file type box: its size, `ftyp`, the major brand, a version, and compatible brands. */
function formatOfBrands(head: Uint8Array): FileFormat {
  const boxBytes = new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(0)
  const brands = latin1(head, 8, boxBytes).match(/[^]{4}/g) ?? []
  const major = brands[0] ?? ''
  if (avifBrands.has(major)) return 'avif'
  if (heicBrands.has(major)) return brands.some((brand) => avifBrands.has(brand)) ? 'avif' : 'heic'
  return major === 'qt  ' ? 'mov' : 'mp4'
}
