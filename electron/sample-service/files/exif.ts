/** Facts that a phone's camera writes into a photo. */
export interface SamplePhotoFacts {
  readonly make: string
  readonly model: string
  readonly description: string
  readonly takenAtMs: number
  /** Local time's distance from UTC in minutes (-360 for Denver in summer). */
  readonly utcOffsetMinutes: number
  /** Decimal degrees, WGS 84. */
  readonly latitude: number
  readonly longitude: number
  readonly altitudeMeters: number
  /** Direction of the camera in degrees clockwise from north. */
  readonly direction: number
  readonly width: number
  readonly height: number
}

interface Field {
  readonly tag: number
  /** Field type as TIFF 6.0, section 2, numbers it. */
  readonly type: number
  readonly count: number
  readonly value: Buffer
}

type Ratio = readonly [numerator: number, denominator: number]

const raw = (tag: number, type: number, value: Buffer): Field => ({ tag, type, count: value.length, value })
const ascii = (tag: number, text: string): Field => raw(tag, 2, Buffer.from(`${text.replace(/[^\x20-\x7e]/g, '?')}\0`))
const short = (tag: number, value: number): Field => ({ tag, type: 3, count: 1, value: uint32(value).subarray(2) })
const long = (tag: number, value: number): Field => ({ tag, type: 4, count: 1, value: uint32(value) })
const rational = (tag: number, ...ratios: readonly Ratio[]): Field => ({
  tag,
  type: 5,
  count: ratios.length,
  value: Buffer.concat(ratios.flat().map(uint32)),
})

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(Math.round(value))
  return bytes
}

/** Returns an image file directory that starts at `offset` of the TIFF data, its larger values behind it. */
function directory(fields: readonly Field[], offset: number): Buffer {
  const entries = Buffer.alloc(2 + fields.length * 12 + 4)
  entries.writeUInt16BE(fields.length)
  const values: Buffer[] = []
  let valueAt = offset + entries.length
  fields.forEach(({ tag, type, count, value }, index) => {
    const at = 2 + index * 12
    entries.writeUInt16BE(tag, at)
    entries.writeUInt16BE(type, at + 2)
    entries.writeUInt32BE(count, at + 4)
    if (value.length <= 4) return void value.copy(entries, at + 8)
    entries.writeUInt32BE(valueAt, at + 8)
    values.push(value, Buffer.alloc(value.length % 2))
    valueAt += value.length + (value.length % 2)
  })
  return Buffer.concat([entries, ...values])
}

function degrees(value: number): readonly Ratio[] {
  const size = Math.abs(value)
  const minutes = Math.floor((size % 1) * 60)
  return [
    [Math.floor(size), 1],
    [minutes, 1],
    [((size % 1) * 60 - minutes) * 60 * 10_000, 10_000],
  ]
}

/** Returns a time as Exif writes it, `YYYY:MM:DD hh:mm:ss`. */
function exifTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replaceAll('-', ':').replace('T', ' ')
}

/**
 * Returns the payload of a JPEG's APP1 segment: `Exif`, two zero bytes, big-endian TIFF data (CIPA DC-008, Exif 2.32).
 */
export function exifPayload(facts: SamplePhotoFacts): Buffer {
  const local = exifTime(facts.takenAtMs + facts.utcOffsetMinutes * 60_000)
  const [date = '', time = ''] = exifTime(facts.takenAtMs).split(' ')
  const offsetMinutes = Math.abs(facts.utcOffsetMinutes)
  const twoDigits = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const sign = facts.utcOffsetMinutes < 0 ? '-' : '+'
  const offset = `${sign}${twoDigits(offsetMinutes / 60)}:${twoDigits(offsetMinutes % 60)}`
  const camera = [
    rational(0x829a, [1, 120]),
    rational(0x829d, [178, 100]),
    short(0x8827, 100),
    raw(0x9000, 7, Buffer.from('0232')),
    ...[0x9003, 0x9004].map((tag) => ascii(tag, local)),
    ...[0x9010, 0x9011, 0x9012].map((tag) => ascii(tag, offset)),
    rational(0x920a, [57, 10]),
    long(0xa002, facts.width),
    long(0xa003, facts.height),
  ]
  const gps = [
    raw(0x0000, 1, Buffer.from([2, 3, 0, 0])),
    ascii(0x0001, facts.latitude < 0 ? 'S' : 'N'),
    rational(0x0002, ...degrees(facts.latitude)),
    ascii(0x0003, facts.longitude < 0 ? 'W' : 'E'),
    rational(0x0004, ...degrees(facts.longitude)),
    raw(0x0005, 1, Buffer.alloc(1)),
    rational(0x0006, [facts.altitudeMeters * 100, 100]),
    rational(0x0007, ...time.split(':').map((part): Ratio => [Number(part), 1])),
    ascii(0x0010, 'T'),
    rational(0x0011, [facts.direction * 100, 100]),
    ascii(0x001d, date),
  ]
  const main = (cameraAt: number, gpsAt: number): readonly Field[] => [
    ascii(0x010e, facts.description),
    ascii(0x010f, facts.make),
    ascii(0x0110, facts.model),
    short(0x0112, 1),
    ascii(0x0132, local),
    long(0x8769, cameraAt),
    long(0x8825, gpsAt),
  ]
  const mainAt = 8
  const cameraAt = mainAt + directory(main(0, 0), mainAt).length
  const gpsAt = cameraAt + directory(camera, cameraAt).length
  return Buffer.concat([
    Buffer.from('Exif\0\0MM\0*'),
    uint32(mainAt),
    directory(main(cameraAt, gpsAt), mainAt),
    directory(camera, cameraAt),
    directory(gps, gpsAt),
  ])
}
