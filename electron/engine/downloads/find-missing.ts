import type { Stats } from 'node:fs'
import { join, posix } from 'node:path'
import pMap from 'p-map'
import { assertRootExists, assertRootExistsSync, inFolder, isInside } from '../archive/inside-archive.ts'
import { errnoCode, lstatIfExists, lstatIfExistsSync, notFoundCodes, toDiskError } from '../lib/fs/disk-error.ts'

/** Node's default number of threads for file calls: more folders at once would only wait. */
const foldersAtATime = 4

/** Files looked up at once in one folder. Most folders have few files, but a network share answers slowly. */
const filesAtATime = 4

interface FileSize {
  /** Relative to the archive root. */
  readonly path: string
  readonly sizeBytes: number
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
 * Compares names and sizes only; `verifyArchive` compares content. A path that leads outside the archive, also through
 * a link, counts as missing. Throws `archive-unavailable` if the archive folder is not available, and other disk
 * errors. With `mayBlock`, a process that does nothing else looks up the files of a local disk without waiting, which
 * takes a fifth of the time.
 */
export async function findMissingOrResized(
  root: string,
  files: readonly FileSize[],
  { mayBlock = false }: { readonly mayBlock?: boolean } = {},
): Promise<MissingFiles> {
  const missing = new Set<string>()
  const resized = new Set<string>()
  const compare = ({ path, sizeBytes }: FileSize, found: Stats | undefined) => {
    if (found?.isFile() !== true) missing.add(path)
    else if (found.size !== sizeBytes) resized.add(path)
  }
  let blocks = mayBlock
  async function compareFolder(folder: string, there: readonly FileSize[]): Promise<void> {
    if (blocks) {
      const startMs = performance.now()
      for (const file of there) compare(file, lstatIfExistsSync(join(folder, posix.basename(file.path))))
      blocks = performance.now() - startMs < maxLocalMs * there.length
      return
    }
    await pMap(there, async (file) => compare(file, await lstatIfExists(join(folder, posix.basename(file.path)))), {
      concurrency: filesAtATime,
    })
  }

  const assertRoot: (root: string) => Promise<void> | void = mayBlock ? assertRootExistsSync : assertRootExists
  await assertRoot(root)
  await pMap(
    Map.groupBy(files, ({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('/')))),
    async ([folder, there]) => {
      const inside: FileSize[] = []
      for (const file of there) {
        if (isInside(file.path)) inside.push(file)
        else missing.add(file.path)
      }
      try {
        if (inside.length > 0) await inFolder(root, folder, (absolute) => compareFolder(absolute, inside))
      } catch (error) {
        if (!notFoundCodes.has(errnoCode(error) ?? '')) throw toDiskError(error, 'look for archived files')
        for (const { path } of inside) missing.add(path)
      }
    },
    { concurrency: foldersAtATime },
  )
  if (missing.size > 0) await assertRoot(root)
  return { missing, resized }
}
