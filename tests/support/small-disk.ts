import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** An in-memory disk, mounted at `path`. */
export interface SmallDisk {
  readonly path: string
  resize(kilobytes: number): void
  /** Resizes the disk so that this much space is left. */
  leaveFree(kilobytes: number): void
  /** Remounts the disk; the system refuses this while a file is open for writing. */
  setReadOnly(isReadOnly: boolean): void
  /** Leaves an empty folder, as an unplugged drive does; also works while files are open. */
  unplug(): void
  plugIn(): void
  /** Unmounts it permanently. */
  remove(): void
}

/** Returns true if this process may mount. */
export function canMount(): boolean {
  try {
    makeSmallDisk(64).remove()
    return true
  } catch {
    return false
  }
}

const run = (program: string, ...args: string[]) => execFileSync(program, args, { stdio: 'pipe' })

/** Mounts a folder at a second path until `remove`. Throws where mounting is not allowed. */
export function mountAgain(folder: string): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'solarchive-again-'))
  run('mount', '--bind', folder, path)
  return {
    path,
    remove() {
      run('umount', '--lazy', path)
      rmdirSync(path)
    },
  }
}

/**
 * Shows a folder at another path, with another device number, until the return value is called. New files there go to
 * the folder if it is the `upper` layer, and elsewhere if it is the `lower` one. Throws where mounting is not allowed.
 */
export function mountAsOverlay(folder: string, path: string, layer: 'upper' | 'lower' = 'upper'): () => void {
  const beside = mkdtempSync(join(dirname(folder), 'overlay-'))
  const [other, work] = [join(beside, 'other'), join(beside, 'work')]
  for (const made of [other, work]) mkdirSync(made)
  const [lower, upper] = layer === 'upper' ? [other, folder] : [folder, other]
  run('mount', '-t', 'overlay', 'overlay', '-o', `lowerdir=${lower},upperdir=${upper},workdir=${work}`, path)
  return () => run('umount', '--lazy', path)
}

/** Returns true if this process may mount overlays, and temporary files are where they can be mounted. */
export function canMountOverlay(): boolean {
  const above = mkdtempSync(join(tmpdir(), 'solarchive-overlay-'))
  const [folder, path] = [join(above, 'folder'), join(above, 'place')]
  for (const made of [folder, path]) mkdirSync(made)
  try {
    mountAsOverlay(folder, path)()
    return true
  } catch {
    return false
  } finally {
    rmSync(above, { recursive: true })
  }
}

/** Throws where mounting is not allowed. */
export function makeSmallDisk(kilobytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-disk-'))
  // The disk itself stays mounted here, so that its content survives being unplugged there.
  const disk = join(folder, 'disk')
  const path = join(folder, 'place')
  mkdirSync(disk)
  mkdirSync(path)
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
