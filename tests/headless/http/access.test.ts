import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isOwnHost } from '../../../electron/headless/http/access.ts'
import { withServed } from './served.ts'

const json = { 'content-type': 'application/json' }
const post = { method: 'POST', body: '{}', headers: json }

test('without the session nothing is returned, and a token works once', async () => {
  await withServed(async ({ send, addresses, origin, session }) => {
    const first = new URL(addresses[0] ?? '').pathname
    const second = new URL(addresses[1] ?? '').pathname
    const strangers = ['/', '/index.html', '/api/events', '/files/1', '/thumbnails/1']
    for (const path of strangers) expect((await send(path, { isStranger: true })).status, path).toBe(401)
    expect((await send('/api/call/overview', { ...post, isStranger: true })).status).toBe(401)
    const forged = { ...post, isStranger: true, headers: { ...json, ...session.headers, cookie: `${session.cookie}x` } }
    expect((await send('/api/call/overview', forged)).status).toBe(401)
    for (const path of [first, '/open/wrong', `/open/${'A'.repeat(43)}`]) {
      const reply = await send(path, { isStranger: true })
      expect([reply.status, reply.headers['set-cookie']], path).toEqual([401, undefined])
    }
    expect((await send(second, { isStranger: true, method: 'HEAD' })).status).toBe(401)
    const letIn = await send(second, { isStranger: true, headers: { 'sec-fetch-site': 'cross-site' } })
    expect(letIn.status).toBe(200)
    expect(letIn.headers['set-cookie']?.[0]).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(addresses).toHaveLength(3)
    expect(new Set(addresses).size).toBe(3)
    expect(addresses.every((address) => address.startsWith(`${origin}/open/`))).toBe(true)
  })
})

test('a wrong Host, a foreign Origin, and requests of other sites are refused despite the session', async () => {
  await withServed(async ({ send, origin }) => {
    const status = async (headers: Record<string, string>) =>
      (await send('/api/call/overview', { ...post, headers: { ...json, ...headers } })).status
    const { host, port } = new URL(origin)
    expect(await status({ host: 'rebound.example' })).toBe(421)
    expect(await status({ host: `rebound.example:${port}` })).toBe(421)
    expect(await status({ host: `127.0.0.1.nip.example:${port}` })).toBe(421)
    expect(await status({ origin: 'https://elsewhere.example' })).toBe(403)
    expect(await status({ origin: 'null' })).toBe(403)
    expect(await status({ origin: 'http://127.0.0.1:1' })).toBe(403)
    expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await status({ 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await status({ origin, 'sec-fetch-site': 'same-origin' })).toBe(200)
    expect(await status({ host: `localhost:${port}`, origin: `http://localhost:${port}` })).toBe(200)
    expect(await status({ host })).toBe(200)
    expect((await send('/files/1', { headers: { 'sec-fetch-site': 'same-site' } })).status).toBe(403)
  })
})

test.each([
  ['192.168.1.5:80', '192.168.1.5', true],
  ['nas.local', 'nas.local', true],
  ['10.0.0.9:8080', '0.0.0.0', true],
  ['[fe80::1]:8080', '::', true],
  ['rebound.example', '0.0.0.0', false],
  ['10.0.0.9', '192.168.1.5', false],
  ['user@127.0.0.1', '127.0.0.1', false],
  [undefined, '127.0.0.1', false],
])('a request for %s to a server bound to %s: %s', (header, bound, expected) => {
  expect(isOwnHost(header, bound)).toBe(expected)
})

test('every response forbids frames, sniffing, foreign scripts, and eval; call responses are not cached', async () => {
  await withServed(async ({ send }) => {
    for (const reply of [await send('/api/call/overview', post), await send('/'), await send('/files/1')]) {
      expect(reply.headers['content-security-policy']).toContain("default-src 'none'")
      expect(reply.headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(reply.headers['content-security-policy']).not.toContain('unsafe')
      expect(reply.headers['x-content-type-options']).toBe('nosniff')
      expect(reply.headers['referrer-policy']).toBe('no-referrer')
    }
    expect((await send('/api/call/overview', post)).headers['cache-control']).toBe('no-store')
    expect((await send('/api/events', { method: 'HEAD' })).status).toBe(404)
  })
})

test('the built pages are served, app routes get the index page, and nothing outside is served', async () => {
  await withServed(async ({ send, rendererFolder }) => {
    const unbuilt = await send('/')
    expect([unbuilt.status, unbuilt.body.toString()]).toEqual([503, expect.stringContaining('npm run build')])
    mkdirSync(join(rendererFolder, 'assets'))
    writeFileSync(join(rendererFolder, 'index.html'), 'the app')
    writeFileSync(join(rendererFolder, 'assets', 'main.js'), 'the script')
    writeFileSync(join(rendererFolder, '..', 'outside.txt'), 'a secret')
    for (const path of ['/', '/index.html', '/projects/abc', '/?x=1']) {
      const reply = await send(path)
      expect([reply.status, reply.body.toString()], path).toEqual([200, 'the app'])
    }
    const asset = (await send('/assets/main.js')).headers
    expect(asset['content-type']).toBe('text/javascript; charset=utf-8')
    expect(asset['cache-control']).toContain('immutable')
    for (const page of ['/', '/assets/main']) {
      expect((await send(page)).headers['cache-control'], page).toBe('no-cache')
    }
    const tricks = [
      '/../outside.txt',
      '/..%2Foutside.txt',
      '/%2e%2e/outside.txt',
      '/assets/../../outside.txt',
      '//etc/passwd.txt',
    ]
    for (const path of [...tricks, '/missing.js', '/%', '/%00.js', '/api/nothing']) {
      const reply = await send(path)
      expect([400, 404], path).toContain(reply.status)
      expect(reply.body.toString()).not.toContain('secret')
    }
  })
})
