import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Something in a folder, `path` relative to where the walk began, with the system's separators. */
export interface TreeEntry {
  readonly path: string
  readonly kind: 'folder' | 'file' | 'link' | 'other'
  /** Of a file; 0 else. */
  readonly sizeBytes: number
  readonly modifiedMs: number
  readonly mode: number
}

/**
 * Everything in a folder and below it, in the order of names: a folder before what is in it, or after it with `foldersLast`.
 * Links are not followed. Rejects as Node's `readdir` and `lstat` do.
 */
export async function* walkTree(
  root: string,
  path: string,
  { foldersLast = false }: { readonly foldersLast?: boolean } = {},
): AsyncGenerator<TreeEntry> {
  const found = await lstat(join(root, path))
  const kind = found.isDirectory() ? 'folder' : found.isFile() ? 'file' : found.isSymbolicLink() ? 'link' : 'other'
  const entry: TreeEntry = {
    path,
    kind,
    sizeBytes: kind === 'file' ? found.size : 0,
    modifiedMs: found.mtimeMs,
    mode: found.mode & 0o777,
  }
  if (!foldersLast || kind !== 'folder') yield entry
  if (kind !== 'folder') return
  const names = await readdir(join(root, path))
  for (const name of names.sort()) yield* walkTree(root, join(path, name), { foldersLast })
  if (foldersLast) yield entry
}
