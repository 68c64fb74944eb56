import { Worker } from 'node:worker_threads'
import type { ManifestFile } from '../archive/check-file.ts'
import { maxQuickBytes } from '../archive/quick-reader.ts'

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
const threadUrl = new URL(import.meta.url.endsWith('.ts') ? './check-thread.ts' : './check-thread.js', import.meta.url)

interface CheckThread {
  readonly worker: Worker
  /** Batches that the thread has, oldest first. */
  readonly waiting: ((intact: readonly boolean[]) => void)[]
}

/**
 * Returns a check whose threads start with the first files. A thread that ends, or that the system refuses, leaves its
 * files to `checkFile`.
 */
export function createQuickCheck(): QuickCheck {
  const threads: CheckThread[] = []
  /** No thread is started after one has ended, or was refused. */
  let mayStart = true
  let isEnded = false

  function start(): CheckThread | undefined {
    let worker: Worker
    try {
      worker = new Worker(threadUrl, { execArgv: [], stdin: false })
    } catch {
      mayStart = false
      return undefined
    }
    const started: CheckThread = { worker, waiting: [] }
    const end = () => {
      mayStart = false
      if (threads.includes(started)) threads.splice(threads.indexOf(started), 1)
      for (const resolve of started.waiting.splice(0)) resolve([])
    }
    worker.on('message', (intact: readonly boolean[]) => started.waiting.shift()?.(intact))
    worker.on('messageerror', () => void worker.terminate())
    worker.on('error', end)
    worker.on('exit', end)
    threads.push(started)
    return started
  }

  /** Returns the thread with the fewest batches; a new one if all are busy. */
  function freeThread(): CheckThread | undefined {
    const [first] = threads.toSorted((one, other) => one.waiting.length - other.waiting.length)
    const isBusy = first === undefined || first.waiting.length > 0
    return isBusy && mayStart && threads.length < maxThreads ? (start() ?? first) : first
  }

  return {
    check(root, files) {
      if (isEnded || files.length === 0) return Promise.resolve([])
      const thread = freeThread()
      if (thread === undefined) return Promise.resolve([])
      const { promise, resolve } = Promise.withResolvers<readonly boolean[]>()
      thread.waiting.push(resolve)
      const plain = files.map(({ path, sha256, sizeBytes }) => ({ path, sha256, sizeBytes }))
      thread.worker.postMessage({ root, files: plain } satisfies QuickRequest)
      return promise
    },
    async end() {
      isEnded = true
      await Promise.all(threads.map(({ worker }) => worker.terminate()))
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
