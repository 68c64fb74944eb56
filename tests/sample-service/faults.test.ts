import { connect } from 'node:net'
import { expect, test } from 'vitest'
import type { Fault } from '../../electron/sample-service/http/faults.ts'
import type { SampleService } from '../../electron/sample-service/start-sample-service.ts'
import { call, cheapFiles, first, firstMedia, serviceForTest } from './sample-client.ts'

/** Returns the response to one request as raw text, up to the end of the connection. */
function wire(url: string): Promise<string> {
  const { port, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: sample\r\n\r\n`),
    )
    socket.on('data', (part) => parts.push(part))
    socket.on('end', () => resolve(Buffer.concat(parts).toString('latin1')))
    socket.on('error', reject)
  })
}

/** The parts of a body as they arrive. */
function partsOf(body: Response['body']): AsyncIterable<Uint8Array> {
  if (!body) throw new Error('The response has no body')
  return body as AsyncIterable<Uint8Array>
}

async function withPhotoFault(fault: Fault): Promise<{ service: SampleService; imgUrl: string }> {
  const service = await serviceForTest(cheapFiles)
  const { imgUrl } = first(await firstMedia(service))
  service.faults.add({ route: 'photo', fault, count: 1 })
  return { service, imgUrl }
}

test('a status fault affects its number of requests, with its Retry-After, and no more', async () => {
  const service = await serviceForTest(cheapFiles)
  const fault = service.faults.add({
    route: 'projects',
    fault: { kind: 'status', status: 503, retryAfter: 7 },
    count: 2,
    skip: 1,
  })
  const statuses = []
  for (let request = 0; request < 5; request++) statuses.push((await call(service, 'projects')).status)
  expect(statuses).toEqual([200, 503, 503, 200, 200])
  expect(fault.hits).toBe(2)
  service.faults.add({ route: 'api', fault: { kind: 'status', status: 429, retryAfter: 3 } })
  expect((await call(service, 'projects')).headers.get('retry-after')).toBe('3')
  service.faults.clear()
  expect((await call(service, 'projects')).status).toBe(200)
})

test('rules select requests by route, method, pattern, or function', async () => {
  const service = await serviceForTest(cheapFiles)
  const { id } = first(service.projects)
  const gone: Fault = { kind: 'status', status: 410 }
  service.faults.add({ route: /^\/api\/v1\/checklist\/[^/]+$/, fault: gone })
  service.faults.add({ route: ({ search }) => search.includes('filterBy'), fault: gone })
  service.faults.add({ route: 'serviceRequests', method: 'POST', fault: gone })
  expect((await call(service, `checklist/${id}`)).status).toBe(410)
  expect((await call(service, 'projects')).status).toBe(200)
  expect((await call(service, 'projects?filterBy[address]=x')).status).toBe(410)
  expect((await call(service, 'serviceRequests', { method: 'POST', body: '{}' })).status).toBe(410)
  expect((await call(service, `serviceRequests/project/${id}`)).status).toBe(200)
})

test('latency delays the response without changing it', async () => {
  const { service, imgUrl } = await withPhotoFault({ kind: 'latency', delayMs: 120 })
  const start = performance.now()
  expect((await (await fetch(imgUrl)).arrayBuffer()).byteLength).toBe(6000)
  expect(performance.now() - start).toBeGreaterThan(110)
  expect(service.requests.count('photo')).toBe(1)
})

test('a held response waits until it is released, or the service is closed', async () => {
  const { promise: until, resolve: release } = Promise.withResolvers<void>()
  const { service, imgUrl } = await withPhotoFault({ kind: 'hold', until })
  const held = fetch(imgUrl)
  while (service.requests.count('photo') < 1) await new Promise((resolve) => setTimeout(resolve, 5))
  // A later request is answered meanwhile.
  expect((await fetch(imgUrl)).status).toBe(200)
  const statuses = () =>
    service.requests.records.filter(({ route }) => route === 'photo').map((record) => record.status)
  expect(statuses()).toEqual([null, 200])
  release()
  expect((await (await held).arrayBuffer()).byteLength).toBe(6000)
  service.faults.add({ route: 'photo', fault: { kind: 'hold', until: new Promise(() => undefined) } })
  const outcome = expect(fetch(imgUrl)).rejects.toThrow()
  while (service.requests.count('photo') < 3) await new Promise((resolve) => setTimeout(resolve, 5))
  await service.close()
  await outcome
  // It is not carried out at the end, either.
  while (service.requests.inProgress > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(statuses()).toEqual([200, 200, null])
})

test('a truncated body with Content-Length is shorter than announced', async () => {
  const { imgUrl } = await withPhotoFault({ kind: 'truncate', framing: 'contentLength', keepBytes: 1000 })
  const response = await wire(imgUrl)
  const [head = '', ...body] = response.split('\r\n\r\n')
  expect(head).toContain('Content-Length: 6000')
  expect(body.join('\r\n\r\n')).toHaveLength(1000)
})

test('a truncated chunked body lacks its last chunk', async () => {
  const { imgUrl } = await withPhotoFault({ kind: 'truncate', framing: 'chunked' })
  const response = await wire(imgUrl)
  expect(response).toContain('Transfer-Encoding: chunked')
  expect(response).not.toContain('Content-Length')
  expect(response.endsWith('0\r\n\r\n')).toBe(false)
  expect(response.length).toBeGreaterThan(3000)
})

test('a body ended by closing the connection has no length', async () => {
  const { imgUrl } = await withPhotoFault({ kind: 'truncate', framing: 'close', keepBytes: 2500 })
  const response = await wire(imgUrl)
  const [head = '', ...body] = response.split('\r\n\r\n')
  expect(head).toContain('Connection: close')
  expect(head).not.toMatch(/content-length|transfer-encoding/i)
  expect(body.join('\r\n\r\n')).toHaveLength(2500)
})

test('fetch notices the first two truncations and cannot notice the third', async () => {
  const service = await serviceForTest(cheapFiles)
  const { imgUrl } = first(await firstMedia(service))
  for (const framing of ['contentLength', 'chunked'] as const) {
    service.faults.add({ route: 'photo', fault: { kind: 'truncate', framing }, count: 1 })
    await expect(fetch(imgUrl).then((response) => response.arrayBuffer())).rejects.toThrow()
  }
  service.faults.add({ route: 'photo', fault: { kind: 'truncate', framing: 'close' }, count: 1 })
  expect((await (await fetch(imgUrl)).arrayBuffer()).byteLength).toBe(3000)
})

test('a reset ends the connection immediately or during the body', async () => {
  const { service, imgUrl } = await withPhotoFault({ kind: 'reset' })
  await expect(fetch(imgUrl)).rejects.toThrow()
  service.faults.add({ route: 'photo', fault: { kind: 'reset', afterBytes: 100 }, count: 1 })
  await expect(fetch(imgUrl).then((response) => response.arrayBuffer())).rejects.toThrow()
  expect((await fetch(imgUrl)).status).toBe(200)
})

test('a login page with 200, a wrong type, and any other body can replace a file', async () => {
  const { service, imgUrl } = await withPhotoFault({ kind: 'html' })
  const page = await fetch(imgUrl)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(await page.text()).toContain('<form')
  service.faults.add({ route: 'photo', fault: { kind: 'contentType', contentType: 'text/plain' }, count: 1 })
  const typed = await fetch(imgUrl)
  expect(typed.headers.get('content-type')).toBe('text/plain')
  expect((await typed.arrayBuffer()).byteLength).toBe(6000)
  service.faults.add({ route: 'api', fault: { kind: 'body', body: '{"data":' } })
  await expect((await call(service, 'projects')).json()).rejects.toThrow()
})

test('an endless body continues until the client disconnects', async () => {
  const { imgUrl } = await withPhotoFault({ kind: 'endless' })
  const { body } = await fetch(imgUrl)
  let size = 0
  for await (const part of partsOf(body)) {
    size += part.length
    if (size >= 2_000_000) break
  }
  expect(size).toBeGreaterThanOrEqual(2_000_000)
})

test('a trickle sends its bytes one by one, or some hundred times per second as many as it needs', async () => {
  const firstSizes = async (bytesPerSecond: number) => {
    const { imgUrl } = await withPhotoFault({ kind: 'trickle', bytesPerSecond })
    const response = await fetch(imgUrl)
    expect(response.headers.get('content-length')).toBe('6000')
    const sizes: number[] = []
    for await (const part of partsOf(response.body)) {
      if (sizes.push(part.length) === 3) break
    }
    return sizes
  }
  // Far enough apart that a busy machine does not read two at once.
  expect(await firstSizes(5)).toEqual([1, 1, 1])
  expect(Math.min(...(await firstSizes(50_000)))).toBeGreaterThanOrEqual(500)
})

test('a redirect leads to the host of the fault', async () => {
  const other = await serviceForTest(cheapFiles)
  const { service, imgUrl } = await withPhotoFault({ kind: 'redirect', to: `${other.filesUrl}/elsewhere`, status: 307 })
  const response = await fetch(imgUrl, { redirect: 'manual' })
  expect(response.status).toBe(307)
  expect(response.headers.get('location')).toBe(`${other.filesUrl}/elsewhere`)
  service.faults.add({ route: 'photo', fault: { kind: 'redirect', to: `${other.filesUrl}/elsewhere` } })
  expect((await fetch(imgUrl)).status).toBe(404)
  expect(other.requests.records).toHaveLength(1)
})

test('a request that hangs gets no response, and closing the service ends it', async () => {
  const { service, imgUrl } = await withPhotoFault({ kind: 'hang' })
  const stop = new AbortController()
  const aborted = expect(fetch(imgUrl, { signal: stop.signal })).rejects.toThrow()
  while (service.requests.count('photo') < 1) await new Promise((resolve) => setTimeout(resolve, 5))
  // A later request is answered while the first one hangs.
  expect((await fetch(imgUrl)).status).toBe(200)
  stop.abort()
  await aborted
  service.faults.add({ route: 'photo', fault: { kind: 'hang' } })
  const waiting = fetch(imgUrl)
  const outcome = expect(waiting).rejects.toThrow()
  while (service.requests.count('photo') < 3) await new Promise((resolve) => setTimeout(resolve, 5))
  await service.close()
  await outcome
})
