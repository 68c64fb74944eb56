import { basename, dirname, join } from 'node:path'
import { checksumsFileName } from '../../archive/layout.ts'

/** What Finder and Explorer leave in folders that people look into, and macOS beside files on foreign disks. */
const leftByDesktops = /^(?:\.DS_Store|Thumbs\.db|desktop\.ini|\._.*)$/i

/** The name under which a file is written before it is whole: beside it, so that a rename is all that is left to do. */
export function temporaryPath(path: string, mark?: string): string {
  return join(dirname(path), `.${basename(path)}${mark === undefined ? '' : `.${mark}`}.part`)
}

/**
 * Whether a name in a project's folder is one under which an installation, whichever, writes what is not whole yet. Those
 * without its id were written before there were ids.
 */
export function isUnfinished(name: string): boolean {
  return /^\d+(?:-[0-9a-f]{12})?\.part$/.test(name) || /^\..+\.[0-9a-f]{12}\.part$/s.test(name)
}

/**
 * Whether a file in a project folder is none of the archived ones by its name: the checksums themselves, an unfinished
 * file of ours (`<digits>-<installation>.part` of a download, `.<name>.part` of a write), or what a desktop left. `path`
 * is relative to the project folder.
 */
export function isSideFile(path: string): boolean {
  if (path === checksumsFileName || isUnfinished(path)) return true
  const name = path.slice(path.lastIndexOf('/') + 1)
  return /^\..+\.part$/s.test(name) || leftByDesktops.test(name)
}
