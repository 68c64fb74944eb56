import { once } from '../../../shared/format.ts'
/**
 * Maximum length of a name, in bytes of UTF-8 (docs/archive-format.md, "Names"). File systems end at 255 bytes
 * or UTF-16 units; the rest is room for the temporary name and for paths that Explorer can still open.
 */
export const maxNameBytes = 100

/** Only both ends of longer texts are read, so that a hostile label costs no time; far longer than any real one. */
const maxReadUnits = 4096

/**
 * Common extensions of photos, videos, and documents have two to five characters; a longer one is part of a sentence.
 */
const extension = String.raw`\.(?=\d*[A-Za-z])[A-Za-z0-9]{1,8}`
const extensionAtEnd = new RegExp(`${extension}$`)
const nothingButExtension = new RegExp(`^[. ]*(${extension})[. ]*$`)

/**
 * Characters that names must not contain: separators and Windows' reserved characters, characters that look like them,
 * code points that APFS rejects or file servers map to reserved characters (unassigned, private use), and lone
 * surrogates. Source: learn.microsoft.com/windows/win32/fileio/naming-a-file.
 */
const forbidden = new RegExp(
  String.raw`[<>:"|?*\\/\u2044\u2215\u2216\u2236\u29F5\u29F8\u29F9\uA789\uFE13\uFE16\uFE55\uFE56\uFE61\uFE64\uFE65` +
    String.raw`\uFE68\uFF02\uFF0A\uFF0F\uFF1A\uFF1C\uFF1E\uFF1F\uFF3C\uFF5C\p{Cn}\p{Co}\p{Cs}]`,
  'gu',
)

/** Invisible characters: control, bidirectional, zero width, and others that displays leave out. */
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Device names of Windows, which also accepts the superscript digits 1, 2, and 3. Source as above. */
const deviceName = /^(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9¹²³])$/

const graphemes = once(() => new Intl.Segmenter('en', { granularity: 'grapheme' }))

export interface SafeNameOptions {
  /** The name if nothing of the text can be kept: safe itself, without an extension. */
  readonly fallback: string
  /** Appended to the stem and never cut, such as ` [a1b2c3]`: safe characters, at most 50 bytes. */
  readonly suffix?: string
  /** Keeps a short extension (`.jpeg`) if the name must be cut. */
  readonly keepExtension?: boolean
}

/**
 * Returns one path component for any text, safe on Windows, macOS, and Linux: in NFC, at most 100 bytes, not a device
 * name, without separators, reserved, control, or bidirectional characters, and without leading or trailing dots or
 * spaces. A name that this function returned is returned unchanged.
 */
export function safeName(text: string, { fallback, suffix = '', keepExtension = false }: SafeNameOptions): string {
  const cleaned = cleanText(text)
  const lone = keepExtension ? nothingButExtension.exec(cleaned)?.[1] : undefined
  const name = lone === undefined ? trimTail(cleaned.replace(/^[. ]+/, '')) : fallback + lone
  const [start, ending] = keepExtension ? splitExtension(name) : [name, '']
  const stem = suffix !== '' && start.endsWith(suffix) ? start.slice(0, -suffix.length) : start

  const roomBytes = maxNameBytes - Buffer.byteLength(suffix + ending)
  const kept = cutToBytes(suffix === '' ? stem : trimTail(stem), roomBytes) || fallback
  const whole = kept + suffix + ending
  return isDeviceName(whole) ? cutToBytes(`_${kept}`, roomBytes) + suffix + ending : whole
}

/**
 * Returns the text in NFC with single plain spaces, without invisible characters, and with `_` for forbidden ones.
 * Trailing question marks and asterisks, which labels of forms often have, are removed. The result is not a safe name
 * yet: its ends and length are unchecked.
 */
export function cleanText(text: string): string {
  const read = text.length > maxReadUnits ? text.slice(0, maxReadUnits / 2) + text.slice(-maxReadUnits / 2) : text
  return read
    .normalize('NFC')
    .replace(/[\t\n\v\f\r\u0085]/g, ' ')
    .replace(invisible, '')
    .replace(/\p{Z}+/gu, ' ')
    .replace(/[?* ]+$/, '')
    .replace(forbidden, '_')
    .normalize('NFC')
}

/** Splits `IMG_1.jpeg` into `IMG_1` and `.jpeg`. `Roof v1.2`, `St. Mary` and `.jpeg` have no extension. */
export function splitExtension(name: string): [stem: string, extension: string] {
  const at = name.search(extensionAtEnd)
  return at > 0 ? [name.slice(0, at), name.slice(at)] : [name, '']
}

/**
 * Returns the longest start of at most `maxBytes` bytes that splits no visible character and does not end in a dot or
 * space.
 */
export function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  let kept = ''
  for (const { segment } of graphemes().segment(text)) {
    if (Buffer.byteLength(kept + segment) > maxBytes) break
    kept += segment
  }
  if (kept !== '') return trimTail(kept)
  // One visible character may be longer than the limit (stacked accents): then only its first code points are kept.
  for (const codePoint of text) {
    if (Buffer.byteLength(kept + codePoint) > maxBytes) break
    kept += codePoint
  }
  return trimTail(kept)
}

function trimTail(text: string): string {
  return text.replace(/[. ]+$/, '')
}

/**
 * Returns whether Windows takes a name for a device: it considers the part before the first dot, without trailing
 * spaces and in any case.
 */
function isDeviceName(name: string): boolean {
  const [base = ''] = name.split('.')
  return deviceName.test(base.trimEnd().toUpperCase())
}

/**
 * Returns a key: two names (or paths) with the same key may be the same file on a disk that ignores case or Unicode
 * form. Stricter than any single file system: `ß`, `ẞ`, and `SS` have the same key, and so do `ſ` and `S`.
 */
export function caseKey(name: string): string {
  // Upper case last: unlike the lower case of the Greek sigma, it does not depend on neighboring characters.
  return name.normalize('NFC').toLowerCase().toUpperCase().normalize('NFC')
}

/**
 * Returns the name, or the name with ` (2)`, ` (3)`... before its extension, for which `isTaken` returns `false`.
 * `isTaken` compares `caseKey(candidate)` with the keys of existing names. Expects a safe name and returns one.
 */
export function uniqueName(name: string, isTaken: (candidate: string) => boolean): string {
  return numberedName(name, firstFreeNumber(name, isTaken))
}

/** Returns the first number from `from` on for which `isTaken` returns `false` of `numberedName`. */
export function firstFreeNumber(name: string, isTaken: (candidate: string) => boolean, from = 1): number {
  let number = from
  while (isTaken(numberedName(name, number))) number += 1
  return number
}

/** Returns the name with ` (2)`, ` (3)`... before its extension; the name itself for 1. */
export function numberedName(name: string, number: number): string {
  if (number === 1) return name
  const [stem, extension] = splitExtension(name)
  const ending = ` (${number})${extension}`
  return cutToBytes(stem, maxNameBytes - Buffer.byteLength(ending)) + ending
}
