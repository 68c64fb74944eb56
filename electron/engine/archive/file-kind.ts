import type { AssetKind } from '../../../shared/domain.ts'
import { boxesEnd, type FileEnd, jpegEnd, latin1, pdfEnd, pngEnd, webpEnd } from './file-end.ts'

/** Formats that a report, a photo, or a thumbnail can have, with the extension for a file without one. */
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

/** Extensions that a photo or a video may keep, in lower case: no system runs one as a program (`isSafeToOpen`). */
export const mediaExtensions: ReadonlySet<string> = new Set(
  '.jpg .jpeg .jpe .jfif .png .gif .webp .heic .heif .avif .tif .tiff .dng .bmp .mp4 .m4v .mov .3gp'.split(' '),
)

/** Readers search this many bytes for the start of a PDF (Adobe's PDF Reference 1.7, appendix H, note 13). */
const pdfStartBytes = 1024

/** Brands of ISO/IEC 23008-12 (HEIF) and of the AV1 image format; all other brands are videos. */
const heicBrands = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'mif2', 'msf1'])
const avifBrands = new Set(['avif', 'avis'])

/** First boxes of a QuickTime video without a file type box. */
const quickTimeBoxes = new Set(['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'])

/** Sizes of a BMP's second header: its two magic letters alone are not enough. */
const bmpHeaderBytes = new Set([12, 16, 40, 52, 56, 64, 108, 124])

/**
 * Returns the format of a file by its magic bytes. `head` are the file's first bytes, 1 KiB or more unless it is
 * shorter.
 */
function formatOf(head: Uint8Array): FileFormat | undefined {
  const text = latin1(head, 0, pdfStartBytes)
  if (text.startsWith('\xFF\xD8\xFF')) return 'jpeg'
  if (text.startsWith('\x89PNG\r\n\x1A\n')) return 'png'
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'gif'
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'webp'
  if (/^(?:II[*+]\0|MM\0[*+])/.test(text)) return 'tiff'
  if (text.startsWith('BM') && bmpHeaderBytes.has(head[14] ?? 0) && text.startsWith('\0\0\0', 15)) return 'bmp'
  // Boxes start with their length, which is below these limits; no text starts like that.
  if (text.startsWith('\0\0') && text.startsWith('ftyp', 4)) return formatOfBrands(head)
  if (text < '\x09' && quickTimeBoxes.has(text.slice(4, 8))) return 'mov'
  return /^%PDF-|%PDF-\d\.\d/.test(text) ? 'pdf' : undefined
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

/** Content received instead of the file: mostly a web page or an error document of a file host. */
type Lookalike = 'html' | 'json' | 'xml' | 'text' | 'empty' | 'unknown'

export type KindCheck =
  | { readonly ok: true; readonly format: FileFormat; readonly extension: string }
  | { readonly ok: false; readonly looksLike: Lookalike }

const images: readonly FileFormat[] = ['jpeg', 'png', 'gif', 'webp', 'heic', 'avif', 'tiff', 'bmp']

/** Formats of each kind. Questions can be answered by a video, which the service lists like a photo. */
const formatsOfKind: Readonly<Record<AssetKind, readonly FileFormat[]>> = {
  report: ['pdf'],
  photo: [...images, 'mp4', 'mov'],
  thumbnail: images,
}

/** Tags at the start of a web page, or of a part of one. */
const htmlStart = /^<(?:!--|!doctype html|(?:html|head|body|title|meta|script|style|div|p|h1|center|table|a)\b)/i

/**
 * Checks by its magic bytes whether a file can be of a kind. `head` are its first 4 KiB, or all of it. A file that
 * starts like a web page or an error document is never a PDF, even if its text mentions one.
 */
export function checkFileKind(kind: AssetKind, head: Uint8Array): KindCheck {
  const format = isPage(head) ? undefined : formatOf(head)
  if (format === undefined) return { ok: false, looksLike: lookalikeOf(head) }
  return formatsOfKind[kind].includes(format)
    ? { ok: true, format, extension: extensionsByFormat[format] }
    : { ok: false, looksLike: 'unknown' }
}

/**
 * Checks whether a file without an announced length is complete: `whole`, `cut`, or `unknown` if the format does
 * not show it. `head` are its first bytes (4 KiB or more, or all), `tail` its last ones (64 KiB or more, or all);
 * `sizeBytes` its length, which videos and WebP need. `cut` is only returned for certain.
 */
export function checkFileEnd(head: Uint8Array, tail: Uint8Array, sizeBytes?: number): FileEnd {
  const format = formatOf(head)
  switch (format) {
    case 'jpeg':
      return jpegEnd(head, tail)
    case 'png':
      return pngEnd(tail)
    case 'pdf':
      return pdfEnd(tail)
    case 'webp':
      return webpEnd(head, sizeBytes)
    case 'heic':
    case 'avif':
    case 'mp4':
    case 'mov':
      return boxesEnd(head, tail, sizeBytes)
    case 'gif':
    case 'tiff':
    case 'bmp':
    case undefined:
      return 'unknown'
  }
}

/**
 * First bytes of texts that start like a page: `<`, `{`, `[`, white space and byte order marks in any encoding. Other
 * files, which is nearly all, are not decoded.
 */
const pageStarts = new Set([0x3c, 0x7b, 0x5b, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0, 0xc2, 0xe1, 0xe2, 0xe3, 0xef])

function isPage(head: Uint8Array): boolean {
  const [first = 0, second] = head
  if (!pageStarts.has(first) && !(first === 0xff && second === 0xfe)) return false
  return ['html', 'xml', 'json'].includes(lookalikeOf(head))
}

function lookalikeOf(head: Uint8Array): Lookalike {
  if (head.length === 0) return 'empty'
  const decoded = decode(head)
  const start = (decoded ?? latin1(head)).trimStart()
  if (htmlStart.test(start) || /^<\?xml[^]{0,1000}?<(?:!doctype )?html\b/i.test(start)) return 'html'
  if (/^<[?!a-z]/i.test(start)) return 'xml'
  if (/^[{[]/.test(start)) return 'json'
  // The only control characters in texts are tab, line feed, form feed, and carriage return.
  return decoded === undefined || /\p{Cc}/u.test(decoded.replace(/[\t\n\f\r]/g, '')) ? 'unknown' : 'text'
}

/**
 * Returns undefined unless the text is UTF-8, or UTF-16 with a byte order mark. The last character may be incomplete.
 */
function decode(head: Uint8Array): string | undefined {
  const encoding = head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true })
  } catch {
    return undefined
  }
}
