import { lstatSync } from 'node:fs'
import { atPathSync } from '../archive/inside-archive.ts'
import { caseKey } from '../archive/safe-name.ts'
import type { Store } from '../store/create-store.ts'
import { createRebuildMarker } from '../store/rebuild-marker.ts'
import { findDocument, listFolders, ownProject, preferred } from './find-documents.ts'
import type { RecordedChecklist } from './recorded-checklist.ts'

/**
 * Restores the list of projects from the archive folder if a rebuild is due, so that users see the list at once and the
 * files are read at the first use of the archive. Projects already known, including removed ones, stay unchanged.
 * Returns how many were added. Does nothing if the folder cannot be read.
 */
export function restoreProjects(store: Store, root: string, nowIso: string): number {
  const marker = createRebuildMarker(store.meta)
  // A database that was created while the archive's drive was disconnected is rebuilt as well.
  if (marker.get() === undefined && hasNothingRecorded(store, root) && containsProjects(root)) {
    marker.set({ reason: 'new', done: [] })
  }
  if (marker.get() === undefined) return 0
  const found = new Map<string, { project: RecordedChecklist['project']; folders: string[] }>()
  for (const folder of listOrEmpty(() => listFolders(root, ''))) {
    const project = projectOf(root, folder)
    if (project === undefined) continue
    const known = found.get(project.id)
    if (known === undefined) found.set(project.id, { project, folders: [folder] })
    else known.folders.push(folder)
  }
  let added = 0
  store.transaction(() => {
    for (const { project, folders } of found.values()) {
      const row = store.projects.get(project.id)
      if (row === undefined) {
        store.projects.put(project.id, project.name, project.address, nowIso)
        added += 1
      }
      const folder = preferred(project.id, folders)
      if (row?.folder != null || store.projects.isFolderTaken(caseKey(folder))) continue
      store.projects.setFolder(project.id, folder, caseKey(folder))
    }
  })
  return added
}

/** Returns whether the database knows of no archived file, and of no document that is in this archive folder. */
export function hasNothingRecorded({ assets, projects, archivedFiles }: Store, root: string): boolean {
  if (assets.foldersInUse().length > 0) return false
  return !projects
    .listAll()
    .some(({ id }) =>
      archivedFiles.documentsOfProject(id).some(({ path, sizeBytes }) => sizeOrNone(root, path) === sizeBytes),
    )
}

/** Returns the size of a file, or `undefined` if it is not there or cannot be looked up. */
function sizeOrNone(root: string, path: string): number | undefined {
  try {
    return atPathSync(root, path, (absolute) => lstatSync(absolute)).size
  } catch {
    return undefined
  }
}

/** Returns whether a folder contains an archive, by the documents in it. */
export function containsProjects(root: string): boolean {
  return archivedProjects(root).next().done !== true
}

/** Yields the ids of the projects in an archive, by the documents in it. */
export function* archivedProjects(root: string): Generator<string, undefined> {
  for (const folder of listOrEmpty(() => listFolders(root, ''))) {
    const project = projectOf(root, folder)
    if (project !== undefined) yield project.id
  }
}

function projectOf(root: string, folder: string): RecordedChecklist['project'] | undefined {
  return ownProject(folder, readProjects(root, folder))
}

/** Yields the project of each document. The rebuild says which cannot be read. */
function* readProjects(root: string, folder: string): Generator<RecordedChecklist['project'], undefined> {
  for (const checklistFolder of listOrEmpty(() => listFolders(root, folder))) {
    const found = documentOrNone(root, checklistFolder)
    if (found !== undefined && found !== 'unreadable') yield found.recorded.project
  }
}

function documentOrNone(root: string, folder: string): ReturnType<typeof findDocument> {
  try {
    return findDocument(root, folder)
  } catch {
    return undefined
  }
}

function listOrEmpty(list: () => string[]): string[] {
  try {
    return list()
  } catch {
    return []
  }
}
