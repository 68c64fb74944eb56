import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'vitest'
import { hashFile } from '../../../../electron/engine/lib/fs/hash-file.ts'
import { folderTest as test, writeFiles } from '../../archive/folder-test.ts'

test('a file of any length is hashed to its end', async ({ root }) => {
  for (const sizeBytes of [0, 1, 262_143, 262_144, 262_145, 1_000_000]) {
    const data = Buffer.alloc(sizeBytes, 'solar')
    await writeFiles(root, { file: data })
    const sha256 = createHash('sha256').update(data).digest('hex')
    expect(await hashFile(join(root, 'file'))).toEqual({ sha256, sizeBytes })
  }
})

test('hashing stops with the reason of its signal', async ({ root }) => {
  await writeFiles(root, { file: Buffer.alloc(5_000_000) })
  const stop = new AbortController()
  const hashing = hashFile(join(root, 'file'), { signal: stop.signal })
  stop.abort(new Error('enough'))
  await expect(hashing).rejects.toThrow('enough')
  await expect(hashFile(join(root, 'file'), { signal: stop.signal })).rejects.toThrow('enough')
})

test("a missing file throws Node's error", async ({ root }) => {
  await expect(hashFile(join(root, 'gone'))).rejects.toMatchObject({ code: 'ENOENT' })
})
