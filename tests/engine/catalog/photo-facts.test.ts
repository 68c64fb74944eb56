import { join } from 'node:path'
import Database from 'better-sqlite3'
import exifr from 'exifr'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readExif, readImageSize } from '../../../electron/engine/catalog/photo-metadata.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { expectLinear } from '../../support/expect-linear.ts'
import { checklistOf, sampleArchive } from '../../support/sample-archive.ts'

interface Entry {
  readonly tag: number
  readonly type: number
  readonly count: number
  /** Up to four bytes are stored in the entry itself, longer values behind the directories. */
  readonly value: Buffer
}

const text = (tag: number, value: string): Entry => {
  const bytes = Buffer.from(`${value}\0`, 'utf8')
  return { tag, type: 2, count: bytes.length, value: bytes }
}
const long = (tag: number, value: number): Entry => ({ tag, type: 4, count: 1, value: u32(value) })
const rational = (tag: number, ...pairs: readonly [number, number][]): Entry => ({
  tag,
  type: 5,
  count: pairs.length,
  value: Buffer.concat(pairs.flatMap(([over, under]) => [u32(over), u32(under)])),
})

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A big-endian TIFF block of three directories. */
function tiff(main: readonly Entry[], exif: readonly Entry[] = [], gps: readonly Entry[] = []): Buffer {
  const sizeOf = (entries: readonly Entry[]) => 2 + entries.length * 12 + 4
  const exifAt = 8 + sizeOf(main) + 24
  const gpsAt = exifAt + sizeOf(exif)
  const values: Buffer[] = []
  let at = gpsAt + sizeOf(gps)
  const directory = (entries: readonly Entry[]) => {
    const rows = entries.map(({ tag, type, count, value }) => {
      const row = Buffer.alloc(12)
      row.writeUInt16BE(tag)
      row.writeUInt16BE(type, 2)
      row.writeUInt32BE(count, 4)
      if (value.length <= 4) value.copy(row, 8)
      else {
        row.writeUInt32BE(at, 8)
        values.push(value)
        at += value.length
      }
      return row
    })
    const length = Buffer.alloc(2)
    length.writeUInt16BE(entries.length)
    return Buffer.concat([length, ...rows, Buffer.alloc(4)])
  }
  const header = Buffer.concat([Buffer.from('MM\0*', 'latin1'), u32(8)])
  const first = directory([...main, long(0x8769, exifAt), long(0x8825, gpsAt)])
  return Buffer.concat([header, first, directory(exif), directory(gps), ...values])
}

const marked = (block: Buffer) => Buffer.concat([Buffer.from('\xff\xd8\xff\xe1\0\0Exif\0\0', 'latin1'), block])

describe("a photo's EXIF", () => {
  it('is read the way another reader reads it, in every photo of the sample', async () => {
    const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
    let withPlace = 0
    for (const photo of photosOf(checklistOf(archive))) {
      const bytes = await archive.service.photoBytes(photo)
      const ours = readExif(bytes)
      const theirs = ((await exifr.parse(bytes, { reviveValues: false, translateValues: false })) ?? {}) as Record<
        string,
        unknown
      >
      expect(ours?.make ?? undefined).toBe(theirs['Make'])
      expect(ours?.model ?? undefined).toBe(theirs['Model'])
      expect(ours?.orientation ?? undefined).toBe(theirs['Orientation'])
      expect(ours?.takenAt?.replace(/-/g, ':').replace('T', ' ') ?? undefined).toBe(theirs['DateTimeOriginal'])
      expect(ours?.latitude ?? undefined).toBe(theirs['latitude'])
      expect(ours?.longitude ?? undefined).toBe(theirs['longitude'])
      if (ours?.latitude != null) withPlace += 1
    }
    expect(withPlace).toBeGreaterThan(0)
  })

  it('is read with its UTC offset, lens, and exposure, as clean text of bounded length', () => {
    const block = tiff(
      [
        text(0x010f, 'Eve\u202Ejpg\u0007 Corp'),
        text(0x0110, 'x'.repeat(5000)),
        { ...long(0x0112, 0), type: 3, value: Buffer.from([0, 6]) },
      ],
      [
        text(0x9003, '2026:02:03 04:05:06'),
        text(0x9011, '-05:00'),
        text(0xa434, 'Señor lens'),
        rational(0x829a, [1, 250]),
        rational(0x829d, [18, 10]),
        { ...long(0x8827, 0), type: 3, value: Buffer.from([0, 100]) },
        rational(0x920a, [0, 0]),
        long(0xa002, 4000),
        long(0xa003, 3000),
      ],
      [
        text(1, 'S'),
        rational(2, [10, 1], [30, 1], [0, 1]),
        text(3, 'E'),
        rational(4, [20, 1], [15, 1], [0, 1]),
        text(0x10, 'M'),
        rational(0x11, [2715, 10]),
      ],
    )
    for (const head of [block, marked(block), Buffer.concat([Buffer.from('....eXIf'), block])]) {
      expect(readExif(head)).toEqual({
        takenAt: '2026-02-03T04:05:06',
        utcOffset: '-05:00',
        make: 'Eve jpg Corp',
        model: 'x'.repeat(120),
        lens: 'Señor lens',
        exposureSeconds: 0.004,
        fNumber: 1.8,
        iso: 100,
        focalLengthMm: null,
        orientation: 6,
        widthPixels: 4000,
        heightPixels: 3000,
        latitude: -10.5,
        longitude: 20.25,
        altitudeMeters: null,
        heading: 271.5,
        headingNorth: 'magnetic',
      })
    }
  })

  it.each([
    ['a month that there is not', [text(0x9003, '2026:13:03 04:05:06')], []],
    ['zeros for a time', [text(0x9003, '0000:00:00 00:00:00')], []],
    ['a place beyond the poles', [], [rational(2, [91, 1]), rational(4, [20, 1])]],
    ['half a place', [], [rational(2, [10, 1], [0, 1], [0, 1])]],
    ['a place of 0° N, 0° E', [], [rational(2, [0, 1], [0, 1], [0, 1]), rational(4, [0, 1], [0, 1], [0, 1])]],
    ['a division by zero in a place', [], [rational(2, [43, 1], [0, 0], [0, 1]), rational(4, [116, 1], [12, 1])]],
    ['a heading beyond the circle', [], [text(0x10, 'T'), rational(0x11, [361, 1])]],
    ['a heading divided by zero', [], [text(0x10, 'T'), rational(0x11, [0, 0])]],
    ['a number of values that there is no room for', [{ ...long(0x829a, 0), type: 5, count: 0xffffffff }], []],
  ])('%s is left out', (_, exif, gps) => {
    const facts = readExif(tiff([], exif, gps))
    expect(Object.values(facts ?? { none: 1 }).every((value) => value === null)).toBe(true)
  })

  it('is read in linear time, whatever it contains', () => {
    const head = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => marked(Buffer.concat([Buffer.from('II*\0', 'latin1'), bytes]))),
      fc
        .array(
          fc.record({ tag: fc.nat(0xffff), type: fc.nat(14), count: fc.nat(0xffffffff), value: fc.constant(u32(8)) }),
          {
            maxLength: 60,
          },
        )
        .map((entries) => tiff(entries, entries, entries)),
    )
    fc.assert(
      fc.property(head, (bytes) => {
        readExif(bytes)
        readImageSize(bytes)
      }),
      { numRuns: 2000 },
    )
    expectLinear((length) => {
      const hostile = marked(tiff(Array.from({ length }, (_, tag) => ({ ...long(tag, 8), count: 0xffffffff }))))
      readExif(Buffer.concat([Buffer.from('Exif\0\0'.repeat(length * 2)), hostile]))
      readImageSize(Buffer.alloc(length * 13, 0xff))
    }, 2_500)
  })
})

it('a photo without a usable position of the service is where its file says', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  await archive.sync()
  const database = new Database(join(archive.home, 'solarchive.sqlite3'))
  database.exec('UPDATE assets SET latitude = 0, longitude = 0')
  const assetId = database.prepare("SELECT id FROM assets WHERE kind = 'photo'").pluck().get() as number
  database.close()
  const { place, filePlace, servicePlace } = await archive.withEngine((engine) => engine.photoFacts(assetId))
  expect(servicePlace).toEqual({ latitude: 0, longitude: 0 })
  expect(filePlace).not.toBeNull()
  expect(place).toEqual(filePlace)
})
