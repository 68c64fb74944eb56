import type { BigIntStats } from 'node:fs'
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises'
import { basename, join, posix } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { atPath } from '../engine/archive/inside-archive.ts'
import { readNoFollow } from '../engine/lib/fs/hash-file.ts'

/** Kinds of tasks that write something to hand over. */
export type WrittenKind = 'export' | 'packet'

/** Content of a download: one file unchanged, or several as a zip. The receiver must close every handle. */
export type DownloadContent =
  | { readonly kind: 'file'; readonly fileName: string; readonly sizeBytes: number; readonly handle: FileHandle }
  | { readonly kind: 'folder'; readonly folderName: string; readonly files: readonly FolderFile[] }

export interface FolderFile {
  /** Relative to the folder, with `/`. */
  readonly path: string
  readonly open: () => Promise<FileHandle>
}

/**
 * The zip file, folder, or packet that a task wrote last, which a browser on another machine downloads. A page cannot
 * name a path, and whatever has taken the place of what was written is not sent.
 */
export class LastWritten {
  readonly #written = new Map<WrittenKind, { readonly path: string; readonly found: BigIntStats }>()

  /** To be called when the task has written this path. */
  async record(kind: WrittenKind, path: string): Promise<void> {
    this.#written.delete(kind)
    const found = await lstat(path, { bigint: true }).catch(() => undefined)
    if (found !== undefined) this.#written.set(kind, { path, found })
  }

  forget(kind: WrittenKind): void {
    this.#written.delete(kind)
  }

  /** Throws `not-found` unless the task has written something since the start that is still there. */
  async open(kind: WrittenKind): Promise<DownloadContent> {
    const written = this.#written.get(kind)
    if (written === undefined) {
      throw new AppError(
        'not-found',
        `No ${kind} was finished since Solarchive started, so there is nothing to download.`,
      )
    }
    const { path, found } = written
    await requireSame(path, found)
    if (found.isDirectory()) return { kind: 'folder', folderName: basename(path), files: await listFiles(path) }
    const handle = await open(path, readNoFollow).catch(() => {
      throw isGone(path)
    })
    try {
      const { ino, size } = await handle.stat({ bigint: true })
      // A path and an open file do not always have the same numbers on Windows.
      if (process.platform !== 'win32' && ino !== found.ino) throw isGone(path)
      return { kind: 'file', fileName: basename(path), sizeBytes: Number(size), handle }
    } catch (error) {
      await handle.close()
      throw error
    }
  }
}

/** A folder that something was added to, or taken from, is still the one that was written. */
async function requireSame(path: string, { dev, ino, size, mtimeNs, ...found }: BigIntStats): Promise<void> {
  const now = await lstat(path, { bigint: true }).catch(() => undefined)
  const isSame = now !== undefined && now.dev === dev && now.ino === ino && now.mode === found.mode
  if (!isSame || (now.isFile() && (now.size !== size || now.mtimeNs !== mtimeNs))) throw isGone(path)
}

const isGone = (path: string) =>
  new AppError('not-found', `${path} is not there anymore, or was changed. It may have been moved or renamed.`)

/** Lists regular files, without those behind links, which are not followed when a file is opened either. */
async function listFiles(root: string, folder = ''): Promise<FolderFile[]> {
  const files: FolderFile[] = []
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name)
    // One by one: an export may have more files than a call takes arguments.
    if (entry.isDirectory()) for (const file of await listFiles(root, path)) files.push(file)
    if (entry.isFile()) files.push({ path, open: () => atPath(root, path, (absolute) => open(absolute, readNoFollow)) })
  }
  return files
}
