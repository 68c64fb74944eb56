import { lstat, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { posix } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { checkFile } from '../archive/check-file.ts'
import { parseChecksums } from '../archive/checksums.ts'
import { atPath, existsInside, inFolder, lstatInside } from '../archive/inside-archive.ts'
import { checksumsPath, pathBelow } from '../archive/layout.ts'
import { explainError } from '../lib/engine-error.ts'
import { undefinedIfUnreadable } from '../lib/fs/disk-error.ts'
import type { Clock, Logger } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import type { ArchivedFile } from '../store/archived-files-store.ts'
import { checksumsParts } from './archive-records.ts'
import { findMisplaced, type Misplaced, renamed, type RenamedFolder } from './find-misplaced.ts'
import { archivedFilesOf } from './archived-files.ts'

/**
 * Restores the recorded names of folders that somebody renamed, moved within the archive, or swapped. Whatever has the
 * name of one is renamed first, to a name of its own: it is then a renamed folder too, which its own project takes
 * back. So a process may end after any step, and the next one continues.
 */

export interface RenamedFoldersDeps {
  readonly folders: ArchiveFolders
  readonly store: Store
  readonly clock: Pick<Clock, 'nowMs'>
  readonly logger: Logger
}

/** End of the name of a folder that had the recorded name of another one. */
const aside = / \(moved aside(?: \d+)?\)$/

/** Work of passes that run beside each other: with swapped folders, two projects move the same ones. */
const running = new WeakMap<ArchiveFolders, Promise<unknown>>()

/**
 * Restores the recorded names of a project's folders, and returns them as users renamed them. If the recorded folder
 * exists with files of its own, it gets only those back that are missing there and have the archived bytes. `before` is
 * called with what is misplaced. Throws `disk-error` if a folder cannot be renamed.
 */
export async function restoreNames(
  deps: RenamedFoldersDeps,
  projectId: string,
  before: (misplaced: Misplaced) => Promise<void> = () => Promise.resolve(),
): Promise<RenamedFolder[]> {
  const result = (running.get(deps.folders) ?? Promise.resolve()).then(async () => {
    const misplaced = await findMisplaced(archiveOf(deps), projectId)
    await before(misplaced)
    return restoreMisplaced(deps, projectId, misplaced)
  })
  const settled = result.catch(() => undefined)
  running.set(deps.folders, settled)
  return result
}

async function restoreMisplaced(
  deps: RenamedFoldersDeps,
  projectId: string,
  { renamed: found, taken }: Misplaced,
): Promise<RenamedFolder[]> {
  const { folders, store, clock, logger } = deps
  const ofProject = found.find(({ from }) => from === store.projects.get(projectId)?.folder)
  const moves: { readonly from: string; readonly to: string }[] = []
  const move = async (from: string, to: string) => {
    await folders.move(from, to)
    moves.push({ from, to })
  }
  for (const folder of taken) {
    await explained(folders, { from: folder, to: folder }, () => move(folder, freeName(folders.root, folder)))
  }
  const movedAside = [...moves]
  if (movedAside.length > 0) logger.info('Folders were moved aside', { project: projectId, folders: movedAside.length })
  const next = ofProject === undefined ? found : [ofProject]
  for (const { from, to } of next) {
    const at = moves.reduce((path, done) => renamed(path, [done]), to)
    await explained(folders, { from, to }, async () => {
      if (!existsInside(folders.root, from)) await move(at, from)
      else await moveMissingFiles(deps, { projectId, from, to: at })
      await removeChecksums(deps, projectId, posix.dirname(at))
    })
  }
  for (const { from, to } of movedAside) {
    if (!existsInside(folders.root, to)) continue
    logger.showMessage(
      `The folder "${from}" was that of another project or checklist, and is now "${to}". The next sync gives it its ` +
        'own name back, unless it is a copy, which you can remove.',
    )
  }
  const restored = next.map((folder) => ({ ...folder, to: folder.to.replace(aside, '') }))
  if (restored.length === 0) return []
  const at = new Date(clock.nowMs()).toISOString()
  store.activity.record({ at, kind: 'folders-restored', projectId, facts: { count: restored.length } })
  if (ofProject === undefined) return restored
  // Folders in it are looked for again, now that it is in its place.
  const inside = await restoreMisplaced(deps, projectId, await findMisplaced(archiveOf(deps), projectId))
  return [...restored, ...inside.map((folder) => found.find(({ from }) => from === folder.from) ?? folder)]
}

/**
 * Restores the names of a project's renamed folders before a pass, so that nothing is downloaded again. Reads all their
 * files first: those with other bytes do not count as archived from now on. `onRenamed` is called with each; by
 * default, a message says so.
 */
export async function restoreRenamedFolders(
  deps: RenamedFoldersDeps,
  projectId: string,
  signal: AbortSignal,
  onRenamed = showRenamed(deps.logger),
): Promise<void> {
  const { renamed: found, taken } = await findMisplaced(archiveOf(deps), projectId)
  if (found.length + taken.length === 0) return
  const restored = await restoreNames(deps, projectId, (misplaced) => markChanged(deps, projectId, misplaced, signal))
  if (restored.length === 0) return
  const facts = { project: projectId, folders: restored.length }
  deps.logger.info('Renamed folders of the archive have their names back', facts)
  for (const each of restored) onRenamed(each)
}

function archiveOf({ folders: { root }, store }: RenamedFoldersDeps) {
  return { root, store }
}

/** Records which files in renamed folders have other bytes. */
async function markChanged(
  { folders, store, clock }: RenamedFoldersDeps,
  projectId: string,
  { renamed: found }: Misplaced,
  signal: AbortSignal,
): Promise<void> {
  const folder = store.projects.get(projectId)?.folder
  if (folder == null) return
  const changed: { id: number; sha256: string }[] = []
  for await (const file of archivedFilesOf(store, projectId, folder)) {
    const path = renamed(file.path, found)
    if (file.kind !== 'asset' || path === file.path) continue
    if ((await checkFile(folders.root, { ...file, path }, { signal })) === 'changed') changed.push(file)
  }
  const at = new Date(clock.nowMs()).toISOString()
  store.transaction(() => {
    for (const { id, sha256 } of changed) store.assets.markDamaged({ id, sha256, damage: 'changed', at })
  })
}

function showRenamed(logger: Logger): (folder: RenamedFolder) => void {
  return ({ from, to }) =>
    logger.showMessage(
      `The folder "${from}" had been renamed to "${to}". It has its name back, because folders of the archive keep ` +
        'their names; nothing of it is downloaded again.',
    )
}

/** Runs a move, and explains why a folder cannot be moved. */
async function explained(
  folders: ArchiveFolders,
  { from, to }: Pick<RenamedFolder, 'from' | 'to'>,
  move: () => Promise<void>,
): Promise<void> {
  try {
    await move()
  } catch (thrown) {
    const { code, message } = await explainError(folders, thrown, 'rename a folder of the archive')
    if (code === 'archive-unavailable') throw thrown
    throw new AppError(
      'disk-error',
      `The folder "${from}" was renamed to "${to}" and could not get its name back. Nothing of it was ` +
        `downloaded again. Close the programs that use it, and rename it yourself if this remains. ${message}`,
      { cause: thrown },
    )
  }
}

/** Returns a name for what is in a folder's place. */
function freeName(root: string, folder: string): string {
  for (let number = 1; ; number += 1) {
    const name = `${folder} (moved aside${number === 1 ? '' : ` ${number}`})`
    if (!existsInside(root, name)) return name
  }
}

/**
 * Moves files one by one, and each `checklist.json` last: until then, the folder is recognized, so that the next pass
 * continues if this one ends.
 */
async function moveMissingFiles({ folders, store }: RenamedFoldersDeps, folder: RenamedFolder): Promise<void> {
  const { root } = folders
  const moveIfMissing = async (file: ArchivedFile) => {
    const path = renamed(file.path, [folder])
    if (path === file.path || (await isThere(root, file.path))) return
    if ((await checkFile(root, { ...file, path })) === 'ok') await folders.move(path, file.path)
  }
  for await (const file of archivedFilesOf(store, folder.projectId, folder.from)) {
    if (file.kind !== 'document') await moveIfMissing(file)
  }
  for (const document of store.archivedFiles.documentsOfProject(folder.projectId)) await moveIfMissing(document)
  await removeEmptyFolders(root, folder.to)
}

/**
 * Moves the `SHA256SUMS` of a folder, whose checklists were taken back, to its project, or deletes it if it lists only
 * files of a project that has one.
 */
async function removeChecksums({ folders, store }: RenamedFoldersDeps, projectId: string, from: string): Promise<void> {
  const { root } = folders
  const isRecorded = store.projects.listAll().some(({ folder }) => folder === from)
  const own = store.projects.get(projectId)?.folder
  if (own == null || isRecorded || from === '.') return
  const path = checksumsPath(from)
  const text = await atPath(root, path, async (absolute) => {
    const found = await lstat(absolute)
    return found.isFile() ? readFile(absolute, 'utf8') : undefined
  }).catch(() => undefined)
  if (text === undefined) return
  const files = store.checklists.listFolders(projectId).flatMap(({ key }) => store.assets.manifestOfChecklist(key))
  const known = new Set(files.map((file) => pathBelow(own, file.path)))
  const { entries, badLines } = parseChecksums(text)
  if (entries.length === 0 || badLines.length > 0) return
  if (!entries.every((entry) => known.has(entry.path))) return
  const isCurrent = text === [...checksumsParts(store, projectId, own)].join('')
  if (isCurrent && !(await isThere(root, checksumsPath(own)))) await folders.move(path, checksumsPath(own))
  else await atPath(root, path, (absolute) => rm(absolute))
  await removeEmptyFolders(root, from)
}

/** Removes a folder and those in it, except what holds anything. */
async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  const entries = await inFolder(root, folder, (path) => readdir(path, { withFileTypes: true })).catch(() => [])
  for (const entry of entries) if (entry.isDirectory()) await removeEmptyFolders(root, `${folder}/${entry.name}`)
  await atPath(root, folder, (path) => rmdir(path)).catch(() => undefined)
}

/**
 * Returns true also if that is unknown: behind a link, or in a folder that cannot be read. Rejects if too many files are
 * open: what is left behind then is not recognized later.
 */
async function isThere(root: string, path: string): Promise<boolean> {
  return lstatInside(root, path).then(
    (found) => found !== undefined,
    (error: unknown) => undefinedIfUnreadable(error) ?? true,
  )
}
