import { mkdirSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { Gap } from '../../../shared/domain.ts'
import { previewedNames } from '../../../shared/export.ts'
import { builtInTemplates } from '../../../shared/packet-templates.ts'
import { packetGapText, slotStateText } from '../../../shared/packet-text.ts'
import {
  packetPreviewSchema,
  packetTemplateSchema,
  type PacketTemplate,
  type SlotState,
} from '../../../shared/packets.ts'
import { createPackets } from '../../../electron/engine/export/create-packets.ts'
import { withoutLost } from '../../../electron/engine/export/lost-files.ts'
import { fillPacket, isPacketComplete, slotState } from '../../../electron/engine/export/fill-packet.ts'
import {
  type ExportPlan,
  planExport,
  type PlannedChecklist,
  type PlannedFile,
} from '../../../electron/engine/export/plan-export.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { databaseName } from '../../../electron/engine/store/database-files.ts'
import { readFiles, sampleArchive, sha256, shareArchive } from '../../support/sample-archive.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { depsOf } from './exported.ts'
import { checkSums, judge } from './outside-judges.ts'

const shared = shareArchive(async (onDone) => {
  const archive = await sampleArchive(
    { projects: 2, checklistsPerProject: 2, statuses: ['completed', 'awaitingMedia'], photosPerQuestion: 2 },
    undefined,
    onDone,
  )
  await archive.sync()
  return archive
})

let files = 0

function plannedPhoto(): PlannedFile {
  files += 1
  return {
    assetId: files,
    remoteKey: `id:${files}`,
    kind: 'photo',
    path: `p/${files}.jpg`,
    fileName: `${files}.jpg`,
    sizeBytes: 1,
    sha256: `${files}`,
    archivedAt: null,
    takenAt: null,
    position: null,
    thumbnail: null,
  }
}

/** A question of a made plan: its labels, and how many photos of it are archived, and expected. */
type Question = readonly [section: string, question: string, archived: number, expected?: number]

function checklist(title: string, questions: readonly Question[], own: readonly Gap[] = []): PlannedChecklist {
  const planned = questions.map(([section, question, archived, expected = archived], index) => {
    const reason = 'not uploaded yet'
    const gaps: Gap[] = archived < expected ? [{ kind: 'photos', question, expected, archived, reason }] : []
    const photos = Array.from({ length: archived }, plannedPhoto)
    return {
      section,
      question,
      answer: null,
      sequence: index + 1,
      expectedPhotos: expected,
      gaps,
      photos,
      loneThumbnails: [],
    }
  })
  const gaps = [...own, ...planned.flatMap((question) => question.gaps)]
  return {
    id: title,
    title,
    status: 'completed',
    updatedAt: null,
    complete: gaps.length === 0,
    isWhole: true,
    expectedFiles: 0,
    archivedFiles: 0,
    gaps,
    report: null,
    questions: planned,
  }
}

function plan(checklists: readonly PlannedChecklist[], isSynced = true): ExportPlan {
  const facts = { id: 'p', name: 'Project', address: null, folder: null, comparedAt: null, isWhole: true }
  return { at: '2026-11-20T10:00:00.000Z', projects: [{ ...facts, isSynced, checklists }], lastVerify: null }
}

const template = (...slots: unknown[]): PacketTemplate =>
  packetTemplateSchema.parse({ id: 'test', title: 'Test', slots })
const roof = { id: 'roof', title: 'Roof', patterns: ['roof*'], minPhotos: 2 }
const states = (made: ExportPlan, slots: PacketTemplate, corrections: Parameters<typeof fillPacket>[2] = []) =>
  fillPacket(made, slots, corrections).slots.map((slot) => slotState(slot))

test('a slot is filled only with enough photos of which none is missing, and else has the reason', () => {
  const state = (made: ExportPlan) => states(made, template(roof))[0]
  expect(state(plan([checklist('A', [['Roof', 'Planes', 2]])]))).toMatchObject({ filled: true, photos: 2, gaps: [] })
  expect(state(plan([checklist('A', [['Roof', 'Planes', 3, 4]])]))).toMatchObject({
    filled: false,
    photos: 3,
    gaps: [{ checklistTitle: 'A', question: 'Planes', expected: 4, archived: 3, reason: 'not uploaded yet' }],
  })
  expect(state(plan([checklist('A', [['Roof', 'Planes', 1]])]))).toMatchObject({
    filled: false,
    gaps: [{ question: null, expected: 2, archived: 1, reason: 'too few photos' }],
  })
  expect(state(plan([checklist('A', [['Roof', 'Age in years', 0]])]))?.gaps).toMatchObject([{ reason: 'no photos' }])
  expect(state(plan([checklist('A', [['Attic', 'Rafters', 5]])]))?.gaps).toMatchObject([{ reason: 'no question' }])
  expect(state(plan([]))?.gaps).toMatchObject([{ reason: 'no question' }])
  expect(state(plan([checklist('A', [['Roof', 'Planes', 2]])], false))).toMatchObject({
    filled: false,
    gaps: [{ reason: 'not synced yet' }],
  })
  const unread: Gap = { kind: 'checklist', question: 'Checklist', expected: 2, archived: 2, reason: 'not read yet' }
  expect(state(plan([checklist('A', [['Roof', 'Planes', 2]], [unread])]))).toMatchObject({
    filled: false,
    gaps: [{ checklistTitle: 'A', question: null, reason: 'not read yet' }],
  })
  // A report or a thumbnail that is missing is no gap of a packet of photos.
  const report: Gap = { kind: 'report', question: 'Report', expected: 1, archived: 0, reason: 'report failed' }
  expect(state(plan([checklist('A', [['Roof', 'Planes', 2]], [report])]))).toMatchObject({ filled: true })
})

test('a photo that several questions of a checklist refer to is in a slot once, and in the other slots, too', () => {
  const survey = checklist('Survey', [
    ['Roof', 'Planes', 2],
    ['Roof', 'Obstructions', 1],
  ])
  const [planes, obstructions] = survey.questions
  const shared = planes?.photos[1]
  if (planes === undefined || obstructions === undefined || shared === undefined) throw new Error('No such question')
  const { remoteKey, sha256: hash } = shared
  const questions = [planes, { ...obstructions, photos: [{ ...plannedPhoto(), remoteKey, sha256: hash }] }]
  const twoSlots = template({ ...roof, minPhotos: 3 }, { ...roof, id: 'obstructions', patterns: ['obstruction*'] })
  const { slots } = fillPacket(plan([{ ...survey, questions }]), twoSlots, [])
  expect(slots.map(slotState)).toMatchObject([
    { filled: false, photos: 2, gaps: [{ expected: 3, archived: 2, reason: 'too few photos' }] },
    { photos: 1 },
  ])
  expect(slots[0]?.photos.map(({ file }) => file)).toEqual(planes.photos)
  expect(slots.map(({ leftOut }) => leftOut)).toEqual([0, 0])
  // Another checklist may have another photo of that name.
  const other = { ...survey, id: 'other', questions }
  expect(states(plan([{ ...survey, questions }, other]), twoSlots)[0]).toMatchObject({ photos: 4 })
  // Two photos that the service calls the same are two.
  const alike = [planes, { ...obstructions, photos: [{ ...plannedPhoto(), remoteKey }] }]
  expect(states(plan([{ ...survey, questions: alike }]), twoSlots)[0]).toMatchObject({ filled: true, photos: 3 })
})

test('what a later checklist waits for takes nothing from a slot that another one fills', () => {
  const survey = checklist('Survey', [['Roof', 'Planes', 2]])
  const later = checklist('Inspection', [['Roof', 'Finished', 1, 3]])
  expect(states(plan([survey, later]), template(roof))).toMatchObject([
    { filled: true, photos: 3, gaps: [{ checklistTitle: 'Inspection', reason: 'not uploaded yet' }] },
  ])
  const small = checklist('Survey', [['Roof', 'Planes', 1]])
  expect(states(plan([small, later]), template(roof))).toMatchObject([{ filled: false }])
  expect(states(plan([survey, later], false), template(roof))).toMatchObject([{ filled: false }])
})

test('an earlier checklist that lacks photos takes no place of one that fills the slot', () => {
  const earlier = checklist('Survey', [['Roof', 'Planes', 2, 3]])
  const complete = checklist('Second survey', [['Roof', 'Planes', 2]])
  const titles = (maxPhotos: number) => {
    const [slot] = fillPacket(plan([earlier, complete]), template({ ...roof, maxPhotos }), []).slots
    return slot && [slotState(slot).filled, ...slot.photos.map((photo) => photo.checklist.title)]
  }
  expect(titles(2)).toEqual([true, 'Second survey', 'Second survey'])
  expect(titles(3)).toEqual([true, 'Survey', 'Second survey', 'Second survey'])
})

test('a slot that one checklist fills shows the damage in another one', () => {
  const survey = checklist('Survey', [['Roof', 'Planes', 3]])
  const made = plan([survey, checklist('Inspection', [['Roof', 'Finished', 2]])])
  const lost = new Set([survey.questions[0]?.photos[0]?.assetId ?? 0])
  const textOf = (state: SlotState | undefined) => state && [state.filled, slotStateText(state)]
  expect(textOf(states(made, template(roof))[0])).toEqual([true, 'Filled'])
  const damaged = { ...made, projects: made.projects.map((project) => withoutLost(project, lost)) }
  const [slot] = states(damaged, template(roof))
  expect(textOf(slot)).toEqual([true, 'Filled, with damage'])
  expect(slot?.gaps.map(packetGapText)).toEqual(['1 of 3 photos missing or changed on the disk'])
})

test('photos beyond the maximum are left out, and a document outside the survey has neither photos nor gaps', () => {
  const slots = template(
    { ...roof, maxPhotos: 2 },
    { id: 'plan', title: 'Plan', notPartOfSurvey: true, required: false },
  )
  const { slots: filled, others } = fillPacket(
    plan([checklist('A', [['Roof', 'Planes', 5], ['Site', 'Plan', 1], ['Site', 'Notes', 0]])]), // prettier-ignore
    slots,
    [],
  )
  expect(filled).toMatchObject([
    { photos: [{}, {}], leftOut: 3 },
    { photos: [], questions: [], gaps: [] },
  ])
  expect(others.map(({ question }) => question.question)).toEqual(['Plan'])
  expect(isPacketComplete(filled.map((slot) => slotState(slot)))).toBe(true)
})

test('a correction of one checklist title adds or removes a question, and only there', () => {
  const made = plan([
    checklist('Survey', [['Roof', 'Planes', 2], ['Site', 'From the drone', 2]]), // prettier-ignore
    checklist('Survey 2', [['Site', 'From the drone', 2]]),
  ])
  const decide = (checklistTitle: string, question: string, section: string, fills: boolean) => ({
    checklistTitle,
    section,
    question,
    slotId: 'roof',
    fills,
  })
  const names = (corrections: Parameters<typeof fillPacket>[2]) =>
    fillPacket(made, template(roof), corrections).slots[0]?.questions.map(
      ({ checklist: { title }, question, corrected }) => `${title}/${question.question}${corrected ? '!' : ''}`,
    )
  expect(names([])).toEqual(['Survey/Planes'])
  expect(names([decide(' SURVEY ', 'From the drone', 'Site', true)])).toEqual([
    'Survey/Planes',
    'Survey/From the drone!',
  ])
  expect(names([decide('Survey', 'Planes', 'Roof', false)])).toEqual([])
  expect(names([decide('Survey', 'Planes', 'Other section', false)])).toEqual(['Survey/Planes'])
})

test('a question without photos that was moved out of its slot can be moved back', () => {
  const made = plan([checklist('Survey', [['Roof', 'Planes', 0], ['Site', 'Notes', 0]])]) // prettier-ignore
  const place = { checklistTitle: 'Survey', section: 'Roof', question: 'Planes', fills: false }
  const others = (slotId: string) =>
    fillPacket(made, template(roof), [{ ...place, slotId }]).others.map(({ question }) => question.question)
  expect(others('roof')).toEqual(['Planes'])
  // The template no longer has the slot that this was decided for.
  expect(others('attic')).toEqual([])
})

test('no plan and no template make a slot filled that lacks photos, or a packet complete that lacks a slot', () => {
  const count = fc.nat(4)
  const question = fc.tuple(fc.constantFrom('Roof', 'Site'), fc.constantFrom('Roof a', 'b'), count, count)
  const slot = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    patterns: fc.subarray(['roof', 'b', 'site b']),
    minPhotos: fc.integer({ min: 1, max: 4 }),
    required: fc.boolean(),
  })
  fc.assert(
    fc.property(
      fc.array(fc.array(question, { maxLength: 4 }), { maxLength: 3 }),
      fc.uniqueArray(slot, { minLength: 1, maxLength: 4, selector: ({ id }) => id }),
      (lists, slots) => {
        const made = plan(
          lists.map((questions, index) =>
            checklist(
              `C${index}`,
              questions.map(([section, label, one, other]) => [
                section,
                label,
                Math.min(one, other),
                Math.max(one, other),
              ]),
            ),
          ),
        )
        const filled = states(made, template(...slots.map((fields) => ({ ...fields, title: fields.id }))))
        for (const [index, state] of filled.entries()) {
          const { minPhotos = 1 } = slots[index] ?? {}
          if (state.filled) expect(state.photos).toBeGreaterThanOrEqual(minPhotos)
          else expect(state.gaps).not.toEqual([])
          if (state.filled && lists.length === 1) expect(state.gaps).toEqual([])
        }
        expect(isPacketComplete(filled)).toBe(filled.every((state) => state.filled || !state.required))
      },
    ),
  )
})

test('an engine keeps own templates and corrections, and a packet follows them', async () => {
  const archive = shared()
  const selection = { kind: 'everything' as const }
  const own = template({ id: 'attic', title: 'Attic', patterns: ['nothing of this kind'] })
  const where = await archive.withEngine((engine) => {
    engine.packets.saveTemplate(own)
    expect(() => engine.packets.saveTemplate({ ...own, id: 'permit-photos' })).toThrow('came with Solarchive')
    // An ID is clear, and a title of several is not.
    engine.packets.saveTemplate({ ...own, id: 'other' })
    expect(engine.packets.template('test').id).toBe('test')
    engine.packets.saveTemplate({ ...own, id: 'third', title: 'Permit photos' })
    expect(() => engine.packets.template('permit PHOTOS')).toThrow('Use one of the IDs permit-photos, third.')
    for (const id of ['other', 'third']) engine.packets.removeTemplate(id)
    const preview = packetPreviewSchema.parse(engine.packets.preview(selection, 'TEST'))
    expect(preview).toMatchObject({ complete: false, slots: [{ filled: false, gaps: [{ reason: 'no question' }] }] })
    const found = preview.others.find(({ photos }) => photos.length > 0)
    if (found === undefined) throw new Error('No such sample')
    const { checklistTitle, section, question } = found
    const place = { templateId: 'test', slotId: 'attic', checklistTitle, section, question }
    engine.packets.correct({ ...place, fills: true })
    expect(() => engine.packets.correct({ ...place, slotId: 'other', fills: true })).toThrow('no slot')
    return Promise.resolve(place)
  })
  await archive.withEngine(async (engine) => {
    expect(engine.packets.templates().map(({ template: { id } }) => id)).toEqual([
      ...builtInTemplates.map(({ id }) => id),
      'test',
    ])
    const [slot] = engine.packets.preview(selection, 'test').slots
    expect(slot?.questions).toMatchObject([{ question: where.question, corrected: true }])
    const to = join(temporaryFolder(), 'packet')
    const result = await engine.packets.write({ selection, template: 'test', to })
    expect(result).toMatchObject({ path: to, template: 'test', slots: [{ id: 'attic', photos: slot?.photos }] })
    expect(readdirSync(join(to, 'photos', '01 Attic'))).toHaveLength(slot?.photos ?? 0)
    engine.packets.correct({ ...where, fills: null })
    expect(engine.packets.preview(selection, 'test').slots[0]?.questions).toEqual([])
    engine.packets.correct({ ...where, fills: true })
    engine.packets.removeTemplate('test')
    expect(() => engine.packets.template('test')).toThrow('There is no template "test"')
    engine.packets.saveTemplate(own)
    expect(engine.packets.preview(selection, 'test').slots[0]?.questions).toEqual([])
  })
})

test('a packet has the original photos by slot, one PDF, and packet.json, all in SHA256SUMS', async () => {
  const archive = shared()
  const folder = temporaryFolder()
  await archive.withEngine(async (engine) => {
    const projectIds = [engine.projects.list()[0]?.id ?? '']
    const order = {
      selection: { kind: 'projects' as const, projectIds },
      template: 'financing-site-survey',
      to: folder,
    }
    const { path, ...result } = await engine.packets.write({ ...order, documents: ['contact-sheet', 'certificate'] })
    expect(path).toMatch(/ - Financing site survey$/)
    const names = ['SHA256SUMS', 'certificate.pdf', 'contact-sheet.pdf', 'packet.json', 'packet.pdf', 'photos']
    expect(readdirSync(path)).toEqual(names)
    checkSums(path, 'SHA256SUMS')
    const json = JSON.parse(readFileSync(join(path, 'packet.json'), 'utf8')) as {
      slots: { files: { file: string; sha256: string; archivePath: string }[]; photos: number }[]
    }
    expect(json).toMatchObject({ complete: result.complete, slots: result.slots, template: { id: order.template } })
    const copies = readFiles(path)
    for (const { files: listed, photos } of json.slots) {
      expect(listed).toHaveLength(photos)
      for (const { file, sha256: hash, archivePath } of listed) {
        expect(sha256(copies.get(file) ?? Buffer.alloc(0))).toBe(hash)
        expect(readFileSync(join(archive.root, archivePath)).equals(copies.get(file) ?? Buffer.alloc(0))).toBe(true)
      }
    }
    expect([...copies.keys()].filter((name) => name.startsWith('photos/')).length).toBe(
      json.slots.reduce((sum, slot) => sum + slot.files.length, 0),
    )
    for (const name of ['packet.pdf', 'contact-sheet.pdf', 'certificate.pdf'])
      judge('qpdf', ['--check', join(path, name)])
    // Photos that no slot asks for are not shown to whom the packet is for.
    const sheet = judge('pdftotext', [join(path, 'contact-sheet.pdf'), '-'])?.replaceAll(/\s+/g, ' ')
    const handedOver = json.slots.flatMap((slot) => slot.files)
    if (sheet !== undefined) {
      expect(new Set(sheet.match(/[0-9a-f]{12}/g))).toEqual(new Set(handedOver.map((file) => file.sha256.slice(0, 12))))
      expect(sheet).toContain(handedOver[0]?.file.replace('photos/', ''))
    }
    const { others } = engine.packets.preview(order.selection, order.template)
    expect(others).not.toEqual([])
    const text = judge('pdftotext', ['-layout', join(path, 'packet.pdf'), '-'])
    for (const { title } of text === null ? [] : result.slots) expect(text).toContain(title)
    expect((await engine.packets.write(order)).path).toBe(`${path} (2)`)
  })
})

test('a naming template names the photos of a packet, in its folder, packet.json, and the PDF', async () => {
  const archive = shared()
  await archive.withEngine(async (engine) => {
    const projectIds = [engine.projects.list()[0]?.id ?? '']
    const selection = { kind: 'projects' as const, projectIds }
    const template = 'financing-site-survey'
    const order = { selection, template, to: temporaryFolder() }
    const listed = (path: string) => {
      const json = JSON.parse(readFileSync(join(path, 'packet.json'), 'utf8')) as {
        slots: { files: { file: string; takenAt: string }[] }[]
      }
      return json.slots.map(({ files }) => files)
    }
    // What a preview shows is what is written, with the camera's time.
    for (const names of [undefined, '{slotnumber:2}/{slotid:4:upper}_{date}']) {
      const { path } = await engine.packets.write({ ...order, names })
      const written = listed(path).flatMap((files) => files.map(({ file }) => file))
      expect(written.length).toBeGreaterThan(3)
      if (names !== undefined) expect(written[0]).toMatch(/^photos\/\d\d\/[A-Z-]{4}_20\d\d-\d\d-\d\d\.jpg$/)
      expect(await engine.packets.previewNames(selection, template, names)).toEqual({
        names: written.slice(0, previewedNames),
        problem: null,
      })
      checkSums(path, 'SHA256SUMS')
      const text = judge('pdftotext', ['-layout', join(path, 'packet.pdf'), '-'])
      if (text !== null) for (const file of written) expect(text).toContain(file.split('/').at(-1))
    }
    // Names that only their folders distinguish are printed with these.
    const { path } = await engine.packets.write({ ...order, names: '{slotid}/{sequence}/photo {date:4}' })
    const text = judge('pdftotext', ['-layout', join(path, 'packet.pdf'), '-'])
    if (text !== null) expect(text).toMatch(/\/2\/photo 20\d\d\.jpg/)
    expect(await engine.packets.previewNames(selection, template, '{nothing}')).toMatchObject({
      names: [],
      problem: expect.stringMatching(/unknown field \{nothing\}.*\{slotnumber\}, \{project\}/) as string,
    })
    const left = readdirSync(order.to)
    await expect(engine.packets.write({ ...order, names: 'photos' })).rejects.toMatchObject({ code: 'wrong-usage' })
    expect(readdirSync(order.to)).toEqual(left)
  })
})

test('a photo that is damaged in the archive is a gap of its slot, and is not handed over', async () => {
  const archive = shared()
  await archive.withEngine(async (engine) => {
    const selection = { kind: 'projects' as const, projectIds: [engine.projects.list()[0]?.id ?? ''] }
    const [survey] = builtInTemplates
    const plan = planExport(depsOf(archive).store, systemClock, selection)
    const before = survey && fillPacket(plan, survey, []).slots.find((slot) => slotState(slot).filled)
    const [first] = before?.photos ?? []
    if (survey === undefined || before === undefined || first === undefined) throw new Error('No slot is filled.')
    truncateSync(join(archive.root, first.file.path), 100)
    // The certificate is also about what is in no slot.
    const report = plan.projects[0]?.checklists.map((checklist) => checklist.report).find((file) => file !== null)
    truncateSync(join(archive.root, report?.path ?? ''), 100)
    const order = { selection, template: survey, to: temporaryFolder() }
    const after = await engine.packets.write({ ...order, documents: ['contact-sheet', 'certificate'] })
    const index = survey.slots.indexOf(before.slot)
    expect(after.slots[index]).toMatchObject({
      photos: before.photos.length - 1,
      gaps: [{ expected: 2, archived: 1, reason: 'damaged' }],
    })
    checkSums(after.path, 'SHA256SUMS')
    for (const name of ['packet.pdf', 'contact-sheet.pdf', 'certificate.pdf']) {
      judge('qpdf', ['--check', join(after.path, name)])
      const text = judge('pdftotext', ['-layout', join(after.path, name), '-'])
      if (text !== null) expect(text).toMatch(/1 of 2 photos missing or changed on the disk/)
      if (text !== null && name === 'certificate.pdf') expect(text).toContain('2 files missing or changed on the disk')
    }
    // A verify finds the same.
    await engine.verify()
    expect(engine.packets.preview(order.selection, order.template).slots[index]?.gaps).toEqual(after.slots[index]?.gaps)
  })
})

test('photos of another checklist take the places of those that turn out to be damaged', async () => {
  const archive = shared()
  await archive.withEngine(async (engine) => {
    const planes = template({ id: 'planes', title: 'Planes', patterns: ['roof plane*'], minPhotos: 2, maxPhotos: 2 })
    const order = { selection: { kind: 'everything' as const }, template: planes, to: temporaryFolder() }
    const write = async () => {
      const { path, complete, slots } = await engine.packets.write({ ...order, documents: ['contact-sheet'] })
      checkSums(path, 'SHA256SUMS')
      const json = JSON.parse(readFileSync(join(path, 'packet.json'), 'utf8')) as {
        slots: { files: { file: string; checklistTitle: string; archivePath: string }[] }[]
      }
      const files = json.slots[0]?.files ?? []
      expect([...readFiles(path).keys()].filter((name) => name.startsWith('photos/'))).toEqual(
        files.map(({ file }) => file),
      )
      expect(files.map(({ file }) => file.split('/').at(-1)?.slice(0, 3))).toEqual(['01 ', '02 '])
      const [state] = slots
      return { path, complete, text: state && slotStateText(state), files, gaps: state?.gaps.length }
    }
    const before = await write()
    expect(before).toMatchObject({ complete: true, text: 'Filled', gaps: 0 })
    truncateSync(join(archive.root, before.files[1]?.archivePath ?? ''), 100)
    const after = await write()
    expect(after).toMatchObject({ complete: true, text: 'Filled, with damage', gaps: 1 })
    const titles = (files: typeof after.files) => new Set(files.map(({ checklistTitle }) => checklistTitle))
    expect(titles(after.files).size).toBe(1)
    expect(titles(after.files)).not.toEqual(titles(before.files))
    // With damage in both, the packet has what is left.
    truncateSync(join(archive.root, after.files[0]?.archivePath ?? ''), 100)
    expect(await write()).toMatchObject({ complete: false, text: 'Not filled', gaps: 2 })
  })
})

test('the certificate of a packet has the facts of the same moment, also beside a sync', async () => {
  const archive = shared()
  const deps = depsOf(archive)
  const [project] = planExport(deps.store, systemClock, { kind: 'everything' }).projects
  const selection = {
    kind: 'checklists' as const,
    checklists: [{ projectId: project?.id ?? '', checklistId: project?.checklists[0]?.id ?? '' }],
  }
  const owner = new Database(join(archive.home, databaseName))
  onTestFinished(() => void owner.close())
  let readings = 0
  // Each reading of a plan begins with the time.
  const nowMs = () => {
    readings += 1
    if (readings > 1) owner.prepare('UPDATE projects SET name = ?').run('Another name')
    return systemClock.nowMs()
  }
  const packets = createPackets({ ...deps, clock: { ...systemClock, nowMs } })
  const to = join(temporaryFolder(), 'packet')
  await packets.write({ selection, template: 'permit-photos', to, documents: ['certificate'] })
  expect(readings).toBeGreaterThan(1)
  const text = judge('pdftotext', ['-layout', join(to, 'certificate.pdf'), '-'])
  if (text !== null) expect(text).toContain(project?.name)
})

test('a canceled packet leaves nothing, and one that cannot be written says why', async () => {
  const archive = shared()
  await archive.withEngine(async (engine) => {
    const folder = temporaryFolder()
    const order = { selection: { kind: 'everything' as const }, template: 'permit-photos', to: join(folder, 'packet') }
    const { slots } = engine.packets.preview(order.selection, order.template)
    const photos = slots.reduce((sum, slot) => sum + slot.photos, 0)
    // While photos are copied, and when the document shows the first and the last one.
    for (const stopAt of [1, photos + 1, 2 * photos]) {
      const stop = new AbortController()
      const onProgress = ({ stepsDone }: { stepsDone: number }) => stepsDone === stopAt && stop.abort()
      const writing = engine.packets.write({
        ...order,
        signal: stop.signal,
        onProgress: (news) => void onProgress(news),
      })
      await expect(writing).rejects.toMatchObject({ code: 'cancelled' })
      expect(readdirSync(folder)).toEqual([])
    }
    mkdirSync(order.to)
    mkdirSync(join(folder, 'other'))
    await expect(engine.packets.write({ ...order, to: join(archive.root, 'x') })).rejects.toMatchObject({
      code: 'wrong-usage',
    })
    await expect(engine.packets.write({ ...order, template: 'none' })).rejects.toThrow('Use financing-site-survey')
    await expect(engine.packets.write({ ...order, selection: { kind: 'ids', ids: ['none'] } })).rejects.toMatchObject({
      code: 'not-found',
    })
    expect(readdirSync(folder).sort()).toEqual(['other', 'packet'])
  })
})
