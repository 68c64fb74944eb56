import type { AssetRow } from '../store/assets-store.ts'
import type { Store } from '../store/create-store.ts'

/**
 * The asset's job is done, unless the service has given the file another place since `asset` was read: then what was
 * stored may be the former one, and the file is fetched again. To be called in the transaction that records the file.
 */
export function endJob(store: Store, asset: AssetRow, projectId: string): void {
  store.jobs.finish(asset.id)
  if (store.assets.get(asset.id)?.sourceHash !== asset.sourceHash) store.jobs.enqueue(asset.id, projectId, 'refetch')
}
