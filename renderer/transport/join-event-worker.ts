import type { StreamListener, StreamMessage } from './event-hub.ts'
import { openEventSource } from './open-event-source.ts'

/** Message of a page to the worker; a `ping` is answered with `pong`. */
export type ToWorker = 'leave' | 'ping'

/**
 * The worker lives in the process of one of its pages. If that process crashes, the other pages are not notified. A
 * ping costs nothing, and a page whose worker is gone is out of date for ten seconds at most.
 */
const pingIntervalMs = 5_000

/** After this many unanswered pings, the new worker is not there either. */
const maxMissedPongs = 2

/**
 * Receives events from the worker that all pages of this browser share. Browsers open at most six connections to a host
 * over HTTP/1.1, across all tabs: with a stream for each tab, the seventh would wait forever. Where shared workers do
 * not exist (Chrome on Android), the page opens its own stream. Returns a function that leaves the stream.
 */
export function joinEventWorker(notify: StreamListener): () => void {
  if (typeof SharedWorker === 'undefined') return openEventSource(notify)
  let leave = join(notify, fallBack)

  function fallBack(): void {
    leave()
    leave = openEventSource(notify)
  }
  // A page in the back/forward cache joins again when it is restored.
  const onHide = () => leave()
  const onShow = ({ persisted }: PageTransitionEvent) => {
    if (persisted) leave = join(notify, fallBack)
  }
  addEventListener('pagehide', onHide)
  addEventListener('pageshow', onShow)
  return () => {
    removeEventListener('pagehide', onHide)
    removeEventListener('pageshow', onShow)
    leave()
  }
}

/** Connects to the worker. `onFailure` is called if it cannot be loaded or does not answer. */
function join(notify: StreamListener, onFailure: () => void): () => void {
  let hasPong = true
  let missedPongs = 0
  let port = connect()
  const pinging = setInterval(() => {
    missedPongs = hasPong ? 0 : missedPongs + 1
    if (missedPongs >= maxMissedPongs) return onFailure()
    if (!hasPong) {
      port.postMessage('leave' satisfies ToWorker)
      port.close()
      port = connect()
    }
    hasPong = false
    port.postMessage('ping' satisfies ToWorker)
  }, pingIntervalMs)

  function connect(): MessagePort {
    const worker = new SharedWorker(new URL('./event-worker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('error', onFailure, { once: true })
    worker.port.onmessage = ({ data }: MessageEvent<StreamMessage | 'pong'>) => {
      hasPong = true
      if (data !== 'pong') notify(data)
    }
    return worker.port
  }

  return () => {
    clearInterval(pinging)
    port.postMessage('leave' satisfies ToWorker)
    port.close()
  }
}
