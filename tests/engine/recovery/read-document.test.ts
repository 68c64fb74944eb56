import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readDocument } from '../../../electron/engine/recovery/read-document.ts'
import { readFiles, sampleArchive } from '../../support/sample-archive.ts'

const hash = 'ab'.repeat(32)
const archivedAt = '2026-11-21T01:40:00.000Z'
const file = {
  file: 'photos/01 Roof/01 Ridge/IMG.jpg',
  question: 0,
  key: 'id:0123456789abcdef0123456789abcdef',
  source: 'cd'.repeat(16),
  filename: 'IMG.jpg',
  sha256: hash,
  sizeBytes: 12,
  archivedAt,
  upstream: 'present',
  etag: '"x"',
  lastModified: null,
  confirmed: true,
  record: 0,
  takenAt: null,
  place: null,
}
const question = {
  section: 'Roof',
  label: 'Ridge',
  mediaCategoryId: 'm',
  folder: '01 Roof/01 Ridge',
  upstream: 'present',
}
const version = {
  file: '.versions/2026-06-12T09-30-00Z/report.pdf',
  sha256: hash,
  sizeBytes: 3,
  replacedAt: archivedAt,
}
const document = {
  format: 'solarchive-checklist',
  version: 1,
  project: { id: 'p', name: 'Smith', address: null },
  checklist: { id: 'c', title: 'Survey', status: 'completed', updatedAt: '2026-11-20T10:00:00Z' },
  raw: { entry: { id: 'c' }, detail: null, media: [{ id: 'x', filename: 'IMG.jpg' }] },
  rebuild: { questions: [question], files: [file], versions: [version] },
}

/** Puts `value` at a random position in a JSON value. */
function mutated(value: unknown, steps: readonly number[], replacement: unknown): unknown {
  const [step, ...rest] = steps
  if (step === undefined || typeof value !== 'object' || value === null) return replacement
  const entries = Object.entries(value)
  const chosen = step % Math.max(1, entries.length)
  const changed = entries.map(([key, member], index): [string, unknown] => [
    key,
    index === chosen ? mutated(member, rest, replacement) : member,
  ])
  return Array.isArray(value) ? changed.map(([, member]) => member) : Object.fromEntries(changed)
}

const hostile = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(
    '/etc/passwd',
    '../../x.jpg',
    'photos/../../x',
    'photos/a/b/.hidden',
    'C:\\x',
    '',
    '\u0000',
    '.',
    '..',
  ),
  fc.constantFrom(-1, 1e300, 2 ** 60, null, [], {}, true),
)

/** Components of paths, most of which are safe. */
const component = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('photos', 'thumbnails', '01 Roof', 'IMG.jpg', 'report.pdf') },
  { weight: 1, arbitrary: fc.constantFrom('', '.', '..', '.. ', '.hidden', 'C:', 'C:report.pdf', '7.part') },
  { weight: 1, arbitrary: fc.constantFrom('a\\..\\..', 'a\\..\\report.pdf', 'a\0.pdf', 'a\u0085', 'a\n.pdf') },
)

/** Documents whose files, versions, and questions have any paths that match each other. */
const documentOfPaths = fc
  .record({
    top: fc.constantFrom('photos', 'thumbnails'),
    folder: fc.tuple(component, component).map((components) => components.join('/')),
    name: component,
    other: fc.array(component, { minLength: 1, maxLength: 5 }).map((components) => components.join('/')),
  })
  .map(({ top, folder, name, other }) => {
    const paths = [`${top}/${folder}/${name}`, name, other]
    return {
      ...document,
      rebuild: {
        questions: [{ ...question, folder }],
        files: paths.flatMap((path) => [
          { ...file, file: path },
          { ...file, file: path, key: 'report', question: null },
        ]),
        versions: [...paths, ...paths.map((path) => `.versions/2026-06-12T09-30-00Z/${path}`)].map((path) => ({
          ...version,
          file: path,
        })),
      },
    }
  })

/** Returns whether a path leads out of its folder or to no file of the archive. Shares no code with the reader. */
function leadsAway(path: string): boolean {
  if (!/^[^/]+\.pdf$|^(?:photos|thumbnails)(?:\/[^/]+){3}$/i.test(path)) return true
  return /[\p{Cc}\\:]/u.test(path) || path.split('/').some((part) => /^$|^\.|[. ]$|\.part$/.test(part))
}

/** Returns the number of paths. */
function expectSafePaths(text: string): number {
  const recorded = readDocument(text)
  if (recorded === undefined) return 0
  const { files, versions, questions } = recorded
  for (const { question: index } of files) expect(index === null || questions[index] !== undefined).toBe(true)
  for (const { sectionFolder, folder } of questions) expect(`${sectionFolder}${folder}`).not.toContain('/')
  for (const { file: path } of versions) expect(path).toMatch(/^\.versions\/[\dT-]+Z\//)
  const paths = [
    ...files.map(({ file: path }) => path),
    ...versions.map(({ file: path }) => path.replace(/^\.versions\/[^/]+\//, '')),
    ...questions.map(({ sectionFolder, folder }) => `photos/${sectionFolder}/${folder}/IMG.jpg`),
  ]
  expect(paths.filter(leadsAway)).toEqual([])
  return paths.length
}

it('reads what the writer produces', () => {
  expect(readDocument(JSON.stringify(document))).toMatchObject({
    skipped: 0,
    project: { id: 'p', name: 'Smith' },
    files: [{ kind: 'photo', question: 0, record: { id: 'x', filename: 'IMG.jpg' } }],
  })
})

it('reads a document that an editor saved with a byte order mark', () => {
  const text = JSON.stringify(document)
  expect(readDocument(`\uFEFF${text}`)).toEqual(readDocument(text))
})

it('reads every file of a document that the engine writes', async () => {
  const archive = await sampleArchive({ projects: 3, checklistsPerProject: 1, photosPerQuestion: 1 })
  await archive.sync()
  const files = [...readFiles(archive.root).keys()]
  for (const path of files.filter((name) => name.endsWith('/checklist.json'))) {
    const recorded = readDocument(readFileSync(join(archive.root, path), 'utf8'))
    if (recorded === undefined) throw new Error(`${path} was not read`)
    const folder = path.slice(0, path.lastIndexOf('/'))
    const below = files.filter((name) => name.startsWith(`${folder}/`) && name !== path)
    expect(recorded.files.map(({ file: name }) => `${folder}/${name}`).sort()).toEqual(below.sort())
    expect(recorded.skipped).toBe(0)
  }
})

it('never throws and never returns an unsafe path, whatever a document contains', () => {
  fc.assert(fc.property(fc.string(), (text) => void expectSafePaths(text)))
  fc.assert(
    fc.property(
      fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }),
      hostile,
      (steps, value) => void expectSafePaths(JSON.stringify(mutated(document, steps, value))),
    ),
    { numRuns: 700 },
  )
  let accepted = 0
  const count = (value: unknown) => void (accepted += expectSafePaths(JSON.stringify(value)))
  fc.assert(fc.property(documentOfPaths, count), { numRuns: 700 })
  expect(accepted).toBeGreaterThan(700)
})

it('skips an unusable entry, not the document', () => {
  const files = [file, { ...file, file: '../x.jpg' }, { ...file, sha256: 'none' }, 7, { ...file, question: 9 }]
  const text = JSON.stringify({ ...document, rebuild: { ...document.rebuild, files } })
  expect(readDocument(text)).toMatchObject({ files: [{ file: file.file }], skipped: 4 })
})

it.each([
  ['of a newer version', JSON.stringify({ ...document, version: 2 })],
  ['of another format', JSON.stringify({ ...document, format: 'other' })],
  ['without what a rebuild needs', JSON.stringify({ ...document, rebuild: undefined })],
  ['nested too deep', '['.repeat(100_000)],
  ...['a\0/../../b', '..', ' ', '\ud800'].map((id): [string, string] => [
    `with ${JSON.stringify(id)} as the id of its project`,
    JSON.stringify({ ...document, project: { ...document.project, id } }),
  ]),
])('reads no document %s', (_name, text) => {
  expect(readDocument(text)).toBeUndefined()
})

it('limits nesting beyond any checklist, and removes inserted links and tokens', () => {
  let deep: unknown = 'https://files.example/a.jpg?sig=secret-signature'
  for (let depth = 0; depth < 2000; depth++) deep = [deep]
  const raw = { entry: { deep, imgUrl: 'https://files.example/a.jpg?sig=secret-signature' }, detail: null, media: [] }
  const recorded = JSON.stringify(readDocument(JSON.stringify({ ...document, raw })))
  expect(recorded).not.toContain('secret-signature')
  expect(recorded.length).toBeLessThan(5000)
})
