import type { Store } from '../store/create-store.ts'
import type { FinishedPart } from './part-file.ts'

/**
 * Records a downloaded file that has its name, and ends its job. If the service has listed another file since it sent
 * the link, this one is not known to be current. Must be called in a transaction.
 */
export function recordDownload(store: Store, part: FinishedPart, archivedAt: string): void {
  const { asset, sha256, sizeBytes, etag, lastModified, urlIdentity } = part
  const isCurrent = part.isCurrent()
  store.assets.markArchived({ id: asset.id, sha256, sizeBytes, etag, lastModified, archivedAt, urlIdentity }, isCurrent)
  endJob(store, asset.id, isCurrent)
}

/** Ends a job, or queues it again if what it has downloaded or confirmed is not known to be current. */
export function endJob(store: Store, assetId: number, isCurrent: boolean): void {
  if (isCurrent) store.jobs.finish(assetId)
  else store.jobs.release(assetId)
}
