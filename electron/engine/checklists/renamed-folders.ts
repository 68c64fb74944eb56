import { readdir } from 'node:fs/promises'
import { posix } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { checkFile, type ManifestFile } from '../archive/check-file.ts'
import { existsInside, inFolder, isFolderInside, lstatInside } from '../archive/inside-archive.ts'
import { checklistDocumentPath, checksumsPath } from '../archive/layout.ts'
import { caseKey } from '../archive/safe-name.ts'
import { explainError } from '../lib/engine-error.ts'
import type { Clock, Logger } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import type { HeldDocument, HeldFile } from '../store/held-files-store.ts'
import { heldFiles } from './held-files.ts'

/**
 * Finds folders of the archive that somebody renamed or moved within it, and gives them their names back. A folder is
 * recognized by its `checklist.json` alone: the file must have the hash that the database has for that checklist, whose
 * own one is missing. What it says is not read.
 */

/** A project's or a checklist's folder, relative to the archive root: recorded as `from`, and found as `to`. */
export interface RenamedFolder {
  readonly projectId: string
  readonly from: string
  readonly to: string
}

export interface RenamedFoldersDeps {
  readonly folders: ArchiveFolders
  readonly store: Store
}

/** Levels of folders below the root that are searched: people sort projects into folders by year, or by crew. */
const maxDepth = 4

/** A root with more folders is not only an archive; some seconds on a slow share. */
const maxFolders = 5_000

/** Returns the renamed folders of a project, that of the project first; none if nothing is missing or found. */
export async function findRenamedFolders(
  { folders: { root }, store }: { readonly folders: Pick<ArchiveFolders, 'root'>; readonly store: Store },
  projectId: string,
): Promise<RenamedFolder[]> {
  const folder = store.projects.get(projectId)?.folder
  if (folder == null) return []
  const missing: HeldDocument[] = []
  for (const document of store.heldFiles.documentsOfProject(projectId)) {
    if (!(await isThere(root, document.path))) missing.push(document)
  }
  if (missing.length === 0) return []
  const isOfOthers = (path: string) => caseKey(path) !== caseKey(folder) && store.projects.isFolderTaken(caseKey(path))
  const found = await searchDocuments(root, missing, isOfOthers)
  if (found.size === 0) return []
  const count = (to: string) => countPresent(root, store, { projectId, from: folder, to })
  const parent = await bestParent([...found.values()].flat(), count)
  const chosen = missing.flatMap((document) => {
    const from = posix.dirname(document.path)
    const to = preferredFolder(from, parent, found.get(document) ?? [])
    return to === undefined ? [] : [{ projectId, from, to }]
  })
  const isProjectFolder = parent !== '.' && !isOfOthers(parent) && existsInside(root, checksumsPath(parent))
  if (!isProjectFolder || isFolderInside(root, folder)) return chosen
  const ofProject = { projectId, from: folder, to: parent }
  return [ofProject, ...chosen.filter(({ from, to }) => to !== renamed(from, [ofProject]))]
}

/** Returns whether the root holds a folder of this archive under another name. */
export async function holdsRenamedFolder(root: string, store: Store): Promise<boolean> {
  const all = store.projects.listAll().flatMap(({ id }) => store.heldFiles.documentsOfProject(id))
  return (await searchDocuments(root, all, () => false, 1)).size > 0
}

/** Returns where a recorded file or folder is now. */
export function renamed(path: string, folders: readonly RenamedFolder[]): string {
  // A checklist's folder follows that of its project.
  const last = folders.findLast(({ from }) => path === from || path.startsWith(`${from}/`))
  return last === undefined ? path : last.to + path.slice(last.from.length)
}

/** A recorded file, with the path where it is now. */
export interface PlacedFile extends ManifestFile {
  readonly recorded: HeldFile
}

/** Yields files with their paths in renamed folders, if they are not in their own. */
export async function* whereTheyAre(
  root: string,
  files: AsyncIterable<HeldFile>,
  renamedFolders: readonly RenamedFolder[],
): AsyncGenerator<PlacedFile> {
  for await (const recorded of files) {
    const { path, sha256, sizeBytes } = recorded
    const now = renamed(path, renamedFolders)
    const isElsewhere = now !== path && (await lstatInside(root, path).catch(() => undefined)) === undefined
    yield { path: isElsewhere ? now : path, sha256, sizeBytes, recorded }
  }
}

/**
 * Gives the folders their recorded names back. A folder whose name is in use again gets only those of its files back
 * that are missing there and have the archived bytes. Throws `disk-error` if a folder cannot be renamed.
 */
export async function restoreNames(deps: RenamedFoldersDeps, found: readonly RenamedFolder[]): Promise<void> {
  const { folders } = deps
  const done: RenamedFolder[] = []
  for (const folder of found) {
    const { from, projectId } = folder
    const back = done.map(({ projectId: id, from: to, to: was }) => ({ projectId: id, from: was, to }))
    const to = renamed(folder.to, back)
    try {
      if (!existsInside(folders.root, from)) await folders.move(to, from)
      else await moveMissingFiles(deps, { projectId, from, to })
    } catch (thrown) {
      const { code, message } = await explainError(folders, thrown, 'rename a folder of the archive')
      if (code === 'archive-unavailable') throw thrown
      throw new AppError(
        'disk-error',
        `The folder "${from}" was renamed to "${to}" and could not get its name back. Nothing of it was downloaded ` +
          `again. Close the programs that use it, and rename it yourself if this remains. ${message}`,
        { cause: thrown },
      )
    }
    done.push(folder)
  }
}

/**
 * Gives a project's renamed folders their names back before a pass, so that nothing is downloaded again. Reads all
 * their files first: those with other bytes do not count as archived from now on. `onRenamed` is called with each; by
 * default, a message says so.
 */
export async function restoreRenamedFolders(
  deps: RenamedFoldersDeps & { readonly clock: Pick<Clock, 'nowMs'>; readonly logger: Logger },
  projectId: string,
  signal: AbortSignal,
  onRenamed = showRenamed(deps.logger),
): Promise<void> {
  const { folders, store, clock, logger } = deps
  const found = await findRenamedFolders(deps, projectId)
  const folder = store.projects.get(projectId)?.folder
  if (found.length === 0 || folder == null) return
  const changed: { id: number; sha256: string }[] = []
  for await (const file of heldFiles(store, projectId, folder)) {
    const path = renamed(file.path, found)
    if (file.kind !== 'asset' || path === file.path) continue
    if ((await checkFile(folders.root, { ...file, path }, { signal })) === 'changed') changed.push(file)
  }
  await restoreNames(deps, found)
  const at = new Date(clock.nowMs()).toISOString()
  store.transaction(() => {
    for (const { id, sha256 } of changed) store.assets.markDamaged({ id, sha256, damage: 'changed', at })
  })
  logger.info('Renamed folders of the archive have their names back', { project: projectId, folders: found.length })
  for (const each of found) onRenamed(each)
}

function showRenamed(logger: Logger): (folder: RenamedFolder) => void {
  return ({ from, to }) =>
    logger.showMessage(
      `The folder "${from}" had been renamed to "${to}". It has its name back, because folders of the archive keep ` +
        'their names; nothing of it is downloaded again.',
    )
}

async function moveMissingFiles({ folders, store }: RenamedFoldersDeps, folder: RenamedFolder): Promise<void> {
  for await (const file of heldFiles(store, folder.projectId, folder.from)) {
    const path = renamed(file.path, [folder])
    if (path === file.path || (await isThere(folders.root, file.path))) continue
    if ((await checkFile(folders.root, { ...file, path })) === 'ok') await folders.move(path, file.path)
  }
}

/**
 * Searches the root for these documents by size and hash. Does not enter checklist folders, links, hidden folders, and
 * the folders of other projects.
 */
async function searchDocuments(
  root: string,
  wanted: readonly HeldDocument[],
  isOfOthers: (path: string) => boolean,
  limit = Infinity,
): Promise<Map<HeldDocument, string[]>> {
  const bySize = Map.groupBy(wanted, ({ sizeBytes }) => sizeBytes)
  const found = new Map<HeldDocument, string[]>()
  let entered = 0
  const waiting = [{ folder: '', depth: 0 }]
  for (let next = waiting.shift(); next !== undefined && found.size < limit; next = waiting.shift()) {
    const { folder, depth } = next
    const path = checklistDocumentPath(folder)
    const document = folder === '' ? undefined : await lstatInside(root, path).catch(() => undefined)
    for (const candidate of document === undefined ? [] : (bySize.get(document.size) ?? [])) {
      if (candidate.path === path || (await checkFile(root, { ...candidate, path })) !== 'ok') continue
      found.set(candidate, [...(found.get(candidate) ?? []), folder])
    }
    if (document !== undefined || depth === maxDepth || ++entered > maxFolders) continue
    for (const name of await folderNames(root, folder)) {
      const inside = folder === '' ? name : `${folder}/${name}`
      if (!isOfOthers(inside)) waiting.push({ folder: inside, depth: depth + 1 })
    }
  }
  return found
}

async function folderNames(root: string, folder: string): Promise<string[]> {
  const entries = await inFolder(root, folder, (path) => readdir(path, { withFileTypes: true })).catch(() => [])
  return entries.flatMap((entry) => (entry.isDirectory() && !entry.name.startsWith('.') ? [entry.name] : [])).sort()
}

/** Returns, of several copies, the one in the preferred folder, or with the checklist's own name, or else the first. */
function preferredFolder(from: string, parent: string, found: readonly string[]): string | undefined {
  const inParent = found.filter((folder) => posix.dirname(folder) === parent)
  const candidates = inParent.length > 0 ? inParent : found
  return candidates.find((folder) => posix.basename(folder) === posix.basename(from)) ?? candidates[0]
}

/** Returns the folder that holds most of the checklists, and of copies the one that holds most of the files. */
async function bestParent(found: readonly string[], count: (parent: string) => Promise<number>): Promise<string> {
  const groups = [...Map.groupBy(found, (folder) => posix.dirname(folder))]
  const most = Math.max(...groups.map(([, same]) => same.length))
  const candidates = groups.filter(([, same]) => same.length === most).map(([parent]) => parent)
  const [first = '.'] = candidates
  if (candidates.length < 2) return first
  const counted = await Promise.all(candidates.map(async (parent) => ({ parent, files: await count(parent) })))
  return counted.reduce((best, next) => (next.files > best.files ? next : best)).parent
}

/** Returns how many files of a project are in a folder, by name and size. */
async function countPresent(root: string, store: Store, folder: RenamedFolder): Promise<number> {
  let files = 0
  for await (const file of heldFiles(store, folder.projectId, folder.from)) {
    const state = await checkFile(root, { ...file, path: renamed(file.path, [folder]) }, { sizeOnly: true })
    if (state === 'ok') files += 1
  }
  return files
}

/** Returns true also if that is unknown: behind a link, or in a folder that cannot be read. */
async function isThere(root: string, path: string): Promise<boolean> {
  return lstatInside(root, path).then(
    (found) => found !== undefined,
    () => true,
  )
}
