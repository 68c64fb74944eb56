import { programUrl, Thread } from '../lib/thread.ts'
import { type FileToWrite, type WriteGroup, writeGroup, type WrittenFile, type WrittenGroup } from './write-group.ts'

/** Bytes of a group: room for 64 files of 20 KB, or for five of the largest small ones (see `PartFile.finish`). */
const groupBytes = 1280 * 1024

/**
 * Memory for the bytes of one group's small files, shared with the thread and used again for later groups. Separate
 * buffers would live until their files are recorded, and only a full garbage collection would free them.
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

const program = { url: programUrl(import.meta.url, 'write-thread') }

/**
 * Returns a writer that uses a thread: a call of the file system that takes long, on a network share or a full disk,
 * then stops nothing else. Where the system refuses a thread, groups are written in the caller's.
 */
export function createGroupWriter(wanted: WriteMode, idleMs?: number) {
  let mode = wanted
  let thread: Thread | undefined

  function take(): Thread | undefined {
    try {
      return Thread.take(program)
    } catch {
      mode = 'inline'
      return undefined
    }
  }

  async function writeInThread(group: WriteGroup): Promise<WrittenGroup | undefined> {
    thread ??= take()
    if (thread === undefined) return writeGroup(group)
    const asked = thread
    const written = await asked.ask<WrittenGroup>(group)
    // No thread can be started here.
    if (written === undefined && !asked.hasAnswered) mode = 'inline'
    if (thread === asked && (written === undefined || asked.pending === 0)) {
      thread = undefined
      void asked.release(idleMs)
    }
    return written
  }

  return {
    /** Starts the thread, unless it runs: the first group then need not wait for it. */
    prepare(): void {
      if (mode === 'thread' && thread === undefined) void take()?.release(idleMs)
    },
    /** Writes a group; see `writeGroup`. Groups are written in the order of the calls. Never rejects. */
    async write(root: string, files: readonly FileToWrite[], { bytes }: GroupMemory): Promise<WrittenGroup> {
      if (files.length === 0) return { files: [], unsynced: [] }
      const group = { root, files, bytes }
      if (mode === 'inline') return writeGroup(group)
      const failed: WrittenFile = { sha256: null, isPublished: false }
      return (await writeInThread(group)) ?? { files: files.map(() => failed), unsynced: [] }
    },
    async close(): Promise<void> {
      const closed = thread
      thread = undefined
      await closed?.end()
    },
  }
}

export type GroupWriter = ReturnType<typeof createGroupWriter>
