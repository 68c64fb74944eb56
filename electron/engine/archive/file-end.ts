/** `whole` if the end of the content is there, `cut` if it is missing, `unknown` if the bytes do not show it. */
export type FileEnd = 'whole' | 'cut' | 'unknown'

/**
 * Readers search for the end mark of a PDF in its last 1 KiB (Adobe's PDF Reference 1.7, appendix H, note 18); some
 * writers add more padding.
 */
const pdfEndBytes = 4096

/** Markers that occur inside the coded data of a JPEG: stuffing and restarts (ITU-T T.81, B.1.1.5 and table B.1). */
const isInsideScan = (marker: number) => marker === 0x00 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd7)
const endOfImage = 0xd9
const startOfScan = 0xda

/**
 * Checks the end of a JPEG. It ends with an end mark, but phones append to it (the video of a motion photo, a depth
 * map), and the preview in its header has an end mark, too. A file that fits into `tail` is parsed completely; for a
 * longer one the last marks decide.
 */
export function jpegEnd(head: Uint8Array, tail: Uint8Array): FileEnd {
  const start = Math.min(head.length, tail.length)
  const isAll = Buffer.compare(head.subarray(0, start), tail.subarray(0, start)) === 0
  return isAll ? readJpeg(tail) : readJpegTail(tail)
}

/** Checks the end of a PNG: its last chunk, IEND, with its checksum. Other bytes may follow. */
export function pngEnd(tail: Uint8Array): FileEnd {
  return latin1(tail).includes('IEND\xAE\x42\x60\x82') ? 'whole' : 'cut'
}

/** Checks the end of a PDF: an end mark, or the `startxref` before it, in the last `pdfEndBytes` of `tail`. */
export function pdfEnd(tail: Uint8Array): FileEnd {
  return /%%EOF|startxref\s+\d+\s/.test(latin1(tail, Math.max(0, tail.length - pdfEndBytes))) ? 'whole' : 'cut'
}

/**
 * Checks the end of a WebP, which announces its length. One byte less means that the writer left out the padding of the
 * last chunk.
 */
export function webpEnd(head: Uint8Array, sizeBytes: number | undefined): FileEnd {
  if (sizeBytes === undefined || head.length < 8) return 'unknown'
  const announcedBytes = viewOf(head).getUint32(4, true) + 8
  return sizeBytes >= announcedBytes - 1 ? 'whole' : 'cut'
}

/**
 * Checks the end of a HEIC, AVIF, MP4, or MOV file: a sequence of boxes, each preceded by its length (ISO/IEC 14496-12,
 * 4.2), followed as far as head and tail show it. A file without the box that describes the content is unusable, so it
 * also counts as cut.
 */
export function boxesEnd(head: Uint8Array, tail: Uint8Array, sizeBytes: number | undefined): FileEnd {
  if (sizeBytes === undefined) return 'unknown'
  let described = false
  let offset = 0
  while (offset < sizeBytes) {
    const box = boxAt(offset, head, tail, sizeBytes)
    if (box === undefined) return 'unknown'
    described ||= box.type === 'moov' || box.type === 'meta'
    offset += box.bytes
  }
  return offset === sizeBytes && described ? 'whole' : 'cut'
}

function boxAt(offset: number, head: Uint8Array, tail: Uint8Array, sizeBytes: number) {
  const tailOffset = offset - (sizeBytes - tail.length)
  const bytes = tailOffset >= 0 ? tail.subarray(tailOffset) : head.subarray(offset)
  if (bytes.length < 8) return undefined
  const view = viewOf(bytes)
  const short = view.getUint32(0)
  if (short === 1 && bytes.length < 16) return undefined
  const length = short === 1 ? Number(view.getBigUint64(8)) : short
  const type = latin1(bytes, 4, 8)
  // A length of 0 means up to the end of the file; less than a header, or a name with other bytes, is not a box.
  return length >= 8 && /^[\x20-\x7E\xA9]{4}$/.test(type) ? { type, bytes: length } : undefined
}

/** Follows the segments, by their lengths, from the start to the end mark of the image itself. */
function readJpeg(bytes: Uint8Array): FileEnd {
  let at = 2
  while (at < bytes.length) {
    if (bytes[at] !== 0xff) return 'unknown'
    while (bytes[at] === 0xff) at += 1
    const marker = bytes[at]
    at += 1
    if (marker === undefined) return 'cut'
    if (marker === endOfImage) return 'whole'
    if (isInsideScan(marker) || marker === 0x01) continue
    if (at + 1 >= bytes.length) return 'cut'
    at += ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
    if (marker === startOfScan) at = endOfScan(bytes, at)
  }
  return 'cut'
}

function endOfScan(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at !== -1 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    if (!isInsideScan(bytes[at + 1] ?? 0)) return at
  }
  return bytes.length
}

function readJpegTail(tail: Uint8Array): FileEnd {
  let last: 'end' | 'scan' | 'other' | undefined
  let stuffed = false
  for (let at = tail.indexOf(0xff); at !== -1; at = tail.indexOf(0xff, at + 1)) {
    const marker = tail[at + 1]
    if (marker === undefined) break
    if (marker === endOfImage) last = 'end'
    else if (marker === startOfScan && isScanHeader(tail, at + 2)) last = 'scan'
    else if (marker === 0x00) stuffed = true
    else if (!isInsideScan(marker)) last ??= 'other'
  }
  if (last === 'end') return 'whole'
  // In coded data only, the end mark is missing. Among other bytes it may be before the tail.
  return last === 'scan' || (last === undefined && stuffed) ? 'cut' : 'unknown'
}

/**
 * Returns whether a scan header begins at `at`: its length is 6 bytes plus 2 per component, of which there are 1 to 4,
 * which other bytes hardly match by chance.
 */
function isScanHeader(bytes: Uint8Array, at: number): boolean {
  const components = bytes[at + 2] ?? 0
  return components >= 1 && components <= 4 && bytes[at] === 0 && bytes[at + 1] === 6 + 2 * components
}

/** Returns bytes as text, one character per byte. */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', start, end)
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
