import { expect, onTestFinished, test } from 'vitest'
import { createSanitizer } from '../../../electron/engine/lib/sanitizer.ts'
import { readChecklistList } from '../../../electron/engine/service/readers/read-checklist-list.ts'
import type { RecordList } from '../../../electron/engine/service/readers/find-list.ts'
import { readMediaList } from '../../../electron/engine/service/readers/read-media.ts'
import { readProjects } from '../../../electron/engine/service/readers/read-projects.ts'
import { readServiceRequestList } from '../../../electron/engine/service/readers/read-service-requests.ts'
import type { Store } from '../../../electron/engine/store/create-store.ts'
import { recordEntries } from '../../../electron/engine/sync/record-checklists.ts'
import { storeFolder } from '../store/store-folder.ts'

const entry = (index: number) => ({
  id: `c${index}`,
  title: 'Survey',
  name: 'x',
  status: 'completed',
  updatedAt: '2026-01-01',
  imgUrl: 'https://f.example/x.jpg',
})
const entries = (count: number) => Array.from({ length: count }, (_, index) => entry(index))

/** A transaction records 1,000, and the first 100 are planned in the turn of the last one. */
const maxPerTurn = 1_100

const options = { nowMs: Date.UTC(2026, 4, 1), isPartial: false, isFullPass: false, isUserInitiated: true }

/** Counts calls, and the most of them in one turn of the event loop. */
function callCounter() {
  const counter = { total: 0, most: 0, inTurn: 0 }
  let isOver = false
  const endTurn = () => {
    counter.inTurn = 0
    if (!isOver) setImmediate(endTurn)
  }
  endTurn()
  onTestFinished(() => {
    isOver = true
  })
  const count = () => {
    counter.total += 1
    counter.inTurn += 1
    counter.most = Math.max(counter.most, counter.inTurn)
  }
  return { counter, count }
}

function countedStore(store: Store, count: () => void): Store {
  const { checklists } = store
  return {
    ...store,
    checklists: {
      ...checklists,
      put: (checklist) => {
        count()
        return checklists.put(checklist)
      },
      get: (key) => {
        count()
        return checklists.get(key)
      },
      markGone: (key, at) => {
        count()
        checklists.markGone(key, at)
      },
    },
  }
}

test('a long list is recorded, planned, and marked as gone over many turns of the event loop', async () => {
  const store = storeFolder().open()
  onTestFinished(() => store.close())
  store.projects.put('p1', 'Project', null, '2026-05-01T10:00:00Z')
  const sanitizer = createSanitizer(() => [])
  const remote = readChecklistList(entries(5_000)).list

  const { counter, count } = callCounter()
  const planned = await recordEntries(countedStore(store, count), sanitizer, 'p1', remote, options)
  expect(planned).toHaveLength(5_000)
  expect(new Set(planned.map(({ plan }) => plan))).toEqual(new Set(['read']))
  expect(counter.total).toBe(10_000)
  expect(counter.most).toBeLessThanOrEqual(maxPerTurn)

  expect(await recordEntries(countedStore(store, count), sanitizer, 'p1', [], options)).toEqual([])
  expect(counter.total).toBe(15_000)
  expect(counter.most).toBeLessThanOrEqual(maxPerTurn)
  expect(store.checklists.countGone('p1')).toBe(5_000)
  const all = { before: null, after: null, kinds: null, projectId: null, limit: 100 }
  const counts = store.activity.list(all).map(({ kind, count: recorded }) => `${kind} ${recorded}`)
  expect(counts).toEqual([
    ...Array<string>(5).fill('checklists-gone 1000'),
    ...Array<string>(5).fill('checklists-new 1000'),
  ])
})

test.each<[string, (answer: unknown) => RecordList<unknown>]>([
  ['checklists', readChecklistList],
  ['photos', readMediaList],
  ['projects', readProjects],
  ['orders', readServiceRequestList],
])('a list of 10,000 %s is read, a longer one refused', (_name, read) => {
  const byId = (count: number) => Object.fromEntries(entries(count).map((record) => [record.id, record]))
  expect(read(entries(10_000)).list).toHaveLength(10_000)
  expect(read(byId(10_000)).list).toHaveLength(10_000)
  for (const answer of [entries(10_001), { data: entries(20_000) }, byId(10_001)]) {
    expect(() => read(answer)).toThrow('it is far too long')
  }
})
