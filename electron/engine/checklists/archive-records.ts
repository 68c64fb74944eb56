import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkFile } from '../archive/check-file.ts'
import { formatChecksums } from '../archive/checksums.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { checklistDocumentPath, checksumsPath, pathBelow } from '../archive/layout.ts'
import type { FileHash } from '../lib/fs/hash-file.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import { checklistDocument, describeChecklist } from './describe-checklist.ts'

/** Returns whether `writeArchiveRecords` has anything to write. */
export function hasStaleRecords(store: Store, projectId: string): boolean {
  return (
    store.projects.get(projectId)?.checksumsStale === 1 || store.checklists.listStaleDocuments(projectId).length > 0
  )
}

/**
 * Rewrites a project's stale `checklist.json` files and SHA256SUMS from the rows. The stale marks are set in the
 * transactions that change the rows and cleared after the files are on the disk, so that a process that ends in between
 * leaves them to be written again. The caller holds the project's lock, so that all parts of a list are of one state.
 */
export async function writeArchiveRecords(folders: ArchiveFolders, store: Store, projectId: string): Promise<void> {
  const project = store.projects.get(projectId)
  if (project?.folder == null) return
  const { folder } = project
  for (const key of store.checklists.listStaleDocuments(projectId)) {
    const checklist = store.checklists.get(key)
    if (checklist !== undefined) await writeDocument(folders, store, project, checklist)
  }
  if (store.projects.get(projectId)?.checksumsStale !== 1) return
  const path = checksumsPath(folder)
  const parts = () => checksumsParts(store, projectId, folder)
  if (parts().next().done !== true) await folders.write(path, parts())
  // After a power cut, it is written again.
  store.transactionWithoutFlush(() => {
    store.projects.setChecksumsStale(projectId, false)
    store.findings.clear(path)
  })
}

/**
 * Yields the content of a project's SHA256SUMS, sorted by path, in parts of one checklist each; nothing for a project
 * without files: sha256sum fails on an empty list.
 */
export function* checksumsParts(store: Store, projectId: string, folder: string): Generator<string> {
  for (const checklist of inOrderOfPaths(store.checklists.listFolders(projectId))) {
    const entries = store.assets.manifestOfChecklist(checklist.key).map(({ path, sha256 }) => {
      // The order of the parts is that of their paths only if each checklist keeps to its folder.
      pathBelow(checklist.folder, path)
      return { path: pathBelow(folder, path), sha256 }
    })
    if (entries.length > 0) yield formatChecksums(entries)
  }
}

/** Returns hash and size of the content of a project's SHA256SUMS as of one moment, also while another process syncs. */
export function hashChecksums(store: Store, projectId: string, folder: string): FileHash {
  const content = createHash('sha256')
  let sizeBytes = 0
  store.reading(() => {
    for (const part of checksumsParts(store, projectId, folder)) {
      content.update(part)
      sizeBytes += Buffer.byteLength(part)
    }
  })
  return { sha256: content.digest('hex'), sizeBytes }
}

/** Returns folders in the order that the paths of files in them have. Without the slash, `a` is before `a [1]`. */
export function inOrderOfPaths<Row extends { readonly folder: string }>(rows: readonly Row[]): Row[] {
  const start = ({ folder }: Row) => `${folder}/`
  return rows.toSorted((one, other) => (start(one) < start(other) ? -1 : 1))
}

async function writeDocument(
  folders: ArchiveFolders,
  store: Store,
  project: ProjectRow,
  checklist: ChecklistRow,
): Promise<void> {
  if (checklist.folder === null) return
  const description = describeChecklist(store, project, checklist)
  // A document of a few thousand photos takes long to build: yield to other work in between.
  await nextTurn()
  const text = checklistDocument(description)
  await nextTurn()
  const sha256 = createHash('sha256').update(text).digest('hex')
  const document = { path: checklistDocumentPath(checklist.folder), sha256, sizeBytes: Buffer.byteLength(text) }
  // Fresh links change nothing in the document. Only a recorded document is known to be durable.
  if (checklist.documentSha256 !== sha256 || (await checkFile(folders.root, document)) !== 'ok') {
    // The old checksums are wrong as soon as the new document has its name. Waits for the disk, unlike the rest.
    store.projects.setChecksumsStale(project.id, true)
    await folders.write(document.path, text)
  }
  store.transactionWithoutFlush(() => {
    store.checklists.setDocument(checklist.key, sha256, document.sizeBytes)
    store.findings.clear(document.path)
  })
}
