import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppError } from '../../../../shared/errors.ts'
import { errnoCode, toDiskError } from './disk-error.ts'

/** Hidden, so that nobody wonders about it in the moment that it is there. */
const probeName = '.solarchive-probe'

/** Writes a file and deletes it again: tells whether the archive takes files. Throws a disk error. */
export async function probeWriting(root: string): Promise<void> {
  const path = join(root, probeName)
  try {
    // Exclusive: never through a link that stands under the name.
    await rm(path, { force: true })
    const file = await open(path, 'wx')
    try {
      await file.writeFile('Solarchive looks whether this folder can be written to.\n')
      await file.sync()
    } finally {
      await file.close()
      await rm(path, { force: true })
    }
  } catch (error) {
    // Another installation on this archive looks in the same moment.
    if (errnoCode(error) === 'EEXIST') return
    throw toDiskError(error, `write to the archive folder ${root}`)
  }
}

/** Why the archive takes no files; undefined when it does. */
export async function whyNotWritable(root: string): Promise<AppError | undefined> {
  return probeWriting(root).then(
    () => undefined,
    (error: AppError) => error,
  )
}
