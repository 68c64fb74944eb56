import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import type { Store } from '../../../electron/engine/store/create-store.ts'
import { evaluateChecklist, checklistRows, evaluateRecorded } from '../../../electron/engine/checklists/completeness.ts'
import { confirmEmptyCategory } from '../../../electron/engine/checklists/confirmation.ts'
import { readCategoryFacts, unsettledCategories } from '../../../electron/engine/checklists/plan-checklist.ts'
import { planRead } from '../../../electron/engine/sync/record-checklists.ts'
import { storeFolder } from '../store/store-folder.ts'
import { reasons, evaluatePairwise, unsettledPairwise } from './pairwise-completeness.ts'

const at = '2026-03-01T08:00:00.000Z'
const fingerprint = 'now'

const asset = fc.record({
  /** Index of a question; one past the last is the report. */
  question: fc.nat({ max: 3 }),
  isThumbnail: fc.boolean(),
  isPresent: fc.boolean(),
  isArchived: fc.boolean(),
  damage: fc.constantFrom(null, null, null, 'missing', 'changed', 'lost'),
  confirmed: fc.constantFrom(fingerprint, 'before', null),
  job: fc.option(
    fc.record({ state: fc.constantFrom('queued', 'failed'), code: fc.constantFrom(...Object.keys(reasons)) }),
  ),
})

const checklist = fc.record({
  status: fc.constantFrom('draft', 'awaitingMedia', 'pdfProcessingFailed', 'completed', 'completed', 'completed'),
  isRead: fc.boolean(),
  archivedAs: fc.constantFrom(fingerprint, null),
  isGone: fc.boolean(),
  hasError: fc.boolean(),
  questions: fc.array(
    fc.record({
      category: fc.constantFrom('one', 'two', null),
      refIds: fc.option(fc.array(fc.constant('ref'), { maxLength: 4 })),
      isRead: fc.boolean(),
      isPresent: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  assets: fc.array(asset, { maxLength: 10 }),
})
type Sample = typeof checklist extends fc.Arbitrary<infer T> ? T : never

/** A checklist with few gaps, so that complete ones occur often. */
const nearlyComplete: fc.Arbitrary<Sample> = checklist.map((sample) => ({
  ...sample,
  isRead: true,
  isGone: false,
  hasError: false,
  questions: sample.questions.map((question) => ({ ...question, refIds: null })),
  assets: [...sample.assets, ...sample.assets.slice(0, 1).map((some) => ({ ...some, question: 3 }))].map((some) => ({
    ...some,
    isArchived: true,
    damage: null,
    confirmed: some.confirmed ?? fingerprint,
    job: null,
  })),
}))

let samples = 0

/** Records a sample as a new checklist. */
function record(store: Store, sample: Sample) {
  const id = `c${(samples += 1)}`
  store.projects.put('p', 'Project', null, at)
  const { status } = sample
  store.checklists.put({ projectId: 'p', id, title: 'T', status, updatedAt: null, fingerprint, entryRaw: '{}' })
  const key = store.checklists.listKnown('p').find((row) => row.id === id)?.key ?? 0
  if (sample.isRead) store.checklists.markRead(key, fingerprint)
  if (sample.archivedAs !== null) store.checklists.markArchived(key, sample.archivedAs)
  if (sample.isGone) store.checklists.markGone(key, at)
  if (sample.hasError) store.checklists.setError(key, { code: 'service-error', message: '' }, at)
  sample.questions.forEach(({ category, refIds }, position) => {
    const label = `Question ${position}`
    store.questions.insert({
      checklistKey: key,
      position,
      sectionLabel: 'S',
      label,
      sectionFolder: 'S',
      folder: label,
      mediaCategoryId: category,
      clientRefIds: refIds,
      answer: null,
    })
  })
  const keys = store.questions.listForChecklist(key).map((question) => question.key)
  sample.questions.forEach(({ isRead, isPresent }, position) => {
    const question = keys[position] ?? 0
    if (isRead) store.questions.markMediaRead(question, at)
    if (!isPresent) store.questions.markAbsent(question)
  })
  sample.assets.forEach((some, index) => {
    const questionKey = keys[some.question] ?? null
    const path = `${id}/${index}`
    const kind = questionKey === null ? 'report' : some.isThumbnail ? 'thumbnail' : 'photo'
    const assetId = store.assets.insert({
      checklistKey: key,
      questionKey,
      kind,
      path,
      pathKey: path,
      remoteKey: path,
      sourceHash: null,
      fileName: null,
      record: null,
      takenAt: null,
      latitude: null,
      longitude: null,
    })
    if (!some.isPresent) store.assets.markGone(assetId)
    if (some.confirmed === fingerprint) store.assets.confirm(assetId, null)
    if (some.isArchived) {
      const file = { sha256: 'hash', sizeBytes: 1, etag: null, lastModified: null, archivedAt: at }
      store.assets.restore({
        ...file,
        id: assetId,
        sourceHash: null,
        record: null,
        confirmedFingerprint: some.confirmed,
      })
      if (some.damage === 'lost') store.assets.markLost(assetId, at)
      else if (some.damage !== null) store.assets.markDamaged({ id: assetId, sha256: 'hash', damage: some.damage, at })
    }
    if (some.job === null) return
    store.jobs.enqueue(assetId, 'p', 'fetch')
    const { state, code } = some.job
    if (code !== 'none') {
      store.jobs.fail({ assetId, code: code as ErrorCode, message: '', nextTryAt: null, attentionAt: at })
    }
    if (code !== 'none' && state === 'queued') store.jobs.requeue(assetId)
  })
  const row = store.checklists.get(key)
  if (row === undefined) throw new Error('The checklist was not recorded')
  return row
}

it('a checklist evaluates as a comparison of every file with every question, in memory or in the database', () => {
  const store = storeFolder().open()
  let complete = 0
  fc.assert(
    fc.property(fc.oneof(checklist, nearlyComplete), (sample) => {
      const row = store.transaction(() => record(store, sample))
      const rows = checklistRows(store, row)
      const { awaited, expectedPhotos, ...expected } = evaluatePairwise(rows)
      const evaluated = evaluateChecklist(rows)
      expect(evaluated.state).toMatchObject(expected)
      expect(evaluated.questions.map(({ isAwaited }) => isAwaited)).toEqual(awaited)
      expect(evaluated.questions.map((line) => line.expected)).toEqual(expectedPhotos)
      expect(evaluateRecorded(store, row)).toEqual(evaluated)
      if (expected.complete) complete += 1
      // markArchived and the plan of a pass rely on this.
      expect(store.jobs.hasForChecklist(row.key)).toBe(rows.jobs.length > 0)
    }),
    { numRuns: 1000 },
  )
  expect(complete).toBeGreaterThan(20)
  store.close()
})

it('the categories to request are those that a comparison of every file with every question finds', () => {
  const store = storeFolder().open()
  fc.assert(
    fc.property(checklist, fc.nat({ max: 3 }), (sample, linked) => {
      const row = store.transaction(() => record(store, sample))
      const rows = checklistRows(store, row)
      const hasLink = (assetId: number) => assetId % 4 === linked
      const expected = unsettledPairwise(rows, rows.jobs, hasLink)
      expect(unsettledCategories(readCategoryFacts(store, row), hasLink, () => true)).toEqual(expected)
    }),
    { numRuns: 500 },
  )
  store.close()
})

it.each([
  [1, null],
  [1, 1],
  [2, 2],
  [1, 0],
])('an empty list of photos is confirmed by a second one: %d listed before, %j announced', (listed, announced) => {
  const store = storeFolder().open()
  const photo = { question: 0, isThumbnail: false, isPresent: true, isArchived: true, damage: null } as const
  const refIds = announced === null ? null : Array.from({ length: announced }, () => 'ref' as const)
  record(store, {
    status: 'completed',
    isRead: true,
    archivedAs: fingerprint,
    isGone: false,
    hasError: false,
    questions: [{ category: 'one', refIds, isRead: true, isPresent: true }],
    assets: Array.from({ length: listed }, () => ({ ...photo, confirmed: fingerprint, job: null })),
  })
  // If it announces none, it says itself that they are gone.
  expect(confirmEmptyCategory(store, 'p', 'one')).toBe(announced === 0)
  expect(confirmEmptyCategory(store, 'p', 'one')).toBe(true)
  store.close()
})

it('photos that are not uploaded yet are asked for, also while another one of their question has failed', () => {
  const store = storeFolder().open()
  const failed = { question: 0, isThumbnail: false, isPresent: true, isArchived: false, damage: null } as const
  const { key } = record(store, {
    status: 'awaitingMedia',
    isRead: false,
    archivedAs: null,
    isGone: false,
    hasError: false,
    questions: [{ category: 'one', refIds: ['ref', 'ref'], isRead: true, isPresent: true }],
    assets: [{ ...failed, confirmed: null, job: { state: 'failed', code: 'file-invalid' } }],
  })
  store.checklists.saveDetail(key, '{}', fingerprint, at)
  store.checklists.markRead(key, fingerprint)
  const row = store.checklists.get(key) ?? expect.fail('no checklist')
  const options = { nowMs: Date.parse(at) + 15 * 60_000, isFullPass: false, isUserInitiated: false }
  expect(planRead(store, row, options)).toBe('media')
  store.close()
})
