import { chmodSync, existsSync, mkdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux's in-memory file system. */
const memory = '/dev/shm'
/** Simultaneous tests use about 60 MB, and some check for 100 MB of free space. Containers often have only 64 MB. */
const minBytes = 1024 ** 3
/** The folder of this run, named by its process. */
const folder = join(memory, `solarchive-tests-${process.pid}`)

/** A folder in memory for the tests of this run; undefined if there is not enough space. */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= minBytes && process.availableMemory() >= 2 * minBytes ? folder : undefined
  } catch {
    return undefined
  }
}

/** A folder for small files that need not reach a disk. */
export const smallFilesFolder = existsSync(memory) ? memory : tmpdir()

/** Variable of the folder for archives of browser tests, whose `TMPDIR` is not in memory: Chromium is unpacked there. */
export const archivesVariable = 'BROWSER_TEST_ARCHIVES'

/** Vitest's global setup if there is enough space: creates the folder, and removes it with its content. */
export default function makeMemoryFolder(): () => void {
  // Two projects of vitest have it.
  mkdirSync(folder, { recursive: true })
  // Like the system's own folder of temporary files: some tests drop their privileges.
  chmodSync(folder, 0o1777)
  return () => rmSync(folder, { recursive: true, force: true })
}
