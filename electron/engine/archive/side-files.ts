import { basename, dirname, join } from 'node:path'
import { checksumsFileName } from './layout.ts'

/** What Finder and Explorer leave in folders that people look into, and macOS beside files on foreign disks. */
const leftByDesktops = /^(?:\.DS_Store|Thumbs\.db|desktop\.ini|\._.*)$/i

/** The name under which a file is written before it is whole: beside it, so that a rename is all that is left to do. */
export function temporaryPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.part`)
}

/**
 * Whether a file in a project folder is none of the archived ones by its name: the checksums themselves, an unfinished
 * file of ours (`<digits>.part` of a download, `.<name>.part` of a write), or what a desktop left. `path` is relative
 * to the project folder.
 */
export function isSideFile(path: string): boolean {
  if (path === checksumsFileName || /^\d+\.part$/.test(path)) return true
  const name = path.slice(path.lastIndexOf('/') + 1)
  return /^\..+\.part$/s.test(name) || leftByDesktops.test(name)
}
