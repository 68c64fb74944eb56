import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { parseChecksums } from '../../electron/engine/archive/checksums.ts'
import { readFiles, sha256 } from './sample-archive.ts'

/** A program of GNU coreutils, which systems other than Linux need not have. */
const checker = 'sha256sum'

/** Every SHA256SUMS of an archive is true, as GNU coreutils see it too, and lists every file but those set aside. */
export function expectTrueChecksums(root: string): void {
  for (const project of readdirSync(root)) {
    const folder = join(root, project)
    const { entries, badLines } = parseChecksums(readFileSync(join(folder, 'SHA256SUMS'), 'utf8'))
    expect(badLines).toEqual([])
    for (const entry of entries) expect(sha256(readFileSync(join(folder, entry.path)))).toBe(entry.sha256)
    if (process.platform === 'linux') execFileSync(checker, ['--quiet', '-c', 'SHA256SUMS'], { cwd: folder })
    const listed = new Set(entries.map(({ path }) => path))
    const unlisted = [...readFiles(folder).keys()].filter((path) => path !== 'SHA256SUMS' && !listed.has(path))
    expect(unlisted.filter((path) => !/ \(edited \d{4}-\d\d-\d\d\)/.test(path))).toEqual([])
  }
}
