// A thread that checks small files, without waiting for anything else.
import { parentPort } from 'node:worker_threads'
import { createQuickReader, type QuickReader } from '../archive/quick-reader.ts'
import type { QuickRequest } from './quick-check.ts'

let last: { readonly root: string; readonly reader: QuickReader } | undefined

parentPort?.on('message', ({ root, files }: QuickRequest) => {
  if (last?.root !== root) last = { root, reader: createQuickReader(root) }
  const { reader } = last
  const intact = files.map((file) => reader.read(file) !== undefined)
  // A folder that is replaced is noticed by the next batch.
  reader.leave()
  parentPort?.postMessage(intact)
})
