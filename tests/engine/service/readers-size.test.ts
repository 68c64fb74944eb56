import { describe, expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { createRedactor } from '../../../electron/engine/lib/redact.ts'
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
import { readRejectionDetails } from '../../../electron/engine/service/rejection-details.ts'
import { expectLinear } from '../../support/expect-linear.ts'

const base = 'https://api.example'

const readers: Readonly<Record<string, (answer: unknown) => unknown>> = {
  checklists: (answer) => readChecklistList(answer, base),
  'one checklist': (answer) => readChecklistDetail(answer, 'c1', base),
  photos: (answer) => readMediaList(answer, base),
  projects: readProjects,
  'one project': (answer) => readOneProject(answer, 'p1'),
  orders: readServiceRequestList,
  'a new order': readCreatedServiceRequest,
  modules: readModuleList,
  'the user of an order': readOrderUser,
  'the length of a list': (answer) => saysThereIsMore(answer, 1),
  'the reasons of a refusal': (answer) => readRejectionDetails(JSON.stringify(answer), createRedactor()),
}

const names = [
  'id',
  'title',
  'name',
  'label',
  'status',
  'updatedAt',
  'createdAt',
  'pdf',
  'report',
  'url',
  'imgUrl',
  'filename',
  'thumbnailUrl',
  'geolocation',
  'location',
  'exif',
  'latitude',
  'longitude',
  'takenAt',
  'offsetTime',
  'address',
  'mediaCategoryId',
  'clientRefIds',
  'manufacturer',
  'model',
  'success',
  'error',
  'total',
  'next',
  'type',
  'form',
  'field',
  'message',
  'userInfo',
  'isExpedited',
  'gpsLatitudeRef',
  'coordinates',
  'value',
  'data',
  'media',
]

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const byKey = (count: number, make: (index: number) => unknown) =>
  Object.fromEntries(times(count, (index) => [`k${index}`, make(index)]))

const record = (index: number) => ({
  id: `id${index}`,
  title: `Title ${index}`,
  name: `Name ${index}`,
  status: 'completed',
  address: 'Roof 1',
  updatedAt: '2026-05-01T10:00:00Z',
  pdfUrl: `https://f.example/${index}.pdf`,
  filename: `${index}.jpg`,
  imgUrl: `https://f.example/${index}.jpg?x=y`,
  thumbnailUrl: `https://f.example/${index}.thumb.jpg`,
  manufacturer: 'Maker',
  model: `M${index}`,
  geolocation: { lat: 40, lng: -70 },
})
const checklist = (content: unknown) => ({ id: 'c1', title: 'x', status: 'completed', sections: content })
const question = (index: number) => ({ label: `Q${index}`, mediaCategoryId: `m${index}`, clientRefIds: ['a'] })
const nested = (depth: number, inner: unknown): unknown =>
  depth === 0 ? inner : { label: `Label ${depth}`, sections: [nested(depth - 1, inner)] }

/** Answers that grow: what a hostile service could make expensive. */
const shapes: Readonly<Record<string, (count: number) => unknown>> = {
  'a list of records': (count) => times(count, record),
  'records by id': (count) => ({ data: byKey(count, record) }),
  'two lists of records': (count) => ({ items: times(count, record), data: times(count, record) }),
  'pages of pages': (count) => [{ data: [{ data: times(count, () => ({ data: [] })) }] }],
  'empty objects': (count) => times(count, () => ({})),
  'names without a meaning': (count) => ({ id: 'c1', status: 'completed', ...byKey(count, () => 1) }),
  'holders of links': (count) => ({
    id: 'c1',
    status: 'x',
    ...byKey(count, () => 1),
    pdf: byKey(count, () => ({ url: '1' })),
  }),
  'files of a report': (count) => ({
    id: 'c1',
    status: 'x',
    files: times(count, (index) => ({ type: index === 0 ? 'x'.repeat(count) : 'pdf', url: `https://f/${index}` })),
  }),
  sections: (count) => checklist(times(count, (index) => ({ label: `S${index}`, questions: [question(index)] }))),
  'sections of one label': (count) =>
    checklist(
      times(count, (index) => ({ label: `O${index}`, sections: [{ label: 'S', questions: [question(index)] }] })),
    ),
  'deep sections': (count) =>
    checklist([
      nested(20, {
        label: 'S',
        sections: times(count, (index) => ({ label: `T${index}`, questions: [question(index)] })),
      }),
    ]),
  'questions below a long label': (count) =>
    checklist([{ label: 'x'.repeat(count), questions: times(count, question) }]),
  'questions with follow-ups': (count) =>
    checklist(times(count, (index) => ({ ...question(index), questions: [question(-index)] }))),
  'parts of one question': (count) =>
    checklist([
      { label: 'S', questions: [{ label: 'Q', ...byKey(count, (index) => ({ mediaCategoryId: `m${index}` })) }] },
    ]),
  'categories of one question': (count) =>
    checklist([
      { label: 'x'.repeat(count), questions: [{ label: 'Q', mediaCategoryIds: times(count, (index) => `m${index}`) }] },
    ]),
  'equal questions': (count) =>
    checklist([
      {
        label: 'S',
        questions: times(count, (index) => ({
          ...question(0),
          clientRefIds: index === 0 ? times(count, String) : [String(index)],
        })),
      },
    ]),
  'labels without questions': (count) => checklist(times(count, (index) => ({ label: `S${index}` }))),
}
/** Texts that grow, as the value of every known name. */
const texts: Readonly<Record<string, (length: number) => string>> = {
  letters: (length) => 'x'.repeat(length),
  spaces: (length) => ' '.repeat(length),
  'spaces around': (length) => `a${' '.repeat(length)}b`,
  commas: (length) => ','.repeat(length),
  'a point': (length) => `POINT${' '.repeat(length)}Z`,
  'a position': (length) => `${'1 '.repeat(length)}N`,
  digits: (length) => '1'.repeat(length),
  'a date': (length) => `2026-05-01${'T'.repeat(length)}`,
  'JSON of lists': (length) => `[${'[],'.repeat(length)}[]]`,
  'JSON of objects': (length) => `[${'{"lat":"1"},'.repeat(length)}1]`,
  'a link': (length) => `https://f.example/${'a/'.repeat(length)}`,
  'a name': (length) => 'pdf'.repeat(length),
  status: (length) => `5${'0'.repeat(length)}`,
}

/** Fails if a reader throws anything but its own plain error. */
function read(reader: (answer: unknown) => unknown, answer: unknown): void {
  try {
    reader(answer)
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({ code: 'unreadable-answer' })
  }
}

/**
 * The answers as JSON, made once for all readers: that takes longer than to read them. Each reader parses its own, since
 * what was found in an object is remembered.
 */
const answers = Object.entries(shapes).map(([shape, make]) => {
  const made = new Map<number, string>()
  const answerOf = (count: number): unknown => {
    const text = made.get(count) ?? JSON.stringify(make(count))
    made.set(count, text)
    return JSON.parse(text)
  }
  return [shape, answerOf] as const
})

describe.each(Object.entries(readers))('reading %s takes time in proportion to', (_reader, reader) => {
  test.each(answers)('the number of %s', (_shape, answerOf) => {
    expectLinear((count) => read(reader, answerOf(count)), 1000)
  })

  test.each(Object.entries(texts))('the length of %s', (_text, make) => {
    expectLinear((length) => {
      const text = make(length)
      const object = Object.fromEntries(names.map((name) => [name, text]))
      read(reader, object)
      read(reader, [object])
      read(reader, { [text]: text, [text.toUpperCase()]: [text, { [text]: object }] })
      read(reader, checklist([{ label: text, questions: [object] }]))
    }, 5_000)
  })
})

test('a checklist is searched among 20,000 objects at most, however they are wrapped', () => {
  const own = { id: 'c1', title: 'Roof', status: 'completed', sections: [] }
  const others = (count: number) => Array.from({ length: count }, () => ({}))
  expect(readChecklistDetail([...others(19_999), own], 'c1').title).toBe('Roof')
  for (const answer of [
    [...others(20_000), own],
    { data: [{ items: others(10_000) }, { items: others(10_000) }, own] },
  ]) {
    expect(() => readChecklistDetail(answer, 'c1')).toThrow('more parts than any list of checklists')
  }
})
