import { findMissing } from './find-missing.ts'
import { forEachConcurrently } from '../lib/fs/for-each-concurrently.ts'
import { assertRootThere, resolveInside } from '../archive/inside-archive.ts'
import { lstatIfThere } from '../lib/fs/lstat-if-exists.ts'

/** Enough to keep Node's thread pool busy. */
const filesAtATime = 8

/** Archive-relative paths of files that are not there, and of files that have another size than they were archived with. */
export interface LostFiles {
  readonly missing: ReadonlySet<string>
  readonly resized: ReadonlySet<string>
}

/** Looks at names and sizes alone; what kept its size takes `verifyArchive`. Throws like `findMissing`. */
export async function findLost(
  root: string,
  files: readonly { readonly path: string; readonly sizeBytes: number }[],
): Promise<LostFiles> {
  const missing = await findMissing(
    root,
    files.map(({ path }) => path),
  )
  const resized = new Set<string>()
  const goneMeanwhile: string[] = []
  await forEachConcurrently(files, filesAtATime, async ({ path, sizeBytes }) => {
    if (missing.has(path)) return
    const found = await lstatIfThere(resolveInside(root, path))
    if (found === undefined) goneMeanwhile.push(path)
    else if (found.size !== sizeBytes) resized.add(path)
  })
  if (goneMeanwhile.length > 0) await assertRootThere(root)
  for (const path of goneMeanwhile) missing.add(path)
  return { missing, resized }
}
