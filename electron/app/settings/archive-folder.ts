import { constants, type Stats } from 'node:fs'
import { access, readdir, readlink, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { ArchiveCheck } from '../../../shared/settings.ts'
import { holdsAnyFolder } from '../../engine/archive/inside-archive.ts'
import { errnoCode } from '../../engine/lib/fs/disk-error.ts'
import { freeSpaceOf, requireFreeSpace } from '../../engine/lib/fs/free-space.ts'
import { withoutLinks } from '../../engine/lib/fs/is-within.ts'
import { isSideFile, isSystemFolder } from '../../engine/lib/fs/side-files.ts'
import { probeMakingFolders, probeWriting } from '../../engine/lib/fs/write-probe.ts'
import type { Desktop } from '../../engine/lib/ports.ts'
import { containsProjects } from '../../engine/recovery/restore-projects.ts'
import { plainText } from '../log/plain-text.ts'
import { type HostEnvironment, type HostSettings, sampleArchiveFolder } from './resolve-settings.ts'

export interface ArchiveContext {
  readonly homeFolder: string
  readonly userFolder: string
  /** Project folders of the current archive, relative to its root; empty before anything is archived. */
  readonly archivedFolders: readonly string[]
  /** The archive folder chosen before, which may be kept. */
  readonly chosenFolder?: string | undefined
}

/** Returns a typed folder as an absolute path, `~` resolved, or undefined if it is relative. */
export function absoluteFolder(typed: string, userFolder: string): string | undefined {
  const text = typed.trim()
  if (text === '~') return userFolder
  if (/^~[/\\]/.test(text)) return join(userFolder, text.slice(2))
  return isAbsolute(text) && !text.includes('\0') ? resolve(text) : undefined
}

/** Checks a folder for the archive. Leaves nothing there and never rejects. */
export async function checkArchiveFolder(typed: string, context: ArchiveContext): Promise<ArchiveCheck> {
  const folder = absoluteFolder(typed, context.userFolder)
  const unknown = { exists: false, isEmpty: true, isArchive: false, freeBytes: null, isSameDisk: null }
  if (folder === undefined) {
    const problem = 'Enter the full path of the folder, starting with a drive, "/", or "~".'
    return { folder: typed.trim(), usable: false, problem, ...unknown }
  }
  try {
    const facts = await factsOf(folder)
    const problem = await problemOf(folder, facts, context)
    const { exists, isEmpty, isArchive, freeBytes } = facts
    return { folder, usable: problem === null, problem, exists, isEmpty, isArchive, freeBytes, isSameDisk: null }
  } catch (error) {
    const problem = `The folder cannot be read (${errnoCode(error) ?? 'unexpected'}). Choose another one.`
    return { folder, usable: false, problem, ...unknown }
  }
}

interface Facts {
  readonly exists: boolean
  readonly isFolder: boolean
  readonly isEmpty: boolean
  readonly isArchive: boolean
  readonly freeBytes: number | null
  /** The folder itself, or its nearest existing parent. */
  readonly nearest: string
}

async function factsOf(folder: string): Promise<Facts> {
  const found = await statIfPresent(folder)
  const isFolder = found?.isDirectory() === true
  const names = isFolder ? await readdir(folder) : []
  const nearest = await nearestExisting(folder)
  return {
    exists: found !== undefined,
    isFolder,
    isEmpty: names.every((name) => isSideFile(name) || isSystemFolder(name)),
    isArchive: isFolder && containsProjects(folder),
    freeBytes: (await freeSpaceOf(nearest))?.freeBytes ?? null,
    nearest,
  }
}

async function problemOf(folder: string, facts: Facts, context: ArchiveContext): Promise<string | null> {
  if (facts.exists && !facts.isFolder) return 'This is a file. Choose a folder.'
  const nesting = await nestingOf(folder, context.homeFolder)
  if (nesting === 'inside' || nesting === 'same') {
    return "This is inside Solarchive's own data folder. Choose a folder of its own for the archive."
  }
  if (nesting === 'around' && folder !== context.chosenFolder) {
    return "Solarchive's own data folder is inside this one. Choose a folder of its own for the archive."
  }
  if (!(await mayWrite(facts))) {
    return 'Solarchive may not write there. Choose another folder, or grant yourself write permission for this one.'
  }
  if (context.archivedFolders.length > 0 && !(await holdsAnyFolder(folder, context.archivedFolders))) {
    return 'Your archive is not in this folder. To have it here, move it; to keep it, choose the folder where it is.'
  }
  try {
    await requireFreeSpace(facts.nearest)
    return null
  } catch (error) {
    return toAppError(error).message
  }
}

/**
 * A disk that reports no size may be a share or virtual (/proc): only writing shows whether it is writable. On Windows
 * `access` does not look at permissions, and users may often create folders in C:\ but no files.
 */
async function mayWrite({ exists, nearest, freeBytes }: Facts): Promise<boolean> {
  try {
    await access(nearest, constants.W_OK | constants.X_OK)
    const isWindows = process.platform === 'win32'
    if (isWindows && !exists) await probeMakingFolders(nearest)
    else if (isWindows || freeBytes === null) await probeWriting(nearest)
    return true
  } catch {
    return false
  }
}

/** Shows the folder dialog, starting at the typed folder. Throws `wrong-usage` if the host has none. */
export async function chooseFolder(
  desktop: Desktop | undefined,
  typed: string,
  userFolder: string,
): Promise<{ readonly folder: string | null }> {
  if (desktop?.chooseFolder === undefined) {
    throw new AppError('wrong-usage', 'Folders can only be chosen in the app window. Type the path of the folder.')
  }
  const from = await nearestExisting(absoluteFolder(typed, userFolder) ?? userFolder).catch(() => userFolder)
  return { folder: await desktop.chooseFolder(from) }
}

/** Position of an archive folder relative to the data folder. */
export type Nesting = 'apart' | 'same' | 'inside' | 'around'

/** Returns the position of the archive folder after resolving links. Rejects if the folders cannot be read. */
async function nestingOf(archiveFolder: string, homeFolder: string): Promise<Nesting> {
  const inside = await isInside(archiveFolder, homeFolder)
  const around = await isInside(homeFolder, archiveFolder)
  if (inside) return around ? 'same' : 'inside'
  return around ? 'around' : 'apart'
}

/** Returns whether `folder` is `above` or inside it, after resolving links. */
async function isInside(folder: string, above: string): Promise<boolean> {
  const relativePath = relative(await resolveLinks(above), await resolveLinks(folder))
  return (
    relativePath === '' || (relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath))
  )
}

async function resolveLinks(folder: string): Promise<string> {
  const nearest = await nearestExisting(folder)
  return join(await withoutLinks(nearest), relative(nearest, folder))
}

/** Returns the folder itself, or its nearest existing parent. */
async function nearestExisting(folder: string): Promise<string> {
  for (let path = folder; ; path = dirname(path)) {
    if ((await statIfPresent(path)) !== undefined || dirname(path) === path) return path
  }
}

/** Returns undefined if nothing exists at the path. */
async function statIfPresent(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoCode(error) ?? '')) return undefined
    throw error
  }
}

const relationText = { same: 'is', inside: 'is inside', around: 'contains' } as const

/**
 * Returns a warning if the archive folder and the data folder overlap. This is not an error, because scripts use such
 * folders. The sample's archive, which contains no customer's photos, may be in the data folder.
 */
export async function nestingWarning(
  { homeFolder, archiveFolder, useSample }: Pick<HostSettings, 'homeFolder' | 'archiveFolder' | 'useSample'>,
  environment: HostEnvironment,
): Promise<string | undefined> {
  if (useSample && archiveFolder === sampleArchiveFolder(environment)) return undefined
  // Folders that cannot be read fail when they are opened.
  const nesting = await nestingOf(archiveFolder, homeFolder).catch(() => 'apart' as const)
  if (nesting === 'apart') return undefined
  return (
    `The archive folder ${plainText(archiveFolder)} ${relationText[nesting]} the data folder ` +
    `${plainText(homeFolder)}. The data folder contains the access token and the database and must not be shared ` +
    'with the archive. Put them side by side: SOLARCHIVE_ARCHIVE, or "archiveFolder" in settings.json, sets the ' +
    'archive folder, SOLARCHIVE_HOME the data folder.'
  )
}

/** A move to check. Folders are absolute. */
interface MoveQuestion {
  readonly from: string
  /** The new folder, as typed. */
  readonly to: string
  readonly homeFolder: string
  readonly userFolder: string
  /** Project folders, relative to `from`. */
  readonly folders: readonly string[]
}

/** Checks a folder that the archive is to move to. Changes nothing and never rejects. */
export async function checkMoveTarget({ from, to, folders, ...context }: MoveQuestion): Promise<ArchiveCheck> {
  const found = await checkArchiveFolder(to, { ...context, archivedFolders: [] })
  const problem = found.problem ?? (await moveProblem(from, found)) ?? (await linkProblem(from, folders))
  return { ...found, usable: problem === null, problem, isSameDisk: await isSameDisk(from, found.folder) }
}

/** Returns null if one of the folders cannot be read. */
async function isSameDisk(one: string, other: string): Promise<boolean | null> {
  try {
    const [a, b] = await Promise.all([one, other].map(async (folder) => stat(await nearestExisting(folder))))
    return a?.dev === b?.dev
  } catch {
    return null
  }
}

/** Returns the folder to move to as an absolute path. Throws `wrong-settings` if it cannot be used. */
export async function requireMoveTarget(question: MoveQuestion): Promise<string> {
  const { folder, problem } = await checkMoveTarget(question)
  if (problem !== null) throw new AppError('wrong-settings', `${problem} Nothing was changed.`)
  return folder
}

async function moveProblem(from: string, { folder, exists, isEmpty }: ArchiveCheck): Promise<string | null> {
  if (await isInside(folder, from)) return 'This is in the folder where the archive is now. Choose another one.'
  if (await isInside(from, folder)) return 'The archive is in this folder already. Choose another one.'
  return exists && !isEmpty ? 'There is something in this folder already. Choose an empty one, or a new one.' : null
}

/** Returns a problem for a project folder that is a relative link: moved elsewhere, it would point to nothing. */
async function linkProblem(from: string, folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    const leadsTo = await readlink(join(from, folder)).catch(() => undefined)
    if (leadsTo === undefined || isAbsolute(leadsTo)) continue
    return (
      `The project folder ${join(from, folder)} is a link to ${leadsTo}, which would be broken in the new folder. ` +
      'Replace it with the folder itself, or a link with an absolute path, then move the archive.'
    )
  }
  return null
}
