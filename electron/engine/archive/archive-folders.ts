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

/** Folders that are remembered, some 2 MB of paths: beyond that it starts anew, at the cost of a few more syncs. */
const maxKnownFolders = 10_000

/**
 * Makes the archive's folders, gives files their place in them, and syncs what was touched in groups. Paths are
 * relative to the archive root and proven to lie in it. The root itself is never made: a drive that is not connected
 * has to be noticed. Rejections are AppErrors for paths that lead outside, else those of Node's file functions.
 */
export class ArchiveFolders {
  readonly root: string
  /** Marks what is not whole yet: other installations may work in the same archive. */
  readonly installation: string
  /** Folders of which this process has proven the way and touched the parent. */
  readonly #known = new Set<string>()
  readonly #touched = new Set<string>()
  /** Which folder the root was when the archive was recognised in it. */
  #rootId: string | undefined
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #probing: Promise<AppError | undefined> | undefined

  constructor(root: string, installation = newInstallationId()) {
    this.root = root
    this.installation = installation
  }

  /**
   * Holds on to the folder that the root is now. A drive that is unplugged later leaves an empty folder in its place;
   * nothing is made there, because with a project's folder in it, it would pass for the archive.
   */
  async recognizeRoot(): Promise<void> {
    this.#rootId = await idOf(this.root)
  }

  /**
   * What an error of Node's file functions means for the archive, like `toDiskError`; one missing file is not told as a
   * missing archive, and one folder that refuses access not as a read-only archive.
   */
  async explain(error: unknown, what: string): Promise<AppError> {
    const refusal = permissionErrorOf(error)
    if (refusal !== undefined) return this.#explainRefusal(refusal, what)
    return toArchiveError(error, what, (await this.#isRootTheSame()) && (await folderExists(this.root)))
  }

  /** Makes a folder and those above it where they are missing, and answers its absolute path. Durable after `sync`. */
  async ensureFolder(relativeFolder: string): Promise<string> {
    const folder = resolveInside(this.root, relativeFolder)
    if (this.#known.has(relativeFolder) && (await isFolder(folder))) return folder
    const above = parentOf(relativeFolder)
    if (above === '' && !(await this.#isRootTheSame())) throw archiveUnavailable('write into the archive folder')
    const parent = above === '' ? this.root : await this.ensureFolder(above)
    await mkdir(folder).catch((error: unknown) => this.#acceptExisting(error, folder, relativeFolder))
    // Also when it was there already: the process before may have ended between making and syncing it.
    this.#touched.add(parent)
    if (this.#known.size >= maxKnownFolders) this.#known.clear()
    this.#known.add(relativeFolder)
    return folder
  }

  /**
   * Gives a finished, synced `.part` file its place, over whatever has it, and makes its folder if need be. Durable
   * after `sync`.
   */
  async publish(partPath: string, relativePath: string): Promise<void> {
    const path = await this.#makePlace(relativePath)
    await publishFile(partPath, path)
    this.#touched.add(dirname(path))
  }

  /** Like `publish`, but never over anything: answers whether the name was free. */
  async publishNew(partPath: string, relativePath: string): Promise<boolean> {
    const path = await this.#makePlace(relativePath)
    if (!(await publishNewFile(partPath, path))) return false
    this.#touched.add(dirname(path))
    return true
  }

  /** Replaces or creates a file as a whole, in a folder that is made if need be. Durable when it resolves. */
  async write(relativePath: string, data: string | Uint8Array): Promise<void> {
    const path = await this.#makePlace(relativePath)
    await this.sync()
    await writeFileDurably(path, data, { mark: this.installation })
  }

  /**
   * Moves a file or folder to a place whose folder is made if need be. Durable when it resolves. Throws `disk-error`
   * rather than replace what is there.
   */
  async move(fromRelativePath: string, toRelativePath: string): Promise<void> {
    const from = resolveInside(this.root, fromRelativePath)
    const to = await this.#makePlace(toRelativePath)
    // The new folders first: a crash must not leave the file in a folder that is not there afterwards.
    await this.sync()
    await moveDurably(from, to)
  }

  /**
   * Makes durable whatever was done before the call, by anyone: a caller that comes while a sync runs waits for the
   * next one, which all share that came meanwhile.
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
      // They stay due. One that is gone is not: whoever needs it makes it anew.
      for (const folder of folders) if (await isFolder(folder)) this.#touched.add(folder)
      throw error
    }
  }

  /** Whether others would be refused as well can only be tried. Asked for many files at once, it is tried once. */
  async #explainRefusal(refusal: NodeJS.ErrnoException, what: string): Promise<AppError> {
    if (!(await this.#isRootTheSame())) return archiveUnavailable(what)
    this.#probing ??= findWriteProblem(this.root).finally(() => (this.#probing = undefined))
    const ofRoot = await this.#probing
    return ofRoot === undefined || ofRoot.code === 'disk-error'
      ? folderAccessDenied(refusal, what, this.#projectFolderOf(refusal.path))
      : ofRoot
  }

  /** The folder directly below the root that a path leads through; the root where that is not known. */
  #projectFolderOf(path: string | undefined): string {
    const [first = '..'] = relative(this.root, path ?? '').split(sep)
    return path === undefined || first === '..' ? this.root : join(this.root, first)
  }

  /** A root that was never recognised is taken as it is. */
  async #isRootTheSame(): Promise<boolean> {
    return this.#rootId === undefined || (await idOf(this.root).catch(() => undefined)) === this.#rootId
  }

  async #makePlace(relativePath: string): Promise<string> {
    const path = resolveInside(this.root, relativePath)
    const above = parentOf(relativePath)
    if (above !== '') await this.ensureFolder(above)
    return path
  }

  /** A link to another folder of the archive may stay; one that leads out of it or to no folder may not. */
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

/** Tells a folder from any other that takes its place. Rejects when there is no folder. */
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

/** Whether a folder itself is there, not a link to one. */
async function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/**
 * Moves a file that somebody changed to `<name> (edited <date>)` beside it, so that the original can take its name again:
 * what a person did is never destroyed. Answers where it is now.
 */
export async function quarantine(folders: ArchiveFolders, path: string, nowIso: string): Promise<string> {
  const folder = posix.dirname(path)
  const [stem, extension] = splitExtension(posix.basename(path))
  const ending = ` (edited ${nowIso.slice(0, 10)})${extension}`
  const name = cutToBytes(stem, maxNameBytes - Buffer.byteLength(ending)) + ending
  const free = uniqueName(name, (candidate) => existsSync(resolveInside(folders.root, `${folder}/${candidate}`)))
  const aside = `${folder}/${free}`
  await folders.move(path, aside)
  return aside
}
