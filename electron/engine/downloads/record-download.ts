import type { Store } from '../store/create-store.ts'
import type { FinishedPart } from './part-file.ts'

/** Records a downloaded file that has its name, and ends its job. Must be called in a transaction. */
export function recordDownload(store: Store, part: FinishedPart, archivedAt: string): void {
  const { asset, sha256, sizeBytes, etag, lastModified, urlIdentity } = part
  store.assets.markArchived({ id: asset.id, sha256, sizeBytes, etag, lastModified, archivedAt, urlIdentity })
  store.jobs.finish(asset.id)
}
