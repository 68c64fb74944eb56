import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { reservedFreeBytes, requireFreeSpace } from '../../../../electron/engine/lib/fs/free-space.ts'

it('a small part of a disk stays free, 256 MB at most', () => {
  expect(reservedFreeBytes(1e12)).toBe(256 * 2 ** 20)
  expect(reservedFreeBytes(16 * 2 ** 20)).toBeLessThan(2 ** 20)
  fc.assert(fc.property(fc.nat(), (bytes) => reservedFreeBytes(bytes) <= bytes * 0.02))
})

it('a disk with space, and one of unknown size, accept files', async () => {
  await requireFreeSpace(tmpdir())
  await requireFreeSpace('/no/such/folder')
})
