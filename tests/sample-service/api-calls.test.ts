import { expect, test } from 'vitest'
import { checklistStatuses, photosOf } from '../../electron/sample-service/site/site-types.ts'
import { call, cheapFiles, first, firstMedia, read, serviceForTest } from './sample-client.ts'

interface Head {
  readonly id: string
  readonly title: string
  readonly status: string
  readonly updatedAt: string
  readonly pdfUrl?: string
}

interface Question {
  readonly label: string
  readonly mediaCategoryId?: string
  readonly clientRefIds: readonly string[]
}

interface Detail extends Head {
  readonly components: readonly { readonly label: string; readonly components: readonly Question[] }[]
}

test('a project lists its checklists, and the completed ones link to their PDF', async () => {
  const service = await serviceForTest()
  const project = first(service.projects)
  const heads = await read<Head[]>(service, `checklist/${project.id}`)
  expect(heads.map(({ id }) => id)).toEqual(project.checklists.map(({ id }) => id))
  expect(heads.map(({ title }) => title)).toContain('Site survey')
  for (const { id, status, pdfUrl, updatedAt } of heads) {
    expect(id).toMatch(/^[0-9a-f]{24}$/)
    expect(new Date(updatedAt).toISOString()).toBe(updatedAt)
    expect(pdfUrl !== undefined).toBe(status === 'completed')
    if (pdfUrl !== undefined) expect(pdfUrl.startsWith(`${service.filesUrl}/reports/`)).toBe(true)
  }
})

test('one checklist has its sections, its questions, and the ids to request their media', async () => {
  const service = await serviceForTest()
  const project = first(service.projects)
  const detail = await read<Detail>(service, `checklist/${project.id}/${first(project.checklists).id}`)
  expect(detail.components.map(({ label }) => label)).toEqual(['Roof', 'Attic', 'Electrical', 'Site'])
  const questions = detail.components.flatMap(({ components }) => components)
  const shared = questions.filter(({ label }) => label.startsWith('Main '))
  expect(shared).toHaveLength(2)
  expect(new Set(shared.map(({ mediaCategoryId }) => mediaCategoryId)).size).toBe(1)
  const written = questions.filter(({ mediaCategoryId }) => mediaCategoryId === undefined)
  expect(written.length).toBeGreaterThan(0)
  expect(written.every(({ clientRefIds }) => clientRefIds.length === 0)).toBe(true)
})

test('media records have their file name, location, and links, and refer to the question', async () => {
  const service = await serviceForTest()
  const project = first(service.projects)
  const records = await firstMedia(service)
  const refs = photosOf(first(project.checklists)).map(({ clientRefId }) => clientRefId)
  expect(records.length).toBeGreaterThan(1)
  for (const { clientRefId, filename, imgUrl, thumbnailUrl, geolocation } of records) {
    expect(refs).toContain(clientRefId)
    expect(filename).toMatch(/^IMG_\d{4}\.jpg$/)
    expect(geolocation.lat).toBeCloseTo(project.place.latitude, 3)
    expect(geolocation.lng).toBeCloseTo(project.place.longitude, 3)
    expect(new URL(imgUrl).origin).toBe(service.filesUrl)
    expect(new URL(thumbnailUrl).search).toMatch(/^\?Expires=\d+&Signature=[\w~-]+&Key-Pair-Id=K\w+$/)
  }
})

test('a shared category returns the photos of both its questions', async () => {
  const service = await serviceForTest()
  const project = first(service.projects)
  const electrical = first(project.checklists).sections[2]
  const [cover, rating] = electrical?.questions ?? []
  expect(cover?.mediaCategoryId).toBe(rating?.mediaCategoryId)
  const records = await read<unknown[]>(service, `media/${project.id}/${cover?.mediaCategoryId}`)
  expect(records).toHaveLength((cover?.photos.length ?? 0) + (rating?.photos.length ?? 0))
})

test('the default sample has every status, about 150 photos, and media not uploaded yet', async () => {
  const service = await serviceForTest()
  const checklists = service.projects.flatMap((project) => project.checklists)
  expect(new Set(checklists.map(({ status }) => status))).toEqual(new Set(checklistStatuses))
  const photos = checklists.flatMap(photosOf)
  expect(photos.length).toBeGreaterThanOrEqual(120)
  expect(photos.length).toBeLessThanOrEqual(180)
  const waiting = checklists.filter(({ status }) => status === 'awaitingMedia').flatMap(photosOf)
  expect(waiting.some(({ state }) => state === 'taken')).toBe(true)
  expect(waiting.some(({ state }) => state === 'uploaded')).toBe(true)
  expect(new Set(photos.map(({ id }) => id)).size).toBe(photos.length)
})

test('one project has names that are hard to archive, with two equal file names in one question', async () => {
  const service = await serviceForTest()
  const questions = service.projects
    .flatMap(({ checklists }) => checklists)
    .flatMap(({ sections }) => sections.flatMap((section) => section.questions))
  const labels = questions.map(({ label }) => label)
  expect(labels).toContain('CON')
  expect(labels.some((label) => label.endsWith('...'))).toBe(true)
  expect(labels.some((label) => label.length > 200)).toBe(true)
  const names = questions.map(({ photos }) => photos.map(({ filename }) => filename))
  expect(names.some((list) => list.filter((name) => name === 'IMG_0001.jpg').length > 1)).toBe(true)
})

test('projects can be listed, searched by address, and read one by one', async () => {
  const service = await serviceForTest()
  const all = await read<{ id: string; name: string; address: string }[]>(service, 'projects')
  expect(all.map(({ id }) => id)).toEqual(service.projects.map(({ id }) => id))
  const wanted = first(all)
  const street = wanted.address.slice(0, 12).toUpperCase()
  const found = await read<{ id: string }[]>(service, `projects?filterBy[address]=${encodeURIComponent(street)}`)
  expect(found.map(({ id }) => id)).toEqual([wanted.id])
  expect(await read(service, `projects/${wanted.id}`)).toMatchObject(wanted)
})

test('an unknown id gets a 404, a wrong method a 405', async () => {
  const service = await serviceForTest()
  const { id } = first(service.projects)
  const missing = '0'.repeat(24)
  for (const path of [`checklist/${missing}`, `checklist/${id}/${missing}`, `media/${missing}/${missing}`]) {
    expect((await call(service, path)).status).toBe(404)
  }
  for (const path of [`projects/${missing}`, `serviceRequests/project/${missing}`, 'module-library/1', '%E0%A4%A']) {
    expect((await call(service, path)).status).toBe(404)
  }
  expect((await call(service, `checklist/${id}`, { method: 'DELETE' })).status).toBe(405)
  expect(await read(service, `media/${id}/${missing}`)).toEqual([])
})

test('every call needs the token, in the query or as a bearer token', async () => {
  const service = await serviceForTest(cheapFiles)
  const url = `${service.url}/api/v1/projects`
  const bearer = (token: string): RequestInit => ({ headers: { Authorization: `Bearer ${token}` } })
  expect((await fetch(url)).status).toBe(401)
  expect((await fetch(`${url}?access_token=wrong`)).status).toBe(401)
  expect((await fetch(url, bearer('wrong'))).status).toBe(401)
  expect((await fetch(url, bearer(service.token))).status).toBe(200)
  const old = service.token
  service.setToken('another')
  expect((await fetch(url, bearer(old))).status).toBe(401)
  expect((await call(service, 'projects')).status).toBe(200)
})

test('calls beyond the limit get a 429 until the minute is over', async () => {
  let now = Date.UTC(2026, 0, 1)
  const service = await serviceForTest({ callsPerMinute: 2, nowMs: () => now })
  expect((await call(service, 'projects')).status).toBe(200)
  expect((await call(service, 'projects')).status).toBe(200)
  expect((await call(service, 'projects')).status).toBe(429)
  now += 60_000
  expect((await call(service, 'projects')).status).toBe(200)
})

test('the log counts requests and shows secrets that reach the file host', async () => {
  const service = await serviceForTest(cheapFiles)
  const { imgUrl } = first(await firstMedia(service))
  await (await fetch(imgUrl)).arrayBuffer()
  expect(service.requests.count('media')).toBe(1)
  expect(service.requests.count('photo', 'GET')).toBe(1)
  expect(service.requests.count('api')).toBe(1)
  expect(service.requests.records.at(-1)).toMatchObject({ origin: 'files', route: 'photo', method: 'GET', status: 200 })
  expect(service.requests.leaks(service.token)).toEqual([])
  await (await fetch(imgUrl, { headers: { Authorization: `Bearer ${service.token}` } })).arrayBuffer()
  expect(service.requests.leaks(service.token)).toHaveLength(1)
  service.requests.clear()
  expect(service.requests.count('photo')).toBe(0)
})

test('the options set the amounts', async () => {
  const sizes = { projects: 2, checklistsPerProject: 3, photoQuestionsPerChecklist: 5, photosPerQuestion: 4 }
  const service = await serviceForTest({ ...sizes, ...cheapFiles, statuses: ['completed'] })
  expect(service.projects).toHaveLength(2)
  for (const { checklists } of service.projects) {
    expect(checklists).toHaveLength(3)
    for (const checklist of checklists) {
      expect(checklist.status).toBe('completed')
      expect(photosOf(checklist)).toHaveLength(20)
    }
  }
})
