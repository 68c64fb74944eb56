import { createHash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createQuickReader, maxQuickBytes } from '../../../electron/engine/archive/quick-reader.ts'
import { ZipWriter } from '../../../electron/engine/export/zip-writer.ts'
import { readZip } from '../../support/read-zip.ts'
import { folderTest as test, writeFiles } from '../archive/folder-test.ts'

/** Sizes of files, small ones and up to the largest that is read quickly. */
const sizes = [1, 3_000, 40_000, 200_000, 700_000, maxQuickBytes]

test('a zip has the bytes of every file that was read quickly, however many others are lost', async ({ root }) => {
  const contents = sizes.map((size) => randomBytes(size))
  await writeFiles(root, Object.fromEntries(contents.map((content, index) => [`P/${index}.jpg`, content])))
  const files = contents.map((content, index) => ({
    path: `P/${index}.jpg`,
    sizeBytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  }))
  // Of the same size, with a path or content that is not there.
  const lost = files.flatMap((file) => [
    { ...file, path: 'P/gone.jpg' },
    { ...file, sha256: '0'.repeat(64) },
  ])
  const run = fc.tuple(fc.constantFrom(...files, ...lost), fc.integer({ min: 1, max: 20 }))
  await fc.assert(
    fc.asyncProperty(fc.array(run, { minLength: 2, maxLength: 12 }), async (runs) => {
      const written: Buffer[] = []
      const zip = new ZipWriter((chunks) =>
        Promise.resolve(void written.push(...chunks.map((one) => Buffer.from(one)))),
      )
      const reader = createQuickReader(root)
      const expected: string[] = []
      for (const file of runs.flatMap(([one, times]) => Array<(typeof files)[number]>(times).fill(one))) {
        const bytes = reader.read(file)
        expect(bytes !== undefined).toBe(files.includes(file))
        if (bytes === undefined) continue
        await zip.addBytes(String(expected.length), bytes, new Date(0))
        expected.push(file.sha256)
      }
      reader.leave()
      await zip.end()
      const entries = [...(await readZip(Buffer.concat(written))).values()]
      expect(entries.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'))).toEqual(expected)
    }),
    { numRuns: 40 },
  )
})
