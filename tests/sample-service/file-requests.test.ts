import { expect, test } from 'vitest'
import { cheapFiles, first, firstMedia, serviceForTest } from './sample-client.ts'
import type { SampleServiceOptions } from '../../electron/sample-service/options.ts'
import { photosOf } from '../../electron/sample-service/site/site-types.ts'

async function photoOf(options: SampleServiceOptions = {}) {
  const service = await serviceForTest({ ...cheapFiles, ...options })
  const { imgUrl, thumbnailUrl } = first(await firstMedia(service))
  const photo = first(photosOf(first(first(service.projects).checklists)))
  return { service, imgUrl, thumbnailUrl, photo, bytes: await service.photoBytes(photo) }
}

const ranged = (range: string, more: Record<string, string> = {}): RequestInit => ({
  headers: { Range: range, ...more },
})

test('links serve exactly the bytes that the service reports', async () => {
  const { service, imgUrl, thumbnailUrl, photo, bytes } = await photoOf()
  const response = await fetch(imgUrl)
  expect(response.headers.get('content-type')).toBe('image/jpeg')
  expect(response.headers.get('content-length')).toBe(String(bytes.length))
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  const thumbnail = Buffer.from(await (await fetch(thumbnailUrl)).arrayBuffer())
  expect(thumbnail.equals(await service.thumbnailBytes(photo))).toBe(true)
})

test('a link works for its lifetime and is refused afterwards', async () => {
  let now = Date.UTC(2026, 0, 1)
  const { service, imgUrl } = await photoOf({ nowMs: () => now })
  now += 24 * 3_600_000 - 1000
  expect((await fetch(imgUrl)).status).toBe(200)
  now += 1000
  const refused = await fetch(imgUrl)
  expect(refused.status).toBe(403)
  expect(await refused.json()).toMatchObject({ statusCode: 403, message: 'Request has expired' })
  expect((await fetch(first(await firstMedia(service)).imgUrl)).status).toBe(200)
})

test('lifetimes of links can be short', async () => {
  let now = Date.UTC(2026, 0, 1)
  const { imgUrl } = await photoOf({ nowMs: () => now, linkLifetimeMs: 250 })
  now += 249
  expect((await fetch(imgUrl)).status).toBe(200)
  now += 1
  expect((await fetch(imgUrl)).status).toBe(403)
})

test('the signature covers the path and the expiry', async () => {
  const { imgUrl, thumbnailUrl } = await photoOf()
  const later = new URL(imgUrl)
  later.searchParams.set('Expires', String(Number(later.searchParams.get('Expires')) + 60))
  const other = new URL(thumbnailUrl)
  other.search = new URL(imgUrl).search
  const bare = new URL(imgUrl)
  bare.search = ''
  for (const url of [later, other, bare]) expect((await fetch(url)).status).toBe(403)
})

test('an unchanged file gets a 304 for its tag or its date', async () => {
  const { service, imgUrl, photo } = await photoOf()
  const { headers } = await fetch(imgUrl, { method: 'HEAD' })
  const etag = headers.get('etag') ?? ''
  const modified = headers.get('last-modified') ?? ''
  expect(etag).toMatch(/^"[0-9a-f]{40}"$/)
  const asks = (more: Record<string, string>): Promise<Response> => fetch(imgUrl, { headers: more })
  expect((await asks({ 'If-None-Match': etag })).status).toBe(304)
  expect((await asks({ 'If-None-Match': `"x", W/${etag}` })).status).toBe(304)
  expect((await asks({ 'If-Modified-Since': modified })).status).toBe(304)
  expect((await asks({ 'If-None-Match': '"x"', 'If-Modified-Since': modified })).status).toBe(200)
  service.replacePhoto(photo)
  expect((await asks({ 'If-None-Match': etag })).status).toBe(200)
})

test('a HEAD request returns the length and no body', async () => {
  const { imgUrl, bytes } = await photoOf()
  const response = await fetch(imgUrl, { method: 'HEAD' })
  expect(response.headers.get('content-length')).toBe(String(bytes.length))
  expect((await response.arrayBuffer()).byteLength).toBe(0)
})

test('a range returns that part of the file', async () => {
  const { imgUrl, bytes } = await photoOf()
  const cases = [
    ['bytes=0-99', 0, 99],
    ['bytes=5000-', 5000, 5999],
    ['bytes=-10', 5990, 5999],
    ['bytes=5990-9000', 5990, 5999],
  ] as const
  for (const [range, from, to] of cases) {
    const response = await fetch(imgUrl, ranged(range))
    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(`bytes ${from}-${to}/6000`)
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(from, to + 1))).toBe(true)
  }
  const outside = await fetch(imgUrl, ranged('bytes=6000-'))
  expect([outside.status, outside.headers.get('content-range')]).toEqual([416, 'bytes */6000'])
  expect((await fetch(imgUrl, ranged('bytes=0-1,5-6'))).status).toBe(200)
})

test('If-Range holds only while the file is unchanged', async () => {
  const { service, imgUrl, photo } = await photoOf()
  const { headers } = await fetch(imgUrl, { method: 'HEAD' })
  const etag = headers.get('etag') ?? ''
  const modified = headers.get('last-modified') ?? ''
  expect((await fetch(imgUrl, ranged('bytes=10-', { 'If-Range': etag }))).status).toBe(206)
  expect((await fetch(imgUrl, ranged('bytes=10-', { 'If-Range': modified }))).status).toBe(206)
  service.replacePhoto(photo)
  expect((await fetch(imgUrl, ranged('bytes=10-', { 'If-Range': etag }))).status).toBe(200)
})

test('a host can have weak tags, or none', async () => {
  const weak = await photoOf({ validators: 'weak' })
  const tag = (await fetch(weak.imgUrl, { method: 'HEAD' })).headers.get('etag') ?? ''
  expect(tag).toMatch(/^W\/"/)
  expect((await fetch(weak.imgUrl, ranged('bytes=10-', { 'If-Range': tag }))).status).toBe(200)
  const bare = await photoOf({ validators: 'none' })
  const { headers } = await fetch(bare.imgUrl)
  expect([headers.get('etag'), headers.get('last-modified')]).toEqual([null, null])
})

test('a photo that was not uploaded or was removed is not found', async () => {
  const { service, imgUrl, photo } = await photoOf()
  service.setPhotoState(photo, 'taken')
  expect((await fetch(imgUrl)).status).toBe(404)
  service.setPhotoState(photo, 'uploaded')
  expect((await fetch(imgUrl)).status).toBe(200)
  service.removePhoto(photo)
  expect((await fetch(imgUrl)).status).toBe(404)
})
