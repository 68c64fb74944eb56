import { createEventHub } from './event-hub.ts'
import { openEventSource } from './open-event-source.ts'
import type { ToWorker } from './join-event-worker.ts'

/** The one worker of all pages of this browser: it holds the stream, and each page has a port to it. */
const listen = createEventHub(openEventSource)

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports
  if (port === undefined) return
  const leave = listen((news) => port.postMessage(news))
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if (data === 'leave') leave()
    else port.postMessage('here')
  }
})
