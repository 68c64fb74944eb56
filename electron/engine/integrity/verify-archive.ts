import type { Dirent } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import pMap from 'p-map'
import { checkFile, type FileState, type ManifestFile } from '../archive/check-file.ts'
import {
  assertRootExists,
  atPath,
  enterFolder,
  type EnteredFolder,
  lstatInside,
  type PathBelow,
} from '../archive/inside-archive.ts'
import { pathBelow } from '../archive/layout.ts'
import { maxQuickBytes } from '../archive/quick-reader.ts'
import { caseKey } from '../archive/safe-name.ts'
import { errnoCode, isTooManyOpen } from '../lib/fs/disk-error.ts'
import { isSideFile } from '../lib/fs/side-files.ts'
import { inBatches, type QuickCheck } from './quick-check.ts'

/** A file or folder that exists and cannot be read; `errno` is the operating system's code. */
interface Unreadable {
  readonly path: string
  readonly errno: string
}

/** Paths are relative to the archive root, sorted. */
export interface ArchiveVerification {
  readonly checked: number
  readonly ok: number
  readonly missing: readonly string[]
  /** Files with other bytes, unreadable files, and anything that is not a regular file. */
  readonly changed: readonly string[]
  /** Files in the project folders that are not in the manifest. */
  readonly unexpected: readonly string[]
  readonly unreadable: readonly Unreadable[]
}

export interface VerifyOptions<File extends ManifestFile> {
  /** Absolute path of the archive. */
  readonly root: string
  /** Files in any order; read as fast as they are checked. */
  readonly manifest: Iterable<File> | AsyncIterable<File>
  /** Returns whether a file was already read in this run: then only its size is checked. */
  readonly isKnownGood?: ((file: File) => boolean) | undefined
  /** Called with the state of every file. */
  readonly onFile?: ((file: File, state: FileState) => void) | undefined
  /** Folders to search for unexpected files, relative to the root. */
  readonly projectFolders: readonly string[]
  readonly signal?: AbortSignal | undefined
  /** Fast check of small files. For files that it does not find intact, the check takes longer. */
  readonly quick: QuickCheck
}

/** Batches at a time: one for each thread, and one whose files are reported meanwhile. */
const batchesAtOnce = 3

/**
 * Hashes every file of the manifest and finds files that are not in it. Changes nothing. Rejects with
 * `archive-unavailable` if the root does not exist or disappears meanwhile, and with the signal's reason if it aborts.
 */
export async function verifyArchive<File extends ManifestFile>(
  options: VerifyOptions<File>,
): Promise<ArchiveVerification> {
  const { root, manifest, projectFolders, isKnownGood, onFile, signal, quick } = options
  await assertRootExists(root)
  const keyOf = (await ignoresCase(root, projectFolders)) ? caseKey : (path: string) => path.normalize('NFC')
  const expected = new Set<string>()
  const found = { ok: 0, missing: [] as string[], changed: [] as string[], unreadable: [] as Unreadable[] }
  let checked = 0

  const report = (file: File, state: FileState) => {
    // A file that was in flight when the run was stopped is not reported after the end.
    signal?.throwIfAborted()
    onFile?.(file, state)
    if (state === 'ok') found.ok += 1
    else if (state === 'missing') found.missing.push(file.path)
    else found.changed.push(file.path)
    if (typeof state === 'object') found.unreadable.push({ path: file.path, ...state })
    checked += 1
  }

  await pMap(
    inBatches(manifest),
    async (batch) => {
      signal?.throwIfAborted()
      for (const file of batch) expected.add(keyOf(file.path))
      const left = new Set(batch)
      const small = batch.filter((file) => file.sizeBytes <= maxQuickBytes && isKnownGood?.(file) !== true)
      const intact = await quick.check(root, small)
      for (const [index, file] of small.entries()) {
        if (intact[index] !== true) continue
        left.delete(file)
        report(file, 'ok')
      }
      for (const file of left) {
        signal?.throwIfAborted()
        report(file, await checkFile(root, file, { signal, sizeOnly: isKnownGood?.(file) ?? false }))
      }
    },
    { concurrency: batchesAtOnce },
  )

  const missingPaths = new Set(found.missing)
  const missingKeys = new Set(found.missing.map(keyOf))
  // A file whose name differs in case or Unicode form alone is the recorded one only if that is found by its own name.
  const isExpected = (path: string) =>
    expected.has(keyOf(path)) && (missingPaths.has(path) || !missingKeys.has(keyOf(path)))
  const unexpected: string[] = []
  for (const folder of new Set(projectFolders)) {
    for await (const entry of scanFolder(root, folder, signal)) {
      if (entry.kind === 'unreadable') {
        // The files of a folder that does not exist are missing.
        if (entry.errno !== 'ENOENT') found.unreadable.push({ path: entry.path, errno: entry.errno })
        continue
      }
      const isIgnored = entry.path !== folder && isSideFile(pathBelow(folder, entry.path))
      if (!isIgnored && !isExpected(entry.path)) unexpected.push(entry.path)
    }
  }

  const { ok, missing, changed, unreadable } = found
  await assertRootExists(root)
  for (const paths of [missing, changed, unexpected]) paths.sort()
  unreadable.sort((one, other) => (one.path < other.path ? -1 : 1))
  return { checked, ok, missing, changed, unexpected, unreadable }
}

/** Returns whether the file system ignores case, tested with the first project folder that exists. */
async function ignoresCase(root: string, projectFolders: readonly string[]): Promise<boolean> {
  for (const folder of projectFolders) {
    const swapped = swapCase(folder)
    const [there, other] = await Promise.all([inodeOf(root, folder), inodeOf(root, swapped)])
    if (swapped !== folder && there !== undefined) return there === other
  }
  return false
}

function swapCase(text: string): string {
  return text.replace(/[a-z]+|[A-Z]+/g, (run) => (run >= 'a' ? run.toUpperCase() : run.toLowerCase()))
}

async function inodeOf(root: string, folder: string): Promise<string | undefined> {
  return atPath(root, folder, (path) => lstat(path, { bigint: true })).then(
    (found) => `${found.dev}:${found.ino}`,
    () => undefined,
  )
}

/** An entry found in the archive; `path` is relative to the archive root, with `/`. */
export type ScannedEntry =
  /** `other` is a socket, a pipe or a device. */
  | { readonly kind: 'file' | 'symlink' | 'other'; readonly path: string }
  /** A folder that could not be read completely; `ENOENT` if it does not exist. */
  | { readonly kind: 'unreadable'; readonly path: string; readonly errno: string }

/** Entries per read: Node's default of 32 costs a trip to the thread pool every 32 files. */
const entriesAtOnce = 256

/**
 * Yields everything below a folder of the archive except folders, in no particular order. Links are reported and not
 * followed. Has the names of unread folders and one batch of entries in memory, never the whole list. Throws the
 * signal's reason, `disk-error` for a folder outside the archive, and the error if too many files are open.
 */
export async function* scanFolder(root: string, folder: PathBelow, signal?: AbortSignal): AsyncGenerator<ScannedEntry> {
  const top = typeof folder === 'string' ? folder.split('/') : folder
  const found = await lstatInside(root, folder).catch((error: unknown) => {
    if (errnoCode(error) === undefined) throw error
    return undefined
  })
  if (found !== undefined && !found.isDirectory()) {
    yield { kind: kindOf(found), path: top.join('/') }
    return
  }
  const waiting = [top]
  for (let names = waiting.pop(); names !== undefined; names = waiting.pop()) {
    const path = names.join('/')
    let entered: EnteredFolder | undefined
    try {
      entered = enterFolder(root, names)
      for await (const entry of await opendir(entered.path, { bufferSize: entriesAtOnce })) {
        signal?.throwIfAborted()
        if (entry.isDirectory()) waiting.push([...names, entry.name])
        else yield { kind: kindOf(entry), path: `${path}/${entry.name}` }
      }
    } catch (error) {
      const errno = errnoCode(error)
      if (errno === undefined || isTooManyOpen(error)) throw error
      // A folder that became a link since its parent was listed.
      yield errno === 'ELOOP' ? { kind: 'symlink', path } : { kind: 'unreadable', path, errno }
    } finally {
      entered?.leave()
    }
  }
}

function kindOf(entry: Pick<Dirent, 'isFile' | 'isSymbolicLink'>): 'file' | 'symlink' | 'other' {
  if (entry.isFile()) return 'file'
  return entry.isSymbolicLink() ? 'symlink' : 'other'
}
