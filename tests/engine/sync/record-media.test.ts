import { join, posix } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createSanitizer } from '../../../electron/engine/lib/sanitizer.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { recordMedia } from '../../../electron/engine/sync/record-media.ts'
import type { Place } from '../../../shared/domain.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const at = '2026-11-21T09:00:00.000Z'

interface MediaRecord {
  readonly id: string | null
  readonly filename: string | null
  /** Default: one with the id. */
  readonly imgUrl?: string | null
  readonly place?: Place | null
  readonly hasThumbnail: boolean
  /** Default: true. */
  readonly isThumbnailReadable?: boolean
}

/** Creates a store with one question. `read` records its media and returns the paths of each record's files. */
function newQuestion() {
  const store = createStore(join(temporaryFolder(), 'solarchive.sqlite3'))
  onTestFinished(() => store.close())
  store.projects.put('p', null, null, at)
  const entry = { id: 'c', title: 'Survey', status: 'inProgress', updatedAt: null, fingerprint: 'f', entryRaw: '{}' }
  const checklistKey = store.checklists.put({ ...entry, projectId: 'p' })
  store.checklists.setFolder(checklistKey, 'P/C', 'P/C')
  store.questions.insert({
    checklistKey,
    position: 1,
    sectionLabel: 'Roof',
    label: 'Ridge',
    sectionFolder: '01 Roof',
    folder: '01 Ridge',
    mediaCategoryId: 'm',
    clientRefIds: null,
    answer: null,
  })
  const namesOf = (kind: 'photo' | 'thumbnail') =>
    store.assets
      .listForChecklist(checklistKey)
      .filter((asset) => asset.kind === kind)
      .map(({ remoteKey, path }) => [remoteKey, posix.basename(path)] as const)
  return {
    store,
    checklistKey,
    read: (records: readonly MediaRecord[], { isComplete = true, wantsChanges = true } = {}) => {
      const media = records.map(({ id, filename, imgUrl, place = null, hasThumbnail, isThumbnailReadable = true }) => ({
        id,
        filename,
        place,
        takenAt: null,
        raw: {},
        imgUrl: imgUrl === undefined ? `https://files.example/${id}` : imgUrl,
        thumbnailUrl: hasThumbnail && isThumbnailReadable ? `https://files.example/small/${id}` : null,
        hasThumbnail,
      }))
      const of = { projectId: 'p', categoryId: 'm', wantsChanges, isUserInitiated: true }
      store.transaction(() =>
        recordMedia(
          store,
          createSanitizer(() => []),
          of,
          media,
          isComplete ? new Date(at) : null,
        ),
      )
      return { photos: new Map(namesOf('photo')), thumbnails: new Map(namesOf('thumbnail')) }
    },
  }
}

it('a thumbnail has the name of its photo, even if those of photos with the same name arrive in another order', () => {
  const { read } = newQuestion()
  const image = (id: string, hasThumbnail: boolean) => ({ id, filename: 'image.jpg', hasThumbnail })
  const first = read([image('a', false), image('b', true)])
  expect([...first.photos.values()]).toEqual(['image.jpg', 'image (2).jpg'])
  expect([...first.thumbnails.values()]).toEqual(['image (2).jpg'])
  const then = read([image('a', true), image('b', true), image('c', true)])
  expect([...then.photos.values()]).toEqual(['image.jpg', 'image (2).jpg', 'image (3).jpg'])
  expect(then.thumbnails).toEqual(then.photos)
})

it('a thumbnail keeps the name of its photo after the service renamed the file', () => {
  const { read } = newQuestion()
  read([{ id: 'a', filename: 'IMG_1.heic', hasThumbnail: false }])
  const { photos, thumbnails } = read([{ id: 'a', filename: 'IMG_1.jpg', hasThumbnail: true }])
  expect([...photos.values()]).toEqual(['IMG_1.heic'])
  expect(thumbnails).toEqual(photos)
})

it('a thumbnail whose name another file has gets a numbered one', () => {
  const { store, checklistKey, read } = newQuestion()
  const path = 'P/C/thumbnails/01 Roof/01 Ridge/image.jpg'
  store.assets.insert({
    checklistKey,
    questionKey: null,
    kind: 'thumbnail',
    remoteKey: 'id:0',
    path,
    pathKey: path.toUpperCase(),
    sourceHash: null,
    fileName: null,
    record: null,
    takenAt: null,
    latitude: null,
    longitude: null,
  })
  const { thumbnails } = read([{ id: 'a', filename: 'image.jpg', hasThumbnail: true }])
  expect([...thumbnails.values()]).toEqual(['image.jpg', 'image (2).jpg'])
})

it('photos of the same name are numbered in their order, with a few queries for each', () => {
  const { store, read } = newQuestion()
  const queries = vi.spyOn(store.assets, 'isPathTaken')
  const count = 200
  const images = Array.from({ length: count }, (_, index) => ({
    id: `${index}`,
    filename: index % 2 === 0 ? 'image.jpg' : 'IMAGE.jpg',
    hasThumbnail: true,
  }))
  const taken = { id: 'taken', filename: 'image (3).jpg', hasThumbnail: false }
  const { photos, thumbnails } = read([taken, ...images])
  const numbers = Array.from({ length: count + 1 }, (_, index) => index + 1).filter((number) => number !== 3)
  const names = numbers.map((number, index) => {
    const stem = index % 2 === 0 ? 'image' : 'IMAGE'
    return number === 1 ? `${stem}.jpg` : `${stem} (${number}).jpg`
  })
  expect([...photos.values()]).toEqual(['image (3).jpg', ...names])
  expect([...thumbnails.values()]).toEqual(names)
  expect(queries.mock.calls.length).toBeLessThan(count * 5)
})

it('photos whose names are the same file on some disks have numbers of their own where these are cut', () => {
  const { read } = newQuestion()
  // Three bytes and two, with the same key: only the first name is too long for a number.
  const [long, short] = ['ẞ'.repeat(32), 'ß'.repeat(32)]
  const names = [long, short, short, long].map((stem) => `${stem}.jpg`)
  const { photos } = read(names.map((filename, index) => ({ id: `${index}`, filename, hasThumbnail: false })))
  const cut = `${'ẞ'.repeat(30)} (2).jpg`
  expect([...photos.values()]).toEqual([`${long}.jpg`, `${short} (2).jpg`, `${short} (3).jpg`, cut])
})

it('a thumbnail whose link cannot be read is expected, and stays the same file once it can', () => {
  const { store, read } = newQuestion()
  const photo = { id: 'a', filename: 'image.jpg', hasThumbnail: true }
  const { thumbnails } = read([{ ...photo, isThumbnailReadable: false }])
  expect([...thumbnails.values()]).toEqual(['image.jpg'])
  expect(store.jobs.countQueued('p')).toBe(2)
  expect(read([photo]).thumbnails).toEqual(thumbnails)
})

it('photos that are listed without ID, name, and link are expected one by one, and are replaced by the named ones', () => {
  const { store, checklistKey, read } = newQuestion()
  const blank = { id: null, filename: null, imgUrl: null, hasThumbnail: false }
  read([blank, blank, { ...blank, id: 'a' }])
  const expected = () => store.assets.listForChecklist(checklistKey).filter(({ present }) => present === 1)
  const [, , known] = expected()
  expect(expected()).toHaveLength(3)
  read(['b', 'c', 'a'].map((id) => ({ id, filename: `${id}.jpg`, hasThumbnail: false })))
  expect(expected()).toHaveLength(3)
  expect(expected().map(({ id }) => id)).toContain(known?.id)
})

it.each([
  ['a part of the list', { isComplete: false }],
  ['a list that is read for links alone', { wantsChanges: false }],
])('a photo that is not in %s is not taken for one that the service removed', (_name, how) => {
  const { store, checklistKey, read } = newQuestion()
  const photo = (id: string) => ({ id, filename: `${id}.jpg`, hasThumbnail: false })
  const file = { sha256: 'a'.repeat(64), sizeBytes: 9, etag: null, lastModified: null, archivedAt: at }
  const present = () => store.assets.listForChecklist(checklistKey).map((asset) => asset.present)
  read([photo('a'), photo('b')])
  for (const { id } of store.assets.listForChecklist(checklistKey)) {
    store.assets.markArchived({ id, ...file, urlIdentity: null })
  }
  read([photo('a')], how)
  expect([present(), store.jobs.countQueued('p')]).toEqual([[1, 1], 2])
  read([photo('a')])
  expect([present(), store.jobs.countQueued('p')]).toEqual([[1, 0], 1])
})

it('a photo that cannot be downloaded is tried again at once if the service lists another link for it', () => {
  const { store, checklistKey, read } = newQuestion()
  const photo = { id: 'a', filename: 'a.jpg', hasThumbnail: false }
  read([photo])
  const [asset] = store.assets.listForChecklist(checklistKey)
  store.jobs.fail({ assetId: asset?.id ?? 0, code: 'not-found', message: '', nextTryAt: null, attentionAt: at })
  read([photo])
  expect(store.jobs.countQueued('p')).toBe(0)
  read([{ ...photo, imgUrl: 'https://files.example/b' }])
  expect(store.jobs.countQueued('p')).toBe(1)
})

it('an archived photo whose record is unknown, as after a rebuild, is compared with that of the service', () => {
  const { store, checklistKey, read } = newQuestion()
  const photo = { id: 'a', filename: 'a.jpg', hasThumbnail: false }
  read([photo])
  const [asset = expect.fail('no photo')] = store.assets.listForChecklist(checklistKey)
  const file = { sha256: 'a'.repeat(64), sizeBytes: 9, etag: null, lastModified: null, archivedAt: at }
  store.assets.markArchived({ id: asset.id, ...file, urlIdentity: null })
  store.jobs.finish(asset.id)
  read([photo])
  expect(store.jobs.countQueued('p')).toBe(0)
  store.assets.update(asset.id, { ...asset, record: null }, false)
  read([photo])
  expect(store.jobs.countQueued('p')).toBe(1)
})

it('hints are computed again after the service moved an archived photo', () => {
  const { store, checklistKey, read } = newQuestion()
  const photo = { id: 'a', filename: 'image.jpg', hasThumbnail: true }
  const site = { latitude: 37.8, longitude: -116.2 }
  read([{ ...photo, place: site }])
  for (const { id } of store.assets.listForChecklist(checklistKey)) {
    const file = { sha256: 'a'.repeat(64), sizeBytes: 9, etag: null, lastModified: null, archivedAt: at }
    store.assets.markArchived({ id, ...file, urlIdentity: null })
  }
  read([{ ...photo, place: site }])
  expect(store.hints.stale()).toBeUndefined()
  for (const place of [{ ...site, longitude: 116.2 }, { latitude: 37.9, longitude: 116.2 }, null]) {
    read([{ ...photo, place }])
    expect(store.hints.stale()).toBe(checklistKey)
    store.hints.put(checklistKey, [])
  }
})

it.each(['a.jpg?md5=', 'a.jpg?token=', 'a.jpg?X-Amz-Signature=', 'https://files.example/a.jpg?sig='])(
  'a photo that an earlier version named with its signature keeps its place, and is not downloaded again: %s',
  (sent) => {
    const { store, checklistKey, read } = newQuestion()
    const signed = (id: string | null, name: string, signature: string) => ({
      id,
      filename: sent.replace('a.jpg', name) + signature,
      imgUrl: `https://files.example/${name}?Signature=${signature}`,
      hasThumbnail: false,
    })
    const names = ['a.jpg', 'b.jpg']
    const sanitizer = createSanitizer(() => [])
    const earlierNames = names.map((name) => sanitizer.text(`${sent.replace('a.jpg', name)}1`))
    read([signed('a', 'a.jpg', '1'), signed(null, 'b.jpg', '1')])
    const photos = () => store.assets.listForChecklist(checklistKey)
    const file = { sha256: 'a'.repeat(64), sizeBytes: 9, etag: null, lastModified: null, archivedAt: at }
    photos().forEach((asset, index) => {
      const { id, remoteKey, sourceHash, record, takenAt, latitude, longitude } = asset
      const facts = { remoteKey, sourceHash, record, takenAt, latitude, longitude }
      store.assets.update(id, { ...facts, fileName: earlierNames[index] ?? '' }, false)
      store.assets.setPath(id, `P/C/photos/${names[index]}_md5=1.jpg`, `P/C/PHOTOS/${names[index]}_MD5=1.JPG`)
      store.assets.markArchived({ id, ...file, urlIdentity: null })
      store.jobs.finish(id)
    })
    const before = photos()
    expect(before.map(({ fileName }) => fileName)).toEqual(earlierNames)
    read([signed('a', 'a.jpg', '2'), signed(null, 'b.jpg', '2')])
    const facts = ({ id, path, sha256, sourceHash }: (typeof before)[number]) => ({ id, path, sha256, sourceHash })
    expect(photos().map(facts)).toEqual(before.map(facts))
    expect(photos().map(({ fileName }) => fileName)).toEqual(names)
    expect(store.jobs.countQueued('p')).toBe(0)
  },
)
