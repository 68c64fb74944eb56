// A thread that checks small files, without waiting for anything else.
import { parentPort } from 'node:worker_threads'
import { createQuickReader, type QuickReader } from '../archive/quick-reader.ts'
import type { QuickRequest } from './quick-check.ts'

const readers = new Map<string, QuickReader>()

parentPort?.on('message', ({ root, files }: QuickRequest) => {
  const reader = readers.get(root) ?? createQuickReader(root)
  readers.set(root, reader)
  const intact = files.map((file) => reader.read(file) !== undefined)
  // A folder that is replaced is noticed by the next batch.
  reader.leave()
  parentPort?.postMessage(intact)
})
