import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates an empty folder below `parent`, which is removed with its content after the test. */
export function temporaryFolder(parent: string = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'solarchive-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
