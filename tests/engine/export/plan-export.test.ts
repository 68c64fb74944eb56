import { createHash } from 'node:crypto'
import { readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ExportGap } from '../../../shared/export.ts'
import { defaultNames, namingFields } from '../../../shared/export-parts.ts'
import { gapsOfExport } from '../../../electron/engine/export/export-gaps.ts'
import { openPlanned, readPlanned } from '../../../electron/engine/export/open-planned.ts'
import { nameFiles } from '../../../electron/engine/export/name-files.ts'
import { parseTemplate } from '../../../electron/engine/export/naming-template.ts'
import { filesOf, planExport, requireAnything, type ExportPlan } from '../../../electron/engine/export/plan-export.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { openBytes, openReadOnly } from '../../../electron/engine/store/create-store.ts'
import { databaseName } from '../../../electron/engine/store/database-files.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { sampleArchive, shareArchive, type SampleArchive } from '../../support/sample-archive.ts'

const shared = shareArchive(async (onDone) => {
  const archive = await sampleArchive(
    { projects: 2, checklistsPerProject: 2, statuses: ['completed', 'awaitingMedia'], photosPerQuestion: 2 },
    undefined,
    onDone,
  )
  await archive.sync()
  return archive
})

function storeOf({ home }: SampleArchive) {
  const store = openReadOnly(join(home, databaseName))
  onTestFinished(() => store.close())
  return store
}

const allFiles = (plan: ExportPlan) =>
  plan.projects.flatMap(({ checklists }) => checklists.flatMap((checklist) => [...filesOf(checklist)]))

test('a full plan has each archived file once, with the questions, answers, and gaps of the catalog', async () => {
  const archive = shared()
  const plan = planExport(storeOf(archive), systemClock, { kind: 'everything' })
  await archive.withEngine(async (engine) => {
    const recorded = new Map<string, string>()
    for await (const { path, sha256 } of engine.recordedFiles()) {
      if (!path.endsWith('/checklist.json')) recorded.set(path, sha256)
    }
    expect(new Map(allFiles(plan).map(({ path, sha256 }) => [path, sha256]))).toEqual(recorded)
    expect(plan.projects.map(({ name }) => name)).toEqual(engine.projects.list().map(({ name }) => name))
    for (const { id, checklists } of plan.projects) {
      for (const planned of checklists) {
        const { sections, checklist } = engine.catalog.checklist(id, planned.id)
        const { complete, expectedFiles, archivedFiles, gaps } = checklist
        expect(planned).toMatchObject({ complete, expectedFiles, archivedFiles, gaps, isWhole: true })
        const shown = sections.flatMap(({ label, questions }) =>
          questions.map((question) => ({
            section: label,
            question: question.label,
            answer: question.answer,
            photos: question.photos.filter((photo) => photo.archived).map((photo) => photo.assetId),
          })),
        )
        expect(planned.questions.map(({ sequence }) => sequence)).toEqual(shown.map((_, index) => index + 1))
        expect(
          planned.questions.map(({ section, question, answer, photos }) => ({
            section,
            question,
            answer,
            photos: photos.map(({ assetId }) => assetId),
          })),
        ).toEqual(shown)
      }
    }
  })
  expect(allFiles(plan).some(({ position, takenAt }) => position !== null && takenAt !== null)).toBe(true)
  expect(plan.projects.flatMap(({ checklists }) => checklists).some(({ complete }) => !complete)).toBe(true)
})

test('a plan without answers has everything else', () => {
  const store = storeOf(shared())
  const whole = planExport(store, systemClock, { kind: 'everything' })
  const plan = planExport(store, systemClock, { kind: 'everything' }, { answers: false })
  const isAnswer = (key: string) => key === 'answer'
  const without = ({ projects }: ExportPlan) =>
    JSON.parse(JSON.stringify(projects, (key, value: unknown) => (isAnswer(key) ? null : value))) as unknown
  expect(without(whole)).not.toEqual(whole.projects)
  expect(plan.projects).toEqual(without(whole))
})

test('a selection has only what was chosen, with the numbers of questions and the gaps of that', () => {
  const archive = shared()
  const store = storeOf(archive)
  const plan = (selection: Parameters<typeof planExport>[2]) => planExport(store, systemClock, selection)
  const everything = plan({ kind: 'everything' })
  const [project] = everything.projects
  const checklist = project?.checklists.find(({ complete }) => !complete)
  const question = checklist?.questions.find(({ photos, sequence }) => photos.length > 1 && sequence > 1)
  if (project === undefined || checklist === undefined || question === undefined) throw new Error('No such sample')
  const [projectId, checklistId] = [project.id, checklist.id]

  expect(plan({ kind: 'projects', projectIds: [projectId] }).projects).toEqual([project])
  const whole = plan({ kind: 'checklists', checklists: [{ projectId, checklistId }] })
  expect(whole.projects).toEqual([{ ...project, isWhole: false, checklists: [checklist] }])

  const labels = { section: question.section, question: question.question }
  const some = plan({ kind: 'questions', projectId, checklistId, questions: [labels] })
  expect(some.projects[0]?.checklists).toEqual([
    { ...checklist, isWhole: false, report: null, gaps: question.gaps, questions: [question] },
  ])

  const [first] = question.photos
  const photo = plan({ kind: 'photos', assetIds: [first?.assetId ?? 0] })
  expect(photo.projects[0]?.checklists[0]).toMatchObject({ isWhole: false, report: null, gaps: [] })
  expect(photo.projects[0]?.checklists[0]?.questions).toEqual([
    { ...question, expectedPhotos: 1, gaps: [], photos: [first] },
  ])

  for (const unknown of [
    { kind: 'projects', projectIds: ['unknown'] },
    { kind: 'checklists', checklists: [{ projectId, checklistId: 'unknown' }] },
    { kind: 'questions', projectId, checklistId, questions: [{ section: 'No', question: 'No' }] },
    { kind: 'photos', assetIds: [999_999] },
    { kind: 'search', query: { query: 'nothingofthiskind', limit: 1 } },
  ] as const) {
    expect(() => plan(structuredClone(unknown) as Parameters<typeof planExport>[2])).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
  }
  expect(() => requireAnything({ at: '', projects: [], lastVerify: null })).toThrow('nothing to export')
})

test('the questions of a checklist are read once, however many of them were chosen', () => {
  const store = storeOf(shared())
  const plan = (selection: Parameters<typeof planExport>[2]) => planExport(store, systemClock, selection)
  const [project] = plan({ kind: 'everything' }).projects
  const checklist = project?.checklists[0]
  const labels = (checklist?.questions ?? []).map(({ section, question }) => ({ section, question }))
  expect(labels.length).toBeGreaterThan(3)
  const reads = vi.spyOn(store.questions, 'listForChecklist')
  const readsFor = (questions: typeof labels) => {
    reads.mockClear()
    const { projects } = plan({
      kind: 'questions',
      projectId: project?.id ?? '',
      checklistId: checklist?.id ?? '',
      questions,
    })
    expect(projects[0]?.checklists[0]?.questions).toHaveLength(questions.length)
    return reads.mock.calls.length
  }
  expect(readsFor(labels)).toBe(readsFor(labels.slice(0, 1)))
})

test('that the current state of a checklist was not read is a gap, whatever was chosen of it', () => {
  const archive = shared()
  const [project] = planExport(storeOf(archive), systemClock, { kind: 'everything' }).projects
  const projectId = project?.id ?? ''
  const database = new Database(join(archive.home, databaseName))
  database.exec("UPDATE checklists SET fingerprint = 'changed'")
  database.close()
  const store = storeOf(archive)
  const unread = expect.objectContaining({ question: 'Checklist', reason: 'not read yet' }) as ExportGap
  for (const { id: checklistId, questions, gaps } of project?.checklists ?? []) {
    const question = questions.find((each) => each.photos.length > 0 && each.gaps.length === 0)
    if (question === undefined) throw new Error('No such sample')
    const labels = { section: question.section, question: question.question }
    for (const selection of [
      { kind: 'questions' as const, projectId, checklistId, questions: [labels] },
      { kind: 'photos' as const, assetIds: [question.photos[0]?.assetId ?? 0] },
    ]) {
      const plan = planExport(store, systemClock, selection)
      expect(gapsOfExport(plan, ['photos'])).toEqual([unread])
    }
    // Beside the gaps that the checklist has anyway.
    const plan = planExport(store, systemClock, { kind: 'checklists', checklists: [{ projectId, checklistId }] })
    const whole = gapsOfExport(plan, ['reports', 'photos', 'thumbnails'])
    expect(whole).toHaveLength(gaps.length + 1)
    expect(whole).toContainEqual(unread)
  }
})

test('a search result is handed over: photos, reports, and the questions of answers', async () => {
  const archive = shared()
  await archive.withEngine((engine) => engine.completeIndex())
  const store = storeOf(archive)
  const everything = planExport(store, systemClock, { kind: 'everything' })
  const photo = everything.projects[0]?.checklists[0]?.questions.find(({ photos }) => photos.length > 0)?.photos[0]
  const query = { query: photo?.fileName ?? '', limit: 1, kinds: ['photo' as const] }
  const found = planExport(store, systemClock, { kind: 'search', query })
  expect(allFiles(found).map(({ assetId }) => assetId)).toContain(photo?.assetId)
  expect(allFiles(found).every(({ kind }) => kind !== 'report')).toBe(true)
  // More than one page of hits.
  const projectId = everything.projects[0]?.id ?? ''
  const every = planExport(store, systemClock, { kind: 'search', query: { query: '', limit: 1, projectId } })
  expect(every.projects.map(({ id }) => id)).toEqual([projectId])
  const hashes = (plan: ExportPlan) => allFiles(plan).map(({ assetId }) => assetId)
  expect(hashes(every)).toEqual(hashes({ ...everything, projects: everything.projects.slice(0, 1) }))
})

test('an announced photo that a search finds is a gap, without the archived photos of its question', async () => {
  const archive = shared()
  const { id = '', checklists: [checklist] = [] } = archive.service.projects[0] ?? {}
  if (checklist === undefined) throw new Error('No sample')
  archive.service.addPhoto(checklist, { state: 'taken' })
  await archive.sync()
  await archive.withEngine((engine) => engine.completeIndex())
  const plan = (query: string) =>
    planExport(storeOf(archive), systemClock, { kind: 'search', query: { query, limit: 1, projectId: id } })
  const missing = plan('missing')
  const questions = missing.projects[0]?.checklists.flatMap((checklist) => checklist.questions) ?? []
  const gap = { expected: 1, archived: 0, reason: 'not uploaded yet' }
  const [one] = questions.filter(({ expectedPhotos }) => expectedPhotos === 1)
  expect(one?.gaps).toMatchObject([gap])
  expect(allFiles(missing)).toEqual([])

  const words = `kind:photo "${one?.question}"`
  const [excluded, ...others] = allFiles(plan(words)).filter(({ kind }) => kind === 'photo')
  const without = plan(`${words} -${excluded?.fileName}`)
  expect(allFiles(without).filter(({ kind }) => kind === 'photo')).toEqual(others)
  expect(gapsOfExport(without, ['photos'])).toContainEqual(expect.objectContaining({ question: one?.question }))
})

test('a file replaced since the plan is read from its earlier version, also with a copy of the database', async () => {
  const archive = shared()
  const checklist = archive.service.projects[0]?.checklists[0]
  const [photo, other] = checklist === undefined ? [] : photosOf(checklist)
  if (photo === undefined || other === undefined) throw new Error('The sample has too few photos')
  const store = storeOf(archive)
  const copy = openBytes(readFileSync(join(archive.home, databaseName)))
  onTestFinished(() => copy.close())
  const plan = planExport(store, systemClock, { kind: 'everything' })
  archive.service.replacePhoto(photo)
  await archive.sync()

  const after = planExport(store, systemClock, { kind: 'everything' })
  const current = new Map(allFiles(after).map((file) => [file.assetId, file.sha256]))
  const replaced = allFiles(plan).filter(({ assetId, sha256 }) => current.get(assetId) !== sha256)
  expect(replaced.length).toBeGreaterThan(0)
  for (const reader of [store, copy]) {
    for (const file of allFiles(plan)) {
      const bytes = await readPlanned(reader, archive.root, file)
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256)
      const asset = await openPlanned(reader, archive.root, file)
      expect(await asset.handle.readFile()).toEqual(bytes)
      await asset.handle.close()
    }
  }

  const [changed, missing] = allFiles(after).filter(({ kind }) => kind === 'report')
  if (changed === undefined) throw new Error('No report')
  truncateSync(join(archive.root, changed.path), 1000)
  for (const read of [openPlanned, readPlanned]) {
    await expect(read(store, archive.root, changed)).rejects.toMatchObject({ code: 'not-found' })
  }
  expect(missing).not.toBe(changed)
})

test('a thumbnail is handed over although its photo is damaged, and is a gap if it is damaged itself', async () => {
  const archive = shared()
  const [photo, other] = allFiles(planExport(storeOf(archive), systemClock, { kind: 'everything' })).filter(
    ({ thumbnail }) => thumbnail !== null,
  )
  if (photo?.thumbnail == null || other?.thumbnail == null) throw new Error('The sample has too few photos')
  for (const { path } of [photo, other.thumbnail]) truncateSync(join(archive.root, path), 5)
  await archive.withEngine((engine) => engine.verify())
  const store = storeOf(archive)
  const include = ['thumbnails'] as const
  for (const selection of [
    { kind: 'everything' as const },
    { kind: 'photos' as const, assetIds: [photo.assetId, other.assetId] },
  ]) {
    const plan = planExport(store, systemClock, selection)
    const options = { template: parseTemplate(defaultNames, namingFields), include, format: 'folder' as const }
    const named = [...nameFiles(plan, { ...options, facts: () => undefined })].map(({ file }) => file.assetId)
    expect(named).toContain(photo.thumbnail.assetId)
    expect(named).not.toContain(other.thumbnail.assetId)
    const gaps = gapsOfExport(plan, include).filter(({ reason }) => reason === 'damaged')
    expect(gaps).toMatchObject([{ question: expect.stringMatching(/ \(thumbnails\)$/) as string }])
  }
})

test('a question that was removed is in a plan as long as photos of it are expected, also if all are damaged', async () => {
  const archive = shared()
  const everything = { kind: 'everything' as const }
  const find = (plan: ExportPlan, label: string) =>
    plan.projects
      .flatMap(({ checklists }) => checklists.flatMap(({ questions }) => questions))
      .find(({ question }) => question === label)
  const all = planExport(storeOf(archive), systemClock, everything)
  const question = all.projects[0]?.checklists[0]?.questions.find(({ photos }) => photos.length > 0)
  if (question === undefined) throw new Error('The sample has no photos')
  const label = 'Removed question'
  const database = new Database(join(archive.home, databaseName))
  const asset = database.prepare(
    'UPDATE questions SET present = 0, label = ? WHERE key = (SELECT question_key FROM assets WHERE id = ?)',
  )
  asset.run(label, question.photos[0]?.assetId)
  database.close()
  for (const { path } of question.photos) truncateSync(join(archive.root, path), 5)
  await archive.withEngine((engine) => engine.verify())
  const plan = planExport(storeOf(archive), systemClock, everything, { thumbnails: false })
  expect(find(plan, label)).toMatchObject({
    expectedPhotos: question.photos.length,
    photos: [],
    gaps: [expect.objectContaining({ reason: 'damaged' })],
  })
})

test.each([
  ['reports', ['report']],
  ['photos', ['photos']],
  ['thumbnails', ['thumbnails']],
  ['contact-sheet', ['photos']],
  ['geo', ['photos']],
  ['tables', ['report', 'photos']],
  ['certificate', ['report', 'photos', 'thumbnails']],
] as const)('an export of %s has the gaps of what it has or shows', (part, kinds) => {
  const plan = planExport(storeOf(shared()), systemClock, { kind: 'everything' })
  const gap = { question: 'Question', expected: 1, archived: 0, reason: 'damaged' } as const
  const projects = plan.projects.slice(0, 1).map((project) => ({
    ...project,
    checklists: project.checklists.slice(0, 1).map((checklist) => ({
      ...checklist,
      gaps: (['photos', 'thumbnails', 'report', 'checklist'] as const).map((kind) => ({
        ...gap,
        kind,
        question: kind,
      })),
    })),
  }))
  const gaps = gapsOfExport({ ...plan, projects }, [part]).map(({ question }) => question)
  expect(new Set(gaps)).toEqual(new Set([...kinds, 'checklist']))
})
