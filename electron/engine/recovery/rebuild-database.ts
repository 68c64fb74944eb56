import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { countOf } from '../../../shared/format.ts'
import { errnoCode, isFolder, isTooManyOpen, notFoundCodes, undefinedIfUnreadable } from '../lib/fs/disk-error.ts'
import { assertRootExists } from '../archive/inside-archive.ts'
import { hashIfFile } from '../downloads/replace-file.ts'
import { explainError, toEngineError } from '../lib/engine-error.ts'
import { createRebuildMarker, type PendingRebuild } from '../store/rebuild-marker.ts'
import { makeRoot, recordDocumentFields, requireKnownArchive } from './open-archive.ts'
import { findDocument, findProject, listFolders, readChecksums, type FoundProject } from './find-documents.ts'
import { rebuildChecklist, type RebuildStats, type RebuildDeps } from './rebuild-checklist.ts'
import { restoreProjects } from './restore-projects.ts'

/** Names of project folders end in the last characters of the project's id. */
const looksLikeProject = / \[[^\]]+\]$/

/** Interval of progress messages in the log: hashing a large archive takes an hour. */
const progressEveryMs = 10_000

/**
 * Interval at which the projects that are done are recorded, all in one row. After a kill, those that were done since
 * are done again, with the same result.
 */
const recordEveryMs = 2_000

/**
 * Restores the database from the archive folder if a rebuild is due: project by project, recorded as they are done, so
 * that a stopped run can be resumed. Nothing is downloaded or deleted; a file with other bytes than the archived ones is
 * quarantined as an edited one. Files that the next pass can confirm count as unconfirmed. Throws `archive-unavailable`
 * if the folder does not exist, `disk-error` if a project cannot be read, after all others, and `cancelled` if the
 * signal aborts.
 */
export async function rebuildDatabase(
  deps: RebuildDeps,
  signal: AbortSignal,
  /** True if the caller creates a missing archive folder: then there is nothing to rebuild from. */
  { startsArchive = false }: { readonly startsArchive?: boolean } = {},
): Promise<void> {
  const { folders, store, ports } = deps
  const marker = createRebuildMarker(store.meta)
  const pending = marker.get()
  if (pending === undefined) return
  try {
    if (!(await isFolder(folders.root))) {
      // Without its archive, a lost database would look like a first start, which creates the folder.
      if (pending.reason === 'damaged') throw archiveMissingError(folders.root)
      if (!startsArchive || store.assets.foldersInUse().length > 0) return
      // One that cannot be created may be on a drive that is away.
      await makeRoot(folders.root).catch(async (error: unknown) => {
        throw await explainError(folders, error, `open the archive folder ${folders.root}`)
      })
      // A drive that is back by now has the archive.
      if ((await readdir(folders.root)).length === 0) {
        marker.clear()
        return
      }
    }
    // An empty mount point is not the archive of a restored database.
    await requireKnownArchive(folders.root, store)
    restoreProjects(store, folders.root, new Date(ports.clock.nowMs()).toISOString())
    const stats = await rebuildProjects(deps, pending, signal)
    if (stats.unread.length > 0) throw unreadError(stats.unread)
    if (pending.reason !== 'restored') recordDocumentFields(store)
    // After a lost database the right archive may not be connected yet, unless this one has files by now.
    store.transaction(() => {
      if (stats.projects > 0 || pending.reason === 'new' || store.assets.foldersInUse().length > 0) marker.clear()
      const { projects, checklists, files } = stats
      const at = new Date(ports.clock.nowMs()).toISOString()
      // Another database had the orders, also if the archive could not be read yet when this one was created.
      if (pending.reason === 'new' && projects > 0) store.orders.mayBeMissing(at)
      const from = pending.reason === 'restored' ? 'backup' : 'archive'
      if (pending.reason === 'restored' ? stats.restored === 0 : projects === 0) return
      store.activity.record({ at, kind: 'database-rebuilt', facts: { from, projects, checklists, files } })
    })
    logResult(deps, pending, stats)
  } catch (error) {
    if (signal.aborted) throw rebuildCancelled()
    throw toEngineError(error, 'rebuild the database from the archive folder')
  }
}

/** Counts of a rebuild. */
interface DatabaseStats extends RebuildStats {
  projects: number
  checklists: number
  /** Folders without a readable document, and copies of other folders. */
  unknown: string[]
  /** Absolute paths of project folders with records that the disk could not read. */
  unread: string[]
}

async function rebuildProjects(
  deps: RebuildDeps,
  pending: PendingRebuild,
  signal: AbortSignal,
): Promise<DatabaseStats> {
  const { folders, store, ports } = deps
  const marker = createRebuildMarker(store.meta)
  const stats: DatabaseStats = {
    projects: 0,
    checklists: 0,
    files: 0,
    edited: 0,
    lost: 0,
    skipped: 0,
    // A run that was stopped has shown no message.
    restored: pending.restored === true ? 1 : 0,
    unknown: [],
    unread: [],
  }
  const done = new Set(pending.done)
  const recordDone = () => marker.set({ ...pending, done: [...done], restored: stats.restored > 0 })
  let recordedMs = ports.clock.monotonicMs()
  let loggedMs = recordedMs
  const onFile = () => {
    if (ports.clock.monotonicMs() - loggedMs < progressEveryMs) return
    loggedMs = ports.clock.monotonicMs()
    ports.logger.info('The database is being rebuilt', {
      projects: stats.projects,
      files: stats.files,
    })
  }
  try {
    for (const folder of listFolders(folders.root, '')) {
      signal.throwIfAborted()
      if (done.has(folder)) {
        stats.projects += 1
        continue
      }
      const found = await inspectFolder(folders.root, folder)
      if (found === 'unread') {
        stats.unread.push(join(folders.root, folder))
        continue
      }
      if (found === undefined) {
        if (looksLikeProject.test(folder)) stats.unknown.push(folder)
        continue
      }
      const { project } = found
      // It could not be read when the list was restored.
      if (store.projects.get(project.id)?.folder == null)
        restoreProjects(store, folders.root, new Date(ports.clock.nowMs()).toISOString())
      if (store.projects.get(project.id)?.folder !== folder) {
        stats.unknown.push(folder)
        continue
      }
      stats.unknown.push(...project.unreadable, ...project.ignored)
      await rebuildProject(deps, found, stats, { signal, onFile })
      stats.projects += 1
      done.add(folder)
      if (ports.clock.monotonicMs() - recordedMs < recordEveryMs) continue
      recordDone()
      recordedMs = ports.clock.monotonicMs()
    }
  } finally {
    recordDone()
  }
  return stats
}

/** A project folder with the hashes of its SHA256SUMS. */
interface InspectedProject {
  readonly project: FoundProject
  readonly checksums: ReadonlyMap<string, string>
}

/**
 * Returns undefined for a folder without a project, and for one that cannot be read and is none (like `lost+found`).
 * Throws if the whole archive is gone.
 */
async function inspectFolder(root: string, folder: string): Promise<InspectedProject | 'unread' | undefined> {
  try {
    const project = findProject(root, folder)
    return project && { project, checksums: readChecksums(root, folder) }
  } catch (error) {
    const code = errnoCode(error)
    if (code === undefined || isTooManyOpen(error)) throw error
    await assertRootExists(root)
    return looksLikeProject.test(folder) && !notFoundCodes.has(code) ? 'unread' : undefined
  }
}

async function rebuildProject(
  deps: RebuildDeps,
  { project, checksums }: InspectedProject,
  stats: DatabaseStats,
  options: { readonly signal: AbortSignal; readonly onFile: () => void },
): Promise<void> {
  const { root } = deps.folders
  for (const folder of project.checklistFolders) {
    const document = findDocument(root, folder)
    if (document === undefined || document === 'unreadable') {
      stats.unknown.push(folder)
      continue
    }
    const checklist = { projectId: project.id, document, checksums }
    if (await rebuildChecklist(deps, checklist, stats, options)) stats.checklists += 1
    else stats.unknown.push(folder)
  }
  await assertRootExists(root)
  await keepListOfLost(deps, { project, checksums }, options.signal)
}

/**
 * Keeps SHA256SUMS unchanged if it lists lost files of checklists whose document is lost as well: written again, it
 * would list nothing that is missing. The next change of the project does write it again.
 */
async function keepListOfLost(
  { store, folders: { root }, ports }: RebuildDeps,
  { project, checksums }: InspectedProject,
  signal: AbortSignal,
): Promise<void> {
  const checklists = store.checklists.listFolders(project.id)
  // The files of a folder that was renamed are listed under its old name.
  const files = checklists.flatMap(({ key }) => store.assets.manifestOfChecklist(key))
  const known = new Set(files.map(({ sha256 }) => sha256))
  let lost = 0
  for (const [path, sha256] of checksums) {
    if (known.has(sha256) || checklists.some(({ folder }) => path.startsWith(`${folder}/`))) continue
    signal.throwIfAborted()
    const found = await hashIfFile(root, path).catch(undefinedIfUnreadable)
    if (found?.sha256 !== sha256) lost += 1
  }
  if (lost === 0) return
  await assertRootExists(root)
  store.projects.setChecksumsStale(project.id, false)
  ports.logger.showMessage(
    `SHA256SUMS in ${project.folder} lists files that are missing or changed, and that no readable checklist.json ` +
      `describes (${lost}). It stays unchanged until a file of this project is archived or recorded again: copy it ` +
      'now. If you have a backup, restore the checklist from there; it is recognized if the service still lists it.',
  )
}

/** Logs what was restored, what is unknown, and what comes next. A first start with an empty archive logs nothing. */
function logResult({ ports, folders }: RebuildDeps, { reason }: PendingRebuild, stats: DatabaseStats): void {
  const { projects, checklists, files, edited, lost, skipped, unknown } = stats
  const { logger } = ports
  if (projects === 0) {
    if (reason === 'damaged') {
      logger.info('The database was lost and there is nothing to rebuild it from')
      logger.showMessage(
        `The database was lost and ${folders.root} contains no project folder from which it could be rebuilt. ` +
          'If the archive is elsewhere, choose its folder before the next sync. Otherwise add the projects again.',
      )
    }
  } else if (reason === 'restored') {
    logger.info('The database was compared with the archive folder', {
      projects,
      checklists,
      files,
    })
    if (stats.restored > 0) {
      logger.showMessage(
        'The database was older than the archive folder, and was completed from it. Projects that were added since ' +
          'and have no archived files are not in the list, and projects that were removed since are in it again: ' +
          'check the list of projects, and add and remove as needed.',
      )
    }
  } else {
    logger.info('The database was rebuilt from the archive folder', {
      projects,
      checklists,
      files,
    })
    const contents = [countOf(projects, 'project'), countOf(checklists, 'checklist'), countOf(files, 'file')].join(', ')
    logger.showMessage(
      (reason === 'new'
        ? `The new database was made from the projects in the archive folder: ${contents}. `
        : `The database was rebuilt from the archive folder: ${contents}. `) +
        'Projects that had been removed from the list are in it again, and projects without archived files are not: ' +
        'check the list of projects, and add and remove as needed. ' +
        'The next sync asks the service about every checklist once; archived files are not downloaded again.',
    )
  }
  if (edited + lost > 0) {
    logger.info('Archived files are changed or missing', { edited, lost })
    logger.showMessage(
      `Changed or missing in the archive: ${countOf(edited + lost, 'file')}. The next sync downloads each original ` +
        'again. A changed file is kept beside its original as "<name> (edited <date>)".',
    )
  }
  if (unknown.length > 0 && (projects > 0 || reason !== 'new')) {
    const some = unknown.slice(0, 5).join(', ')
    logger.info('Folders in the archive could not be recognized', {
      folders: unknown.length,
    })
    logger.showMessage(
      `${countOf(unknown.length, 'folder')} in the archive could not be recognized: without a readable ` +
        'checklist.json, a copy, or with a name that not every system allows ' +
        `(${some}${unknown.length > 5 ? ', ...' : ''}). They stay unchanged. ` +
        'Their files are archived again, if the service still has them, when their projects are in the list.',
    )
  }
  if (skipped > 0) logger.warn('Entries of checklist.json files could not be used and were left out', { skipped })
}

function archiveMissingError(root: string): AppError {
  return new AppError(
    'archive-unavailable',
    `The database was lost and must be rebuilt from the archive folder, but ${root} was not found. ` +
      'Nothing was changed. ' +
      'Connect the drive or share with the archive, or choose its current folder. ' +
      'If it is lost too, create an empty folder there, and everything is downloaded again.',
  )
}

/** Without its records, a project would be archived again, and new records would replace them. */
function unreadError(folders: readonly string[]): AppError {
  const [first] = folders
  const others = folders.length === 1 ? '' : ` and ${countOf(folders.length - 1, 'other project folder')}`
  return new AppError(
    'disk-error',
    `The database is being rebuilt from the archive folder, and the records in ${first}${others} could not be read. ` +
      'Nothing was changed there. Give Solarchive access to all files in it, or have the disk checked. ' +
      'The rebuild continues with the next start or try.',
  )
}

function rebuildCancelled(): AppError {
  return new AppError(
    'cancelled',
    'Rebuilding the database from the archive folder was stopped. It resumes at the next start of Solarchive.',
  )
}
