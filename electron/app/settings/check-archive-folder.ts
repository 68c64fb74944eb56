import { constants } from 'node:fs'
import { access, readdir } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { toAppError } from '../../../shared/errors.ts'
import type { ArchiveCheck } from '../../../shared/settings.ts'
import { errnoCode } from '../../engine/lib/fs/disk-error.ts'
import { freeSpaceOf, requireFreeSpace } from '../../engine/lib/fs/free-space.ts'
import { probeWriting } from '../../engine/lib/fs/probe-writing.ts'
import { isSideFile } from '../../engine/lib/fs/side-files.ts'
import { holdsProjects } from '../../engine/recovery/restore-projects.ts'
import { nearestThere, nestingOf, statIfThere } from './folder-nesting.ts'

export interface ArchivePlaces {
  readonly homeFolder: string
  readonly userFolder: string
  /** The projects' folders of the archive that there is, relative to its root; empty: nothing is archived yet. */
  readonly archivedFolders: readonly string[]
  /** Where somebody said before that the archive is: nothing is chosen by going on there. */
  readonly saidFolder?: string | undefined
}

/** A folder as a person typed it, `~` being theirs. Undefined where it says not from where on. */
export function absoluteFolder(typed: string, userFolder: string): string | undefined {
  const text = typed.trim()
  if (text === '~') return userFolder
  if (/^~[/\\]/.test(text)) return join(userFolder, text.slice(2))
  return isAbsolute(text) && !text.includes('\0') ? resolve(text) : undefined
}

/** Looks at a folder as a place for the archive. Leaves nothing there and never rejects. */
export async function checkArchiveFolder(typed: string, places: ArchivePlaces): Promise<ArchiveCheck> {
  const folder = absoluteFolder(typed, places.userFolder)
  const unknown = { exists: false, isEmpty: true, isArchive: false, freeBytes: null }
  if (folder === undefined) {
    const problem = 'Give the whole path of the folder, from the drive or "/" on, or one that starts with "~".'
    return { folder: typed.trim(), usable: false, problem, ...unknown }
  }
  try {
    const facts = await factsOf(folder)
    const problem = await problemOf(folder, facts, places)
    const { exists, isEmpty, isArchive, freeBytes } = facts
    return { folder, usable: problem === null, problem, exists, isEmpty, isArchive, freeBytes }
  } catch (error) {
    const problem = `The folder cannot be looked at (${errnoCode(error) ?? 'unexpected'}). Choose another one.`
    return { folder, usable: false, problem, ...unknown }
  }
}

interface Facts {
  readonly exists: boolean
  readonly isFolder: boolean
  readonly isEmpty: boolean
  readonly isArchive: boolean
  readonly freeBytes: number | null
  /** The folder itself, or the nearest above it that is there. */
  readonly nearest: string
}

async function factsOf(folder: string): Promise<Facts> {
  const found = await statIfThere(folder)
  const isFolder = found?.isDirectory() === true
  const names = isFolder ? await readdir(folder) : []
  const nearest = await nearestThere(folder)
  return {
    exists: found !== undefined,
    isFolder,
    isEmpty: names.every((name) => isSideFile(name)),
    isArchive: isFolder && holdsProjects(folder),
    freeBytes: (await freeSpaceOf(nearest))?.freeBytes ?? null,
    nearest,
  }
}

async function problemOf(folder: string, facts: Facts, places: ArchivePlaces): Promise<string | null> {
  if (facts.exists && !facts.isFolder) return 'There is a file of this name. Choose a folder.'
  const nesting = await nestingOf(folder, places.homeFolder)
  if (nesting === 'inside' || nesting === 'same') {
    return "This is inside Solarchive's own data folder. Choose a folder of its own for the archive."
  }
  if (nesting === 'around' && folder !== places.saidFolder) {
    return "Solarchive's own data folder is inside this one. Choose a folder of its own for the archive."
  }
  if (!(await mayWrite(facts))) {
    return 'Solarchive may not write there. Choose another folder, or give yourself the right to write into this one.'
  }
  if (places.archivedFolders.length > 0 && !(await holdsAny(folder, places.archivedFolders))) {
    return 'Your archive is not in this folder. To have it here, move it; to go on with it, choose the folder where it is.'
  }
  try {
    await requireFreeSpace(facts.nearest)
    return null
  } catch (error) {
    return toAppError(error).message
  }
}

async function holdsAny(root: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) if ((await statIfThere(join(root, folder)))?.isDirectory() === true) return true
  return false
}

/** A disk without sizes may be a share, or none at all (/proc): only writing tells, whatever the rights say. */
async function mayWrite({ nearest, freeBytes }: Facts): Promise<boolean> {
  try {
    await access(nearest, constants.W_OK | constants.X_OK)
    if (freeBytes === null) await probeWriting(nearest)
    return true
  } catch {
    return false
  }
}
