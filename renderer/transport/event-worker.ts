import { createEventHub } from './event-hub.ts'
import type { ToWorker } from './join-event-worker.ts'
import { openEventSource } from './open-event-source.ts'

/** Shared worker of all pages of this browser: it holds the one stream, and each page has a port to it. */
const listen = createEventHub(openEventSource)

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports
  if (port === undefined) return
  const leave = listen((message) => port.postMessage(message))
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if (data === 'leave') leave()
    else port.postMessage('pong')
  }
})
