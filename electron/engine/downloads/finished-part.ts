import type { AssetRow } from '../store/assets-store.ts'

/** A downloaded file in its `.part`, whole and on the disk, that is to take its name. */
export interface FinishedPart {
  readonly asset: AssetRow
  readonly projectId: string
  readonly partPath: string
  /** As in `Link`. */
  readonly urlIdentity: string | null
  readonly sha256: string
  readonly sizeBytes: number
  readonly etag: string | null
  readonly lastModified: string | null
}
