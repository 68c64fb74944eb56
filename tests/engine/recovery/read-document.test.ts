import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readDocument } from '../../../electron/engine/recovery/read-document.ts'
import { parseRecordedPath, parseVersionPath } from '../../../electron/engine/recovery/recorded-checklist.ts'
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
const document = {
  format: 'solarchive-checklist',
  version: 1,
  project: { id: 'p', name: 'Smith', address: null },
  checklist: { id: 'c', title: 'Survey', status: 'completed', updatedAt: '2026-11-20T10:00:00Z' },
  raw: { entry: { id: 'c' }, detail: null, media: [{ id: 'x', filename: 'IMG.jpg' }] },
  rebuild: {
    questions: [
      { section: 'Roof', label: 'Ridge', mediaCategoryId: 'm', folder: '01 Roof/01 Ridge', upstream: 'present' },
    ],
    files: [file],
    versions: [
      { file: '.versions/2026-06-12T09-30-00Z/report.pdf', sha256: hash, sizeBytes: 3, replacedAt: archivedAt },
    ],
  },
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

function expectSafePaths(text: string): void {
  const recorded = readDocument(text)
  if (recorded === undefined) return
  const { files, versions, questions } = recorded
  for (const { file: path, question } of files) {
    expect(parseRecordedPath(path)).toBeDefined()
    expect(question === null || questions[question] !== undefined).toBe(true)
  }
  for (const { file: path } of versions) expect(parseVersionPath(path)).toBeDefined()
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
  fc.assert(fc.property(fc.string(), (text) => expectSafePaths(text)))
  fc.assert(
    fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }), hostile, (steps, value) =>
      expectSafePaths(JSON.stringify(mutated(document, steps, value))),
    ),
    { numRuns: 700 },
  )
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
