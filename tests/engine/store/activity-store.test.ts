import { expect, test } from 'vitest'
import { maxActivityRows } from '../../../electron/engine/store/activity-store.ts'
import { storeFolder } from './store-folder.ts'

const everything = { before: null, after: null, kinds: null, projectId: null, limit: -1 }
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()

test('the oldest rows are deleted beyond the limit', () => {
  const store = storeFolder().open()
  store.transaction(() => {
    for (let row = 0; row < maxActivityRows + 5; row++)
      store.activity.record({ at: at(0), kind: 'paused', facts: { until: null } })
  })
  const rows = store.activity.list(everything)
  expect(rows).toHaveLength(maxActivityRows)
  expect(rows.at(-1)?.id).toBe(6)
})

test('entries of a rolled back transaction are dropped, and repeated entries are counted', () => {
  const store = storeFolder().open()
  store.projects.put('p', null, null, at(0))
  const entry = { projectId: 'p', id: 'c', title: 'Survey', status: 'completed', updatedAt: null, fingerprint: 'f' }
  store.checklists.put({ ...entry, entryRaw: '{}' })
  const checklistKey = store.checklists.listForProject('p')[0]?.key ?? 0
  const fail = (minute: number, code: 'file-gone' | 'file-invalid') =>
    store.activity.count({
      at: at(minute),
      kind: 'files-failed',
      projectId: 'p',
      checklistKey,
      facts: { count: 1, code },
    })
  expect(() =>
    store.transaction(() => {
      fail(0, 'file-gone')
      throw new Error('It could not be recorded')
    }),
  ).toThrow()
  for (const minute of [0, 1, 10]) fail(minute, 'file-gone')
  fail(2, 'file-invalid')
  fail(11, 'file-gone')
  const rows = store.activity.list(everything).map(({ count, facts }) => [count, facts])
  expect(rows).toEqual([
    [1, '{"code":"file-gone"}'],
    [1, '{"code":"file-invalid"}'],
    [3, '{"code":"file-gone"}'],
  ])
})
