import { open, readdir, readFile, rmdir, unlink } from 'node:fs/promises'
import { atPath, existsInside, inFolder, lstatInside, type PathBelow } from '../archive/inside-archive.ts'
import { checksumsFileName, evidenceFolder } from '../archive/layout.ts'
import { errnoCode, notFoundCodes } from '../lib/fs/disk-error.ts'
import { readNoFollow } from '../lib/fs/hash-file.ts'
import { isUnfinishedFile } from '../lib/fs/side-files.ts'

/** Names in a folder of evidence: a public format, see docs/archive-format.md. */
export const manifestName = 'SHA256SUMS'
export const stampName = 'SHA256SUMS.tsr'
export const readmeName = 'README.txt'
export const copiesFolder = 'projects'

/** The date, and with a time if the archive was stamped again on that day. */
const folderName = /^\d{4}-\d{2}-\d{2}(?:T\d{2}-\d{2}-\d{2}Z)?$/

/** Returns whether a folder is named like one of evidence. */
export const isEvidenceName = (name: string) => folderName.test(name)

/** Returns the name of the folder for a day, UTC, or with `withTime` for a second. */
export function evidenceName(nowMs: number, { withTime = false } = {}): string {
  const iso = new Date(nowMs).toISOString()
  return withTime ? `${iso.slice(0, 19).replaceAll(':', '-')}Z` : iso.slice(0, 10)
}

/** Returns the path of a folder of evidence, or of something in it, relative to the archive root. */
export const pathOf = (folder: string, ...names: readonly string[]) => [evidenceFolder, folder, ...names].join('/')

/** Returns the folders of evidence in a folder, in the order of time; none if it is missing. Throws like `inFolder`. */
export async function listEvidence(root: string, folder: string): Promise<string[]> {
  const listing = inFolder(root, folder, (path) => readdir(path, { withFileTypes: true }))
  const entries = await listing.catch(noneIfMissing)
  return entries.flatMap((entry) => (entry.isDirectory() && isEvidenceName(entry.name) ? [entry.name] : [])).sort()
}

function noneIfMissing(error: unknown): [] {
  if (errnoCode(error) !== 'ELOOP' && notFoundCodes.has(errnoCode(error) ?? '')) return []
  throw error
}

/** Returns whether a folder of the archive's evidence has a file. */
export async function hasFile(root: string, folder: string, name: string): Promise<boolean> {
  return (await lstatInside(root, pathOf(folder, name)))?.isFile() === true
}

/**
 * Reads a file below `root`, never through a link; undefined if there is none. Throws RangeError for one that is larger
 * than `maxBytes`.
 */
export async function readInside(
  root: string,
  names: readonly string[],
  maxBytes: number,
): Promise<Buffer | undefined> {
  try {
    return await atPath(root, names, async (path) => {
      const file = await open(path, readNoFollow)
      try {
        const found = await file.stat()
        if (!found.isFile()) return undefined
        if (found.size > maxBytes) throw new RangeError('The file is too large')
        return await readFile(file)
      } finally {
        await file.close()
      }
    })
  } catch (error) {
    if (notFoundCodes.has(errnoCode(error) ?? '')) return undefined
    throw error
  }
}

/** Returns whether a folder of the archive's evidence has neither a root manifest nor a stamp: it proves nothing. */
export function isIncomplete(root: string, folder: string): boolean {
  return ![manifestName, stampName].some((name) => existsInside(root, pathOf(folder, name)))
}

/**
 * Removes what Solarchive has written into a folder of evidence that it never completed: the copies, README.txt, and
 * what a write that was cut off has left. A folder that contains something else stays. Throws disk errors.
 */
export async function removeIncomplete(root: string, folder: string): Promise<void> {
  const copies = pathOf(folder, copiesFolder)
  for (const project of await namesIn(root, copies)) {
    await removeFolder(root, [...copies.split('/'), project], [checksumsFileName])
  }
  await removeFolder(root, copies.split('/'), [])
  await removeFolder(root, pathOf(folder).split('/'), [readmeName])
}

/** Removes files, and those of writes that were cut off, and then the folder if it is empty. */
async function removeFolder(root: string, folder: readonly string[], files: readonly string[]): Promise<void> {
  for (const name of await namesIn(root, folder)) {
    if (files.includes(name) || isUnfinishedFile(name)) await atPath(root, [...folder, name], unlink)
  }
  await atPath(root, folder, rmdir).catch((error: unknown) => {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'ENOENT'].includes(errnoCode(error) ?? '')) throw error
  })
}

async function namesIn(root: string, folder: PathBelow): Promise<string[]> {
  return inFolder(root, folder, (path) => readdir(path)).catch(noneIfMissing)
}
