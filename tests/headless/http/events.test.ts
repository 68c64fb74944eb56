import { expect, test } from 'vitest'
import { type EventName, stickyEventNames } from '../../../shared/contract/channel-names.ts'
import { events } from '../../../shared/contract/events.ts'
import { until } from '../../support/watching.ts'
import { withServed, type Served } from './served.ts'

interface Told {
  readonly event: string
  readonly id: string
  readonly data: { revision: number; resync?: boolean; value?: unknown }
}

/** Opens the stream as a browser does and collects what is told. */
async function follow({ origin, cookie }: Served, lastEventId?: string) {
  const stop = new AbortController()
  const headers = { cookie, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) }
  const response = await fetch(`${origin}/api/events`, { headers, signal: stop.signal })
  const told: Told[] = []
  const reading = (async () => {
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString()
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, event, id, data] = /^event: (.*)\nid: (.*)\ndata: (.*)$/.exec(block) ?? []
        if (event !== undefined) told.push({ event, id: id ?? '', data: JSON.parse(data ?? '') as Told['data'] })
      }
    }
  })().catch(() => undefined)
  return {
    headers: response.headers,
    told,
    async stop() {
      stop.abort()
      await reading
    },
  }
}

test('the states come first, then what happens, in the shapes of the contract and with growing revisions', async () => {
  await withServed(async (served) => {
    const stream = await follow(served)
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    const watching = new AbortController()
    const watched = served.engine.watch.run(watching.signal)
    await until(
      'both projects are synced',
      () => stream.told.filter(({ event }) => event === 'project-synced').length >= 2,
    )
    await served.call('verify.start', {})
    await until('the verify has ended', () => stream.told.filter(({ event }) => event === 'verify-state').length >= 3)
    watching.abort()
    await watched
    await stream.stop()
    const names = stream.told.map(({ event }) => event)
    expect(names.slice(0, 7)).toEqual(['hello', ...stickyEventNames])
    for (const { event, data } of stream.told.slice(1)) {
      expect(events[event as EventName].parse(data.value), event).toEqual(data.value)
    }
    const revisions = stream.told.slice(1 + stickyEventNames.length).map(({ data }) => data.revision)
    expect(revisions).toEqual(revisions.map((_, index) => (revisions[0] ?? 0) + index))
  })
})

test('who comes back is told whether something was missed', async () => {
  await withServed(async (served) => {
    const hello = async (lastEventId?: string) => {
      const stream = await follow(served, lastEventId)
      await until('the states are told', () => stream.told.length >= 4)
      await stream.stop()
      return stream.told[0]
    }
    const firstTime = await hello()
    expect(firstTime?.data.resync).toBe(true)
    expect((await hello(firstTime?.id))?.data.resync).toBe(false)
    await served.call('sync.now', {})
    expect((await hello(firstTime?.id))?.data.resync).toBe(true)
    expect((await hello('another-process.0'))?.data.resync).toBe(true)
  })
})
