// A thread that writes groups of small files, one after the other.
import { parentPort } from 'node:worker_threads'
import type { ThreadAnswer } from './group-writer.ts'
import { writeGroup, type WriteGroup } from './write-group.ts'

let last = Promise.resolve()

async function write(group: WriteGroup): Promise<void> {
  const answer: ThreadAnswer = { written: await writeGroup(group), bytes: group.bytes }
  // The memory is used for another group.
  parentPort?.postMessage(answer, [group.bytes.buffer])
}

parentPort?.on('message', (group: WriteGroup) => {
  last = last.then(() => write(group))
})
