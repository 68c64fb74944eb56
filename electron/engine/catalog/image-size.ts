export interface ImageSize {
  readonly widthPixels: number
  readonly heightPixels: number
}

/** JPEG's frame headers (ITU T.81, table B.1): SOF0 to SOF15 without DHT, JPG and DAC. */
const isFrameHeader = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** The size that the first bytes of a JPEG or PNG tell; undefined for others, and where it comes later. */
export function readImageSize(head: Buffer): ImageSize | undefined {
  if (head.toString('latin1', 1, 4) === 'PNG' && head.length >= 24)
    return size(head.readUInt32BE(16), head.readUInt32BE(20))
  if (head[0] !== 0xff || head[1] !== 0xd8) return undefined
  for (let at = 2; at + 9 <= head.length && head[at] === 0xff;) {
    const marker = head[at + 1] ?? 0
    if (isFrameHeader(marker)) return size(head.readUInt16BE(at + 7), head.readUInt16BE(at + 5))
    // Fill bytes may stand before a marker; every segment has at least its own length.
    at += marker === 0xff ? 1 : 2 + Math.max(2, head.readUInt16BE(at + 2))
  }
  return undefined
}

function size(widthPixels: number, heightPixels: number): ImageSize | undefined {
  return widthPixels > 0 && heightPixels > 0 ? { widthPixels, heightPixels } : undefined
}
