import { Worker } from 'node:worker_threads'
import { type FileToWrite, type WriteGroup, writeGroup, type WrittenFile, type WrittenGroup } from './write-group.ts'

/** One small file, and its bytes as they arrived. */
export interface SmallFile extends FileToWrite {
  readonly chunks: readonly Buffer[]
}

export interface GroupWriter {
  /** Writes a group; see `writeGroup`. Groups are written in the order of the calls. Never rejects. */
  write(root: string, files: readonly SmallFile[]): Promise<WrittenGroup>
  close(): Promise<void>
}

/** Answer of the thread: the result, and the memory of the group. */
export interface ThreadAnswer {
  readonly written: WrittenGroup
  readonly bytes: WriteGroup['bytes']
}

/** Groups are written in a thread of their own, or in the caller's. */
export type WriteMode = 'thread' | 'inline'

interface WriteThread {
  readonly worker: Worker
  /** Groups that the thread has, oldest first. Each gets `undefined` if the thread ends before it is written. */
  readonly waiting: ((written: WrittenGroup | undefined) => void)[]
}

/** Memory for a group of 64 files of 32 KB; a larger group gets memory of its own. */
const groupBytes = 2 * 1024 * 1024

/** The thread's file in the sources, and in the built app beside the main file. */
const threadUrl = new URL(import.meta.url.endsWith('.ts') ? './write-thread.ts' : './write-thread.js', import.meta.url)

/**
 * Returns a writer with a thread of its own, which is started with the first group: a call of the file system that takes
 * long, on a network share or a full disk, then stops nothing else.
 */
export function createGroupWriter(wanted: WriteMode): GroupWriter {
  let mode = wanted
  let thread: WriteThread | undefined
  /** Memory of earlier groups: a thread frees what it was sent only when it happens to collect its garbage. */
  const free: WriteGroup['bytes'][] = []

  function takeBytes(sizeBytes: number): WriteGroup['bytes'] {
    const index = free.findIndex(({ length }) => length >= sizeBytes)
    const [bytes = new Uint8Array(Math.max(sizeBytes, groupBytes))] = index < 0 ? [] : free.splice(index, 1)
    return bytes
  }

  function start(): WriteThread {
    const worker = new Worker(threadUrl, { execArgv: [], stdin: false })
    const started: WriteThread = { worker, waiting: [] }
    let hasAnswered = false
    const end = () => {
      if (thread === started) thread = undefined
      // No thread can be started here.
      if (!hasAnswered) mode = 'inline'
      for (const resolve of started.waiting.splice(0)) resolve(undefined)
    }
    worker.on('message', ({ written, bytes }: ThreadAnswer) => {
      hasAnswered = true
      if (bytes.length === groupBytes) free.push(bytes)
      started.waiting.shift()?.(written)
      // An idle thread does not keep the process alive.
      if (started.waiting.length === 0) worker.unref()
    })
    worker.on('messageerror', () => void worker.terminate())
    worker.on('error', end)
    worker.on('exit', end)
    return started
  }

  function writeInThread(group: WriteGroup): Promise<WrittenGroup | undefined> {
    const { worker, waiting } = (thread ??= start())
    worker.ref()
    worker.postMessage(group, [group.bytes.buffer])
    return new Promise((resolve) => waiting.push(resolve))
  }

  return {
    async write(root, files) {
      if (files.length === 0) return { files: [], unsynced: [] }
      const group = joined(root, files, takeBytes)
      if (mode === 'inline') return writeGroup(group)
      const failed: WrittenFile = { sha256: null, isPublished: false }
      return (await writeInThread(group)) ?? { files: files.map(() => failed), unsynced: [] }
    },
    async close() {
      await thread?.worker.terminate()
    },
  }
}

function joined(
  root: string,
  files: readonly SmallFile[],
  takeBytes: (sizeBytes: number) => WriteGroup['bytes'],
): WriteGroup {
  const all = takeBytes(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))
  let end = 0
  const tasks = files.map(({ partPath, path, chunks }) => {
    const start = end
    for (const chunk of chunks) {
      all.set(chunk, end)
      end += chunk.length
    }
    return { partPath, path, sizeBytes: end - start }
  })
  return { root, bytes: all, files: tasks }
}
