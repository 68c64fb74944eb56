// A thread that writes groups of small files, one after the other.
import { parentPort } from 'node:worker_threads'
import { writeGroup, type WriteGroup } from './write-group.ts'

parentPort?.on('message', (group: WriteGroup) => parentPort?.postMessage(writeGroup(group)))
