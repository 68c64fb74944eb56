import { caseKey } from '../archive/safe-name.ts'
import type { Store } from '../store/create-store.ts'
import { createRebuildMarker } from '../store/rebuild-marker.ts'
import { findDocument, listFolders, preferred } from './find-documents.ts'
import type { RecordedChecklist } from './recorded-checklist.ts'

/**
 * Brings back the list of projects, as far as the archive folder tells it, when a rebuild is due: so that a person sees
 * the list at once, and the long reading of files can wait for the first use of the archive. What the list holds already
 * stays as it is, also what was removed from it. Answers how many were added. Does nothing where the folder cannot be read.
 */
export function restoreProjects(store: Store, root: string, nowIso: string): number {
  const marker = createRebuildMarker(store.meta)
  // Also a database that was begun while the archive's drive was away knows nothing of what is on it.
  if (marker.get() === undefined && store.assets.foldersInUse().length === 0 && holdsProjects(root)) {
    marker.set({ reason: 'new', done: [] })
  }
  if (marker.get() === undefined) return 0
  const found = new Map<string, { project: RecordedChecklist['project']; folders: string[] }>()
  for (const folder of listOrEmpty(() => listFolders(root, ''))) {
    const project = firstProject(root, folder)
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

/** Whether a folder holds an archive, by the documents in it. */
export function holdsProjects(root: string): boolean {
  return listOrEmpty(() => listFolders(root, '')).some((folder) => firstProject(root, folder) !== undefined)
}

function firstProject(root: string, folder: string): RecordedChecklist['project'] | undefined {
  for (const checklistFolder of listOrEmpty(() => listFolders(root, folder))) {
    const found = findDocument(root, checklistFolder)
    if (found !== undefined && found !== 'unreadable') return found.recorded.project
  }
  return undefined
}

function listOrEmpty(list: () => string[]): string[] {
  try {
    return list()
  } catch {
    return []
  }
}
