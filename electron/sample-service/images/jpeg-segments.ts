import { createHash } from 'node:crypto'

/** The largest payload of one JPEG segment: its 16-bit length counts itself (ITU-T T.81, B.1.1.4). */
const maxPayload = 0xffff - 2
const segmentHead = 4

function segment(marker: number, payload: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, (payload.length + 2) >> 8, (payload.length + 2) & 255])
  return Buffer.concat([head, payload])
}

/** The JPEG without its start marker and without JFIF's APP0, ready for other segments before it. */
function body(jpeg: Buffer): Buffer {
  const afterStart = 2
  const hasJfif = jpeg[afterStart] === 0xff && jpeg[afterStart + 1] === 0xe0
  return jpeg.subarray(hasJfif ? afterStart + 2 + jpeg.readUInt16BE(afterStart + 2) : afterStart)
}

const startOfImage = Buffer.from([0xff, 0xd8])

/** Puts EXIF data where cameras put it: in the first segment, in JFIF's place. */
export function withExif(jpeg: Buffer, exif: Buffer): Buffer {
  return Buffer.concat([startOfImage, segment(0xe1, exif), body(jpeg)])
}

const fillerSize = 64 * 1024
let filler: Buffer | undefined

function fillerBytes(): Buffer {
  filler ??= Buffer.concat(
    Array.from({ length: fillerSize / 64 }, (_, index) => createHash('sha512').update(`filler ${index}`).digest()),
  )
  return filler
}

/**
 * The JPEG grown to exactly `size` bytes by comment segments behind the EXIF data, unlike any other of another `key`.
 * Throws a RangeError when the JPEG does not fit.
 */
export function paddedJpeg(jpeg: Buffer, exif: Buffer | null, size: number, key: string): Buffer {
  const front = exif ? segment(0xe1, exif) : Buffer.alloc(0)
  const rest = body(jpeg)
  const mark = segment(0xfe, createHash('sha256').update(key).digest())
  const used = startOfImage.length + front.length + mark.length + rest.length
  let left = size - used
  if (left < 0 || (left > 0 && left < segmentHead)) {
    throw new RangeError(
      `A photo of ${size} bytes does not fit: this one needs ${used}, or at least ${segmentHead} more`,
    )
  }
  const parts = [startOfImage, front, mark]
  while (left > 0) {
    // The last piece but one leaves room for a whole segment head.
    let payload = Math.min(left - segmentHead, maxPayload)
    const remaining = left - segmentHead - payload
    if (remaining > 0 && remaining < segmentHead) payload -= segmentHead
    parts.push(Buffer.from([0xff, 0xfe, (payload + 2) >> 8, (payload + 2) & 255]), fillerBytes().subarray(0, payload))
    left -= segmentHead + payload
  }
  parts.push(rest)
  return Buffer.concat(parts, size)
}
