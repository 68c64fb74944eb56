import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatChecksums, parseChecksums } from '../../../electron/engine/archive/checksums.ts'
import { hashFile } from '../../../electron/engine/lib/fs/hash-file.ts'
import { folderTest, writeFiles } from './folder-test.ts'
import { hasSha256sum } from '../../support/true-checksums.ts'

const one = 'a'.repeat(64)
const two = '0'.repeat(64)

test('a line is the hash, two spaces, and the path; lines are sorted by path', () => {
  const entries = [
    { path: 'C [2]/report.pdf', sha256: one },
    { path: 'C [10]/checklist.json', sha256: two },
  ]
  const text = `${two}  C [10]/checklist.json\n${one}  C [2]/report.pdf\n`
  expect(formatChecksums(entries)).toBe(text)
  expect(formatChecksums(entries.toReversed())).toBe(text)
  expect(formatChecksums([])).toBe('')
})

test('a path with a backslash or a line break is escaped', () => {
  expect(formatChecksums([{ path: 'a\\b\nc\rd', sha256: one }])).toBe(`\\${one}  a\\\\b\\nc\\rd\n`)
})

test('files written by other tools are read too', () => {
  const text = `\uFEFF${one.toUpperCase()} *binary.pdf\r\n\r\n${two}  plain  name\n\\${one}  a\\\\b\n`
  expect(parseChecksums(text)).toEqual({
    entries: [
      { path: 'binary.pdf', sha256: one },
      { path: 'plain  name', sha256: two },
      { path: 'a\\b', sha256: one },
    ],
    badLines: [],
  })
})

test('lines that are not checksums are reported by number', () => {
  const bad = ['not a checksum', `${one.slice(1)}  short`, `${one} one space`, `\\${one}  bad\\escape`, `${one}  `]
  const text = [`${one}  good`, ...bad, ''].join('\n')
  expect(parseChecksums(text)).toEqual({ entries: [{ path: 'good', sha256: one }], badLines: [2, 3, 4, 5, 6] })
})

test('everything written is read back', () => {
  const path = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.string({ unit: fc.constantFrom('\\', '\n', '\r', 'n', 'r', ' ', '*', 'a', '\u2028'), minLength: 1 }),
  )
  const sha256 = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 })
  const entries = fc.uniqueArray(fc.record({ path, sha256 }), { selector: (entry) => entry.path })
  fc.assert(
    fc.property(entries, (written) => {
      const sorted = written.toSorted((first, second) => (first.path < second.path ? -1 : 1))
      expect(parseChecksums(formatChecksums(written))).toEqual({ entries: sorted, badLines: [] })
    }),
  )
})

folderTest.skipIf(!hasSha256sum)('sha256sum -c passes, and sees a changed file', async ({ root }) => {
  const paths = [
    'C [2]/report.pdf',
    'C [2]/photos/01 Roof/02 Ridge/ü 太陽.jpg',
    ' *odd',
    '-n',
    'back\\slash',
    'two\nlines',
  ]
  await writeFiles(root, Object.fromEntries(paths.map((path) => [path, `content of ${path}`])))
  const entries = await Promise.all(
    paths.map(async (path) => ({ path, sha256: (await hashFile(join(root, path))).sha256 })),
  )
  await writeFile(join(root, 'SHA256SUMS'), formatChecksums(entries))

  const check = () => spawnSync('sha256sum', ['-c', '--strict', 'SHA256SUMS'], { cwd: root, encoding: 'utf8' })
  expect(check()).toMatchObject({ status: 0, stderr: '' })
  await writeFiles(root, { 'C [2]/report.pdf': 'changed' })
  expect(check()).toMatchObject({ status: 1, stdout: expect.stringContaining('C [2]/report.pdf: FAILED') as string })
})
