import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import { breakLookups } from '../../support/break-lookups.ts'
import { closedPort, sendJson, withRawServer, withServer } from '../../support/with-server.ts'
import { caught } from './caught.ts'
import { testClient } from './test-client.ts'

const projectId = '507f1f77bcf86cd799439011'
const order = { projectId, status: 'ordered' }

async function errorsFor(answer: (response: ServerResponse) => void) {
  return withServer(
    (_, response) => answer(response),
    async ({ url }) => {
      const { client } = testClient(url)
      return {
        read: await caught(client.getChecklist(projectId, 'c1')),
        order: await caught(client.createServiceRequest(order)),
      }
    },
  )
}

describe('an HTTP status becomes', () => {
  test.each<[number, ErrorCode, RegExp, RegExp?]>([
    [401, 'token-refused', /Settings, Access Tokens/],
    [403, 'no-permission', /administrator/],
    [404, 'not-found', /the address of the service/],
    [400, 'rejected', /ask the service's support/, /Correct the named fields/],
    [422, 'rejected', /ask the service's support/, /Correct the named fields/],
    [500, 'service-error', /ask the service's support/],
    [503, 'service-error', /status 503/],
    [418, 'service-error', /status 418/],
    [408, 'service-error', /status 408/],
    [499, 'service-error', /status 499/],
    [304, 'service-error', /status 304/],
  ])('%i: %s, with its meaning and what to do', async (status, code, todo, todoOfOrder = todo) => {
    const errors = await errorsFor((response) => void response.writeHead(status).end())
    for (const error of [errors.read, errors.order]) {
      expect(error.code).toBe(code)
      expect(error.details).toMatchObject({ status })
    }
    expect(errors.read.message).toMatch(todo)
    expect(errors.order.message).toMatch(todoOfOrder)
    expect(errors.read.message).toContain('Archived files are unchanged')
    // Only a refusal by the service itself proves that the order was not placed.
    const isRefused = status >= 400 && status < 500 && ![408, 499].includes(status)
    expect(errors.order.message).toContain(
      isRefused ? 'The order was not placed' : 'It is unknown whether the order was placed',
    )
    if (!isRefused) expect(errors.order.message).not.toMatch(/try again/i)
  })

  test('404 for a project: the service does not know this project', async () => {
    await withServer(
      (_, response) => void response.writeHead(404).end(),
      async ({ url }) => {
        const error = await caught(testClient(url).client.listChecklists(projectId))
        expect(error.code).toBe('not-found')
        expect(error.message).toMatch(/^The service does not know this project\. /)
      },
    )
  })

  test('429 for an order: rate-limited immediately, with the time to wait', async () => {
    const { order: error } = await errorsFor((response) => void response.writeHead(429, { 'retry-after': '90' }).end())
    expect(error).toMatchObject({ code: 'rate-limited', details: { retryAfterMs: 90_000 } })
    expect(error.message).toContain('90 seconds')
  })

  test('400 with the reasons of the service, in the message and in the details', async () => {
    const { order: error } = await errorsFor((response) =>
      sendJson(response, { errors: [{ field: 'form.homeownerName', message: 'is required.' }] }, 400),
    )
    expect(error.message).toContain('form.homeownerName: is required. The order was not placed')
    expect(error.details).toEqual({ status: 400, problems: [{ field: 'form.homeownerName', message: 'is required.' }] })
  })

  test('its error even if the body breaks off or never ends', async () => {
    const broken = await errorsFor((response) => {
      response.writeHead(404, { 'content-length': '1000' }).write('half')
      setTimeout(() => response.destroy(), 20)
    })
    expect(broken.read.code).toBe('not-found')
    const endless = await errorsFor((response) => {
      response.writeHead(403)
      const more = () => response.write(Buffer.alloc(65_536)) && setImmediate(more)
      response.on('drain', more)
      more()
    })
    expect(endless.read.code).toBe('no-permission')
  })
})

describe('without a usable token nothing is sent', () => {
  test.each([[undefined], [''], ['  '], ['two words'], ['line\nbreak'], ['umläut']])('%j', async (token) => {
    await withServer(
      (_, response) => sendJson(response, []),
      async ({ url, requests }) => {
        const error = await caught(testClient(url, { token: () => Promise.resolve(token) }).client.listProjects())
        expect(error.code).toBe('token-missing')
        expect(error.message).toMatch(/Settings, Access Tokens|Copy it again/)
        if (token?.trim()) expect(error.message).not.toContain(token)
        expect(requests).toEqual([])
      },
    )
  })

  test('if the keychain fails', async () => {
    const failing = () => Promise.reject(new Error('the keychain is locked'))
    const error = await caught(testClient('http://127.0.0.1:1', { token: failing }).client.listProjects())
    expect(error.code).toBe('internal')
  })
})

describe('the connection to the service', () => {
  test('a name that does not exist: unreachable-dns', async () => {
    breakLookups()
    const { client } = testClient('http://nothing.invalid')
    const error = await caught(client.listProjects())
    expect(error.code).toBe('unreachable-dns')
    expect((await caught(client.createServiceRequest(order))).message).toContain('The order was not placed')
  })

  test('a closed port: unreachable-refused', async () => {
    const error = await caught(testClient(`http://127.0.0.1:${closedPort}`).client.listProjects())
    expect(error).toMatchObject({ code: 'unreachable-refused', details: { code: 'ECONNREFUSED' } })
  })

  test('a server without TLS: unreachable-tls', async () => {
    await withServer(
      (_, response) => sendJson(response, []),
      async ({ port }) => {
        const error = await caught(testClient(`https://127.0.0.1:${port}`).client.listProjects())
        expect(error.code).toBe('unreachable-tls')
      },
    )
  })

  test('a peer that hangs up during the handshake: unreachable-tls', async () => {
    await withRawServer(
      (socket) => void socket.once('data', () => socket.end()),
      async ({ port }) => {
        const error = await caught(testClient(`https://127.0.0.1:${port}`).client.listProjects())
        expect(error.code).toBe('unreachable-tls')
      },
    )
  })

  test('a handshake that never ends: unreachable-timeout, and the order was not placed', async () => {
    await withRawServer(
      () => undefined,
      async ({ port }) => {
        const { client } = testClient(`https://127.0.0.1:${port}`, { timeouts: { secureConnect: 50 } })
        const error = await caught(client.createServiceRequest(order))
        expect(error).toMatchObject({ code: 'unreachable-timeout', details: { phase: 'secureConnect' } })
        expect(error.message).toContain('The order was not placed')
      },
    )
  })

  test('no response: unreachable-timeout after one retry; an order may have been placed', async () => {
    await withServer(
      () => undefined,
      async ({ url, requests }) => {
        const { client } = testClient(url, { timeouts: { response: 60 } })
        const error = await caught(client.listProjects())
        expect(error).toMatchObject({ code: 'unreachable-timeout', details: { phase: 'response' } })
        await expect.poll(() => requests.length).toBe(2)
        const { message } = await caught(client.createServiceRequest(order))
        expect(message).toContain('It is unknown whether the order was placed')
        expect(message).not.toMatch(/try again/i)
        await expect.poll(() => requests.length).toBe(3)
      },
    )
  })

  test('a dropped connection: unreachable-reset', async () => {
    await withRawServer(
      (socket) => void socket.once('data', () => socket.resetAndDestroy()),
      async ({ url }) => {
        const { client } = testClient(url)
        expect((await caught(client.listProjects())).code).toBe('unreachable-reset')
        const { message } = await caught(client.createServiceRequest(order))
        expect(message).toContain('It is unknown whether the order was placed')
        expect(message).not.toMatch(/try again/i)
      },
    )
  })

  test('a server that does not speak HTTP: unreadable-answer', async () => {
    await withRawServer(
      (socket) => void socket.once('data', () => socket.end('220 mail.example ESMTP\r\n')),
      async ({ url }) => {
        expect((await caught(testClient(url).client.listProjects())).code).toBe('unreadable-answer')
      },
    )
  })
})
