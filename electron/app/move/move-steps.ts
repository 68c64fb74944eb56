import { lstat, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { EventValue } from '../../../shared/contract/events.ts'
import { AppError } from '../../../shared/errors.ts'
import { atPath, holdsAnyFolder } from '../../engine/archive/inside-archive.ts'
import { progressIntervalMs } from '../../engine/lib/events.ts'
import { archiveUnavailable, errnoCode, isFolder, pathExists } from '../../engine/lib/fs/disk-error.ts'
import { retryWhileLocked, syncFolders } from '../../engine/lib/fs/durable-files.ts'
import { freeSpaceOf, reservedFreeBytes } from '../../engine/lib/fs/free-space.ts'
import { hashFile } from '../../engine/lib/fs/hash-file.ts'
import { areOneFolder } from '../../engine/lib/fs/is-within.ts'
import { makeFolders } from '../../engine/lib/fs/make-folders.ts'
import { isSeenIn } from '../../engine/lib/fs/write-probe.ts'
import type { Clock } from '../../engine/lib/ports.ts'
import { throttle } from '../../engine/lib/throttle.ts'
import { type CopiedFile, copyTree } from './copy-tree.ts'
import type { MoveRecord } from './move-record.ts'
import { type Proofs, removeProven } from './remove-proven.ts'
import { namesIn, walkTree } from './walk-tree.ts'

export type MoveProgress = EventValue<'move-progress'>

/** Counts the files and bytes that a phase of a move has processed, and reports them, at most five times a second. */
export class MoveMeter {
  readonly #emit: (progress: MoveProgress) => void
  readonly #emitNow: (progress: MoveProgress) => void
  #now: MoveProgress = { phase: 'copying', filesDone: 0, filesTotal: 0, bytesDone: 0, bytesTotal: 0 }

  constructor(clock: Clock, emit: (progress: MoveProgress) => void) {
    this.#emitNow = emit
    this.#emit = throttle(progressIntervalMs, clock, emit)
  }

  begin(phase: MoveProgress['phase'], total: { readonly files: number; readonly bytes: number }): void {
    this.#now = { phase, filesDone: 0, filesTotal: total.files, bytesDone: 0, bytesTotal: total.bytes }
    this.#emitNow(this.#now)
  }

  /** Counts one more file. */
  add(bytes: number): void {
    const { filesDone, bytesDone } = this.#now
    this.#now = { ...this.#now, filesDone: filesDone + 1, bytesDone: bytesDone + bytes }
    this.#emit(this.#now)
  }
}

/**
 * Errors of a folder that cannot be renamed to its target: another disk, a mount point, missing permissions. A system may
 * notice that the old disk is read-only before it notices that the new one is another.
 */
const notRenamed = new Set(['EXDEV', 'EPERM', 'EACCES', 'EROFS', 'EBUSY', 'EINVAL', 'ENOTSUP', 'ENOTEMPTY', 'EEXIST'])

/**
 * Creates the new folder before the first change, and requires every project folder to be where the record says: the
 * mount point of a disconnected drive is an empty folder, not an archive. Throws `archive-unavailable`, and what
 * `requireNoTwins` does.
 */
export async function requireFolders(record: MoveRecord): Promise<void> {
  const { from, to, folders, renamed, phase } = record
  await requireNoTwins(record)
  for (const folder of folders) {
    if (await pathExists(join(from, folder))) continue
    if (phase !== 'renaming' || !(await pathExists(join(to, folder)))) throw archiveUnavailable('move the archive')
  }
  for (const folder of renamed) if (!(await pathExists(join(to, folder)))) throw archiveUnavailable('move the archive')
  if (phase === 'renaming') await makeFolders(to)
  // Without the drive of the copies, another disk would get all of them.
  else if (!(await hasCopies(record))) throw archiveUnavailable('move the archive')
  // Each file would be its own copy, and the archive complete where only the mount shows it.
  await proveTwoFolders(record)
}

/**
 * Returns whether the new folder has the copies that were begun. One that is the mount point of its drive is an empty
 * folder while that is disconnected.
 */
export async function hasCopies({ to, folders, renamed, isBegun }: MoveRecord): Promise<boolean> {
  return isBegun === true ? holdsAnyFolder(to, [...renamed, ...folders]) : isFolder(to)
}

/** Creates the first project folder that is copied, so that `hasCopies` recognizes the drive. Returns false for none. */
export async function beginCopies({ from, to, folders }: MoveRecord): Promise<boolean> {
  for (const folder of folders) {
    // A link would be in the way of its copy.
    if (!(await lstat(join(from, folder))).isDirectory()) continue
    await makeFolders(join(to, folder))
    return true
  }
  return false
}

/**
 * Throws `wrong-usage` if a folder that is renamed as a whole exists in both folders: someone else created one of them,
 * and only a user can decide which to keep. Throws what `requireTwoFolders` does.
 */
async function requireNoTwins(record: MoveRecord): Promise<void> {
  await requireTwoFolders(record)
  const { from, to, folders, renamed, phase } = record
  const [twin] = await presentIn(from, await presentIn(to, phase === 'renaming' ? [...renamed, ...folders] : renamed))
  if (twin === undefined) return
  throw new AppError(
    'wrong-usage',
    `The project folder ${twin} is in both folders of the move, in ${from} and in ${to}. Nothing is lost. Put the ` +
      'one that was created last somewhere else, without deleting it, then start the move to the same folder again, ' +
      'or stop it.',
  )
}

/** Throws `wrong-usage` if one of the two folders became a link to the other one, or a mount of it. */
async function requireTwoFolders(record: MoveRecord): Promise<void> {
  if (await areOneFolder(record.from, record.to)) throw oneFolder(record)
}

/**
 * Like `requireTwoFolders`, also for mounts with another device number, and for those that show a folder and put new
 * files elsewhere: a new file in each folder is looked for in the other one. Throws a disk error if neither takes one.
 */
async function proveTwoFolders(record: MoveRecord): Promise<void> {
  const { from, to } = record
  await requireTwoFolders(record)
  // One after the other: each deletes probes that it finds, also one that the other still looks for.
  const [first] = await Promise.allSettled([isSeenIn(from, to)])
  const [second] = await Promise.allSettled([isSeenIn(to, from)])
  if (first.status === 'rejected' && second.status === 'rejected') throw first.reason
  if ([first, second].some((found) => found.status === 'fulfilled' && found.value)) throw oneFolder(record)
}

function oneFolder({ from, to, phase }: MoveRecord): AppError {
  const next =
    phase === 'removing'
      ? `The archive is complete in ${to}: end the move, or remove the mount and start the move again.`
      : 'Remove the link or the mount, but not the folder that it leads to, then start the move to the same folder ' +
        'again, or stop it.'
  return new AppError(
    'wrong-usage',
    `The two folders of the move, ${from} and ${to}, are one and the same folder now: one is a link to the other, or ` +
      `a mount of it. Its files are the only ones, so none is removed. ${next}`,
  )
}

/** Renames project folders into the new folder. Returns those that have to be copied. */
export async function renameFolders({ from, to, folders }: MoveRecord): Promise<string[]> {
  for (const folder of folders) {
    if (!(await pathExists(join(from, folder)))) continue
    if ((await pathExists(join(to, folder))) || !(await isRenamed(join(from, folder), join(to, folder)))) break
  }
  await syncFolders([from, to])
  return presentIn(from, folders)
}

async function isRenamed(from: string, to: string): Promise<boolean> {
  try {
    await retryWhileLocked(() => rename(from, to))
    return true
  } catch (error) {
    if (notRenamed.has(errnoCode(error) ?? '')) return false
    throw error
  }
}

/** Copies the record's folders. Returns the checksum of each file by path. Throws `disk-full` before it begins. */
export async function copyFolders(
  { from, to, folders }: MoveRecord,
  meter: MoveMeter,
  signal: AbortSignal,
): Promise<Map<string, CopiedFile>> {
  const copied = new Map<string, CopiedFile>()
  const total = await measure(from, folders, signal)
  await requireSpace(to, total.bytes - (await measure(to, await presentIn(to, folders), signal)).bytes)
  meter.begin('copying', total)
  for (const folder of folders) {
    await copyTree(folder, {
      from,
      to,
      signal,
      onFile(path, file) {
        copied.set(path, file)
        meter.add(file.sizeBytes)
      },
    })
  }
  await syncFolders([to])
  return copied
}

/** Reads every copy again. Throws `disk-error` for one that differs from the original. */
export async function proveCopies(
  to: string,
  copied: ReadonlyMap<string, CopiedFile>,
  meter: MoveMeter,
  signal: AbortSignal,
): Promise<Proofs> {
  const proofs: Proofs = new Map()
  const bytes = [...copied.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  meter.begin('checking', { files: copied.size, bytes })
  for (const [path, { sha256, sizeBytes, modifiedMs }] of copied) {
    const [{ mtimeMs }, found] = await atPath(to, namesIn(path), async (absolute) => [
      await lstat(absolute),
      await hashFile(absolute, { signal }),
    ])
    if (found.sha256 !== sha256) {
      throw new AppError(
        'disk-error',
        'A file that was copied to the new folder has other contents when it is read again. The archive stays where ' +
          'it is. Have the disk of the new folder checked.',
      )
    }
    proofs.set(path, { sha256, sizeBytes, modifiedMs: [modifiedMs, mtimeMs] })
    meter.add(sizeBytes)
  }
  return proofs
}

/** Counts the files and bytes of the record's folders in the new folder. */
export async function measureMoved({ to, folders, renamed }: MoveRecord, signal: AbortSignal) {
  return measure(to, await presentIn(to, [...renamed, ...folders]), signal)
}

/** Returns whether the new folder has none of the folders that moved: its drive is away, or lost. */
export async function isNewGone({ to, folders, renamed }: MoveRecord): Promise<boolean> {
  const moved = [...renamed, ...folders]
  return moved.length > 0 && !(await holdsAnyFolder(to, moved))
}

/**
 * Removes from the old folder what is in the new one. Returns the paths that stayed, relative to the old folder. Throws
 * `archive-unavailable` while a folder is away, and what `requireTwoFolders` does.
 */
export async function emptyOldFolder(
  record: MoveRecord,
  proofs: Proofs,
  meter: MoveMeter,
  signal: AbortSignal,
): Promise<string[]> {
  const { from, to, folders } = record
  const requireBoth = async () => {
    // After a rename nothing is left to remove in the old folder: its user may have deleted it, or put a link there.
    if (folders.length > 0) await requireTwoFolders(record)
    const isOldGone = folders.length > 0 && !(await isFolder(from))
    if (isOldGone || (await isNewGone(record))) throw archiveUnavailable('move the archive')
  }
  await requireBoth()
  const present = await presentIn(from, folders)
  if (present.length > 0) await proveTwoFolders(record)
  meter.begin('removing', await measure(from, present, signal))
  const left: string[] = []
  for (const folder of present) {
    const onRemoved = (sizeBytes: number) => meter.add(sizeBytes)
    const options = { folders: [from, to], proofs, dropUnfinished: false, signal, onRemoved } as const
    for (const path of await removeProven(folder, options)) left.push(path)
  }
  if (left.length > 0 || !(await isFolder(from))) await requireBoth()
  return left
}

/** Returns the record for undoing a move that has not switched the settings yet. Throws what `requireNoTwins` does. */
export async function planUndo(record: MoveRecord): Promise<MoveRecord> {
  await requireNoTwins(record)
  const { from, to, folders, renamed, phase } = record
  // A drive that is lost for good, whose every call may fail, must not keep the old folder locked.
  if (await holdsAnyFolder(to, folders)) await proveTwoFolders(record)
  if (phase !== 'renaming') return { ...record, phase: 'undoing' }
  const moved: string[] = []
  for (const folder of folders) {
    if (!(await pathExists(join(from, folder))) && (await pathExists(join(to, folder)))) moved.push(folder)
  }
  const stayed = folders.filter((folder) => !moved.includes(folder))
  return { ...record, phase: 'undoing', folders: stayed, renamed: [...renamed, ...moved] }
}

/**
 * Renames folders back, and removes copies of what is in the old folder. Returns the number of entries that stayed in
 * the new one.
 */
export async function undoMove(record: MoveRecord, meter: MoveMeter, signal: AbortSignal): Promise<number> {
  const { from, to, folders, renamed } = record
  for (const folder of renamed) {
    if (await pathExists(join(from, folder))) continue
    if (!(await pathExists(join(to, folder)))) throw archiveUnavailable('put the archive back where it was')
    await retryWhileLocked(() => rename(join(to, folder), join(from, folder)))
  }
  if (renamed.length > 0) await syncFolders([from, to])
  // A drive that is lost for good, whose every call may fail, must not keep the old folder locked.
  const copies = (await holdsAnyFolder(to, folders)) ? await presentIn(to, folders) : []
  if (copies.length > 0) await proveTwoFolders(record)
  meter.begin('undoing', await measure(to, copies, signal))
  const onRemoved = (sizeBytes: number) => meter.add(sizeBytes)
  let left = 0
  for (const folder of copies) {
    const options = { folders: [to, from], proofs: new Map(), dropUnfinished: true, signal, onRemoved } as const
    left += (await removeProven(folder, options)).length
  }
  if (left > 0) await requireTwoFolders(record)
  return left
}

export async function presentIn(root: string, folders: readonly string[]): Promise<string[]> {
  const present: string[] = []
  for (const folder of folders) if (await pathExists(join(root, folder))) present.push(folder)
  return present
}

async function measure(root: string, folders: readonly string[], signal: AbortSignal) {
  const total = { files: 0, bytes: 0 }
  for (const folder of folders) {
    for await (const { kind, sizeBytes } of walkTree(root, folder, { onRefused: () => undefined })) {
      signal.throwIfAborted()
      if (kind !== 'file') continue
      total.files += 1
      total.bytes += sizeBytes
    }
  }
  return total
}

async function requireSpace(folder: string, neededBytes: number): Promise<void> {
  const space = await freeSpaceOf(folder)
  if (space === undefined) return
  const freeBytes = space.freeBytes - reservedFreeBytes(space.diskBytes)
  if (freeBytes >= neededBytes) return
  throw new AppError(
    'disk-full',
    `The archive does not fit on the disk of the new folder: ${megabytes(neededBytes)} MB are needed and ` +
      `${megabytes(Math.max(0, freeBytes))} MB are free. The archive stays where it is. Free some space, or choose ` +
      'another disk.',
    { details: { neededBytes, freeBytes } },
  )
}

const megabytes = (bytes: number) => Math.ceil(bytes / 2 ** 20)
