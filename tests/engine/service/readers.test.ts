import { describe, expect, test } from 'vitest'
import { readChecklistDetail } from '../../../electron/engine/service/readers/read-checklist-detail.ts'
import { readChecklistList } from '../../../electron/engine/service/readers/read-checklist-list.ts'
import { readMediaList } from '../../../electron/engine/service/readers/read-media.ts'
import { readModuleList, readOrderUser } from '../../../electron/engine/service/readers/read-modules.ts'
import { readOneProject, readProjects } from '../../../electron/engine/service/readers/read-projects.ts'
import {
  readCreatedServiceRequest,
  readServiceRequestList,
} from '../../../electron/engine/service/readers/read-service-requests.ts'
import { saysThereIsMore } from '../../../electron/engine/service/readers/find-total.ts'
import { thrownBy } from './caught.ts'
import { checklistListShapes, expectedChecklists } from './fixtures/checklist-list-shapes.ts'
import {
  checklistDetailShapes,
  detailId,
  expectedDetail,
  expectedSections,
  flatShapes,
  headlessShapes,
} from './fixtures/checklist-detail-shapes.ts'
import { expectedMedia, mediaShapes } from './fixtures/media-shapes.ts'
import { expectedModules, moduleShapes } from './fixtures/module-shapes.ts'
import { expectedProjects, projectShapes } from './fixtures/project-shapes.ts'
import { expectedServiceRequest, serviceRequestShapes } from './fixtures/service-request-shapes.ts'

/** Drops undefined properties, as JSON does. */
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const withoutRaw = (records: readonly { raw: unknown }[]) => records.map(({ raw: _raw, ...rest }) => rest)

describe('a list of checklists is read from', () => {
  test.each(Object.entries(checklistListShapes))('%s', (_, shape) => {
    expect(withoutRaw(readChecklistList(sent(shape)).list)).toEqual(expectedChecklists)
  })

  test('a single checklist, with its raw response kept', () => {
    const single = {
      id: 7,
      title: 'One',
      status: 'on hold',
      items: [{ id: 's1', title: 'A section' }],
      updatedAt: 'soon',
    }
    expect(readChecklistList(single).list).toEqual([
      {
        id: '7',
        title: 'One',
        status: 'on hold',
        statusText: 'on hold',
        updatedAt: null,
        updatedText: 'soon',
        reportUrl: null,
        raw: single,
      },
    ])
    // An object may contain a signed link, which changes with every answer.
    const linked = { ...single, updatedAt: { by: 'https://files.example/me.jpg?X-Amz-Signature=1' } }
    expect(readChecklistList(linked).list).toMatchObject([{ updatedAt: null, updatedText: null }])
  })

  test.each<[string, readonly unknown[], readonly string[]]>([
    ['no checklists', [], []],
    ['checklists with ids and titles alone', [{ id: 'c1', title: 'Survey' }], ['c1']],
  ])('the project around %s, never as a checklist', (_, checklists, ids) => {
    const project = { id: 'P1', name: 'Smith', status: 'active', checklists }
    for (const answer of [project, [project], { data: project }, { project: 'p1', data: [project] }]) {
      expect(readChecklistList(answer, undefined, 'p1').list.map(({ id }) => id)).toEqual(ids)
    }
    // A checklist with the id of its project.
    expect(readChecklistList({ ...project, checklists: null }, undefined, 'p1').list).toMatchObject([{ id: 'P1' }])
    expect(thrownBy(() => readChecklistList({ ...project, checklists: ['c1'] }, undefined, 'p1')).code).toBe(
      'unreadable-answer',
    )
  })

  test('a single checklist with another one inside', () => {
    const single = { id: 'a', status: 'completed', checklist: { id: 'template', title: 'T', status: 'draft' } }
    expect(readChecklistList(single).list).toMatchObject([{ id: 'a' }])
    expect(
      readChecklistList([
        { ...single, title: 'A' },
        { ...single, id: 'b' },
      ]).list,
    ).toMatchObject([{ id: 'a' }, { id: 'b' }])
  })

  test('titles, statuses, and ids exactly as sent', () => {
    const odd = { id: ' a b ', title: ' Final \u202e inspection ... ', status: 'On Hold ' }
    expect(readChecklistList([odd]).list).toMatchObject([odd])
  })

  test.each([
    ['Completed', 'completed'],
    ['COMPLETED', 'completed'],
    ['Draft', 'draft'],
    ['form_submitted', 'formSubmitted'],
    ['Awaiting Media', 'awaitingMedia'],
    ['pdf-processing', 'pdfProcessing'],
    ['PDF Processing Failed', 'pdfProcessingFailed'],
  ])('the status %s, which is documented as %s', (sent, status) => {
    const [entry] = readChecklistList([{ id: 'c', status: sent }]).list
    expect(entry).toMatchObject({ status, statusText: sent, raw: { status: sent } })
    expect(readChecklistDetail({ id: 'c', status: { name: sent } }, 'c')).toMatchObject({ status })
  })

  test('entries with only an id', () => {
    const unknown = { title: null, status: 'unknown', statusText: null }
    expect(readChecklistList([{ id: 'x' }]).list).toMatchObject([{ id: 'x', ...unknown }])
  })

  test('nothing if one has no readable id: none may be lost', () => {
    const error = thrownBy(() => readChecklistList([{ id: 'a', status: 'draft' }, { title: 'b' }, { id: 1e300 }]))
    expect(error).toMatchObject({ code: 'unreadable-answer', details: { entries: 3, withoutId: 2 } })
    const sections = [{ id: 's1', title: 'Roof' }]
    expect(thrownBy(() => readChecklistList([{ title: 'b', items: sections }])).code).toBe('unreadable-answer')
    expect(thrownBy(() => readChecklistList([{ title: 'b' }])).message).toContain('no checklist in it has an ID')
    expect(thrownBy(() => readChecklistList([{ id: 'a', status: 'draft' }, 'b'])).code).toBe('unreadable-answer')
  })

  test('nothing if the list is extremely long', () => {
    const many = Array.from({ length: 100_001 }, (_, index) => ({ id: index, status: 'draft' }))
    expect(thrownBy(() => readChecklistList(many)).code).toBe('unreadable-answer')
  })
})

describe('one checklist is read from', () => {
  test.each(Object.entries(checklistDetailShapes))('%s', (_, shape) => {
    const detail = readChecklistDetail(sent(shape), detailId)
    expect(detail).toMatchObject(expectedDetail)
    expect(detail.sections).toEqual(expectedSections)
    // It is read again from what is stored.
    expect(readChecklistDetail(sent(detail.raw), detailId)).toEqual(detail)
  })

  test.each(Object.entries(headlessShapes))('%s', (_, shape) => {
    const detail = readChecklistDetail(sent(shape), detailId)
    expect(detail).toMatchObject({ id: detailId, sections: expectedSections, isPartial: false })
    expect(readChecklistDetail(sent(detail.raw), detailId)).toEqual(detail)
  })

  test.each(Object.entries(flatShapes))('%s', (_, shape) => {
    const detail = readChecklistDetail(sent(shape), detailId)
    const questions = expectedSections.flatMap<object>((section) => section.questions)
    expect(detail).toMatchObject({ sections: [{ label: 'General', questions }], isPartial: false })
    expect(readChecklistDetail(sent(detail.raw), detailId)).toEqual(detail)
  })

  test('a list of sections with ids and update times of their own', () => {
    const part = (id: string) => ({
      _id: id,
      updatedAt: '2026-01-01T00:00:00Z',
      label: id,
      questions: [{ label: 'Photo', mediaCategoryId: `m-${id}` }],
    })
    const head = { title: 'Survey', status: 'completed', updatedAt: '2026-01-01T00:00:00.000Z' }
    for (const answer of [
      { ...head, data: [part('a'), part('b')] },
      { ...head, items: [part('a'), part('b')] },
    ]) {
      expect(readChecklistDetail(answer, 'c')).toMatchObject({ ...head, sections: [{ label: 'a' }, { label: 'b' }] })
    }
  })

  test('a list of sections that is only a part', () => {
    const section = (label: string) => ({ label, questions: [{ label: 'Photo', mediaCategoryId: label }] })
    const sections = [section('a'), section('b')]
    for (const answer of [[...sections, null], { data: sections, total: 3 }, { data: sections, hasMore: true }]) {
      expect(readChecklistDetail(answer, 'c')).toMatchObject({ sections: [{}, {}], isPartial: true })
    }
  })

  test('the requested one of several, without what belongs to the others', () => {
    const other = { id: 'other', status: 'completed', sections: [{ label: 'a', questions: [{ label: 'b' }] }] }
    const asked = { id: 'c', title: 'Survey' }
    for (const answer of [[other, asked], { checklists: [asked, other], sections: other.sections }]) {
      expect(readChecklistDetail(answer, 'c')).toMatchObject({ title: 'Survey', sections: [] })
    }
    expect(readChecklistDetail({ ...other, checklist: asked, status: undefined }, 'c').sections).toEqual([])
  })

  test('a draft without sections', () => {
    expect(readChecklistDetail({ id: 'c', status: 'draft' }, 'c')).toMatchObject({ status: 'draft', sections: [] })
  })

  test('a checklist with an error message about its report', () => {
    const failed = { id: 'c', status: 'pdfProcessingFailed', error: 'bad media', sections: [] }
    expect(readChecklistDetail(failed, 'c').status).toBe('pdfProcessingFailed')
  })

  test.each<[string, unknown]>([
    ['another checklist', { id: 'other', status: 'completed', sections: [] }],
    [
      'other checklists',
      [
        { id: 'a', status: 'draft' },
        { id: 'b', status: 'draft' },
      ],
    ],
    ['another checklist in an envelope with a status', { status: 'success', data: { id: 'a', status: 'draft' } }],
    [
      'other checklists in an envelope with a status',
      {
        status: 'success',
        data: [
          { id: 'a', status: 'draft' },
          { id: 'b', status: 'draft' },
        ],
      },
    ],
    [
      'other checklists without a status',
      [
        { id: 'a', title: 'A', sections: [] },
        { id: 'b', title: 'B', sections: [] },
      ],
    ],
    [
      'other checklists of which one has a status',
      [
        { id: 'o', title: 'O', status: 'completed', updatedAt: '2026-01-01' },
        { id: 'p', title: 'P' },
      ],
    ],
    [
      'other checklists with questions, of which one has a status',
      [
        { id: 'o', title: 'O', status: 'completed', questions: [{ label: 'a', mediaCategoryId: 'm' }] },
        { id: 'p', title: 'P', questions: [{ label: 'b', mediaCategoryId: 'n' }] },
      ],
    ],
    [
      'other checklists with update times',
      [
        { id: 'o', title: 'O', updatedAt: '2026-01-01', questions: [{ label: 'a', mediaCategoryId: 'm' }] },
        { id: 'p', title: 'P', updatedAt: '2026-01-01', questions: [{ label: 'b', mediaCategoryId: 'n' }] },
      ],
    ],
    [
      'several checklists without an id',
      [
        { title: 'A', status: 'draft' },
        { title: 'B', status: 'draft' },
      ],
    ],
    ['labels that are no questions', { data: [{ name: 'Maintenance' }, { name: 'Status page' }] }],
    [
      'an error with a list',
      {
        success: false,
        data: [
          { label: 'a', mediaCategoryId: 'm' },
          { label: 'b', mediaCategoryId: 'n' },
        ],
      },
    ],
    ['an empty list', []],
    ['an id and an error', { id: 'c', error: 'x' }],
    ['a problem in the usual form', { type: 'about:blank', title: 'Not Found', status: 404 }],
    ['only an id', { id: 'c' }],
  ])('nothing from %s', (_, answer) => {
    expect(thrownBy(() => readChecklistDetail(answer, 'c')).code).toBe('unreadable-answer')
  })
})

describe('the photos of a question are read from', () => {
  test.each(Object.entries(mediaShapes))('%s', (_, shape) => {
    expect(withoutRaw(readMediaList(sent(shape)).list)).toEqual(expectedMedia)
  })

  test('a single record', () => {
    const images = [{ url: 'https://f.example/1_s.jpg' }]
    const record = { imgUrl: ' https://f.example/1.jpg ', filename: '1.jpg', files: [], images }
    expect(readMediaList(record).list).toMatchObject([{ imgUrl: 'https://f.example/1.jpg', raw: record }])
  })

  test('unreadable records, which are kept as gaps', () => {
    const link = { imgUrl: null, thumbnailUrl: null, hasThumbnail: false }
    const nothing = { id: null, filename: null, ...link, place: null, takenAt: null }
    const records = [{ imgUrl: 'javascript:alert(1)', foo: 1 }, {}, { imgUrl: 'https://f.example/1.jpg' }]
    expect(withoutRaw(readMediaList(records).list)).toEqual([
      nothing,
      nothing,
      { ...nothing, imgUrl: 'https://f.example/1.jpg' },
    ])
    expect(readMediaList([{ data: [] }]).list).toHaveLength(1)
  })
})

describe('a photo has a thumbnail', () => {
  const hasThumbnail = (record: object) =>
    readMediaList([{ filename: '1.jpg', ...record }]).list.map((media) => media.hasThumbnail)

  test.each([
    { thumbnailUrl: 'https://f.example/s.jpg' },
    { urls: { thumb: { url: 'https://f.example/s.jpg' } } },
    { thumbnailUrl: 'thumbs/s.jpg' },
    { thumbnail: 'thumbs/s.jpg' },
    { urls: { thumb: 'thumbs/s.jpg' }, preview: true },
    { thumb: { url: '/s.jpg' } },
    { thumbnailUrl: 's.jpg' },
  ])('with %j, whether its link can be read or not', (record) => {
    expect(hasThumbnail(record)).toEqual([true])
  })

  test.each([
    {},
    { thumbnailUrl: null, thumbnail: null },
    { thumbnailUrl: ' ', thumbnail: {} },
    { thumbnailUrl: false, thumbnail: true, preview: { width: 7 }, sizes: { small: { w: 7 } } },
    { thumbnailUrl: 'null', thumb: { url: null }, preview: 'Front / back', sizes: { small: '320x240' } },
    { thumbnailUrl: 7, thumbnail: 'data:image/jpeg;base64,/9j/4AA', small: 'no' },
  ])('unless it has only %j', (record) => {
    expect(hasThumbnail(record)).toEqual([false])
  })
})

describe('projects are read from', () => {
  test.each(Object.entries(projectShapes))('%s', (_, shape) => {
    expect(withoutRaw(readProjects(sent(shape)).list)).toEqual(expectedProjects)
  })

  test.each(Object.entries(projectShapes))('%s, one of them', (_, shape) => {
    const [, second] = expectedProjects
    expect(readOneProject(sent(shape), second?.id ?? '')).toMatchObject(second ?? {})
  })

  test('an answer that writes the ID of the project in other capitals', () => {
    expect(readOneProject({ id: '65397f90bb', name: 'Lee' }, '65397F90BB')).toMatchObject({ name: 'Lee' })
  })

  test('projects inside other projects', () => {
    const child = { id: 'child', name: 'Child', project: { id: 'parent', name: 'Parent' } }
    expect(readProjects([child, { id: 'parent', name: 'Parent' }]).list).toMatchObject([
      { id: 'child' },
      { id: 'parent' },
    ])
  })

  test('nothing if one has no id, or the requested one is absent', () => {
    expect(thrownBy(() => readProjects([{ id: 'a', name: 'A' }, { name: 'B' }])).code).toBe('unreadable-answer')
    expect(thrownBy(() => readOneProject({ id: 'a', name: 'A' }, 'b')).code).toBe('unreadable-answer')
  })
})

describe('a service request is read from', () => {
  test.each(Object.entries(serviceRequestShapes))('%s', (_, shape) => {
    expect(withoutRaw(readServiceRequestList(sent(shape)).list)).toEqual([expectedServiceRequest])
    expect(readCreatedServiceRequest(sent(shape))).toMatchObject(expectedServiceRequest)
  })

  test('its id and status only, even if the status says that it failed', () => {
    expect(readServiceRequestList([{ id: 'r', status: 'failed' }]).list).toMatchObject([{ id: 'r', status: 'failed' }])
    expect(readCreatedServiceRequest({ id: 'r', status: 'ordered' })).toMatchObject({ form: null, tierLevel: null })
  })

  test.each<[string, readonly unknown[], readonly string[]]>([
    ['no orders', [], []],
    [
      'orders',
      [
        { id: 'o1', status: 'ordered' },
        { id: 'o2', status: 'completed', tierLevel: 'maxFill' },
      ],
      ['o1', 'o2'],
    ],
  ])('the project around %s, never as an order', (_, serviceRequests, ids) => {
    const project = { id: 'P1', name: 'Smith', status: 'active', tierLevel: 'maxFill', serviceRequests }
    for (const answer of [project, [project], { data: project }, { data: [project] }, { project: 'p1', ...project }]) {
      expect(readServiceRequestList(answer, 'p1').list.map(({ id }) => id)).toEqual(ids)
    }
    // An order with the ID of its project.
    expect(readServiceRequestList([{ ...project, serviceRequests: 2 }], 'p1').list).toMatchObject([{ id: 'P1' }])
    const withIdsAlone = [{ ...project, serviceRequests: ['o1'] }]
    expect(thrownBy(() => readServiceRequestList(withIdsAlone, 'p1')).code).toBe('unreadable-answer')
  })

  test('nothing if there are several for one order, or one has no id', () => {
    const two = [
      { id: 'a', status: 'ordered' },
      { id: 'b', status: 'ordered' },
    ]
    expect(thrownBy(() => readCreatedServiceRequest(two)).code).toBe('unreadable-answer')
    expect(thrownBy(() => readServiceRequestList([{ status: 'ordered' }])).code).toBe('unreadable-answer')
  })
})

describe('the module library is read from', () => {
  test.each(Object.entries(moduleShapes))('%s', (_, shape) => {
    expect(readModuleList(sent(shape)).list).toEqual(expectedModules)
  })

  test('nothing if one has no name, or is something else', () => {
    const user = { id: 'u1', name: 'Ann Lee', email: 'ann@example.com' }
    for (const answer of [[{ wattage: 400 }], user, { user }, [''], null, { error: 'no', modules: [] }]) {
      expect(thrownBy(() => readModuleList(answer)).code).toBe('unreadable-answer')
    }
    expect(readModuleList({ modules: [] }).list).toEqual([])
  })

  test('the user of an order, whose modules they are', () => {
    expect(readOrderUser({ userInfo: { id: 'u1', firstName: 'Ann' } })).toBe('u1')
    expect(readOrderUser({ createdBy: 'u2' })).toBe('u2')
    expect([readOrderUser({ id: 'o1' }), readOrderUser(null), readOrderUser([])]).toEqual([null, null, null])
  })
})

test('an incomplete list is recognized by the usual fields', () => {
  expect(saysThereIsMore({ total: 3 }, 2)).toBe(true)
  expect(saysThereIsMore({ meta: { totalCount: '3' } }, 2)).toBe(true)
  expect(saysThereIsMore({ data: { hasNextPage: true } }, 2)).toBe(true)
  expect(saysThereIsMore({ data: { items: [], meta: { total: 3 } } }, 2)).toBe(true)
  for (const more of [
    { hasMore: true },
    { has_more: 'true' },
    { nextPage: 2 },
    { next: 'https://h/?page=2' },
    { nextCursor: 'abc' },
    { links: { next: { href: '/2' } } },
    { pagination: { next_page: '2' } },
    {
      links: [
        { rel: 'self', href: '/1' },
        { rel: 'next', href: '/2' },
      ],
    },
    { id: 'catA', _links: [{ rel: ' Next last', url: '/2' }] },
    { meta: { links: [{ rel: 'next', href: '/2' }] } },
    { cursor: { next: 'abc' } },
    { more: true },
    { LastEvaluatedKey: { id: 'x' } },
    { LastEvaluatedKey: { id: { S: 'x' } } },
    { numResults: 3 },
  ]) {
    expect(saysThereIsMore({ items: [1, 2], ...more }, 2), JSON.stringify(more)).toBe(true)
  }
  for (const end of [
    { hasMore: false },
    { has_more: 0 },
    { nextPage: null },
    { next: '' },
    { nextCursor: false },
    { links: { next: null } },
    { next: {} },
    { next: [] },
    {
      links: [
        { rel: 'prev', href: '/0' },
        { rel: 'next', href: null },
        { rel: 'nextReview', href: '/r' },
      ],
    },
    { links: ['next', { href: '/2' }] },
    { cursor: { next: null } },
    { cursor: 'abc' },
    { more: false },
    { more: 'or less' },
    { more: { title: 'Notes' } },
    { LastEvaluatedKey: {} },
    { LastEvaluatedKey: null },
    { numResults: 2 },
    { totalPhotos: 3 },
  ]) {
    expect(saysThereIsMore({ items: [1, 2], ...end }, 2), JSON.stringify(end)).toBe(false)
  }
  expect(saysThereIsMore({ id: 'a', next: 'b' }, 1)).toBe(false)
  expect(saysThereIsMore({ id: 'a', more: true }, 1)).toBe(false)
  expect(saysThereIsMore({ id: 'a', links: [{ rel: 'next', href: '/b' }] }, 1)).toBe(false)
  expect(saysThereIsMore({ media: { a1: {} }, links: [{ rel: 'next', href: '/2' }] }, 1)).toBe(true)
  expect(saysThereIsMore({ photos: [1, 2], totalPhotos: 3 }, 2, undefined, ['totalphotos'])).toBe(true)
  expect(saysThereIsMore({ photos: [1, 2], totalPhotos: '2' }, 2, undefined, ['totalphotos'])).toBe(false)
  expect(saysThereIsMore({ total: 2, hasMore: false }, 2)).toBe(false)
  expect(saysThereIsMore({ total: 'many' }, 2)).toBe(false)
  expect(saysThereIsMore([1, 2, 3], 2)).toBe(false)
})

test('a paged list, or one that lacks an entry, is recognized in many other ways', () => {
  for (const more of [
    { page: 1, totalPages: 3 },
    { pages: 3, limit: 2 },
    { meta: { current_page: 1, last_page: 3 } },
    { count: 30 },
    { last: false, number: 0 },
    { isTruncated: true },
    { page_count: 2 },
    { others: [{ id: 1 }, null] },
  ]) {
    expect(saysThereIsMore({ items: [{}, {}], ...more }, 2), JSON.stringify(more)).toBe(true)
    expect(saysThereIsMore({ data: { items: [{}, {}], ...more } }, 2), JSON.stringify(more)).toBe(true)
    expect(saysThereIsMore([{ items: [{}, {}], ...more }], 2), JSON.stringify(more)).toBe(true)
  }
  for (const end of [
    { totalPages: 1 },
    { page: 1, pages: 1 },
    { meta: { current_page: 1, last_page: 1 } },
    { count: 2 },
    { count: 1 },
    { last: true },
    { links: { last: 'https://h/?page=1' } },
    { pages: ['a', 'b'] },
    { others: [null, 'a'] },
  ]) {
    expect(saysThereIsMore({ items: [{}, {}], ...end }, 2), JSON.stringify(end)).toBe(false)
  }
  expect(saysThereIsMore([{ id: 'a' }, null], 1)).toBe(true)
  expect(saysThereIsMore({ id: 'a', sections: [{}], pages: 7, count: 3, last: false }, 1)).toBe(false)
  expect(saysThereIsMore([{ id: 'a', pages: 7, tags: [] }], 1)).toBe(false)
})

describe('a list in the only object of an array', () => {
  const photo = { imgUrl: 'https://h/1', thumbnailUrl: 'https://h/s', filename: '1.jpg' }
  const checklist = { id: 'c1', status: 'completed' }
  const order = { id: 'o1', status: 'ordered', tierLevel: 'maxFill' }

  test('is only a part if the object says so', () => {
    for (const end of [{}, { total: 1, totalPages: 1, hasMore: false }]) {
      expect(readMediaList([{ name: 'Roof', images: [photo], ...end }]).lacksEntry).toBe(false)
      expect(readChecklistList([{ status: 'success', items: [checklist], ...end }]).lacksEntry).toBe(false)
      expect(readServiceRequestList([{ projectId: 'p1', orders: [order], ...end }]).lacksEntry).toBe(false)
    }
    for (const more of [{ total: 2 }, { page: 1, totalPages: 2 }, { hasMore: true }, { nextPage: '/2' }]) {
      expect(readMediaList([{ name: 'Roof', images: [photo], ...more }]).lacksEntry).toBe(true)
      expect(readChecklistList({ data: [{ status: 'success', items: [checklist], ...more }] }).lacksEntry).toBe(true)
      expect(readServiceRequestList([{ projectId: 'p1', orders: [order], ...more }]).lacksEntry).toBe(true)
    }
    expect(readMediaList([{ name: 'Roof', images: [photo], totalPhotos: 2 }]).lacksEntry).toBe(true)
    expect(readMediaList({ data: [{ images: [photo], totalPhotos: 2 }] }).lacksEntry).toBe(true)
    expect(saysThereIsMore([{ name: 'Roof', images: [photo, photo, photo], total: 3 }], 2)).toBe(true)
  })

  test('is only a part if the project around it says so', () => {
    const project = { id: 'p1', name: 'Smith', status: 'active' }
    const partsOf = (project: object) =>
      [[project], { data: [project] }].flatMap((answer) => [
        readChecklistList(answer, undefined, 'p1').lacksEntry,
        readServiceRequestList(answer, 'p1').lacksEntry,
      ])
    for (const lists of [
      { checklists: [checklist], serviceRequests: [order] },
      { checklists: [checklist, { ...checklist, id: 'c2' }], serviceRequests: [order, { ...order, id: 'o2' }] },
    ]) {
      for (const end of [{}, { total: 2, hasMore: false }, { pages: 7, count: 9 }]) {
        const isPart = 'total' in end && lists.checklists.length < end.total
        expect(partsOf({ ...project, ...lists, ...end })).toEqual(Array(4).fill(isPart))
      }
      for (const more of [{ total: 5 }, { hasMore: true }, { nextPage: '/2' }]) {
        expect(partsOf({ ...project, ...lists, ...more })).toEqual(Array(4).fill(true))
      }
    }
  })

  test('is only a part if the page without text around it says so', () => {
    const pageWith = (end: object) => {
      const lists = { images: [photo], checklists: [checklist], orders: [order] }
      return [{ data: [{ ...lists, ...end }] }, { success: true, items: [[{ ...lists, ...end }]] }]
    }
    for (const [isPart, end] of [
      [false, {}],
      [false, { total: 1, totalPages: 1, hasMore: false }],
      [true, { total: 2 }],
      [true, { page: 1, totalPages: 2 }],
      [true, { hasMore: true }],
    ] as const) {
      for (const answer of pageWith(end)) {
        for (const read of [readMediaList, readChecklistList, readServiceRequestList]) {
          expect(read(answer), JSON.stringify(answer)).toMatchObject({ lacksEntry: isPart, entryCount: 1 })
        }
      }
    }
    // What a single entry counts is its own.
    expect(readMediaList({ data: [{ id: 7, image: { url: 'https://h/1' }, tags: [], total: 3 }] }).lacksEntry).toBe(
      false,
    )
    expect(readMediaList({ data: [{ id: 7, tags: [], total: 3 }] })).toMatchObject({ lacksEntry: false, entryCount: 1 })
    expect(readChecklistList({ data: [{ id: 7, sections: [{}], total: 3, hasMore: true }] }).lacksEntry).toBe(false)
  })

  test('is not the list if the object may be an entry', () => {
    const records = [
      { id: 'm1', filename: '1.jpg', images: [photo] },
      { id: 'm1', name: '1.jpg', imgUrl: '/files/1.jpg', images: [photo] },
      { id: 'm1', name: '1.jpg', file: 'pending', images: [photo] },
      { id: 'm1', name: '1.jpg', tags: [{ url: 'https://h/2' }], data: [photo] },
      { id: 'm1', name: '1.jpg', files: [{ url: 'https://h/2' }] },
    ]
    for (const record of records) expect(readMediaList([record]).list).toMatchObject([{ id: 'm1', raw: record }])
    const heads = [
      { id: 'c2', title: 'Survey', items: [checklist] },
      { id: 'c2', note: 'Gate code 4', items: [checklist] },
      { id: 'c2', status: 'completed', sections: [{ id: 's1', title: 'Roof' }], checklists: [checklist] },
    ]
    for (const head of heads) expect(readChecklistList([head]).list).toMatchObject([{ id: 'c2' }])
    for (const own of [
      { status: 'ordered', requests: [order] },
      { note: 'Rush', data: [order] },
    ]) {
      expect(readServiceRequestList([{ id: 'o2', ...own }]).list).toMatchObject([{ id: 'o2' }])
    }
    const withoutId = { tierLevel: 'maxFill', orders: [order] }
    expect(thrownBy(() => readServiceRequestList([withoutId])).code).toBe('unreadable-answer')
  })

  test('is not read as empty', () => {
    expect(readMediaList([{ id: 'm1', name: 'Roof', media: [] }]).list).toHaveLength(1)
    expect(thrownBy(() => readChecklistList([{ projectId: 'p1', checklists: [] }])).code).toBe('unreadable-answer')
    expect(thrownBy(() => readServiceRequestList([{ projectId: 'p1', orders: [] }])).code).toBe('unreadable-answer')
  })
})

describe('several lists in one response', () => {
  const photo = (name: string) => ({ filename: name, imgUrl: `https://h/${name}` })
  const namesOf = (answer: unknown) => readMediaList(answer).list.map(({ filename }) => filename)

  test('are merged', () => {
    expect(namesOf({ photos: [photo('1')], videos: [photo('2')] })).toEqual(['1', '2'])
    expect(namesOf({ data: { media: [photo('1')], images: [photo('2'), photo('3')] } })).toEqual(['1', '2', '3'])
    expect(namesOf({ data: [photo('1')], items: [photo('2')] })).toEqual(['1', '2'])
    expect(namesOf({ files: [photo('1')], data: [photo('2')] })).toEqual(['1', '2'])
    const lists = { checklists: [{ id: '1', status: 'completed' }], siteChecklists: [{ id: '2', status: 'draft' }] }
    expect(readChecklistList(lists).list.map(({ id }) => id)).toEqual(['1', '2'])
  })

  test('are found beside an empty one', () => {
    const photos = [photo('1'), photo('2')]
    for (const list of ['data', 'results', 'items']) {
      expect(namesOf({ videos: [], [list]: photos })).toEqual(['1', '2'])
      expect(namesOf({ files: [], [list]: { items: photos }, total: 2 })).toEqual(['1', '2'])
      expect(namesOf({ data: { videos: [], photos: [], [list]: photos } })).toEqual(['1', '2'])
    }
    expect(namesOf({ videos: [], data: { photos } })).toEqual(['1', '2'])
    expect(namesOf({ videos: [], data: { a1: photos[0], b2: photos[1] } })).toEqual(['1', '2'])
    expect(namesOf({ videos: [], data: [photo('1')], items: [photo('2')] })).toEqual(['1', '2'])
    expect(namesOf({ videos: [], data: { photo: 1, media: photo('1') } })).toEqual(['1'])
    expect(readMediaList({ videos: [], data: [{ image: { url: 'https://h/1' } }] }).list).toHaveLength(1)
    const checklist = { id: '1', status: 'draft' }
    expect(readChecklistList({ siteChecklists: [], data: [checklist] }).list).toMatchObject([checklist])
  })

  test('are empty beside what they belong to, and beside other lists', () => {
    const project = { id: 'P1', name: 'Smith', status: 'active', address: '1 Elm St' }
    expect(readChecklistList({ checklists: [], data: project }).list).toEqual([])
    expect(readChecklistList({ checklists: [], items: [{ title: 'Roof' }] }).list).toEqual([])
    expect(readServiceRequestList({ orders: [], result: project }).list).toEqual([])
    expect(readProjects({ projects: [], data: project }).list).toEqual([])
    expect(readProjects({ projects: [], data: { result: project } }).list).toEqual([])
    expect(readProjects({ projects: [], data: { items: [] } }).list).toEqual([])
    expect(namesOf({ photos: [], data: project, results: [{ code: 1 }] })).toEqual([])
    const surely = { id: '1', imgUrl: 'https://h/1', thumbnailUrl: 'https://h/t', filename: 'b.pdf' }
    expect(readMediaList({ photos: [], documents: [surely] }).list).toHaveLength(1)
    expect(namesOf({ photos: [], documents: [{ name: 'bill.pdf', url: 'https://h/bill.pdf' }] })).toEqual([])
    expect(readChecklistList({ checklists: [], documents: [{ id: 'd1', title: 'Permit' }] }).list).toEqual([])
    expect(thrownBy(() => readMediaList({ photos: [], data: [], error: 'x' })).code).toBe('unreadable-answer')
  })

  test('that are equal count once, and other lists beside them not at all', () => {
    expect(namesOf({ photos: [photo('1')], images: [photo('1')], files: [] })).toEqual(['1'])
    expect(namesOf({ photos: [photo('1')], data: { title: 'Ridge' }, results: [{ code: 1 }] })).toEqual(['1'])
  })
})
