import { lstat, readdir } from 'node:fs/promises'
import pMap from 'p-map'
import { assertRootExists, insideOrUndefined, resolveInside } from '../archive/inside-archive.ts'
import { errnoCode, lstatIfExists, notFoundCodes, toDiskError } from '../lib/fs/disk-error.ts'

/** The size of Node's thread pool: more folders at once would only wait. */
const foldersAtATime = 4

/**
 * Returns the archive-relative paths that are not regular files on the disk. Reads each folder once and looks up single
 * files only if the listing lacks them (case or Unicode form can differ on the disk). A path that leads outside the
 * archive counts as missing. Throws `archive-unavailable` if the archive folder is not available, and other disk
 * errors.
 */
export async function findMissing(root: string, relativePaths: Iterable<string>): Promise<Set<string>> {
  await assertRootExists(root)
  const missing = new Set<string>()
  const namesByFolder = new Map<string, string[]>()
  for (const path of relativePaths) {
    const slash = path.lastIndexOf('/')
    const folder = path.slice(0, Math.max(0, slash))
    const names = namesByFolder.get(folder)
    if (names === undefined) namesByFolder.set(folder, [path.slice(slash + 1)])
    else names.push(path.slice(slash + 1))
  }
  await pMap(
    namesByFolder,
    async ([folder, names]) => {
      const there = await readFileNames(root, folder)
      for (const name of names) {
        const path = folder === '' ? name : `${folder}/${name}`
        if (!there?.has(name) && (there === undefined || !(await isFileThere(root, path)))) missing.add(path)
      }
    },
    { concurrency: foldersAtATime },
  )
  if (missing.size > 0) await assertRootExists(root)
  return missing
}

/** Returns undefined if there is no such folder, and an empty set if it cannot be listed. */
async function readFileNames(root: string, folder: string): Promise<Set<string> | undefined> {
  const path = folder === '' ? root : insideOrUndefined(root, folder)
  if (path === undefined) return undefined
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return new Set(entries.filter((entry) => entry.isFile()).map((entry) => entry.name))
  } catch (error) {
    return notFoundCodes.has(errnoCode(error) ?? '') ? undefined : new Set()
  }
}

async function isFileThere(root: string, relativePath: string): Promise<boolean> {
  const path = insideOrUndefined(root, relativePath)
  if (path === undefined) return false
  try {
    return (await lstat(path)).isFile()
  } catch (error) {
    if (notFoundCodes.has(errnoCode(error) ?? '')) return false
    throw toDiskError(error, 'look for archived files')
  }
}

/** Enough to keep Node's thread pool busy. */
const filesAtATime = 8

/** Archive-relative paths of missing files, and of files whose size is not the archived one. */
export interface MissingFiles {
  readonly missing: ReadonlySet<string>
  readonly resized: ReadonlySet<string>
}

/** Compares names and sizes only; `verifyArchive` compares content. Throws like `findMissing`. */
export async function findMissingOrResized(
  root: string,
  files: readonly { readonly path: string; readonly sizeBytes: number }[],
): Promise<MissingFiles> {
  const missing = await findMissing(
    root,
    files.map(({ path }) => path),
  )
  const resized = new Set<string>()
  const goneMeanwhile: string[] = []
  await pMap(
    files,
    async ({ path, sizeBytes }) => {
      if (missing.has(path)) return
      const found = await lstatIfExists(resolveInside(root, path))
      if (found === undefined) goneMeanwhile.push(path)
      else if (found.size !== sizeBytes) resized.add(path)
    },
    { concurrency: filesAtATime },
  )
  if (goneMeanwhile.length > 0) await assertRootExists(root)
  for (const path of goneMeanwhile) missing.add(path)
  return { missing, resized }
}
