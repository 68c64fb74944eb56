import { reportPath } from '../archive/layout.ts'
import { caseKey } from '../archive/unique-name.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import { ensureChecklistFolder } from './name-folders.ts'
import { sourceHash } from './assign-media.ts'
import type { LinkTable } from './link-table.ts'

/**
 * Queues a checklist's report when it is not archived, or when the checklist has changed since. `isChanged` says the
 * latter; `url` is null when the service gave no link. To be called in a transaction.
 */
export function noteReport(
  store: Store,
  links: LinkTable,
  checklist: ChecklistRow,
  url: string | null,
  isChanged: boolean,
): void {
  const known = store.assets.listForChecklist(checklist.key).find((asset) => asset.kind === 'report')
  if (known !== undefined) {
    if (known.sha256 === null) store.jobs.enqueue(known.id, checklist.projectId, 'fetch')
    else if (isChanged && url !== null) store.jobs.enqueue(known.id, checklist.projectId, 'recheck')
    else return
    links.hold(known.id, url)
    return
  }
  if (url === null) return
  const path = reportPath(ensureChecklistFolder(store, checklist))
  const id = store.assets.insert({
    checklistKey: checklist.key,
    questionKey: null,
    kind: 'report',
    remoteKey: 'report',
    sourceHash: sourceHash(url),
    fileName: null,
    path,
    pathKey: caseKey(path),
    record: null,
    takenAt: null,
    latitude: null,
    longitude: null,
  })
  store.jobs.enqueue(id, checklist.projectId, 'fetch')
  links.hold(id, url)
}
