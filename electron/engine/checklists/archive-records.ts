import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkFile } from '../archive/check-file.ts'
import { checklistDocument } from '../archive/checklist-document.ts'
import { formatChecksums } from '../archive/checksums.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { checklistDocumentPath, checksumsPath, pathBelow } from '../archive/layout.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import { describeChecklist } from './describe-checklist.ts'

/**
 * Rewrites a project's stale `checklist.json` files and SHA256SUMS from the rows. The stale marks are set in the
 * transactions that change the rows and cleared after the files are on the disk, so that a process that ends in between
 * leaves them to be written again.
 */
export async function writeArchiveRecords(folders: ArchiveFolders, store: Store, projectId: string): Promise<void> {
  const project = store.projects.get(projectId)
  if (project?.folder == null) return
  for (const checklist of store.checklists.listStaleDocuments(projectId)) {
    await writeDocument(folders, store, project, checklist)
  }
  if (store.projects.get(projectId)?.checksumsStale !== 1) return
  const text = checksumsText(store, projectId, project.folder)
  if (text !== undefined) await folders.write(checksumsPath(project.folder), text)
  const path = checksumsPath(project.folder)
  // After a power cut, it is written again.
  store.transactionWithoutFlush(() => {
    store.projects.setChecksumsStale(projectId, false)
    store.findings.clear(path)
  })
}

/**
 * Returns the content of a project's SHA256SUMS, or undefined for a project without files: sha256sum fails on an empty
 * list.
 */
export function checksumsText(store: Store, projectId: string, folder: string): string | undefined {
  const entries = store.assets
    .manifest(projectId)
    .map(({ path, sha256 }) => ({ path: pathBelow(folder, path), sha256 }))
  return entries.length === 0 ? undefined : formatChecksums(entries)
}

async function writeDocument(
  folders: ArchiveFolders,
  store: Store,
  project: ProjectRow,
  checklist: ChecklistRow,
): Promise<void> {
  if (checklist.folder === null) return
  const description = describeChecklist(store, project, checklist)
  // A document of some thousand photos takes long to build: yield to other work in between.
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
