import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createLinkPolicy } from '../../../electron/engine/service/address-policy.ts'
import { createTransport } from '../../../electron/engine/downloads/transport.ts'
import { toDownloadError } from '../../../electron/engine/downloads/response-head.ts'
import { createRedactor } from '../../../electron/engine/lib/redact.ts'
import { connectionError } from '../../../electron/engine/service/connection-errors.ts'
import { exchange, defaultTimeouts } from '../../../electron/engine/service/http-exchange.ts'
import { Outbound } from '../../../electron/engine/service/outbound.ts'
import { type NetworkSettings, proxySecrets, routeOf } from '../../../electron/engine/service/proxy-route.ts'
import { askHost, tryConnection } from '../../../electron/engine/service/try-connection.ts'
import { isProxySetting } from '../../../shared/service-address.ts'
import { breakLookups } from '../../support/break-lookups.ts'
import { type Certificates, createCertificates, startProxy, startTls } from '../../support/connect-proxy.ts'
import { openssl } from '../../support/time-stamp-authority.ts'
import { closedPort, withRawServer } from '../../support/with-server.ts'

const proxyAt = (text: string, from = 'HTTPS_PROXY'): NetworkSettings => ({ httpsProxy: { text, from } })

describe('the route to a host', () => {
  const kindOf = (url: string, noProxy: string) =>
    routeOf(new URL(url), {
      ...proxyAt('proxy.test:3128'),
      httpProxy: { text: 'proxy.test', from: 'HTTP_PROXY' },
      noProxy,
    }).kind

  test.each([
    ['https://a.example.com', '', 'proxy'],
    ['http://a.example.com', '', 'proxy'],
    ['https://localhost:8080', '', 'direct'],
    ['https://a.localhost', '', 'direct'],
    ['http://127.0.0.9', '', 'direct'],
    ['http://[::1]:80', '', 'direct'],
    ['https://a.example.com', '*', 'direct'],
    ['https://a.example.com', 'other.com, EXAMPLE.com', 'direct'],
    ['https://a.example.com', 'x .example.com', 'direct'],
    ['https://a.example.com', '*.example.com', 'direct'],
    ['https://example.com', '.example.com', 'direct'],
    ['https://notexample.com', 'example.com', 'proxy'],
    ['https://a.example.com:8443', 'a.example.com:8443', 'direct'],
    ['https://a.example.com', 'a.example.com:8443', 'proxy'],
    ['https://a.example.com', 'a.example.com:443', 'direct'],
    ['https://10.1.2.3', '10.0.0.0/8', 'direct'],
    ['https://11.1.2.3', '10.0.0.0/8', 'proxy'],
    ['https://10.1.2.3', '10.1.2.3', 'direct'],
    ['https://[fd00::1]', '[fd00::1]', 'direct'],
    ['https://[fd00::1]', 'fd00::/8', 'direct'],
    ['https://a.example.com', '10.0.0.0/99,/,:,.', 'proxy'],
  ])('%s with NO_PROXY "%s" is %s', (url, noProxy, kind) => {
    expect(kindOf(url, noProxy)).toBe(kind)
  })

  test('is written with or without a scheme, and may have a user name and a password', () => {
    const route = routeOf(new URL('https://a.example.com'), proxyAt('http://us%40er:p%25w@proxy.test:3128/'))
    const authorization = `Basic ${Buffer.from('us@er:p%w').toString('base64')}`
    expect(route).toMatchObject({ kind: 'proxy', proxy: { name: 'proxy.test:3128', isTls: false, authorization } })
    expect(proxySecrets(proxyAt('http://us%40er:p%25w@proxy.test'))).toEqual(['p%w', authorization.slice(6)])
    expect(routeOf(new URL('https://a.example.com'), proxyAt('https://[::2]'))).toMatchObject({
      proxy: { name: '[::2]:443', hostname: '::2', isTls: true },
    })
    expect(routeOf(new URL('https://a.example.com'), proxyAt('socks5://proxy.test'))).toEqual({
      kind: 'unusable',
      from: 'HTTPS_PROXY',
    })
  })

  test('is a setting without user name and password', () => {
    for (const text of ['environment', 'none', 'http://p:1', 'https://p', 'p.test:3128']) {
      expect(isProxySetting(text), text).toBe(true)
    }
    for (const text of [
      '',
      'socks5://p:1',
      'http://u:secret@p:1',
      'u@p',
      'http://p/path',
      'p:70000',
      'pac+http://p',
      'a b',
      'direct',
    ]) {
      expect(isProxySetting(text), text).toBe(false)
    }
  })
})

describe.skipIf(openssl === undefined)('connections through a proxy', () => {
  let certificates: Certificates

  beforeAll(() => {
    certificates = createCertificates()
  })
  afterAll(() => certificates.remove())

  async function world(options: Partial<Parameters<typeof startProxy>[0]> = {}) {
    // Every request makes a connection of its own.
    const close = { connection: 'close' }
    const front = await startTls(certificates, (_, response) => void response.writeHead(200, close).end('[]'))
    const proxy = await startProxy({ route: () => ({ port: front.port }), ...options })
    onTestFinished(async () => {
      await proxy.close()
      await front.close()
    })
    return { front, proxy, address: `127.0.0.1:${proxy.port}` }
  }

  function use(settings: NetworkSettings): Outbound {
    const outbound = new Outbound(settings)
    onTestFinished(() => outbound.close())
    return outbound
  }

  const api = new URL('https://api.solar.test/api/v1/projects?access_token=CANARY-TOKEN')
  const file = new URL('https://files.solar.test/photo.jpg?X-Amz-Signature=CANARY-SIGNATURE')

  /** One call with got and one file with undici. Returns statuses, or errors as a user sees them. */
  async function useBoth(outbound: Outbound) {
    const transport = createTransport({
      outbound,
      lookup: createLinkPolicy(api).lookup,
      connections: 2,
      connectMs: 60_000,
      responseMs: 60_000,
    })
    const { signal } = new AbortController()
    const call = await exchange({ method: 'GET', url: api }, defaultTimeouts, outbound).then(
      ({ status }) => status,
      (thrown: unknown) =>
        connectionError(thrown, { purpose: 'archive', redactor: createRedactor(), isConnected: false, url: api }),
    )
    const download = await transport.request(file, {}, signal).then(
      (response) => {
        response.destroy()
        return response.status
      },
      (thrown: unknown) => toDownloadError(thrown, signal),
    )
    await transport.close()
    return [call, download] as const
  }

  async function errorsOf(settings: NetworkSettings) {
    const errors = await useBoth(use({ caFile: certificates.caFile, ...settings }))
    const text = inspect(errors, { depth: Infinity, showHidden: true })
    for (const secret of ['CANARY', 'hunter2', Buffer.from('user:hunter2').toString('base64')]) {
      expect(text).not.toContain(secret)
    }
    return errors.map((error): [string | number, string] =>
      typeof error === 'number' ? [error, ''] : [error.code, error.message],
    )
  }

  test('both clients tunnel everything, with the certificates of the file', async () => {
    const { front, proxy, address } = await world({ authorization: `Basic ${btoa('user:hunter2')}` })
    expect(await errorsOf(proxyAt(`http://user:hunter2@${address}`))).toEqual([
      [200, ''],
      [200, ''],
    ])
    expect(proxy.targets).toEqual(['api.solar.test:443', 'files.solar.test:443'])
    expect(proxy.otherRequests).toEqual([])
    expect(front.requests).toEqual([
      'api.solar.test/api/v1/projects?access_token=CANARY-TOKEN',
      'files.solar.test/photo.jpg?X-Amz-Signature=CANARY-SIGNATURE',
    ])
    const outbound = use({ ...proxyAt(`http://user:hunter2@${address}`), caFile: certificates.caFile })
    const { signal } = new AbortController()
    expect(await askHost(api, { outbound, timeoutMs: 60_000, signal })).toBeUndefined()
    expect(await tryConnection(api, { outbound, timeoutMs: 60_000, signal })).toBeUndefined()
    expect(proxy.targets.slice(2)).toEqual(['api.solar.test:443', 'api.solar.test:443'])
    expect(front.requests).toHaveLength(3)
  })

  test('a proxy may itself be reached with TLS', async () => {
    const { front, proxy } = await world({ tls: certificates })
    expect(await errorsOf(proxyAt(`https://localhost:${proxy.port}`))).toEqual([
      [200, ''],
      [200, ''],
    ])
    expect(proxy.targets).toHaveLength(2)
    expect(front.requests).toHaveLength(2)
    const missing = `${certificates.caFile}.missing`
    for (const [code, message] of await errorsOf({ ...proxyAt(`https://localhost:${proxy.port}`), caFile: missing })) {
      expect(code).toBe('unreachable-tls')
      expect(message).toContain(`${missing}, cannot be read (ENOENT)`)
    }
  })

  test('TLS sessions are resumed by both clients, directly and through a proxy', async () => {
    const { front, address } = await world()
    const { caFile } = certificates
    const localhost = new URL(`https://localhost:${front.port}/x`)
    for (const [url, settings] of [
      [localhost, {}],
      [new URL('https://files.solar.test/x'), proxyAt(`http://${address}`)],
    ] as const) {
      for (const client of ['got', 'undici'] as const) {
        const outbound = use({ ...settings, caFile })
        const before = { ...front.connections }
        for (let connection = 0; connection < 4; connection++) {
          if (client === 'got') {
            await exchange({ method: 'GET', url }, defaultTimeouts, outbound)
          } else {
            const { lookup } = createLinkPolicy(localhost)
            const options = { outbound, lookup, connections: 1, connectMs: 60_000, responseMs: 60_000 }
            const transport = createTransport(options)
            const response = await transport.request(url, {}, new AbortController().signal)
            const { body } = response
            for (; !body.isComplete; body.take()) await body.more()
            await transport.close()
          }
        }
        const resumed = front.connections.resumed - before.resumed
        expect([client, url.host, front.connections.all - before.all, resumed]).toEqual([client, url.host, 4, 3])
      }
    }
  })

  test('an unknown issuer is explained, with what to do; nothing is sent, whatever the environment says', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    // Node warns of the variable.
    vi.spyOn(process, 'emitWarning').mockReturnValue()
    const { front, address } = await world()
    const { proxy } = await world({ tls: certificates })
    for (const [code, settings] of [
      ['unreachable-tls', proxyAt(`http://${address}`)],
      ['unreachable-proxy', proxyAt(`https://localhost:${proxy.port}`)],
    ] as const) {
      for (const error of await useBoth(use(settings))) {
        expect(error).toMatchObject({ code, message: expect.stringContaining('"caFile"') as string })
      }
    }
    const url = new URL(`https://localhost:${front.port}/x`)
    await expect(exchange({ method: 'GET', url }, defaultTimeouts, use({}))).rejects.toThrow('unable to verify')
    expect([...proxy.targets, ...front.requests]).toEqual([])
  })

  test('a certificate for another name is refused in spite of the certificates of the file', async () => {
    const { front, address } = await world()
    const outbound = use({ ...proxyAt(`http://${address}`), caFile: certificates.caFile })
    await expect(outbound.connect(new URL('https://else.test'), { timeoutMs: 60_000 })).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
    expect(front.requests).toEqual([])
  })

  test.each([
    ['is for clients only', 'extendedKeyUsage=clientAuth'],
    ['has a critical extension that is not known', '1.2.3.4=critical,DER:05:00'],
  ])('a certificate that %s is refused as such, at the host and at the proxy', async (_, extension) => {
    const wrong = createCertificates(extension)
    onTestFinished(() => wrong.remove())
    const front = await startTls(wrong, (_, response) => void response.end('[]'))
    onTestFinished(() => front.close())
    const { address } = await world({ route: () => ({ port: front.port }) })
    const errors = await errorsOf({ ...proxyAt(`http://${address}`), caFile: wrong.caFile })
    expect(errors.map(([code]) => code)).toEqual(['unreachable-tls', 'unreachable-tls'])
    const { proxy } = await world({ tls: wrong })
    const throughIt = proxyAt(`https://localhost:${proxy.port}`)
    for (const [code, message] of await errorsOf({ ...throughIt, caFile: wrong.caFile })) {
      expect([code, message]).toEqual(['unreachable-proxy', expect.stringContaining('is not the proxy')])
    }
    expect([front.requests, proxy.targets]).toEqual([[], []])
  })

  test.each([
    [407, 'Basic', 'requires the user name and password'],
    [407, 'Negotiate', 'a kind of sign-in that Solarchive does not support'],
    [403, '', 'refuses connections to api.solar.test:443 (403)'],
    [502, '', 'could not connect to api.solar.test:443 (502)'],
    [401, '', 'refuses connections'],
    [404, '', 'refuses connections'],
    [302, '', 'refuses connections'],
    [429, '', 'refuses connections'],
    [103, '', 'does not answer as a proxy does (103)'],
  ])('a %d %s of the proxy is not an answer of the service', async (status, challenge, expected) => {
    const { proxy, front, address } = await world(
      status === 407 ? { authorization: 'Basic x', challenge } : { route: () => ({ status }) },
    )
    const [call, download] = await errorsOf(proxyAt(`http://${address}`))
    expect(call?.[0]).toBe('unreachable-proxy')
    expect(call?.[1]).toContain(`The proxy ${address} `)
    expect(call?.[1]).toContain(expected)
    expect(call?.[1]).toContain('Archived files are unchanged.')
    expect(download?.[0]).toBe('unreachable-proxy')
    expect(download?.[1]).toContain(expected.replace('api.', 'files.'))
    expect(proxy.targets).toHaveLength(2)
    expect(front.requests).toEqual([])
  })

  test('a wrong password, a dead proxy, an unknown name, and no proxy at all each have their own message', async () => {
    breakLookups()
    const { address } = await world({ authorization: 'Basic right' })
    const messageOf = async (text: string) => {
      const errors = await errorsOf(proxyAt(text))
      expect(errors.map(([code]) => code)).toEqual(['unreachable-proxy', 'unreachable-proxy'])
      expect(errors.every(([, message]) => String(message).includes('HTTPS_PROXY'))).toBe(true)
      return errors[1]?.[1]
    }
    expect(await messageOf(`http://user:hunter2@${address}`)).toContain('refuses the user name and password')
    expect(await messageOf(`http://user:hunter2@127.0.0.1:${closedPort}`)).toContain('does not accept')
    expect(await messageOf('http://user:hunter2@no-such-proxy.invalid:3128')).toContain('could not be found')
    expect(await messageOf('socks5://user:hunter2@127.0.0.1:1')).toContain('is not the address of a proxy')
    await withRawServer(
      (socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'),
      async ({ port }) =>
        expect(await messageOf(`http://user:hunter2@127.0.0.1:${port}`)).toContain('is not the proxy'),
    )
    await withRawServer(
      (socket) => socket.once('data', () => socket.destroy()),
      async ({ port }) =>
        expect(await messageOf(`http://user:hunter2@127.0.0.1:${port}`)).toContain('closed the connection'),
    )
  })

  test.each([
    ['HTTPS_PROXY', 'Put "user:password@" before the host in the environment variable HTTPS_PROXY, or https_proxy if '],
    ['ALL_PROXY', 'environment variable ALL_PROXY, or all_proxy if that is set.'],
    [
      '"proxy" in the settings',
      'Set "proxy" in the settings to "environment" (From the environment), and the environment variable HTTPS_PROXY ' +
        'to the address of the proxy, with "user:password@" before the host. If https_proxy is set, change that one.',
    ],
  ])('a proxy of %s that wants a password says where to put it', async (from, advice) => {
    const { address } = await world({ authorization: 'Basic right' })
    for (const [code, message] of await errorsOf(proxyAt(`http://${address}`, from))) {
      expect([code, message]).toEqual(['unreachable-proxy', expect.stringContaining(advice)])
    }
  })

  test('a proxy that never answers ends in time, and when everything is closed', async () => {
    await withRawServer(
      () => undefined,
      async ({ port }) => {
        const outbound = new Outbound(proxyAt(`http://127.0.0.1:${port}`))
        await expect(outbound.connect(api, { timeoutMs: 50 })).rejects.toThrow('did not answer in time')
        const waiting = outbound.connect(api, { timeoutMs: 60_000 })
        outbound.close()
        await expect(waiting).rejects.toThrow('abort')
      },
    )
  })
})
