// The program of the process that reads archived files, and of its watchdog, which is a thread of it.
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { readNoFollow } from '../lib/fs/hash-file.ts'
import { reduceImage } from './gray-image.ts'
import {
  type AnalysisMessage,
  type AnalysisPreparation,
  type AnalysisResult,
  type AnalysisTask,
  type FailureReason,
  type FileToRead,
  maxResidentBytes,
  maxProcessorMs,
  UnreadableFile,
} from './analysis-task.ts'

/** Files that are larger are not read. */
const maxFileBytes = 64 * 1024 * 1024

/** Longer side of a photo whose codes are read: that of 12 megapixels, which no phone exceeds by default. */
const maxCodesSide = 4_096

/** Longer side of a photo whose print is read. With more, the process takes more than it may for some photos. */
const maxPrintSide = 3_072

/**
 * Memory after a task, above which the process ends: what WebAssembly has taken, it never returns. With the reader of
 * reports alone, it takes 150 MB.
 */
const maxIdleBytes = 200 * 1024 * 1024

/** Time between two checks of the watchdog: memory grows by some 50 MB in it. */
const watchIntervalMs = 25

/**
 * Processor time of this process in milliseconds when the current task began; 0 between tasks. Shared with the
 * watchdog.
 */
type TaskStart = BigInt64Array<SharedArrayBuffer>

/** The end of this process that talks to the one that started it, in Node and in Electron. */
interface Port {
  send(message: AnalysisMessage): void
  onTask(listener: (task: AnalysisTask | AnalysisPreparation) => void): void
}

interface ElectronPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void
}

function openPort(): Port {
  const { parentPort } = process as { parentPort?: ElectronPort }
  if (parentPort !== undefined) {
    return {
      send: (message) => parentPort.postMessage(message),
      onTask: (listener) => parentPort.on('message', ({ data }) => listener(data as AnalysisTask)),
    }
  }
  process.on('disconnect', () => process.exit())
  return {
    send: (message) => process.send?.(message),
    onTask: (listener) => process.on('message', listener),
  }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return Math.ceil((user + system) / 1_000)
}

/** Kills the process if a task takes too long or too much memory: the main thread may never come back from it. */
function watch(taskStart: TaskStart): never {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    Atomics.wait(pause, 0, 0, watchIntervalMs)
    const startMs = Number(Atomics.load(taskStart, 0))
    const isLate = startMs !== 0 && processorMs() - startMs > maxProcessorMs
    if (isLate || process.memoryUsage.rss() > maxResidentBytes) process.kill(process.pid, 'SIGKILL')
  }
}

async function readFile({ path, sizeBytes, sha256 }: FileToRead): Promise<Uint8Array> {
  if (sizeBytes > maxFileBytes) throw new UnreadableFile('too-large')
  const handle = await open(path, readNoFollow)
  try {
    const stats = await handle.stat()
    if (!stats.isFile() || stats.size !== sizeBytes) throw new UnreadableFile('changed')
    const bytes = new Uint8Array(sizeBytes)
    await handle.read(bytes, 0, sizeBytes, 0)
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new UnreadableFile('changed')
    return bytes
  } finally {
    await handle.close()
  }
}

/** Libraries are loaded with the first task that needs them. */
async function perform({ kind, file, readsPrint = false }: AnalysisTask): Promise<AnalysisResult> {
  const bytes = await readFile(file)
  if (kind === 'pages') {
    const { readPages } = await import('./read-pages.ts')
    return { kind, pages: await readPages(bytes) }
  }
  if (kind === 'measures') {
    const { measurePhoto } = await import('./measure-photo.ts')
    return { kind, measures: measurePhoto(bytes) }
  }
  const { decodePhoto } = await import('./decode-photo.ts')
  const photo = decodePhoto(bytes)
  if (photo === undefined) return { kind, codes: [], print: [] }
  const image = reduceImage(photo, maxCodesSide)
  freeMemory()
  const { readCodes } = await import('./read-codes.ts')
  const codes = await readCodes(image)
  freeMemory()
  if (!readsPrint) return { kind, codes, print: [] }
  const printed = reduceImage(image, maxPrintSide)
  const { readPrint } = await import('./read-print.ts')
  freeMemory()
  return { kind, codes, print: await readPrint(printed) }
}

/** Collects garbage: memory outside of V8's heap is otherwise freed some time later. */
function freeMemory(): void {
  globalThis.gc?.()
}

/** Returns the reason for an error: of a library, for which the content is to blame, or of the disk. */
function failureOf(error: unknown): FailureReason {
  if (error instanceof UnreadableFile) return error.reason
  if (!(error instanceof Error && 'syscall' in error)) return 'unreadable'
  const { code } = error as { readonly code?: unknown }
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing'
  return code === 'ELOOP' ? 'changed' : 'inaccessible'
}

function main(): void {
  // After other work, but not the lowest of all: on a busy machine nothing would be read for minutes.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  const taskStart: TaskStart = new BigInt64Array(new SharedArrayBuffer(8))
  new Worker(fileURLToPath(import.meta.url), { workerData: taskStart, execArgv: [] }).unref()
  const port = openPort()
  port.onTask((task) => {
    if (task.kind === 'prepare') {
      // The first task reports what fails.
      void import('./read-pages.ts').then(({ loadReader }) => loadReader())
      return
    }
    Atomics.store(taskStart, 0, BigInt(processorMs()))
    perform(task)
      .catch((error: unknown): AnalysisResult => ({ kind: 'failed', reason: failureOf(error) }))
      .then((result) => {
        Atomics.store(taskStart, 0, 0n)
        if (process.memoryUsage.rss() > maxIdleBytes) freeMemory()
        port.send({ result, isLast: process.memoryUsage.rss() > maxIdleBytes })
      })
      .catch(() => process.exit(1))
  })
  // Libraries report what they dislike about a file in promises of their own, too.
  process.on('unhandledRejection', () => undefined)
  port.send({ isReady: true })
}

if (isMainThread) main()
else watch(workerData as TaskStart)
