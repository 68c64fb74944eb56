import { lstat, readdir } from 'node:fs/promises'
import { atPath, inFolder, lstatInside } from '../../engine/archive/inside-archive.ts'
import { errnoCode } from '../../engine/lib/fs/disk-error.ts'

/** Entry of a folder. `path` is relative to the root of the walk, with `/`, as recorded paths are. */
export interface TreeEntry {
  readonly path: string
  readonly kind: 'folder' | 'file' | 'link' | 'other'
  /** 0 for anything but a file. */
  readonly sizeBytes: number
  readonly modifiedMs: number
  readonly mode: number
}

/**
 * Returns the names in an entry's path, for `atPath`: files of other programs may have names that Solarchive has not.
 */
export function namesIn(path: string): string[] {
  return path.split('/')
}

export interface WalkOptions {
  /** True to yield a folder after its contents. */
  readonly foldersLast?: boolean
  /** Called for a folder that may not be read; without it the walk rejects. */
  readonly onRefused?: (path: string) => void
}

/** Error codes of an entry that the system refuses: missing permissions, a read-only disk, or in use by a program. */
export const accessErrors: ReadonlySet<string> = new Set(['EPERM', 'EACCES', 'EROFS', 'EBUSY'])

/**
 * Yields a folder and everything in it, sorted by name; folders come before their contents, or after them with
 * `foldersLast`. Links are not followed. Entries deleted meanwhile are skipped. Throws the errors of Node's `readdir`
 * and `lstat`, also if the folder itself is deleted, and `ELOOP` for a folder that is replaced by a link meanwhile.
 */
export async function* walkTree(root: string, path: string, options: WalkOptions = {}): AsyncGenerator<TreeEntry> {
  yield* walk(root, path, { ...options, isGone: (error, entry) => isGone(error, root, path, entry) })
}

/** Returns true if the error means that `entry` was deleted while `path`, the folder of the walk, still exists. */
export async function isGone(error: unknown, root: string, path: string, entry: string): Promise<boolean> {
  if (errnoCode(error) !== 'ENOENT') return false
  const isThere = async (where: string) => (await lstatInside(root, namesIn(where))) !== undefined
  return entry !== path && !(await isThere(entry)) && (await isThere(path))
}

interface Walk extends WalkOptions {
  readonly isGone: (error: unknown, entry: string) => Promise<boolean>
}

async function* walk(root: string, path: string, options: Walk): AsyncGenerator<TreeEntry> {
  const ifThere = async <Found>(found: Promise<Found>): Promise<Found | undefined> => {
    try {
      return await found
    } catch (error) {
      if (await options.isGone(error, path)) return undefined
      if (options.onRefused === undefined || !accessErrors.has(errnoCode(error) ?? '')) throw error
      options.onRefused(path)
      return undefined
    }
  }
  const found = await ifThere(atPath(root, namesIn(path), (absolute) => lstat(absolute)))
  if (found === undefined) return
  const kind = found.isDirectory() ? 'folder' : found.isFile() ? 'file' : found.isSymbolicLink() ? 'link' : 'other'
  const entry: TreeEntry = {
    path,
    kind,
    sizeBytes: kind === 'file' ? found.size : 0,
    modifiedMs: found.mtimeMs,
    mode: found.mode & 0o777,
  }
  if (options.foldersLast !== true || kind !== 'folder') yield entry
  if (kind !== 'folder') return
  const names = (await ifThere(inFolder(root, namesIn(path), (absolute) => readdir(absolute)))) ?? []
  for (const name of names.sort()) yield* walk(root, `${path}/${name}`, options)
  if (options.foldersLast === true) yield entry
}
