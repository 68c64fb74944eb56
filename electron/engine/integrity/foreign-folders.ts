import { readdir } from 'node:fs/promises'
import { checksumsFileName, pathBelow } from '../archive/layout.ts'
import { caseKey } from '../archive/safe-name.ts'
import { inFolder } from '../archive/inside-archive.ts'
import type { RenamedFolder } from '../checklists/find-misplaced.ts'
import { undefinedIfUnreadable } from '../lib/fs/disk-error.ts'
import { isSideFile, isSystemFolder } from '../lib/fs/side-files.ts'
import type { Store } from '../store/create-store.ts'
import { scanFolder } from './verify-archive.ts'

/** Hidden folders, and those of network drives. */
const isHidden = (name: string) => /^[.@#$]/.test(name)

/**
 * Returns the folders in the archive root that hold files but are not a project's, by name: each counts as one
 * unexpected path. Folders that contain renamed project folders do not count.
 */
export async function findForeignFolders(
  root: string,
  store: Store,
  renamed: readonly Pick<RenamedFolder, 'to'>[],
  signal: AbortSignal,
): Promise<string[]> {
  const projects = new Set(store.projects.listAll().flatMap(({ folder }) => (folder === null ? [] : [caseKey(folder)])))
  const renamedNames = new Set(renamed.map(({ to }) => to.split('/')[0]))
  const listing = inFolder(root, '', (path) => readdir(path, { withFileTypes: true }))
  const entries = (await listing.catch(undefinedIfUnreadable)) ?? []
  const foreign: string[] = []
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    if (isHidden(name) || isSystemFolder(name) || renamedNames.has(name) || projects.has(caseKey(name))) continue
    if (await holdsFiles(root, name, signal)) foreign.push(name)
  }
  return foreign.sort()
}

async function holdsFiles(root: string, folder: string, signal: AbortSignal): Promise<boolean> {
  // Its name need not be one that Solarchive gives.
  for await (const { kind, path } of scanFolder(root, [folder], signal)) {
    const below = kind === 'unreadable' ? undefined : pathBelow(folder, path)
    if (below !== undefined && (below === checksumsFileName || !isSideFile(below))) return true
  }
  return false
}

const key = 'verify-foreign-folders'

/** The folders that the last verify of the whole archive found: they belong to no project, so they have no rows. */
export const foreignFolders = {
  put(store: Store, folders: readonly string[]): void {
    store.meta.set(key, JSON.stringify(folders))
  },
  list(store: Pick<Store, 'meta' | 'parseJson'>): string[] {
    const stored = store.parseJson(store.meta.get(key) ?? '[]')
    return Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : []
  },
}
