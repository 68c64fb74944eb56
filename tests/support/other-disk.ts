import { existsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Memory is a disk of its own on Linux; where temporary files are in memory, the system's own folder for them is not. */
export const otherDisk = ['/dev/shm', '/var/tmp'].find(
  (folder) => existsSync(folder) && statSync(folder).dev !== statSync(tmpdir()).dev,
)
