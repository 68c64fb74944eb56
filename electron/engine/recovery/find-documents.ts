import { closeSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { checklistDocumentPath, checksumsPath } from '../archive/layout.ts'
import { parseChecksums } from '../archive/checksums.ts'
import { atPathSync, existsInside, inFolderSync, isInside } from '../archive/inside-archive.ts'
import { caseKey } from '../archive/safe-name.ts'
import { errnoCode, notFoundCodes } from '../lib/fs/disk-error.ts'
import { readNoFollow } from '../lib/fs/hash-file.ts'
import { readDocument } from './read-document.ts'
import type { RecordedChecklist } from './recorded-checklist.ts'

/** Far above any real document (a checklist of 1,000 photos takes 2 MB); limits memory. */
const maxTextBytes = 64 * 2 ** 20

/** A checklist's document on the disk. */
export interface FoundDocument {
  /** The checklist's folder, relative to the archive root. */
  readonly folder: string
  readonly text: string
  readonly recorded: RecordedChecklist
}

/** Content of a project folder. `unreadable` are checklist folders whose document cannot be used. */
export interface FoundProject {
  readonly folder: string
  readonly id: string
  readonly name: string | null
  readonly address: string | null
  /** Folders of this project's checklists, relative to the archive root, one per checklist. */
  readonly checklistFolders: readonly string[]
  readonly unreadable: readonly string[]
  /** Folders whose document belongs to another project, or to a checklist that has another folder (copies). */
  readonly ignored: readonly string[]
}

/**
 * Returns the folders in a folder of the archive, without links. A disk that lists all names in NFD (HFS+, some shares)
 * has them in NFC here, as they were given and are recorded. Throws like Node's `readdirSync`.
 */
export function listFolders(root: string, folder: string): string[] {
  const above = folder === '' ? [] : folder.split('/')
  const entries = inFolderSync(root, folder === '' ? '' : above, (path) => readdirSync(path, { withFileTypes: true }))
  const listed = new Set(entries.map(({ name }) => name))
  const asGiven = (name: string) => {
    const composed = name.normalize('NFC')
    return listed.has(composed) || !existsInside(root, [...above, composed]) ? name : composed
  }
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => [...above, asGiven(name)].join('/'))
    .sort()
}

/**
 * Reads the document of a checklist's folder; undefined without one, `unreadable` if it cannot be used. Throws if the
 * disk cannot read it, which says nothing about the document.
 */
export function findDocument(root: string, folder: string): FoundDocument | 'unreadable' | undefined {
  const found = readText(root, checklistDocumentPath(folder))
  if (found === undefined || found === 'unreadable') return found
  const recorded = readDocument(found.text)
  return recorded === undefined ? 'unreadable' : { folder, text: found.text, recorded }
}

/**
 * Identifies the project of a folder from its documents; returns `undefined` if none can be read. One document at a
 * time is in memory. Of copied folders, the one that is named after its id is used. Throws like `findDocument`.
 */
export function findProject(root: string, folder: string): FoundProject | undefined {
  const heads: { folder: string; project: RecordedChecklist['project']; checklistId: string }[] = []
  const unreadable: string[] = []
  for (const checklistFolder of listFolders(root, folder)) {
    const found = findDocument(root, checklistFolder)
    if (found === 'unreadable') unreadable.push(checklistFolder)
    else if (found !== undefined) {
      const { project, checklist } = found.recorded
      heads.push({ folder: checklistFolder, project, checklistId: checklist.id })
    }
  }
  const project = ownProject(
    folder,
    heads.map((head) => head.project),
  )
  if (project === undefined) return undefined
  const { id, name, address } = project
  const own = heads.filter((head) => head.project.id === id)
  const kept = [...Map.groupBy(own, ({ checklistId }) => checklistId)].map(([checklistId, same]) =>
    preferred(
      checklistId,
      same.map((head) => head.folder),
    ),
  )
  const ignored = heads.map((head) => head.folder).filter((name_) => !kept.includes(name_))
  return { folder, id, name, address, checklistFolders: kept, unreadable, ignored }
}

/**
 * Returns the project of a folder with documents of these projects: the one that the folder is named after, or else
 * that of most documents. Asks for no more of them than that takes.
 */
export function ownProject(
  folder: string,
  projects: Iterable<RecordedChecklist['project']>,
): RecordedChecklist['project'] | undefined {
  const others: RecordedChecklist['project'][] = []
  for (const project of projects) {
    if (isNamedAfter(folder, project.id)) return project
    others.push(project)
  }
  const groups = [...Map.groupBy(others, ({ id }) => id).values()]
  return groups.sort((one, other) => other.length - one.length)[0]?.[0]
}

/** Returns the folder that is named after the id, else the first. */
export function preferred(id: string, folders: readonly string[]): string {
  return folders.find((folder) => isNamedAfter(folder, id)) ?? folders[0] ?? ''
}

function isNamedAfter(folder: string, id: string): boolean {
  return caseKey(folder).endsWith(caseKey(`${id.slice(-6)}]`))
}

/**
 * Returns the hashes in a project's SHA256SUMS by path relative to the archive root; empty without the file. Throws
 * like `findDocument`.
 */
export function readChecksums(root: string, projectFolder: string): Map<string, string> {
  const found = readText(root, checksumsPath(projectFolder))
  const { entries } = parseChecksums(found === undefined || found === 'unreadable' ? '' : found.text)
  return new Map(entries.map(({ path, sha256 }) => [`${projectFolder}/${path}`, sha256]))
}

/** Reads a regular file of limited size, never through a link. Throws if the disk cannot read it. */
function readText(root: string, relativePath: string): { readonly text: string } | 'unreadable' | undefined {
  // A name that somebody gave a folder, and that not every system allows.
  if (!isInside(relativePath)) return 'unreadable'
  let handle: number
  try {
    handle = atPathSync(root, relativePath, (path) => openSync(path, readNoFollow))
  } catch (error) {
    const code = errnoCode(error) ?? ''
    if (code === 'ENOENT') return undefined
    if (notFoundCodes.has(code)) return 'unreadable'
    throw error
  }
  try {
    const found = fstatSync(handle)
    return found.isFile() && found.size <= maxTextBytes ? { text: readFileSync(handle, 'utf8') } : 'unreadable'
  } finally {
    closeSync(handle)
  }
}
