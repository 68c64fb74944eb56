import { readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Engine } from '../../../electron/engine/engine.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { readFiles, sampleArchive, type SampleArchive } from '../../support/sample-archive.ts'
import { sendJson, withServer } from '../../support/with-server.ts'
import { databaseOf, loseDatabase } from '../recovery/whole-archive.ts'

const dayMs = 24 * 60 * 60_000

/** A photo as the service lists it. Its file is at `path`; `note` is a field of its record. */
interface ListedPhoto {
  readonly path: string
  readonly note?: string
}

/** A service with one completed checklist, whose update time never changes. Tests change all of it. */
interface PhotoService {
  /** By id. */
  photos: Record<string, ListedPhoto>
  /** Content of the files by path. */
  readonly texts: Map<string, string>
  /** Paths of files and answers that cannot be sent now. */
  readonly refused: Set<string>
  isListed: boolean
  /** Path of the report. */
  report: string
  /** Called before each list of photos is made, and with the path of each file that was asked for before it is sent. */
  beforeList: () => Promise<void>
  beforeFile: (path: string) => Promise<void>
  /** Validator of all files, or none. */
  etag: (text: string) => string | undefined
}

interface World {
  readonly service: PhotoService
  readonly archive: SampleArchive
  readonly url: string
  /** Lets this time pass. */
  readonly wait: (ms: number) => void
}

const photoBytes = (text: string) => Buffer.from(`\xff\xd8\xff\xe0${text.padEnd(20)}\xff\xd9`, 'latin1')

async function withPhotos(use: (world: World) => Promise<void>): Promise<void> {
  const service: PhotoService = {
    photos: { a: { path: '/f/1.jpg' }, b: { path: '/f/b.jpg' } },
    texts: new Map([
      ['/f/1.jpg', 'first'],
      ['/f/2.jpg', 'second'],
      ['/f/b.jpg', 'b'],
      ['/f/1.pdf', 'first'],
      ['/f/2.pdf', 'second'],
    ]),
    refused: new Set(),
    isListed: true,
    report: '/f/1.pdf',
    beforeList: () => Promise.resolve(),
    beforeFile: () => Promise.resolve(),
    etag: (text) => `"${text}"`,
  }
  let waitedMs = 0
  const archive = await sampleArchive(
    { projects: 0 },
    {
      ...systemClock,
      nowMs: () => systemClock.nowMs() + waitedMs,
      sleep: (delayMs, signal) => systemClock.sleep(Math.min(delayMs, 5), signal),
    },
  )
  await withServer(
    async ({ url, headers }, response) => {
      const base = `http://${headers.host}`
      if (url.startsWith('/f/')) {
        const text = service.texts.get(url) ?? ''
        const etag = service.etag(text)
        await service.beforeFile(url)
        if (service.refused.has(url)) response.writeHead(500).end()
        else if (etag !== undefined && headers['if-none-match'] === etag) response.writeHead(304).end()
        else {
          if (etag !== undefined) response.setHeader('etag', etag)
          response.end(url.endsWith('.pdf') ? `%PDF-1.4\n${text}\n%%EOF\n` : photoBytes(text))
        }
        return
      }
      const head = { id: 'c1', title: 'Survey', status: 'completed', updatedAt: '2026-01-01T00:00:00Z' }
      const entry = { ...head, pdfUrl: base + service.report }
      const questions = [{ label: 'Ridge', mediaCategoryId: 'm1' }]
      const path = url.replace(/^\/api\/v1|\?.*$/g, '')
      if (path === '/media/p/m1') await service.beforeList()
      const answers: Record<string, unknown> = {
        '/checklist/p': service.isListed ? [entry] : [],
        '/checklist/p/c1': { ...entry, sections: [{ label: 'Roof', questions }] },
        '/media/p/m1': Object.entries(service.photos).map(([id, { path, note }]) => {
          return { id, filename: `${id}.jpg`, note, imgUrl: base + path }
        }),
      }
      const answer = service.refused.has(path) ? undefined : answers[path]
      sendJson(response, answer ?? { message: 'not found' }, answer === undefined ? 404 : 200)
    },
    ({ url }) => use({ service, archive, url, wait: (ms) => void (waitedMs += ms) }),
  )
}

const withEngine = <T>({ archive, url }: World, work: (engine: Engine) => Promise<T>): Promise<T> =>
  archive.withEngine(
    (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      return work(engine)
    },
    { serviceUrl: url },
  )

async function syncedState(engine: Engine) {
  await engine.sync()
  return (await engine.status()).projects[0]?.checklists[0]
}

/** Runs one pass in a new engine, and returns the checklist's state. */
const sync = (world: World) => withEngine(world, syncedState)

/** Returns path and bytes of the archived file with this name. */
function findFile({ archive }: World, name: string): [string, Buffer] {
  const found = [...readFiles(archive.root)].find(
    ([path]) => !path.includes('/.versions/') && path.endsWith(`/${name}`),
  )
  return found ?? expect.fail(`no ${name}`)
}

const contentOf = (world: World, name = 'a.jpg') => /first|second/.exec(findFile(world, name)[1].toString())?.[0]

/** Deletes a photo, and returns a function that restores it as from a backup. */
function deletePhoto(world: World, name = 'a.jpg'): () => void {
  const { archive } = world
  const [path, bytes] = findFile(world, name)
  unlinkSync(join(archive.root, path))
  return () => writeFileSync(join(archive.root, path), bytes)
}

const changes: [string, (service: PhotoService) => void][] = [
  ['under another URL', (service) => (service.photos = { ...service.photos, a: { path: '/f/2.jpg' } })],
  [
    'with another record',
    (service) => {
      service.photos = { ...service.photos, a: { path: '/f/1.jpg', note: 'retaken' } }
      service.texts.set('/f/1.jpg', 'second')
    },
  ],
]

describe.each(changes)('a photo that is replaced %s, although its checklist has no new update time,', (_, replace) => {
  it('is downloaded although the earlier one is restored from a backup meanwhile', async () => {
    await withPhotos(async (world) => {
      const { service } = world
      expect(await sync(world)).toMatchObject({ complete: true, gaps: [] })
      const restore = deletePhoto(world)
      replace(service)
      for (const { path } of Object.values(service.photos)) service.refused.add(path)
      expect(await sync(world)).toMatchObject({ complete: false })
      restore()
      expect(await sync(world)).toMatchObject({ complete: false })
      service.refused.clear()
      expect(await sync(world)).toMatchObject({ complete: true, gaps: [] })
      expect(contentOf(world)).toBe('second')
    })
  })

  it('is downloaded although a list without it came in between', async () => {
    await withPhotos(async (world) => {
      const { service, wait } = world
      expect(await sync(world)).toMatchObject({ complete: true, gaps: [] })
      replace(service)
      for (const { path } of Object.values(service.photos)) service.refused.add(path)
      wait(8 * dayMs)
      expect(await sync(world)).toMatchObject({ complete: false })
      service.refused.clear()
      const { a, ...others } = service.photos
      service.photos = others
      wait(8 * dayMs)
      await sync(world)
      expect(contentOf(world)).toBe('first')
      service.photos = { ...others, ...(a && { a }) }
      wait(8 * dayMs)
      expect(await sync(world)).toMatchObject({ complete: true, gaps: [] })
      expect(contentOf(world)).toBe('second')
    })
  })

  it.each(['not archived', 'archived'])(
    'is downloaded although its file, %s, was in flight when it was listed',
    (kind) => {
      return withPhotos(async (world) => {
        const { service } = world
        await withEngine(world, async (engine) => {
          expect(await syncedState(engine)).toMatchObject({ complete: true, gaps: [] })
          if (kind === 'not archived') deletePhoto(world)
          else {
            // The category is read because of the other photo.
            deletePhoto(world, 'b.jpg')
            service.photos = { ...service.photos, a: { path: '/f/1.jpg', note: 'rated' } }
          }
          service.refused.add('/f/1.jpg')
          expect(await syncedState(engine)).toMatchObject({ complete: false })
          service.refused.clear()
          deletePhoto(world, 'b.jpg')
          const isAsked = Promise.withResolvers<void>()
          const isListed = Promise.withResolvers<void>()
          service.beforeFile = async (path) => {
            if (path === '/f/b.jpg') isListed.resolve()
            if (path !== '/f/1.jpg') return
            isAsked.resolve()
            await isListed.promise
          }
          service.beforeList = async () => {
            await isAsked.promise
            replace(service)
          }
          // Each photo counts once.
          expect(await engine.sync()).toMatchObject({ filesDownloaded: 2, failures: [] })
          expect((await engine.status()).projects[0]?.checklists[0]).toMatchObject({ complete: true, gaps: [] })
          expect(contentOf(world)).toBe('second')
        })
      })
    },
  )

  it.each([
    ['with', (text: string) => `"${text}"`],
    ['without', () => undefined],
  ])('is downloaded although the database is lost meanwhile (%s validators)', async (_name, etag) => {
    await withPhotos(async (world) => {
      const { service, wait } = world
      service.etag = etag
      expect(await sync(world)).toMatchObject({ complete: true, gaps: [] })
      replace(service)
      for (const { path } of Object.values(service.photos)) service.refused.add(path)
      wait(8 * dayMs)
      expect(await sync(world)).toMatchObject({ complete: false })
      service.refused.clear()
      loseDatabase(world.archive)
      expect(await sync(world)).toMatchObject({ complete: true, gaps: [] })
      expect(contentOf(world)).toBe('second')
    })
  })
})

it('a photo at another URL is not taken for the earlier one by its validators, although it failed and was not listed', async () => {
  await withPhotos(async (world) => {
    const { service, wait } = world
    service.etag = () => '"same"'
    expect(await sync(world)).toMatchObject({ complete: true, gaps: [] })
    service.photos = { ...service.photos, a: { path: '/f/2.jpg' } }
    service.refused.add('/f/2.jpg')
    wait(8 * dayMs)
    expect(await sync(world)).toMatchObject({ complete: false })
    service.refused.clear()
    const { a, ...others } = service.photos
    service.photos = others
    wait(8 * dayMs)
    await sync(world)
    service.photos = { ...others, ...(a && { a }) }
    wait(8 * dayMs)
    expect(await sync(world)).toMatchObject({ complete: true, gaps: [] })
    expect(contentOf(world)).toBe('second')
  })
})

it('a photo that is known to be replaced is downloaded although an earlier database is restored from a backup', async () => {
  await withPhotos(async (world) => {
    const { service, archive } = world
    expect(await sync(world)).toMatchObject({ complete: true, gaps: [] })
    const backup = readFileSync(databaseOf(archive))
    service.photos = { ...service.photos, a: { path: '/f/2.jpg' } }
    service.refused.add('/f/2.jpg')
    // The category is read because of the other photo.
    deletePhoto(world, 'b.jpg')
    expect(await sync(world)).toMatchObject({ complete: false })
    rmSync(databaseOf(archive))
    writeFileSync(databaseOf(archive), backup)
    service.refused.clear()
    expect(await sync(world)).toMatchObject({ complete: true, gaps: [] })
    expect(contentOf(world)).toBe('second')
  })
})

it('a report that failed is downloaded from the link of the next list', async () => {
  await withPhotos(async (world) => {
    const { service } = world
    service.refused.add('/f/1.pdf')
    await withEngine(world, async (engine) => {
      expect(await syncedState(engine)).toMatchObject({ complete: false })
      service.refused.clear()
      service.report = '/f/2.pdf'
      expect(await syncedState(engine)).toMatchObject({ complete: true, gaps: [] })
    })
    expect(contentOf(world, 'report.pdf')).toBe('second')
  })
})

it.each([
  ['another report', '/f/2.pdf', 'second'],
  ['the same report', '/f/same.pdf', 'first'],
])(
  'a report at another URL, although its checklist has no new update time, is downloaded once by a full pass: %s',
  async (_name, report, content) => {
    await withPhotos(async (world) => {
      const { service, wait } = world
      service.texts.set('/f/same.pdf', 'first')
      let asked = 0
      service.beforeFile = async (path) => {
        if (path.endsWith('.pdf')) asked += 1
        return Promise.resolve()
      }
      expect(await sync(world)).toMatchObject({ complete: true, gaps: [] })
      service.report = report
      service.refused.add(report)
      // Hosts may have another path in each answer.
      expect(await sync(world)).toMatchObject({ complete: true, gaps: [] })
      expect(asked).toBe(1)
      wait(8 * dayMs)
      expect(await sync(world)).toMatchObject({ complete: false, gaps: [{ reason: 'not checked yet' }] })
      service.refused.clear()
      expect(await sync(world)).toMatchObject({ complete: true, gaps: [] })
      expect(contentOf(world, 'report.pdf')).toBe(content)
      const versions = [...readFiles(world.archive.root).keys()].filter((path) => path.includes('/.versions/'))
      expect(versions).toHaveLength(content === 'first' ? 0 : 1)
      const askedBefore = asked
      wait(8 * dayMs)
      expect(await sync(world)).toMatchObject({ complete: true, gaps: [] })
      expect(asked).toBe(askedBefore)
    })
  },
)

it('a checklist whose report is known to be replaced is not complete once it is no longer listed', async () => {
  await withPhotos(async (world) => {
    const { service, wait } = world
    expect(await sync(world)).toMatchObject({ complete: true, gaps: [] })
    service.report = '/f/2.pdf'
    for (const path of ['/f/2.pdf', '/checklist/p/c1']) service.refused.add(path)
    wait(8 * dayMs)
    expect(await sync(world)).toMatchObject({ complete: false })
    service.isListed = false
    expect(await sync(world)).toMatchObject({ complete: false, gaps: [{ reason: 'gone' }] })
  })
})
