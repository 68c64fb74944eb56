import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Outbound } from '../../../electron/engine/service/outbound.ts'
import { RateBudget } from '../../../electron/engine/service/rate-budget.ts'
import { testConnection } from '../../../electron/engine/service/test-connection.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { startSampleService } from '../../../electron/sample-service/start-sample-service.ts'
import { breakLookups } from '../../support/break-lookups.ts'
import { openssl } from '../../support/time-stamp-authority.ts'
import { withServer } from '../../support/with-server.ts'

const token = 'canary-token-1234'

async function ask(serviceUrl: string, sentToken: string | undefined = token, callsPerMinute = 0) {
  const logged: string[] = []
  const budget = new RateBudget({ clock: systemClock, callsPerMinute })
  const logger = {
    info: (message: string, fields?: object) => void logged.push(JSON.stringify({ message, ...fields })),
  }
  const deps = { clock: systemClock, logger, budget, outbound: new Outbound() }
  const result = await testConnection({ serviceUrl, token: sentToken }, deps)
  expect(JSON.stringify(result) + logged.join('')).not.toContain('canary')
  expect(result.message).toMatch(/^[A-Z].*\.$/s)
  return result
}

/**
 * Tests the connection to a server with these responses to `/projects`, to the checklists of an unknown project
 * (`probe`), and to calls without a token (`tokenless`).
 */
async function askServer(
  answers: { projects: [number, string]; probe?: [number, string]; tokenless?: [number, string] },
  type = 'application/json',
) {
  const { tokenless = [401, '{}'] } = answers
  return withServer(
    ({ url }, response) => {
      const answer = url.includes('/projects') ? answers.projects : (answers.probe ?? [500, ''])
      const [status, body] = url.includes('access_token=') ? answer : tokenless
      response.writeHead(status, { 'content-type': type }).end(body)
    },
    async ({ url, requests }) => ({ ...(await ask(url)), calls: requests.length }),
  )
}

test('a valid token yields the number of projects, in one call', async () => {
  const service = await startSampleService({ token, projects: 2 })
  onTestFinished(() => service.close())
  for (const typed of [service.url, ` ${service.url}/ `, `${service.url}/api/v1/`]) {
    expect(await ask(typed), typed).toMatchObject({ outcome: 'ok', projectsFound: 2 })
  }
  expect(service.requests.count('api')).toBe(3)
  expect(await ask(service.url, 'canary-of-another')).toMatchObject({ outcome: 'bad-token', projectsFound: null })
})

test('a service that does not list projects is recognized by its response about an unknown project', async () => {
  const answers = { ok: [404, '{"message":"Not found"}'], refused: [401, '{}'], forbidden: [403, '{}'] } as const
  const probe = async (projects: [number, string], [status, body]: readonly [number, string]) =>
    askServer({ projects, probe: [status, body] })
  expect(await probe([404, '{}'], answers.ok)).toMatchObject({ outcome: 'ok', projectsFound: null, calls: 3 })
  expect(await probe([403, '{}'], answers.ok)).toMatchObject({ outcome: 'ok', calls: 3 })
  expect(await probe([200, '{"odd":1}'], [200, '[]'])).toMatchObject({ outcome: 'ok' })
  expect(await probe([404, '{}'], answers.refused)).toMatchObject({ outcome: 'bad-token' })
  expect(await probe([404, '{}'], answers.forbidden)).toMatchObject({ outcome: 'no-permission' })
})

test('a server with the same response for everyone is not reported to accept the token', async () => {
  const gone: [number, string] = [404, '{"message":"Not found"}']
  expect(await askServer({ projects: gone, probe: gone, tokenless: gone })).toMatchObject({
    outcome: 'not-certain',
    message: expect.not.stringContaining('The service answers') as string,
  })
})

test.each([
  ['no address', 'bad-address'],
  ['', 'bad-address'],
  ['ftp://api.example.com', 'bad-address'],
  [`https://ada:${token}@api.example.com`, 'bad-address'],
  [`https://api.example.com/?access_token=${token}`, 'bad-address'],
  ['http://no-such-host.invalid', 'unreachable'],
  ['http://127.0.0.1:1', 'unreachable'],
] as const)('%j is reported as %s', async (serviceUrl, outcome) => {
  breakLookups()
  expect(await ask(serviceUrl)).toMatchObject({ outcome, projectsFound: null })
})

test('other servers, rate limits, and server errors are distinguished from a refused token', async () => {
  const page = '<!doctype html><title>Welcome</title>'
  const web = await askServer({ projects: [404, page], probe: [404, page] }, 'text/html')
  expect(web.outcome).toBe('not-the-service')
  const portal = await askServer({ projects: [200, page], probe: [200, page] }, 'text/html')
  expect(portal.outcome).toBe('not-the-service')
  expect((await askServer({ projects: [401, '{}'] })).outcome).toBe('bad-token')
  expect((await askServer({ projects: [429, ''] })).outcome).toBe('rate-limited')
  expect((await askServer({ projects: [503, ''] })).outcome).toBe('service-error')
})

test('a refusal without the data of a service proves nothing about the token', async () => {
  const refused = async (status: number, body: string, type?: string) =>
    (await askServer({ projects: [404, ''], probe: [status, body] }, type)).outcome
  for (const status of [400, 404, 422]) {
    expect(await refused(status, ''), `${status}`).toBe('not-certain')
    expect(await refused(status, '404 page not found', 'text/plain'), `${status}`).toBe('not-the-service')
    expect(await refused(status, '"gone"'), `${status}`).toBe('not-the-service')
  }
  expect(await refused(405, '{}')).toBe('not-the-service')
})

test('a redirect is not followed, since the token would go with it', async () => {
  await withServer(
    (_, response) => void response.writeHead(301, { location: '/elsewhere' }).end(),
    async ({ url, requests }) => {
      expect(await ask(url)).toMatchObject({ outcome: 'bad-address' })
      expect(requests).toHaveLength(1)
    },
  )
})

test('an impossible token is not sent', async () => {
  await withServer(
    (_, response) => void response.end('[]'),
    async ({ url, requests }) => {
      expect(await ask(url, 'canary with a space')).toMatchObject({ outcome: 'bad-token' })
      expect(await ask(url, ' ')).toMatchObject({ outcome: 'no-token' })
      expect(requests).toHaveLength(0)
    },
  )
})

test.skipIf(openssl === undefined)('a server with an untrusted certificate is bad-tls, and gets no token', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-tls-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
  execFileSync('openssl', [...request, '-subj', '/CN=localhost', '-keyout', key, '-out', cert], { stdio: 'ignore' })
  let requests = 0
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
    requests += 1
    response.end('[]')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const { port } = server.address() as AddressInfo
  expect(await ask(`https://127.0.0.1:${port}`)).toMatchObject({ outcome: 'bad-tls' })
  expect(requests).toBe(0)
  await withServer(
    (_, response) => void response.end('[]'),
    async ({ port }) => expect(await ask(`https://127.0.0.1:${port}`)).toMatchObject({ outcome: 'bad-tls' }),
  )
})

test('the test counts in the rate budget, and says so if that is used up', async () => {
  const service = await startSampleService({ token, projects: 1 })
  onTestFinished(() => service.close())
  const budget = new RateBudget({ clock: systemClock, callsPerMinute: 1 })
  const parts = { clock: systemClock, logger: { info: () => undefined }, budget, outbound: new Outbound() }
  const asked = { serviceUrl: service.url, token }
  expect(await testConnection(asked, parts)).toMatchObject({ outcome: 'ok' })
  expect(budget.freeCalls()).toBe(0)
  expect(await testConnection(asked, parts)).toMatchObject({ outcome: 'rate-limited' })
  expect(service.requests.count('api')).toBe(1)
})
