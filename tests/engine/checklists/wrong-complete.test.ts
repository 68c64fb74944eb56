import { mkdirSync, renameSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { shapePresets } from '../../../electron/sample-service/http/response-shapes.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import {
  archivedHashes,
  checklistOf,
  readFiles,
  sampleArchive,
  servedHashes,
  sha256,
  type SampleArchive,
} from '../../support/sample-archive.ts'
import { JumpingClock } from '../../support/jumping-clock.ts'
import { startWatching, until } from '../../support/watching.ts'
import { databaseOf, loseDatabase } from '../recovery/whole-archive.ts'

const small = {
  projects: 1,
  checklistsPerProject: 1,
  photoQuestionsPerChecklist: 2,
  statuses: ['completed'],
  awkwardNames: false,
} as const

const stateOf = (archive: SampleArchive) =>
  archive.withEngine(async (engine) => (await engine.status()).projects[0]?.checklists[0])

it('a replaced report is downloaded although the pass that saw the change was interrupted', async () => {
  const archive = await sampleArchive(small)
  await archive.sync()
  archive.service.replaceReport(checklistOf(archive))
  archive.service.faults.add({ route: 'media', fault: { kind: 'status', status: 500 } })
  archive.service.faults.add({ route: 'report', fault: { kind: 'status', status: 404 } })
  await archive.sync()
  expect(await stateOf(archive)).toMatchObject({ complete: false })
  archive.service.faults.clear()
  await archive.sync()
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  expect(await stateOf(archive)).toMatchObject({ complete: true })
})

it('a report whose replacement was interrupted is compared with the one that the service has by then', async () => {
  const archive = await sampleArchive(small)
  const { service, root } = archive
  await archive.sync()
  const [path = ''] = [...readFiles(root).keys()].filter((name) => name.endsWith('/report.pdf'))
  service.replaceReport(checklistOf(archive))
  const second = await service.reportBytes(checklistOf(archive))
  service.replaceReport(checklistOf(archive))
  service.faults.add({ route: 'report', fault: { kind: 'status', status: 500 } })
  await archive.sync()
  const versionPath = join(dirname(path), '.versions/2026-01-02T03-04-05Z/report.pdf')
  mkdirSync(join(root, dirname(versionPath)), { recursive: true })
  renameSync(join(root, path), join(root, versionPath))
  writeFileSync(join(root, path), second)
  const store = createStore(databaseOf(archive))
  const assetId = store.assets.getReport(1)?.id ?? expect.fail('no report')
  const file = { sha256: sha256(second), sizeBytes: second.length }
  store.versions.begin({ assetId, versionPath, replacedAt: '2026-01-02T03:04:05.000Z', ...file })
  store.close()
  service.faults.clear()
  await archive.sync()
  expect(archivedHashes(root)).toEqual(await servedHashes(service))
  expect(await stateOf(archive)).toMatchObject({ complete: true })
})

it('a photo replaced before the checklist was first completed is downloaded', async () => {
  const archive = await sampleArchive({ ...small, statuses: ['pdfProcessingFailed'] })
  await archive.sync()
  const [photo] = photosOf(checklistOf(archive)).filter(({ state }) => state === 'uploaded')
  if (photo === undefined) throw new Error('The sample has no photo')
  archive.service.replacePhoto(photo)
  archive.service.setStatus(checklistOf(archive), 'completed')
  await archive.sync()
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  expect(await stateOf(archive)).toMatchObject({ complete: true })
})

it('a report that the service failed to create is a gap beside an earlier one, which stays archived', async () => {
  const archive = await sampleArchive(small)
  await archive.sync()
  const before = await stateOf(archive)
  archive.service.setStatus(checklistOf(archive), 'pdfProcessingFailed')
  await archive.sync()
  expect(await stateOf(archive)).toMatchObject({
    complete: false,
    expectedFiles: before?.expectedFiles,
    archivedFiles: before?.archivedFiles,
    gaps: [{ question: 'Report', expected: 1, archived: 1, reason: 'report failed' }],
  })
  archive.service.setStatus(checklistOf(archive), 'completed')
  await archive.sync()
  expect(await stateOf(archive)).toMatchObject({ complete: true })
})

it('a file truncated on disk is noticed, quarantined, and downloaded again', async () => {
  const archive = await sampleArchive(small)
  await archive.sync()
  const [path = ''] = [...readFiles(archive.root).keys()].filter((name) => name.includes('/photos/'))
  truncateSync(join(archive.root, path), 10)
  expect(await stateOf(archive)).toMatchObject({ complete: false })
  await archive.sync()
  expect(await stateOf(archive)).toMatchObject({ complete: true })
  const verified = await archive.withEngine((engine) => engine.verify())
  expect(verified).toMatchObject({ missing: [], changed: [] })
  expect(verified.unexpected).toEqual([expect.stringMatching(/ \(edited \d{4}-\d\d-\d\d\)\.\w+$/)])
})

it('photos missing from one empty list stay expected; only a second empty list is accepted', async () => {
  const archive = await sampleArchive({ ...small, shapes: shapePresets.sparse })
  await archive.sync()
  archive.service.addPhoto(checklistOf(archive))
  const fault = archive.service.faults.add({ route: 'media', fault: { kind: 'body', body: '[]' } })
  const { failures } = await archive.sync()
  expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['unreadable-answer']))
  expect(await stateOf(archive)).toMatchObject({ complete: false })
  fault.remove()
  expect(await archive.sync()).toMatchObject({ failures: [] })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  expect(await stateOf(archive)).toMatchObject({ complete: true })

  const kept = archivedHashes(archive.root)
  archive.service.addPhoto(checklistOf(archive))
  archive.service.faults.add({ route: 'media', fault: { kind: 'body', body: '[]' } })
  expect((await archive.sync()).failures.length).toBeGreaterThan(0)
  // The report was regenerated with the photo; nothing else may go.
  expect(await archive.sync()).toMatchObject({ failures: [] })
  expect(archivedHashes(archive.root)).toHaveLength(kept.length)
})

it('deleted checksums and documents are written again', async () => {
  const archive = await sampleArchive(small)
  await archive.sync()
  const before = readFiles(archive.root)
  const records = [...before.keys()].filter((path) => /SHA256SUMS$|checklist\.json$/.test(path))
  expect(records).toHaveLength(2)
  for (const path of records) unlinkSync(join(archive.root, path))
  await archive.sync()
  expect(readFiles(archive.root)).toEqual(before)
})

/**
 * Serves the test's own responses, a number as a status, and a file for every path below `/f/`; `sent` collects the
 * files it sends. Without validators, a file can only be compared by sending it.
 */
async function serve(
  answer: (path: string, request: IncomingMessage) => unknown,
  sent: string[] = [],
  hasValidators = true,
): Promise<string> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname.startsWith('/f/')) {
      const kind = url.pathname.endsWith('.pdf')
      const text = `${url.pathname}${url.searchParams.get('id') ?? url.searchParams.get('key') ?? ''}`
      if (hasValidators) response.setHeader('etag', `"${text}"`)
      if (request.headers['if-none-match'] === `"${text}"`) {
        response.writeHead(304).end()
        return
      }
      sent.push(text)
      response.end(kind ? `%PDF-1.4\n${text}\n%%EOF\n` : Buffer.from(`\xff\xd8\xff\xe0${text}\xff\xd9`, 'latin1'))
      return
    }
    const value = answer(url.pathname.replace('/api/v1', ''), request)
    response.statusCode = typeof value === 'number' ? value : value === undefined ? 404 : 200
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(value ?? { message: 'not found' }))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const entry = (url: string, id = 'c1') => ({
  id,
  title: 'Survey',
  status: 'completed',
  updatedAt: '2026-01-01T00:00:00Z',
  pdfUrl: `${url}/f/${id}.pdf`,
})
const question = { label: 'Ridge', mediaCategoryId: 'm1' }
const sections = [{ label: 'Roof', questions: [question] }]

/** Archives project `p` of such a service. */
async function archiveOf(answers: (url: string) => Record<string, unknown>) {
  let url = ''
  const served = () => answers(url)
  url = await serve((path) => served()[path])
  const archive = await sampleArchive({ projects: 0 })
  const result = await archive.withEngine(
    async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      const report = await engine.sync()
      return { report, checklists: (await engine.status()).projects[0]?.checklists ?? [] }
    },
    { serviceUrl: url },
  )
  const paths = [...readFiles(archive.root).keys()]
  return { ...result, photos: paths.filter((path) => path.includes('/photos/')), paths }
}

const parameters = ['id', 'key', 'src', 'hash', 'fileKey', 'date', 'sp', 'token']

it.each(parameters)('photos with the same name and path that differ in ?%s= are all archived', async (name) => {
  const { checklists, photos } = await archiveOf((url) => ({
    '/checklist/p': [entry(url)],
    '/checklist/p/c1': { ...entry(url), sections },
    '/media/p/m1': [1, 2, 3].map((n) => ({
      filename: 'image.jpg',
      imgUrl: `${url}/f/image.jpg?${name}=${n}`,
      thumbnailUrl: `${url}/f/small.jpg?${name}=${n}`,
    })),
  }))
  expect(photos).toHaveLength(3)
  expect(checklists[0]).toMatchObject({ complete: true, expectedFiles: 7, archivedFiles: 7 })
})

it('photos with the same name and path but separate records are all archived, repeated records once', async () => {
  const signed = (url: string, signature: number) => `${url}/f/image.jpg?Expires=9&Signature=${signature}`
  const { checklists, photos } = await archiveOf((url) => ({
    '/checklist/p': [entry(url)],
    '/checklist/p/c1': { ...entry(url), sections },
    '/media/p/m1': [
      { filename: 'image.jpg', takenAt: '2026-01-01T08:00:00Z', imgUrl: signed(url, 1) },
      { filename: 'image.jpg', takenAt: '2026-01-01T09:00:00Z', imgUrl: signed(url, 2) },
      { filename: 'image.jpg', takenAt: '2026-01-01T08:00:00Z', imgUrl: signed(url, 3) },
    ],
  }))
  expect(photos).toHaveLength(2)
  expect(checklists[0]).toMatchObject({ complete: true, expectedFiles: 3, archivedFiles: 3 })
})

it('different files under the same record id are all archived', async () => {
  const { photos } = await archiveOf((url) => ({
    '/checklist/p': [entry(url)],
    '/checklist/p/c1': { ...entry(url), sections },
    '/media/p/m1': [1, 2, 3].map((n) => ({ id: 'same', filename: `${n}.jpg`, imgUrl: `${url}/f/${n}.jpg` })),
  }))
  expect(photos).toHaveLength(3)
})

it.each<[string, object]>([
  ['without sections', {}],
  ['with sections as an empty object', { sections: {} }],
  ['with sections as text', { sections: JSON.stringify(sections) }],
])('a completed checklist %s is not complete', async (_name, odd) => {
  const { checklists } = await archiveOf((url) => ({
    '/checklist/p': [entry(url)],
    '/checklist/p/c1': { ...entry(url), ...odd },
  }))
  expect(checklists[0]?.complete).toBe(false)
  expect(checklists[0]?.gaps).toHaveLength(1)
})

it('checklists whose ids have half of an emoji are an error, and not one checklist that is no longer listed', async () => {
  const { report, checklists } = await archiveOf((url) => ({
    '/checklist/p': ['c\ud83c', 'c\ud83d'].map((id) => entry(url, id)),
  }))
  expect(report.failures).toMatchObject([{ projectId: 'p', code: 'unreadable-answer' }])
  expect(checklists).toEqual([])
})

it('a list of photos that is declared partial is archived and does not complete the checklist', async () => {
  const { report, checklists, photos } = await archiveOf((url) => ({
    '/checklist/p': [entry(url)],
    '/checklist/p/c1': { ...entry(url), sections },
    '/media/p/m1': { total: 10, data: [{ id: '1', filename: '1.jpg', imgUrl: `${url}/f/1.jpg` }] },
  }))
  expect(photos).toHaveLength(1)
  expect(checklists[0]?.complete).toBe(false)
  expect(report.failures).toMatchObject([{ checklistId: 'c1', code: 'unreadable-answer' }])
})

it('a photo that failed is downloaded by the next sync also from a list that is declared partial', async () => {
  let url = ''
  const isMissing = new Set(['3'])
  url = await serve((path) => {
    if (path === '/checklist/p') return [entry(url)]
    if (path === '/checklist/p/c1') return { ...entry(url), sections }
    if (path !== '/media/p/m1') return undefined
    const linkOf = (id: string) => `${url}/${isMissing.has(id) ? 'missing' : 'f'}/${id}.jpg`
    return { total: 10, data: ['1', '2', '3'].map((id) => ({ id, filename: `${id}.jpg`, imgUrl: linkOf(id) })) }
  })
  const archive = await sampleArchive({ projects: 0 })
  const sync = () =>
    archive.withEngine(
      async (engine) => {
        engine.projects.add([{ id: 'p', name: 'P' }])
        const { failures, filesDownloaded } = await engine.sync()
        const [checklist] = (await engine.status()).projects[0]?.checklists ?? []
        expect(checklist?.complete).toBe(false)
        return { filesDownloaded, failures: failures.map(({ path, code }) => [path === null, code]) }
      },
      { serviceUrl: url },
    )
  const ofChecklist = [true, 'unreadable-answer']
  const first = await sync()
  expect(first.filesDownloaded).toBe(3)
  expect(first.failures).toContainEqual(ofChecklist)
  isMissing.clear()
  expect(await sync()).toEqual({ filesDownloaded: 1, failures: [ofChecklist] })
})

it.each([[[null]], [['a', null]]])('photos whose ids are not sent, as in %j, are expected', async (clientRefIds) => {
  const archived = async (count: number) => {
    const { checklists, photos } = await archiveOf((url) => ({
      '/checklist/p': [entry(url)],
      '/checklist/p/c1': { ...entry(url), sections: [{ label: 'Roof', questions: [{ ...question, clientRefIds }] }] },
      '/media/p/m1': Array.from({ length: count }, (_, n) => ({ id: `x${n}`, imgUrl: `${url}/f/${n}.jpg` })),
    }))
    expect(photos).toHaveLength(count)
    return checklists[0]
  }
  const all = clientRefIds.length
  expect(await archived(all - 1)).toMatchObject({ complete: false, gaps: [{ reason: 'not uploaded yet' }] })
  expect(await archived(all)).toMatchObject({ complete: true, expectedFiles: all + 1 })
})

it('a checklist that admits to be partial is archived, and not complete until all of it is read', async () => {
  const other = { label: 'Panel', mediaCategoryId: 'm2', clientRefIds: ['b'] }
  let isPartial = true
  let updatedAt = '2026-11-01T00:00:00Z'
  let url = ''
  url = await serve((path) => {
    if (path === '/checklist/p') return [{ ...entry(url), updatedAt }]
    const questions = isPartial ? [question, null] : [question, other]
    if (path === '/checklist/p/c1') return { ...entry(url), updatedAt, sections: [{ label: 'Roof', questions }] }
    const [, number] = /^\/media\/p\/m(\d)$/.exec(path) ?? []
    return number && [{ id: number, filename: `${number}.jpg`, imgUrl: `${url}/f/${number}.jpg` }]
  })
  const archive = await sampleArchive({ projects: 0 })
  await archive.withEngine(
    async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      const syncInPart = async () => {
        const { failures } = await engine.sync()
        expect(failures).toMatchObject([{ checklistId: 'c1', code: 'unreadable-answer' }])
        const [checklist] = (await engine.status()).projects[0]?.checklists ?? []
        expect(checklist).toMatchObject({ complete: false, gaps: [{ reason: 'not read yet' }] })
        return checklist?.archivedFiles
      }
      expect(await syncInPart()).toBe(2)
      isPartial = false
      expect(await engine.sync()).toMatchObject({ failures: [] })
      expect((await engine.status()).projects[0]?.checklists).toMatchObject([{ complete: true, expectedFiles: 3 }])
      isPartial = true
      updatedAt = '2026-11-02T00:00:00Z'
      expect(await syncInPart()).toBe(3)
    },
    { serviceUrl: url },
  )
})

it('a checklist that is sent in part is reported with each read of it, not with every poll', async () => {
  let url = ''
  const calls = { list: 0, checklist: 0, media: 0 }
  const head = () => ({ ...entry(url), status: 'awaitingMedia' })
  url = await serve((path) => {
    if (path === '/checklist/p') calls.list += 1
    if (path === '/checklist/p/c1') calls.checklist += 1
    if (path === '/media/p/m1') calls.media += 1
    if (path === '/checklist/p') return [head()]
    if (path === '/checklist/p/c1') return { ...head(), sections: [{ label: 'Roof', questions: [question, null] }] }
    return path === '/media/p/m1' ? [{ id: '1', filename: '1.jpg', imgUrl: `${url}/f/1.jpg` }] : undefined
  })
  const archive = await sampleArchive({ projects: 0 })
  await archive.withEngine(
    async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      const watching = startWatching(engine)
      await until('it was polled some times', () => calls.list > 4)
      await watching.stop()
      expect(watching.failures).not.toEqual([])
      expect(watching.failures.length).toBeLessThanOrEqual(calls.checklist)
      expect(calls.media).toBeLessThanOrEqual(calls.checklist)
    },
    { serviceUrl: url },
    { clock: new JumpingClock(60) },
  )
})

it('a checklist sent in part whose update time is not in the list is read again within about an hour', async () => {
  let url = ''
  let lists = 0
  let asked = 0
  const head = { id: 'c1', title: 'Survey', status: 'awaitingMedia' }
  const other = { label: 'Panel', mediaCategoryId: 'm2' }
  url = await serve((path) => {
    if (path === '/checklist/p') {
      lists += 1
      return [head]
    }
    if (path === '/checklist/p/c1') {
      asked += 1
      const questions = [question, asked === 1 ? null : other]
      return { ...head, updatedAt: '2026-01-01T00:00:00Z', sections: [{ label: 'Roof', questions }] }
    }
    const [, number] = /^\/media\/p\/m(\d)$/.exec(path) ?? []
    return number && [{ id: number, filename: `${number}.jpg`, imgUrl: `${url}/f/${number}.jpg` }]
  })
  const archive = await sampleArchive({ projects: 0 })
  const clock = new JumpingClock(300)
  await archive.withEngine(
    async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      const watching = startWatching(engine)
      const polled = async () => {
        const before = lists
        await until('the next poll has begun, and the last has ended', () => lists > before + 1)
      }
      await polled()
      for (const calls of [2, 3, 4, 5]) {
        clock.jump(16 * 60_000)
        await until('it is asked for again', () => asked >= calls)
        await polled()
      }
      await watching.stop()
    },
    { serviceUrl: url },
    { clock },
  )
  expect([...readFiles(archive.root).keys()].filter((path) => path.endsWith('/2.jpg')).length).toBeGreaterThan(0)
})

it('a category shared by two checklists is archived for both', async () => {
  const { checklists, photos } = await archiveOf((url) => ({
    '/checklist/p': [entry(url), entry(url, 'c2')],
    '/checklist/p/c1': { ...entry(url), sections },
    '/checklist/p/c2': { ...entry(url, 'c2'), sections },
    '/media/p/m1': [{ id: '1', filename: '1.jpg', imgUrl: `${url}/f/1.jpg` }],
  }))
  expect(photos).toHaveLength(2)
  expect(checklists.map(({ complete }) => complete)).toEqual([true, true])
})

it('a checklist without photos in a shared category is complete only with a second answer', async () => {
  let media = 0
  let url = ''
  url = await serve((path) => {
    const heads = ['c1', 'c2'].map((id) => entry(url, id))
    const announcing = { ...question, clientRefIds: ['1', '2'] }
    if (path === '/checklist/p') return heads
    if (path === '/checklist/p/c1') return { ...heads[0], sections: [{ label: 'Roof', questions: [announcing] }] }
    if (path === '/checklist/p/c2') return { ...heads[1], sections }
    if (path !== '/media/p/m1') return undefined
    media += 1
    const ids = media === 1 ? ['1', '2'] : ['1', '2', '3']
    return ids.map((id) => ({ id, filename: `${id}.jpg`, imgUrl: `${url}/f/${id}.jpg` }))
  })
  const archive = await sampleArchive({ projects: 0 })
  await archive.withEngine(
    async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      await engine.sync()
      const { checklists = [] } = (await engine.status()).projects[0] ?? {}
      expect(checklists.map(({ id, complete }) => [id, complete])).toEqual([
        ['c1', true],
        ['c2', true],
      ])
    },
    { serviceUrl: url },
  )
  expect(media).toBe(2)
  expect([...readFiles(archive.root).keys()].filter((path) => path.endsWith('/3.jpg')).length).toBeGreaterThan(0)
})

it('a photo that is gone from a shared category leaves no checklist that announces it complete', async () => {
  let photos = ['1', '2']
  let day = 1
  let url = ''
  url = await serve((path) => {
    const heads = ['c1', 'c2'].map((id) => ({ ...entry(url, id), updatedAt: `2026-01-0${id === 'c1' ? 1 : day}` }))
    const [first, second] = heads
    const announcing = { ...question, clientRefIds: ['1', '2'] }
    if (path === '/checklist/p') return heads
    if (path === '/checklist/p/c1') return { ...first, sections: [{ label: 'Roof', questions: [announcing] }] }
    if (path === '/checklist/p/c2') return { ...second, sections }
    return photos.map((id) => ({ id, filename: `${id}.jpg`, imgUrl: `${url}/f/${id}.jpg` }))
  })
  const archive = await sampleArchive({ projects: 0 })
  await archive.withEngine(
    async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      const pass = async () => {
        await engine.sync()
        const { checklists = [] } = (await engine.status()).projects[0] ?? {}
        const complete = checklists.filter((checklist) => checklist.complete).map(({ id }) => id)
        expect(engine.catalog.progress().completeChecklists).toBe(complete.length)
        return complete
      }
      expect(await pass()).toEqual(['c1', 'c2'])
      photos = ['1']
      day = 2
      expect(await pass()).toEqual(['c2'])
      photos = ['1', '2']
      expect(await pass()).toEqual(['c1', 'c2'])
    },
    { serviceUrl: url },
  )
})

it.each<[string, Record<string, string>, object]>([
  ['gets a photo', { 1: '1.jpg', 2: '2.jpg', 3: '3.jpg' }, { complete: true, archivedFiles: 4 }],
  ['loses a photo', { 1: '1.jpg' }, { complete: false, gaps: [{ reason: 'not uploaded yet' }] }],
  ['loses all photos', {}, { complete: false, gaps: [{ reason: 'not uploaded yet' }] }],
  ['has a photo at another URL', { 1: '1.jpg', 2: 'other.jpg' }, { complete: true, archivedFiles: 3 }],
])('a checklist that is no longer listed stays complete if a category that it shares %s', async (_name, then, back) => {
  let photos: Record<string, string> = { 1: '1.jpg', 2: '2.jpg' }
  let listed = ['c1', 'c2']
  let day = 1
  let url = ''
  let isRefused = false
  const sent: string[] = []
  const headOf = (id: string) => ({ ...entry(url, id), updatedAt: `2026-01-0${id === 'c1' ? 1 : day}` })
  const announcing = { ...question, clientRefIds: ['1', '2'] }
  url = await serve((path) => {
    if (path === '/checklist/p') return listed.map(headOf)
    if (path === '/checklist/p/c1' && isRefused) return 401
    if (path === '/checklist/p/c1') return { ...headOf('c1'), sections: [{ label: 'Roof', questions: [announcing] }] }
    if (path === '/checklist/p/c2') return { ...headOf('c2'), sections }
    return Object.entries(photos).map(([id, file]) => ({ id, filename: `${id}.jpg`, imgUrl: `${url}/f/${file}` }))
  }, sent)
  const archive = await sampleArchive({ projects: 0 })
  await archive.withEngine(
    async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      const first = async () => {
        const { failures } = await engine.sync()
        const [project] = (await engine.status()).projects
        return { failures, checklist: project?.checklists.find(({ id }) => id === 'c1') }
      }
      const archived = { complete: true, expectedFiles: 3, archivedFiles: 3, gaps: [] }
      expect(await first()).toMatchObject({ checklist: archived })
      listed = ['c2']
      photos = then
      for (day of [2, 3, 4]) expect(await first()).toMatchObject({ failures: [], checklist: archived })
      // It is back, and not read yet.
      listed = ['c1', 'c2']
      isRefused = true
      await engine.sync()
      expect((await engine.status()).projects[0]?.checklists).toMatchObject([{ complete: false }, { complete: true }])
      expect(engine.catalog.progress()).toMatchObject({ completeChecklists: 1 })
      // The other checklist is unchanged by then.
      isRefused = false
      await engine.sync()
      // A list without any photo is believed the second time.
      expect((await first()).checklist).toMatchObject(back)
    },
    { serviceUrl: url },
  )
  for (const file of Object.values(then)) expect(sent).toContain(`/f/${file}`)
})

it('a report that failed is tried again if the status of its checklist is not documented', async () => {
  let report = 'missing.pdf'
  let url = ''
  url = await serve((path) => {
    const { pdfUrl: _, ...head } = { ...entry(url), status: 'signed off' }
    if (path === '/checklist/p') return [head]
    return path === '/checklist/p/c1' ? { ...head, pdfUrl: `${url}/${report}`, sections: [] } : undefined
  })
  const archive = await sampleArchive({ projects: 0 })
  await archive.withEngine(
    async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      expect(await engine.sync()).toMatchObject({ filesFailed: 1 })
      report = 'f/c1.pdf'
      expect(await engine.sync()).toMatchObject({ filesDownloaded: 1, failures: [] })
    },
    { serviceUrl: url },
  )
})

/** Archives project `p` of a service whose checklist has this status, by `pass`; `sent` has the files that it sent. */
async function archiveWithStatus(head: () => { readonly status: string; readonly updatedAt?: string }) {
  let url = ''
  const sent: string[] = []
  const questions = [question, { label: 'Eave', mediaCategoryId: 'm2' }]
  url = await serve(
    (path) => {
      if (path === '/checklist/p') return [{ ...entry(url), ...head() }]
      if (path === '/checklist/p/c1') return { ...entry(url), ...head(), sections: [{ label: 'Roof', questions }] }
      if (path === '/media/p/m2') return []
      return path === '/media/p/m1' ? [{ id: '1', filename: '1.jpg', imgUrl: `${url}/f/1.jpg` }] : undefined
    },
    sent,
    false,
  )
  const archive = await sampleArchive({ projects: 0 })
  const pass = () =>
    archive.withEngine(
      async (engine) => {
        engine.projects.add([{ id: 'p', name: 'P' }])
        const { apiCalls, filesDownloaded } = await engine.sync()
        return { apiCalls, filesDownloaded, ...(await engine.status()).projects[0]?.checklists[0] }
      },
      { serviceUrl: url },
    )
  return { archive, pass, sent }
}

it('a documented status in another spelling counts as that, and its change is no change of the status', async () => {
  let status = 'PDF Processing Failed'
  const { archive, pass } = await archiveWithStatus(() => ({ status }))
  expect(await pass()).toMatchObject({ status: 'pdfProcessingFailed', gaps: [{ reason: 'report failed' }] })
  status = 'COMPLETED'
  expect(await pass()).toMatchObject({ status: 'completed', complete: true, expectedFiles: 2 })
  expect(await pass()).toMatchObject({ apiCalls: 1, complete: true })
  status = 'Completed'
  expect(await pass()).toMatchObject({ complete: true, filesDownloaded: 0 })
  const changes = await archive.withEngine((engine) =>
    Promise.resolve(engine.activity({ limit: 50 }).items.filter(({ kind }) => kind === 'checklist-status')),
  )
  expect(changes.map(({ facts }) => facts)).toEqual([{ from: 'pdfProcessingFailed', to: 'completed' }])
  status = 'Draft'
  expect(await pass()).toMatchObject({ apiCalls: 1, status: 'draft', gaps: [] })
})

it('a checklist archived with a status in an unknown spelling is read again, and none of its files', async () => {
  const { archive, pass, sent } = await archiveWithStatus(() => ({ status: 'Completed' }))
  expect(await pass()).toMatchObject({ complete: true, expectedFiles: 2 })
  const files = readFiles(archive.root)
  // As an earlier version had recorded it, which believed the first answer without photos.
  const store = createStore(databaseOf(archive))
  const row = store.checklists.get(1) ?? expect.fail('no checklist')
  store.checklists.put({ ...row, status: 'Completed' })
  store.checklists.unmarkArchived(row.key)
  store.checklists.setReported(row.key, null)
  store.close()
  // One answer without photos from before counts for nothing: the question is asked about twice.
  const read = { apiCalls: 5, filesDownloaded: 0 }
  expect(await pass()).toMatchObject({ ...read, status: 'completed', complete: true })
  expect(await pass()).toMatchObject({ apiCalls: 1, complete: true })
  expect(sent.toSorted()).toEqual(['/f/1.jpg', '/f/c1.pdf'])
  expect(readFiles(archive.root)).toEqual(files)
  const before = sent.length
  loseDatabase(archive)
  expect(await pass()).toMatchObject({ filesDownloaded: 0, complete: true })
  expect(sent).toHaveLength(before)
})

/** Archives project `p` of a service whose list of checklists has only what `listed` returns. */
async function archiveOfUnlisted(listed: (url: string) => object, head: () => object) {
  let photos = ['1']
  const calls: string[] = []
  const sent: string[] = []
  let url = ''
  url = await serve(
    (path) => {
      calls.push(path)
      const { pdfUrl } = entry(url)
      if (path === '/checklist/p') return [{ id: 'c1', title: 'Survey', ...listed(url) }]
      if (path === '/checklist/p/c1') return { id: 'c1', title: 'Survey', pdfUrl, ...head(), sections }
      return photos.map((id) => ({ id, filename: `${id}.jpg`, imgUrl: `${url}/f/${id}.jpg` }))
    },
    sent,
    false,
  )
  const archive = await sampleArchive({ projects: 0 })
  const pass = (setPhotos = photos) =>
    archive.withEngine(
      async (engine) => {
        photos = setPhotos
        engine.projects.add([{ id: 'p', name: 'P' }])
        const { apiCalls, filesDownloaded, failures } = await engine.sync()
        expect(failures).toEqual([])
        return { apiCalls, filesDownloaded, ...(await engine.status()).projects[0]?.checklists[0] }
      },
      { serviceUrl: url },
    )
  return { archive, pass, sent }
}

it('a status and update time that only the checklist itself has are followed', async () => {
  let head = { status: 'draft', updatedAt: '2026-01-01T00:00:00.000Z' }
  const { archive, pass, sent } = await archiveOfUnlisted(
    () => ({}),
    () => head,
  )
  expect(await pass()).toMatchObject({ apiCalls: 2, ...head, complete: false, gaps: [] })
  expect(await pass()).toMatchObject({ apiCalls: 2, ...head })
  head = { status: 'completed', updatedAt: '2026-01-02T00:00:00.000Z' }
  expect(await pass()).toMatchObject({ apiCalls: 3, ...head, complete: true, expectedFiles: 2 })
  expect(await pass()).toMatchObject({ apiCalls: 2, ...head, complete: true })
  head = { ...head, updatedAt: '2026-01-03T00:00:00.000Z' }
  expect(await pass(['1', '2'])).toMatchObject({ apiCalls: 3, ...head, complete: true, expectedFiles: 3 })
  const before = sent.length
  loseDatabase(archive)
  expect(await pass()).toMatchObject({ filesDownloaded: 0, ...head, complete: true })
  expect(sent).toHaveLength(before)
  const changes = await archive.withEngine((engine) => Promise.resolve(engine.activity({ limit: 50 }).items))
  expect(changes.filter(({ kind }) => kind === 'checklist-incomplete')).toEqual([])
})

it('a checklist that is reopened and completed, as only it says itself, is compared again', async () => {
  let status = 'completed'
  const { pass, sent } = await archiveOfUnlisted(
    () => ({}),
    () => ({ status, updatedAt: '2026-01-01', ...(status === 'draft' && { pdfUrl: undefined }) }),
  )
  expect(await pass()).toMatchObject({ complete: true })
  status = 'draft'
  expect(await pass()).toMatchObject({ apiCalls: 2, status, complete: false })
  status = 'completed'
  expect(await pass()).toMatchObject({ apiCalls: 3, filesDownloaded: 0, complete: true })
  expect(sent.toSorted()).toEqual(['/f/1.jpg', '/f/1.jpg', '/f/c1.pdf', '/f/c1.pdf'])
})

it.each([
  ['the list says', true],
  ['only the checklist itself says', false],
])('a failed read is no longer a problem of a checklist once %s that it is a draft', async (_, isListed) => {
  let status = 'completed'
  const url = await serve((path) => {
    const head = { id: 'c1', title: 'Survey' }
    if (path === '/checklist/p') return [isListed ? { ...head, status, updatedAt: '2026-01-01' } : head]
    return status === 'draft' ? { ...head, status, sections: [] } : undefined
  })
  const archive = await sampleArchive({ projects: 0 })
  await archive.withEngine(
    async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      expect(await engine.sync()).toMatchObject({ failures: [{ code: 'not-found' }] })
      status = 'draft'
      expect(await engine.sync()).toMatchObject({ failures: [] })
    },
    { serviceUrl: url },
  )
  const store = createStore(databaseOf(archive))
  expect(store.checklists.get(1)).toMatchObject({ status: 'draft', errorCode: null })
  store.close()
})

it.each([
  ['is archived', 'f'],
  ['is tried again', 'gone'],
])('a draft whose status could not be read stays a problem until it is, while its photo %s', async (_, folder) => {
  let url = ''
  let status: string | undefined = 'completed'
  let lists = 0
  let listedMs = 0
  const clock = new JumpingClock(60)
  url = await serve((path) => {
    const head = { id: 'c1', title: 'Survey' }
    if (path === '/media/p/m1') return [{ id: '1', filename: '1.jpg', imgUrl: `${url}/${folder}/1.jpg` }]
    if (path === '/checklist/p/c1') return status && { ...head, status, sections }
    lists += 1
    listedMs = clock.nowMs()
    return [head]
  })
  const archive = await sampleArchive({ projects: 0 })
  await archive.withEngine(
    async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      await engine.sync()
      status = 'draft'
      await engine.sync()
      status = undefined
      clock.jump(60 * 60_000)
      const watching = startWatching(engine)
      const syncedMs = () => Date.parse(engine.catalog.project('p', { offset: 0, limit: 1 }).project.lastSyncedAt ?? '')
      const problem = () => engine.catalog.checklist('p', 'c1').checklist.problem
      for (let poll = 1; poll <= 3; poll++) {
        const before = lists
        clock.jump(5 * 60_000)
        await until('another poll has ended', () => lists > before && syncedMs() >= listedMs)
        expect(problem(), `after poll ${poll}`).toMatchObject({ code: 'not-found' })
      }
      status = 'draft'
      clock.jump(15 * 60_000)
      await until('its status is read', () => problem() === null)
      await watching.stop()
    },
    { serviceUrl: url },
    { clock },
  )
})

it('a checklist that is reopened, as only it says itself, and then has no questions is no failure', async () => {
  let url = ''
  let day = 1
  const calls: string[] = []
  url = await serve((path) => {
    calls.push(path)
    const head = { id: 'c1', title: 'Survey', updatedAt: `2026-01-0${day}` }
    if (path === '/checklist/p') return [head]
    if (path === '/media/p/m1') return [{ id: '1', filename: '1.jpg', imgUrl: `${url}/f/1.jpg` }]
    return day === 1 ? { ...entry(url), ...head, sections } : { ...head, status: 'draft', sections: [] }
  })
  const archive = await sampleArchive({ projects: 0 })
  const clock = new JumpingClock(300)
  await archive.withEngine(
    async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      const watching = startWatching(engine)
      await until('it is archived', () => watching.synced.length > 0)
      const before = calls.length
      day = 2
      clock.jump(30 * 60_000)
      const lists = () => calls.slice(before).filter((path) => path === '/checklist/p').length
      await until('the poll that read it has ended', () => lists() > 1)
      expect(calls.slice(before, before + 2)).toEqual(['/checklist/p', '/checklist/p/c1'])
      await watching.stop()
      expect(watching.failures).toEqual([])
    },
    { serviceUrl: url },
    { clock },
  )
  expect(await stateOf(archive)).toMatchObject({ status: 'draft', gaps: [] })
})

it('an update time that only the checklist itself has is noticed', async () => {
  let updatedAt = '2026-01-01T00:00:00.000Z'
  const { pass } = await archiveOfUnlisted(
    (url) => ({ ...entry(url), updatedAt: undefined }),
    () => ({ status: 'completed', updatedAt }),
  )
  expect(await pass()).toMatchObject({ apiCalls: 3, updatedAt, complete: true, expectedFiles: 2 })
  expect(await pass()).toMatchObject({ apiCalls: 2, updatedAt, complete: true })
  updatedAt = '2026-01-02T00:00:00.000Z'
  expect(await pass(['1', '2'])).toMatchObject({ apiCalls: 3, updatedAt, complete: true, expectedFiles: 3 })
})

it('an update time or status that the service stops sending is not kept', async () => {
  let head: object = { status: 'completed', updatedAt: '2026-01-01T00:00:00.000Z' }
  const { pass } = await archiveOfUnlisted(
    () => ({}),
    () => head,
  )
  expect(await pass()).toMatchObject({ complete: true, expectedFiles: 2 })
  head = { status: 'completed' }
  expect(await pass(['1', '2'])).toMatchObject({ updatedAt: null, complete: true, expectedFiles: 3 })
  expect(await pass()).toMatchObject({ apiCalls: 2, complete: true })
  head = {}
  expect(await pass()).toMatchObject({ status: 'unknown', complete: false, gaps: [{ reason: 'not read yet' }] })
})

it('a checklist whose status is not in the list, without any update time, is read once a day', async () => {
  const { archive, pass } = await archiveOfUnlisted(
    () => ({}),
    () => ({ status: 'completed' }),
  )
  expect(await pass()).toMatchObject({ complete: true, expectedFiles: 2 })
  expect(await pass(['1', '2'])).toMatchObject({ apiCalls: 2, expectedFiles: 2 })
  const database = new Database(databaseOf(archive))
  database.exec("UPDATE checklists SET detail_read_at = '2026-01-01T00:00:00.000Z'")
  database.close()
  expect(await pass()).toMatchObject({ apiCalls: 3, expectedFiles: 3, complete: true })
})

it('a checklist whose status the service does not send is archived, and a gap says that it is not known', async () => {
  const { pass } = await archiveOfUnlisted(
    () => ({ updatedAt: '2026-01-01' }),
    () => ({}),
  )
  const unknown = { status: 'unknown', complete: false, archivedFiles: 2, gaps: [{ reason: 'not read yet' }] }
  expect(await pass()).toMatchObject({ filesDownloaded: 2, ...unknown })
  expect(await pass()).toMatchObject({ apiCalls: 2, filesDownloaded: 0, ...unknown })
})

const known2026 = '2026-01-01T00:00:00.000Z'

it.each([
  ['without a status', { status: 'unknown', fingerprint: '["unknown",null]' }, known2026, 0],
  ['without an update time', { status: 'completed', fingerprint: '["completed",null]' }, known2026, 0],
  [
    'with another state when they were archived',
    { status: 'unknown', fingerprint: '["unknown",null]' },
    '2099-01-01',
    2,
  ],
])(
  'files of a checklist that was listed %s are downloaded again only if they may differ',
  async (_, old, updatedAt, compared) => {
    const { archive, pass, sent } = await archiveOfUnlisted(
      (url) => ({ ...entry(url), updatedAt: undefined, ...(old.status === 'unknown' && { status: undefined }) }),
      () => ({ status: 'completed', updatedAt }),
    )
    expect(await pass()).toMatchObject({ complete: true })
    // As an earlier version had recorded it, which read the checklist again after its files were archived.
    const store = createStore(databaseOf(archive))
    const row = store.checklists.get(1) ?? expect.fail('no checklist')
    store.checklists.setHead({ key: 1, ...old, updatedAt: null })
    store.checklists.renameState(1, row.fingerprint, old.fingerprint, null)
    store.checklists.markDetailUnchanged(1, '2098-01-01T00:00:00.000Z')
    store.close()
    const before = sent.length
    expect(await pass()).toMatchObject({ filesDownloaded: 0, status: 'completed', complete: true })
    expect(sent).toHaveLength(before + compared)
  },
)

it('a question that is only relabeled keeps its files and its folder', async () => {
  let label = 'Ridge'
  let updatedAt = '2026-01-01T00:00:00Z'
  let url = ''
  url = await serve((path) => {
    const head = { ...entry(url), updatedAt }
    if (path === '/checklist/p') return [head]
    if (path === '/checklist/p/c1')
      return { ...head, sections: [{ label: 'Roof', questions: [{ ...question, label }] }] }
    return path === '/media/p/m1' ? [{ id: '1', filename: '1.jpg', imgUrl: `${url}/f/1.jpg` }] : undefined
  })
  const archive = await sampleArchive({ projects: 0 })
  const pass = () =>
    archive.withEngine(
      async (engine) => {
        engine.projects.add([{ id: 'p', name: 'P' }])
        await engine.sync()
        return (await engine.status()).projects[0]?.checklists[0]
      },
      { serviceUrl: url },
    )
  await pass()
  const before = [...readFiles(archive.root).keys()]
  label = 'Ridge line'
  updatedAt = '2026-01-02T00:00:00Z'
  expect(await pass()).toMatchObject({ complete: true, expectedFiles: 2 })
  expect([...readFiles(archive.root).keys()]).toEqual(before)
})

it('a photo is noticed by an update time in an unknown format', async () => {
  let updatedAt = 'Monday, 4 May'
  let photos = 1
  let url = ''
  url = await serve((path) => {
    const head = { ...entry(url), updatedAt }
    if (path === '/checklist/p') return [head]
    if (path === '/checklist/p/c1') return { ...head, sections }
    return Array.from({ length: photos }, (_, n) => ({ id: `${n}`, imgUrl: `${url}/f/${n}.jpg` }))
  })
  const archive = await sampleArchive({ projects: 0 })
  await archive.withEngine(
    async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      const pass = async () => {
        const { apiCalls } = await engine.sync()
        return { apiCalls, ...(await engine.status()).projects[0]?.checklists[0] }
      }
      expect(await pass()).toMatchObject({ apiCalls: 3, complete: true, expectedFiles: 2 })
      expect(await pass()).toMatchObject({ apiCalls: 1, complete: true })
      photos = 2
      updatedAt = 'Tuesday, 5 May'
      expect(await pass()).toMatchObject({ apiCalls: 3, complete: true, expectedFiles: 3 })
    },
    { serviceUrl: url },
  )
  const fingerprint = () => {
    const store = createStore(databaseOf(archive))
    try {
      return store.checklists.get(1)?.fingerprint
    } finally {
      store.close()
    }
  }
  const before = fingerprint()
  loseDatabase(archive)
  await archive.withEngine((engine) => engine.status())
  expect(fingerprint()).toBe(before)
})

it('a checklist sent once without its questions is read again by the next sync, also while its report is missing', async () => {
  let isEmpty = true
  let url = ''
  url = await serve((path) => {
    const { pdfUrl: _, ...head } = entry(url)
    if (path === '/checklist/p') return [head]
    if (path === '/checklist/p/c1') return { ...head, sections: isEmpty ? [] : sections }
    return path === '/media/p/m1' ? [{ id: '1', filename: '1.jpg', imgUrl: `${url}/f/1.jpg` }] : undefined
  })
  const archive = await sampleArchive({ projects: 0 })
  await archive.withEngine(
    async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      expect(await engine.sync()).toMatchObject({ filesDownloaded: 0 })
      isEmpty = false
      expect(await engine.sync()).toMatchObject({ filesDownloaded: 1 })
    },
    { serviceUrl: url },
  )
})

it('a checklist whose only question turns out to be an empty section has no questions, and is no failure', async () => {
  let attic: object = { type: 'textfield' }
  let day = 1
  let url = ''
  url = await serve((path) => {
    const head = { ...entry(url), updatedAt: `2026-01-0${day}T00:00:00Z` }
    if (path === '/checklist/p') return [head]
    return path === '/checklist/p/c1' ? { ...head, components: [{ label: 'Attic', ...attic }] } : undefined
  })
  const archive = await sampleArchive({ projects: 0 })
  await archive.withEngine(
    async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      const pass = async () => {
        const { failures } = await engine.sync()
        return { failures, ...(await engine.status()).projects[0]?.checklists[0] }
      }
      // As an earlier version had recorded the section.
      expect(await pass()).toMatchObject({ complete: true, failures: [] })
      attic = { components: [] }
      for (day = 2; day < 4; day += 1) {
        const gaps = [{ reason: 'no questions found' }]
        expect(await pass()).toMatchObject({ complete: false, failures: [], archivedFiles: 1, gaps })
        expect(engine.catalog.progress().completeChecklists).toBe(0)
      }
      attic = { type: 'textfield', answer: 'Trusses' }
      expect(await pass()).toMatchObject({ complete: true, failures: [] })
      attic = { components: [] }
      for (day = 5; day < 7; day += 1) {
        expect(await pass()).toMatchObject({ complete: false, failures: [{ code: 'unreadable-answer' }] })
        expect(JSON.stringify(engine.catalog.checklist('p', 'c1'))).toContain('Trusses')
      }
    },
    { serviceUrl: url },
  )
})

it('a new report whose link comes late, and only with the checklist itself, is archived by a later sync', async () => {
  let day = 1
  let report: string | null = 'old'
  let url = ''
  const sent: string[] = []
  url = await serve((path) => {
    const { pdfUrl: _, ...head } = { ...entry(url), updatedAt: `2026-01-0${day}T00:00:00Z` }
    if (path === '/checklist/p') return [head]
    if (path === '/checklist/p/c1') return { ...head, sections, ...(report && { pdfUrl: `${url}/f/${report}.pdf` }) }
    return path === '/media/p/m1' ? [{ id: '1', filename: '1.jpg', imgUrl: `${url}/f/1.jpg` }] : undefined
  }, sent)
  const archive = await sampleArchive({ projects: 0 })
  const pass = () =>
    archive.withEngine(
      async (engine) => {
        engine.projects.add([{ id: 'p', name: 'P' }])
        const { apiCalls } = await engine.sync()
        return { apiCalls, ...(await engine.status()).projects[0]?.checklists[0] }
      },
      { serviceUrl: url },
    )
  expect(await pass()).toMatchObject({ apiCalls: 3, complete: true })
  day = 2
  report = null
  const unchecked = { complete: false, gaps: [{ reason: 'not checked yet' }] }
  expect(await pass()).toMatchObject({ apiCalls: 3, ...unchecked })
  expect(await pass()).toMatchObject({ apiCalls: 2, ...unchecked })
  report = 'new'
  expect(await pass()).toMatchObject({ apiCalls: 2, complete: true })
  expect(await pass()).toMatchObject({ apiCalls: 1, complete: true })
  expect(sent.toSorted()).toEqual(['/f/1.jpg', '/f/new.pdf', '/f/old.pdf'])
})

it.each(['pdfProcessing', 'draft'])(
  'a new report after %s is archived if the update time is a date',
  async (between) => {
    let status = 'completed'
    let report = 'old'
    let url = ''
    const sent: string[] = []
    url = await serve((path) => {
      const { pdfUrl: _, ...head } = { ...entry(url), status, updatedAt: '2026-01-01' }
      const listed = { ...head, ...(status === 'completed' && { pdfUrl: `${url}/f/${report}.pdf` }) }
      if (path === '/checklist/p') return [listed]
      if (path === '/checklist/p/c1') return { ...listed, sections }
      return path === '/media/p/m1' ? [{ id: '1', filename: '1.jpg', imgUrl: `${url}/f/1.jpg` }] : undefined
    }, sent)
    const archive = await sampleArchive({ projects: 0 })
    await archive.withEngine(
      async (engine) => {
        engine.projects.add([{ id: 'p', name: 'P' }])
        const pass = async () => {
          const { apiCalls } = await engine.sync()
          return { apiCalls, ...(await engine.status()).projects[0]?.checklists[0] }
        }
        expect(await pass()).toMatchObject({ apiCalls: 3, complete: true })
        status = between
        expect(await pass()).toMatchObject({ complete: false })
        status = 'completed'
        report = 'new'
        expect(await pass()).toMatchObject({ apiCalls: 3, complete: true })
        expect(await pass()).toMatchObject({ apiCalls: 1, complete: true })
      },
      { serviceUrl: url },
    )
    expect(sent.toSorted()).toEqual(['/f/1.jpg', '/f/new.pdf', '/f/old.pdf'])
  },
)

const signatures = {
  AWS: (n: number) => `X-Amz-Date=${n}&X-Amz-Credential=${n}&X-Amz-Signature=${n}`,
  CloudFront: (n: number) => `Expires=${n}&Signature=${n}&Key-Pair-Id=${n}&Policy=${n}`,
  Azure: (n: number) => `sv=2024-01-01&st=${n}&se=${n}&sr=b&sp=r&sig=${n}`,
  Google: (n: number) => `X-Goog-Date=${n}&X-Goog-Signature=${n}`,
  'a token': (n: number) => `token=${n}`,
}

it.each(Object.entries(signatures))(
  'photos signed again with %s are neither archived nor downloaded twice',
  async (_, sign) => {
    let round = 1
    let url = ''
    const sent: string[] = []
    url = await serve((path) => {
      const head = { ...entry(url), updatedAt: `2026-01-0${round}T00:00:00Z` }
      if (path === '/checklist/p') return [head]
      if (path === '/checklist/p/c1') return { ...head, sections }
      const link = (key: string, n: number) => `${url}/f/image.jpg?key=${key}&${sign(round * 10 + n)}`
      return path === '/media/p/m1'
        ? ['a', 'b'].map((key, n) => ({ filename: 'image.jpg', imgUrl: link(key, n) }))
        : undefined
    }, sent)
    const archive = await sampleArchive({ projects: 0 })
    const pass = () =>
      archive.withEngine(
        async (engine) => {
          engine.projects.add([{ id: 'p', name: 'P' }])
          await engine.sync()
          return (await engine.status()).projects[0]?.checklists[0]
        },
        { serviceUrl: url },
      )
    expect(await pass()).toMatchObject({ complete: true, expectedFiles: 3 })
    const before = readFiles(archive.root)
    round = 2
    expect(await pass()).toMatchObject({ complete: true, expectedFiles: 3 })
    const photos = (files: ReadonlyMap<string, unknown>) => [...files].filter(([path]) => path.includes('/photos/'))
    expect(photos(readFiles(archive.root))).toEqual(photos(before))
    expect(sent.toSorted()).toEqual(['/f/c1.pdf', '/f/image.jpga', '/f/image.jpgb'])
  },
)

it('photo questions missing from one response stay expected; only a second one is accepted', async () => {
  let isHalf = false
  let day = 1
  const refused = new Set(['m3', 'm4'])
  let url = ''
  url = await serve((path) => {
    const head = { ...entry(url), updatedAt: `2026-01-0${day}T00:00:00Z` }
    const questions = ['m1', 'm2', 'm3', 'm4'].map((id) => ({ label: id, mediaCategoryId: id, clientRefIds: [id] }))
    if (path === '/checklist/p') return [head]
    if (path === '/checklist/p/c1') {
      return { ...head, sections: [{ label: 'Roof', questions: isHalf ? questions.slice(0, 2) : questions }] }
    }
    const id = path.slice('/media/p/'.length)
    return [{ id, filename: `${id}.jpg`, imgUrl: refused.has(id) ? `${url}/gone/${id}` : `${url}/f/${id}.jpg` }]
  })
  const archive = await sampleArchive({ projects: 0 })
  const pass = () =>
    archive.withEngine(
      async (engine) => {
        engine.projects.add([{ id: 'p', name: 'P' }])
        const { failures } = await engine.sync()
        return {
          reported: failures.filter(({ path }) => path === null).length,
          ...(await engine.status()).projects[0]?.checklists[0],
        }
      },
      { serviceUrl: url },
    )
  expect(await pass()).toMatchObject({ reported: 0, complete: false, expectedFiles: 5, archivedFiles: 3 })
  isHalf = true
  day = 2
  expect(await pass()).toMatchObject({ reported: 1, complete: false, expectedFiles: 5, archivedFiles: 3 })
  isHalf = false
  refused.clear()
  expect(await pass()).toMatchObject({ reported: 0, complete: true, expectedFiles: 5, archivedFiles: 5 })
  refused.add('m3')
  isHalf = true
  day = 3
  expect(await pass()).toMatchObject({ reported: 1, complete: false, expectedFiles: 5 })
  expect(await pass()).toMatchObject({ reported: 0, complete: true, expectedFiles: 5, archivedFiles: 5 })
})
