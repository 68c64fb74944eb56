import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Store } from '../store/create-store.ts'
import type { ArchivedFile, ArchivedTotals } from '../store/archived-files-store.ts'

/** Rows read at once: about 200 kB, which blocks other work for a few milliseconds. */
const rowsAtOnce = 500

/** Rows summed at once. */
const summedAtOnce = 5_000

/** Yields every file of a project in the archive. Other work runs between the pages. */
export async function* archivedFilesOf(store: Store, projectId: string, folder: string): AsyncGenerator<ArchivedFile> {
  yield* store.archivedFiles.documentsOfProject(projectId)
  for (const checklistKey of store.archivedFiles.checklistKeys(projectId)) {
    yield* inPages(
      0,
      (after) => store.archivedFiles.assetsOfChecklist(checklistKey, after, rowsAtOnce),
      ({ id }) => id,
    )
  }
  yield* inPages(
    folder,
    (after) => store.archivedFiles.versionsBelow(folder, after, rowsAtOnce),
    ({ path }) => path,
  )
}

/** Yields every file in the archive, of all projects. */
export async function* recordedFiles(store: Store): AsyncGenerator<ArchivedFile> {
  for (const { id, folder } of store.projects.listAll()) if (folder !== null) yield* archivedFilesOf(store, id, folder)
}

/** Returns the number and size of the archived files without SHA256SUMS. */
export async function measureArchivedFiles(store: Store, signal?: AbortSignal): Promise<ArchivedTotals> {
  let { files, bytes } = store.archivedFiles.otherTotals()
  for (let after = 0; ;) {
    const page = store.archivedFiles.assetTotals(after, summedAtOnce)
    if (page.last === null) return { files, bytes }
    files += page.files
    bytes += page.bytes
    after = page.last
    await nextTurn()
    signal?.throwIfAborted()
  }
}

async function* inPages<Row, Position>(
  start: Position,
  readPage: (after: Position) => readonly Row[],
  positionOf: (row: Row) => Position,
): AsyncGenerator<Row> {
  for (let after = start; ;) {
    const page = readPage(after)
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < rowsAtOnce) return
    after = positionOf(last)
    await nextTurn()
  }
}
