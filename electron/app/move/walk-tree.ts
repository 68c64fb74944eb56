import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoCode, pathExists } from '../../engine/lib/fs/disk-error.ts'

/** Something in a folder, `path` relative to where the walk began, with the system's separators. */
export interface TreeEntry {
  readonly path: string
  readonly kind: 'folder' | 'file' | 'link' | 'other'
  /** Of a file; 0 else. */
  readonly sizeBytes: number
  readonly modifiedMs: number
  readonly mode: number
}

export interface WalkOptions {
  readonly foldersLast?: boolean
  /** Told of a folder that may not be read, instead of rejecting. */
  readonly onRefused?: (path: string) => void
}

/** Codes by which the system refuses one thing: a right that is missing, or another program that has it. */
export const refusedOne: ReadonlySet<string> = new Set(['EPERM', 'EACCES', 'EBUSY'])

/**
 * Everything in a folder and below it, in the order of names: a folder before what is in it, or after it with `foldersLast`.
 * Links are not followed. What vanishes meanwhile is left out. Rejects as Node's `readdir` and `lstat` do, also when the
 * folder itself vanishes.
 */
export async function* walkTree(root: string, path: string, options: WalkOptions = {}): AsyncGenerator<TreeEntry> {
  yield* walk(root, path, { ...options, isGone: (error, entry) => isGone(error, root, path, entry) })
}

/** Whether an error tells that this entry vanished while the folder it was found in, `path`, is still there. */
export async function isGone(error: unknown, root: string, path: string, entry: string): Promise<boolean> {
  if (errnoCode(error) !== 'ENOENT') return false
  return entry !== path && !(await pathExists(join(root, entry))) && (await pathExists(join(root, path)))
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
      if (options.onRefused === undefined || !refusedOne.has(errnoCode(error) ?? '')) throw error
      options.onRefused(path)
      return undefined
    }
  }
  const found = await ifThere(lstat(join(root, path)))
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
  const names = (await ifThere(readdir(join(root, path)))) ?? []
  for (const name of names.sort()) yield* walk(root, join(path, name), options)
  if (options.foldersLast === true) yield entry
}
