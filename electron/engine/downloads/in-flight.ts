import { basename } from 'node:path/posix'
import type { DownloadInFlight } from '../lib/events.ts'
import type { AssetToDownload } from '../store/assets-store.ts'

/** Interval between reports of the files in flight: a progress bar moves smoothly, and numbers stay readable. */
const reportEveryMs = 500

/** A file in flight, with the bytes on the disk, and the announced total or `null` if unknown. */
interface InFlightFile {
  readonly asset: Pick<AssetToDownload, 'id' | 'kind' | 'path'>
  readonly projectId: string
  bytes: number
  totalBytes: number | null
}

/**
 * Keeps the files in flight and reports them at intervals while there are any. A file that ends between two reports is
 * in none. The last report is an empty list.
 */
export class InFlightDownloads {
  readonly #files = new Set<InFlightFile>()
  readonly #nameOf: (projectId: string) => string | null
  readonly #report: (files: readonly DownloadInFlight[]) => void
  #ticker: NodeJS.Timeout | undefined

  /** `nameOf` returns a project's name. */
  constructor(nameOf: (projectId: string) => string | null, report: (files: readonly DownloadInFlight[]) => void) {
    this.#nameOf = nameOf
    this.#report = report
  }

  begin(asset: InFlightFile['asset'], projectId: string): InFlightFile {
    const file = { asset, projectId, bytes: 0, totalBytes: null }
    this.#files.add(file)
    this.#ticker ??= setInterval(() => this.#tick(), reportEveryMs).unref()
    return file
  }

  end(file: InFlightFile): void {
    this.#files.delete(file)
  }

  #tick(): void {
    const files = [...this.#files].map(({ asset: { id, kind, path }, projectId, bytes, totalBytes }) => {
      const names = { name: basename(path), projectName: this.#nameOf(projectId) }
      return { assetId: id, kind, projectId, bytes, totalBytes, ...names }
    })
    this.#report(files)
    if (files.length > 0) return
    clearInterval(this.#ticker)
    this.#ticker = undefined
  }
}
