import { describe, expect, test } from 'vitest'
import { findReportLink } from '../../../electron/engine/service/readers/find-report-link.ts'
import { readClientRefs } from '../../../electron/engine/service/readers/read-client-refs.ts'
import { readSections as readQuestions } from '../../../electron/engine/service/readers/read-sections.ts'
import { thrownBy } from './caught.ts'

const readSections = (...args: Parameters<typeof readQuestions>) => readQuestions(...args).sections

const report = 'https://files.example/a?sig=1'
const other = 'https://files.example/b?sig=2'

describe('the report link', () => {
  test.each<[string, Record<string, unknown>]>([
    ['pdfUrl', { pdfUrl: report }],
    ['pdf', { pdf: report }],
    ['reportUrl', { reportUrl: report }],
    ['pdfLink', { pdfLink: ` ${report} ` }],
    ['pdf_report_link', { pdf_report_link: report }],
    ['pdfReportLink', { pdfReportLink: report }],
    ['downloadUrl', { downloadUrl: report }],
    ['pdfReport with a url', { pdfReport: { url: report } }],
    ['report with a link', { report: { link: report, status: 'ok' } }],
    ['pdf in links', { links: { self: other, pdf: report } }],
    [
      'report in links in a list',
      {
        links: [
          { rel: 'self', href: other },
          { rel: 'report', href: report },
        ],
      },
    ],
    [
      'a PDF among documents',
      {
        documents: [
          { type: 'csv', url: other },
          { type: 'pdf', url: report },
        ],
      },
    ],
    ['a report in a list', { reports: [report] }],
    ['a file by its name', { fileLink: other, exportUrl: other, reportPdf: { downloadUrl: report } }],
    ['url with the ending of a PDF', { url: 'https://files.example/r.pdf?x' }],
    ['the most specific of several', { reportUrl: other, downloadUrl: other, pdfUrl: report }],
    ['the PDF before the page', { reportHtmlUrl: other, reportUrl: report }],
    [
      'never a template, a cover or a thumbnail',
      { pdfTemplateUrl: other, pdfThumbnail: other, reportLogo: other, report },
    ],
    ['a report named after a person', { report: { filename: 'Harold Johnson.pdf', url: report } }],
    ['a report named after a place', { files: [{ name: 'Goldman residence.pdf', url: report }] }],
    ['a report with photos in its name', { pdf: { name: 'Site Photos.pdf', url: report } }],
    ['a report with a cover in its name', { reports: [{ label: 'Cover sheet and site photos', url: report }] }],
    ['a report named after an old house', { report: { filename: 'Old Mill Road.pdf', url: report } }],
    ['a photo report', { report: { title: 'Photo report', url: report } }],
    [
      'a PDF with photos in its title',
      { attachments: [{ title: 'Pre-install photo checklist', type: 'application/pdf', url: report }] },
    ],
    [
      'the file that is not named after pictures',
      {
        reports: [
          { title: 'Photo report', type: 'pdf', url: other },
          { title: 'Survey', url: report },
        ],
      },
    ],
    ['a link in data', { data: { pdfUrl: report, utilityBillPdf: other } }],
    ['a link outside data', { data: { pdfUrl: other }, downloadUrl: report }],
    ['data in a holder', { pdf: { data: { url: report } } }],
    ['an artifact', { artifacts: [{ type: 'pdf', url: report }] }],
    [
      'never one of artifacts beside another',
      { artifacts: [{ type: 'pdf', name: 'Permit set', url: other }], reportUrl: report },
    ],
    ['a link beside data in a holder', { pdf: { data: { url: other }, url: report } }],
    [
      'a link beside a file whose name has "old" in a word',
      { attachments: [{ name: 'Harold bill.pdf', type: 'application/pdf', url: other }], reportUrl: report },
    ],
    [
      'the newer of two files',
      {
        files: [
          { name: 'oldreport.pdf', url: other },
          { name: 'report.pdf', url: report },
        ],
      },
    ],
    [
      'a report named after a person beside other files',
      {
        files: [
          { name: 'Permit.pdf', type: 'application/pdf', url: other },
          { name: 'Harold Smith - Report.pdf', type: 'application/pdf', url: report },
        ],
      },
    ],
    [
      'a link beside files',
      { attachments: [{ name: 'Bill.pdf', type: 'application/pdf', url: other }], reportUrl: report },
    ],
    ['a report of a company named Example', { report: { name: 'Example Solar - Site Survey.pdf', url: report } }],
    ['never the one before', { previousPdfUrl: other, reportUrl: report }],
    ['never an image', { pdfUrl: 'https://files.example/cover.PNG?x', reportUrl: report }],
    [
      'never the report of something else',
      { reportUrl: report, sections: [{ pdfUrl: other }], project: { pdfUrl: other } },
    ],
  ])('is found as %s', (_, checklist) => {
    expect([report, 'https://files.example/r.pdf?x']).toContain(findReportLink(checklist))
  })

  test('without a host is preferred to one that is only the last resort', () => {
    const photos = { title: 'Site photos', type: 'application/pdf', url: other }
    const checklist = { attachments: [photos], pdfUrl: '/a?sig=1' }
    expect(findReportLink(checklist, 'https://files.example')).toBe(report)
    expect(findReportLink({ attachments: [photos] }, 'https://files.example')).toBe(other)
    expect(findReportLink({ attachments: [{ ...photos, url: '/a?sig=1' }] }, 'https://files.example')).toBe(report)
    expect(findReportLink(checklist)).toBe(other)
  })

  test.each<[string, Record<string, unknown>]>([
    ['nothing', {}],
    ['null', { pdfUrl: null, report: null }],
    ['text that is no link', { pdfUrl: 'pending', pdfStatus: 'completed', reportedAt: '2026-01-01' }],
    ['another scheme', { pdfUrl: 'javascript:alert(1)', report: 'file:///etc/passwd', pdf: 'ftp://h/r.pdf' }],
    ['a path', { pdfUrl: '/files/r.pdf' }],
    ['other links', { url: other, links: { self: other }, imageUrl: other, templateUrl: 'https://h/t.pdf' }],
    ['an earlier report', { report: { title: 'Previous report', url: other } }],
    ['a template', { download: { type: 'pdf', title: 'Report template', url: other } }],
    ['an earlier report in a list', { reports: [{ title: 'Previous report', url: other }] }],
    ['a template in a list', { attachments: [{ title: 'reportTemplate', type: 'application/pdf', url: other }] }],
    ['a picture that only its name calls a PDF', { files: [{ name: 'coverPhoto.pdf', url: other }] }],
    ['a file of pictures', { files: [{ type: 'preview', name: 'report.pdf', url: other }] }],
    ['answers that are PDFs', { data: { utilityBillPdf: other, pdf: [{ name: 'a.pdf', url: other }] } }],
    ['data of other records', { data: [{ pdfUrl: other }] }],
    ['a link too long to be one', { pdfUrl: `https://h/${'a'.repeat(20_000)}` }],
  ])('is absent with %s', (_, checklist) => {
    expect(findReportLink(checklist)).toBeNull()
  })
})

describe('the media files of a question', () => {
  test.each<[unknown, readonly string[] | null]>([
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [
      ['a', 7, { id: 'c' }, { $oid: 'd' }, { clientRefId: 'e' }, 'a'],
      ['a', '7', 'c', 'd', 'e'],
    ],
    [
      ['a', null, null],
      ['a', 'null 2', 'null 3'],
    ],
    [[null], ['null 1']],
    ['[null]', ['null 1']],
    ['a, b ;c', ['a', 'b', 'c']],
    ['photo 1.jpg,photo 2.jpg', ['photo 1.jpg', 'photo 2.jpg']],
    ['["a","b"]', ['a', 'b']],
    ['', []],
    [[], []],
    [{}, []],
    ['a', ['a']],
    [7, ['7']],
    [{ id: 'a' }, ['a']],
    [{ 0: 'a', 1: 'b' }, ['a', 'b']],
    [{ a: true, b: false, c: 'done' }, ['a', 'c']],
    [{ x: { id: 'a' }, y: { mediaId: 'b' } }, ['a', 'b']],
    [null, null],
    [undefined, null],
    [true, null],
    [
      ['a', {}],
      ['a', 'null 2'],
    ],
    [
      ['a', 'b', '', false],
      ['a', 'b', 'null 3', 'null 4'],
    ],
    [
      [2 ** 60, 2 ** 60],
      ['null 1', 'null 2'],
    ],
    [
      [{ ref: 'a' }, { client_ref_id: 'b' }],
      ['a', 'b'],
    ],
    [
      [{ filename: '1.jpg' }, { filename: '1.jpg' }],
      ['null 1', 'null 2'],
    ],
    [
      ['a', ['b', {}]],
      ['a', 'b', 'null 3'],
    ],
    [{ ids: ['a', 'b', 'c'] }, ['a', 'b', 'c']],
    [{ ids: ['a'], count: 1 }, ['a']],
    [{ front: ['a'], back: [7, null] }, ['a', '7', 'null 3']],
    [{ front: 'ra', side: 'rb', extra: ['rc'] }, ['front', 'side', 'extra']],
    [{ ids: ['a', 'b', 'c'], type: 'photo', meta: {} }, ['a', 'b', 'c']],
    [{ ids: [] }, []],
    [{ r1: ['south'], r2: ['north'], r3: [] }, ['r1', 'r2', 'r3']],
    [{ ids: [], count: 2 }, null],
    [['', ' '], null],
    [[[]], null],
    ['["a"', ['["a"']],
    ['[a]', null],
  ])('%j are %j', (value, expected) => {
    expect(readClientRefs(value)).toEqual(expected)
  })

  test('are one if their text is nothing but brackets', () => {
    expect(readClientRefs('['.repeat(400_000) + ']'.repeat(400_000))).toEqual(['null 1'])
  })
})

describe('answers', () => {
  const roofs = [
    { value: 'asphaltShingle', label: 'Asphalt shingle' },
    { value: 'tile', label: 'Tile' },
  ]
  test.each<[object, string | null]>([
    [{ value: ' 200 A ' }, '200 A'],
    [{ answer: 0 }, '0'],
    [{ value: true }, 'Yes'],
    [{ type: 'radio', value: 'asphaltShingle', values: roofs }, 'Asphalt shingle'],
    [{ type: 'select', value: ['asphaltShingle', 'tile'], data: { values: roofs } }, 'Asphalt shingle, Tile'],
    [{ type: 'selectboxes', value: { tile: true, asphaltShingle: false }, values: roofs }, 'Tile'],
    [{ selectedOption: { id: 7, label: 'South' } }, 'South'],
    [{ answer: { value: 12, options: [{ label: 'old' }] } }, '12'],
    [{ value: '' }, null],
    [{ type: 'radio', values: roofs }, null],
    [{ type: 'signature', value: 'data:image/png;base64,AAAA' }, null],
    [{ value: [{ name: 'IMG_1.jpg', size: 7, url: 'https://f.example/1.jpg' }] }, null],
    [{ mediaCategoryId: 'm1', clientRefIds: ['a'], value: 'Two of three layers' }, 'Two of three layers'],
  ])('of %j is %j', (question, answer) => {
    const [section] = readSections({ questions: [{ label: 'Roof', ...question }] })
    expect(section?.questions.map((read) => [read.label, read.answer])).toEqual([['Roof', answer]])
  })

  const breaker = (value?: string, media: object = {}) => ({ label: 'Breaker', value, ...media })
  test.each<[object[], (string | null)[]]>([
    [
      [breaker('20 A'), breaker('60 A'), breaker('15 A')],
      ['20 A', '60 A', '15 A'],
    ],
    [
      [breaker(), breaker('60 A'), breaker(), breaker('20 A')],
      ['60 A', '20 A'],
    ],
    [
      [breaker('20 A'), breaker('60 A'), breaker('60 A'), breaker('20 A')],
      ['20 A', '60 A'],
    ],
    [
      [breaker('20 A', { clientRefIds: [] }), breaker('60 A', { clientRefIds: [] })],
      ['20 A', '60 A'],
    ],
    [
      [breaker('20 A'), breaker('20 A', { mediaCategoryId: 'm1' }), breaker('60 A')],
      ['20 A', '20 A', '60 A'],
    ],
    [[breaker('20 A', { clientRefIds: ['r1'] }), breaker('60 A', { clientRefIds: ['r1'] })], ['20 A']],
  ])('of questions with the same label, %j, are %j', (questions, answers) => {
    const sections = [{ label: 'Electrical', questions }]
    // The same form may be there twice.
    for (const form of [{ sections }, { sections, pages: sections }]) {
      const [section, ...others] = readSections(form)
      expect(section?.questions.map(({ label, answer }) => [label, answer])).toEqual(
        answers.map((answer) => ['Breaker', answer]),
      )
      expect(others).toEqual([])
    }
  })
})

describe('sections and questions', () => {
  const photo = (label: string, mediaCategoryId: string) => ({ label, mediaCategoryId })

  test('sections of the same label are distinguished by their parents', () => {
    const page = (title: string, id: string) => ({
      title,
      sections: [{ label: 'Photos', questions: [photo('A', id)] }],
    })
    const alone = { label: 'Attic', questions: [photo('B', 'm3')] }
    expect(
      readSections({ pages: [page('House', 'm1'), page('Garage', 'm2'), { title: 'More', sections: [alone] }] }),
    ).toEqual([
      { label: 'House / Photos', questions: [{ label: 'A', mediaCategoryId: 'm1', clientRefIds: null, answer: null }] },
      {
        label: 'Garage / Photos',
        questions: [{ label: 'A', mediaCategoryId: 'm2', clientRefIds: null, answer: null }],
      },
      { label: 'Attic', questions: [{ label: 'B', mediaCategoryId: 'm3', clientRefIds: null, answer: null }] },
    ])
  })

  test.each([[undefined], [null], [[]], ['']])(
    'a question whose references are %j stays in its section, whatever the answers',
    (clientRefIds) => {
      const array = (title: string, value: string | null) => ({
        title,
        sections: [{ label: 'Roof', questions: [{ label: 'Pitch', value, clientRefIds }] }],
      })
      for (const [first, second] of [
        ['30', '20'],
        ['30', '30'],
        ['30', null],
        [null, null],
      ] as const) {
        const sections = readSections({ pages: [array('Array 1', first), array('Array 2', second)] })
        expect(sections).toMatchObject([
          { label: 'Array 1 / Roof', questions: [{ label: 'Pitch', answer: first }] },
          { label: 'Array 2 / Roof', questions: [{ label: 'Pitch', answer: second }] },
        ])
      }
    },
  )

  test('a follow-up question stays in the section of its question', () => {
    const battery = { label: 'Battery?', mediaCategoryId: null, clientRefIds: null, followUps: [photo('Label', 'm2')] }
    const wall = { ...photo('Wall', 'm1'), conditional: { then: { questions: [photo('Crack', 'm3')] } } }
    const [section] = readSections({ sections: [{ label: 'Garage', questions: [battery, wall] }] })
    expect(section?.label).toBe('Garage')
    expect(section?.questions.map(({ label }) => label)).toEqual(['Battery?', 'Label', 'Wall', 'Crack'])
  })

  test('a section with media of its own keeps its questions', () => {
    const roof = { ...photo('Roof', 'm0'), questions: [photo('Slope', 'm1')] }
    expect(readSections({ sections: [roof] })).toMatchObject([
      { label: 'Roof', questions: [{ label: 'Roof' }, { label: 'Slope' }] },
    ])
    expect(readSections({ pages: [{ title: 'Page', sections: [roof] }] })).toMatchObject([
      { label: 'Roof', questions: [{ label: 'Roof' }, { label: 'Slope' }] },
    ])
  })

  test('questions without a section, and without a label', () => {
    expect(readSections({ questions: [photo('A', 'm1'), { mediaCategoryId: 'm2' }] })).toEqual([
      {
        label: 'General',
        questions: [
          { label: 'A', mediaCategoryId: 'm1', clientRefIds: null, answer: null },
          { label: 'Question 2', mediaCategoryId: 'm2', clientRefIds: null, answer: null },
        ],
      },
    ])
  })

  test('a question with several media categories counts for each', () => {
    const [section] = readSections({ questions: [{ label: 'A', mediaCategoryId: ['m1', 'm2'], clientRefIds: ['a'] }] })
    expect(section?.questions).toEqual([
      { label: 'A', mediaCategoryId: 'm1', clientRefIds: null, answer: null },
      { label: 'A', mediaCategoryId: 'm2', clientRefIds: null, answer: null },
    ])
  })

  test('a question nested in a question is one question', () => {
    const [section] = readSections({ sections: [{ label: 'S', questions: [{ question: photo('A', 'm1') }] }] })
    expect(section).toMatchObject({ label: 'S', questions: [{ label: 'A', mediaCategoryId: 'm1' }] })
  })

  test('a question with an image beside its text is still a question', () => {
    const asked = { label: 'A', imageUrl: 'https://h/help.png', thumbnailUrl: 'https://h/s.png', mediaCategoryId: 'm1' }
    expect(readSections({ questions: [asked] })).toMatchObject([{ questions: [{ mediaCategoryId: 'm1' }] }])
  })

  test.each<[string, object]>([
    ['a name and a picture', { name: 'Ridge', imageUrl: 'https://h/x.png', thumbnailUrl: 'https://h/t.png' }],
    ['a text and a file name', { text: 'Ridge', filename: 'ridge' }],
  ])('a question with %s is recognized by its media category', (_name, asked) => {
    const ridge = { ...asked, mediaCategoryId: 'm2' }
    const questions = [
      { label: 'A', mediaCategoryId: 'm1' },
      { label: 'B', mediaCategoryId: 'm2' },
    ]
    for (const list of ['questions', 'fields', 'components', 'items']) {
      const sections = readSections({ sections: [{ label: 'Roof', [list]: [questions[0], ridge] }] })
      expect(sections[0]?.questions.map(({ label }) => label)).toEqual(['A', 'Ridge'])
    }
    const held = readSections({ questions, media: [ridge], items: [{ ...questions[1], answer: ridge }] })
    expect(held.flatMap((section) => section.questions.map(({ label }) => label))).toEqual(['A', 'B'])
  })

  test('a photo without its file yet is not a question', () => {
    const photos = [
      { clientRefId: 'a', mediaCategoryId: 'm1', status: 'pending' },
      { filename: 'b.jpg', mediaCategoryId: 'm1' },
    ]
    expect(readSections({ questions: [{ ...photo('A', 'm1'), photos }] })).toEqual([
      { label: 'General', questions: [{ label: 'A', mediaCategoryId: 'm1', clientRefIds: null, answer: null }] },
    ])
  })

  test.each<[string, object]>([
    ['a category with a number too large for an ID', { mediaCategoryId: 1e300 }],
    ['a category with a text too long for an ID', { mediaCategoryId: 'm'.repeat(600) }],
    ['a category that is a link', { mediaCategoryId: 'https://files.example/m2?sig=1' }],
    ['a category with half of an emoji', { mediaCategoryId: 'm\ud83d' }],
    ['a category that is an object without an ID', { mediaCategory: { name: 'Roof' } }],
    ['one unreadable category among others', { mediaCategoryIds: ['m1', 1e300] }],
    ['references that are no list and without a category', { clientRefIds: true }],
    ['a part with references that are no list and without a category', { media: { clientRefIds: '[a]' } }],
  ])('are only a part with %s', (_name, media) => {
    const { sections, isPartial } = readQuestions({ questions: [photo('A', 'm1'), { label: 'B', ...media }] })
    expect(sections[0]?.questions[0]).toMatchObject({ label: 'A', mediaCategoryId: 'm1' })
    expect(isPartial).toBe(true)
    expect(readQuestions({ sections: [{ label: 'Roof', components: [{ label: 'B', ...media }] }] }).isPartial).toBe(
      true,
    )
  })

  test.each<[string, object]>([
    ['an empty reference', { clientRefIds: [''] }],
    ['empty categories', { mediaCategoryIds: [null, ''], mediaCategory: { id: null, name: null } }],
    ['no category', { mediaCategoryId: false, clientRefIds: false }],
    ['a file of another list', { mediaCategoryId: 'm1', answer: [{ clientRefId: 'a', mediaCategory: { name: 'R' } }] }],
  ])('are whole with %s', (_name, media) => {
    expect(readQuestions({ questions: [photo('A', 'm1'), { label: 'B', ...media }] }).isPartial).toBe(false)
  })

  test.each([{ clientRefIds: [{ size: 7 }] }, { media: { clientRefIds: ['a', { size: 7 }] } }])(
    'references without IDs and without a category are photos that are expected: %j',
    (media) => {
      const [section] = readSections({ questions: [photo('A', 'm1'), { label: 'B', ...media }] })
      const { clientRefIds } = media.media ?? media
      expect(section?.questions[1]).toMatchObject({ label: 'B', mediaCategoryId: null })
      expect(section?.questions[1]?.clientRefIds).toHaveLength(clientRefIds.length)
    },
  )

  test.each<[string, object, string | null]>([
    ['no category', { mediaCategoryId: null, mediaCategoryIds: [], mediaCategory: {}, clientRefIds: ' ' }, null],
    ['a category that is described beside its ID', { mediaCategoryId: 'm1', mediaCategory: { name: 'Roof' } }, 'm1'],
    ['references without IDs in a category', { mediaCategoryId: 'm1', clientRefIds: [{ size: 7 }] }, 'm1'],
    ['references without IDs in a part', { mediaCategoryId: 'm1', media: { clientRefIds: [{ size: 7 }] } }, 'm1'],
    [
      'a file whose category is only described',
      { mediaCategoryId: 'm1', photos: [{ filename: 'a', mediaCategory: { name: 'Roof' } }] },
      'm1',
    ],
  ])('a question with %s', (_name, media, mediaCategoryId) => {
    const [section] = readSections({ questions: [{ label: 'A', ...media }] })
    expect(section?.questions).toMatchObject([{ label: 'A', mediaCategoryId }])
  })

  test.each([
    { components: [] },
    { components: null },
    { type: 'panel', components: [] },
    { sections: [], components: [] },
    { items: [{}] },
  ])('an empty container of a form is no question: %j', (container) => {
    expect(readSections({ components: [{ label: 'Roof', ...container }] })).toEqual([])
  })

  test.each(['section', 'group', 'page', 'panel'])('an empty %s in a list of questions is no question', (type) => {
    expect(readSections({ questions: [{ label: 'Attic', type, questions: [] }] })).toEqual([])
  })

  test.each([
    { type: 'textfield', components: [] },
    { components: [], answer: 'yes' },
    { type: 'select', items: [] },
  ])('a field is a question also with an empty list: %j', (field) => {
    const [section] = readSections({ components: [{ label: 'Pitch', ...field }] })
    expect(section?.questions).toMatchObject([{ label: 'Pitch' }])
  })

  test.each(['followUps', 'children'])('an unanswered question is one also without any %s', (list) => {
    const [section] = readSections({ questions: [{ label: 'Roof pitch', [list]: [] }] })
    expect(section?.questions).toMatchObject([{ label: 'Roof pitch', answer: null }])
  })

  test.each(['questions', 'components'])(
    'are only a part with an empty list and an unreadable category: %s',
    (list) => {
      const attic = { label: 'Attic', children: [], mediaCategories: [{ name: 'Attic' }] }
      expect(readQuestions({ [list]: [attic] })).toMatchObject({
        sections: [{ questions: [{ label: 'Attic', mediaCategoryId: null }] }],
        isPartial: true,
      })
    },
  )

  const roof = (...questions: object[]) => ({ sections: [{ label: 'Roof', questions }] })
  const mediaIn = (checklist: Record<string, unknown>) =>
    readSections(checklist).flatMap(({ label: section, questions }) =>
      questions.map(({ label, mediaCategoryId, clientRefIds }) => [section, label, mediaCategoryId, clientRefIds]),
    )

  test.each<[object, string | null, readonly string[] | null]>([
    [{ media: { categoryId: 'catA' } }, 'catA', null],
    [{ media: { name: 'Roof photos', category_id: { $oid: 'a1' } } }, 'a1', null],
    [{ media: { categoryId: 'catA', clientRefIds: ['r1'] } }, 'catA', ['r1']],
    [{ media: { category: { id: 'a1', name: 'Roof' } } }, 'a1', null],
    [{ clientRefIds: ['r1'], photos: { category: 'a1' } }, 'a1', ['r1']],
    [{ clientRefIds: [], photos: { categoryId: 'catA' } }, 'catA', []],
    [{ photos: [{ url: 'https://h/1.jpg', categoryId: 'catA' }] }, 'catA', null],
    [{ mediaCategories: [{ id: 'catA', name: 'Roof' }] }, 'catA', null],
    [{ mediaCategoryId: null, mediaCategories: 'catA' }, 'catA', null],
    [{ mediaCategories: ['catA'], clientRefIds: ['r1'] }, 'catA', ['r1']],
    [{ mediaCategories: ['catA', 'catB'], clientRefIds: [] }, null, []],
    [{ mediaCategoryId: 'm1', media: { categoryId: 'k9' }, mediaCategories: ['catA'] }, 'm1', null],
    [{ mediaCategoryId: 'm1', mediaCategories: [{ name: 'Roof' }], photos: [{ categoryId: 1e300 }] }, 'm1', null],
    [{ media: { category: 'Exterior', uploader: { categoryId: 'k9' } } }, null, null],
    [{ media: { category: 'Array 1', required: false } }, null, null],
    [{ attachments: [{ name: 'a', url: 'https://h/a.pdf', category: '2024 Bills' }] }, null, null],
    [{ settings: { categoryId: 'k9', category: { id: 'k8' } }, mediaCategories: [] }, null, null],
  ])('the category of a question with %j is %j', (media, category, refs) => {
    for (const list of ['questions', 'components']) {
      const { sections, isPartial } = readQuestions({
        sections: [{ label: 'Roof', [list]: [{ label: 'A', ...media }] }],
      })
      expect(sections).toEqual([
        { label: 'Roof', questions: [{ label: 'A', mediaCategoryId: category, clientRefIds: refs, answer: null }] },
      ])
      expect(isPartial).toBe(false)
    }
  })

  test.each([
    { media: { categoryId: 1e300 } },
    { mediaCategories: [{ name: 'Roof' }] },
    { mediaCategories: ['m1', 'm2'], clientRefIds: ['r1'] },
    { mediaCategories: Array.from({ length: 101 }, (_, index) => `m${index}`) },
  ])('are only a part if the one category of a question cannot be asked for: %j', (media) => {
    expect(readQuestions(roof({ label: 'A', ...media })).isPartial).toBe(true)
  })

  test('a category that questions share is that of each that names its own photos, else of one', () => {
    const part = (label: string, clientRefIds?: string[]) => ({ label, media: { categoryId: 'm1', clientRefIds } })
    expect(mediaIn(roof(part('A', ['r1']), part('B', ['r2'])))).toEqual([
      ['Roof', 'A', 'm1', ['r1']],
      ['Roof', 'B', 'm1', ['r2']],
    ])
    expect(mediaIn(roof(part('A'), part('B')))).toEqual([
      ['Roof', 'A', 'm1', null],
      ['Roof', 'B', null, null],
    ])
  })

  test('a catalog of categories adds those that no question has, and only to a question', () => {
    const mediaCategories = [{ id: 'm1' }, { id: 'm2' }, { id: 'm3' }]
    const pitch = { label: 'Pitch', mediaCategories }
    expect(mediaIn(roof(pitch, photo('A', 'm1'), { label: 'Slope', mediaCategories }))).toEqual([
      ['Roof', 'Pitch', 'm2', null],
      ['Roof', 'Pitch', 'm3', null],
      ['Roof', 'A', 'm1', null],
      ['Roof', 'Slope', null, null],
    ])
    const eave = { label: 'Eave', clientRefIds: ['r1', 'r2'], mediaCategories: ['m1', 'm2'] }
    expect(mediaIn(roof(photo('A', 'm1'), eave))).toContainEqual(['Roof', 'Eave', 'm2', ['r1', 'r2']])
    const both = roof(photo('A', 'm1'), photo('B', 'm2'), eave)
    expect(mediaIn(both)).toContainEqual(['Roof', 'Eave', null, ['r1', 'r2']])
    const section = { label: 'Roof', mediaCategories, questions: [photo('A', 'm1')] }
    const project = { name: 'Smith', mediaCategories }
    expect(mediaIn({ title: 'Survey', mediaCategories, project, sections: [section] })).toEqual([
      ['Roof', 'A', 'm1', null],
    ])
  })

  test('photos of a section in a category of their own are a question of it', () => {
    const section = { label: 'Roof', media: { categoryId: 'm2' }, questions: [photo('A', 'm1')] }
    expect(mediaIn({ sections: [section] })).toEqual([
      ['Roof', 'A', 'm1', null],
      ['Roof', 'Roof', 'm2', null],
    ])
    expect(mediaIn({ sections: [{ ...section, media: { categoryId: 'm1' } }] })).toEqual([['Roof', 'A', 'm1', null]])
  })

  test('media of the checklist itself', () => {
    const [section] = readSections({ title: 'Survey', mediaCategoryId: 'm0', questions: [photo('A', 'm1')] })
    expect(section?.questions.map(({ label, mediaCategoryId }) => [label, mediaCategoryId])).toEqual([
      ['Survey', 'm0'],
      ['A', 'm1'],
    ])
  })

  test('of duplicate media entries the one that names files is kept; entries with different files are kept', () => {
    const a = photo('A', 'm1')
    const kept = (questions: unknown[]) =>
      readSections({ questions })[0]?.questions.map(({ clientRefIds }) => clientRefIds)
    expect(kept([a, { ...a, clientRefIds: ['x'] }, a])).toEqual([['x']])
    expect(
      kept([
        { ...a, clientRefIds: ['x'] },
        { ...a, clientRefIds: ['y'] },
      ]),
    ).toEqual([['x'], ['y']])
  })

  test('nothing in an extremely large checklist', () => {
    const many = Array.from({ length: 20_001 }, (_, index) => photo('A', `m${index}`))
    expect(thrownBy(() => readSections({ questions: many })).code).toBe('unreadable-answer')
    let deep: unknown = photo('A', 'm')
    for (let level = 0; level < 70; level++) deep = { x: deep }
    expect(thrownBy(() => readSections({ deep })).code).toBe('unreadable-answer')
  })
})
