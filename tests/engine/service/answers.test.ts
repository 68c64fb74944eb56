import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type CallTimeouts, defaultTimeouts } from '../../../electron/engine/service/http-exchange.ts'
import { sendJson, withRawServer, withServer } from '../../support/with-server.ts'
import { caught } from './caught.ts'
import { testClient } from './test-client.ts'

const whole = JSON.stringify([{ id: 'c1', status: 'completed', updatedAt: '2026-01-01T00:00:00Z' }])
const half = whole.slice(0, whole.length / 2)

/** Returns the error code of listing checklists when the server writes exactly these bytes. */
function errorOfBytes(write: (socket: Socket) => void) {
  return withRawServer(
    (socket) => void socket.once('data', () => write(socket)),
    async ({ url }) => (await caught(testClient(url).client.listChecklists('p'))).code,
  )
}

/** Returns the error codes of all reads and the order; a read that succeeds fails the test. */
async function codesOf(answer: (response: ServerResponse) => void, timeouts: Partial<CallTimeouts> = {}) {
  return withServer(
    (_, response) => answer(response),
    async ({ url }) => {
      const { client } = testClient(url, { timeouts })
      const calls = [
        () => client.listChecklists('p'),
        () => client.getChecklist('p', 'c'),
        () => client.getMedia('p', 'm'),
        () => client.listProjects(),
        () => client.getProject('p'),
        () => client.listServiceRequests('p'),
        () => client.createServiceRequest({}),
      ]
      const codes: string[] = []
      for (const call of calls) codes.push((await caught(call())).code)
      return [...new Set(codes)]
    },
  )
}

describe('a partial response is never accepted', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

  test('with an announced length', async () => {
    const bytes = `${head}content-length: ${whole.length}\r\n\r\n${half}`
    expect(await errorOfBytes((socket) => socket.end(bytes))).toBe('unreachable-reset')
  })

  test('with an announced length greater than that of the complete body', async () => {
    const bytes = `${head}content-length: ${whole.length + 5}\r\n\r\n${whole}`
    expect(await errorOfBytes((socket) => socket.end(bytes))).toBe('unreachable-reset')
  })

  test('in chunks without the final one', async () => {
    const bytes = `${head}transfer-encoding: chunked\r\n\r\n${half.length.toString(16)}\r\n${half}\r\n`
    expect(await errorOfBytes((socket) => socket.end(bytes))).toBe('unreachable-reset')
    expect(await errorOfBytes((socket) => socket.write(bytes, () => socket.resetAndDestroy()))).toBe(
      'unreachable-reset',
    )
  })

  test('in complete chunks that end with the connection instead of the final chunk', async () => {
    const bytes = `${head}transfer-encoding: chunked\r\n\r\n${whole.length.toString(16)}\r\n${whole}\r\n`
    expect(await errorOfBytes((socket) => socket.end(bytes))).toBe('unreachable-reset')
  })

  test('until the connection closes', async () => {
    const bytes = `${head}connection: close\r\n\r\n${half}`
    expect(await errorOfBytes((socket) => socket.end(bytes))).toBe('unreadable-answer')
    // The operating systems decide if the reset is seen before or after the end.
    const code = await errorOfBytes((socket) => socket.write(bytes, () => socket.resetAndDestroy()))
    expect(['unreadable-answer', 'unreachable-reset']).toContain(code)
  })

  test('compressed', async () => {
    const packed = gzipSync(whole)
    const cut = packed.subarray(0, packed.length - 12)
    const start = `${head}content-encoding: gzip\r\nconnection: close\r\n\r\n`
    const code = await errorOfBytes((socket) => socket.end(Buffer.concat([Buffer.from(start, 'latin1'), cut])))
    expect(code).toBe('unreachable-reset')
  })

  test('compressed with garbage', async () => {
    // Without a length, an end of the connection that arrives late is a reset.
    const garbage = 'no gzip at all'
    const bytes = `${head}content-encoding: gzip\r\ncontent-length: ${garbage.length}\r\n\r\n${garbage}`
    expect(await errorOfBytes((socket) => socket.end(bytes))).toBe('unreadable-answer')
  })
})

describe('an endless response', () => {
  test('is aborted at the size limit', async () => {
    const code = await withServer(
      (_, response) => {
        const spaces = Buffer.alloc(1_048_576, ' ')
        const more = () => {
          while (!response.destroyed && response.write(spaces));
        }
        response.writeHead(200).on('drain', more)
        more()
      },
      async ({ url }) => (await caught(testClient(url).client.listChecklists('p'))).code,
    )
    expect(code).toBe('unreadable-answer')
  })

  test('is aborted at the size limit, even if small on the wire', async () => {
    const bomb = gzipSync(Buffer.alloc(40 * 1024 * 1024, ' '))
    const code = await withServer(
      (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
      async ({ url }) => (await caught(testClient(url).client.listChecklists('p'))).code,
    )
    expect(code).toBe('unreadable-answer')
  })

  test('sent byte by byte is aborted at the time limit', async () => {
    const code = await withServer(
      (_, response) => {
        const drip = setInterval(() => response.write(' '), 20)
        response.writeHead(200).on('close', () => clearInterval(drip))
      },
      async ({ url }) =>
        (await caught(testClient(url, { timeouts: { request: 150 } }).client.listChecklists('p'))).code,
    )
    expect(code).toBe('unreachable-timeout')
  })

  test('that stalls in the middle is aborted as well', async () => {
    const codes = await codesOf((response) => void response.writeHead(200).write('['), { socket: 30 })
    expect(codes).toEqual(['unreachable-timeout'])
  })

  test('that takes long to begin does not count as one that stalls', () => {
    expect(defaultTimeouts.socket).toBeGreaterThanOrEqual(defaultTimeouts.response)
  })
})

describe('a success without the requested data is unreadable, never an empty list', () => {
  const page = '<!doctype html><html><body>Please log in</body></html>'

  test.each<[string, number, string]>([
    ['a web page', 200, page],
    ['nothing', 200, ''],
    ['no content', 204, ''],
    ['blanks', 200, ' \n '],
    ['null', 200, 'null'],
    ['a number', 200, '42'],
    ['text', 200, '"ok"'],
    ['true', 200, 'true'],
    ['an empty object', 200, '{}'],
    ['no JSON', 200, '{id: 1}'],
    ['two documents', 200, '[] []'],
    ['an error', 200, '{"error":"Invalid token"}'],
    ['an error object', 200, '{"error":{"code":500,"message":"boom","title":"Internal","status":"500"}}'],
    ['a message', 200, '{"message":"Service temporarily unavailable"}'],
    ['a message object', 200, '{"message":{"title":"Gone","name":"x","status":"y"}}'],
    ['a failure', 200, '{"success":false}'],
    ['a failure beside an empty list', 200, '{"success":false,"data":[],"checklists":[],"media":[],"projects":[]}'],
    ['an error beside an empty list', 200, '{"errors":[{"message":"x"}],"items":[]}'],
    ['an error in an envelope', 200, '{"data":{"error":"x"}}'],
    ['errors with ids', 200, '{"errors":[{"id":"1","status":"500","title":"Internal"}]}'],
    ['a list of nothing', 200, '[null,null]'],
    ['a list of numbers', 200, '[1,2,3]'],
    ['a list of texts', 200, '["a","b"]'],
    ['a list of errors', 200, '[{"error":"x"}]'],
    ['a null list', 200, '{"data":null,"checklists":null,"media":null,"projects":null}'],
    ['brackets without end', 200, `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('%s', async (_, status, body) => {
    const codes = await codesOf((response) => void response.writeHead(status).end(status === 204 ? undefined : body))
    expect(codes).toEqual(['unreadable-answer'])
  })

  test('the error for an unreadable response to an order says that the order may have been placed', async () => {
    await withServer(
      (_, response) => sendJson(response, { ok: true }, 201),
      async ({ url, requests }) => {
        const error = await caught(testClient(url).client.createServiceRequest({}))
        expect(error.code).toBe('unreadable-answer')
        expect(error.message).toContain('check the list of orders')
        expect(requests).toHaveLength(1)
      },
    )
  })

  test('an explicit empty list is an empty list', async () => {
    for (const body of ['[]', '{"data":[]}', '{"message":"none yet","items":[]}', '{"data":{"items":[],"total":0}}']) {
      await withServer(
        (_, response) => void response.end(body),
        async ({ url }) => {
          const { client } = testClient(url)
          expect(await client.listChecklists('p')).toEqual([])
          expect(await client.getMedia('p', 'm')).toEqual([])
          expect(await client.listProjects()).toEqual([])
          expect(await client.listServiceRequests('p')).toEqual([])
        },
      )
    }
  })
})
