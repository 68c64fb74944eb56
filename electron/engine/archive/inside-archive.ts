import { lstat, opendir, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { errnoCode, toDiskError } from '../lib/fs/disk-error.ts'

/**
 * Forbidden in components of archived paths; `safeName` returns none of it. NUL ends a path; `\` and `:` are separators
 * on Windows, which also drops trailing dots and spaces (`.. ` is `..` there).
 */
const badComponent = /^$|[\p{Cc}\\:]|[. ]$/u

const openArchive = 'open the archive folder'

/**
 * Returns the absolute path of an archive-relative one. Paths in the database are not trusted: throws `disk-error`
 * unless the path is below the root. Checks the text only; `assertNoSymlinkEscape` checks symbolic links.
 */
export function resolveInside(root: string, relativePath: string): string {
  return join(root, ...componentsOf(relativePath))
}

/** Like `resolveInside`, but returns undefined for a path that leads outside. */
export function insideOrUndefined(root: string, relativePath: string): string | undefined {
  try {
    return resolveInside(root, relativePath)
  } catch {
    return undefined
  }
}

/**
 * Checks before a write that no symbolic link on the path leads out of the archive. The last component may be a link or
 * missing: publishing renames files, which replaces a link and never follows it. Throws `disk-error`, or
 * `archive-unavailable` if the root does not exist.
 */
export async function assertNoSymlinkEscape(root: string, relativePath: string): Promise<void> {
  const parents = componentsOf(relativePath).slice(0, -1)
  const realRoot = await realpath(root).catch((error: unknown) => {
    throw toDiskError(error, openArchive)
  })
  for (let depth = parents.length; depth > 0; depth -= 1) {
    const folder = join(root, ...parents.slice(0, depth))
    const real = await realpath(folder).catch((error: unknown) => missingOrThrow(error, folder, relativePath))
    if (real === undefined) continue
    if (!isWithin(realRoot, real)) throw outside(relativePath)
    return
  }
}

/**
 * Throws `archive-unavailable` if the root does not exist. Called before and after files were found missing: with the
 * drive disconnected all are missing, and none is lost.
 */
export async function assertRootExists(root: string): Promise<void> {
  try {
    await (await opendir(root)).close()
  } catch (error) {
    throw toDiskError(error, openArchive)
  }
}

function componentsOf(relativePath: string): string[] {
  const components = relativePath.split('/')
  if (components.some((component) => badComponent.test(component))) throw outside(relativePath)
  return components
}

/** Accepts a folder that does not exist yet, but not a broken link, which would be followed once its target exists. */
async function missingOrThrow(error: unknown, folder: string, relativePath: string): Promise<undefined> {
  const code = errnoCode(error)
  const isLink = await lstat(folder).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )
  if (isLink || code === 'ELOOP') throw outside(relativePath)
  if (code !== 'ENOENT') throw toDiskError(error, 'check a folder of the archive')
}

function isWithin(folder: string, path: string): boolean {
  const relativePath = relative(folder, path)
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath)
}

function outside(path: string): AppError {
  const message =
    'A file would have been written outside the archive folder, so nothing was written. ' +
    'Look for links to other folders inside the archive and replace them with real folders.'
  return new AppError('disk-error', message, { details: { path } })
}
