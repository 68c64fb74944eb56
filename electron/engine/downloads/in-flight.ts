import { basename } from 'node:path/posix'
import type { DownloadInFlight } from '../lib/events.ts'
import type { AssetRow } from '../store/assets-store.ts'

/** How often it is told what is under way: often enough for a bar that moves, rarely enough to be read. */
const tellMs = 500

/** A file while it is being downloaded. */
interface FileUnderWay {
  /** So many bytes are there; `total` null: the service did not tell how many there will be. */
  readonly has: (bytes: number, total: number | null) => void
  readonly end: () => void
}

/**
 * Remembers which files are being downloaded and tells it while there are any: what lasts shorter than a telling is never
 * told. The last telling is that there is none.
 */
export class InFlightDownloads {
  readonly #files = new Map<symbol, DownloadInFlight>()
  readonly #tell: (files: readonly DownloadInFlight[]) => void
  #ticker: NodeJS.Timeout | undefined

  constructor(tell: (files: readonly DownloadInFlight[]) => void) {
    this.#tell = tell
  }

  begin({ id, kind, path }: Pick<AssetRow, 'id' | 'kind' | 'path'>, project: Project): FileUnderWay {
    const key = Symbol('file')
    const file = { assetId: id, kind, name: basename(path), projectId: project.id, projectName: project.name }
    this.#files.set(key, { ...file, bytes: 0, totalBytes: null })
    this.#ticker ??= setInterval(() => this.#tick(), tellMs).unref()
    return {
      has: (bytes, totalBytes) => void this.#files.set(key, { ...file, bytes, totalBytes }),
      end: () => void this.#files.delete(key),
    }
  }

  #tick(): void {
    this.#tell([...this.#files.values()])
    if (this.#files.size > 0) return
    clearInterval(this.#ticker)
    this.#ticker = undefined
  }
}

interface Project {
  readonly id: string
  readonly name: string | null
}
