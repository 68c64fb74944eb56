import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { parseChecksums } from '../../electron/engine/archive/checksums.ts'
import { readFiles, sha256 } from './sample-archive.ts'

/** A program of GNU coreutils, which systems other than Linux need not have. */
const checker = 'sha256sum'

/**
 * Every SHA256SUMS of an archive is true, as GNU coreutils see it too, and lists every file but those set aside. `lost`, paths
 * relative to the root: what is not there and is listed all the same, so that coreutils fail, and on that alone.
 */
export function expectTrueChecksums(root: string, lost: readonly string[] = []): void {
  const missing: string[] = []
  for (const project of readdirSync(root)) {
    const folder = join(root, project)
    const { entries, badLines } = parseChecksums(readFileSync(join(folder, 'SHA256SUMS'), 'utf8'))
    expect(badLines).toEqual([])
    const there = entries.filter(({ path }) => existsSync(join(folder, path)))
    for (const entry of there) expect(sha256(readFileSync(join(folder, entry.path)))).toBe(entry.sha256)
    missing.push(...entries.filter((entry) => !there.includes(entry)).map(({ path }) => `${project}/${path}`))
    const check = (...options: string[]) =>
      execFileSync(checker, [...options, '-c', 'SHA256SUMS'], {
        cwd: folder,
        stdio: 'pipe',
        env: { ...process.env, LC_ALL: 'C' },
      })
    if (process.platform === 'linux' && there.length > 0) check('--quiet', '--ignore-missing')
    if (process.platform === 'linux' && there.length < entries.length)
      expect(() => check('--quiet')).toThrow('could not be read')
    const listed = new Set(entries.map(({ path }) => path))
    const unlisted = [...readFiles(folder).keys()].filter((path) => path !== 'SHA256SUMS' && !listed.has(path))
    expect(unlisted.filter((path) => !/ \(edited \d{4}-\d\d-\d\d\)/.test(path))).toEqual([])
  }
  expect(missing.sort()).toEqual([...lost].sort())
}
