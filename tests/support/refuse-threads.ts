import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'
import { onTestFinished } from 'vitest'
import { Thread } from '../../electron/engine/lib/thread.ts'

const programs = ['downloads/write-thread', 'integrity/check-thread', 'export/documents/picture-thread']

/**
 * Makes every start of a thread fail as under a limit of processes, until the test ends. Ends those that wait for work.
 */
export async function refuseThreads(): Promise<void> {
  const { Worker } = threads
  const put = (value: unknown) => {
    Object.assign(threads, { Worker: value })
    syncBuiltinESMExports()
  }
  put(
    class {
      constructor() {
        throw Object.assign(new Error('Worker initialization failure: EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' })
      }
    },
  )
  onTestFinished(() => put(Worker))
  for (const program of programs) await endIdle(new URL(`../../electron/engine/${program}.ts`, import.meta.url))
}

async function endIdle(url: URL): Promise<void> {
  for (;;) {
    let thread: Thread
    try {
      thread = Thread.take({ url })
    } catch {
      return
    }
    await thread.end()
  }
}
