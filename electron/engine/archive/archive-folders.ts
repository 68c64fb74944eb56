import { existsSync } from 'node:fs'
import { lstat, mkdir, stat } from 'node:fs/promises'
import { dirname, join, posix, relative, sep } from 'node:path'
import type { AppError } from '../../../shared/errors.ts'
import {
  archiveUnavailable,
  errnoCode,
  folderAccessDenied,
  permissionErrorOf,
  toArchiveError,
} from '../lib/fs/disk-error.ts'
import { moveDurably, publishFile, publishNewFile, syncFolders, writeFileDurably } from '../lib/fs/durable-files.ts'
import { findWriteProblem } from '../lib/fs/side-files.ts'
import { newInstallationId } from '../store/installation-id.ts'
import { assertNoSymlinkEscape, resolveInside } from './inside-archive.ts'
import { cutToBytes, maxNameBytes, splitExtension, uniqueName } from './safe-name.ts'

/** Maximum size of the cache of known folders, some 2 MB of paths; clearing it costs a few more syncs. */
const maxKnownFolders = 10_000

/**
 * Creates the archive's folders, publishes files in them, and syncs touched folders in groups. Paths are relative to
 * the archive root and proven to be inside it. The root itself is never created, so that a disconnected drive is
 * noticed. Rejects with AppErrors for paths that lead outside, and else with the errors of Node's file functions.
 */
export class ArchiveFolders {
  readonly root: string
  /** Id in the names of unfinished files: other installations may work in the same archive. */
  readonly installation: string
  /** Folders that this process has checked and whose parent it has touched. */
  readonly #known = new Set<string>()
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
  async recognizeRoot(): Promise<void> {
    this.#rootId = await idOf(this.root)
  }

  /**
   * Converts an error of Node's file functions like `toDiskError`, but distinguishes a missing file from a missing
   * archive, and an inaccessible folder from a read-only archive.
   */
  async explain(error: unknown, what: string): Promise<AppError> {
    const refusal = permissionErrorOf(error)
    if (refusal !== undefined) return this.#explainRefusal(refusal, what)
    return toArchiveError(error, what, (await this.#isRootTheSame()) && (await folderExists(this.root)))
  }

  /** Creates a folder and its parents if missing, and returns its absolute path. Durable after `sync`. */
  async ensureFolder(relativeFolder: string): Promise<string> {
    const folder = resolveInside(this.root, relativeFolder)
    if (this.#known.has(relativeFolder) && (await isFolder(folder))) return folder
    const above = parentOf(relativeFolder)
    if (above === '' && !(await this.#isRootTheSame())) throw archiveUnavailable('write into the archive folder')
    const parent = above === '' ? this.root : await this.ensureFolder(above)
    await mkdir(folder).catch((error: unknown) => this.#acceptExisting(error, folder, relativeFolder))
    // Also if it existed: an earlier process may have ended between creating and syncing it.
    this.#touched.add(parent)
    if (this.#known.size >= maxKnownFolders) this.#known.clear()
    this.#known.add(relativeFolder)
    return folder
  }

  /**
   * Moves a finished, synced `.part` file to its path, replacing any existing file and creating its folder if needed.
   * Durable after `sync`.
   */
  async publish(partPath: string, relativePath: string): Promise<void> {
    const path = await this.#preparePath(relativePath)
    await publishFile(partPath, path)
    this.#touched.add(dirname(path))
  }

  /** Like `publish`, but never replaces anything. Returns whether the name was free. */
  async publishNew(partPath: string, relativePath: string): Promise<boolean> {
    const path = await this.#preparePath(relativePath)
    if (!(await publishNewFile(partPath, path))) return false
    this.#touched.add(dirname(path))
    return true
  }

  /** Replaces or creates a file atomically, creating its folder if needed. Durable once it resolves. */
  async write(relativePath: string, data: string | Uint8Array): Promise<void> {
    const path = await this.#preparePath(relativePath)
    await this.sync()
    await writeFileDurably(path, data, { mark: this.installation })
  }

  /**
   * Moves a file or folder, creating the target's folder if needed. Durable once it resolves. Throws `disk-error` if
   * the target exists.
   */
  async move(fromRelativePath: string, toRelativePath: string): Promise<void> {
    const from = resolveInside(this.root, fromRelativePath)
    const to = await this.#preparePath(toRelativePath)
    // Syncs the new folders first: after a crash, the file must not be in a folder that does not exist.
    await this.sync()
    await moveDurably(from, to)
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
      await syncFolders(folders)
    } catch (error) {
      // Folders that failed are synced next time, except missing ones.
      for (const folder of folders) if (await isFolder(folder)) this.#touched.add(folder)
      throw error
    }
  }

  /** Only a probe shows whether the whole archive is read-only. Concurrent callers share one probe. */
  async #explainRefusal(refusal: NodeJS.ErrnoException, what: string): Promise<AppError> {
    if (!(await this.#isRootTheSame())) return archiveUnavailable(what)
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
  async #isRootTheSame(): Promise<boolean> {
    return this.#rootId === undefined || (await idOf(this.root).catch(() => undefined)) === this.#rootId
  }

  async #preparePath(relativePath: string): Promise<string> {
    const path = resolveInside(this.root, relativePath)
    const above = parentOf(relativePath)
    if (above !== '') await this.ensureFolder(above)
    return path
  }

  /** Accepts a link to another folder of the archive, but none that leads out of it or to no folder. */
  async #acceptExisting(error: unknown, folder: string, relativeFolder: string): Promise<void> {
    if (errnoCode(error) !== 'EEXIST') throw error
    if (await isFolder(folder)) return
    await assertNoSymlinkEscape(this.root, `${relativeFolder}/file`)
    if (!(await stat(folder)).isDirectory()) throw error
  }
}

function parentOf(relativePath: string): string {
  return relativePath.slice(0, Math.max(0, relativePath.lastIndexOf('/')))
}

/** Returns the identity of a folder (device and inode). Rejects if it does not exist. */
async function idOf(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true })
  return `${dev}:${ino}`
}

async function folderExists(folder: string): Promise<boolean> {
  return stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** Returns whether the path is a folder, not a link to one. */
async function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/**
 * Renames a changed file to `<name> (edited <date>)`, so that the original can be downloaded again and no user's work
 * is lost. Returns the new path.
 */
export async function quarantine(folders: ArchiveFolders, path: string, nowIso: string): Promise<string> {
  const folder = posix.dirname(path)
  const [stem, extension] = splitExtension(posix.basename(path))
  const ending = ` (edited ${nowIso.slice(0, 10)})${extension}`
  const name = cutToBytes(stem, maxNameBytes - Buffer.byteLength(ending)) + ending
  const free = uniqueName(name, (candidate) => existsSync(resolveInside(folders.root, `${folder}/${candidate}`)))
  const newPath = `${folder}/${free}`
  await folders.move(path, newPath)
  return newPath
}
