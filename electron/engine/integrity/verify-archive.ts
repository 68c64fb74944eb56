import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { checkFile, type FileState, type ManifestFile } from '../archive/check-file.ts'
import { forEachConcurrently } from '../lib/fs/for-each-concurrently.ts'
import { assertRootThere } from '../archive/inside-archive.ts'
import { pathBelow } from '../archive/layout.ts'
import { PathSet } from './path-set.ts'
import { scanFolder } from './scan-folder.ts'
import { isSideFile } from '../lib/fs/side-files.ts'
import { caseKey } from '../archive/unique-name.ts'

/** A file or folder that is there and cannot be read; `errno` is the operating system's code. */
interface Unreadable {
  readonly path: string
  readonly errno: string
}

/** Paths are relative to the archive root, sorted. */
export interface ArchiveVerification {
  readonly checked: number
  readonly ok: number
  readonly missing: readonly string[]
  /** Other bytes, something else than a file, or a file that cannot be read. */
  readonly changed: readonly string[]
  /** What lies in the project folders and is not in the manifest. */
  readonly unexpected: readonly string[]
  /** Project folders that are not there at all. Files of theirs are in `missing` too. */
  readonly missingFolders: readonly string[]
  readonly unreadable: readonly Unreadable[]
}

export interface VerifyOptions<File extends ManifestFile> {
  /** Absolute path of the archive. */
  readonly root: string
  /** In any order; read as fast as files are checked. */
  readonly manifest: Iterable<File> | AsyncIterable<File>
  /** A file that need not be read again: it is right when it is there with its size. */
  readonly isKnownGood?: ((file: File) => boolean) | undefined
  /** Told how every file was found. */
  readonly onFile?: ((file: File, state: FileState) => void) | undefined
  /** Relative to the root: where to look for unexpected files. */
  readonly projectFolders: readonly string[]
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: { readonly filesDone: number }) => void) | undefined
  /** Files read at the same time; by default 2: one is read while the other is hashed. */
  readonly concurrency?: number
}

/**
 * Re-hashes every file of the manifest and looks for files that are not in it. Changes nothing. Rejects with
 * `archive-unavailable` when the root is not there or goes away meanwhile, and with the signal's reason when that
 * aborts.
 */
export async function verifyArchive<File extends ManifestFile>(
  options: VerifyOptions<File>,
): Promise<ArchiveVerification> {
  const { root, manifest, projectFolders, isKnownGood, onFile, signal, onProgress, concurrency = 2 } = options
  await assertRootThere(root)
  const keyOf = (await ignoresCase(root, projectFolders)) ? caseKey : (path: string) => path.normalize('NFC')
  const expected = new PathSet()
  const found = { ok: 0, missing: [] as string[], changed: [] as string[], unreadable: [] as Unreadable[] }
  let filesDone = 0

  await forEachConcurrently(manifest, concurrency, async (file) => {
    signal?.throwIfAborted()
    expected.add(keyOf(file.path))
    const state = await checkFile(root, file, { signal, sizeOnly: isKnownGood?.(file) ?? false })
    onFile?.(file, state)
    if (state === 'ok') found.ok += 1
    else if (state === 'missing') found.missing.push(file.path)
    else found.changed.push(file.path)
    if (typeof state === 'object') found.unreadable.push({ path: file.path, ...state })
    filesDone += 1
    onProgress?.({ filesDone })
  })

  const unexpected: string[] = []
  const missingFolders: string[] = []
  for (const folder of new Set(projectFolders)) {
    for await (const entry of scanFolder(root, folder, signal)) {
      if (entry.kind !== 'unreadable') {
        const isAside = entry.path !== folder && isSideFile(pathBelow(folder, entry.path))
        if (!isAside && !expected.has(keyOf(entry.path))) unexpected.push(entry.path)
      } else if (entry.errno !== 'ENOENT') {
        found.unreadable.push({ path: entry.path, errno: entry.errno })
      } else if (entry.path === folder) {
        missingFolders.push(folder)
      }
    }
  }

  const { ok, missing, changed, unreadable } = found
  if (missing.length + missingFolders.length + unreadable.length > 0) await assertRootThere(root)
  for (const paths of [missing, changed, unexpected, missingFolders]) paths.sort()
  unreadable.sort((one, other) => (one.path < other.path ? -1 : 1))
  return { checked: filesDone, ok, missing, changed, unexpected, missingFolders, unreadable }
}

/** Whether the disk takes a name in other case for the same: asked of the first project folder that is there. */
async function ignoresCase(root: string, projectFolders: readonly string[]): Promise<boolean> {
  for (const folder of projectFolders) {
    const swapped = swapCase(folder)
    const [there, other] = await Promise.all([inodeOf(join(root, folder)), inodeOf(join(root, swapped))])
    if (swapped !== folder && there !== undefined) return there === other
  }
  return false
}

function swapCase(text: string): string {
  return text.replace(/[a-z]+|[A-Z]+/g, (run) => (run >= 'a' ? run.toUpperCase() : run.toLowerCase()))
}

async function inodeOf(path: string): Promise<string | undefined> {
  return stat(path, { bigint: true }).then(
    (found) => `${found.dev}:${found.ino}`,
    () => undefined,
  )
}
