import { lstat, readlink, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errnoCode } from '../../engine/lib/fs/disk-error.ts'
import { retryWhileLocked, syncFolders } from '../../engine/lib/fs/durable-files.ts'
import { hashFile } from '../../engine/lib/fs/hash-file.ts'
import { isSideFile } from '../../engine/lib/fs/side-files.ts'
import { isGone, refusedOne, type TreeEntry, walkTree } from './walk-tree.ts'

/** What was found of a file when both of its places were read and were the same. */
export interface Proof {
  readonly sha256: string
  readonly sizeBytes: number
  /** Of the file in the old place and in the new one. */
  readonly modifiedMs: readonly [number, number]
}

/** Proofs by relative path. Those of a process that ended are gone: then files are read again. */
export type Proofs = Map<string, Proof>

/**
 * Whether what stands in the first folder stands in the second as well: a link as the same link, a file with the same
 * bytes, read in both places unless a proof says that they were read and neither was touched since.
 */
export async function isProven(
  entry: TreeEntry,
  [here, there]: readonly [string, string],
  proofs: Proofs,
  signal: AbortSignal,
): Promise<boolean> {
  const other = await lstat(join(there, entry.path)).catch(() => undefined)
  if (other === undefined) return false
  if (entry.kind === 'link') {
    if (!other.isSymbolicLink()) return false
    const [mine, others] = await Promise.all([readlink(join(here, entry.path)), readlink(join(there, entry.path))])
    return mine === others
  }
  if (entry.kind !== 'file' || !other.isFile() || other.size !== entry.sizeBytes) return false
  const proof = proofs.get(entry.path)
  const isUntouched =
    proof?.sizeBytes === entry.sizeBytes &&
    proof.modifiedMs[0] === entry.modifiedMs &&
    proof.modifiedMs[1] === other.mtimeMs
  if (isUntouched) return true
  const mine = await hashFile(join(here, entry.path), { signal })
  const others = await hashFile(join(there, entry.path), { signal })
  return mine.sha256 === others.sha256
}

export interface RemoveOptions {
  /** Where it is taken away, and where everything that is taken away has to be. */
  readonly places: readonly [here: string, there: string]
  readonly proofs: Proofs
  /** Copies of ours that are not whole are taken away as well. */
  readonly dropUnfinished: boolean
  readonly signal: AbortSignal
  /** Told of each file. */
  readonly onRemoved: (sizeBytes: number) => void
}

/**
 * Takes away of a folder what is proven to be in the other place, file by file, and the folders that are empty then.
 * Answers the paths of what stayed, also because the system refused it. A folder that is not there is done.
 */
export async function removeProven(path: string, options: RemoveOptions): Promise<string[]> {
  const { places, proofs, dropUnfinished, signal, onRemoved } = options
  const [here] = places
  if ((await lstat(join(here, path)).catch(() => undefined)) === undefined) return []
  const left: string[] = []
  const onRefused = (refused: string) => left.push(refused)
  for await (const entry of walkTree(here, path, { foldersLast: true, onRefused })) {
    signal.throwIfAborted()
    try {
      if (entry.kind === 'folder') await removeEmptyFolder(join(here, entry.path))
      else if (!(await isRemoved(entry))) left.push(entry.path)
      else if (entry.kind === 'file') onRemoved(entry.sizeBytes)
    } catch (error) {
      if (await isGone(error, here, path, entry.path)) continue
      if (!refusedOne.has(errnoCode(error) ?? '')) throw error
      left.push(entry.path)
    }
  }
  await syncFolders([await nearestFolder(dirname(join(here, path)))])
  return left

  async function isRemoved(entry: TreeEntry): Promise<boolean> {
    const mayGo = (dropUnfinished && isUnfinishedCopy(entry.path)) || (await isProven(entry, places, proofs, signal))
    if (mayGo) await retryWhileLocked(() => rm(join(here, entry.path), { force: true }))
    return mayGo
  }
}

/** `.<name>.part`: nothing that was ever whole. */
function isUnfinishedCopy(path: string): boolean {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return /^\..+\.part$/s.test(name) && isSideFile(name)
}

/** What stayed in it keeps it. */
async function removeEmptyFolder(path: string): Promise<void> {
  try {
    await rmdir(path)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EBUSY', 'ENOENT'].includes(errnoCode(error) ?? '')) throw error
  }
}

async function nearestFolder(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    const found = await lstat(folder).catch(() => undefined)
    if (found?.isDirectory() === true || dirname(folder) === folder) return folder
  }
}
