import { lstat } from 'node:fs/promises'
import { errnoCode } from '../archive/disk-error.ts'

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
