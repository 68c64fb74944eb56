import { statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, posix, relative, sep } from 'node:path'
import type { AppError } from '../../../shared/errors.ts'
import {
  archiveUnavailable,
  errnoCode,
  folderAccessDenied,
  isFolder,
  isTooManyOpen,
  permissionErrorOf,
  toArchiveError,
} from '../lib/fs/disk-error.ts'
import {
  fsyncFolder,
  moveDurably,
  type NewContent,
  publishFile,
  publishNewFile,
  syncFolders,
  writeFileDurably,
} from '../lib/fs/durable-files.ts'
import { findWriteProblem } from '../lib/fs/write-probe.ts'
import { newInstallationId } from '../store/meta-store.ts'
import { atBothPaths, atPath, existsInside, inFolder, isFolderInside, resolveInside } from './inside-archive.ts'
import { quarantinedName } from './layout.ts'
import { uniqueName } from './safe-name.ts'

/** Maximum size of the cache of known folders, some 2 MB of paths; clearing it costs a few more syncs. */
const maxKnownFolders = 10_000

/**
 * Creates the archive's folders, publishes files in them, and syncs touched folders in groups. Paths are relative to
 * the archive root and reached through folders alone (see `atPath`), also those that were checked before. The root
 * itself is never created, so that a disconnected drive is noticed. Rejects with AppErrors for paths that lead outside,
 * and else with the errors of Node's file functions.
 */
export class ArchiveFolders {
  readonly root: string
  /** Id in the names of unfinished files: other installations may work in the same archive. */
  readonly installation: string
  /** Folders that existed and whose parent this process has touched. */
  readonly #known = new Set<string>()
  /** Folders with changes that may not be durable yet. */
  readonly #touched = new Set<string>()
  /** Identity of the root folder when the archive was recognized in it. */
  #rootId: string | undefined
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #probing: Promise<AppError | undefined> | undefined

  constructor(root: string, installation = newInstallationId()) {
    this.root = root
    this.installation = installation
  }

  /**
   * Remembers the identity of the root folder. A drive that is unplugged later leaves an empty folder in its place;
   * nothing is created there, because with a project's folder in it, it would be taken for the archive.
   */
  recognizeRoot(): void {
    this.#rootId = idOf(this.root)
  }

  /** Throws `archive-unavailable` if the root is another folder by now, or none: then nothing in it is lost. */
  requireSameRoot(): void {
    if (!this.#isRootTheSame()) throw archiveUnavailable('use the archive folder')
  }

  /**
   * Converts an error of Node's file functions like `toDiskError`, but distinguishes a missing file from a missing
   * archive, and an inaccessible folder from a read-only archive.
   */
  async explain(error: unknown, what: string): Promise<AppError> {
    const refusal = permissionErrorOf(error)
    if (refusal !== undefined) return this.#explainRefusal(refusal, what)
    return toArchiveError(error, what, this.#isRootTheSame() && (await isFolder(this.root)))
  }

  /** Creates a folder and its parents if missing, and returns its absolute path. Durable after `sync`. */
  async ensureFolder(relativeFolder: string): Promise<string> {
    const folder = resolveInside(this.root, relativeFolder)
    this.requireSameRoot()
    if (this.#known.has(relativeFolder) && isFolderInside(this.root, relativeFolder)) return folder
    const parent = parentOf(relativeFolder)
    if (parent !== '') await this.ensureFolder(parent)
    await atPath(this.root, relativeFolder, (path) => mkdir(path)).catch((error: unknown) => {
      if (errnoCode(error) !== 'EEXIST' || !isFolderInside(this.root, relativeFolder)) throw error
    })
    // Also if it existed: an earlier process may have ended between creating and syncing it.
    this.#touched.add(parent)
    if (this.#known.size >= maxKnownFolders) this.#known.clear()
    this.#known.add(relativeFolder)
    return folder
  }

  /**
   * Creates the folders of files about to be written, unless they are known to exist. Returns false if that fails:
   * `publishNew` tries again, and rejects with the reason.
   */
  async ensureFoldersOf(relativePaths: readonly string[]): Promise<boolean> {
    try {
      this.requireSameRoot()
      for (const folder of new Set(relativePaths.map(parentOf))) {
        if (!this.#known.has(folder)) await this.ensureFolder(folder)
      }
      return true
    } catch {
      return false
    }
  }

  /** Adds folders that somebody changed to those that `sync` makes durable. */
  touch(folders: readonly string[]): void {
    for (const folder of folders) this.#touched.add(folder)
  }

  /**
   * Moves a finished, synced `.part` file of the archive to its path, replacing any existing file and creating its
   * folder if needed. Durable after `sync`.
   */
  async publish(partPath: string, relativePath: string): Promise<void> {
    await this.#inItsFolder(relativePath, () => atBothPaths(this.root, partPath, relativePath, publishFile))
    this.#touched.add(parentOf(relativePath))
  }

  /** Like `publish`, but never replaces anything. Returns whether the name was free. */
  async publishNew(partPath: string, relativePath: string): Promise<boolean> {
    const publish = () => atBothPaths(this.root, partPath, relativePath, publishNewFile)
    if (!(await this.#inItsFolder(relativePath, publish))) return false
    this.#touched.add(parentOf(relativePath))
    return true
  }

  /** Replaces or creates a file atomically, creating its folder if needed. Durable once it resolves. */
  async write(relativePath: string, data: NewContent): Promise<void> {
    await this.#ensureFolderOf(relativePath)
    await this.sync()
    await atPath(this.root, relativePath, (path) => writeFileDurably(path, data, { mark: this.installation }))
  }

  /**
   * Moves a file or folder, creating the target's folder if needed. Durable once it resolves. Throws `disk-error` if
   * the target exists.
   */
  async move(fromRelativePath: string, toRelativePath: string): Promise<void> {
    await this.#ensureFolderOf(toRelativePath)
    // Syncs the new folders first: after a crash, the file must not be in a folder that does not exist.
    await this.sync()
    await atBothPaths(this.root, fromRelativePath, toRelativePath, moveDurably)
  }

  /**
   * Makes durable everything done before the call, by any caller. Calls during a running sync share the next one.
   */
  sync(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined
      return this.#syncTouched()
    })
    this.#running = this.#next.catch(() => undefined)
    return this.#next
  }

  async #syncTouched(): Promise<void> {
    const folders = [...this.#touched]
    this.#touched.clear()
    try {
      await syncFolders(folders, (folder) => inFolder(this.root, folder, fsyncFolder))
    } catch (error) {
      // Folders that failed are synced next time, except missing ones and links.
      for (const folder of folders) if (isFolderThere(this.root, folder)) this.#touched.add(folder)
      throw error
    }
  }

  /** Only a probe shows whether the whole archive is read-only. Concurrent callers share one probe. */
  async #explainRefusal(refusal: NodeJS.ErrnoException, what: string): Promise<AppError> {
    if (!this.#isRootTheSame()) return archiveUnavailable(what)
    this.#probing ??= findWriteProblem(this.root).finally(() => (this.#probing = undefined))
    const ofRoot = await this.#probing
    return ofRoot === undefined || ofRoot.code === 'disk-error'
      ? folderAccessDenied(refusal, what, this.#projectFolderOf(refusal.path))
      : ofRoot
  }

  /** Returns the folder directly below the root that contains a path, or the root if that is unknown. */
  #projectFolderOf(path: string | undefined): string {
    const [first = '..'] = relative(this.root, path ?? '').split(sep)
    return path === undefined || first === '..' ? this.root : join(this.root, first)
  }

  /** A root that was never recognized is not compared. */
  #isRootTheSame(): boolean {
    if (this.#rootId === undefined) return true
    try {
      return idOf(this.root) === this.#rootId
    } catch {
      return false
    }
  }

  async #ensureFolderOf(relativePath: string): Promise<void> {
    const folder = parentOf(relativePath)
    if (folder !== '') await this.ensureFolder(folder)
  }

  /** Runs an operation on a path, and creates the path's folder first unless it is known to exist. */
  async #inItsFolder<T>(relativePath: string, operation: () => Promise<T>): Promise<T> {
    if (this.#known.has(parentOf(relativePath))) {
      this.requireSameRoot()
      try {
        return await operation()
      } catch (error) {
        // Somebody may have deleted the folder since.
        if (errnoCode(error) !== 'ENOENT') throw error
      }
    }
    await this.#ensureFolderOf(relativePath)
    return operation()
  }
}

function parentOf(relativePath: string): string {
  return relativePath.slice(0, Math.max(0, relativePath.lastIndexOf('/')))
}

/** Returns the identity of a folder (device and inode). Throws if it does not exist. */
function idOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev}:${ino}`
}

function isFolderThere(root: string, folder: string): boolean {
  try {
    return isFolderInside(root, folder)
  } catch (error) {
    return isTooManyOpen(error)
  }
}

/**
 * Renames a changed file to `<name> (edited <date>)`, so that the original can be downloaded again and no user's work
 * is lost. Returns the new path.
 */
export async function quarantine(folders: ArchiveFolders, path: string, nowIso: string): Promise<string> {
  const folder = posix.dirname(path)
  const name = quarantinedName(posix.basename(path), nowIso.slice(0, 10))
  const free = uniqueName(name, (candidate) => existsInside(folders.root, `${folder}/${candidate}`))
  const newPath = `${folder}/${free}`
  await folders.move(path, newPath)
  return newPath
}
