import { basename, dirname, join } from 'node:path'
import { checksumsFileName } from '../../archive/layout.ts'

/** Files that Finder and Explorer create in opened folders, and macOS on foreign disks. */
const leftByDesktops = /^(?:\.DS_Store|Thumbs\.db|desktop\.ini|\._.*)$/i

/** Returns the temporary path of a file that is being written: in the same folder, so that a rename publishes it. */
export function temporaryPath(path: string, mark?: string): string {
  return join(dirname(path), `.${basename(path)}${mark === undefined ? '' : `.${mark}`}.part`)
}

/**
 * Returns whether a name in a project's folder is that of an unfinished file of any installation. Names without an
 * installation id come from earlier versions.
 */
export function isUnfinishedFile(name: string): boolean {
  return /^\d+(?:-[0-9a-f]{12})?\.part$/.test(name) || /^\..+\.[0-9a-f]{12}\.part$/s.test(name)
}

/**
 * Returns whether a file in a project folder is not an archived one by its name: SHA256SUMS, an unfinished file
 * (`<digits>-<installation>.part` of a download, `.<name>.part` of a write), or a file of the desktop. `path` is
 * relative to the project folder.
 */
export function isSideFile(path: string): boolean {
  if (path === checksumsFileName || isUnfinishedFile(path)) return true
  const name = path.slice(path.lastIndexOf('/') + 1)
  return /^\..+\.part$/s.test(name) || leftByDesktops.test(name)
}

/**
 * Returns whether a name in the root of a disk is that of a folder that a system keeps there: Linux, Windows, and
 * macOS, in this order.
 */
export function isSystemFolder(name: string): boolean {
  return (
    /^(?:lost\+found|\.Trash-\d+)$/i.test(name) ||
    /^(?:System Volume Information|\$RECYCLE\.BIN|RECYCLER)$/i.test(name) ||
    /^\.(?:Spotlight-V100|fseventsd|Trashes|TemporaryItems|DocumentRevisions-V100)$/i.test(name)
  )
}
