import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import type { ExportFormat } from '../../../shared/export-parts.ts'
import { caseKey, safeName, uniqueName } from '../archive/safe-name.ts'
import { formatBytes } from '../../../shared/format.ts'
import { errnoCode, isFolder, lstatIfExists } from '../lib/fs/disk-error.ts'
import { freeSpaceOf } from '../lib/fs/free-space.ts'
import { isWithin, withoutLinks } from '../lib/fs/is-within.ts'

export interface TargetOptions {
  /** Absolute path: of a folder that exists, in which the export gets a name of its own, or of what will be created. */
  readonly to: string
  readonly format: ExportFormat
  /** Name in a folder that exists. */
  readonly title: string
  /** Folders in which nothing may be written: the archive and the data folder. */
  readonly keepOut: readonly string[]
}

export interface ResolvedTarget {
  /** Absolute path that the export will have. */
  readonly path: string
  /** Returns another path if something has taken this one. Absent if `to` is to be created. */
  readonly choosePath?: () => Promise<string>
}

/**
 * Returns where an export will be. Throws `wrong-usage` if the path exists, if its folder does not exist or cannot be
 * read, and if it is in the archive or the data folder.
 */
export async function resolveTarget({ to, format, title, keepOut }: TargetOptions): Promise<ResolvedTarget> {
  const found = await lstatIfExists(to).catch((error: unknown) => {
    throw cannotWrite(error, to, 'wrong-usage')
  })
  if (found !== undefined && !(await isFolder(to))) throw isTaken(to)
  const folder = found === undefined ? dirname(to) : to
  if (!(await isFolder(folder))) {
    throw new AppError(
      'wrong-usage',
      `The folder ${folder} does not exist. Nothing was written. Create it, or choose another one.`,
    )
  }
  const real = await withoutLinks(folder)
  for (const forbidden of keepOut) await requireOutside(real, forbidden)
  if (found === undefined) return { path: join(real, basename(to)) }
  const name = exportName(title, format)
  const choosePath = async () => {
    const names = await readdir(real).catch((error: unknown) => {
      throw cannotWrite(error, join(to, name), 'wrong-usage')
    })
    const taken = new Set(names.map(caseKey))
    return join(
      real,
      uniqueName(name, (candidate) => taken.has(caseKey(candidate))),
    )
  }
  return { path: await choosePath(), choosePath }
}

/** Returns the name of an export in a folder that exists. */
export function exportName(title: string, format: ExportFormat): string {
  return format === 'zip'
    ? safeName(`${title}.zip`, { fallback: 'Export', keepExtension: true })
    : safeName(title, { fallback: 'Export' })
}

async function requireOutside(folder: string, forbidden: string): Promise<void> {
  const above = await withoutLinks(forbidden).catch(() => undefined)
  if (above === undefined || !(await isWithin(folder, above))) return
  throw new AppError(
    'wrong-usage',
    `${folder} is in the folder of the archive, or in Solarchive's data folder, which hold only what Solarchive puts ` +
      'there. Nothing was written. Choose a folder outside of them.',
  )
}

/** Returns the error for a path at which something exists. */
export function isTaken(path: string): AppError {
  return new AppError(
    'wrong-usage',
    `${path} exists already, and an export never replaces anything. Nothing was written. Choose another name.`,
  )
}

/**
 * Throws `disk-full` unless the disk of a target has room. `needs` begins the message, as in "The export needs";
 * `resumedBytes` are those of files that are kept, overwritten, or removed.
 */
export async function requireSpace(
  path: string,
  neededBytes: number,
  { needs, resumedBytes = 0 }: { readonly needs: string; readonly resumedBytes?: number },
): Promise<void> {
  const folder = dirname(path)
  const space = await freeSpaceOf(folder)
  if (space === undefined) return
  const freeBytes = space.freeBytes + resumedBytes
  if (freeBytes >= neededBytes) return
  throw new AppError(
    'disk-full',
    `${needs} ${formatBytes(neededBytes)}, and ${formatBytes(freeBytes)} are free on the disk of ${folder}. ` +
      'Nothing was written. Free some space, or choose another disk.',
    { details: { neededBytes, freeBytes } },
  )
}

/**
 * Returns the error for the folder that is exported to: the archive has nothing to do with it. `code` is that of a
 * folder or name which cannot be used: `wrong-usage` as long as nothing is written.
 */
export function cannotWrite(error: unknown, path: string, code: 'disk-error' | 'wrong-usage' = 'disk-error'): unknown {
  const errno = errnoCode(error)
  if (error instanceof AppError || errno === undefined) return error
  const folder = dirname(path)
  const isFull = errno === 'ENOSPC' || errno === 'EDQUOT'
  const problems: Readonly<Record<string, string>> = {
    ENOENT: `The folder ${folder} no longer exists.`,
    EACCES: `You have no permission to write to ${folder}.`,
    EPERM: `You have no permission to write to ${folder}.`,
    EROFS: `The disk of ${folder} is read-only.`,
    ENAMETOOLONG: `The name is too long: while it is written, it is longer by up to 42 bytes. Choose a shorter one.`,
    EFBIG: `The disk of ${folder} does not take files of this size. Choose a folder instead of a zip, or another disk.`,
  }
  const known = problems[errno]
  const problem = isFull ? `The disk of ${folder} is full.` : (known ?? `${folder} failed (${errno}).`)
  return new AppError(
    isFull ? 'disk-full' : known === undefined ? 'disk-error' : code,
    `${problem} Nothing was completed, and the archive is unchanged.`,
    { cause: error, details: { errno } },
  )
}
