import { extname } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import type { FilesTarget } from '../../../shared/views.ts'
import { mediaExtensions } from '../archive/file-kind.ts'
import { assertRootExists, lstatInside, resolveInside } from '../archive/inside-archive.ts'
import { toDiskError } from '../lib/fs/disk-error.ts'
import type { Store } from '../store/create-store.ts'

/** Location of an archived file or folder. */
export interface Location {
  /** Absolute, in the operating system's notation. */
  readonly path: string
  /** Relative to the archive root, with `/`. */
  readonly relativePath: string
  readonly isFile: boolean
}

/**
 * Finds an archived file, or the folder of a checklist or project, by ids. Throws `not-found` if it is not in the
 * archive or not on the disk, `disk-error` for a path that leads out of the archive, also through a link, and
 * `archive-unavailable` if the root does not exist.
 */
export async function locateFiles(store: Store, root: string, target: FilesTarget): Promise<Location> {
  const isFile = 'assetId' in target
  const relativePath = pathOf(store, target)
  if (relativePath === null) throw notThere()
  const path = resolveInside(root, relativePath)
  await assertRootExists(root)
  const found = await lstatInside(root, relativePath).catch((error: unknown) => {
    throw toDiskError(error, 'find a file of the archive')
  })
  if (found === undefined || found.isFile() !== isFile || found.isDirectory() === isFile) throw notThere()
  return { path, relativePath, isFile }
}

function pathOf(store: Store, target: FilesTarget): string | null {
  if ('assetId' in target) {
    const asset = store.assets.get(target.assetId)
    return asset === undefined || asset.sha256 === null ? null : asset.path
  }
  const { projectId } = target
  if (!('checklistId' in target)) return store.projects.get(projectId)?.folder ?? null
  return store.catalog.checklist(projectId, target.checklistId)?.folder ?? null
}

function notThere(): AppError {
  return new AppError(
    'not-found',
    'None of its files is in the archive folder, or they were moved. "Verify and repair" restores missing files.',
  )
}

/** Returns whether the system's default program may open a file: its name comes from the service. */
export function isSafeToOpen(path: string): boolean {
  const extension = extname(path).toLowerCase()
  return extension === '.pdf' || mediaExtensions.has(extension)
}
