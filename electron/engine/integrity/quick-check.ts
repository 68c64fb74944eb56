import type { ManifestFile } from '../archive/check-file.ts'
import { maxQuickBytes } from '../archive/quick-reader.ts'
import { Thread } from '../lib/thread.ts'

/** Files to check, and the archive root that their paths are relative to. */
export interface QuickRequest {
  readonly root: string
  readonly files: readonly ManifestFile[]
}

/**
 * Checks small files in threads of its own: they read without waiting, which takes a fifth of the time, and a disk that
 * takes long stops nothing else.
 */
export interface QuickCheck {
  /**
   * Returns for each file whether exactly the recorded content is at its path. False only means that `checkFile` has to
   * find out. Never rejects.
   */
  check(root: string, files: readonly ManifestFile[]): Promise<readonly boolean[]>
  /** Ends the threads. */
  end(): Promise<void>
}

/** One is reading while the other waits for the disk, or hashes. */
const maxThreads = 2

/** Files and bytes of a batch: some milliseconds, so that progress is shown, and a verify can be stopped. */
const filesPerBatch = 64
const bytesPerBatch = maxQuickBytes

/** The thread's file in the sources, and in the built app beside the main file; see group-writer.ts. */
const url = new URL(import.meta.url.endsWith('.ts') ? './check-thread.ts' : './check-thread.js', import.meta.url)

/**
 * Returns a check whose threads start with the first files. A thread that ends, or that the system refuses, leaves its
 * files to `checkFile`.
 */
export function createQuickCheck(): QuickCheck {
  const threads: Thread[] = []
  /** No thread is taken after one has ended, or was refused. */
  let mayTake = true
  let isEnded = false

  function take(): Thread | undefined {
    try {
      const thread = Thread.take({ url })
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
    async check(root, files) {
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
    async end() {
      isEnded = true
      await Promise.all(threads.map((thread) => thread.release()))
    },
  }
}

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
