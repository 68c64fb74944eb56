import { expect, test } from 'vitest'
import { shapePresets } from '../../electron/sample-service/http/response-shapes.ts'
import { photosOf } from '../../electron/sample-service/site/site-types.ts'
import { cheapFiles, first, read, serviceForTest } from './sample-client.ts'
import type { ShapeOptions } from '../../electron/sample-service/http/response-shapes.ts'

type Json = Record<string, unknown>

const someNumber: unknown = expect.any(Number)

async function responses(shapes: Partial<ShapeOptions>) {
  const service = await serviceForTest({ ...cheapFiles, shapes })
  const project = first(service.projects)
  const checklist = first(project.checklists)
  const category = first(checklist.sections).questions[1]?.mediaCategoryId
  return {
    checklist,
    lists: await read<unknown>(service, `checklist/${project.id}`),
    single: await read<unknown>(service, `checklist/${project.id}/${checklist.id}`),
    media: await read<unknown>(service, `media/${project.id}/${category}`),
    orders: await read<unknown>(service, `serviceRequests/project/${project.id}`),
  }
}

test('lists are bare or wrapped under the chosen name', async () => {
  expect(Array.isArray((await responses({ lists: 'array' })).lists)).toBe(true)
  for (const lists of ['data', 'items', 'results'] as const) {
    expect(((await responses({ lists })).lists as Json)[lists]).toHaveLength(4)
  }
  const named = await responses({ lists: 'named' })
  expect((named.lists as Json)['checklists']).toHaveLength(4)
  expect((named.media as Json)['media']).toHaveLength(4)
  expect((named.orders as Json)['serviceRequests']).toHaveLength(1)
})

test('a single item is bare, in an array, or under data', async () => {
  expect((await responses({})).single).toHaveProperty('title', 'Site survey')
  expect((await responses({ single: 'array' })).single).toHaveProperty([0, 'title'], 'Site survey')
  expect((await responses({ single: 'data' })).single).toHaveProperty('data.title', 'Site survey')
})

test('questions are in nested components, deeper ones, or sections', async () => {
  const label = 'Roof planes to be used'
  expect((await responses({})).single).toHaveProperty('components.0.components.1.label', label)
  const deep = (await responses({ tree: 'deepComponents' })).single
  expect(deep).toHaveProperty('components.0.components.0.components.1.label', label)
  const { single } = await responses({ tree: 'sections' })
  expect(single).toHaveProperty('sections.0.questions.1.label', label)
  expect(single).not.toHaveProperty('components')
})

test('the PDF link has the chosen name, also inside an object', async () => {
  expect((await responses({ reportLink: 'pdfReport' })).single).toHaveProperty(
    'pdfReport',
    expect.stringContaining('http'),
  )
  expect((await responses({ reportLink: 'report.url' })).single).toHaveProperty(['report', 'url'])
})

test('the position of a photo has the chosen name and format', async () => {
  const place = async (geolocationForm: ShapeOptions['geolocationForm']): Promise<unknown> =>
    first((await responses({ geolocationForm, geolocation: 'where' })).media as Json[])['where']
  expect(await place('latLng')).toEqual({ lat: someNumber, lng: someNumber })
  expect(await place('latitudeLongitude')).toEqual({ latitude: someNumber, longitude: someNumber })
  expect(await place('exif')).toMatchObject({ GPSLatitudeRef: 'N', GPSLongitudeRef: 'W' })
  expect(await place('geoJson')).toMatchObject({ type: 'Point' })
  expect(await place('none')).toBeUndefined()
})

test('media records refer to clientRefIds by a field, by their id, or by the file name only', async () => {
  for (const mediaReference of ['clientRefId', 'id', 'filename'] as const) {
    const { single, media } = await responses({ mediaReference })
    const questions = first((single as { components: { components: Json[] }[] }).components).components
    const refs = questions[1]?.['clientRefIds']
    expect((media as Json[]).map((record) => record[mediaReference])).toEqual(refs)
    if (mediaReference === 'filename') expect(first(media as Json[])).not.toHaveProperty('id')
  }
})

test('fields without a value are left out or null', async () => {
  const omitted = (await responses({})).lists as Json[]
  expect(omitted[3]).not.toHaveProperty('pdfUrl')
  const present = (await responses({ absent: 'null' })).lists as Json[]
  expect(present[3]).toHaveProperty('pdfUrl', null)
})

test('every preset covers all four kinds of calls', async () => {
  for (const preset of Object.values(shapePresets)) {
    const { checklist, single, media } = await responses(preset)
    expect(JSON.stringify(single)).toContain(checklist.id)
    const links = JSON.stringify(media)
    expect(links).toContain(first(photosOf(checklist)).id)
  }
})
