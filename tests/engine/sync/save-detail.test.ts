import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { answersOf } from '../../../electron/engine/checklists/answers.ts'
import { describeChecklist } from '../../../electron/engine/checklists/describe-checklist.ts'
import { createSanitizer } from '../../../electron/engine/lib/sanitizer.ts'
import { readChecklistDetail } from '../../../electron/engine/service/readers/read-checklist-detail.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { saveDetail } from '../../../electron/engine/sync/save-detail.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const at = '2026-11-21T09:00:00.000Z'
const head = { id: 'c', title: 'Survey', status: 'inProgress', updatedAt: null }

/** Labels of a section's questions, each with its media category or null. */
type Questions = Record<string, string | null>

/** Creates a store with one checklist, whose sections are saved by `save` in the order of the keys. */
function newChecklist() {
  const store = createStore(join(temporaryFolder(), 'solarchive.sqlite3'))
  onTestFinished(() => store.close())
  store.projects.put('p', null, null, at)
  const key = store.checklists.put({ ...head, projectId: 'p', fingerprint: 'f', entryRaw: '{}' })
  store.checklists.setFolder(key, 'P/C', 'P/C')
  const row = () => store.checklists.get(key) ?? expect.fail('no checklist')
  const questions = () => store.questions.listForChecklist(key)
  return {
    store,
    key,
    row,
    questions,
    save: (
      form: Record<string, Questions>,
      { isPartial = false, raw = {} }: { isPartial?: boolean; raw?: unknown } = {},
    ) => {
      const sections = Object.entries(form).map(([label, own]) => ({
        label,
        questions: Object.entries(own).map(([name, mediaCategoryId]) => ({
          label: name,
          mediaCategoryId,
          clientRefIds: null,
          answer: null,
        })),
      }))
      saveDetail(
        store,
        createSanitizer(() => []),
        row(),
        { ...head, statusText: head.status, updatedText: null, reportUrl: null, raw, sections, isPartial },
        at,
      )
    },
    /** Returns the sections of `checklist.json`. */
    documented: () => {
      const project = store.projects.get('p') ?? expect.fail('no project')
      return describeChecklist(store, project, row()).sections.map((section) => ({
        [section.label]: section.questions.map(({ label }) => label),
      }))
    },
    folderOf: (label: string) => questions().find((question) => question.label === label)?.sectionFolder,
  }
}

const before = { Roof: { Ridge: 'm1', 'Main panel': 'm2' }, Electrical: { Breakers: 'm3' } }
const moved = { Electrical: { Breakers: 'm3', 'Main panel': 'm2' }, Roof: { Ridge: 'm1' } }

it('a question that moved to another section is listed there', () => {
  const { save, documented, folderOf } = newChecklist()
  save(before)
  save(moved)
  expect(documented()).toEqual([{ Electrical: ['Breakers', 'Main panel'] }, { Roof: ['Ridge'] }])
  expect(folderOf('Main panel')).toBe('01 Roof')
})

it('questions with the same label keep their rows when an answer changes', () => {
  const { store, row, questions } = newChecklist()
  const sanitizer = createSanitizer(() => [])
  const save = (...answers: string[]) => {
    const asked = answers.map((value) => ({ label: 'Breaker', value }))
    const detail = readChecklistDetail({ ...head, sections: [{ label: 'Electrical', questions: asked }] }, 'c')
    saveDetail(store, sanitizer, row(), detail, at)
    const saved = answersOf(questions(), detail.sections)
    return questions().map(({ key, present }) => (present === 1 ? [key, saved.get(key)] : [key]))
  }
  const [first, second] = save('20 A', '60 A').map(([key]) => key)
  for (const answers of [['20 A', '60 A'] as const, ['30 A', '60 A'] as const]) {
    expect(save(...answers)).toEqual([
      [first, answers[0]],
      [second, answers[1]],
    ])
  }
  expect(save('60 A', '60 A')).toEqual([[first, '60 A'], [second]])
})

it('new questions go to the folder of their section, wherever one from another section stands in it', () => {
  const { save, folderOf } = newChecklist()
  save(before)
  save(moved)
  save({ Electrical: { 'Main panel': 'm2', Breakers: 'm3', Meter: 'm4' }, Roof: { Ridge: 'm1', Eaves: 'm5' } })
  expect([folderOf('Meter'), folderOf('Eaves')]).toEqual(['02 Electrical', '01 Roof'])
  save({ Electrical: { Breakers: 'm3', Disconnect: 'm6', 'Main panel': 'm2' }, Roof: { Ridge: 'm1' } })
  expect(folderOf('Disconnect')).toBe('02 Electrical')
})

it('new questions go to no folder of another section, also if their section has only questions from there', () => {
  const { save, folderOf } = newChecklist()
  save({ Roof: { Ridge: 'm1', 'Main panel': 'm2' }, Attic: { Rafters: 'm3' } })
  save({ Roof: { Ridge: 'm1', Rafters: 'm3' }, Electrical: { 'Main panel': 'm2' } })
  save({ Roof: { Ridge: 'm1', Rafters: 'm3', Eaves: 'm5' }, Electrical: { 'Main panel': 'm2', Meter: 'm4' } })
  expect([folderOf('Eaves'), folderOf('Meter')]).toEqual(['01 Roof', '02 Electrical'])
})

it('a section that was renamed is listed once', () => {
  const { save, documented } = newChecklist()
  save({ Roof: { Ridge: 'm1', Notes: null } })
  save({ Rooftop: { Ridge: 'm1', Notes: null } })
  expect(documented()).toEqual([{ Rooftop: ['Ridge', 'Notes'] }])
})

it('a removed question is listed last in its section if it has photos', () => {
  const { store, key, save, documented, questions } = newChecklist()
  save({ Roof: { Ridge: 'm1', Eaves: 'm2', Slope: 'm3' }, Electrical: { Breakers: 'm4' } })
  const ridge = questions().find(({ label }) => label === 'Ridge')
  const path = 'P/C/photos/01 Roof/01 Ridge/IMG.jpg'
  const id = store.assets.insert({
    checklistKey: key,
    questionKey: ridge?.key ?? 0,
    kind: 'photo',
    remoteKey: 'id:1',
    path,
    pathKey: path,
    sourceHash: null,
    fileName: null,
    record: null,
    takenAt: null,
    latitude: null,
    longitude: null,
  })
  const file = { sha256: 'a'.repeat(64), sizeBytes: 1, etag: null, lastModified: null, urlIdentity: null }
  store.assets.markArchived({ id, ...file, archivedAt: at })
  save({ Roof: { Slope: 'm3' }, Electrical: { Breakers: 'm4' } })
  expect(documented()).toEqual([{ Roof: ['Slope', 'Ridge'] }, { Electrical: ['Breakers'] }])
})

it('the answer of the service is the latest one that has every known question', () => {
  const { row, save } = newChecklist()
  const part = { Roof: { Ridge: 'm1' } }
  const whole = { Roof: { Ridge: 'm1', Eaves: 'm2' } }
  const answers = [
    { form: part, isPartial: true, kept: 0 },
    { form: part, isPartial: true, kept: 1 },
    { form: whole, isPartial: false, kept: 2 },
    { form: part, isPartial: true, kept: 2 },
    { form: part, isPartial: true, kept: 2 },
    { form: whole, isPartial: true, kept: 5 },
    { form: part, isPartial: false, kept: 6 },
  ]
  for (const [raw, { form, isPartial, kept }] of answers.entries()) {
    save(form, { isPartial, raw })
    expect(row().detailRaw, `after ${raw}`).toBe(String(kept))
  }
})
