import { open, readdir } from 'node:fs/promises'
import { posix } from 'node:path'
import { checkFile, type ManifestFile } from '../archive/check-file.ts'
import {
  assertRootExists,
  atPath,
  existsInside,
  inFolder,
  isFolderInside,
  lstatInside,
} from '../archive/inside-archive.ts'
import { checklistDocumentPath, checksumsPath } from '../archive/layout.ts'
import { caseKey } from '../archive/safe-name.ts'
import { isTooManyOpen, undefinedIfUnreadable } from '../lib/fs/disk-error.ts'
import { hashFile, readNoFollow } from '../lib/fs/hash-file.ts'
import type { Store } from '../store/create-store.ts'
import type { ArchivedDocument, ArchivedFile } from '../store/archived-files-store.ts'
import { archivedFilesOf } from './archived-files.ts'

/**
 * Finds folders of the archive that somebody renamed, moved within it, or swapped. A folder is recognized by its
 * `checklist.json` alone: the file must have the hash that the database has for that checklist, while the checklist's
 * own one is missing, or is that of another checklist.
 */

/** A project's or a checklist's folder, relative to the archive root: recorded as `from`, and found as `to`. */
export interface RenamedFolder {
  readonly projectId: string
  readonly from: string
  readonly to: string
}

/** Folders of a project that are not in their places. */
export interface Misplaced {
  /** Folders that have another name, that of the project first. */
  readonly renamed: readonly RenamedFolder[]
  /** Recorded folders with another project or checklist in their place, whether their own files were found or not. */
  readonly taken: readonly string[]
}

export const nothingMisplaced: Misplaced = { renamed: [], taken: [] }

/** The archive root and the database to compare it with. */
export interface RecordedArchive {
  readonly root: string
  readonly store: Store
}

/** Levels of folders below the root that are searched: people sort projects into folders by year, or by crew. */
const maxDepth = 4

/**
 * Maximum number of unrecorded folders searched. A root with more holds other things too; on a slow share, this many
 * take a few seconds.
 */
const maxFolders = 5_000

/** Returns the folders that hold these documents now. */
type Search = (wanted: readonly ArchivedDocument[], options: SearchOptions) => Promise<Map<ArchivedDocument, string[]>>

export interface FindOptions {
  /** By default each call searches the whole archive if something is not in its place; see `searchOnce`. */
  readonly search?: Search | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Returns what of a project is not in its place. Unless something is, this costs one `lstat` per checklist, and reads
 * the documents that have the same size as another one of the project.
 */
export async function findMisplaced(
  archive: RecordedArchive,
  projectId: string,
  { search = (wanted, options) => searchDocuments(archive, wanted, options), signal }: FindOptions = {},
): Promise<Misplaced> {
  const { root, store } = archive
  const folder = store.projects.get(projectId)?.folder
  if (folder == null) return nothingMisplaced
  const documents = store.archivedFiles.documentsOfProject(projectId)
  const displaced = await findDisplaced(archive, documents)
  if (displaced.length === 0) return nothingMisplaced
  const wanted = displaced.map(({ document }) => document)
  const found = await search(wanted, { hints: hintsOf(displaced), signal })
  const isTaken =
    displaced.length === documents.length && (await holdsAnother(archive, folder, projectId, found.size > 0))
  const taken = isTaken
    ? [folder]
    : displaced.flatMap(({ document, occupant, isCopy }) =>
        occupant === undefined || (isCopy && !found.has(document)) ? [] : [posix.dirname(document.path)],
      )
  if (found.size === 0) return { renamed: [], taken }
  const count = (to: string) => countPresent(archive, { projectId, from: folder, to })
  const parent = await bestParent([...found.values()].flat(), count)
  const chosen = wanted.flatMap((document) => {
    const from = posix.dirname(document.path)
    const to = preferredFolder(from, parent, found.get(document) ?? [])
    return to === undefined ? [] : [{ projectId, from, to }]
  })
  const isWhole = (isTaken || !isFolderInside(root, folder)) && (await isProjectFolder(archive, parent, projectId))
  if (!isWhole) return { renamed: chosen, taken }
  const ofProject = { projectId, from: folder, to: parent }
  return { renamed: [ofProject, ...chosen.filter(({ from, to }) => to !== renamed(from, [ofProject]))], taken }
}

/**
 * Returns whether a project was removed from the list, and its folder was deleted or moved out of the archive since:
 * none of its files is expected any more. With `isSearched`, the folder was searched for before, and is only looked for
 * in its place. Throws `archive-unavailable` if the root does not exist; one that is an empty mount point looks like
 * one from which all was deleted.
 */
export async function isDiscarded(
  archive: RecordedArchive,
  projectId: string,
  { isSearched = false, ...options }: FindOptions & { readonly isSearched?: boolean } = {},
): Promise<boolean> {
  const { root, store } = archive
  const folder = store.projects.get(projectId)?.folder
  if (folder == null || store.projects.isActive(projectId)) return false
  // What cannot be read is there.
  if ((await lookUp(root, folder)) !== undefined) return false
  await assertRootExists(root)
  return isSearched || (await findMisplaced(archive, projectId, options)).renamed.length === 0
}

/** Returns the renamed folders of these projects, which one search finds. What cannot be read is left out. */
export async function listRenamed(
  archive: RecordedArchive,
  projectIds: readonly string[],
  signal?: AbortSignal,
): Promise<RenamedFolder[]> {
  // This is only a hint.
  const located = await locateDisplaced(archive, projectIds, signal).catch((error: unknown): Located => {
    if (!isTooManyOpen(error)) throw error
    return new Map()
  })
  const found: RenamedFolder[] = []
  for (const projectId of new Set([...located.values()].map(({ document }) => document.projectId))) {
    signal?.throwIfAborted()
    const search: Search = (wanted) => Promise.resolve(foldersOf(wanted, located))
    const { renamed: ofProject } = await findMisplaced(archive, projectId, { search }).catch(() => nothingMisplaced)
    found.push(...ofProject)
  }
  return found
}

/** Age of a search after which what it did not find is searched for again, and in multiples of what it took. */
const searchAgainMs = 60_000
const searchAgainFactor = 10

/**
 * Returns a search that looks through the archive once for all that is not in its place of these projects, by default
 * of all; and again for documents that were in their places, or are no longer where they were found. What was nowhere
 * may have been put back since: a verify takes hours.
 */
export function searchOnce(archive: RecordedArchive, projectIds: readonly string[] = []): Search {
  let located: Located | undefined
  let searchedMs = 0
  let tookMs = 0
  return async (wanted, options) => {
    const isOld = performance.now() - searchedMs > Math.max(searchAgainMs, searchAgainFactor * tookMs)
    if (located === undefined || (isOld && wanted.some(({ path }) => located?.get(path)?.folders.length === 0))) {
      const ids = projectIds.length > 0 ? projectIds : archive.store.projects.listAll().map(({ id }) => id)
      const startedMs = performance.now()
      located = await locateDisplaced(archive, ids, options.signal)
      searchedMs = performance.now()
      tookMs = searchedMs - startedMs
    }
    for (const { path, sha256 } of wanted) {
      const known = located.get(path)
      let isKnown = known?.document.sha256 === sha256
      for (const folder of known?.folders ?? []) {
        const there = await lookUp(archive.root, checklistDocumentPath(folder))
        isKnown &&= there !== undefined && there !== 'unknown'
      }
      if (!isKnown) return searchDocuments(archive, wanted, options)
    }
    return foldersOf(wanted, located)
  }
}

/** Displaced documents by their recorded paths, and the folders that hold each one now. */
type Located = ReadonlyMap<string, { readonly document: ArchivedDocument; readonly folders: readonly string[] }>

/** Looks for all displaced documents of these projects with one search. */
async function locateDisplaced(
  archive: RecordedArchive,
  projectIds: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Located> {
  const displaced: Displaced[] = []
  for (const id of projectIds) {
    signal?.throwIfAborted()
    displaced.push(...(await findDisplaced(archive, archive.store.archivedFiles.documentsOfProject(id))))
  }
  if (displaced.length === 0) return new Map()
  const wanted = displaced.map(({ document }) => document)
  const found = await searchDocuments(archive, wanted, { hints: hintsOf(displaced), signal })
  return new Map(wanted.map((document) => [document.path, { document, folders: found.get(document) ?? [] }]))
}

function foldersOf(wanted: readonly ArchivedDocument[], located: Located): Map<ArchivedDocument, string[]> {
  return new Map(
    wanted.flatMap((document) => {
      const { folders = [] } = located.get(document.path) ?? {}
      return folders.length === 0 ? [] : [[document, [...folders]]]
    }),
  )
}

/** Result of a search below a root that has none of the recorded project folders. */
type ArchiveSearch =
  | { readonly kind: 'nothing' }
  /** Folders of the archive that were renamed, or sorted into several. */
  | { readonly kind: 'renamed' }
  /**
   * The archive: each of these folders, relative to the root, is it or a copy, or a part of it if `isSplit`. The
   * fullest one is first.
   */
  | { readonly kind: 'archive'; readonly folders: readonly string[]; readonly isSplit: boolean }

interface ArchiveSearchOptions {
  /** Ends the search with the first folder that is the archive for certain. */
  readonly isOneEnough?: boolean
  readonly signal?: AbortSignal
}

/**
 * Searches a root that has none of the recorded project folders. A folder below it is the archive, or a copy, if at
 * least half of what is found has its recorded path in it: others may be renamed, or copied to somewhere else.
 */
export async function searchArchive(
  archive: RecordedArchive,
  { isOneEnough = false, signal }: ArchiveSearchOptions = {},
): Promise<ArchiveSearch> {
  const { store } = archive
  const all = store.projects.listAll().flatMap(({ id }) => store.archivedFiles.documentsOfProject(id))
  const found = new Set<ArchivedDocument>()
  const byParent = new Map<string, Set<ArchivedDocument>>()
  for await (const { document, folder } of findDocuments(archive, all, { signal })) {
    found.add(document)
    const recorded = posix.dirname(document.path)
    // A disk may list names in another Unicode form, and so of another length.
    const names = folder.split('/')
    const own = names.splice(-recorded.split('/').length).join('/')
    if (names.length === 0 || own.normalize('NFC') !== recorded.normalize('NFC')) continue
    const parent = names.join('/')
    const inParent = byParent.get(parent) ?? new Set()
    byParent.set(parent, inParent.add(document))
    if (isOneEnough && 2 * inParent.size >= all.length) break
  }
  if (found.size === 0) return { kind: 'nothing' }
  const parents = [...byParent].sort(([, one], [, next]) => next.size - one.size)
  const most = parents[0]?.[1] ?? new Set()
  if (2 * most.size < found.size) return { kind: 'renamed' }
  const lacking = parents.filter(([, documents]) => [...documents].some((document) => !most.has(document)))
  const copies = parents.filter(([, { size }]) => 2 * size >= found.size)
  const folders = (lacking.length === 0 ? copies : [...parents.slice(0, 1), ...lacking]).map(([folder]) => folder)
  return { kind: 'archive', folders, isSplit: lacking.length > 0 }
}

/** Returns where a recorded file or folder is now. */
export function renamed(path: string, folders: readonly Pick<RenamedFolder, 'from' | 'to'>[]): string {
  // A checklist's folder follows that of its project.
  const last = folders.findLast(({ from }) => isIn(path, from))
  return last === undefined ? path : last.to + path.slice(last.from.length)
}

/** Returns whether a path is a folder, or below it. */
export function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** A recorded file, with the path where it is now. */
export interface LocatedFile extends ManifestFile {
  readonly recorded: ArchivedFile
}

/** Yields each recorded file with its current path, which follows renamed folders. */
export async function* withCurrentPaths(
  root: string,
  files: Iterable<ArchivedFile> | AsyncIterable<ArchivedFile>,
  { renamed: folders, taken }: Misplaced,
): AsyncGenerator<LocatedFile> {
  for await (const recorded of files) {
    const { path, sha256, sizeBytes } = recorded
    const now = renamed(path, folders)
    const isElsewhere =
      now !== path &&
      (taken.some((folder) => isIn(path, folder)) ||
        (await lstatInside(root, path).catch(undefinedIfUnreadable)) === undefined)
    yield { path: isElsewhere ? now : path, sha256, sizeBytes, recorded }
  }
}

/** A checklist's document that is not in its place. */
interface Displaced {
  readonly document: ArchivedDocument
  /** The recorded document of another checklist that is there instead, if any. */
  readonly occupant: ArchivedDocument | undefined
  /**
   * True if that document is in its own place, too: somebody copied it over this one. The folder is then still the
   * checklist's own, unless that is found elsewhere.
   */
  readonly isCopy: boolean
}

async function findDisplaced(archive: RecordedArchive, documents: readonly ArchivedDocument[]): Promise<Displaced[]> {
  const displaced: Displaced[] = []
  const bySize = groupBySize(documents)
  const recordedDocument = documentLookup(archive)
  for (const document of documents) {
    const found = await lookUp(archive.root, document.path)
    if (found === 'unknown') continue
    if (found === undefined) {
      displaced.push({ document, occupant: undefined, isCopy: false })
      continue
    }
    const isAlone = bySize.get(document.sizeBytes)?.length === 1
    if (found.size === document.sizeBytes && (isAlone || (await checkFile(archive.root, document)) === 'ok')) continue
    const occupant = await recordedDocument(document.path, found.size)
    if (occupant === undefined || occupant.path === document.path) continue
    displaced.push({ document, occupant, isCopy: (await checkFile(archive.root, occupant)) === 'ok' })
  }
  return displaced
}

/** Returns `unknown` for what is behind a link, or in a folder that cannot be read. */
function lookUp(root: string, path: string) {
  return lstatInside(root, path).catch((error: unknown) => undefinedIfUnreadable(error) ?? ('unknown' as const))
}

function groupBySize(documents: readonly ArchivedDocument[]): ReadonlyMap<number, readonly ArchivedDocument[]> {
  return Map.groupBy(documents, ({ sizeBytes }) => sizeBytes)
}

/**
 * Creates a function that returns the recorded document with the bytes of a `checklist.json`, of whichever project. It
 * reads the rows of each project once.
 */
function documentLookup({ root, store }: RecordedArchive) {
  const byProject = new Map<string, ReturnType<typeof groupBySize>>()
  return async (path: string, sizeBytes: number): Promise<ArchivedDocument | undefined> => {
    const projectId = await claimedProject(root, path)
    if (projectId === undefined) return undefined
    const bySize = byProject.get(projectId) ?? groupBySize(store.archivedFiles.documentsOfProject(projectId))
    byProject.set(projectId, bySize)
    const [document] = await withBytesOf(root, path, bySize.get(sizeBytes) ?? [])
    return document
  }
}

/** Returns which of these documents have the bytes of a file. It is read once, and not at all if there are none. */
async function withBytesOf(
  root: string,
  path: string,
  documents: readonly ArchivedDocument[],
): Promise<ArchivedDocument[]> {
  if (documents.length === 0) return []
  const found = await atPath(root, path, (absolute) => hashFile(absolute)).catch(undefinedIfUnreadable)
  return documents.filter(({ sha256, sizeBytes }) => sha256 === found?.sha256 && sizeBytes === found.sizeBytes)
}

/** Start of each `checklist.json`, up to the project's id. */
const documentStart =
  /^\{\s*"format": "solarchive-checklist",\s*"version": \d+,\s*"project": \{\s*"id": ("(?:[^"\\]|\\.)*")/

/** Bytes within which the project's id is. */
const startBytes = 2_048

/** Returns the project that a `checklist.json` says it belongs to, which only its hash proves. */
async function claimedProject(root: string, path: string): Promise<string | undefined> {
  try {
    const text = await atPath(root, path, async (absolute) => {
      const file = await open(absolute, readNoFollow)
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(startBytes), 0, startBytes, 0)
        return buffer.toString('utf8', 0, bytesRead)
      } finally {
        await file.close()
      }
    })
    const [, id] = documentStart.exec(text) ?? []
    return id === undefined ? undefined : (JSON.parse(id) as string)
  } catch (error) {
    return undefinedIfUnreadable(error)
  }
}

/**
 * Returns whether another project's checklists are in a project's folder, and none of its own; without `copiesCount`,
 * whether one is that is not in its own place.
 */
async function holdsAnother(
  archive: RecordedArchive,
  folder: string,
  projectId: string,
  copiesCount: boolean,
): Promise<boolean> {
  let holds = false
  const recordedDocument = documentLookup(archive)
  for (const name of await folderNames(archive.root, folder)) {
    const path = checklistDocumentPath(`${folder}/${name}`)
    const found = await lookUp(archive.root, path)
    if (found === undefined || found === 'unknown') continue
    if ((await claimedProject(archive.root, path)) === projectId) return false
    if (holds) continue
    const occupant = await recordedDocument(path, found.size)
    holds = occupant !== undefined && (copiesCount || (await checkFile(archive.root, occupant)) !== 'ok')
  }
  return holds
}

/** Returns whether a folder with checklists of a project is that project's, and not the one of another. */
async function isProjectFolder({ root, store }: RecordedArchive, folder: string, projectId: string): Promise<boolean> {
  if (folder === '.' || !existsInside(root, checksumsPath(folder))) return false
  const owner = store.projects.listAll().find((project) => project.folder === folder)?.id
  if (owner === undefined || owner === projectId) return true
  for (const name of await folderNames(root, folder)) {
    if ((await claimedProject(root, checklistDocumentPath(`${folder}/${name}`))) === owner) return false
  }
  return true
}

/** Returns the folders of the checklists that are in the place of others: these may have changed places. */
function hintsOf(displaced: readonly Displaced[]): string[] {
  return displaced.flatMap(({ occupant }) => (occupant === undefined ? [] : [posix.dirname(occupant.path)]))
}

interface SearchOptions {
  /** Folders of checklists to look into first. */
  readonly hints?: readonly string[]
  readonly signal?: AbortSignal | undefined
}

/** Returns the folders below the root that hold these documents. */
async function searchDocuments(
  archive: RecordedArchive,
  wanted: readonly ArchivedDocument[],
  options: SearchOptions,
): Promise<Map<ArchivedDocument, string[]>> {
  const found = new Map<ArchivedDocument, string[]>()
  for await (const { document, folder } of findDocuments(archive, wanted, options)) {
    found.set(document, [...(found.get(document) ?? []), folder])
  }
  return found
}

/**
 * Searches the root for these documents by size and hash, and yields each folder that holds one. Does not enter
 * checklist folders, links, and hidden folders.
 */
async function* findDocuments(
  { root, store }: RecordedArchive,
  wanted: readonly ArchivedDocument[],
  { hints = [], signal }: SearchOptions,
): AsyncGenerator<{ readonly document: ArchivedDocument; readonly folder: string }> {
  const bySize = groupBySize(wanted)
  const recorded = new Set(store.projects.listAll().flatMap(({ folder }) => (folder === null ? [] : [caseKey(folder)])))
  const searched = new Set<string>()
  let entered = 0
  const waiting = [...hints.map((folder) => ({ folder, depth: maxDepth })), { folder: '', depth: 0 }]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    signal?.throwIfAborted()
    const { folder, depth } = next
    if (searched.has(folder)) continue
    searched.add(folder)
    const path = checklistDocumentPath(folder)
    const found = folder === '' ? undefined : await lstatInside(root, path).catch(undefinedIfUnreadable)
    const others =
      found === undefined ? [] : (bySize.get(found.size) ?? []).filter((document) => document.path !== path)
    for (const document of await withBytesOf(root, path, others)) yield { document, folder }
    if (found !== undefined || depth === maxDepth) continue
    if (!recorded.has(caseKey(folder)) && ++entered > maxFolders) continue
    for (const name of await folderNames(root, folder)) {
      waiting.push({ folder: folder === '' ? name : `${folder}/${name}`, depth: depth + 1 })
    }
  }
}

async function folderNames(root: string, folder: string): Promise<string[]> {
  const listing = inFolder(root, folder, (path) => readdir(path, { withFileTypes: true }))
  const entries = (await listing.catch(undefinedIfUnreadable)) ?? []
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
async function countPresent({ root, store }: RecordedArchive, folder: RenamedFolder): Promise<number> {
  let files = 0
  for await (const file of archivedFilesOf(store, folder.projectId, folder.from)) {
    const state = await checkFile(root, { ...file, path: renamed(file.path, [folder]) }, { sizeOnly: true })
    if (state === 'ok') files += 1
  }
  return files
}
