import { lstat, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { atPath, existsInside, holdsAnyFolder, inFolder, lstatInside } from '../archive/inside-archive.ts'
import { findMisplaced, searchArchive } from '../checklists/find-misplaced.ts'
import { hasStaleRecords, writeArchiveRecords } from '../checklists/archive-records.ts'
import { assetIdOfPart } from '../downloads/part-file.ts'
import { recoverReplacements } from '../downloads/replace-file.ts'
import { adoptListed } from '../integrity/requeue-missing.ts'
import { errorFacts, explainError, forEachIsolated, toEngineError } from '../lib/engine-error.ts'
import { archiveNotCreated, errnoCode, isTooManyOpen, permissionErrorOf } from '../lib/fs/disk-error.ts'
import { retryWhileLocked } from '../lib/fs/durable-files.ts'
import { hashFile } from '../lib/fs/hash-file.ts'
import { makeFolders } from '../lib/fs/make-folders.ts'
import { isUnfinishedFile } from '../lib/fs/side-files.ts'
import { deleteAbandonedProbes, findWriteProblem } from '../lib/fs/write-probe.ts'
import type { Logger, Ports } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import type { JobRow } from '../store/jobs-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'

/**
 * Prepares the archive for reading and writing: refuses a folder that is not the archive of this database (a
 * disconnected drive, a mistyped path), completes the unfinished work of an ended process, and deletes its leftovers.
 * Work that the disk refuses in one project is left for the next start and does not affect the others. Throws
 * `archive-unavailable`, other disk errors, and the signal's reason if it aborts. `onlyReads` if nothing else will be
 * written: unfinished work and leftovers that a write-protected disk keeps, and records that it or a full one does not
 * take, are left for later, too.
 */
export async function openArchive(
  folders: ArchiveFolders,
  store: Store,
  { clock, logger }: Pick<Ports, 'clock' | 'logger'>,
  signal: AbortSignal,
  { onlyReads = false }: { readonly onlyReads?: boolean } = {},
): Promise<void> {
  let refusal: AppError | undefined
  const canWait = (error: AppError) => onlyReads && refusesWrites(error)
  try {
    await requireKnownArchive(folders.root, store)
    await makeRoot(folders.root)
    folders.recognizeRoot()
    await deleteAbandonedProbes(folders.root)
    await adoptPublished(folders, store, logger, canWait)
    // Nothing is downloaded before the archive is opened for writing, which frees the names that are reserved still.
    if (!onlyReads) store.jobs.resetRunning()
    await recoverReplacements(folders, store, logger, { canWait })
    markOlderDocumentsStale(store)
    const resumable = new Set([
      ...store.jobs.assetsWithParts(),
      ...store.versions.pending().map(({ assetId }) => assetId),
    ])
    const what = 'bring the records of a project up to date'
    const facts = ({ id }: ProjectRow) => ({ project: id })
    const label = ({ id, folder }: ProjectRow) => folder ?? id
    const unlessRefused = async (project: string, change: () => Promise<void>) => {
      try {
        await change()
      } catch (thrown) {
        const error = await explainError(folders, thrown, what)
        if (!canWait(error)) throw error
        logger.warn('A part of the archive could not be repaired and is left for later', {
          project,
          ...errorFacts(error),
        })
        refusal ??= error
      }
    }
    await forEachIsolated(store.projects.listAll(), { folders, logger, what, facts, label }, async ({ id, folder }) => {
      if (folder === null) return
      await unlessRefused(id, () => deleteLeftovers(folders, folder, resumable, clock.nowMs()))
      if (!hasStaleRecords(store, id)) return
      // Create no folder for a missing one, which may have been renamed, nor for one that was: its new checklist.json
      // would hide that. Write nothing into another folder that has its name.
      const hasRecords = store.archivedFiles.documentsOfProject(id).length > 0
      if (hasRecords && !existsInside(folders.root, folder)) return
      const { renamed, taken } = await findMisplaced({ root: folders.root, store }, id)
      if (renamed.length + taken.length > 0) return
      await adoptListed(folders, store, id, new Date(clock.nowMs()).toISOString(), signal)
      await unlessRefused(id, () => writeArchiveRecords(folders, store, id))
    })
    if (refusal !== undefined) logger.showMessage(refusal.message)
  } catch (error) {
    signal.throwIfAborted()
    throw await explainError(folders, error, `open the archive folder ${folders.root}`)
  }
}

/** Returns whether the disk of the archive can be read, but takes nothing now. */
const refusesWrites = ({ code, details }: AppError) =>
  (code === 'archive-read-only' || code === 'disk-full') && details?.['sqlite'] === undefined

/** Creates the archive folder and makes it durable. Throws why it cannot be created. */
export async function makeRoot(root: string): Promise<void> {
  try {
    await makeFolders(root)
  } catch (error) {
    const refusal = permissionErrorOf(error)
    if (refusal !== undefined) throw archiveNotCreated(refusal, root)
    const code = errnoCode(error)
    if (code === 'EEXIST') throw archiveIsNoFolder(root)
    if (code !== 'ENAMETOOLONG') throw error
    const message = `A name in the path of the archive folder is too long for this disk: ${root}. Choose another folder.`
    throw new AppError('archive-unavailable', message)
  }
}

/**
 * Throws `archive-read-only` if a new archive is not writable, before the first call to the service. An archive with
 * files may be on a write-protected disk as long as there is nothing new.
 */
export async function requireWritableNewArchive(root: string, store: Store): Promise<void> {
  if (store.assets.foldersInUse().length > 0) return
  const problem = await findWriteProblem(root)
  if (problem?.code === 'archive-read-only') throw problem
}

/**
 * Throws `archive-unavailable` if none of the projects' folders is in the root, unless they were renamed, or if the
 * archive is in a folder of it. An empty mount point looks like an archive in which everything was deleted; nothing may
 * be downloaded into it.
 */
export async function requireKnownArchive(root: string, store: Store): Promise<void> {
  const unknown = (error: unknown) => {
    throw toEngineError(error, `read the archive folder ${root}`)
  }
  if (await isInPlace(root, store).catch(unknown)) return
  const search = await searchArchive({ root, store }).catch(unknown)
  if (search.kind === 'renamed') return
  if (search.kind === 'archive') throw archiveBelow(root, search.folders, search.isSplit)
  const isOther = await stat(root)
    .then((found) => !found.isDirectory())
    .catch(() => false)
  if (isOther) throw archiveIsNoFolder(root)
  const inUse = store.assets.foldersInUse()
  await lstatInside(root, inUse[0] ?? '').catch((error: unknown) => {
    if (permissionErrorOf(error) !== undefined) throw archiveNotReadable(root)
  })
  throw new AppError(
    'archive-unavailable',
    `None of the ${inUse.length} archived project folders is in ${root}. Nothing was changed. ` +
      'Connect the drive or share with the archive, or choose its current folder. ' +
      `If it is lost, create an empty folder "${inUse[0]}" there, and everything is downloaded again.`,
  )
}

function archiveNotReadable(root: string): AppError {
  const message =
    `Solarchive may not read ${root}, so it is not known whether the archive is there. Nothing was changed. ` +
    'If it is on a drive, connect that first. ' +
    'Give the user that runs Solarchive read and write access to this folder and all its contents, and access to ' +
    'the folders above it, or run Solarchive as another user.'
  return new AppError('archive-unavailable', message)
}

function archiveIsNoFolder(root: string): AppError {
  const message = `${root} is not a folder. Nothing was changed. Choose the folder with the archive.`
  return new AppError('archive-unavailable', message)
}

/**
 * Returns whether `requireKnownArchive` accepts the root, as soon as that is certain; false while too many files are
 * open to find out. Rejects with the signal's reason.
 */
export async function isKnownArchive(root: string, store: Store, signal: AbortSignal): Promise<boolean> {
  try {
    if (await isInPlace(root, store, signal)) return true
    return (await searchArchive({ root, store }, { isOneEnough: true, signal })).kind === 'renamed'
  } catch (error) {
    if (isTooManyOpen(error)) return false
    throw error
  }
}

/** Returns whether the root has one of the archived project folders, or none is archived yet. */
async function isInPlace(root: string, store: Store, signal?: AbortSignal): Promise<boolean> {
  // The first one is nearly always there, and listing all takes a while in a big archive.
  const first = store.assets.foldersInUse(1)
  if (first.length === 0 || (await holdsAnyFolder(root, first, signal))) return true
  return holdsAnyFolder(root, store.assets.foldersInUse(), signal)
}

/** Number of folders that a message names. */
const maxNamed = 3

function archiveBelow(root: string, folders: readonly string[], isSplit: boolean): AppError {
  const places = folders.slice(0, maxNamed).map((folder) => join(root, folder))
  if (isSplit) {
    return new AppError(
      'archive-unavailable',
      `The project folders are in ${places.join(' and ')}, and not directly in ${root}. Nothing was changed. Move them ` +
        `back into ${root}, with their names.`,
    )
  }
  const choice = folders.length === 1 ? 'that folder' : 'the right one of them, not a copy,'
  return new AppError(
    'archive-unavailable',
    `The archive is in ${places.join(' or ')}, and not directly in ${root}. Nothing was changed. ` +
      `Choose ${choice} as the archive folder. ` +
      `If ${root} is the archive folder, move its project folders back into it, with their names.`,
  )
}

/**
 * Incremented when documents get fields that a rebuild of the database needs: older documents are written again once.
 */
const documentFields = '2'
const documentFieldsKey = 'document-fields'

/** Records that a new database has no older documents: a rebuild reads none. */
export function recordDocumentFields(store: Store): void {
  store.meta.set(documentFieldsKey, documentFields)
}

function markOlderDocumentsStale(store: Store): void {
  if (store.meta.get(documentFieldsKey) === documentFields) return
  store.transaction(() => {
    store.checklists.markDocumentsStale()
    store.meta.set(documentFieldsKey, documentFields)
  })
}

/** No download takes this long: a file unchanged for this time has no writer. */
const abandonedMs = 7 * 24 * 60 * 60_000

/**
 * Deletes our own `.part` files that no job resumes, and abandoned ones of other installations. Nothing is deleted in a
 * folder that cannot be read. Rejects with `ELOOP` if it is a link.
 */
async function deleteLeftovers(
  { root, installation }: ArchiveFolders,
  folder: string,
  resumable: ReadonlySet<number>,
  nowMs: number,
): Promise<void> {
  const names = await inFolder(root, folder, (path) => readdir(path)).catch((error: unknown) => {
    if (errnoCode(error) === 'ELOOP') throw error
    return []
  })
  for (const name of names.filter(isUnfinishedFile)) {
    const assetId = assetIdOfPart(name, installation)
    await inFolder(root, folder, async (absolute) => {
      const path = join(absolute, name)
      const isLeftover = assetId === undefined ? await isAbandoned(path, nowMs) : !resumable.has(assetId)
      if (isLeftover) await retryWhileLocked(() => rm(path, { force: true }))
    })
  }
}

async function isAbandoned(path: string, nowMs: number): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isFile() === true && nowMs - found.mtimeMs > abandonedMs
}

/**
 * Records files that an ended process had published and not recorded, and frees the names that it had only reserved.
 * Published files were complete on the disk before they were renamed. Their jobs stay, so that each is compared with
 * the service, which may have another file by now, or none. Must run while the interrupted jobs are still marked as
 * running.
 */
async function adoptPublished(
  folders: ArchiveFolders,
  store: Store,
  logger: Logger,
  canWait: (error: AppError) => boolean,
): Promise<void> {
  const what = 'check a file of the archive'
  const facts = ({ assetId, projectId }: JobRow) => ({ project: projectId, asset: assetId })
  const label = ({ assetId, projectId }: JobRow) => store.assets.get(assetId)?.path ?? projectId
  const options = { folders, logger, what, facts, label, canWait }
  await forEachIsolated(store.jobs.listRunning(), options, async ({ assetId, projectId }) => {
    const asset = store.assets.get(assetId)
    if (asset === undefined || asset.sha256 !== null) return
    const found = await lstatInside(folders.root, asset.path)
    if (found?.isFile() !== true) return
    // On file systems without hard links an empty file reserves the name before publishing.
    if (found.size === 0) return atPath(folders.root, asset.path, (path) => rm(path))
    const file = await atPath(folders.root, asset.path, (path) => hashFile(path))
    store.transaction(() => {
      store.assets.adopt({ ...file, id: asset.id, archivedAt: found.mtime.toISOString() })
      store.projects.setChecksumsStale(projectId, true)
      store.checklists.markDocumentStale(asset.checklistKey)
    })
  })
}
