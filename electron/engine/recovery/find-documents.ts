import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { checklistDocumentPath, checksumsPath } from '../archive/layout.ts'
import { parseChecksums } from '../archive/checksums.ts'
import { insideOrUndefined } from '../archive/inside-archive.ts'
import { caseKey } from '../archive/safe-name.ts'
import { readDocument } from './read-document.ts'
import type { RecordedChecklist } from './recorded-checklist.ts'

/** Far above any real one (a checklist of 1,000 photos takes 2 MB); bounds what is held at once. */
const maxTextBytes = 64 * 2 ** 20

/** A checklist's document as it is on the disk. */
export interface FoundDocument {
  /** The checklist's folder, relative to the archive root. */
  readonly folder: string
  readonly text: string
  readonly recorded: RecordedChecklist
}

/** What lies in a project folder. `unreadable` are folders of checklists whose document is of no use. */
export interface FoundProject {
  readonly folder: string
  readonly id: string
  readonly name: string | null
  readonly address: string | null
  /** Folders of this project's checklists, relative to the archive root: one for each. */
  readonly checklistFolders: readonly string[]
  readonly unreadable: readonly string[]
  /** Copies and strays: folders whose document speaks of another project, or of a checklist that has one. */
  readonly ignored: readonly string[]
}

/** The names of the real folders in a folder of the archive; links to folders are not followed. Throws as Node does. */
export function listFolders(root: string, folder: string): string[] {
  const path = folder === '' ? root : insideOrUndefined(root, folder)
  if (path === undefined) return []
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => (folder === '' ? name : `${folder}/${name}`))
    .filter((name) => insideOrUndefined(root, name) !== undefined)
    .sort()
}

/** Reads the document of a checklist's folder; undefined without one, `unreadable` when it is of no use. */
export function findDocument(root: string, folder: string): FoundDocument | 'unreadable' | undefined {
  const found = readText(root, checklistDocumentPath(folder))
  if (found === undefined || found === 'unreadable') return found
  const reading = readDocument(found.text)
  return reading.kind === 'read' ? { folder, text: found.text, recorded: reading.recorded } : 'unreadable'
}

/**
 * What a project folder is by the documents in it; undefined when none can be read. Holds one document at a time.
 * Where folders were copied, the one that is called after its id is taken.
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
  const groups = [...Map.groupBy(heads, ({ project }) => project.id).values()]
  const [own] = groups.sort((one, other) => other.length - one.length)
  const first = own?.[0]
  if (own === undefined || first === undefined) return undefined
  const { id, name, address } = first.project
  const kept = [...Map.groupBy(own, ({ checklistId }) => checklistId)].map(([checklistId, same]) =>
    preferred(
      checklistId,
      same.map((head) => head.folder),
    ),
  )
  const ignored = heads.map((head) => head.folder).filter((name_) => !kept.includes(name_))
  return { folder, id, name, address, checklistFolders: kept, unreadable, ignored }
}

/** Of folders for one id the one whose name ends as Solarchive ends it, else the first. */
export function preferred(id: string, folders: readonly string[]): string {
  const ending = caseKey(`${id.slice(-6)}]`)
  return folders.find((folder) => caseKey(folder).endsWith(ending)) ?? folders[0] ?? ''
}

/** Hashes by path relative to the archive root, of a project's SHA256SUMS; empty without one. */
export function readChecksums(root: string, projectFolder: string): Map<string, string> {
  const found = readText(root, checksumsPath(projectFolder))
  const { entries } = parseChecksums(found === undefined || found === 'unreadable' ? '' : found.text)
  return new Map(entries.map(({ path, sha256 }) => [`${projectFolder}/${path}`, sha256]))
}

/** A regular file's text, never through a link and never more than can be held. */
function readText(root: string, relativePath: string): { readonly text: string } | 'unreadable' | undefined {
  const path = insideOrUndefined(root, relativePath)
  if (path === undefined) return undefined
  let handle: number
  try {
    // Not blocking: a pipe under this name would be waited for.
    handle = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? undefined : 'unreadable'
  }
  try {
    const found = fstatSync(handle)
    return found.isFile() && found.size <= maxTextBytes ? { text: readFileSync(handle, 'utf8') } : 'unreadable'
  } catch {
    return 'unreadable'
  } finally {
    closeSync(handle)
  }
}
