import type { Stats } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pMap from 'p-map'
import { assertRootExists, assertRootExistsSync, inFolder, isInside } from '../archive/inside-archive.ts'
import { errnoCode, lstatIfExists, lstatIfExistsSync, notFoundCodes, toDiskError } from '../lib/fs/disk-error.ts'

/** Node's default number of threads for file calls: more folders at once would only wait. */
const foldersAtATime = 4

/** Files looked up at once in one folder. Most folders have few files, but a network share answers slowly. */
const filesAtATime = 4

/**
 * Returns the archive-relative paths that are not regular files on the disk. Reads each folder once and looks up single
 * files only if the listing lacks them (case or Unicode form can differ on the disk). A path that leads outside the
 * archive, also through a link, counts as missing. Throws `archive-unavailable` if the archive folder is not available,
 * and other disk errors.
 */
export async function findMissing(root: string, relativePaths: Iterable<string>): Promise<Set<string>> {
  const missing = new Set<string>()
  const files = Array.from(relativePaths, (path) => ({ path }))
  await compareFolders(root, files, { missing, assertRoot: assertRootExists }, async (folder, there) => {
    const names = await readFileNames(folder)
    for (const { path } of there) {
      const name = nameOf(path)
      if (!names.has(name) && (await lstatIfExists(join(folder, name)))?.isFile() !== true) missing.add(path)
    }
  })
  return missing
}

/** Archive-relative paths of missing files, and of files whose size is not the archived one. */
export interface MissingFiles {
  readonly missing: ReadonlySet<string>
  readonly resized: ReadonlySet<string>
}

/**
 * Average time of a look-up above which the folder is on a network share: several look-ups at once are faster there.
 */
const maxLocalMs = 0.2

/**
 * Compares names and sizes only; `verifyArchive` compares content. Throws like `findMissing`. With `mayBlock`, a
 * process that does nothing else looks up the files of a local disk without waiting, which takes a fifth of the time.
 */
export async function findMissingOrResized(
  root: string,
  files: readonly { readonly path: string; readonly sizeBytes: number }[],
  { mayBlock = false }: { readonly mayBlock?: boolean } = {},
): Promise<MissingFiles> {
  const missing = new Set<string>()
  const resized = new Set<string>()
  const compare = ({ path, sizeBytes }: (typeof files)[number], found: Stats | undefined) => {
    if (found?.isFile() !== true) missing.add(path)
    else if (found.size !== sizeBytes) resized.add(path)
  }
  let blocks = mayBlock
  const assertRoot = mayBlock ? assertRootExistsSync : assertRootExists
  await compareFolders(root, files, { missing, assertRoot }, async (folder, there) => {
    if (blocks) {
      const startMs = performance.now()
      for (const file of there) compare(file, lstatIfExistsSync(join(folder, nameOf(file.path))))
      blocks = performance.now() - startMs < maxLocalMs * there.length
      return
    }
    await pMap(there, async (file) => compare(file, await lstatIfExists(join(folder, nameOf(file.path)))), {
      concurrency: filesAtATime,
    })
  })
  return { missing, resized }
}

/** Calls `compare` with each folder and its files, and adds the files of folders that do not exist to `missing`. */
async function compareFolders<File extends { readonly path: string }>(
  root: string,
  files: readonly File[],
  {
    missing,
    assertRoot,
  }: { readonly missing: Set<string>; readonly assertRoot: (root: string) => Promise<void> | void },
  compare: (folder: string, files: readonly File[]) => Promise<void>,
): Promise<void> {
  await assertRoot(root)
  await pMap(
    Map.groupBy(files, ({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('/')))),
    async ([folder, there]) => {
      const inside: File[] = []
      for (const file of there) {
        if (isInside(file.path)) inside.push(file)
        else missing.add(file.path)
      }
      try {
        if (inside.length > 0) await inFolder(root, folder, (absolute) => compare(absolute, inside))
      } catch (error) {
        if (!notFoundCodes.has(errnoCode(error) ?? '')) throw toDiskError(error, 'look for archived files')
        for (const { path } of inside) missing.add(path)
      }
    },
    { concurrency: foldersAtATime },
  )
  if (missing.size > 0) await assertRoot(root)
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** Returns an empty set if the folder cannot be listed. */
async function readFileNames(folder: string): Promise<Set<string>> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return new Set(entries.filter((entry) => entry.isFile()).map((entry) => entry.name))
  } catch (error) {
    if (notFoundCodes.has(errnoCode(error) ?? '')) throw error
    return new Set()
  }
}
