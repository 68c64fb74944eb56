/**
 * Maximum length of a name, in bytes of UTF-8 (docs/archive-format.md, "Names"). File systems end at 255 bytes
 * or UTF-16 units; the rest is room for the temporary name and for paths that Explorer can still open.
 */
export const maxNameBytes = 100

/** Longer texts are read at their two ends only, so that a hostile label costs no time; far above any real one. */
const maxReadUnits = 4096

/**
 * Extensions of photos, videos and documents in use have two to five characters; a longer one is part of a sentence.
 */
const extension = String.raw`\.(?=\d*[A-Za-z])[A-Za-z0-9]{1,8}`
const extensionAtEnd = new RegExp(`${extension}$`)
const nothingButExtension = new RegExp(`^[. ]*(${extension})[. ]*$`)

/**
 * What no name may hold: the separators and Windows' reserved characters, characters that look like them, code points
 * that APFS refuses or file servers map to reserved characters (unassigned, private use), and lone surrogates.
 * Source: learn.microsoft.com/windows/win32/fileio/naming-a-file.
 */
const forbidden =
  /[<>:"|?*\\/\u2044\u2215\u2216\u2236\u29F5\u29F8\u29F9\uA789\uFE13\uFE16\uFE55\uFE56\uFE61\uFE64\uFE65\uFE68\uFF02\uFF0A\uFF0F\uFF1A\uFF1C\uFF1E\uFF1F\uFF3C\uFF5C\p{Cn}\p{Co}\p{Cs}]/gu

/** Characters without a shape of their own: control, bidirectional, zero width, and others that displays leave out. */
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** The device names of Windows, with the superscript digits that it takes for 1, 2 and 3. Source as above. */
const deviceName = /^(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9¹²³])$/

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

export interface SafeNameOptions {
  /** The name when nothing of the text can be kept: safe itself, without an extension. */
  readonly fallback: string
  /** Stands behind the stem and is never cut, ` [a1b2c3]` for instance: safe characters, at most 50 bytes. */
  readonly suffix?: string
  /** Keeps a short extension (`.jpeg`) when the name has to be cut. */
  readonly keepExtension?: boolean
}

/**
 * Makes one path component of any text, safe on Windows, macOS and Linux alike: in NFC, at most 100 bytes, no device
 * name, without separators, reserved, control or bidirectional characters, and without dots or spaces at its ends.
 * A name that it made comes back as it is.
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
 * The text in NFC with single plain spaces, without invisible characters, with `_` for what no name may hold. Question
 * and asterisk marks at the end (labels of forms end in them) go away. Not yet a name: its ends and length are open.
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

/** The longest start of at most `maxBytes` bytes that splits no visible character and ends in no dot or space. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  let kept = ''
  for (const { segment } of graphemes.segment(text)) {
    if (Buffer.byteLength(kept + segment) > maxBytes) break
    kept += segment
  }
  if (kept !== '') return trimTail(kept)
  // One visible character may be longer than the room (stacked accents): then its first code points have to do.
  for (const codePoint of text) {
    if (Buffer.byteLength(kept + codePoint) > maxBytes) break
    kept += codePoint
  }
  return trimTail(kept)
}

function trimTail(text: string): string {
  return text.replace(/[. ]+$/, '')
}

/** Windows looks at what stands before the first dot, without spaces at its end and without regard to case. */
function isDeviceName(name: string): boolean {
  const [base = ''] = name.split('.')
  return deviceName.test(base.trimEnd().toUpperCase())
}

/**
 * Two names (or paths) with one key may be the same file on a disk that ignores case or Unicode form. Stricter than any
 * single file system: `ß`, `ẞ` and `SS` have one key, and so have `ſ` and `S`.
 */
export function caseKey(name: string): string {
  // Upper case last: it depends on no neighbour, as the lower case of the Greek sigma does.
  return name.normalize('NFC').toLowerCase().toUpperCase().normalize('NFC')
}

/**
 * The name itself, or with ` (2)`, ` (3)`... before its extension, until `isTaken` says no. `isTaken` compares
 * `caseKey(candidate)` with the keys of what is there. Expects a safe name; the answer is one too.
 */
export function uniqueName(name: string, isTaken: (candidate: string) => boolean): string {
  const [stem, extension] = splitExtension(name)
  for (let number = 2, candidate = name; ; number += 1) {
    if (!isTaken(candidate)) return candidate
    const ending = ` (${number})${extension}`
    candidate = cutToBytes(stem, maxNameBytes - Buffer.byteLength(ending)) + ending
  }
}
