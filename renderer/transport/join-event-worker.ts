import type { Hear, StreamNews } from './event-hub.ts'
import { openEventSource } from './open-event-source.ts'

/** What a page tells the worker: that it goes, or asks whether the worker is there, which answers `here`. */
export type ToWorker = 'leave' | 'are you there'

/**
 * The worker lives in the process of one of its pages; when that crashes, the others are not told that the worker is gone.
 * A question costs nothing, and a page whose worker is gone is out of date for ten seconds at most.
 */
const askMs = 5_000

/**
 * Hears the events from the worker that all pages of this browser share. Browsers open six connections to a host at most
 * (HTTP/1.1), over all tabs: with a stream for each of them, the seventh tab would wait for ever. A page by itself opens
 * its own stream where there is no such worker (Chrome on Android).
 */
export function joinEventWorker(hear: Hear): () => void {
  if (typeof SharedWorker === 'undefined') return openEventSource(hear)
  let leave = join(hear, fallBack)

  function fallBack(): void {
    leave()
    leave = openEventSource(hear)
  }
  // A page that goes tells so; one that is kept for "back" begins anew when it is shown again.
  const onHide = () => leave()
  const onShow = ({ persisted }: PageTransitionEvent) => {
    if (persisted) leave = join(hear, fallBack)
  }
  addEventListener('pagehide', onHide)
  addEventListener('pageshow', onShow)
  return () => {
    removeEventListener('pagehide', onHide)
    removeEventListener('pageshow', onShow)
    leave()
  }
}

/** As many times unanswered: the new worker is not there either, whatever the browser says of it. */
const mostSilences = 2

/** `onFailure`: the worker could not be loaded. */
function join(hear: Hear, onFailure: () => void): () => void {
  let wasHeard = true
  let silences = 0
  let port = connect()
  const asking = setInterval(() => {
    silences = wasHeard ? 0 : silences + 1
    if (silences >= mostSilences) return onFailure()
    if (!wasHeard) {
      port.postMessage('leave' satisfies ToWorker)
      port.close()
      port = connect()
    }
    wasHeard = false
    port.postMessage('are you there' satisfies ToWorker)
  }, askMs)

  function connect(): MessagePort {
    const worker = new SharedWorker(new URL('./event-worker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('error', onFailure, { once: true })
    worker.port.onmessage = ({ data }: MessageEvent<StreamNews | 'here'>) => {
      wasHeard = true
      if (data !== 'here') hear(data)
    }
    return worker.port
  }

  return () => {
    clearInterval(asking)
    port.postMessage('leave' satisfies ToWorker)
    port.close()
  }
}
