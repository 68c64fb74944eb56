import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { createDiskRoom } from '../../../electron/engine/downloads/disk-room.ts'
import {
  defaultDownloadLimits,
  downloadFile,
  type DownloadLimits,
  type DownloadRequest,
} from '../../../electron/engine/downloads/download-file.ts'
import { createLinkPolicy } from '../../../electron/engine/service/address-policy.ts'
import { Outbound } from '../../../electron/engine/service/outbound.ts'
import { createTransport } from '../../../electron/engine/downloads/transport.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { errnoError, failOnWindows } from '../archive/folder-test.ts'
import { sha256 } from '../../support/sample-archive.ts'
import { canMount, makeSmallDisk, type SmallDisk } from '../../support/small-disk.ts'

/** A JPEG as far as its markers go; the data between them is arbitrary. */
function jpeg(bytes: number): Buffer {
  const body = Buffer.alloc(bytes, 'solar')
  body.set([0xff, 0xd8, 0xff, 0xe0])
  body.set([0xff, 0xd9], bytes - 2)
  return body
}

const partBytes = 2_000_000
/** Responses that break once the client has received their first `partBytes`. */
const breaking = new Set<ServerResponse>()

function writePart(response: ServerResponse, body: Buffer): void {
  breaking.add(response)
  response.write(body.subarray(0, partBytes))
}

function breakAfterPart(bytes: number): void {
  if (bytes < partBytes) return
  for (const response of breaking) response.destroy()
  breaking.clear()
}

async function download(
  listener: RequestListener,
  request: Partial<DownloadRequest> = {},
  limits: Partial<DownloadLimits> = {},
  parent = tmpdir(),
) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const folder = mkdtempSync(join(parent, 'solarchive-download-'))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
    rmSync(folder, { recursive: true })
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/photo.jpg`
  const partPath = join(folder, '1.part')
  const policy = createLinkPolicy(new URL(url))
  const { connectMs, responseMs } = { ...defaultDownloadLimits, ...limits }
  const transport = createTransport({
    outbound: new Outbound(),
    lookup: policy.lookup,
    connections: 2,
    connectMs,
    responseMs,
  })
  onTestFinished(() => transport.close())
  const again = (more: Partial<DownloadRequest> = {}) =>
    downloadFile(
      {
        url,
        partPath: { root: folder, path: '1.part' },
        kind: 'photo',
        validators: null,
        resume: null,
        room: createDiskRoom(parent, systemClock),
        onBytes: breakAfterPart,
        signal: new AbortController().signal,
        ...request,
        ...more,
      },
      { transport, policy, limits: { ...defaultDownloadLimits, ...limits } },
    )
  return { outcome: await again(), again, partPath }
}

describe('a large download that is interrupted', () => {
  const body = jpeg(3_000_000)

  function breakingServer(etag: string, ranges: (string | undefined)[]): RequestListener {
    return (request, response) => {
      ranges.push(request.headers.range)
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
      const isSame = request.headers['if-range'] === undefined || request.headers['if-range'] === etag
      const start = isSame ? from : 0
      response.writeHead(start > 0 ? 206 : 200, {
        etag,
        'content-length': body.length - start,
        ...(start > 0 && { 'content-range': `bytes ${start}-${body.length - 1}/${body.length}` }),
      })
      if (ranges.length > 1) response.end(body.subarray(start))
      else writePart(response, body)
    }
  }

  it('resumes under a strong validator, and is complete', async () => {
    const ranges: (string | undefined)[] = []
    const { outcome, again, partPath } = await download(breakingServer('"v1"', ranges))
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'unreachable-reset' }, partial: { etag: '"v1"' } })
    if (outcome.kind !== 'failed') throw new Error('It did not fail')
    expect(await again({ resume: outcome.partial })).toMatchObject({
      kind: 'received',
      content: { in: 'part', sha256: sha256(body) },
    })
    expect(ranges).toEqual([undefined, `bytes=${outcome.partial?.bytes}-`])
    expect(sha256(readFileSync(partPath))).toBe(sha256(body))
  })

  it('resumes also after tries that got no answer', async () => {
    const ranges: (string | undefined)[] = []
    const serve = breakingServer('"v1"', ranges)
    let answer: RequestListener = serve
    const { outcome, again, partPath } = await download((request, response) => answer(request, response))
    if (outcome.kind !== 'failed' || outcome.partial === null) throw new Error('It kept nothing')
    const { partial } = outcome
    answer = ({ socket }) => socket.destroy()
    const broken = await again({ resume: partial })
    expect(broken).toMatchObject({ kind: 'failed', error: { code: 'unreachable-reset' }, partial })
    answer = (_request, response) => response.writeHead(503).end()
    const busy = await again({ resume: partial })
    expect(busy).toMatchObject({ kind: 'failed', error: { code: 'service-error' }, partial })
    const stopped = await again({ resume: partial, signal: AbortSignal.abort() })
    expect(stopped).toMatchObject({ kind: 'failed', error: { code: 'cancelled' }, partial })
    answer = serve
    expect(await again({ resume: partial })).toMatchObject({ kind: 'received', content: { sha256: sha256(body) } })
    expect(ranges).toEqual([undefined, `bytes=${partial.bytes}-`])
    expect(sha256(readFileSync(partPath))).toBe(sha256(body))
  })

  it('starts over after an answer that does not go with what was kept', async () => {
    let answer = breakingServer('"v1"', [])
    const { outcome, again, partPath } = await download((request, response) => answer(request, response))
    if (outcome.kind !== 'failed') throw new Error('It did not fail')
    answer = (_request, response) => response.writeHead(416).end()
    const refused = await again({ resume: outcome.partial })
    expect(refused).toMatchObject({ kind: 'failed', error: { code: 'service-error' }, partial: null })
    expect(existsSync(partPath)).toBe(false)
  })

  it('starts over if the file has changed meanwhile', async () => {
    const ranges: (string | undefined)[] = []
    const { outcome, again, partPath } = await download(breakingServer('"v1"', ranges))
    if (outcome.kind !== 'failed') throw new Error('It did not fail')
    const stale = { bytes: outcome.partial?.bytes ?? 0, etag: '"v0"' }
    expect(await again({ resume: stale })).toMatchObject({
      kind: 'received',
      content: { in: 'part', sha256: sha256(body) },
    })
    expect(sha256(readFileSync(partPath))).toBe(sha256(body))
  })

  it('cannot be resumed under a weak validator', async () => {
    const { outcome, partPath } = await download(breakingServer('W/"v1"', []))
    expect(outcome).toMatchObject({ kind: 'failed', partial: null })
    expect(existsSync(partPath)).toBe(false)
  })

  it('and cannot be resumed is deleted, also if a scanner of Windows holds it for a moment', async () => {
    failOnWindows('rm')
    const { outcome, partPath } = await download(breakingServer('W/"v1"', []))
    expect(outcome).toMatchObject({ kind: 'failed', partial: null })
    expect(existsSync(partPath)).toBe(false)
  })
})

describe('a file that arrives before it is read', () => {
  /** Waits until the host has sent all, and a moment for it to arrive. */
  function untilSent() {
    const sent = Promise.withResolvers<void>()
    const reserve = async () => {
      await sent.promise
      await new Promise((resolve) => setTimeout(resolve, 50))
      return () => undefined
    }
    return { sent: () => sent.resolve(), room: { requireAny: () => Promise.resolve(), reserve } }
  }

  // More than waits in memory: the connection pauses, and its last bytes come at once when it continues.
  describe.each([100, 20_000, 200_000])('with %i bytes more than a connection holds', (more) => {
    const body = jpeg(2 ** 20 + more)

    it.each(['stays open', 'is closed'])('is complete if the connection %s', async (connection) => {
      const { sent, room } = untilSent()
      const { outcome } = await download(
        (_request, response) => {
          const closing = connection === 'is closed' ? { connection: 'close' } : {}
          response.writeHead(200, { 'content-length': body.length, ...closing }).write(body.subarray(0, 1000))
          response.end(body.subarray(1000), sent)
        },
        { room },
      )
      expect(outcome).toMatchObject({ kind: 'received', content: { sha256: sha256(body) } })
    })

    it('is complete if the end of the connection is that of the file', async () => {
      const { sent, room } = untilSent()
      const { outcome } = await download(
        ({ socket }) => {
          socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n')
          socket.end(body, sent)
        },
        { room },
      )
      expect(outcome).toMatchObject({ kind: 'received', content: { sha256: sha256(body) } })
    })

    it('breaks with its connection', async () => {
      const { sent, room } = untilSent()
      const { outcome } = await download(
        (_request, response) => {
          response.writeHead(200, { 'content-length': body.length + 1, etag: '"v1"' })
          response.write(body, () => {
            response.socket?.resetAndDestroy()
            sent()
          })
        },
        { room },
      )
      expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'unreachable-reset' } })
    })
  })
})

test('a file that is sent in chunks of all sizes, more than wait in memory, is complete', async () => {
  const body = jpeg(6_000_000)
  for (let at = 4; at < body.length - 2; at += 4) body.writeUInt32LE(at, Math.min(at, body.length - 6))
  body.set([0xff, 0xd9], body.length - 2)
  const sizes = [1, 40_000, 300, 70_000, 33_000, 16_384, 65_536, 5, 130_000]
  const { outcome, partPath } = await download((_request, response) => {
    for (let at = 0, index = 0; at < body.length; index += 1) {
      const size = sizes[index % sizes.length] ?? 1
      response.write(body.subarray(at, at + size))
      at += size
    }
    response.end()
  })
  expect(outcome).toMatchObject({ kind: 'received', content: { in: 'part', sha256: sha256(body) } })
  expect(sha256(readFileSync(partPath))).toBe(sha256(body))
})

test('a file whose announced length has a space behind it, as servers may send it, is complete', async () => {
  const body = jpeg(5_000)
  const { outcome } = await download(({ socket }) => {
    socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length} \r\n\r\n`), body]))
  })
  expect(outcome).toMatchObject({ kind: 'received', sizeBytes: body.length })
})

test('several files of an encrypted host are asked for at once, also before a connection to it stands', async () => {
  const enough = Promise.withResolvers<void>()
  let connections = 0
  const connect = async () => {
    connections += 1
    if (connections === 4) enough.resolve()
    await enough.promise
    throw errnoError('ETIMEDOUT')
  }
  const outbound = Object.assign(new Outbound(), { connect })
  const limits = { connections: 4, connectMs: 60_000, responseMs: 60_000 }
  const transport = createTransport({ outbound, lookup: () => undefined, ...limits })
  const { signal } = new AbortController()
  const requests = [1, 2, 3, 4].map((name) => transport.request(new URL(`https://files.example/${name}`), {}, signal))
  for (const request of requests) await expect(request).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  await transport.close()
})

describe('a file host that misbehaves', () => {
  it('breaks the connection to a host that sends interim answers without end', async () => {
    const { outcome } = await download(
      (_, response) => {
        for (let sent = 0; sent < 21; sent++) response.writeProcessing()
      },
      {},
      { responseMs: 60_000 },
    )
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'unreachable-reset' }, partial: null })
  })

  it.each([
    'SSH-2.0-OpenSSH_9.2\r\n',
    'HTTP/9.9 200 OK\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n',
  ])('by an answer that is not HTTP counts as unreachable: %j', async (answer) => {
    const { outcome } = await download(({ socket }) => socket.end(answer))
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'unreachable-reset' } })
  })

  it('by sending an occasional byte is aborted as stalled', async () => {
    const { outcome, partPath } = await download(
      (_request, response) => {
        response.writeHead(200, { 'content-length': 1000 })
        const timer = setInterval(() => response.write('x'), 20)
        response.on('close', () => clearInterval(timer))
      },
      {},
      { stallMs: 300, stallBytes: 100 },
    )
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'unreachable-timeout' } })
    expect(existsSync(partPath)).toBe(false)
  })

  it('by never responding is aborted', async () => {
    const { outcome } = await download(() => undefined, {}, { responseMs: 200 })
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'unreachable-timeout' } })
  })

  it.each([
    ['announces more than the cap', { 'content-length': 9_000_000 }],
    ['sends more than the cap', {}],
  ])('and %s is aborted', async (_name, headers) => {
    const { outcome, partPath } = await download(
      (_request, response) => {
        response.writeHead(200, headers)
        response.end(jpeg(9_000_000))
      },
      {},
      { maxBytes: { report: 1, photo: 5_000_000, thumbnail: 1 } },
    )
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'file-too-large' } })
    expect(existsSync(partPath)).toBe(false)
  })

  it('by "not modified" to an unconditional request is rejected', async () => {
    const { outcome } = await download((_request, response) => void response.writeHead(304).end())
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'service-error' } })
  })

  it('by an unrequested range of the file is rejected', async () => {
    const { outcome } = await download((_request, response) => {
      response.writeHead(206, { 'content-range': 'bytes 0-99/1000' }).end(jpeg(100))
    })
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'service-error' } })
  })

  it('by a redirect loop is rejected after five redirects', async () => {
    let requests = 0
    const { outcome } = await download((_request, response) => {
      requests++
      response.writeHead(302, { location: '/photo.jpg' }).end()
    })
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'service-error' } })
    expect(requests).toBe(6)
  })

  it.each([301, 302, 303, 307, 308])('by redirects (%i) whose bodies have no end is left alone', async (status) => {
    const body = jpeg(5000)
    const redirected: ServerResponse[] = []
    const { outcome } = await download((request, response) => {
      if (request.url === '/5') {
        response.writeHead(200, { 'content-length': body.length }).end(body)
        return
      }
      response.writeHead(status, { location: `/${redirected.length + 1}` })
      redirected.push(response)
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    })
    expect(outcome).toMatchObject({ kind: 'received', content: { in: 'memory' } })
    const chunks = outcome.kind === 'received' && outcome.content.in === 'memory' ? outcome.content.chunks : []
    expect(Buffer.concat([...chunks])).toEqual(body)
    await expect.poll(() => redirected.map(({ destroyed }) => destroyed)).toEqual(Array(5).fill(true))
  })

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/a', 'data:image/jpeg;base64,AAAA', 'http://[', 'unix:/run/x:/a'])(
    'by a redirect to %s is refused',
    async (location) => {
      const { outcome } = await download((_request, response) => void response.writeHead(302, { location }).end())
      expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'link-unsafe' }, partial: null })
    },
  )

  it('by a redirect with a password is refused', async () => {
    const location = 'http://user:pw@127.0.0.1/'
    const { outcome } = await download((_request, response) => void response.writeHead(302, { location }).end())
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'link-unsafe' }, partial: null })
  })

  it('by sending slowly gives its slot up, keeps its part, and continues later', async () => {
    const body = jpeg(100_000)
    const ranges: (string | undefined)[] = []
    const { outcome, again } = await download(
      (request, response) => {
        ranges.push(request.headers.range)
        const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
        response.writeHead(from > 0 ? 206 : 200, {
          etag: '"v1"',
          'content-length': body.length - from,
          ...(from > 0 && { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` }),
        })
        if (from > 0) response.end(body.subarray(from))
        let sent = from
        const timer = setInterval(() => response.write(body.subarray(sent, (sent += 100))), 10)
        response.on('close', () => clearInterval(timer))
      },
      {},
      { slowMs: 300, slowBytes: 50_000 },
    )
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: { code: 'unreachable-timeout' },
      partial: { etag: '"v1"', bytes: expect.any(Number) as number },
    })
    if (outcome.kind !== 'failed') throw new Error('It did not fail')
    expect(await again({ resume: outcome.partial })).toMatchObject({
      kind: 'received',
      content: { in: 'part', sha256: sha256(body) },
    })
    expect(ranges).toEqual([undefined, `bytes=${outcome.partial?.bytes}-`])
  })

  it.each([
    ['ENOSPC', 'disk-full'],
    ['EIO', 'disk-error'],
  ])('is not blamed for a disk that takes long to refuse the file (%s)', async (errno, code) => {
    const isClosed = Promise.withResolvers<void>()
    const handle = await open('/dev/null')
    const prototype = Object.getPrototypeOf(handle) as typeof handle
    await handle.close()
    const writev: unknown = Reflect.get(prototype, 'writev')
    const refuse = () => isClosed.promise.then(() => Promise.reject(Object.assign(new Error(errno), { code: errno })))
    Object.assign(prototype, { writev: refuse })
    onTestFinished(() => void Object.assign(prototype, { writev }))
    const { outcome } = await download(
      (_request, response) => {
        response.on('close', () => isClosed.resolve())
        response.writeHead(200, { 'content-length': 3_000_000 }).write(jpeg(2_000_000))
      },
      {},
      { stallMs: 1_000, stallBytes: 100 },
    )
    expect(outcome).toMatchObject({ kind: 'failed', error: { code }, partial: null })
  })

  it('by asking to wait in a long header is quoted in part', async () => {
    const { outcome } = await download((_request, response) => {
      response.writeHead(429, { 'retry-after': '9'.repeat(10_000) }).end()
    })
    expect(outcome).toMatchObject({ error: { code: 'rate-limited', details: { retryAfter: '9'.repeat(64) } } })
  })
})

it('a download sends no Accept-Encoding, no cookie, and no token, and can be aborted', async () => {
  const headers: string[] = []
  const stop = new AbortController()
  const { outcome } = await download(
    (request, response) => {
      headers.push(...Object.keys(request.headers))
      response.writeHead(200, { 'set-cookie': 'a=b' })
      response.write(jpeg(1000), () => stop.abort())
    },
    { signal: stop.signal },
  )
  expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'cancelled' } })
  expect(headers).not.toEqual(expect.arrayContaining(['accept-encoding']))
  expect(headers).not.toEqual(expect.arrayContaining(['cookie']))
  expect(headers).not.toEqual(expect.arrayContaining(['authorization']))
})

/** Lets the next call of a method of any open file fail. */
async function failOnce(method: 'writev' | 'sync', code: string): Promise<void> {
  const handle = await open('/dev/null')
  vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, method).mockRejectedValueOnce(errnoError(code))
  await handle.close()
}

it('a large file that does not reach the disk is not received', async () => {
  await failOnce('sync', 'EIO')
  const { outcome } = await download((_request, response) => response.end(jpeg(1_500_000)))
  expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'disk-error', details: { errno: 'EIO' } } })
})

it.each(['ECONNRESET', 'EHOSTDOWN', 'ETIMEDOUT'])(
  'a share that goes away meanwhile is not the host (%s)',
  async (code) => {
    await failOnce('writev', code)
    const { outcome } = await download((_request, response) => response.end(jpeg(1_500_000)))
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'archive-unavailable', details: { errno: code } } })
  },
)

// Needs the right to mount; disk-room.test.ts covers announced lengths without it.
describe.runIf(canMount())('a file that does not fit on the disk', () => {
  let disk: SmallDisk
  beforeAll(() => {
    disk = makeSmallDisk(8000)
  })
  afterAll(() => disk.remove())

  it('is refused before a byte of it is read if its length is announced', async () => {
    const body = jpeg(9_000_000)
    const { outcome, partPath } = await download((_request, response) => response.end(body), {}, {}, disk.path)
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'file-too-large' }, partial: null })
    expect(existsSync(partPath)).toBe(false)
  })

  it('fails alone if it fills the disk unannounced', async () => {
    const unannounced: RequestListener = (_request, response) => {
      response.write(jpeg(5_000_000))
      response.end(jpeg(5_000_000))
    }
    const { outcome, partPath } = await download(unannounced, {}, {}, disk.path)
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'file-too-large' }, partial: null })
    expect(existsSync(partPath)).toBe(false)
  })
})

it('a validator that may not be stored is ignored, for a complete file and for a partial one', async () => {
  const secret = 'tok-CANARY-123'
  const containsSecret = (text: string) => text.includes(secret)
  const body = jpeg(2_500_000)
  const ranges: (string | undefined)[] = []
  const listener: RequestListener = (request, response) => {
    ranges.push(request.headers.range)
    const head = { etag: `"${secret}"`, 'last-modified': secret, 'content-length': body.length }
    response.writeHead(200, head)
    if (ranges.length > 1) response.end(body)
    else writePart(response, body)
  }
  const { outcome, again, partPath } = await download(listener, { containsSecret })
  expect(outcome).toMatchObject({ kind: 'failed', partial: null })
  expect(existsSync(partPath)).toBe(false)
  expect(await again()).toMatchObject({
    kind: 'received',
    content: { in: 'part', sha256: sha256(body) },
    etag: null,
    lastModified: null,
  })
  expect(await again({ containsSecret: undefined })).toMatchObject({ etag: `"${secret}"`, lastModified: secret })
})
