import type { ManifestFile } from '../archive/check-file.ts'
import { maxQuickBytes } from '../archive/quick-reader.ts'
import { programUrl, Thread } from '../lib/thread.ts'

/** Files to check, and the archive root that their paths are relative to. */
export interface QuickRequest {
  readonly root: string
  readonly files: readonly ManifestFile[]
}

/** Two: one reads while the other waits for the disk, or hashes. */
const maxThreads = 2

/** Files and bytes of a batch: some milliseconds, so that progress is shown, and a verify can be stopped. */
const filesPerBatch = 64
const bytesPerBatch = maxQuickBytes

const program = { url: programUrl(import.meta.url, 'check-thread') }

/**
 * Returns a check of small files in threads: synchronous reads take a fifth of the time, and a slow disk stops nothing
 * else. The threads start with the first files. A thread that ends, or that the system refuses, leaves its files to
 * `checkFile`.
 */
export function createQuickCheck() {
  const threads: Thread[] = []
  /** No thread is taken after one has ended, or was refused. */
  let mayTake = true
  let isEnded = false

  function take(): Thread | undefined {
    try {
      const thread = Thread.take(program)
      threads.push(thread)
      return thread
    } catch {
      mayTake = false
      return undefined
    }
  }

  /** Returns the thread with the fewest batches; a new one if all are busy. */
  function freeThread(): Thread | undefined {
    const [first] = threads.toSorted((one, other) => one.pending - other.pending)
    const isBusy = first === undefined || first.pending > 0
    return isBusy && mayTake && threads.length < maxThreads ? (take() ?? first) : first
  }

  return {
    /**
     * Resolves to one flag per file, true if the file has exactly the recorded content, or to an empty list if no
     * thread could be used. For files without a true flag, `checkFile` has to decide. Never rejects.
     */
    async check(root: string, files: readonly ManifestFile[]): Promise<readonly boolean[]> {
      if (isEnded || files.length === 0) return []
      const thread = freeThread()
      if (thread === undefined) return []
      const plain = files.map(({ path, sha256, sizeBytes }) => ({ path, sha256, sizeBytes }))
      const intact = await thread.ask<readonly boolean[]>({ root, files: plain } satisfies QuickRequest)
      if (intact !== undefined) return intact
      mayTake = false
      if (threads.includes(thread)) threads.splice(threads.indexOf(thread), 1)
      return []
    },
    /** Ends the threads. */
    async end(): Promise<void> {
      isEnded = true
      await Promise.all(threads.map((thread) => thread.release()))
    },
  }
}

export type QuickCheck = ReturnType<typeof createQuickCheck>

/** Yields files in batches for `QuickCheck.check`. A larger file ends its batch. */
export async function* inBatches<File extends ManifestFile>(
  files: Iterable<File> | AsyncIterable<File>,
): AsyncGenerator<readonly File[]> {
  let batch: File[] = []
  let bytes = 0
  for await (const file of files) {
    batch.push(file)
    bytes += file.sizeBytes
    if (batch.length < filesPerBatch && bytes < bytesPerBatch) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}
