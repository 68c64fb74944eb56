import { randomBytes } from 'node:crypto'
import { lstat, mkdir, open, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { AppError } from '../../../../shared/errors.ts'
import { pathExists, toDiskError } from './disk-error.ts'
import { retryWhileLocked } from './durable-files.ts'
import { temporaryPath } from './side-files.ts'

const probeName = 'solarchive-probe'
const probeText = 'Solarchive looks whether this folder can be written to.\n'
/** The second form is the name under which earlier versions wrote it. */
const probeNames = new RegExp(`^\\.${probeName}(?:\\.[0-9a-f]{12}\\.part)?$`)

/** Writes a file into the folder and deletes it again. Throws a disk error if the folder takes no files. */
export async function probeWriting(root: string): Promise<void> {
  const path = probePath(root)
  try {
    const file = await open(path, 'wx')
    try {
      await file.writeFile(probeText)
      await file.sync()
    } finally {
      await file.close()
      await retryWhileLocked(() => rm(path, { force: true }))
    }
  } catch (error) {
    throw toDiskError(error, `write to the archive folder ${root}`)
  }
}

/**
 * Returns whether a file that is created in a folder is in the other one as well: of a folder that is mounted twice,
 * each path may have its own device number. Throws a disk error if that cannot be found out.
 */
export async function isSeenIn(other: string, folder: string): Promise<boolean> {
  await deleteAbandonedProbes(folder)
  const path = probePath(folder)
  try {
    // Empty: a full disk may take it.
    await (await open(path, 'wx')).close()
    return await pathExists(join(other, basename(path)))
  } catch (error) {
    throw toDiskError(error, `find out whether ${folder} and ${other} are one folder`)
  } finally {
    await retryWhileLocked(() => rm(path, { force: true })).catch(() => undefined)
  }
}

/** Makes a folder in the folder and deletes it again. Rejects with the error of Node's function if it takes none. */
export async function probeMakingFolders(root: string): Promise<void> {
  const path = probePath(root)
  await mkdir(path)
  await retryWhileLocked(() => rmdir(path))
}

/** A new random name each time: never an existing file, and never a link with that name. */
const probePath = (root: string) => temporaryPath(join(root, probeName), randomBytes(6).toString('hex'))

/** Returns why the folder takes no files, or undefined if it does. */
export async function findWriteProblem(root: string): Promise<AppError | undefined> {
  return probeWriting(root).then(
    () => undefined,
    (error: AppError) => error,
  )
}

/**
 * Deletes probes whose process ended before it deleted them. A file with such a name and other contents belongs to
 * someone else and is kept. A folder that allows no deletion keeps its probes until the next call.
 */
export async function deleteAbandonedProbes(root: string): Promise<void> {
  const names = await readdir(root).catch(() => [])
  for (const name of names.filter((name) => probeNames.test(name))) {
    const path = join(root, name)
    if (await isProbe(path).catch(() => false)) await rm(path, { force: true }).catch(() => undefined)
  }
}

/** Returns whether a regular file contains the probe's text, or the beginning of it. */
async function isProbe(path: string): Promise<boolean> {
  const found = await lstat(path)
  if (!found.isFile() || found.size > probeText.length) return false
  return probeText.startsWith(await readFile(path, 'utf8'))
}
