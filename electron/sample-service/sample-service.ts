import type { FaultControl } from './http/faults.ts'
import type { RequestLog } from './http/request-log.ts'
import type { SampleOrder } from './orders/order-book.ts'
import type { SiteChanges } from './site/site-changes.ts'
import type { SampleChecklist, SamplePhoto, SampleProject } from './site/site-types.ts'

/** A running sample service. Its changes show in the next answer. */
export interface SampleService extends SiteChanges {
  /** The API, `http://127.0.0.1:<port>`; the paths follow (`/api/v1/...`). */
  readonly url: string
  /** The file host, another origin: `http://127.0.0.1:<other port>`. */
  readonly filesUrl: string
  /** The token that is good now. */
  readonly token: string
  /** The live data that is served. */
  readonly projects: readonly SampleProject[]
  /** All service requests, oldest first. */
  readonly orders: readonly SampleOrder[]
  readonly faults: FaultControl
  readonly requests: RequestLog
  /** Makes another token the good one; the old one is refused from then on. */
  setToken(token: string): void
  setOrderStatus(orderId: string, status: string): SampleOrder
  /** The exact bytes that are served now. A report's rejects with a RangeError when there is none yet. */
  photoBytes(photo: SamplePhoto): Promise<Buffer>
  thumbnailBytes(photo: SamplePhoto): Promise<Buffer>
  reportBytes(checklist: SampleChecklist): Promise<Buffer>
  /** Stops at once: open connections are destroyed. */
  close(): Promise<void>
}
