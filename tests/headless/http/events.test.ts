import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createEventStream } from '../../../electron/headless/http/event-stream.ts'
import { type EventName, stickyEventNames } from '../../../shared/contract/channel-names.ts'
import { type EventMessage, events } from '../../../shared/contract/events.ts'
import { until } from '../../support/watching.ts'
import { withServed, type Served } from './served.ts'

interface StreamEvent {
  readonly event: string
  readonly id: string
  readonly data: { revision: number; resync?: boolean; value?: unknown }
}

/** Opens the stream as a browser does and collects its events. */
async function follow({ origin, session }: Served, lastEventId?: string) {
  const stop = new AbortController()
  const { cookie, keys } = session
  const headers = { cookie, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) }
  const response = await fetch(`${origin}/api/events?key=${keys.urlKey}`, { headers, signal: stop.signal })
  const received: StreamEvent[] = []
  const reading = (async () => {
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString()
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, event, id, data] = /^event: (.*)\nid: (.*)\ndata: (.*)$/.exec(block) ?? []
        if (event !== undefined)
          received.push({ event, id: id ?? '', data: JSON.parse(data ?? '') as StreamEvent['data'] })
      }
    }
  })().catch(() => undefined)
  return {
    headers: response.headers,
    received,
    async stop() {
      stop.abort()
      await reading
    },
  }
}

test('the states come first, then events, in contract shapes and with increasing revisions', async () => {
  await withServed(async (served) => {
    const stream = await follow(served)
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    const watching = new AbortController()
    const watched = served.engine.watch.run(watching.signal)
    await until(
      'both projects are synced',
      () => stream.received.filter(({ event }) => event === 'project-synced').length >= 2,
    )
    await served.call('verify.start', {})
    await until(
      'the verify has ended',
      () => stream.received.filter(({ event }) => event === 'verify-state').length >= 3,
    )
    watching.abort()
    await watched
    await stream.stop()
    const names = stream.received.map(({ event }) => event)
    expect(names.slice(0, 1 + stickyEventNames.length)).toEqual(['hello', ...stickyEventNames])
    for (const { event, data } of stream.received.slice(1)) {
      expect(events[event as EventName].parse(data.value), event).toEqual(data.value)
    }
    const revisions = stream.received.slice(1 + stickyEventNames.length).map(({ data }) => data.revision)
    expect(revisions).toEqual(revisions.map((_, index) => (revisions[0] ?? 0) + index))
  })
})

test('a reconnecting client learns if it missed events', async () => {
  await withServed(async (served) => {
    const hello = async (lastEventId?: string) => {
      const stream = await follow(served, lastEventId)
      await until('the states are received', () => stream.received.length >= 4)
      await stream.stop()
      return stream.received[0]
    }
    const firstTime = await hello()
    expect(firstTime?.data.resync).toBe(true)
    // The event of the projects that were added comes half a second later: maybe just now.
    let last = firstTime
    await until('a client that missed nothing learns that', async () => {
      last = await hello(last?.id)
      return last?.data.resync === false
    })
    await served.call('sync.now', {})
    expect((await hello(last?.id))?.data.resync).toBe(true)
    expect((await hello('another-process.0'))?.data.resync).toBe(true)
  })
})

test('an event after the end of a stream, or of its connection, is written nowhere', async () => {
  const listeners = new Set<(message: EventMessage) => void>()
  const stream = createEventStream({
    revision: () => 0,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  })
  const emit = () => {
    for (const listener of listeners) listener({ name: 'watch-state', revision: 1, value: { kind: 'stopped' } })
  }
  const server = createServer((request, response) => {
    stream.answer(request, response, () => true)
    if (request.url === '/destroyed') response.destroy()
    else stream.close()
    emit()
    emit()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const [ended] = (await once(get({ host: '127.0.0.1', port }), 'response')) as [IncomingMessage]
  expect(await text(ended)).not.toContain('watch-state')
  const [error] = (await once(get({ host: '127.0.0.1', port, path: '/destroyed' }), 'error')) as [Error]
  expect(error).toMatchObject({ code: 'ECONNRESET' })
  await expect.poll(() => listeners.size).toBe(0)
})
