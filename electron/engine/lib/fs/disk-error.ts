import { lstatSync, type Stats } from 'node:fs'
import { lstat, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ErrorCode } from '../../../../shared/error-policy.ts'
import { AppError, toAppError } from '../../../../shared/errors.ts'

type DiskErrorCode = Extract<ErrorCode, 'disk-full' | 'archive-read-only' | 'archive-unavailable' | 'disk-error'>

/** Meaning of the codes of errno(3) for the archive; any other code is a `disk-error`. */
const codesByErrno: Readonly<Record<string, DiskErrorCode>> = {
  ENOSPC: 'disk-full',
  EDQUOT: 'disk-full',
  EROFS: 'archive-read-only',
  EACCES: 'archive-read-only',
  EPERM: 'archive-read-only',
  ENOENT: 'archive-unavailable',
  ENOTDIR: 'archive-unavailable',
  // A drive that was pulled out, a network share that went away.
  ENODEV: 'archive-unavailable',
  ENXIO: 'archive-unavailable',
  ESTALE: 'archive-unavailable',
  ENOTCONN: 'archive-unavailable',
  EHOSTDOWN: 'archive-unavailable',
  EHOSTUNREACH: 'archive-unavailable',
  ENETUNREACH: 'archive-unavailable',
  ETIMEDOUT: 'archive-unavailable',
  // Windows: a share that went away while a file was read or written.
  ECONNRESET: 'archive-unavailable',
}

/**
 * libuv's code for each error of Windows that has none in errno(3): a share that is not found, a drive that is not
 * ready, but also one file that a virus scanner or a cloud drive refuses.
 */
const windowsOther = 'UNKNOWN'

const explanations: Readonly<Record<DiskErrorCode, string>> = {
  'disk-full':
    'the disk is full. Archived files are unchanged. Free some space, then try again; a sync resumes where it was.',
  'archive-read-only':
    'the archive folder is not writable, or not readable. Archived files are unchanged. ' +
    'Give Solarchive read and write access to the folder, or lift the write protection of the disk.',
  'archive-unavailable':
    'the archive folder was not found. Nothing is lost. ' +
    'Connect its drive or network share again, or set its new location in Solarchive.',
  'disk-error':
    'the file system reported an error. The file does not count as archived and is tried again. ' +
    'If this comes back, have the disk checked.',
}

/**
 * Converts an error of Node's file functions. `what` completes "Solarchive could not ...": `write report.pdf`. Returns
 * an AppError unchanged; an error without an errno becomes `internal`.
 */
export function toDiskError(error: unknown, what: string): AppError {
  const errno = errnoCode(error)
  if (errno === undefined) return toAppError(error)
  if (errno === 'ELOOP') return linkInsideArchive(error as NodeJS.ErrnoException, what)
  return diskError(codesByErrno[errno] ?? 'disk-error', error, what)
}

/**
 * Like `toDiskError`, if it is known whether the archive root exists: one missing file is not a missing archive, also
 * if its error was converted already.
 */
export function toArchiveError(error: unknown, what: string, rootExists: boolean): AppError {
  const converted = toDiskError(error, what)
  const { cause } = converted
  if (!rootExists && errnoCode(cause) === windowsOther) return archiveUnavailable(what, cause)
  if (converted.code !== 'archive-unavailable' || !rootExists) return converted
  if (error !== converted) return diskError('disk-error', error, what)
  // Other errors of a converted one are of the disk or the network, whatever a cached look at the root says.
  return notFoundCodes.has(errnoCode(cause) ?? '') ? diskError('disk-error', cause, what) : converted
}

/** Codes for missing rights, which may concern a single folder. */
const permissionCodes: ReadonlySet<string> = new Set(['EACCES', 'EPERM'])

/** Returns the permission error in an error, also if it was converted already; undefined for any other. */
export function permissionErrorOf(error: unknown): NodeJS.ErrnoException | undefined {
  const original = error instanceof AppError && error.code === 'archive-read-only' ? error.cause : error
  return permissionCodes.has(errnoCode(original) ?? '') ? (original as NodeJS.ErrnoException) : undefined
}

/** Returns the error for one folder (absolute) without read or write access in a writable archive. */
export function folderAccessDenied(refusal: NodeJS.ErrnoException, what: string, folder: string): AppError {
  const message =
    `Solarchive could not ${what}: it has no write access, or no read access, to the folder ${folder}. Archived files ` +
    'are unchanged, and everything else is archived as usual. Give Solarchive read and write access to this folder ' +
    'and all its contents, and close programs that have its files open; Solarchive tries again automatically.'
  return new AppError('disk-error', message, { details: { errno: errnoCode(refusal) }, cause: refusal })
}

/** Returns the error for a link where the archive has a folder or file. */
function linkInsideArchive(refusal: NodeJS.ErrnoException, what: string): AppError {
  const message =
    `Solarchive could not ${what}: ${refusal.path ?? 'a folder of the archive'} is a link to another place, and ` +
    'inside the archive folder Solarchive follows no links. Archived files are unchanged, and everything else is ' +
    'archived as usual. Remove or rename the link; Solarchive tries again automatically. To keep the archive on ' +
    'another disk, move it there as a whole.'
  return new AppError('disk-error', message, { details: { errno: 'ELOOP' }, cause: refusal })
}

/** Returns the error for a missing archive folder that cannot be created in its parent folder. */
export function archiveNotCreated(refusal: NodeJS.ErrnoException, root: string): AppError {
  const above = dirname(refusal.path ?? root)
  const message =
    `Solarchive may not write to ${above}, so it could not create the archive folder ${root}. Nothing was changed. ` +
    'Give it write access there, or choose another archive folder.'
  // Without its cause, which would be converted again to the error of a missing folder.
  return new AppError('archive-read-only', message, { details: { errno: errnoCode(refusal) } })
}

/** Returns the error for an archive folder that is gone or was replaced by another folder. */
export function archiveUnavailable(what: string, cause?: unknown): AppError {
  return diskError('archive-unavailable', cause, what)
}

/**
 * Returns the code of an operating system error (`ENOENT`, or `UNKNOWN` on Windows); undefined for Node's own
 * (`ERR_...`) and all others.
 */
export function errnoCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' && (/^E[A-Z0-9]+$/.test(code) || code === windowsOther) ? code : undefined
}

/** Codes for a path at which no file exists. */
export const notFoundCodes: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

/**
 * Codes for too many open files, in this process or on this machine. They say nothing about the file or folder that was
 * to be opened.
 */
const tooManyOpenCodes: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE'])

/** Advice for `isTooManyOpen`. */
export const raiseOpenFiles =
  'Raise the limit of open files for Solarchive (in a shell, "ulimit -n 4096" before the command; for a service, ' +
  'LimitNOFILE), or close other programs, then try again.'

/** Returns whether an error only means that too many files are open. */
export function isTooManyOpen(error: unknown): boolean {
  return tooManyOpenCodes.has(errnoCode(error) ?? '')
}

/**
 * For the errors of a file or folder that need not be told apart: returns undefined. Throws one that only means that too
 * many files are open, because nothing follows from it for the file.
 */
export function undefinedIfUnreadable(error: unknown): undefined {
  if (isTooManyOpen(error)) throw error
}

/** Codes for a file where a folder has to be, or the reverse. */
const inTheWayCodes: ReadonlySet<string> = new Set(['EISDIR', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY'])

function diskError(code: DiskErrorCode, error: unknown, what: string): AppError {
  const errno = errnoCode(error)
  const explanation = code === 'disk-error' ? explainOne(error, errno) : explanations[code]
  return new AppError(code, `Solarchive could not ${what}: ${explanation}`, { details: { errno }, cause: error })
}

/** Explains an error of one file or folder. */
function explainOne(error: unknown, errno: string | undefined): string {
  const { path, dest = path } = (error ?? {}) as NodeJS.ErrnoException & { readonly dest?: string }
  if (dest !== undefined && inTheWayCodes.has(errno ?? '')) {
    return (
      `something else is in the way at ${dest}: a file where a folder has to be, or a folder where a file has to be. ` +
      'Archived files are unchanged. Move it out of the archive folder; Solarchive tries again automatically.'
    )
  }
  // Most often on Windows: a sharing violation.
  if (errno === 'EBUSY') {
    return (
      `another program has ${dest ?? 'the file'} open. Archived files are unchanged. Close that program; Solarchive ` +
      'tries again automatically.'
    )
  }
  if (isTooManyOpen(error)) return `too many files are open. Archived files are unchanged. ${raiseOpenFiles}`
  return explanations['disk-error']
}

/** Returns undefined if nothing exists at the path. Rejects if that is unknown: an inaccessible file is not missing. */
export async function lstatIfExists(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: unknown) => {
    if (notFoundCodes.has(errnoCode(error) ?? '')) return undefined
    throw error
  })
}

/** Like `lstatIfExists`, without waiting. */
export function lstatIfExistsSync(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (notFoundCodes.has(errnoCode(error) ?? '')) return undefined
    throw error
  }
}

/** Returns whether anything exists at the path, including a broken link. Rejects if that is unknown. */
export async function pathExists(path: string): Promise<boolean> {
  return (await lstatIfExists(path)) !== undefined
}

/** Returns whether a path leads to a folder, also through links; false if that cannot be found out. */
export function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
