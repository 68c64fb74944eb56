import { existsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** In-memory files are another disk on Linux; if temporary files are in memory, the system's own folder is not. */
export const otherDisk = ['/dev/shm', '/var/tmp'].find(
  (folder) => existsSync(folder) && statSync(folder).dev !== statSync(tmpdir()).dev,
)
