import { closeSync, constants, existsSync, lstatSync, opendirSync, openSync, type Stats } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { errnoCode, notFoundCodes, toArchiveError, undefinedIfUnreadable } from '../lib/fs/disk-error.ts'

/**
 * The one way to files and folders below the archive root. The root itself may be a link: that is a user's choice.
 * Below it no link is ever followed, neither a symbolic link nor a junction of Windows: one that appears in the place
 * of a folder would make Solarchive read, overwrite, or delete files of somebody else. So every parent folder is
 * checked right before each operation, also if it was checked before.
 */

/**
 * A path below the archive root: with `/`, as recorded in the database, or the names of its components as a folder
 * lists them, which may be names that Solarchive itself never creates.
 */
export type PathBelow = string | readonly string[]

/** A file's path and the archive root that it is relative to. */
export interface ArchivePath {
  readonly root: string
  readonly path: string
}

/**
 * Forbidden in components of archived paths; `safeName` returns none of it. NUL ends a path; `\` and `:` are separators
 * on Windows, which also drops trailing dots and spaces (`.. ` is `..` there).
 */
const badComponent = /^$|[\p{Cc}\\:]|[. ]$/u

/** Names that no folder lists as an entry. */
const noEntry = /^\.{0,2}$|[/\0]/

/**
 * Returns the absolute path of an archive-relative one. Paths in the database are not trusted: throws `disk-error`
 * unless the path is below the root. Checks the text only, so the result is for showing, never for file functions.
 */
export function resolveInside(root: string, relativePath: string): string {
  return join(root, ...componentsOf(relativePath))
}

/** Returns whether an archive-relative path leads nowhere else; see `resolveInside`. */
export function isInside(relativePath: string): boolean {
  return !relativePath.split('/').some((component) => badComponent.test(component))
}

/**
 * Runs an operation on a path whose parents are proven to be folders. The last component is not checked: operations
 * that would follow a link there have to refuse it themselves. Rejects with the operation's errors, in which `path` is
 * absolute; with `ELOOP` if a parent is a link (see `toDiskError`), and `ENOENT` or `ENOTDIR` if it is no folder; and
 * with `disk-error` for a path that leads outside the archive.
 */
export async function atPath<T>(root: string, path: PathBelow, operation: (path: string) => Promise<T>): Promise<T> {
  const { parent, name } = splitPath(path)
  return inFolders(root, parent, (folder) => operation(join(folder, name)))
}

/** Like `atPath`, for functions that do not wait. */
export function atPathSync<T>(root: string, path: PathBelow, operation: (path: string) => T): T {
  const { parent, name } = splitPath(path)
  return inFoldersSync(root, parent, (folder) => operation(join(folder, name)))
}

/** Like `atPath`, for operations on two files, such as renaming one. */
export async function atBothPaths<T>(
  root: string,
  first: PathBelow,
  second: PathBelow,
  operation: (first: string, second: string) => Promise<T>,
): Promise<T> {
  return atPath(root, first, (one) => atPath(root, second, (other) => operation(one, other)))
}

/**
 * Runs an operation on a folder, the root itself if `folder` is empty. Unlike with `atPath` the last component is
 * checked as well, so that the folder can be listed.
 */
export async function inFolder<T>(
  root: string,
  folder: PathBelow,
  operation: (folder: string) => Promise<T>,
): Promise<T> {
  return inFolders(root, namesOf(folder), operation)
}

/** Like `inFolder`, for functions that do not wait. */
export function inFolderSync<T>(root: string, folder: PathBelow, operation: (folder: string) => T): T {
  return inFoldersSync(root, namesOf(folder), operation)
}

/**
 * Returns undefined if nothing exists at the path. Rejects like `atPath` if it is unknown what exists, and also if a
 * parent folder is a link.
 */
export async function lstatInside(root: string, path: PathBelow): Promise<Stats | undefined> {
  // A missing file is not an error to explain: each new file is looked for before it gets its name.
  const lookUp = (absolute: string) => lstat(absolute).catch(undefinedIfMissing)
  return atPath(root, path, lookUp).catch(undefinedIfMissing)
}

/** Returns whether anything exists at the path, including a broken link. Throws like `atPath`. */
export function existsInside(root: string, path: PathBelow): boolean {
  try {
    return atPathSync(root, path, (absolute) => lstatSync(absolute, { throwIfNoEntry: false })) !== undefined
  } catch (error) {
    undefinedIfMissing(error)
    return false
  }
}

/** Returns whether the path is a folder. Throws `ELOOP` if it or a parent is a link. */
export function isFolderInside(root: string, folder: PathBelow): boolean {
  try {
    return inFolderSync(root, folder, () => true)
  } catch (error) {
    undefinedIfMissing(error)
    return false
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
    throw toArchiveError(error, 'open the archive folder', false)
  }
}

/** Like `assertRootExists`, for functions that do not wait. */
export function assertRootExistsSync(root: string): void {
  try {
    opendirSync(root).closeSync()
  } catch (error) {
    throw toArchiveError(error, 'open the archive folder', false)
  }
}

/**
 * Returns whether one of the project folders is in the root. A link in the place of one counts: it is reported by what
 * uses that folder, and does not mean that the whole archive is elsewhere. Rejects with the signal's reason, and if too
 * many files are open.
 */
export async function holdsAnyFolder(root: string, folders: readonly string[], signal?: AbortSignal): Promise<boolean> {
  for (const folder of folders) {
    signal?.throwIfAborted()
    try {
      const found = await lstatInside(root, folder)
      if (found?.isDirectory() === true || found?.isSymbolicLink() === true) return true
    } catch (error) {
      undefinedIfUnreadable(error)
      // Each call to a share that went away may fail only after a timeout: thousands of them would take hours.
      if (!(await isRootThere(root))) return false
    }
  }
  return false
}

const isRootThere = (root: string) =>
  assertRootExists(root).then(
    () => true,
    () => false,
  )

/** A folder that was reached without following a link. */
export interface EnteredFolder {
  /** Path of the folder for file functions, valid until `leave`. */
  readonly path: string
  /** Returns an error whose texts name the folder as people know it. */
  explain(error: unknown): unknown
  leave(): void
}

/**
 * Enters a folder below the root, the root itself if `folder` is empty, through folders alone. Throws like `atPath`.
 * The caller leaves it.
 */
export function enterFolder(root: string, folder: PathBelow): EnteredFolder {
  return enter(root, namesOf(folder))
}

/** Folders below a root that many operations share; see `shareFolders`. */
export interface SharedFolders {
  /** Like `atPathSync`. */
  at<T>(path: PathBelow, operation: (path: string) => T): T
  leave(): void
}

/**
 * Enters folders for the operations of a moment: each once if a descriptor holds it, so that nothing can take its
 * place, and else before each operation. The caller leaves them.
 */
export function shareFolders(root: string): SharedFolders {
  const entered = new Map<string, EnteredFolder>()
  return {
    at(path, operation) {
      const { parent, name } = splitPath(path)
      if (enter === enterByName) return inFoldersSync(root, parent, (folder) => operation(join(folder, name)))
      const key = parent.join('/')
      const folder = entered.get(key) ?? enter(root, parent)
      entered.set(key, folder)
      return operation(`${folder.path}/${name}`)
    },
    leave() {
      for (const folder of entered.values()) folder.leave()
      entered.clear()
    },
  }
}

async function inFolders<T>(
  root: string,
  folders: readonly string[],
  operation: (folder: string) => Promise<T>,
): Promise<T> {
  const entered = enter(root, folders)
  try {
    return await operation(entered.path)
  } catch (error) {
    throw entered.explain(error)
  } finally {
    entered.leave()
  }
}

function inFoldersSync<T>(root: string, folders: readonly string[], operation: (folder: string) => T): T {
  const entered = enter(root, folders)
  try {
    return operation(entered.path)
  } catch (error) {
    throw entered.explain(error)
  } finally {
    entered.leave()
  }
}

function splitPath(path: PathBelow): { readonly parent: readonly string[]; readonly name: string } {
  const components = componentsOf(path)
  return { parent: components.slice(0, -1), name: components.at(-1) ?? '' }
}

function namesOf(folder: PathBelow): readonly string[] {
  return folder === '' ? [] : componentsOf(folder)
}

function componentsOf(path: PathBelow): readonly string[] {
  const components = typeof path === 'string' ? path.split('/') : path
  const isBad = typeof path === 'string' ? badComponent : noEntry
  if (components.length === 0 || components.some((component) => isBad.test(component))) throw outside(components)
  return components
}

function undefinedIfMissing(error: unknown): undefined {
  const code = errnoCode(error) ?? ''
  if (code === 'ELOOP' || !notFoundCodes.has(code)) throw error
}

/** Flag of Linux for a descriptor that only names a folder: it takes no permission to read. Node has no name for it. */
const O_PATH = 0o10000000

/** Paths below a descriptor here start at its folder, wherever that is by now: Node has no `openat`. */
const descriptorFolder = '/proc/self/fd'

/**
 * Opens one component after the other relative to the one before, so that a folder that is replaced by a link
 * meanwhile changes nothing: operations start at the descriptor of the folder that was checked.
 */
export function enterByDescriptor(root: string, folders: readonly string[]): EnteredFolder {
  const flags = O_PATH | constants.O_DIRECTORY
  let descriptor = openSync(root, flags)
  let entered = 0
  try {
    for (const name of folders) {
      const next = openSync(`${descriptorFolder}/${descriptor}/${name}`, flags | constants.O_NOFOLLOW)
      closeSync(descriptor)
      descriptor = next
      entered += 1
    }
  } catch (error) {
    const isLink = errnoCode(error) === 'ENOTDIR' && wasLinkAt(`${descriptorFolder}/${descriptor}/${folders[entered]}`)
    closeSync(descriptor)
    const path = join(root, ...folders.slice(0, entered + 1))
    throw isLink ? notAFolder('ELOOP', path) : Object.assign(error as Error, { path })
  }
  const path = `${descriptorFolder}/${descriptor}`
  return {
    path,
    explain(error) {
      if (!(error instanceof Error)) return error
      const descriptorPath = new RegExp(`${path}(?!\\d)`, 'g')
      const texts: Record<string, unknown> = { ...error, message: error.message, stack: error.stack }
      for (const [key, text] of Object.entries(texts)) {
        if (typeof text !== 'string' || !text.includes(path)) continue
        const known = text.replaceAll(descriptorPath, () => join(root, ...folders))
        Object.defineProperty(error, key, { value: known })
      }
      return error
    },
    leave: () => closeSync(descriptor),
  }
}

/**
 * Returns whether a path that was just refused as no folder was a link: one is there, or it was replaced by a folder
 * since.
 */
function wasLinkAt(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isSymbolicLink() === true || found?.isDirectory() === true
}

/**
 * Checks one component after the other, for systems without paths below descriptors. A link that is planted between
 * the check and the operation, within microseconds, is followed.
 */
export function enterByName(root: string, folders: readonly string[]): EnteredFolder {
  let path = root
  for (const name of folders) {
    path = join(path, name)
    const found = lstatSync(path)
    if (!found.isDirectory()) throw notAFolder(found.isSymbolicLink() ? 'ELOOP' : 'ENOTDIR', path)
  }
  return { path, explain: (error) => error, leave: () => undefined }
}

const enter = process.platform === 'linux' && existsSync(descriptorFolder) ? enterByDescriptor : enterByName

/** Returns an error like those of Node's file functions. */
function notAFolder(code: 'ELOOP' | 'ENOTDIR', path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: not a folder, '${path}'`), { code, path })
}

function outside(components: readonly string[]): AppError {
  const message =
    'A recorded path leads outside the archive folder, so Solarchive did not use it. Nothing was changed there.'
  return new AppError('disk-error', message, { details: { path: components.join('/') } })
}
