import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { readChecklistDetail } from '../../../electron/engine/service/readers/read-checklist-detail.ts'
import { readChecklistList } from '../../../electron/engine/service/readers/read-checklist-list.ts'
import type { RecordList } from '../../../electron/engine/service/readers/find-list.ts'
import { readClientRefs } from '../../../electron/engine/service/readers/read-client-refs.ts'
import { readMediaList } from '../../../electron/engine/service/readers/read-media.ts'
import { parseAnswer } from '../../../electron/engine/service/readers/parse-answer.ts'
import { readModuleList } from '../../../electron/engine/service/readers/read-modules.ts'
import { readOneProject, readProjects } from '../../../electron/engine/service/readers/read-projects.ts'
import {
  readCreatedServiceRequest,
  readServiceRequestList,
} from '../../../electron/engine/service/readers/read-service-requests.ts'
import { saysThereIsMore } from '../../../electron/engine/service/readers/find-total.ts'
import { checklistListShapes } from './fixtures/checklist-list-shapes.ts'
import { checklistDetailShapes } from './fixtures/checklist-detail-shapes.ts'
import { mediaShapes } from './fixtures/media-shapes.ts'
import { moduleShapes } from './fixtures/module-shapes.ts'
import { projectShapes } from './fixtures/project-shapes.ts'
import { serviceRequestShapes } from './fixtures/service-request-shapes.ts'

const readers: Readonly<Record<string, (answer: unknown) => unknown>> = {
  checklists: readChecklistList,
  'one checklist': (answer) => readChecklistDetail(answer, 'c1'),
  photos: readMediaList,
  projects: readProjects,
  'one project': (answer) => readOneProject(answer, 'p1'),
  orders: readServiceRequestList,
  'a new order': readCreatedServiceRequest,
  modules: readModuleList,
  'the length of a list': (answer) => saysThereIsMore(answer, 1),
}

const shapes = [
  checklistListShapes,
  checklistDetailShapes,
  mediaShapes,
  projectShapes,
  serviceRequestShapes,
  moduleShapes,
]

/** Keys that the readers know, so that junk reaches their depths, and special keys of JavaScript. */
const names = [...new Set(JSON.stringify(shapes).match(/"[A-Za-z_$]+":/g))].map((name) => name.slice(1, -2))
const key = fc.constantFrom(...names, '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', 'then', '')
const leaf = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom<unknown>(
    null,
    '',
    'c1',
    'p1',
    0,
    -0,
    1e308,
    true,
    'https://h/x.pdf?s=1',
    '1,2',
    '[',
    '{"a":',
    '\u0000',
  ),
)
const { junk } = fc.letrec((tie) => ({
  junk: fc.oneof(
    { depthSize: 'medium' },
    leaf,
    fc.array(tie('junk'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('junk')), { maxLength: 6 }).map((members) => Object.fromEntries(members)),
  ),
}))

/** A valid response with one value replaced anywhere. */
const spoilt = fc
  .tuple(fc.constantFrom(...shapes.flatMap((each) => Object.values(each))), fc.nat(), junk)
  .map(([shape, place, value]) => {
    let position = 0
    const count = JSON.stringify(shape).match(/[[{,]/g)?.length ?? 1
    const replace = (_: string, item: unknown): unknown => (position++ === place % count ? value : item)
    return JSON.parse(JSON.stringify(shape, replace) ?? 'null') as unknown
  })

/** Fails if a reader throws anything but an AppError, or modifies the response. */
function readJunk(read: (answer: unknown) => unknown, answer: unknown): void {
  const before = JSON.stringify(answer)
  try {
    read(answer)
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({ code: 'unreadable-answer' })
  }
  expect(JSON.stringify(answer)).toBe(before)
}

function readOrNull(read: (answer: unknown) => RecordList<unknown>, answer: unknown): readonly unknown[] | null {
  try {
    return read(answer).list
  } catch {
    return null
  }
}

describe('junk is at worst an unreadable response', () => {
  test.each(Object.entries(readers))('for %s', (_, read) => {
    fc.assert(
      fc.property(fc.jsonValue(), (answer) => readJunk(read, answer)),
      { numRuns: 100 },
    )
    fc.assert(
      fc.property(junk, (answer) => readJunk(read, answer)),
      { numRuns: 200 },
    )
    fc.assert(
      fc.property(spoilt, (answer) => readJunk(read, answer)),
      { numRuns: 100 },
    )
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  test('for objects that look like arrays or strings', () => {
    const length = { length: [{ toString: null }] }
    for (const read of Object.values(readers)) {
      readJunk(read, {
        id: length,
        name: length,
        total: length,
        status: length,
        imgUrl: length,
        data: [{ id: length }],
      })
      readJunk(read, [{ id: length, updatedAt: length, success: length }])
    }
  })

  test('for a body with any text', () => {
    const body = fc.oneof(fc.string(), fc.json(), fc.constantFrom('['.repeat(99_999), '{"a":'.repeat(99_999), '1e999'))
    fc.assert(
      fc.property(body, (text) =>
        readJunk(() => parseAnswer({ status: 200, contentType: undefined, body: text }, 'x'), text),
      ),
    )
  })

  test('a list is empty only if the response has an empty array', () => {
    fc.assert(
      fc.property(fc.oneof(junk, spoilt), (answer) => {
        for (const read of [readChecklistList, readMediaList, readProjects, readServiceRequestList, readModuleList]) {
          const list = readOrNull(read, answer)
          if (list?.length === 0) expect(JSON.stringify(answer)).toContain('[]')
        }
      }),
      { numRuns: 200 },
    )
  })
})

describe('nothing readable is lost', () => {
  test('every media category of a checklist is found, wherever it is nested', () => {
    const label = fc.option(fc.stringMatching(/^[A-Z][a-z]{0,5}$/), { nil: undefined })
    const member = fc.constantFrom(
      'sections',
      'questions',
      'components',
      'items',
      'answer',
      'x',
      'rows',
      'conditional',
      'data',
    )
    let next = 0
    const carrier = fc
      .record({ label, clientRefIds: fc.constantFrom(undefined, null, [], ['r1'], 'r1,r2', 7) })
      .map((question) => ({
        ...question,
        mediaCategoryId: `category-${next++}`,
      }))
    const indirect = fc
      .tuple(fc.constantFrom('media', 'photos'), fc.constantFrom('categoryId', 'category'), fc.boolean())
      .map(([files, name, isCatalog]) =>
        isCatalog
          ? { questions: [{ label: 'Photos', mediaCategories: [{ id: `category-${next++}` }] }] }
          : { label: 'Photos', [files]: { [name]: `category-${next++}` } },
      )
    const { form } = fc.letrec((tie) => ({
      form: fc.oneof(
        { depthSize: 'medium', withCrossShrink: true },
        carrier,
        indirect,
        fc.array(tie('form'), { maxLength: 4 }),
        fc.tuple(label, fc.array(fc.tuple(member, tie('form')), { maxLength: 3 })).map(([text, members]) => ({
          ...(text === undefined ? {} : { label: text }),
          ...Object.fromEntries(members),
        })),
        fc.tuple(carrier, member, tie('form')).map(([question, name, inner]) => ({ ...question, [name]: inner })),
      ),
    }))
    fc.assert(
      fc.property(form, (sections) => {
        const answer: unknown = JSON.parse(JSON.stringify({ id: 'c1', status: 'completed', sections }))
        const expected = new Set(JSON.stringify(answer).match(/category-\d+/g))
        const read = readChecklistDetail(answer, 'c1').sections.flatMap(({ questions }) => questions)
        const found = read.map(({ mediaCategoryId }) => mediaCategoryId).filter((id) => id !== null)
        expect(new Set(found)).toEqual(expected)
        expect(read.every((question) => question.label !== '')).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test('every entry of a list of references counts, whether it can be read or not', () => {
    const entry = fc.oneof(
      fc.constantFrom<unknown>(null, '', false, {}, 2 ** 60, { filename: '1.jpg' }, { ref: '' }),
      fc.uuid(),
      fc.record({ clientRefId: fc.uuid() }),
    )
    fc.assert(
      fc.property(fc.uniqueArray(fc.uuid(), { minLength: 1 }), fc.array(entry), fc.nat(), (ids, others, position) => {
        const list = others.toSpliced(position % (others.length + 1), 0, ...ids)
        // One without an ID may be any photo.
        const distinct = new Set(list.map((item) => /[0-9a-f-]{36}/.exec(JSON.stringify(item))?.[0] ?? Symbol('photo')))
        for (const value of [list, [list], { ids: list }, JSON.stringify(list)]) {
          expect(readClientRefs(value)).toHaveLength(distinct.size)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('a list of one entry is that entry, whatever lists it has', () => {
    const lists = [mediaShapes, checklistListShapes, projectShapes, serviceRequestShapes].flatMap(Object.values)
    const inner = fc.oneof(fc.array(junk), fc.constantFrom(...lists.filter((list) => Array.isArray(list))))
    const members = fc.array(fc.tuple(key, inner), { maxLength: 4 }).map((parts) => Object.fromEntries(parts))
    const entries = [
      [readChecklistList, { id: 'x1', title: 'Survey', status: 'draft' }],
      [readMediaList, { id: 'x1', filename: '1.jpg' }],
      [readMediaList, { id: 'x1', imgUrl: '/files/1.jpg' }],
      [readProjects, { id: 'x1', name: 'Smith', address: '1 Elm St' }],
      [readServiceRequestList, { id: 'x1', status: 'ordered', tierLevel: 'maxFill' }],
    ] as const
    fc.assert(
      fc.property(fc.constantFrom(...entries), members, ([read, entry], own) => {
        expect(read([{ ...own, ...entry }]).list).toMatchObject([{ id: 'x1' }])
      }),
      { numRuns: 200 },
    )
  })

  test('every object in a list of photos is a photo', () => {
    const record = fc
      .array(fc.tuple(key, leaf), { maxLength: 4 })
      .map((members) => ({ ...Object.fromEntries(members), pixels: 7 }))
    fc.assert(
      fc.property(fc.array(record, { minLength: 2, maxLength: 6 }), (records) => {
        try {
          expect(readMediaList(records).list).toHaveLength(records.length)
          expect(readMediaList({ media: records }).list).toHaveLength(records.length)
        } catch (error) {
          // A response of nothing but errors is refused.
          expect(error).toMatchObject({ code: 'unreadable-answer' })
          expect(JSON.stringify(records)).toMatch(/"(?:error|success|ok|status|code|result)/i)
        }
      }),
      { numRuns: 200 },
    )
  })
})
