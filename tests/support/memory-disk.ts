import { chmodSync, existsSync, mkdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where Linux keeps files in memory. */
const memory = '/dev/shm'
/** The tests that run at one time were seen to keep 30 MB, and some make sure of room for 100 MB. Containers often have 64 MB. */
const minBytes = 1024 ** 3
/** The folder of this run, which is this process. */
const folder = join(memory, `solarchive-tests-${process.pid}`)

/** A folder in memory for the tests of this run; undefined where there is no room for one. */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= minBytes && process.availableMemory() >= 2 * minBytes ? folder : undefined
  } catch {
    return undefined
  }
}

/** A folder for a few files that need not reach a disk. */
export const smallFilesFolder = existsSync(memory) ? memory : tmpdir()

/** Vitest's global set-up where there is room: makes the folder, and takes it away with whatever is left in it. */
export default function makeMemoryFolder(): () => void {
  mkdirSync(folder)
  // Like the system's own folder of temporary files: some tests drop their privileges.
  chmodSync(folder, 0o1777)
  return () => rmSync(folder, { recursive: true, force: true })
}
