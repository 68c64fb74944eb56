import { accessSync, closeSync, constants, openSync, statfsSync } from 'node:fs'
import { AppError, type ErrorDetails } from '../../../../shared/errors.ts'
import { formatBytes } from '../../../../shared/format.ts'
import { errnoCode, isTooManyOpen, raiseOpenFiles } from './disk-error.ts'

/** Why the data folder cannot be written. SQLite has one code for missing rights and a disk that can only be read. */
export type DataFolderProblem = 'full' | 'quota' | 'read-only' | 'no-access' | 'failed'

const problemsByErrno: Readonly<Record<string, DataFolderProblem>> = {
  ENOSPC: 'full',
  EDQUOT: 'quota',
  EROFS: 'read-only',
  EACCES: 'no-access',
  EPERM: 'no-access',
}

/**
 * Returns an AppError for a file of the data folder that Node's file functions could not write, or `undefined` for an
 * error without an errno.
 */
export function dataFolderErrorOf(thrown: unknown, folder: string): AppError | undefined {
  const errno = errnoCode(thrown)
  if (errno === undefined) return undefined
  return dataFolderError(problemsByErrno[errno] ?? 'failed', folder, { details: { errno }, cause: thrown })
}

/** Returns the error of a data folder that nothing can be recorded in. `folder` is undefined if it is not known. */
export function dataFolderError(
  problem: DataFolderProblem,
  folder: string | undefined,
  { details, cause }: { readonly details: ErrorDetails; readonly cause: unknown },
): AppError {
  const actual = problem === 'no-access' && folder !== undefined && isOnReadOnlyDisk(folder) ? 'read-only' : problem
  const name = folder === undefined ? 'the data folder' : `the data folder ${folder}`
  // SQLite has one code for all files that it cannot open.
  const cannotOpen = String(details['sqlite']).startsWith('SQLITE_CANTOPEN')
  const [what, advice] =
    isTooManyOpen(cause) || (cannotOpen && lacksDescriptors(folder))
      ? [`Too many files are open to write to ${name}`, raiseOpenFiles]
      : sentences(actual, name, folder, String(details['errno'] ?? details['sqlite']))
  return new AppError(
    actual === 'full' || actual === 'quota' ? 'disk-full' : 'disk-error',
    `${what}, so nothing more can be recorded. Archived files and everything recorded so far are unchanged. ${advice}`,
    { details: { ...details, dataFolder: actual }, cause },
  )
}

function sentences(
  problem: DataFolderProblem,
  name: string,
  folder: string | undefined,
  code: string,
): readonly [string, string] {
  const free = folder === undefined ? '' : freeSpaceText(folder)
  switch (problem) {
    case 'full':
      return [`The disk with ${name} is full${free}`, 'Free some space there, then try again.']
    case 'quota':
      return [`Your quota on the disk with ${name} is used up`, 'Free some space there, then try again.']
    case 'read-only':
      return [`The disk with ${name} can only be read`, 'Lift its write protection, or choose another data folder.']
    case 'no-access':
      return [
        `Solarchive may not write to ${name}, or to a file in it`,
        'Give the user that runs Solarchive read and write access to the folder and all files in it, or choose ' +
          'another data folder.',
      ]
    case 'failed':
      return [
        `The disk with ${name} reports an error (${code})`,
        'Check the disk, your quota on it, and the rights on the folder, then try again.',
      ]
  }
}

/** Returns why a file in a folder could not be saved, and what to do, as the end of a sentence. */
export function whyNotSaved(error: unknown, folder: string): string {
  const errno = errnoCode(error)
  switch (problemsByErrno[errno ?? '']) {
    case 'full':
      return `its disk is full${freeSpaceText(folder)}; free some space there, then try again`
    case 'quota':
      return 'your quota on its disk is used up; free some space there, then try again'
    case 'read-only':
      return 'its disk can only be read'
    case 'no-access':
      return 'Solarchive has no write access to the folder, or to the file'
    default:
      return errno ?? 'unexpected'
  }
}

function freeSpaceText(folder: string): string {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return ` (${formatBytes(bavail * bsize)} free)`
  } catch {
    return ''
  }
}

/** Files that SQLite may open for a database: itself, its log, the log's index, and its folder. */
const filesOfDatabase = 4

/** Returns whether this process, or this machine, has too many files open for a database. */
function lacksDescriptors(folder = process.execPath): boolean {
  const opened: number[] = []
  try {
    while (opened.length < filesOfDatabase) opened.push(openSync(folder, 'r'))
    return false
  } catch (error) {
    return isTooManyOpen(error)
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

function isOnReadOnlyDisk(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return false
  } catch (error) {
    return errnoCode(error) === 'EROFS'
  }
}
