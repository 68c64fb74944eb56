import { lstat, opendir, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { errnoCode, toDiskError } from '../lib/fs/disk-error.ts'

/**
 * What no component of an archived path holds. `safeName` gives none of it, and each leads astray somewhere: NUL ends a
 * path; `\` and `:` separate on Windows, which also drops dots and spaces at an end (`.. ` is `..` there).
 */
const badComponent = /^$|[\p{Cc}\\:]|[. ]$/u

const openArchive = 'open the archive folder'

/**
 * The absolute path of an archive-relative one. Paths in the database are not trusted: throws `disk-error` unless this
 * one leads to a place below the root. Looks at the text only; symbolic links are `assertNoSymlinkEscape`'s.
 */
export function resolveInside(root: string, relativePath: string): string {
  return join(root, ...componentsOf(relativePath))
}

/** Like `resolveInside`, for reading: a path that leads outside names no file of the archive. */
export function insideOrUndefined(root: string, relativePath: string): string | undefined {
  try {
    return resolveInside(root, relativePath)
  } catch {
    return undefined
  }
}

/**
 * Proves before a write that no symbolic link on the way leads out of the archive. The last component may be a link or
 * missing: files are renamed into place, which replaces a link and never follows it. Throws `disk-error`, or
 * `archive-unavailable` when the root is not there.
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
 * Throws `archive-unavailable` when the root is not there. To be asked before and after files were found missing: with
 * the drive unplugged all of them are, and none is lost.
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

/** A folder that is not there yet leads nowhere; a link to nothing would lead there as soon as it is made. */
async function missingOrThrow(error: unknown, folder: string, relativePath: string): Promise<undefined> {
  const code = errnoCode(error)
  const isLink = await lstat(folder).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )
  if (isLink || code === 'ELOOP') throw outside(relativePath)
  if (code !== 'ENOENT') throw toDiskError(error, 'look into a folder of the archive')
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function outside(path: string): AppError {
  const message =
    'A file was to be written outside the archive folder, so it was left alone. ' +
    'Look for links to other folders inside the archive and replace them with real folders.'
  return new AppError('disk-error', message, { details: { path } })
}
