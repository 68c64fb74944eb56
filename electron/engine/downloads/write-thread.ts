// A thread that writes groups of small files, one after the other.
import { parentPort } from 'node:worker_threads'
import type { ThreadAnswer } from './group-writer.ts'
import { writeGroup, type WriteGroup } from './write-group.ts'

parentPort?.on('message', (group: WriteGroup) => {
  const answer: ThreadAnswer = { written: writeGroup(group), bytes: group.bytes }
  // The memory is used for another group.
  parentPort?.postMessage(answer, [group.bytes.buffer])
})
