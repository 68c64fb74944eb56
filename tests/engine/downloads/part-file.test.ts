import fc from 'fast-check'
import { readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PartFile } from '../../../electron/engine/downloads/part-file.ts'
import { freeChunk } from '../../../electron/engine/downloads/transport.ts'
import { sha256 } from '../../support/sample-archive.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Bytes that differ from one place to the next. */
function bytesOf(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0, value = seed; at < length; at += 1) {
    value = (Math.imul(value, 1103515245) + 12345) >>> 0
    bytes[at] = value >>> 24
  }
  return bytes
}

/** Sizes around those at which a file becomes large, and at which it is written. */
const lengths = fc.oneof(
  fc.integer({ min: 1, max: 3_000_000 }),
  fc.constantFrom(262_143, 262_144, 262_145, 1_048_576, 1_114_111, 1_114_112, 1_114_113, 2_162_688, 2_162_689),
)
const chunkLengths = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 200_000 }), fc.constantFrom(4_096, 32_767, 32_768, 65_536, 1_500_000)),
  { minLength: 1, maxLength: 40 },
)

async function writeInChunks(part: PartFile, bytes: Buffer, sizes: readonly number[]): Promise<void> {
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const length = Math.min(sizes[index % sizes.length] ?? 1, bytes.length - at)
    const chunk = Buffer.allocUnsafe(length)
    bytes.copy(chunk, 0, at)
    await part.write(chunk)
    at += length
  }
}

test('a file has exactly the bytes of its chunks, and their hash, start, and end, also if it is continued', async () => {
  const root = temporaryFolder()
  let files = 0
  await fc.assert(
    fc.asyncProperty(lengths, chunkLengths, fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), async (...random) => {
      const [length, sizes, seed, share] = random
      const bytes = bytesOf(length, seed)
      const path = `${(files += 1)}.part`
      const kept = Math.floor(length * share)
      let part = new PartFile({ root, path })
      await writeInChunks(part, bytes.subarray(0, kept), sizes)
      if (kept > 0) {
        await part.keep()
        part = new PartFile({ root, path })
        await part.resume(kept)
      }
      await writeInChunks(part, bytes.subarray(kept), sizes)
      expect(part.sizeBytes).toBe(length)
      expect(part.head.equals(bytes.subarray(0, 4096))).toBe(true)
      const { tail } = part
      expect(tail.length).toBeGreaterThanOrEqual(Math.min(length, 65_536))
      expect(tail.equals(bytes.subarray(length - tail.length))).toBe(true)
      const content = await part.finish()
      if (content.in === 'memory') expect(Buffer.concat(content.chunks).equals(bytes)).toBe(true)
      else expect([content.sha256, sha256(readFileSync(join(root, path)))]).toEqual([sha256(bytes), sha256(bytes)])
      if (content.in === 'memory') expect([await part.finishOnDisk(), length <= 262_144]).toEqual([sha256(bytes), true])
    }),
    { numRuns: 60 },
  )
})

test('a part that became shorter than recorded is not continued', async () => {
  const root = temporaryFolder()
  const part = new PartFile({ root, path: '1.part' })
  await part.write(bytesOf(2_000_000, 1))
  await part.keep()
  truncateSync(join(root, '1.part'), 1_000_000)
  const next = new PartFile({ root, path: '1.part' })
  await expect(next.resume(2_000_000)).rejects.toMatchObject({ code: 'file-truncated' })
  await next.drop()
})

test('the memory of a chunk is freed, and never that of anything else', () => {
  for (const length of [16_384, 65_536]) {
    const whole = Buffer.allocUnsafeSlow(length)
    freeChunk(whole)
    expect(whole.length).toBe(0)
  }
  const afterHeaders = Buffer.allocUnsafeSlow(65_536).subarray(300)
  freeChunk(afterHeaders)
  expect(afterHeaders.length).toBe(0)
  const shared = Buffer.from(new SharedArrayBuffer(65_536))
  const withMoreBehind = Buffer.allocUnsafeSlow(65_536).subarray(0, 65_535)
  const smallWithMoreBefore = Buffer.allocUnsafeSlow(16_384).subarray(1)
  const empty = Buffer.alloc(0)
  // The last one that the pool has room for: its memory is that of those before it.
  const half = Buffer.poolSize / 2 - 1
  const pooled = [...Array(4).keys()].map(() => Buffer.allocUnsafe(half - (half % 8)))
  for (const chunk of [shared, withMoreBehind, smallWithMoreBefore, empty, ...pooled]) {
    const { length } = chunk
    freeChunk(chunk)
    expect(chunk.length).toBe(length)
  }
  expect(empty.buffer).toHaveProperty('detached', false)
})
