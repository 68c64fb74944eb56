import pMap from 'p-map'
import { AppError } from '../../../shared/errors.ts'
import { checkFile, type FileState } from '../archive/check-file.ts'
import { lstatInside } from '../archive/inside-archive.ts'
import {
  findMisplaced,
  isIn,
  type LocatedFile,
  type Misplaced,
  renamed,
  searchOnce,
  withCurrentPaths,
} from '../checklists/find-misplaced.ts'
import { undefinedIfUnreadable } from '../lib/fs/disk-error.ts'
import { archivedFilesOf } from '../checklists/archived-files.ts'
import type { VerifyResult } from '../engine.ts'
import type { VerifyProgress } from '../lib/events.ts'
import type { Clock } from '../lib/ports.ts'
import { requireKnownArchive } from '../recovery/open-archive.ts'
import type { Store } from '../store/create-store.ts'
import { checkChecksums } from './findings.ts'
import { findForeignFolders } from './foreign-folders.ts'
import { createQuickCheck, type QuickCheck } from './quick-check.ts'
import { countFiles, verifiableProjects } from './verify-pass.ts'
import { type ArchiveVerification, verifyArchive } from './verify-archive.ts'

export interface VerifyBesideDeps {
  /** Read-only; every query has to see what the owner has committed by then. */
  readonly store: Store
  /** Absolute path of the archive. */
  readonly root: string
  readonly clock: Clock
}

export interface VerifyBesideOptions {
  /** Default: all. */
  readonly projectIds?: readonly string[] | undefined
  readonly signal: AbortSignal
  /** Called for every file; the caller throttles. */
  readonly onProgress: (progress: VerifyProgress) => void
}

/** Pause before a file is checked again: time for the owner to finish its work with the file. */
const recheckMs = 200

/** Maximum number of checks of a file; one that the owner replaces each time is left out. */
const maxChecks = 5

/**
 * Reads every file of an archive that another process owns, and records nothing. A finding counts if rows that are read
 * after the file still say the same: the owner may have published, replaced, or removed it meanwhile. What it replaces
 * all the time is left out of the counts, like what it archives from now on. Rejects with `cancelled`, and with
 * `archive-unavailable` if the archive is gone.
 */
export async function verifyBeside(deps: VerifyBesideDeps, options: VerifyBesideOptions): Promise<VerifyResult> {
  const { store, root } = deps
  const { projectIds = [], signal, onProgress } = options
  await requireKnownArchive(root, store)
  const quick = createQuickCheck()
  let filesTotal = 0
  let filesDone = 0
  const result = {
    checked: 0,
    ok: 0,
    missing: [] as string[],
    changed: [] as string[],
    unexpected: [] as string[],
    renamed: [] as VerifyResult['renamed'],
  }
  try {
    const find = { search: searchOnce({ root, store }, projectIds), signal }
    const { projects } = await verifiableProjects({ root, store }, projectIds, find)
    const isPartial = projectIds.length > 0
    filesTotal = await countFiles(store, projects, signal)
    const misplacedOf = (id: string) => findMisplaced({ root, store }, id, find)
    for (const { id } of projects) {
      signal.throwIfAborted()
      result.renamed.push(...(await misplacedOf(id)).renamed.map(notRestored))
    }
    for (const { id, folder } of projects) {
      if (folder === null) continue
      const foldersOfOthers = result.renamed.flatMap(({ projectId, to }) => (projectId === id ? [] : [to]))
      const project = { id, folder, misplaced: await misplacedOf(id), foldersOfOthers, quick }
      const found = await verifyProject(deps, project, signal, () => {
        filesDone += 1
        onProgress({ filesDone, filesTotal })
      })
      result.checked += found.checked
      result.ok += found.ok
      for (const name of ['missing', 'changed', 'unexpected'] as const) {
        // One by one: a folder may hold more files than a call takes arguments.
        for (const path of found[name]) result[name].push(path)
      }
    }
    if (!isPartial) {
      for (const name of await findForeignFolders(root, store, result.renamed, signal)) result.unexpected.push(name)
    }
  } catch (error) {
    if (!signal.aborted) throw error
    throw new AppError(
      'cancelled',
      `The verification was stopped after ${filesDone} of ${filesTotal} files. It worked beside another Solarchive ` +
        'and recorded nothing: the next one starts from the beginning.',
    )
  } finally {
    await quick.end()
  }
  for (const name of ['missing', 'changed', 'unexpected'] as const) result[name].sort()
  return { ...result, repaired: 0, resumedFrom: null, alreadyRead: 0, quarantined: [], failures: [] }
}

const notRestored = <Folder>(folder: Folder) => ({ ...folder, restored: false })

type ProjectResult = Pick<ArchiveVerification, 'checked' | 'ok' | 'missing' | 'changed' | 'unexpected'>

interface ProjectFolder {
  readonly id: string
  readonly folder: string
  readonly misplaced: Misplaced
  /** Renamed folders of other projects: nothing in them is unexpected here. */
  readonly foldersOfOthers: readonly string[]
  readonly quick: QuickCheck
}

async function verifyProject(
  deps: VerifyBesideDeps,
  project: ProjectFolder,
  signal: AbortSignal,
  onFile: () => void,
): Promise<ProjectResult> {
  const { store, root, clock } = deps
  const { id, folder, misplaced, quick } = project
  const isAt = renamed(folder, misplaced.renamed)
  const unconfirmed: LocatedFile[] = []
  const verified = await verifyArchive({
    root,
    manifest: withCurrentPaths(root, archivedFilesOf(store, id, folder), misplaced),
    projectFolders: misplaced.taken.includes(isAt) ? [] : [isAt],
    onFile(file, state) {
      if (state !== 'ok') unconfirmed.push(file)
      onFile()
    },
    signal,
    quick,
  })
  let { ok } = verified
  const missing: string[] = []
  const changed: string[] = []
  await pMap(
    unconfirmed,
    async (file) => {
      const state = await confirmedState(deps, file, signal)
      if (state === 'ok') ok += 1
      else if (state !== undefined) (state === 'missing' ? missing : changed).push(file.recorded.path)
    },
    { concurrency: 4 },
  )
  // Before the rows are read: one that the owner recognizes meanwhile has its row by then.
  const lost = await lostFiles(deps, id, signal)
  const unexpected = await confirmUnexpected(
    deps,
    project,
    verified.unexpected.filter((path) => !lost.found.has(path.normalize('NFC'))),
  )
  let checksums = await checkChecksums(store, root, id, folder, signal, { isIn: isAt })
  for (let check = 1; isFinding(checksums) && check < maxChecks; check += 1) {
    await clock.sleep(recheckMs, signal)
    checksums = await checkChecksums(store, root, id, folder, signal, { isIn: isAt })
  }
  for (const path of lost.missing) missing.push(path)
  if (isFinding(checksums)) (checksums.state === 'missing' ? missing : changed).push(checksums.file.path)
  if (missing.length > 0) await requireKnownArchive(root, store)
  const archived = ok + lost.found.size + (checksums === 'ok' ? 1 : 0)
  return { checked: archived + missing.length + changed.length, ok: archived, missing, changed, unexpected }
}

type Checksums = Awaited<ReturnType<typeof checkChecksums>>

function isFinding(checksums: Checksums): checksums is Exclude<Checksums, 'ok' | undefined> {
  return checksums !== undefined && checksums !== 'ok'
}

/**
 * Returns the state of a file that is not being changed at this moment, or `undefined` if its row is gone or changes.
 */
export async function confirmedState(
  { store, root, clock }: VerifyBesideDeps,
  file: LocatedFile,
  signal: AbortSignal,
): Promise<FileState | undefined> {
  const { recorded } = file
  for (let check = 1; check <= maxChecks && store.archivedFiles.isCurrent(recorded); check += 1) {
    const state = await checkFile(root, file, { signal })
    const isReplaced = recorded.kind === 'asset' && store.versions.isPending(recorded.id)
    if (state === 'ok' || (store.archivedFiles.isCurrent(recorded) && !isReplaced)) return state
    await clock.sleep(recheckMs, signal)
  }
  return undefined
}

/** Returns the paths that no row explains: neither one of before, nor one that was committed meanwhile. */
async function confirmUnexpected(
  { store, root }: VerifyBesideDeps,
  { id, folder, misplaced, foldersOfOthers }: ProjectFolder,
  paths: readonly string[],
): Promise<string[]> {
  if (paths.length === 0) return []
  // Read work in progress first: whatever ends after that has its row when the rows are read.
  const versions = new Set(store.versions.pending().map(({ versionPath }) => versionPath))
  const unknown = paths
    .filter((path) => !versions.has(path) && !store.assets.isBeingArchived(path))
    .filter((path) => !foldersOfOthers.some((other) => isIn(path, other)))
  const waiting = new Map(unknown.map((path) => [path.normalize('NFC'), path]))
  for await (const { path } of withCurrentPaths(root, archivedFilesOf(store, id, folder), misplaced)) {
    waiting.delete(path.normalize('NFC'))
  }
  const left: string[] = []
  for (const path of waiting.values()) {
    if ((await lstatInside(root, path).catch(undefinedIfUnreadable)) !== undefined) left.push(path)
  }
  return left
}

/** Returns the files that were archived once and are still gone, and those that a user has put back, as NFC. */
async function lostFiles({ store, root }: VerifyBesideDeps, projectId: string, signal: AbortSignal) {
  const missing: string[] = []
  const found = new Set<string>()
  for (const { path, lostSha256: sha256 } of store.archivedFiles.lostAssets(projectId)) {
    const there = sha256 === null ? undefined : await lstatInside(root, path).catch(undefinedIfUnreadable)
    const isBack =
      sha256 !== null &&
      there !== undefined &&
      (await checkFile(root, { path, sha256, sizeBytes: there.size }, { signal })) === 'ok'
    if (isBack) found.add(path.normalize('NFC'))
    else missing.push(path)
  }
  return { missing, found }
}
