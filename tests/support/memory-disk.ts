import { chmodSync, existsSync, mkdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux's in-memory file system. */
const memory = '/dev/shm'
/** Simultaneous tests use about 30 MB, and some check for 100 MB of free space. Containers often have only 64 MB. */
const minBytes = 1024 ** 3
/** The folder of this run, named by its process. */
const folder = join(memory, `solarchive-tests-${process.pid}`)

/** A folder in memory for the tests of this run; undefined if there is not enough space. */
export function memoryFolder(): string | undefined {
  return hasSpace() ? folder : undefined
}

function hasSpace(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= minBytes && process.availableMemory() >= 2 * minBytes
  } catch {
    return false
  }
}

/** A folder for small files that need not reach a disk. */
export const smallFilesFolder = existsSync(memory) ? memory : tmpdir()

/** A folder for archives that need not reach a disk. */
export const archivesFolder = hasSpace() ? memory : tmpdir()

/** Vitest's global setup if there is enough space: creates the folder, and removes it with its content. */
export default function makeMemoryFolder(): () => void {
  mkdirSync(folder)
  // Like the system's own folder of temporary files: some tests drop their privileges.
  chmodSync(folder, 0o1777)
  return () => rmSync(folder, { recursive: true, force: true })
}
