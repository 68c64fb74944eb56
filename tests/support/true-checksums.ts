import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { parseChecksums } from '../../electron/engine/archive/checksums.ts'
import { readFiles, sha256 } from './sample-archive.ts'

/** True if `sha256sum` of GNU coreutils is installed, which systems other than Linux may lack. */
export const hasSha256sum = spawnSync('sha256sum', ['--version'], { stdio: 'ignore' }).status === 0

/**
 * Expects that every SHA256SUMS of an archive is correct, for GNU coreutils too, and lists every file except
 * quarantined ones. `lost` has paths relative to the root that are listed although missing, so that coreutils fail on
 * only these.
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
      execFileSync('sha256sum', [...options, '-c', 'SHA256SUMS'], {
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
