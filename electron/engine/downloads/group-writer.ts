import { Worker } from 'node:worker_threads'
import { type FileToWrite, type WriteGroup, writeGroup, type WrittenFile, type WrittenGroup } from './write-group.ts'

export interface GroupWriter {
  /** Starts the thread, unless it runs: the first group then need not wait for it. */
  prepare(): void
  /** Writes a group; see `writeGroup`. Groups are written in the order of the calls. Never rejects. */
  write(root: string, files: readonly FileToWrite[], memory: GroupMemory): Promise<WrittenGroup>
  close(): Promise<void>
}

/** Memory for a group: of 64 files of 32 KB, or at least of eight (see `PartFile.finish`). */
const groupBytes = 2 * 1024 * 1024

/**
 * Memory that holds the bytes of a group's small files, and is then used for another group; the thread shares it. Their
 * own buffers, each kept until its file is recorded, would be old by then: only a collection of all garbage frees
 * those.
 */
export class GroupMemory {
  readonly bytes: WriteGroup['bytes'] = new Uint8Array(new SharedArrayBuffer(groupBytes))
  #end = 0

  /** Copies the bytes of a file. Returns where they begin, or `undefined` if there is no room. */
  add(chunks: readonly Buffer[]): number | undefined {
    const start = this.#end
    if (start + chunks.reduce((sum, { length }) => sum + length, 0) > groupBytes) return undefined
    for (const chunk of chunks) {
      this.bytes.set(chunk, this.#end)
      this.#end += chunk.length
    }
    return start
  }

  clear(): void {
    this.#end = 0
  }
}

/** Groups are written in a thread of their own, or in the caller's. */
export type WriteMode = 'thread' | 'inline'

interface WriteThread {
  readonly worker: Worker
  /** Groups that the thread has, oldest first. Each gets `undefined` if the thread ends before it is written. */
  readonly waiting: ((written: WrittenGroup | undefined) => void)[]
}

/** Time without a group after which the thread ends, so that it takes no memory. */
const defaultIdleMs = 10_000

/** The thread's file in the sources, and in the built app beside the main file. */
const threadUrl = new URL(import.meta.url.endsWith('.ts') ? './write-thread.ts' : './write-thread.js', import.meta.url)

/**
 * Returns a writer with a thread of its own: a call of the file system that takes long, on a network share or a full
 * disk, then stops nothing else.
 */
export function createGroupWriter(wanted: WriteMode, idleMs = defaultIdleMs): GroupWriter {
  let mode = wanted
  let thread: WriteThread | undefined
  let idle: NodeJS.Timeout | undefined

  /** Returns `undefined` if the system refuses a thread, as a container with a limit of processes does. */
  function start(): WriteThread | undefined {
    let worker: Worker
    try {
      worker = new Worker(threadUrl, { execArgv: [], stdin: false })
    } catch {
      mode = 'inline'
      return undefined
    }
    const started: WriteThread = { worker, waiting: [] }
    let hasAnswered = false
    const onEnd = () => {
      // No thread can be started here.
      if (thread === started && !hasAnswered) mode = 'inline'
      if (thread === started) thread = undefined
      for (const resolve of started.waiting.splice(0)) resolve(undefined)
    }
    worker.on('message', (written: WrittenGroup) => {
      hasAnswered = true
      started.waiting.shift()?.(written)
      if (started.waiting.length === 0) rest()
    })
    worker.on('messageerror', () => void worker.terminate())
    worker.on('error', onEnd)
    worker.on('exit', onEnd)
    return started
  }

  /** An idle thread does not keep the process alive, and ends after a while. */
  function rest(): void {
    thread?.worker.unref()
    clearTimeout(idle)
    idle = setTimeout(() => void end(), idleMs).unref()
  }

  async function end(): Promise<void> {
    clearTimeout(idle)
    const ended = thread
    thread = undefined
    await ended?.worker.terminate()
  }

  async function writeInThread(group: WriteGroup): Promise<WrittenGroup | undefined> {
    thread ??= start()
    if (thread === undefined) return writeGroup(group)
    const { worker, waiting } = thread
    clearTimeout(idle)
    worker.ref()
    worker.postMessage(group)
    return new Promise((resolve) => waiting.push(resolve))
  }

  return {
    prepare() {
      if (mode === 'inline' || thread !== undefined) return
      thread = start()
      if (thread !== undefined) rest()
    },
    async write(root, files, { bytes }) {
      if (files.length === 0) return { files: [], unsynced: [] }
      const group = { root, files, bytes }
      if (mode === 'inline') return writeGroup(group)
      const failed: WrittenFile = { sha256: null, isPublished: false }
      return (await writeInThread(group)) ?? { files: files.map(() => failed), unsynced: [] }
    },
    close: end,
  }
}
