import { lstat, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import type { ExportFormat } from '../../../shared/export-parts.ts'
import { caseKey, safeName, uniqueName } from '../archive/safe-name.ts'
import { errnoCode, lstatIfExists, pathExists } from '../lib/fs/disk-error.ts'
import { fsyncFolder, publishNewFile, retryWhileLocked } from '../lib/fs/durable-files.ts'

/** A folder beside the target in which an export is made. It gets its final name in one step, or is removed. */
export interface WorkFolder {
  /** Absolute path that the export will have. */
  readonly path: string
  /** Absolute path of the file or folder that becomes the export. */
  readonly content: string
  /** Absolute path for a file that is only needed for a moment. */
  readonly scratch: string
  /** An earlier export to this path did not end: its files are in the content. */
  readonly isResumed: boolean
  /** Gives the content its final name, durably. Throws `wrong-usage` if that name is taken by now. */
  publish(): Promise<void>
  /** Removes everything. */
  remove(): Promise<void>
}

/** File that marks a folder as one of ours, with the process that works in it. */
const markName = 'solarchive-export.json'

export interface TargetOptions {
  /** Absolute path: of a folder that exists, in which the export gets a name of its own, or of what will be created. */
  readonly to: string
  readonly format: ExportFormat
  /** Name in a folder that exists. */
  readonly title: string
  /** Folders in which nothing may be written: the archive and the data folder. */
  readonly keepOut: readonly string[]
}

/**
 * Returns the path that an export will have. Throws `wrong-usage` if it exists, if its folder does not exist, and if it
 * is in the archive or the data folder.
 */
export async function resolveTarget({ to, format, title, keepOut }: TargetOptions): Promise<string> {
  const found = await lstatIfExists(to).catch((error: unknown) => cannotWrite(error, to))
  const isFolder = found !== undefined && (await isExistingFolder(to))
  if (found !== undefined && !isFolder) throw isTaken(to)
  const folder = isFolder ? to : dirname(to)
  if (!(await isExistingFolder(folder))) {
    throw new AppError(
      'wrong-usage',
      `The folder ${folder} does not exist. Nothing was written. Create it, or choose another one.`,
    )
  }
  const real = await realpath(folder)
  for (const forbidden of keepOut) await requireOutside(real, forbidden)
  if (!isFolder) return join(real, basename(to))
  const taken = new Set((await readdir(real).catch((error: unknown) => cannotWrite(error, to))).map(caseKey))
  return join(
    real,
    uniqueName(exportName(title, format), (candidate) => taken.has(caseKey(candidate))),
  )
}

/** Returns the name of an export in a folder that exists. */
export function exportName(title: string, format: ExportFormat): string {
  return format === 'zip'
    ? safeName(`${title}.zip`, { fallback: 'Export', keepExtension: true })
    : safeName(title, { fallback: 'Export' })
}

async function isExistingFolder(path: string): Promise<boolean> {
  return realpath(path)
    .then((real) => lstat(real))
    .then((found) => found.isDirectory())
    .catch(() => false)
}

async function requireOutside(folder: string, forbidden: string): Promise<void> {
  const above = await realpath(forbidden).catch(() => undefined)
  if (above === undefined) return
  const way = relative(above, folder)
  const isInside = way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`))
  if (!isInside) return
  throw new AppError(
    'wrong-usage',
    `${folder} is in the folder of the archive, or in Solarchive's data folder, which hold only what Solarchive puts ` +
      'there. Nothing was written. Choose a folder outside of them.',
  )
}

/**
 * Creates the folder for an export, or takes over the one of an export that was interrupted. Throws `wrong-usage` if a
 * running process works in it, or if it is not ours.
 */
export async function openWorkFolder(path: string, format: ExportFormat): Promise<WorkFolder> {
  const folder = join(dirname(path), `.${basename(path)}.partial`)
  const content = join(folder, format === 'zip' ? 'content.zip' : 'content')
  const mark = join(folder, markName)
  try {
    await mkdir(folder).catch(async (error: unknown) => {
      if (errnoCode(error) !== 'EEXIST') throw error
      await requireAbandoned(folder, mark)
    })
    await writeFile(mark, JSON.stringify({ pid: process.pid, host: hostname() }))
    // Only a folder is resumed: the directory of a zip comes last.
    if (format === 'zip') await rm(content, { recursive: true, force: true })
    const isResumed = format !== 'zip' && (await pathExists(content))
    if (format !== 'zip') await mkdir(content, { recursive: true })
    return {
      ...{ path, content, isResumed, scratch: join(folder, 'scratch') },
      async publish() {
        if (format === 'zip') {
          if (!(await publishNewFile(content, path))) throw isTaken(path)
        } else {
          if (await pathExists(path)) throw isTaken(path)
          await fsyncFolder(content)
          await retryWhileLocked(() => rename(content, path))
        }
        await fsyncFolder(dirname(path))
        // The export is complete: what is left of its folder must not make it fail.
        await rm(folder, { recursive: true, force: true }).catch(() => undefined)
      },
      remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
    }
  } catch (error) {
    return cannotWrite(error, path)
  }
}

async function requireAbandoned(folder: string, mark: string): Promise<void> {
  const text = await readFile(mark, 'utf8').catch(() => undefined)
  const names = await readdir(folder)
  if (text === undefined && names.length > 0) {
    throw new AppError(
      'wrong-usage',
      `${folder} is in the way, and it is not from an export. Nothing was written. Choose another name.`,
    )
  }
  if (text === undefined || !isWorkedIn(text)) return
  throw new AppError(
    'wrong-usage',
    `Another Solarchive is exporting to the same path right now (its files are in ${folder}). Nothing was written. ` +
      'Wait for it, or choose another name.',
  )
}

/** Returns whether the process of a mark may still run. One of another machine is not known to. */
function isWorkedIn(text: string): boolean {
  try {
    const { pid, host } = JSON.parse(text) as { pid?: unknown; host?: unknown }
    if (typeof pid !== 'number' || host !== hostname() || pid === process.pid) return false
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errnoCode(error) === 'EPERM'
  }
}

function isTaken(path: string): AppError {
  return new AppError(
    'wrong-usage',
    `${path} exists already, and an export never replaces anything. Nothing was written. Choose another name.`,
  )
}

/** Throws an error about the folder that is exported to: the archive has nothing to do with it. */
export function cannotWrite(error: unknown, path: string): never {
  const errno = errnoCode(error)
  if (error instanceof AppError || errno === undefined) throw error
  const folder = dirname(path)
  const isFull = errno === 'ENOSPC' || errno === 'EDQUOT'
  const problems: Readonly<Record<string, string>> = {
    ENOENT: `The folder ${folder} no longer exists.`,
    EACCES: `You have no permission to write to ${folder}.`,
    EPERM: `You have no permission to write to ${folder}.`,
    EROFS: `The disk of ${folder} is read-only.`,
    ENAMETOOLONG: `The disk of ${folder} does not take names of this length.`,
    EFBIG: `The disk of ${folder} does not take files of this size.`,
  }
  const problem = isFull ? `The disk of ${folder} is full.` : (problems[errno] ?? `${folder} failed (${errno}).`)
  throw new AppError(
    isFull ? 'disk-full' : 'disk-error',
    `${problem} The export was not completed, and the archive is unchanged.`,
    { cause: error, details: { errno } },
  )
}
