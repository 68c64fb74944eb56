/** What a phone's camera writes into a photo. */
export interface PhotoFacts {
  readonly make: string
  readonly model: string
  readonly description: string
  /** When the photo was taken. */
  readonly takenAtMs: number
  /** The place's distance from UTC on that day, in minutes (-360 for Denver in summer). */
  readonly utcOffsetMinutes: number
  /** Decimal degrees, WGS 84. */
  readonly latitude: number
  readonly longitude: number
  readonly altitudeMetres: number
  /** Where the camera points, degrees clockwise from north. */
  readonly direction: number
  readonly width: number
  readonly height: number
}

/** Field types of TIFF 6.0, section 2, and their sizes in bytes. */
const fieldTypes = {
  byte: [1, 1],
  ascii: [2, 1],
  short: [3, 2],
  long: [4, 4],
  rational: [5, 8],
  undefined: [7, 1],
} as const

interface Field {
  readonly tag: number
  readonly type: keyof typeof fieldTypes
  readonly count: number
  readonly bytes: Buffer
}

const ascii = (tag: number, text: string): Field => {
  const bytes = Buffer.from(`${text.replace(/[^\x20-\x7e]/g, '?')}\0`, 'latin1')
  return { tag, type: 'ascii', count: bytes.length, bytes }
}
const bytes = (tag: number, type: 'byte' | 'undefined', values: readonly number[]): Field => ({
  tag,
  type,
  count: values.length,
  bytes: Buffer.from(values),
})
const short = (tag: number, value: number): Field => {
  const buffer = Buffer.alloc(2)
  buffer.writeUInt16BE(value)
  return { tag, type: 'short', count: 1, bytes: buffer }
}
const long = (tag: number, value: number): Field => {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(value)
  return { tag, type: 'long', count: 1, bytes: buffer }
}
const rationals = (tag: number, values: readonly (readonly [number, number])[]): Field => {
  const buffer = Buffer.alloc(values.length * 8)
  values.forEach(([numerator, denominator], index) => {
    buffer.writeUInt32BE(Math.round(numerator), index * 8)
    buffer.writeUInt32BE(denominator, index * 8 + 4)
  })
  return { tag, type: 'rational', count: values.length, bytes: buffer }
}

/** One image file directory as it stands at `offset` of the TIFF data, its larger values behind it. */
function directory(fields: readonly Field[], offset: number): Buffer {
  const head = Buffer.alloc(2 + fields.length * 12 + 4)
  head.writeUInt16BE(fields.length, 0)
  const tail: Buffer[] = []
  let tailOffset = offset + head.length
  fields.forEach(({ tag, type, count, bytes: value }, index) => {
    const at = 2 + index * 12
    head.writeUInt16BE(tag, at)
    head.writeUInt16BE(fieldTypes[type][0], at + 2)
    head.writeUInt32BE(count, at + 4)
    if (value.length <= 4) value.copy(head, at + 8)
    else {
      head.writeUInt32BE(tailOffset, at + 8)
      const even = value.length % 2 === 0 ? value : Buffer.concat([value, Buffer.alloc(1)])
      tail.push(even)
      tailOffset += even.length
    }
  })
  return Buffer.concat([head, ...tail])
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`
}

function degrees(value: number): readonly (readonly [number, number])[] {
  const size = Math.abs(value)
  const whole = Math.floor(size)
  const minutes = Math.floor((size - whole) * 60)
  return [
    [whole, 1],
    [minutes, 1],
    [((size - whole) * 60 - minutes) * 60 * 10000, 10000],
  ]
}

const exifTime = (iso: string): string => iso.slice(0, 19).replaceAll('-', ':').replace('T', ' ')

/** The APP1 payload of a JPEG: `Exif`, two zero bytes, big-endian TIFF data (CIPA DC-008, Exif 2.32). */
export function exifPayload(facts: PhotoFacts): Buffer {
  const local = exifTime(new Date(facts.takenAtMs + facts.utcOffsetMinutes * 60_000).toISOString())
  const utc = exifTime(new Date(facts.takenAtMs).toISOString())
  const [date = '', time = ''] = utc.split(' ')
  const offset = offsetText(facts.utcOffsetMinutes)
  const camera = [
    rationals(0x829a, [[1, 120]]),
    rationals(0x829d, [[178, 100]]),
    short(0x8827, 100),
    bytes(0x9000, 'undefined', [0x30, 0x32, 0x33, 0x32]),
    ascii(0x9003, local),
    ascii(0x9004, local),
    ascii(0x9010, offset),
    ascii(0x9011, offset),
    ascii(0x9012, offset),
    rationals(0x920a, [[57, 10]]),
    long(0xa002, facts.width),
    long(0xa003, facts.height),
  ]
  const place = [
    bytes(0x0000, 'byte', [2, 3, 0, 0]),
    ascii(0x0001, facts.latitude < 0 ? 'S' : 'N'),
    rationals(0x0002, degrees(facts.latitude)),
    ascii(0x0003, facts.longitude < 0 ? 'W' : 'E'),
    rationals(0x0004, degrees(facts.longitude)),
    bytes(0x0005, 'byte', [0]),
    rationals(0x0006, [[facts.altitudeMetres * 100, 100]]),
    rationals(
      0x0007,
      time.split(':').map((part) => [Number(part), 1] as const),
    ),
    ascii(0x0010, 'T'),
    rationals(0x0011, [[facts.direction * 100, 100]]),
    ascii(0x001d, date),
  ]
  const main = (cameraAt: number, placeAt: number): readonly Field[] => [
    ascii(0x010e, facts.description),
    ascii(0x010f, facts.make),
    ascii(0x0110, facts.model),
    short(0x0112, 1),
    ascii(0x0132, local),
    long(0x8769, cameraAt),
    long(0x8825, placeAt),
  ]
  const mainAt = 8
  const cameraAt = mainAt + directory(main(0, 0), mainAt).length
  const cameraBytes = directory(camera, cameraAt)
  const placeAt = cameraAt + cameraBytes.length
  const start = Buffer.from([0x45, 0x78, 0x69, 0x66, 0, 0, 0x4d, 0x4d, 0, 0x2a, 0, 0, 0, mainAt])
  return Buffer.concat([start, directory(main(cameraAt, placeAt), mainAt), cameraBytes, directory(place, placeAt)])
}
