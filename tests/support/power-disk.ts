import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** XFS needs 300 MB. The file is sparse. */
const diskBytes = 512 * 2 ** 20

/** Time in which the files of a killed process are closed. */
const maxWaitMs = 5000

/** A disk in a file, mounted at `path`, whose file system can be shut down at once: nothing is written after that. */
export interface PowerDisk {
  readonly path: string
  /** Writes everything that is pending. */
  settle(): void
  /** Shuts the file system down; what is not on the disk yet is lost. */
  cut(): void
  /** Mounts the disk again after a cut. No process may have a file on it open for long. */
  restore(): void
  /** Unmounts it permanently; its loop device detaches itself. Can be called at any time, also twice. */
  remove(): void
}

/** Throws where it is not possible: it needs Linux, root, loop devices, and `xfs_io`. */
export function makePowerDisk(fileSystem: 'xfs' | 'ext4'): PowerDisk {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-power-'))
  const image = join(folder, 'image')
  const path = join(folder, 'disk')
  const mount = () => void run('mount', '-o', 'loop', image, path)
  let isMounted = false
  const disk: PowerDisk = {
    path,
    settle: () => void run('sync', '--file-system', path),
    cut: () => void run('xfs_io', '-x', '-c', 'shutdown', path),
    restore() {
      unmount(path)
      isMounted = false
      mount()
      isMounted = true
    },
    remove() {
      if (isMounted) unmount(path, '--lazy')
      isMounted = false
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    run('xfs_io', '-V')
    mkdirSync(path)
    writeFileSync(image, '')
    truncateSync(image, diskBytes)
    run(`mkfs.${fileSystem}`, '-q', image)
    mount()
    isMounted = true
    return disk
  } catch (error) {
    disk.remove()
    throw error
  }
}

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { stdio: 'pipe', encoding: 'utf8' })
}

/** Unmounts with `lastResort` if the folder stays busy. */
function unmount(path: string, ...lastResort: string[]): void {
  for (let waitedMs = 0; ; waitedMs += 50) {
    try {
      run('umount', ...(waitedMs < maxWaitMs ? [] : lastResort), path)
      return
    } catch (error) {
      if (waitedMs >= maxWaitMs) throw error
    }
    // Also runs while the process exits, where nothing asynchronous does.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
  }
}
