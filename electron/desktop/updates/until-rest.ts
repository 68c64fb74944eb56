import type { Bridge } from '../../app/api/create-api.ts'
import { afterEvent, type AppStatus, isSyncing, unknownStatus } from '../status/app-status.ts'

/** Whether a restart would interrupt nothing: no sync, no verify, and no move of the archive. */
export function isAtRest(status: AppStatus): boolean {
  return !isSyncing(status) && status.verify.kind === 'idle' && status.move.kind === 'idle'
}

/** Waits until nothing is being done. Answers false when the signal aborts before. */
export function untilRest(bridge: Pick<Bridge, 'subscribe'>, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let status = unknownStatus
  // The present states come one by one, before there is an answer.
  let isKnown = false
  const look = () => {
    if (isKnown && isAtRest(status)) resolve(true)
  }
  const unsubscribe = bridge.subscribe((message) => {
    status = afterEvent(status, message)
    look()
  })
  isKnown = true
  look()
  const abort = () => resolve(false)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return promise.finally(() => {
    unsubscribe()
    signal.removeEventListener('abort', abort)
  })
}
