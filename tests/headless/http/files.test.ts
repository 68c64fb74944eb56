import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { readRange } from '../../../electron/app/static-files/asset-response.ts'
import { answerWritten } from '../../../electron/headless/http/answers.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { flipBit } from '../../support/flip-bit.ts'
import { readZip } from '../../support/read-zip.ts'
import { checklistOf } from '../../support/sample-archive.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { withServed, type Served } from './served.ts'

interface ArchivedAsset {
  readonly id: number
  readonly kind: 'report' | 'photo' | 'thumbnail'
  readonly path: string
  readonly sha256: string
  readonly size: number
}

/** Reads the recorded assets with a connection of its own. */
function assetsOf({ archive }: Served): ArchivedAsset[] {
  const db = new Database(join(archive.home, 'solarchive.sqlite3'), { readonly: true })
  const sql = 'SELECT id, kind, path, sha256, size_bytes AS size FROM assets WHERE sha256 IS NOT NULL ORDER BY id'
  const assets = db.prepare<[], ArchivedAsset>(sql).all()
  db.close()
  return assets
}

function first(assets: readonly ArchivedAsset[], kind: ArchivedAsset['kind']): ArchivedAsset {
  const asset = assets.find((candidate) => candidate.kind === kind)
  if (asset === undefined) throw new Error(`The sample has no ${kind}`)
  return asset
}

test('every archived file is served by its id, byte for byte, and cannot run in the browser', async () => {
  await withServed(async (served) => {
    await served.engine.sync()
    const assets = assetsOf(served)
    expect(assets.length).toBeGreaterThan(10)
    for (const { id, kind, sha256, size } of assets) {
      const { status, headers, body } = await served.send(`/files/${id}`)
      expect([status, body.length]).toEqual([200, size])
      expect(createHash('sha256').update(body).digest('hex')).toBe(sha256)
      expect(headers['content-type']).toBe(kind === 'report' ? 'application/pdf' : 'image/jpeg')
      expect(headers['content-disposition']).toMatch(/^inline; filename="[\w .()-]+"; filename\*=UTF-8''[\w.%~!-]+$/)
      expect(headers['content-security-policy']).toMatch(/^sandbox;/)
      expect(headers['x-content-type-options']).toBe('nosniff')
      const known = await served.send(`/files/${id}`, { headers: { 'if-none-match': headers.etag ?? '' } })
      expect([known.status, known.body.length]).toEqual([304, 0])
    }
    expect((await served.send(`/thumbnails/${first(assets, 'thumbnail').id}`)).status).toBe(200)
    expect((await served.send(`/thumbnails/${first(assets, 'photo').id}`)).status).toBe(404)
    const head = await served.send(`/files/${first(assets, 'report').id}`, { method: 'HEAD' })
    expect([head.status, head.body.length]).toEqual([200, 0])
  })
})

test('a part of a file is served if one range is requested', async () => {
  await withServed(async (served) => {
    await served.engine.sync()
    const { id, size, sha256 } = first(assetsOf(served), 'report')
    const whole = (await served.send(`/files/${id}`)).body
    const part = async (range: string, headers = {}) => {
      const reply = await served.send(`/files/${id}`, { headers: { range, ...headers } })
      return [reply.status, reply.headers['content-range'], reply.body.equals(whole) || reply.body.toString('latin1')]
    }
    const bytes = (start: number, end: number) => whole.toString('latin1', start, end)
    expect(await part('bytes=0-3')).toEqual([206, `bytes 0-3/${size}`, '%PDF'])
    expect(await part(`bytes=${size - 5}-`)).toEqual([
      206,
      `bytes ${size - 5}-${size - 1}/${size}`,
      bytes(size - 5, size),
    ])
    expect(await part('bytes=-7')).toEqual([206, `bytes ${size - 7}-${size - 1}/${size}`, bytes(size - 7, size)])
    expect(await part('bytes=10-99999999')).toEqual([206, `bytes 10-${size - 1}/${size}`, bytes(10, size)])
    expect((await part(`bytes=${size}-`)).slice(0, 2)).toEqual([416, `bytes */${size}`])
    expect(await part('bytes=0-1,5-6')).toEqual([200, undefined, true])
    expect(await part('lines=1-2')).toEqual([200, undefined, true])
    expect(await part('bytes=0-3', { 'if-range': '"another"' })).toEqual([200, undefined, true])
    expect((await part('bytes=0-3', { 'if-range': `"${sha256}"` }))[0]).toBe(206)
  })
})

test('a parsed range is within the file', () => {
  const header = fc.oneof(
    fc.string(),
    fc.tuple(fc.nat(), fc.nat()).map(([start, end]) => `bytes=${start}-${end}`),
  )
  fc.assert(
    fc.property(header, fc.nat(), (text, size) => {
      const range = readRange(text, size)
      if (typeof range === 'string') return
      expect(range.start).toBeGreaterThanOrEqual(0)
      expect(range.start).toBeLessThanOrEqual(range.end)
      expect(range.end).toBeLessThan(size)
    }),
  )
})

test('only archived files are served, whatever is requested', async () => {
  await withServed(async (served) => {
    await served.engine.sync()
    const tricks = [
      '0',
      '-1',
      '999999999',
      '1e3',
      '0x1',
      '1.0',
      '9'.repeat(400),
      '..',
      '%2e%2e',
      '..%2f..%2fhome',
      '%00',
      '1/../2',
    ]
    for (const trick of tricks) {
      for (const folder of ['files', 'thumbnails']) {
        const reply = await served.send(`/${folder}/${trick}`)
        expect([400, 404], trick).toContain(reply.status)
      }
    }
    expect((await served.send('/files/1', { method: 'POST' })).status).toBe(405)
  })
})

test('a file that was changed, replaced by a link, or reached through a link is not served', async () => {
  await withServed(async (served) => {
    await served.engine.sync()
    const { root } = served.archive
    const [cut, linked, page] = assetsOf(served).filter(({ kind }) => kind === 'photo')
    const report = first(assetsOf(served), 'report')
    if (cut === undefined || linked === undefined || page === undefined)
      throw new Error('The sample has too few photos')
    truncateSync(join(root, cut.path), 100)
    writeFileSync(join(root, page.path), '<html><script>alert(1)</script>'.padEnd(page.size))
    const outside = join(served.rendererFolder, 'outside.jpg')
    renameSync(join(root, linked.path), outside)
    symlinkSync(outside, join(root, linked.path))
    const folder = report.path.slice(0, report.path.lastIndexOf('/'))
    for (const { id } of [cut, linked, page]) expect((await served.send(`/files/${id}`)).status).toBe(404)
    expect((await served.send(`/files/${report.id}`)).status).toBe(200)
    renameSync(join(root, folder), join(served.rendererFolder, 'moved'))
    symlinkSync(join(served.rendererFolder, 'moved'), join(root, folder))
    const { status, body } = await served.send(`/files/${report.id}`)
    expect([status, body.toString()]).toEqual([404, expect.not.stringContaining('PDF')])
    expect(body.toString()).not.toContain(root)
  })
})

test('a file of an archive folder that is not there now is unavailable, not missing', async () => {
  await withServed(async (served) => {
    await served.engine.sync()
    const { root } = served.archive
    const { id, path } = first(assetsOf(served), 'photo')
    renameSync(root, `${root} unplugged`)
    expect((await served.send(`/files/${id}`)).status).toBe(503)
    expect((await served.send('/files/999999999')).status).toBe(404)
    renameSync(`${root} unplugged`, root)
    renameSync(join(root, path), join(served.rendererFolder, 'moved.jpg'))
    expect((await served.send(`/files/${id}`)).status).toBe(404)
  })
})

test('an earlier version is served by its hash, and nothing else of that folder', async () => {
  await withServed(async (served) => {
    const { engine, archive, call, send } = served
    await engine.sync()
    const old = new Map(assetsOf(served).map(({ id, sha256 }) => [id, sha256]))
    for (const photo of photosOf(checklistOf(archive))) archive.service.replacePhoto(photo)
    await engine.sync()
    const replaced = assetsOf(served).find(({ id, kind, sha256 }) => kind === 'photo' && old.get(id) !== sha256)
    const assetId = replaced?.id ?? 0
    const versions = await call('files.versions', { assetId })
    if (!versions.ok) throw new Error(versions.error.message)
    const [version] = versions.value.items
    expect(version?.version).toBe(old.get(assetId))
    const { status, headers, body } = await send(`/files/${assetId}/${version?.version}`)
    expect([status, headers['content-type']]).toEqual([200, 'image/jpeg'])
    expect(createHash('sha256').update(body).digest('hex')).toBe(version?.version)
    for (const other of [replaced?.sha256, version?.version.slice(0, 12), '..', '%2e%2e%2fchecklist.json'])
      expect((await send(`/files/${assetId}/${other}`)).status).toBe(404)
    expect((await send(`/files/${first(assetsOf(served), 'report').id}/${version?.version}`)).status).toBe(404)
  })
})

test('chosen photos are downloaded as one zip, which says how many are missing', async () => {
  await withServed(async (served) => {
    const { engine, archive, send } = served
    await engine.sync()
    const photos = assetsOf(served).filter(({ kind }) => kind === 'photo')
    const [lost, damaged, ...intact] = photos
    truncateSync(join(archive.root, lost?.path ?? ''), 3)
    flipBit(join(archive.root, damaged?.path ?? ''))
    const reply = await send(`/copies/${photos.map(({ id }) => id).join('.')}.zip`)
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/zip'])
    const entries = await readZip(reply.body)
    expect(entries.size).toBe(intact.length + 1)
    expect(entries.get('Missing files.txt')?.bytes.toString()).toMatch(/^2 of the chosen files/)
    const hashes = [...entries.values()].map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'))
    for (const { sha256 } of intact) expect(hashes).toContain(sha256)
    for (const wrong of [`${damaged?.id}`, '0', '1..2', '999999999', '.', `1${'.1'.repeat(1_000)}`])
      expect((await send(`/copies/${wrong}.zip`)).status, wrong).toBe(404)
    expect((await send(`/copies/${intact[0]?.id}.zip`, { isStranger: true })).status).toBe(401)
  })
})

test('what the last export and packet wrote is downloaded, and nothing that took its place', async () => {
  await withServed(async (served) => {
    const { archive, call, engine, send } = served
    expect([(await send('/last-export.zip')).status, (await send('/last-packet.zip')).status]).toEqual([404, 404])
    await engine.sync()
    const folder = join(archive.home, '..', 'hand-over')
    mkdirSync(folder)
    const to = join(folder, 'Roof – “1”.zip')
    const selection = { kind: 'everything' } as const
    await call('export.start', { selection, options: { format: 'zip' }, to })
    await expect.poll(async () => (await send('/last-export.zip')).status).toBe(200)
    const { headers, body } = await send('/last-export.zip')
    expect(body.equals(readFileSync(to))).toBe(true)
    expect(headers['content-disposition']).toContain("filename*=UTF-8''Roof%20%E2%80%93%20%E2%80%9C1%E2%80%9D.zip")
    expect([headers['content-type'], headers['cache-control']]).toEqual(['application/zip', 'no-store'])
    const head = await send('/last-export.zip', { method: 'HEAD' })
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, String(body.length), 0])

    const packet = join(folder, 'packet')
    await call('packets.start', { selection, template: 'financing-site-survey', to: packet })
    await expect.poll(async () => (await send('/last-packet.zip')).status).toBe(200)
    const files = readdirSync(packet, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    // Neither a link nor what it leads to.
    symlinkSync(archive.home, join(packet, 'link'))
    const inZip = await readZip((await send('/last-packet.zip')).body)
    expect(inZip.size).toBe(files.length)
    expect(files.length).toBeGreaterThan(5)
    for (const [name, { bytes }] of inZip) expect(bytes.equals(readFileSync(join(folder, name)))).toBe(true)

    // A folder of the same name elsewhere, then a link to it.
    renameSync(folder, `${folder}-moved`)
    symlinkSync(`${folder}-other`, folder)
    mkdirSync(join(`${folder}-other`, 'packet'), { recursive: true })
    writeFileSync(join(folder, 'Roof – “1”.zip'), 'SECRET')
    writeFileSync(join(folder, 'packet', 'packet.json'), 'SECRET')
    for (const path of ['/last-export.zip', '/last-packet.zip']) {
      const replaced = await send(path)
      expect([replaced.status, replaced.body.toString()]).toEqual([404, expect.stringContaining('not there anymore')])
    }
  })
})

test('a file that is cut while it is downloaded ends the download as failed, without a wait for the rest', async () => {
  const path = join(temporaryFolder(), 'export.zip')
  const sizeBytes = 256 * 1024 * 1024
  writeFileSync(path, '')
  truncateSync(path, sizeBytes)
  const handle = await open(path)
  const server = createServer((request, response) => {
    const opened = { kind: 'file', fileName: 'export.zip', sizeBytes, handle } as const
    void answerWritten(() => Promise.resolve(opened), request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const asked = get({ host: '127.0.0.1', port })
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  await once(response, 'readable')
  truncateSync(path, 1024)
  await expect(buffer(response)).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('a zip that is cancelled while it is downloaded closes the file that was read', async () => {
  const path = join(temporaryFolder(), 'photo.jpg')
  writeFileSync(path, '')
  truncateSync(path, 256 * 1024 * 1024)
  const handle = await open(path)
  const server = createServer((request, response) => {
    const files = [{ path: 'photo.jpg', open: () => Promise.resolve(handle) }]
    const opened = { kind: 'folder', folderName: 'export', files } as const
    answerWritten(() => Promise.resolve(opened), request, response).catch(() => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const asked = get({ host: '127.0.0.1', port })
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  await once(response, 'readable')
  response.destroy()
  await expect.poll(() => handle.fd).toBe(-1)
})
