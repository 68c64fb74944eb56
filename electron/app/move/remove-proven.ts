import { lstat, readlink, rm, rmdir } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { atPath, lstatInside } from '../../engine/archive/inside-archive.ts'
import { errnoCode, notFoundCodes } from '../../engine/lib/fs/disk-error.ts'
import { retryWhileLocked, syncFolders } from '../../engine/lib/fs/durable-files.ts'
import { hashFile } from '../../engine/lib/fs/hash-file.ts'
import { isOne } from '../../engine/lib/fs/is-within.ts'
import { isSideFile } from '../../engine/lib/fs/side-files.ts'
import { isGone, accessErrors, namesIn, type TreeEntry, walkTree } from './walk-tree.ts'

/** Proof that a file has the same bytes in both folders. */
export interface Proof {
  readonly sha256: string
  readonly sizeBytes: number
  /** Modification times of the file in the old folder and in the new one. */
  readonly modifiedMs: readonly [number, number]
}

/** Proofs by relative path. They do not outlive the process: after a restart files are read again. */
export type Proofs = Map<string, Proof>

/**
 * Returns whether an entry of the first folder is in the second one too: the same link, or a file with the same bytes.
 * Both files are read, unless a proof shows that neither has changed since.
 */
async function isProven(
  entry: TreeEntry,
  [here, there]: readonly [string, string],
  proofs: Proofs,
  signal: AbortSignal,
): Promise<boolean> {
  const names = namesIn(entry.path)
  const other = await lstatInside(there, names).catch(() => undefined)
  if (other === undefined) return false
  if (entry.kind === 'link') {
    if (!other.isSymbolicLink()) return false
    const [mine, others] = await Promise.all([here, there].map((root) => atPath(root, names, (path) => readlink(path))))
    return mine === others
  }
  if (entry.kind !== 'file' || !other.isFile() || other.size !== entry.sizeBytes) return false
  const proof = proofs.get(entry.path)
  const isUntouched =
    proof?.sizeBytes === entry.sizeBytes &&
    proof.modifiedMs[0] === entry.modifiedMs &&
    proof.modifiedMs[1] === other.mtimeMs
  if (isUntouched) return true
  const mine = await atPath(here, names, (path) => hashFile(path, { signal }))
  const others = await atPath(there, names, (path) => hashFile(path, { signal }))
  return mine.sha256 === others.sha256
}

/**
 * Returns whether a file or link has one inode in both folders. A folder may have become a link to the other one, or a
 * mount of it: then each file is its own proof, and the only one.
 */
async function isOneEntry(entry: TreeEntry, folders: RemoveOptions['folders']): Promise<boolean> {
  const [mine, others] = await Promise.all(
    folders.map(async (root) =>
      atPath(root, namesIn(entry.path), (path) => lstat(path, { bigint: true })).catch((error: unknown) => {
        if (!notFoundCodes.has(errnoCode(error) ?? '')) throw error
        return undefined
      }),
    ),
  )
  return isOne(mine, others)
}

export interface RemoveOptions {
  /** Folder to remove from, and folder that must hold everything that is removed. */
  readonly folders: readonly [here: string, there: string]
  readonly proofs: Proofs
  /** True to remove incomplete copies of a move as well. */
  readonly dropUnfinished: boolean
  readonly signal: AbortSignal
  /** Called after each file. */
  readonly onRemoved: (sizeBytes: number) => void
}

/**
 * Removes the files of a folder that are proven to be in the other one, and the folders that this empties. Returns the
 * paths that stayed, including those that the system refused to remove. A missing folder is not an error.
 */
export async function removeProven(path: string, options: RemoveOptions): Promise<string[]> {
  const { folders, proofs, dropUnfinished, signal, onRemoved } = options
  const [here] = folders
  if ((await lstat(join(here, path)).catch(() => undefined)) === undefined) return []
  const left: string[] = []
  const onRefused = (refused: string) => left.push(refused)
  for await (const entry of walkTree(here, path, { foldersLast: true, onRefused })) {
    signal.throwIfAborted()
    try {
      if (entry.kind === 'folder') await atPath(here, namesIn(entry.path), removeEmptyFolder)
      else if (!(await isRemoved(entry))) left.push(entry.path)
      else if (entry.kind === 'file') onRemoved(entry.sizeBytes)
    } catch (error) {
      if (await isGone(error, here, path, entry.path)) continue
      if (!accessErrors.has(errnoCode(error) ?? '')) throw error
      left.push(entry.path)
    }
  }
  await syncFolders([await nearestFolder(dirname(join(here, path)))])
  return left

  async function isRemoved(entry: TreeEntry): Promise<boolean> {
    const mayGo = (dropUnfinished && isUnfinishedCopy(entry.path)) || (await isProven(entry, folders, proofs, signal))
    if (!mayGo || (await isOneEntry(entry, folders))) return false
    await atPath(here, namesIn(entry.path), (absolute) => retryWhileLocked(() => rm(absolute, { force: true })))
    return true
  }
}

/** Returns whether a path is an incomplete copy, `.<name>.part`. */
function isUnfinishedCopy(path: string): boolean {
  const name = posix.basename(path)
  return /^\..+\.part$/s.test(name) && isSideFile(name)
}

/** Removes a folder unless something is left in it. */
async function removeEmptyFolder(path: string): Promise<void> {
  try {
    await rmdir(path)
  } catch (error) {
    const code = errnoCode(error) ?? ''
    if (!accessErrors.has(code) && !['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(code)) throw error
  }
}

async function nearestFolder(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    const found = await lstat(folder).catch(() => undefined)
    if (found?.isDirectory() === true || dirname(folder) === folder) return folder
  }
}
