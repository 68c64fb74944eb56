import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { sessionHeader } from '../../../shared/browser-session.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { openSession } from '../../support/browser-session.ts'
import { until } from '../../support/watching.ts'
import { withServed, type Served } from './served.ts'

const hourMs = 3_600_000
const json = { 'content-type': 'application/json' }
const call = { path: '/api/call/overview', method: 'POST', body: '{}' } as const
const reads = ['/api/events', '/files/1', '/thumbnails/2', '/support-bundle.zip', '/api/nothing'].map((path) => ({
  path,
  method: 'GET',
  body: '',
}))
const data = /checklist|counts|watch-state|JFIF|%PDF/

/** A clock that the test advances. */
function movedClock() {
  let aheadMs = 0
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs }
  return { clock, advance: (byMs: number) => void (aheadMs += byMs) }
}

/** Status of a call with the session. */
const callStatus = async ({ send }: Served) => (await send(call.path, { ...call, headers: json })).status

test('the cookie alone, which every port of the machine can receive, opens nothing', async () => {
  await withServed(async (served) => {
    await served.engine.sync()
    const { addresses, origin, send, session } = served
    const { cookie, keys } = session
    const other = await openSession(addresses.at(-1) ?? '')
    const withUrlKey = (key: string) => ({ parameter: `?key=${key}`, headers: { cookie } })
    const attempts: readonly { readonly parameter?: string; readonly headers: Record<string, string> }[] = [
      { headers: { cookie } },
      { headers: { cookie, origin, 'sec-fetch-site': 'same-origin' } },
      { headers: { cookie, [sessionHeader]: '' } },
      { headers: { cookie, [sessionHeader]: keys.urlKey } },
      { headers: { cookie, [sessionHeader]: `${keys.callKey}x` } },
      { headers: { cookie, [sessionHeader]: other.keys.callKey } },
      { headers: { cookie, [sessionHeader]: cookie.slice(cookie.indexOf('=') + 1) } },
      // The keys alone open nothing either.
      { headers: { [sessionHeader]: keys.callKey } },
      { parameter: `?key=${keys.urlKey}`, headers: {} },
      ...['', keys.callKey, other.keys.urlKey, `${keys.urlKey}x`].map(withUrlKey),
    ]
    for (const request of [call, ...reads, { path: '/api/log-out', method: 'POST', body: '{}' }]) {
      for (const { parameter = '', headers } of attempts) {
        const label = `${request.path}${parameter} ${JSON.stringify(headers)}`
        const sent = { ...request, isStranger: true, headers: { ...json, ...headers } }
        const reply = await send(`${request.path}${parameter}`, sent)
        expect(reply.status, label).toBe(401)
        expect(reply.body.toString('latin1'), label).not.toMatch(data)
      }
    }
    // The key of URLs opens no call.
    const byUrl = { ...call, isStranger: true, headers: { ...json, cookie } }
    expect((await send(`${call.path}?key=${keys.urlKey}`, byUrl)).status).toBe(401)
    expect(await callStatus(served)).toBe(200)
    expect((await send(`/files/1?key=${keys.urlKey}`, { hasOnlyCookie: true })).status).toBe(200)
    expect((await send(`/files/1?v=2&key=${keys.urlKey}`, { hasOnlyCookie: true })).status).toBe(200)
  })
})

test('logging out everywhere ends every session, stream, and printed address at once', async () => {
  await withServed(async (served) => {
    const { addresses, origin, send, session } = served
    const other = await openSession(addresses.at(-1) ?? '')
    const unused = addresses.at(-1) ?? ''
    const { cookie, keys } = other
    const stream = await fetch(`${origin}/api/events?key=${keys.urlKey}`, { headers: { cookie } })
    expect(stream.status).toBe(200)
    const reply = await send('/api/log-out', { method: 'POST', body: '{}', headers: json })
    expect([reply.status, JSON.parse(reply.body.toString())]).toEqual([200, { ok: true, value: {} }])
    // Ends, because the host ended it.
    await stream.text()
    expect(await callStatus(served)).toBe(401)
    for (const { headers } of [session, other]) {
      const page = await send('/', { isStranger: true, headers })
      expect([page.status, page.body.toString()]).toEqual([401, expect.stringContaining('solarchive serve')])
    }
    expect((await fetch(unused)).status).toBe(401)
    expect((await fetch(addresses.at(-1) ?? '')).status).toBe(200)
    expect(new Set(addresses).size).toBe(addresses.length)
  })
})

test('a session ends after 12 hours without a request, and after 7 days in any case', async () => {
  const { clock, advance } = movedClock()
  await withServed(
    async (served) => {
      const { addresses, origin, send } = served
      const latest = () => addresses.at(-1) ?? ''
      const minuteMs = hourMs / 60
      for (let halfDay = 0; halfDay < 14; halfDay += 1) {
        expect(await callStatus(served), `half day ${halfDay}`).toBe(200)
        // The pages themselves contain no data: requests for them do not keep a session.
        advance(6 * hourMs)
        expect((await send('/', { hasOnlyCookie: true })).status).toBe(503)
        advance(6 * hourMs - minuteMs)
      }
      expect(await callStatus(served)).toBe(200)
      advance(15 * minuteMs)
      expect(await callStatus(served)).toBe(401)
      const page = await send('/')
      expect(page.status).toBe(401)
      expect(page.body.toString()).toContain('Open the address that Solarchive printed last')

      const { cookie, headers, keys } = await openSession(latest())
      const isOpen = async () =>
        (await fetch(`${origin}${call.path}`, { ...call, headers: { ...json, ...headers } })).ok
      advance(12 * hourMs - minuteMs)
      expect(await isOpen()).toBe(true)
      advance(12 * hourMs + minuteMs)
      expect(await isOpen()).toBe(false)
      expect((await fetch(`${origin}/files/1?key=${keys.urlKey}`, { headers: { cookie } })).status).toBe(401)
    },
    {},
    { clock },
  )
})

test('an open event stream ends with its session, and sends nothing after it', async () => {
  const { clock, advance } = movedClock()
  await withServed(
    async ({ addresses, origin, session, send }) => {
      const { cookie, keys } = session
      const stream = await fetch(`${origin}/api/events?key=${keys.urlKey}`, { headers: { cookie } })
      advance(13 * hourMs)
      const { headers } = await openSession(addresses.at(-1) ?? '')
      const body = '{"appearance":"dark"}'
      const save = { method: 'POST', body, headers: { ...json, ...headers }, isStranger: true }
      expect((await send('/api/call/settings.save', save)).status).toBe(200)
      const received = await stream.text()
      expect(received).toContain('"appearance":"system"')
      expect(received).not.toContain('"appearance":"dark"')
    },
    {},
    { clock },
  )
})

test('the opening page hands over the keys by a script of its own, and its address is without them', async () => {
  await withServed(async ({ addresses, origin, session }) => {
    const page = await fetch(addresses.at(-1) ?? '')
    const html = await page.text()
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(html.match(/<script[^>]*>/g)).toEqual(['<script src="/session.js" defer>'])
    const script = await fetch(`${origin}/session.js`, { headers: { cookie: session.cookie } })
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(await script.text()).toContain("location.replace('/')")
  })
})

test('a request that names two hosts is refused, also with an absolute address', async () => {
  await withServed(async ({ origin, session }) => {
    const { host } = new URL(origin)
    for (const target of ['/', `http://${host}/`, 'http://rebound.example/', '/api/call/overview']) {
      for (const hosts of [
        [host, 'rebound.example'],
        ['rebound.example', host],
        [host, host],
      ]) {
        const lines = [`GET ${target} HTTP/1.1`, ...hosts.map((name) => `Host: ${name}`), 'Connection: close']
        const own = Object.entries(session.headers).map(([name, value]) => `${name}: ${value}`)
        const reply = await exchangeRaw(origin, `${[...lines, ...own].join('\r\n')}\r\n\r\n`)
        expect(reply, `${target} ${hosts.join()}`).toMatch(/^HTTP\/1\.1 400 /)
      }
    }
  })
})

test('at most 256 connections are open, and the app responds again as soon as one is closed', async () => {
  await withServed(async (served) => {
    const sockets: Socket[] = []
    let refused = 0
    try {
      await Promise.all(
        Array.from({ length: 300 }, async () => {
          const socket = openSocket(served.origin)
          sockets.push(socket)
          socket.on('close', () => (refused += 1))
          await once(socket, 'connect')
        }),
      )
      // Those of the test's own requests count as well.
      await until('the connections above the limit are closed', () => refused >= 300 - 256)
      expect(refused).toBeLessThan(300 - 256 + 10)
    } finally {
      for (const socket of sockets) socket.destroy()
    }
    await until('the app responds', async () => (await callStatus(served).catch(() => 0)) === 200)
  })
})

test('a client that does not finish its headers is disconnected', async () => {
  await withServed(
    async (served) => {
      for (const start of ['', 'GET / HTTP/1.1\r\nHost: 127', 'GET']) {
        const reply = await exchangeRaw(served.origin, start)
        expect(reply, start).toMatch(/^(HTTP\/1\.1 408 |$)/)
      }
      expect(await callStatus(served)).toBe(200)
    },
    {},
    { headersTimeoutMs: 1_000 },
  )
})

test('without a session a connection ends with its first response, also in the middle of a body', async () => {
  await withServed(async ({ origin, session }) => {
    const { host } = new URL(origin)
    for (const start of [
      'GET / HTTP/1.1',
      'POST /api/call/overview HTTP/1.1\r\nContent-Length: 1000',
      'GET /open/x HTTP/1.1',
    ]) {
      expect(await exchangeRaw(origin, `${start}\r\nHost: ${host}\r\n\r\n`), start).toMatch(/^HTTP\/1\.1 401 /)
    }
    expect(await exchangeRaw(origin, 'GET / HTTP/1.1\r\nHost: rebound.example\r\n\r\n')).toMatch(/^HTTP\/1\.1 421 /)
    const reply = await fetch(origin, { headers: session.headers })
    await reply.text()
    expect(reply.headers.get('connection')).toBe('keep-alive')
  })
})

function openSocket(origin: string): Socket {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  return socket
}

/** Sends a text and returns everything that comes back until the connection is closed. */
async function exchangeRaw(origin: string, text: string): Promise<string> {
  const socket = openSocket(origin)
  socket.write(text)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('latin1')
}
