import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withServed, type Served } from './served.ts'

const json = { 'content-type': 'application/json' }
const call = { path: '/api/call/overview', method: 'POST', body: '{}' } as const

/** One address of each kind. */
const addresses: readonly { readonly path: string; readonly method?: string; readonly body?: string }[] = [
  call,
  { path: '/api/events' },
  { path: '/files/1' },
  { path: '/thumbnails/2' },
  { path: '/support-bundle.zip' },
  { path: '/last-export.zip' },
  { path: '/last-packet.zip' },
  { path: '/' },
  { path: '/projects/abc' },
  { path: '/assets/main.js' },
  { path: '/no-such-thing' },
]

/** Texts that a response to a client without a session must not contain. */
const secrets = /the app|the script|checklist|counts|watch-state|JFIF|%PDF/

function build({ rendererFolder }: Served): void {
  mkdirSync(join(rendererFolder, 'assets'))
  writeFileSync(join(rendererFolder, 'index.html'), 'the app')
  writeFileSync(join(rendererFolder, 'assets', 'main.js'), 'the script')
}

test('no address answers without the session, under another name, or to another site', async () => {
  await withServed(async (served) => {
    build(served)
    await served.engine.sync()
    const { origin, session, send } = served
    const { cookie } = session
    const { host, port } = new URL(origin)
    const value = cookie.slice(cookie.indexOf('=') + 1)
    const refused: readonly [status: number, headers: Record<string, string>, isStranger?: boolean][] = [
      [401, {}, true],
      [401, { cookie: '' }],
      [401, { cookie: `${cookie}x` }],
      [401, { cookie: cookie.slice(0, -1) }],
      [401, { cookie: `solarchive-${Number(port) + 1}=${value}` }],
      [401, { cookie: `x${cookie}` }],
      [401, { authorization: `Bearer ${value}` }, true],
      [421, { host: 'rebound.example' }],
      [421, { host: `rebound.example:${port}` }],
      [421, { host: `127.0.0.1:${port}@rebound.example` }],
      [421, { host: `127.0.0.1.nip.example:${port}` }],
      [403, { origin: 'https://elsewhere.example' }],
      [403, { origin: 'null' }],
      [403, { origin: '' }],
      [403, { origin: `https://${host}` }],
      [403, { origin: `http://127.0.0.1:${Number(port) + 1}` }],
      [403, { origin: `${origin}.elsewhere.example` }],
      [403, { 'sec-fetch-site': 'cross-site' }],
      [403, { 'sec-fetch-site': 'same-site' }],
    ]
    for (const { path, ...request } of addresses) {
      for (const [status, headers, isStranger = false] of refused) {
        const label = `${path} ${JSON.stringify(headers)}`
        const reply = await send(path, { ...request, isStranger, headers: { ...json, ...headers } })
        expect(reply.status, label).toBe(status)
        expect(reply.body.toString('latin1'), label).not.toMatch(secrets)
        expect(reply.headers['set-cookie'], label).toBeUndefined()
        expect(reply.headers['access-control-allow-origin'], label).toBeUndefined()
        expect(reply.headers['content-security-policy'], label).toContain("default-src 'none'")
        expect(reply.headers['cache-control'], label).toBe('no-store')
      }
    }
  })
})

test('a token works once, from any site, under its own host name; a wrong attempt does not use it up', async () => {
  await withServed(async ({ addresses: printed, origin, send }) => {
    const path = new URL(printed[1] ?? '').pathname
    expect((await send(path, { isStranger: true, headers: { host: 'rebound.example' } })).status).toBe(421)
    for (const method of ['POST', 'HEAD', 'PUT', 'OPTIONS']) {
      expect((await send(path, { isStranger: true, method })).status, method).toBe(401)
    }
    for (const wrong of [
      `${path}x`,
      `${path}/`,
      `${path}%00`,
      path.toLowerCase(),
      '/open/',
      '/open/%0d%0aSet-Cookie:a=b',
    ]) {
      const reply = await send(wrong, { isStranger: true })
      expect([reply.status, reply.headers['set-cookie']], wrong).toEqual([401, undefined])
    }
    const letIn = await send(path, { isStranger: true, headers: { 'sec-fetch-site': 'cross-site' } })
    expect(letIn.status).toBe(200)
    expect(letIn.headers['set-cookie']).toEqual([
      expect.stringMatching(/^solarchive-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    ])
    const again = await send(path, { isStranger: true })
    expect([again.status, again.headers['set-cookie']]).toEqual([401, undefined])
    expect(printed).toHaveLength(3)
    expect(new Set(printed).size).toBe(3)
    expect(printed.every((address) => address.startsWith(`${origin}/open/`))).toBe(true)
  })
})

test('with the session, each address does its job and nothing else', async () => {
  await withServed(async (served) => {
    build(served)
    const { send } = served
    for (const { path, method = 'GET' } of addresses) {
      for (const other of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
        if (other === method) continue
        const reply = await send(path, { method: other, body: other === 'POST' ? '{}' : '', headers: json })
        expect([path, other, reply.status]).toEqual([path, other, 405])
        expect(reply.headers['access-control-allow-methods']).toBeUndefined()
      }
    }
    const types = [
      '',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
    ]
    for (const type of types) {
      expect((await send(call.path, { ...call, headers: { 'content-type': type } })).status, type).toBe(415)
    }
    const long = await send(call.path, { ...call, headers: json, body: JSON.stringify({ a: 'x'.repeat(14_000_000) }) })
    expect([long.status, long.headers['connection']]).toEqual([413, 'close'])
    expect((await send(`/${'x'.repeat(20_000)}`)).status).toBe(431)
    expect((await send('/', { headers: { 'x-long': 'x'.repeat(20_000) } })).status).toBe(431)
  })
})

test('no spelling of a host or a path leads out of the pages or the archive', async () => {
  await withServed(async (served) => {
    build(served)
    await served.engine.sync()
    const { rendererFolder, origin, send } = served
    expect(await raw(served, 'GET / HTTP/1.1')).toContain('the app')
    expect(await raw(served, 'GET / HTTP/1.1', 'Host:')).toMatch(/^HTTP\/1\.1 421 /)
    expect(await raw(served, 'GET / HTTP/1.0', 'X-Host: none')).toMatch(/^HTTP\/1\.1 421 /)
    writeFileSync(join(rendererFolder, '..', 'outside.txt'), 'the script')
    const up = ['..', '%2e%2e', '.%2e', '%252e%252e', '..%00', '..;', '%c0%ae%c0%ae', '%uff0e%uff0e']
    const slashes = ['/', '%2f', '%5c', '%252f', '\\', '//']
    const steps = up.flatMap((dots) => slashes.map((slash) => `${dots}${slash}`))
    const folders = ['/', '/assets/', '/files/', '/thumbnails/', '/files/1/', '/api/call/']
    for (const folder of folders) {
      for (const step of steps) {
        const path = `${folder}${step}${step}outside.txt`
        const reply = await send(path)
        expect([400, 404, 405], path).toContain(reply.status)
        expect(reply.body.toString('latin1'), path).not.toMatch(secrets)
      }
    }
    for (const target of [
      'http://elsewhere.example/',
      `${origin}/assets/main.js`,
      '*',
      'file:///etc/passwd',
      '//elsewhere.example/main.js',
    ]) {
      const answer = await raw(served, `GET ${target} HTTP/1.1`)
      expect(answer, target).toMatch(/^HTTP\/1\.1 40[04] /)
      expect(answer, target).not.toMatch(secrets)
    }
  })
})

test('no request of any shape causes a server error, or shows a stranger anything', async () => {
  await withServed(async (served) => {
    build(served)
    await served.engine.sync()
    const word = fc.oneof(
      fc.constantFrom('api', 'call', 'files', 'thumbnails', 'open', 'assets', 'overview', 'projects.list', 'main.js'),
      fc.constantFrom('', '.', '..', '%2e%2e', '%00', '%', '%zz', '%c0%ae', '~', '1', '2', '-1', '1e9', '00', '1.5'),
      fc.constantFrom('__proto__', 'constructor', 'index.html', 'index.html.map', 'x'.repeat(300), ';a=1', '?', '#'),
      fc.string({ maxLength: 8 }).map(encodeURIComponent),
      fc.stringMatching(/^[!-~]{1,8}$/),
    )
    const path = fc
      .tuple(fc.array(word, { minLength: 1, maxLength: 5 }), fc.constantFrom('', '/', '?limit=1', '?token=x', '//'))
      .map(([words, end]) => `/${words.join('/')}${end}`)
      // It never ends.
      .filter((one) => !/events/i.test(decodeSafely(one)))
    const header = fc.constantFrom('range', 'if-range', 'if-none-match', 'accept', 'content-type', 'x-any', 'cookie2')
    const request = fc.record({
      path,
      method: fc.constantFrom('GET', 'GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'),
      headers: fc.dictionary(header, fc.stringMatching(/^[ -~]{0,20}$/), { maxKeys: 3 }),
      body: fc.constantFrom('', '{}', '[', 'null', '{"limit":1}', '"x"'),
      isStranger: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(request, async ({ path, body: sentBody, ...sent }) => {
        // Node's client announces no body of the other methods, so that it would be the next request.
        const hasBody = ['POST', 'PUT', 'PATCH'].includes(sent.method)
        const { status, body, headers } = await served.send(path, { ...sent, body: hasBody ? sentBody : '' })
        expect(status).toBeLessThan(500)
        expect(headers['content-security-policy']).toContain("default-src 'none'")
        expect(headers['access-control-allow-origin']).toBeUndefined()
        if (!sent.isStranger) return
        expect(status).toBeGreaterThanOrEqual(400)
        expect(body.toString('latin1')).not.toMatch(secrets)
        expect(headers['set-cookie']).toBeUndefined()
      }),
      { numRuns: 400 },
    )
  })
})

function decodeSafely(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Sends one request with the session, with exactly this request line and Host. */
async function raw({ origin, session }: Served, line: string, hostLine = `Host: ${new URL(origin).host}`) {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  const headers = Object.entries({ ...session.headers, connection: 'close' })
  const lines = [line, hostLine, ...headers.map(([name, value]) => `${name}: ${value}`)]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('latin1')
}
