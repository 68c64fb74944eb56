import { reportPath } from '../archive/layout.ts'
import { caseKey } from '../archive/safe-name.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import { ensureChecklistFolder } from './name-folders.ts'
import { sourceHash } from './url-identity.ts'
import type { LinkTable } from './link-table.ts'

/**
 * Queues a checklist's report when it is not archived, or when the checklist has changed since it was found to be what
 * the service has. `url` is null when the service gave no link. To be called in a transaction.
 */
export function recordReport(store: Store, links: LinkTable, checklist: ChecklistRow, url: string | null): void {
  const known = store.assets.getReport(checklist.key)
  if (known !== undefined) {
    if (url === null && checklist.status !== 'completed') {
      // Reopened: there is no report to ask for until it is completed again, which queues it anew.
      store.jobs.finish(known.id)
      return
    }
    const urlIdentity = sourceHash(url)
    const isNews =
      url !== null && (urlIdentity !== known.sourceHash || checklist.readFingerprint !== checklist.fingerprint)
    if (known.sha256 === null && isNews) store.jobs.enqueueAgain(known.id, checklist.projectId, 'fetch')
    else if (known.sha256 === null) store.jobs.enqueue(known.id, checklist.projectId, 'fetch')
    else if (url === null || known.confirmedFingerprint === checklist.fingerprint) return
    else store.jobs.enqueue(known.id, checklist.projectId, urlIdentity === known.sourceHash ? 'recheck' : 'refetch')
    store.assets.update(known.id, { ...known, sourceHash: urlIdentity ?? known.sourceHash })
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
