import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of this machine's memory, mounted where `path` says. */
export interface SmallDisk {
  readonly path: string
  resize(kilobytes: number): void
  /** Leaves so much room. */
  leaveFree(kilobytes: number): void
  /** Refused by the system while a file is open for writing. */
  setReadOnly(isReadOnly: boolean): void
  /** What an unplugged drive leaves: an empty folder. Also while files are open. */
  unplug(): void
  plugIn(): void
  /** Unmounts it for good. */
  remove(): void
}

/** Whether this process may mount. */
export function canMount(): boolean {
  try {
    makeSmallDisk(64).remove()
    return true
  } catch {
    return false
  }
}

/** Throws where mounting is not allowed. */
export function makeSmallDisk(kilobytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-disk-'))
  // The disk itself stays mounted here, so that what is on it outlives its being unplugged there.
  const disk = join(folder, 'disk')
  const path = join(folder, 'place')
  mkdirSync(disk)
  mkdirSync(path)
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { stdio: 'pipe' })
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', disk)
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  }
  const resize = (next: number) => void run('mount', '-o', `remount,size=${next}k`, disk)
  const smallDisk: SmallDisk = {
    path,
    resize,
    leaveFree(free) {
      const { blocks, bfree, bsize } = statfsSync(disk)
      resize(((blocks - bfree) * bsize) / 1024 + free)
    },
    setReadOnly: (isReadOnly) => void run('mount', '-o', `remount,bind,${isReadOnly ? 'ro' : 'rw'}`, path),
    unplug: () => void run('umount', '--lazy', path),
    plugIn: () => void run('mount', '--bind', disk, path),
    remove() {
      run('umount', '--lazy', '--recursive', '--quiet', path)
      run('umount', '--lazy', disk)
      rmSync(folder, { recursive: true })
    },
  }
  smallDisk.plugIn()
  return smallDisk
}
