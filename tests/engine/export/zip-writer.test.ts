import { closeSync, openSync, writevSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { ZipWriter } from '../../../electron/engine/export/zip-writer.ts'
import { readZip } from '../../support/read-zip.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { judge } from './outside-judges.ts'

const at = new Date('2026-05-14T09:30:06Z')

test('a zip has stored and compressed entries with UTF-8 names, times, and modes', async () => {
  const parts: Buffer[] = []
  const zip = new ZipWriter((chunks) => {
    parts.push(...chunks.map((chunk) => Buffer.from(chunk)))
    return Promise.resolve()
  })
  const text = 'Grüße, 屋根\n'.repeat(200_000)
  await zip.addBytes('Dach/Grüße 屋根.jpg', Buffer.from('photo'), at)
  await zip.addText('tables/text.csv', [text.slice(0, 1_500_000), Buffer.from(text.slice(1_500_000))], at)
  await zip.addText('empty.txt', [], at)
  const large = Buffer.from('large')
  // eslint-disable-next-line @typescript-eslint/require-await -- the writer takes asynchronous chunks alone
  const chunks = async function* () {
    yield large
  }
  await zip.addStored({ path: 'large.mp4', sizeBytes: 5, crc: crc32(large), modifiedAt: at }, chunks())
  await zip.end()
  const entries = await readZip(Buffer.concat(parts))
  expect(
    [...entries].map(([name, { bytes, mode }]) => [name, bytes.toString() === text ? 'text' : bytes.toString(), mode]),
  ).toEqual([
    ['Dach/Grüße 屋根.jpg', 'photo', 0o644],
    ['tables/text.csv', 'text', 0o644],
    ['empty.txt', '', 0o644],
    ['large.mp4', 'large', 0o644],
  ])
})

test('a zip of more than 65,535 files, or of more than 4 GB, is one of zip64', async () => {
  const path = join(temporaryFolder(), 'many.zip')
  const file = openSync(path, 'w')
  const zip = new ZipWriter((chunks) => Promise.resolve(void writevSync(file, [...chunks])))
  const bytes = Buffer.from('x')
  for (let index = 0; index < 65_600; index += 1) await zip.addBytes(`${index}.jpg`, bytes, at)
  await zip.end()
  closeSync(file)
  const tested = judge('unzip', ['-tqq', path])
  if (tested !== null) expect(tested).toBe('')
  const listed = judge('zipinfo', ['-h', path])
  if (listed !== null) expect(listed).toContain('number of entries: 65600')

  const block = Buffer.alloc(64 * 1024 * 1024)
  // The offsets alone: four gigabytes need not be written.
  let [size, tail] = [0, Buffer.alloc(0)]
  const huge = new ZipWriter((chunks) => {
    size += chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    tail = Buffer.concat([tail, ...chunks.filter((chunk) => chunk !== block)]).subarray(-1000)
    return Promise.resolve()
  })
  const count = 65
  // eslint-disable-next-line @typescript-eslint/require-await -- the writer takes asynchronous chunks alone
  const blocks = async function* () {
    for (let index = 0; index < count; index += 1) yield block
  }
  const sizeBytes = count * block.length
  await huge.addStored({ path: 'film.mp4', sizeBytes, crc: 0, modifiedAt: at }, blocks())
  await huge.addBytes('after.jpg', bytes, at)
  await huge.end()
  expect(size).toBeGreaterThan(2 ** 32)
  const record = tail.subarray(tail.indexOf(Buffer.from([0x50, 0x4b, 6, 6])))
  const start = Number(record.readBigUInt64LE(48))
  expect(Number(record.readBigUInt64LE(24))).toBe(2)
  expect(start).toBe(size - tail.length + tail.indexOf(Buffer.from([0x50, 0x4b, 1, 2])))
  const first = tail.subarray(tail.indexOf(Buffer.from([0x50, 0x4b, 1, 2])))
  expect(first.readUInt32LE(24)).toBe(0xffffffff)
  expect(Number(first.readBigUInt64LE(46 + 'film.mp4'.length + 4))).toBe(sizeBytes)
})
