import { AppError } from '../../../shared/errors.ts'
import { type ArchiveFolders, quarantine } from '../archive/archive-folders.ts'
import { checkFile, type FileState } from '../archive/check-file.ts'
import { lstatInside } from '../archive/inside-archive.ts'
import { checksumsPath } from '../archive/layout.ts'
import { hashChecksums } from '../checklists/archive-records.ts'
import { projectFolderOf } from '../downloads/part-file.ts'
import { adoptListed, ListedChecksums, recordLossActivity } from './requeue-missing.ts'
import { errnoCode } from '../lib/fs/disk-error.ts'
import type { Clock, Logger } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import type { ArchivedFile } from '../store/archived-files-store.ts'

/** A project's SHA256SUMS. It has no row: its content follows from the rows of the other files. */
export interface ArchivedChecksums {
  readonly kind: 'checksums'
  readonly projectId: string
  readonly path: string
}

/** A file that is missing, changed, or unreadable. */
export interface Finding {
  readonly file: ArchivedFile | ArchivedChecksums
  readonly state: Exclude<FileState, 'ok'>
}

export interface RecordDeps {
  readonly folders: ArchiveFolders
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

export interface RecordedFindings {
  /** The findings without those about files that were replaced since, also by another installation. */
  readonly recorded: readonly Finding[]
  /** New paths of changed files, relative to the archive root. */
  readonly quarantined: readonly string[]
  /** Files that were left unchanged, by path, with the reason. */
  readonly left: ReadonlyMap<string, AppError>
}

export interface FindingsOptions {
  /**
   * True if lost old versions are removed from the records. They cannot be downloaded again; they stay listed until a
   * user repairs the archive.
   */
  readonly forgetVersions: boolean
  /** Stops the search for files that another installation has replaced, before anything is recorded or moved. */
  readonly signal?: AbortSignal
}

/** Returns the error for a lost old version: the only copy was in this archive. */
export function versionLost(): AppError {
  return new AppError(
    'file-gone',
    'It is an older version that only this archive had, so it cannot be downloaded again. ' +
      'If you have a backup, restore it from there.',
  )
}

/**
 * Updates the rows to what was found in one project: changed files are quarantined, except those of another
 * installation, files that the service has are queued, and files that Solarchive writes itself become stale. Findings
 * about files replaced since are skipped. The project must be locked, so that no download is about to replace a file.
 * Throws `archive-unavailable` if the archive goes away, errors of the database, and the signal's reason if it aborts.
 */
export async function recordFindings(
  { folders, store, clock, logger }: RecordDeps,
  findings: readonly Finding[],
  { forgetVersions, signal }: FindingsOptions,
): Promise<RecordedFindings> {
  const nowIso = new Date(clock.nowMs()).toISOString()
  const quarantined: string[] = []
  const left = new Map<string, AppError>()
  const lost: Finding[] = []
  const current = findings.filter(({ file }) => isStillRecorded(store, file))
  if (findings[0] !== undefined) await adoptListed(folders, store, findings[0].file.projectId, nowIso, signal)
  // Adopting a file makes its checklist.json stale; one that a user edited is kept nevertheless.
  const recorded = current.filter(({ file }) => file.kind === 'document' || isStillRecorded(store, file))
  const listed = new ListedChecksums(folders.root, projectFolderOf(recorded[0]?.file.path ?? ''))
  const isDocumentOfOther = async ({ kind, path }: Finding['file']) =>
    kind === 'document' && (await listed.hash(path)) !== undefined
  store.transaction(() => recordDamage(store, recorded, nowIso))
  for (const finding of recorded) {
    const { file, state } = finding
    const reason = reasonToLeave(finding, forgetVersions) ?? (await reasonToRemember(folders, finding))
    if (reason !== undefined) left.set(file.path, reason)
    else if (state === 'missing' || (await isDocumentOfOther(file))) lost.push(finding)
    else {
      const moved = await tryToQuarantine(folders, file.path, nowIso)
      if (moved instanceof AppError) left.set(file.path, moved)
      else lost.push(finding)
      if (typeof moved === 'string') quarantined.push(moved)
    }
  }
  store.transaction(() => {
    for (const { file, state } of lost) {
      recordLoss(store, file, nowIso)
      if (file.kind === 'asset') recordLossActivity(store, file, state === 'missing', nowIso)
    }
  })
  for (const { file } of lost) {
    if (file.kind === 'version') logger.info('An old version is lost', { project: file.projectId, sha256: file.sha256 })
  }
  return { recorded, quarantined, left }
}

/**
 * Stores findings until the file is archived or written again, or a later check finds it unchanged. Until then it does
 * not count as archived. Must be called in a transaction.
 */
export function recordDamage(store: Store, findings: readonly Finding[], at: string): void {
  for (const { file, state } of findings) {
    // An unreadable file is not known to be unchanged.
    const damage = state === 'missing' ? 'missing' : 'changed'
    if (file.kind === 'asset') store.assets.markDamaged({ id: file.id, sha256: file.sha256, damage, at })
    else store.findings.put({ path: file.path, projectId: file.projectId, state: damage, at })
  }
}

/** Returns whether the row still describes the file of the finding. */
function isStillRecorded(store: Store, file: ArchivedFile | ArchivedChecksums): boolean {
  return file.kind === 'checksums'
    ? store.projects.get(file.projectId)?.checksumsStale === 0
    : store.archivedFiles.isCurrent(file)
}

function reasonToLeave({ file, state }: Finding, forgetVersions: boolean): AppError | undefined {
  // Only EIO means a failing disk. Every other code means missing rights, a program that holds the file, or a broken
  // connection to the disk: the file may be unchanged.
  if (typeof state === 'object' && state.errno !== 'EIO') {
    return new AppError(
      'disk-error',
      `It exists and cannot be read (${state.errno}). Give Solarchive read access to it, ` +
        'or close the program that has it open, and verify again.',
      { details: { errno: state.errno } },
    )
  }
  return file.kind === 'version' && !forgetVersions ? versionLost() : undefined
}

/**
 * Returns why a missing or unreadable file stays unchanged in the records: it was behind a link that replaced a folder,
 * or is there again. Undefined if it is gone.
 */
async function reasonToRemember(folders: ArchiveFolders, { file, state }: Finding): Promise<AppError | undefined> {
  if (typeof state === 'object' && file.kind !== 'checksums') {
    const again = await checkFile(folders.root, file)
    // Old versions that must stay were left before.
    return again === 'ok' ? backAgain() : reasonToLeave({ file, state: again }, true)
  }
  if (state !== 'missing') return undefined
  try {
    const found = await lstatInside(folders.root, file.path)
    return found?.isFile() === true ? backAgain() : undefined
  } catch (error) {
    const diskError = await folders.explain(error, 'look for a missing file')
    if (diskError.code === 'archive-unavailable') throw diskError
    return diskError
  }
}

function backAgain(): AppError {
  return new AppError(
    'internal',
    'It was missing or unreadable a moment ago, and is there again. Verify again to see its state.',
  )
}

/** Returns the new path, undefined if the file is gone, or the error if it could not be moved. */
async function tryToQuarantine(
  folders: ArchiveFolders,
  path: string,
  nowIso: string,
): Promise<string | undefined | AppError> {
  try {
    return await quarantine(folders, path, nowIso)
  } catch (error) {
    const diskError = await folders.explain(error, 'quarantine a changed file')
    if (diskError.code === 'archive-unavailable') throw diskError
    return errnoCode(error) === 'ENOENT' ? undefined : diskError
  }
}

function recordLoss(store: Store, file: ArchivedFile | ArchivedChecksums, at: string): void {
  store.projects.setChecksumsStale(file.projectId, true)
  switch (file.kind) {
    case 'asset':
      store.assets.markLost(file.id, at)
      // A file that the service no longer lists cannot be downloaded; listed again, it is queued as a new one.
      if (store.assets.get(file.id)?.present === 1) store.jobs.enqueueAgain(file.id, file.projectId, 'fetch')
      store.checklists.markDocumentStale(file.checklistKey)
      break
    case 'document':
      store.checklists.markDocumentStale(file.checklistKey)
      break
    case 'version':
      store.versions.forget(file.path)
      store.findings.clear(file.path)
      break
    case 'checksums':
      break
  }
}

/**
 * Compares a project's SHA256SUMS with the rows. `isIn` is where it is now, if that is not `folder`. Returns undefined
 * if there is nothing to compare: no file is archived, or the file is stale and will be written again. `wasDue`: it was
 * to be written already, so that a stale one was refused by the disk and is compared as well.
 */
export async function checkChecksums(
  store: Store,
  root: string,
  projectId: string,
  folder: string,
  signal: AbortSignal,
  { isIn = folder, wasDue = false }: { readonly isIn?: string; readonly wasDue?: boolean } = {},
): Promise<Finding | 'ok' | undefined> {
  const isStale = store.projects.get(projectId)?.checksumsStale !== 0
  if (isStale && !wasDue) return undefined
  const recorded = hashChecksums(store, projectId, folder)
  if (recorded.sizeBytes === 0) return undefined
  const file: ArchivedChecksums = { kind: 'checksums', projectId, path: checksumsPath(folder) }
  const state = await checkFile(root, { ...recorded, path: checksumsPath(isIn) }, { signal })
  return state === 'ok' ? 'ok' : { file, state }
}
