import type { Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ErrorCode } from '../../../../shared/error-policy.ts'
import { AppError, toAppError } from '../../../../shared/errors.ts'

type DiskErrorCode = Extract<ErrorCode, 'disk-full' | 'archive-read-only' | 'archive-unavailable' | 'disk-error'>

/** What the codes of errno(3) mean for the archive; any other is an error of the disk. */
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
}

const explanations: Readonly<Record<DiskErrorCode, string>> = {
  'disk-full': 'the disk is full. What is archived stays as it is. Free some space; the next sync goes on from here.',
  'archive-read-only':
    'the archive folder may not be written to. What is archived stays as it is. ' +
    'Give Solarchive write access to the folder, or lift the write protection of the disk.',
  'archive-unavailable':
    'the archive folder is not there. Nothing is lost. ' +
    'Connect its drive or network share again, or tell Solarchive where the folder is now.',
  'disk-error':
    'the file system reported an error. The file does not count as archived and is tried again. ' +
    'If this comes back, have the disk checked.',
}

/**
 * What an error of Node's file functions means for the archive. `what` completes "Solarchive could not ...": `write
 * report.pdf`. An AppError comes back as it is; what is no error of the disk becomes `internal`.
 */
export function toDiskError(error: unknown, what: string): AppError {
  const errno = errnoCode(error)
  if (errno === undefined) return toAppError(error)
  return diskError(codesByErrno[errno] ?? 'disk-error', error, what)
}

/** Like `toDiskError`, where it is known whether the archive is there: one missing file is not a missing archive. */
export function toArchiveError(error: unknown, what: string, rootIsThere: boolean): AppError {
  const told = toDiskError(error, what)
  if (error === told || told.code !== 'archive-unavailable') return told
  return rootIsThere ? diskError('disk-error', error, what) : told
}

/** Codes that speak of rights, which each folder may give or refuse for itself. */
const refusals: ReadonlySet<string> = new Set(['EACCES', 'EPERM'])

/** The refusal of a right that an error tells of, also where it was translated already; undefined for any other. */
export function permissionErrorOf(error: unknown): NodeJS.ErrnoException | undefined {
  const told = error instanceof AppError && error.code === 'archive-read-only' ? error.cause : error
  return refusals.has(errnoCode(told) ?? '') ? (told as NodeJS.ErrnoException) : undefined
}

/** The archive takes files, this one of its folders (absolute) does not. */
export function folderAccessDenied(refusal: NodeJS.ErrnoException, what: string, folder: string): AppError {
  const message =
    `Solarchive could not ${what}: it may not work in the folder ${folder}. What is archived stays as it is, and ` +
    'everything else is archived as ever. Give Solarchive write access to this folder and all that is in it, and close ' +
    'programs that have files of it open; it is tried again by itself.'
  return new AppError('disk-error', message, { details: { errno: errnoCode(refusal) }, cause: refusal })
}

/** The archive folder is not there, and the folder where it would have to be made takes none. */
export function archiveNotCreated(refusal: NodeJS.ErrnoException, root: string): AppError {
  const above = dirname(refusal.path ?? root)
  const message =
    `Solarchive may not write to ${above}, so it could not make the archive folder ${root}. Nothing was changed. ` +
    'Give it the right to write there, or choose another archive folder.'
  // Without its cause, which would be explained anew as that of a folder that is not there.
  return new AppError('archive-read-only', message, { details: { errno: errnoCode(refusal) } })
}

/** The archive folder is gone, or another folder is in its place. */
export function archiveUnavailable(what: string): AppError {
  return diskError('archive-unavailable', undefined, what)
}

/** The code of an error of the operating system (`ENOENT`); undefined for Node's own (`ERR_...`) and all others. */
export function errnoCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/** Codes that say of a path that there is no such file. */
export const notFoundCodes: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

function diskError(code: DiskErrorCode, error: unknown, what: string): AppError {
  return new AppError(code, `Solarchive could not ${what}: ${explanations[code]}`, {
    details: { errno: errnoCode(error) },
    cause: error,
  })
}

/** Undefined when nothing is there. Rejects when that cannot be told: what may not be looked at is not missing. */
export async function lstatIfExists(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: unknown) => {
    if (notFoundCodes.has(errnoCode(error) ?? '')) return undefined
    throw error
  })
}

/** Whether something has this name, a link that leads nowhere included. Rejects where that cannot be told. */
export async function pathExists(path: string): Promise<boolean> {
  return (await lstatIfExists(path)) !== undefined
}
