import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'
import { onTestFinished } from 'vitest'

/** Makes every start of a thread fail as under a limit of processes, until the test ends. */
export function refuseThreads(): void {
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
}
