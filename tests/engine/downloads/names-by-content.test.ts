import { basename } from 'node:path/posix'
import { expect, it } from 'vitest'
import type { EngineSettings } from '../../../electron/engine/engine.ts'
import { recordSnapshots } from '../../support/record-snapshots.ts'
import { readFiles, sampleArchive } from '../../support/sample-archive.ts'
import { sendJson, withServer } from '../../support/with-server.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')
const contents = {
  png: bytes('\x89PNG\r\n\x1A\n one'),
  otherPng: bytes('\x89PNG\r\n\x1A\n two'),
  heic: bytes('\0\0\0\x18ftypheic\0\0\0\0mif1heic photo'),
  mp4: bytes('\0\0\0\x18ftypisom\0\0\0\0isommp42 video'),
  jpeg: bytes('\xff\xd8\xff\xe0 photo \xff\xd9'),
}
type Content = keyof typeof contents

interface Photo {
  readonly filename?: string
  readonly content: Content
}

/** Serves project `p` with one question, and runs `use` with the settings for an engine. */
async function withPhotos(
  photos: readonly Photo[],
  use: (settings: Partial<EngineSettings>) => Promise<void>,
): Promise<void> {
  const questions = [{ label: 'Ridge', mediaCategoryId: 'm' }]
  await withServer(
    (request, response) => {
      const { pathname, origin } = new URL(request.url, `http://${request.headers.host}`)
      // The survey changes with each photo.
      const updatedAt = `2026-01-0${photos.length}T00:00:00Z`
      const checklist = { id: 'c', title: 'Survey', status: 'awaitingMedia', updatedAt }
      const photo = photos[Number(/^\/photo\/(\d+)$/.exec(pathname)?.[1])]
      const media = photos.map(({ filename }, id) => ({ id: `${id}`, filename, imgUrl: `${origin}/photo/${id}` }))
      if (photo !== undefined) response.end(contents[photo.content])
      else if (pathname.endsWith('/checklist/p')) sendJson(response, [checklist])
      else if (pathname.endsWith('/checklist/p/c'))
        sendJson(response, { ...checklist, sections: [{ label: 'Roof', questions }] })
      else sendJson(response, pathname.endsWith('/media/p/m') ? media : {}, pathname.endsWith('/m') ? 200 : 404)
    },
    ({ url }) => use({ serviceUrl: url }),
  )
}

/** Returns the content of each archived photo by its name. */
function archivedPhotos(root: string): Record<string, string> {
  const photos = [...readFiles(root)].filter(([path]) => path.includes('/photos/'))
  return Object.fromEntries(photos.map(([path, content]) => [basename(path), content.toString('latin1')]))
}

const expected = (names: Readonly<Record<string, Content>>) =>
  Object.fromEntries(Object.entries(names).map(([name, content]) => [name, contents[content].toString('latin1')]))

it('a photo without an extension at the service gets the one of its content', async () => {
  const archive = await sampleArchive({ projects: 0 })
  const photos = [
    { filename: 'panel', content: 'png' },
    { filename: 'meter', content: 'heic' },
    { filename: 'attic', content: 'mp4' },
    { filename: 'roof', content: 'jpeg' },
    { content: 'png' },
    // Its name is the service's, whatever its content.
    { filename: 'ridge.jpg', content: 'png' },
  ] as const
  const names = expected({
    'panel.png': 'png',
    'meter.heic': 'heic',
    'attic.mp4': 'mp4',
    'roof.jpg': 'jpeg',
    'photo.png': 'png',
    'ridge.jpg': 'png',
  })
  await withPhotos(photos, async (settings) => {
    await archive.withEngine(async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      expect(await engine.sync()).toMatchObject({ failures: [], filesDownloaded: photos.length })
      expect(archivedPhotos(archive.root)).toEqual(names)
      expect(await engine.sync()).toMatchObject({ failures: [], filesDownloaded: 0 })
      expect(await engine.verify()).toMatchObject({ missing: [], changed: [], unexpected: [], ok: photos.length + 2 })
    }, settings)
  })
  expect(archivedPhotos(archive.root)).toEqual(names)
})

it('photos without a name keep their numbers, which they share with their thumbnails', async () => {
  const archive = await sampleArchive({ projects: 0 })
  const photos = (['png', 'heic', 'otherPng', 'mp4'] as const).map((content) => ({ content }))
  await withPhotos(photos, async (settings) => {
    await archive.withEngine(async (engine) => {
      engine.projects.add([{ id: 'p', name: 'P' }])
      expect(await engine.sync()).toMatchObject({ failures: [], filesDownloaded: photos.length })
    }, settings)
  })
  expect(archivedPhotos(archive.root)).toEqual(
    expected({
      'photo.png': 'png',
      'photo (2).heic': 'heic',
      'photo (3).png': 'otherPng',
      'photo (4).mp4': 'mp4',
    }),
  )
})

it('photos whose names are equal with the extension of their content are all archived, also after a kill', async () => {
  const archive = await sampleArchive({ projects: 0 })
  const photos: Photo[] = [{ filename: 'roof.png', content: 'png' }]
  await withPhotos(photos, async (settings) => {
    const sync = () =>
      archive.withEngine(
        async (engine) => {
          engine.projects.add([{ id: 'p', name: 'P' }])
          expect(await engine.sync()).toMatchObject({ failures: [] })
          expect(await engine.verify()).toMatchObject({ missing: [], changed: [], unexpected: [] })
        },
        { ...settings, writeMode: 'inline' },
      )
    await sync()
    photos.push({ filename: 'roof', content: 'otherPng' })
    const names = expected({ 'roof.png': 'png', 'roof (2).png': 'otherPng' })
    const snapshots = await recordSnapshots([archive.home, archive.root], sync)
    expect(archivedPhotos(archive.root)).toEqual(names)
    expect(snapshots.length).toBeGreaterThan(20)
    for (const { name, restore } of snapshots) {
      restore()
      await sync()
      expect(archivedPhotos(archive.root), name).toEqual(names)
    }
  })
})
