import { createHash } from 'node:crypto'
import { lstat, mkdir, open, readlink, rm, symlink } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { atPath, inFolder, isFolderInside } from '../../engine/archive/inside-archive.ts'
import { errnoCode } from '../../engine/lib/fs/disk-error.ts'
import { fsyncFolder, publishFile, setModifiedTime, syncFolders } from '../../engine/lib/fs/durable-files.ts'
import { hashFile, readNoFollow } from '../../engine/lib/fs/hash-file.ts'
import { temporaryPath } from '../../engine/lib/fs/side-files.ts'
import { AppError } from '../../../shared/errors.ts'
import { isGone, namesIn, walkTree, type TreeEntry } from './walk-tree.ts'

/** Bytes read at a time, as in `hashFile`. */
const pieceBytes = 256 * 1024

/** Checksum, size, and time of a file in the old folder, read while it was copied. */
export interface CopiedFile {
  readonly sha256: string
  readonly sizeBytes: number
  readonly modifiedMs: number
}

export interface CopyOptions {
  readonly from: string
  readonly to: string
  readonly signal: AbortSignal
  /** Called for each file once its bytes are synced in the new folder. */
  readonly onFile: (path: string, file: CopiedFile) => void
}

/**
 * Copies a folder with everything in it. Complete copies of an earlier attempt are verified and kept. Entries deleted
 * meanwhile are skipped. Resolves once all copies are durable. Rejects with the signal's reason, the errors of Node's
 * file functions, or `disk-error` for an entry that is not a file, folder, or link.
 */
export async function copyTree(path: string, { from, to, signal, onFile }: CopyOptions): Promise<void> {
  const folders = new Set<string>()
  for await (const entry of walkTree(from, path)) {
    signal.throwIfAborted()
    folders.add(posix.dirname(entry.path))
    try {
      await copyEntry(entry)
    } catch (error) {
      if (!(await isGone(error, from, path, entry.path))) throw error
    }
  }
  await syncFolders(folders, (folder) => inFolder(to, folder === '.' ? '' : namesIn(folder), fsyncFolder))

  async function copyEntry(entry: TreeEntry): Promise<void> {
    const names = namesIn(entry.path)
    const copy = <T>(work: (source: string, target: string) => Promise<T>) =>
      atPath(from, names, (source) => atPath(to, names, (target) => work(source, target)))
    if (entry.kind === 'folder') await makeFolder(to, names)
    else if (entry.kind === 'file') {
      onFile(entry.path, await copy((source, target) => copyFile(entry, source, target, signal)))
    } else if (entry.kind === 'link') await copy(copyLink)
    else throw notAFile(join(from, entry.path))
  }
}

async function makeFolder(root: string, names: readonly string[]): Promise<void> {
  try {
    await atPath(root, names, (path) => mkdir(path))
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST' || !isFolderInside(root, names)) throw error
  }
}

async function copyFile(entry: TreeEntry, source: string, target: string, signal: AbortSignal): Promise<CopiedFile> {
  const there = await lstat(target).catch(() => undefined)
  if (there?.isFile() === true && there.size === entry.sizeBytes) {
    const [mine, others] = [await hashFile(source, { signal }), await hashFile(target, { signal })]
    if (mine.sha256 === others.sha256) return { ...mine, modifiedMs: entry.modifiedMs }
  }
  const part = temporaryPath(target)
  await rm(part, { force: true })
  const reading = await open(source, readNoFollow)
  try {
    const writing = await open(part, 'wx', entry.mode | 0o200)
    try {
      const hash = createHash('sha256')
      const piece = Buffer.allocUnsafe(pieceBytes)
      let sizeBytes = 0
      for (;;) {
        signal.throwIfAborted()
        const { bytesRead } = await reading.read(piece, 0, pieceBytes, null)
        if (bytesRead === 0) break
        hash.update(piece.subarray(0, bytesRead))
        await writing.writeFile(piece.subarray(0, bytesRead))
        sizeBytes += bytesRead
      }
      await setModifiedTime(writing, entry.modifiedMs)
      await writing.sync()
      await publishFile(part, target)
      return { sha256: hash.digest('hex'), sizeBytes, modifiedMs: entry.modifiedMs }
    } finally {
      await writing.close()
    }
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined)
    throw error
  } finally {
    await reading.close()
  }
}

async function copyLink(source: string, target: string): Promise<void> {
  const leadsTo = await readlink(source)
  if ((await readlink(target).catch(() => undefined)) === leadsTo) return
  await symlink(leadsTo, target)
}

function notAFile(path: string): AppError {
  return new AppError(
    'disk-error',
    `${path} is neither a file nor a folder, so the archive cannot be copied as a whole. Nothing was ` +
      'moved. Remove it, then try again.',
  )
}
