import { Thread } from '../lib/thread.ts'
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

/** The thread's file in the sources, and in the built app beside the main file. */
const url = new URL(import.meta.url.endsWith('.ts') ? './write-thread.ts' : './write-thread.js', import.meta.url)

/**
 * Returns a writer that uses a thread: a call of the file system that takes long, on a network share or a full disk,
 * then stops nothing else. Where the system refuses a thread, groups are written in the caller's.
 */
export function createGroupWriter(wanted: WriteMode, idleMs?: number): GroupWriter {
  let mode = wanted
  let thread: Thread | undefined

  function take(): Thread | undefined {
    try {
      return Thread.take({ url })
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
    prepare() {
      if (mode === 'thread' && thread === undefined) void take()?.release(idleMs)
    },
    async write(root, files, { bytes }) {
      if (files.length === 0) return { files: [], unsynced: [] }
      const group = { root, files, bytes }
      if (mode === 'inline') return writeGroup(group)
      const failed: WrittenFile = { sha256: null, isPublished: false }
      return (await writeInThread(group)) ?? { files: files.map(() => failed), unsynced: [] }
    },
    async close() {
      const closed = thread
      thread = undefined
      await closed?.end()
    },
  }
}
