import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { AppError } from '../../../shared/errors.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { resolveInside } from '../archive/inside-archive.ts'
import { adoptPlaced } from '../downloads/adopt-placed.ts'
import { assetIdOfPart } from '../downloads/part-path.ts'
import { recoverReplacements } from '../downloads/replace-file.ts'
import { toEngineError } from '../engine-error.ts'
import type { Store } from '../store/create-store.ts'
import { writeArchiveRecords } from './archive-records.ts'

/**
 * Makes the archive ready to be read or written: refuses a folder that is not the archive of this database (a drive
 * that is not connected, a mistyped path), finishes what an ended process left half done, deletes its leftovers.
 * Throws `archive-unavailable` and other disk errors.
 */
export async function openArchive(folders: ArchiveFolders, store: Store): Promise<void> {
  try {
    await requireRightFolder(folders.root, store)
    await mkdir(folders.root, { recursive: true })
    await folders.recogniseRoot()
    await adoptPlaced(folders, store)
    store.jobs.resetRunning()
    await recoverReplacements(folders, store)
    await deleteLeftovers(folders.root, store)
    renewDocuments(store)
    for (const project of store.projects.listAll()) await writeArchiveRecords(folders, store, project.id)
  } catch (error) {
    throw toEngineError(error, `open the archive folder ${folders.root}`)
  }
}

/**
 * An empty mount point looks like an archive from which everything was deleted. Where none of the projects' folders is,
 * it is not this archive, and nothing is downloaded into it.
 */
export async function requireRightFolder(root: string, store: Store): Promise<void> {
  const inUse = store.assets.foldersInUse()
  if (inUse.length === 0) return
  for (const folder of inUse) {
    const found = await stat(resolveInside(root, folder)).catch(() => undefined)
    if (found?.isDirectory() === true) return
  }
  throw new AppError(
    'archive-unavailable',
    `None of the ${inUse.length} archived project folders is in ${root}. Nothing was changed. ` +
      'Connect the drive or share that holds the archive, or say with --archive where it is now. ' +
      `If it is lost, make an empty folder "${inUse[0]}" there, and everything is downloaded again.`,
  )
}

/** Grows when documents get fields that a rebuild of the database needs: those of before are written anew once. */
const documentFields = '2'
const documentFieldsKey = 'document-fields'

function renewDocuments(store: Store): void {
  if (store.meta.get(documentFieldsKey) === documentFields) return
  store.transaction(() => {
    store.checklists.markDocumentsStale()
    store.meta.set(documentFieldsKey, documentFields)
  })
}

/** `.part` files that no job continues. */
async function deleteLeftovers(root: string, store: Store): Promise<void> {
  const continued = new Set(store.jobs.assetsWithParts())
  for (const { folder } of store.projects.listAll()) {
    if (folder === null) continue
    const path = resolveInside(root, folder)
    const names = await readdir(path).catch(() => [])
    for (const name of names) {
      const assetId = assetIdOfPart(name)
      if (assetId !== undefined && !continued.has(assetId)) await rm(`${path}/${name}`, { force: true })
    }
  }
}
