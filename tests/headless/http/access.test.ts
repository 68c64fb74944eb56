import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isOwnHost } from '../../../electron/headless/http/access.ts'
import { withServed } from './served.ts'

const json = { 'content-type': 'application/json' }
const post = { method: 'POST', body: '{}', headers: json }

test('with the session, its own pages are accepted under either name, and programs that send no Origin', async () => {
  await withServed(async ({ send, origin }) => {
    const status = async (headers: Record<string, string>) =>
      (await send('/api/call/overview', { ...post, headers: { ...json, ...headers } })).status
    const { host, port } = new URL(origin)
    expect(await status({ origin, 'sec-fetch-site': 'same-origin' })).toBe(200)
    expect(await status({ host: `localhost:${port}`, origin: `http://localhost:${port}` })).toBe(200)
    expect(await status({ host })).toBe(200)
  })
})

test.each([
  ['192.168.1.5:80', '192.168.1.5', true],
  ['nas.local', 'nas.local', true],
  ['10.0.0.9:8080', '0.0.0.0', true],
  ['[fe80::1]:8080', '::', true],
  ['[fd00::2]:8080', 'fd00:0:0:0:0:0:0:2', true],
  ['[::ffff:7f00:1]', '::FFFF:127.0.0.1', true],
  ['[fd00::3]', 'fd00:0:0:0:0:0:0:2', false],
  ['rebound.example', 'fd00:0:0:0:0:0:0:2', false],
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
