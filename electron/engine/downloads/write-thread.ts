// A thread that writes groups of small files, one after the other.
import { parentPort } from 'node:worker_threads'
import { writeGroup, type WriteGroup } from './write-group.ts'

let last = Promise.resolve()

parentPort?.on('message', (group: WriteGroup) => {
  last = last.then(async () => parentPort?.postMessage(await writeGroup(group)))
})
