import { lstat, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errnoCode } from '../archive/disk-error.ts'
import { syncFolders } from '../archive/durable-files.ts'

/**
 * Makes a folder and those above it, durably. One by one: Node's own way never ends where a file system says of a folder to
 * be made that it is not there.
 */
export async function makeFolders(folder: string): Promise<void> {
  const above = dirname(folder)
  if (above !== folder && !(await isFolder(above))) await makeFolders(above)
  if (await isFolder(folder)) return
  await mkdir(folder)
  await syncFolders([above])
}

/** Whether something has this name, a link that leads nowhere included. Rejects where that cannot be told. */
export async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => {
      if (['ENOENT', 'ENOTDIR'].includes(errnoCode(error) ?? '')) return false
      throw error
    },
  )
}

/** Whether there is a folder, or a link to one. */
async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
