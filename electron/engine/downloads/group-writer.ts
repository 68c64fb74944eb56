import { Worker } from 'node:worker_threads'
import { type FileToWrite, type WriteGroup, writeGroup, type WrittenFile, type WrittenGroup } from './write-group.ts'

/** One small file, and its bytes. */
export interface SmallFile extends Omit<FileToWrite, 'sizeBytes'> {
  readonly bytes: Buffer
}

export interface GroupWriter {
  /** Writes a group; see `writeGroup`. Groups are written in the order of the calls. Never rejects. */
  write(root: string, files: readonly SmallFile[]): Promise<WrittenGroup>
  close(): Promise<void>
}

/** Where groups are written: in a thread, or in the caller's own. */
export type WriteMode = 'thread' | 'inline'

/** The thread's file in the sources, and in the built app beside the main file. */
const threadUrl = new URL(import.meta.url.endsWith('.ts') ? './write-thread.ts' : './write-thread.js', import.meta.url)

/**
 * Returns a writer with a thread of its own, which is started with the first group: a call of the file system that takes
 * long, on a network share or a full disk, then stops nothing else.
 */
export function createGroupWriter(wanted: WriteMode): GroupWriter {
  let mode = wanted
  let worker: Worker | undefined
  let hasAnswered = false
  /** Groups that the thread has, oldest first. */
  const waiting: ((written: WrittenGroup | undefined) => void)[] = []

  function start(): Worker {
    const started = new Worker(threadUrl, { execArgv: [], stdin: false })
    started.on('message', (written: WrittenGroup) => {
      hasAnswered = true
      waiting.shift()?.(written)
      // An idle thread does not keep the process alive.
      if (waiting.length === 0) started.unref()
    })
    const onEnd = () => {
      if (worker === started) worker = undefined
      // No thread can be started here.
      if (!hasAnswered) mode = 'inline'
      for (const resolve of waiting.splice(0)) resolve(undefined)
    }
    return started.on('error', onEnd).on('exit', onEnd)
  }

  function writeInThread(group: WriteGroup): Promise<WrittenGroup | undefined> {
    worker ??= start()
    worker.ref()
    worker.postMessage(group, [group.bytes.buffer])
    return new Promise((resolve) => waiting.push(resolve))
  }

  return {
    async write(root, files) {
      if (files.length === 0) return { files: [], unsynced: [] }
      const group = joined(root, files)
      if (mode === 'inline') return writeGroup(group)
      const failed: WrittenFile = { sha256: null, isPublished: false }
      return (await writeInThread(group)) ?? { files: files.map(() => failed), unsynced: [] }
    },
    async close() {
      await worker?.terminate()
    },
  }
}

function joined(root: string, files: readonly SmallFile[]): WriteGroup {
  const sizeBytes = files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  // Not from Node's pool of buffers: the memory is handed to the thread.
  const all = new Uint8Array(sizeBytes)
  let end = 0
  const tasks = files.map(({ partPath, path, bytes }) => {
    all.set(bytes, end)
    end += bytes.length
    return { partPath, path, sizeBytes: bytes.length }
  })
  return { root, bytes: all, files: tasks }
}
