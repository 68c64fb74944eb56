import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EventMessage } from '../../../shared/contract/events.ts'
import type { Api } from '../../app/api/create-api.ts'
import { commonHeaders } from './answers.ts'

/** Proxies close a connection that is silent for a minute; a dead one is noticed after a heartbeat or two. */
const heartbeatMs = 15_000

/** Time after which the browser reconnects. */
const retryMs = 1_000

/** A reader that falls this far behind is disconnected; it reconnects and starts from the current state. */
const maxWaitingBytes = 1024 * 1024

/**
 * Answers `GET /api/events` with server-sent events (WHATWG HTML, section 9.2). Each has the event's name, an id, and
 * `{ revision, value }` as data. The first one is `hello` with `{ revision, resync }`: `resync` is true if events may
 * have been missed since the `Last-Event-ID` of the request, so that the page has to fetch everything again. Then come
 * the states.
 */
export function createEventStream(api: Pick<Api, 'revision' | 'subscribe'>) {
  /** Revisions restart with every process. */
  const processId = randomBytes(6).toString('base64url')
  const open = new Set<ServerResponse>()

  return {
    /** Sends events until `isAdmitted` returns false. */
    answer(request: IncomingMessage, response: ServerResponse, isAdmitted: () => boolean): void {
      // The connection is closed then, and the browser reconnects.
      response.on('error', () => undefined)
      const send = (text: string) => {
        // Events continue until it has closed.
        if (response.writableEnded || response.destroyed) return
        if (!isAdmitted()) return void response.end()
        response.write(text)
        if (response.writableLength > maxWaitingBytes) response.destroy()
      }
      const write = (event: string, revision: number, data: object) => {
        send(`event: ${event}\nid: ${processId}.${revision}\ndata: ${JSON.stringify(data)}\n\n`)
      }
      response.writeHead(200, { ...commonHeaders, 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
      response.write(`retry: ${retryMs}\n\n`)
      const revision = api.revision()
      const resync = request.headers['last-event-id'] !== `${processId}.${revision}`
      write('hello', revision, { revision, resync })
      const unsubscribe = api.subscribe(({ name, revision, value }: EventMessage) => {
        write(name, revision, { revision, value })
      })
      const heartbeat = setInterval(() => send(': still here\n\n'), heartbeatMs)
      heartbeat.unref()
      open.add(response)
      response.on('close', () => {
        clearInterval(heartbeat)
        unsubscribe()
        open.delete(response)
      })
    },
    close(): void {
      for (const response of open) response.end()
    },
  }
}
