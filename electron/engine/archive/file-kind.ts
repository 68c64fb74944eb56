import type { AssetKind } from '../../../shared/domain.ts'
import { extensionsByFormat, formatOf, latin1, type FileFormat } from './file-format.ts'
import { boxesEnd, jpegEnd, pdfEnd, pngEnd, webpEnd, type FileEnd } from './file-end.ts'

/** What came instead of the file: mostly a web page or an error document of a file host. */
type Lookalike = 'html' | 'json' | 'xml' | 'text' | 'empty' | 'unknown'

export type KindCheck =
  | { readonly ok: true; readonly format: FileFormat; readonly extension: string }
  | { readonly ok: false; readonly looksLike: Lookalike }

const images: readonly FileFormat[] = ['jpeg', 'png', 'gif', 'webp', 'heic', 'avif', 'tiff', 'bmp']

/** Questions can be answered by a video, which the service lists like a photo. */
const formatsOfKind: Readonly<Record<AssetKind, readonly FileFormat[]>> = {
  report: ['pdf'],
  photo: [...images, 'mp4', 'mov'],
  thumbnail: images,
}

/** Tags that a web page, or a piece of one, starts with. */
const htmlStart = /^<(?:!--|!doctype html|(?:html|head|body|title|meta|script|style|div|p|h1|center|table|a)\b)/i

/**
 * Judges by its magic bytes whether a file can be what it should be. `head` are its first 4 KiB, or all of it. What
 * starts like a web page or an error document is never a PDF, wherever its text mentions one.
 */
export function checkFileKind(kind: AssetKind, head: Uint8Array): KindCheck {
  const looksLike = lookalikeOf(head)
  const isPage = looksLike === 'html' || looksLike === 'xml' || looksLike === 'json'
  const format = isPage ? undefined : formatOf(head)
  if (format === undefined) return { ok: false, looksLike }
  return formatsOfKind[kind].includes(format)
    ? { ok: true, format, extension: extensionsByFormat[format] }
    : { ok: false, looksLike: 'unknown' }
}

/**
 * Judges whether a file without an announced length came to its end: `whole`, `cut`, or `cannot-tell` where the format
 * does not say. `head` are its first bytes (4 KiB or more, or all), `tail` its last ones (64 KiB or more, or all);
 * `sizeBytes` its length, without which films and WebP cannot be judged. Only a file that is surely cut is called so.
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
      return 'cannot-tell'
  }
}

function lookalikeOf(head: Uint8Array): Lookalike {
  if (head.length === 0) return 'empty'
  const decoded = decode(head)
  const start = (decoded ?? latin1(head)).trimStart()
  if (htmlStart.test(start) || /^<\?xml[^]{0,1000}?<(?:!doctype )?html\b/i.test(start)) return 'html'
  if (/^<[?!a-z]/i.test(start)) return 'xml'
  if (/^[{[]/.test(start)) return 'json'
  // Of the control characters only tab, line feed, form feed and carriage return stand in texts.
  return decoded === undefined || /\p{Cc}/u.test(decoded.replace(/[\t\n\f\r]/g, '')) ? 'unknown' : 'text'
}

/** Undefined unless it is UTF-8, or UTF-16 with its mark. A character cut at the end of the head is no matter. */
function decode(head: Uint8Array): string | undefined {
  const encoding = head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true })
  } catch {
    return undefined
  }
}
