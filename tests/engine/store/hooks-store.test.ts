import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, expect, test } from 'vitest'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { migrations } from '../../../electron/engine/store/migrate.ts'
import type { HookEvent } from '../../../shared/hooks.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const at = '2026-06-12T08:00:00.000Z'
const later = '2026-06-13T08:00:00.000Z'
const first = { offset: 0, limit: 50 }
const hook = (...events: HookEvent[]) => ({ id: 'one', events, gapDays: 3 })

let file: string
beforeEach(() => {
  file = join(temporaryFolder(), 'solarchive.sqlite3')
  const db = new Database(file)
  const before = migrations.slice(
    0,
    migrations.findIndex((sql) => sql.includes('CREATE TABLE hook_deliveries')),
  )
  for (const sql of before) db.exec(sql)
  db.exec(`INSERT INTO projects (id, name, added_at) VALUES ('p', 'Maple', 'then');
    INSERT INTO checklists (key, project_id, id, title, status, fingerprint, entry_raw)
      VALUES (7, 'p', 'c', 'Survey', 'completed', 'f', '{}');
    INSERT INTO assets (id, checklist_key, kind, remote_key, path, path_key, present, sha256) VALUES
      (1, 7, 'photo', 'a', 'a', 'a', 1, 'hash'), (2, 7, 'photo', 'b', 'b', 'b', 1, 'hash');
    PRAGMA user_version = ${before.length}`)
  db.close()
})

test('an event is recorded with the change that it reports, or with neither', () => {
  const store = createStore(file)
  store.hooks.subscribe([hook('order-status', 'checklist-complete'), { ...hook('order-status'), id: 'two' }], at)
  const facts = { orderId: 4, from: null, to: 'in review' }
  const record = () => store.activity.record({ at, kind: 'order-status', projectId: 'p', facts })
  const rolledBack = () =>
    store.transaction(() => {
      record()
      throw new Error('Rolled back')
    })
  expect(rolledBack).toThrow('Rolled back')
  expect(store.hooks.page(first).total).toBe(0)
  store.transaction(record)
  const { items } = store.hooks.page(first)
  expect(items).toMatchObject([{ hookId: 'two' }, { hookId: 'one', state: 'waiting', nextTryAt: at }])
  expect(new Set(items.map(({ eventId }) => eventId)).size).toBe(1)
  const project = { id: 'p', name: 'Maple' }
  const body = { id: items[0]?.eventId, event: 'order-status', at, project, checklist: null, ...facts }
  expect(JSON.parse(items[0]?.body ?? '')).toEqual(body)
  // A restart knows the same events.
  store.close()
  const again = createStore(file)
  again.hooks.subscribe([hook('order-status')], later)
  expect(again.hooks.page(first).items).toMatchObject([{ hookId: 'two', state: 'failed' }, items[1] ?? {}])
  again.close()
})

test('a project without a name is called by its ID', () => {
  const store = createStore(file)
  store.projects.put('no-name', null, null, at)
  store.hooks.subscribe([hook('order-status')], at)
  const facts = { orderId: 4, from: null, to: 'in review' }
  for (const projectId of ['no-name', 'p']) store.activity.record({ at, kind: 'order-status', projectId, facts })
  expect(store.hooks.page(first).items.map(({ body }) => JSON.parse(body) as object)).toMatchObject([
    { project: { id: 'p', name: 'Maple' } },
    { project: { id: 'no-name', name: 'no-name' } },
  ])
  store.close()
})

test('damage is reported by checklist, once for each file, and only if a hook wants to know', () => {
  const store = createStore(file)
  const damaged = (id: number) => store.assets.markDamaged({ id, sha256: 'hash', damage: 'changed', at })
  store.hooks.subscribe([hook('order-status')], at)
  damaged(1)
  store.hooks.subscribe([hook('damage-found')], at)
  expect(store.transaction(() => store.hooks.recordDamageEvents(later, later))).toBe(false)
  damaged(1)
  damaged(2)
  store.assets.markLost(2, later)
  store.findings.put({ path: 'x/.versions/y', projectId: 'p', state: 'missing', at })
  store.findings.put({ path: 'x/notes.txt', projectId: 'p', state: 'unexpected', at })
  while (store.transaction(() => store.hooks.recordDamageEvents(later, later)));
  const bodies = store.hooks.page(first).items.map(({ body }) => JSON.parse(body) as object)
  expect(bodies).toMatchObject([
    { event: 'damage-found', checklist: { id: 'c', title: 'Survey' }, missing: 0, changed: 1 },
    { event: 'damage-found', project: { id: 'p' }, checklist: null, missing: 1, changed: 0 },
  ])
  // What was unexpected and is damaged now is news; damage that is found again is none.
  store.findings.clearOthers('p', { damaged: ['x/.versions/y', 'x/notes.txt'], unexpected: [] })
  for (const path of ['x/.versions/y', 'x/notes.txt']) {
    store.findings.put({ path, projectId: 'p', state: 'missing', at: later })
  }
  while (store.transaction(() => store.hooks.recordDamageEvents(later, later)));
  const { items, total } = store.hooks.page(first)
  expect([total, JSON.parse(items[0]?.body ?? '')]).toMatchObject([3, { checklist: null, missing: 1, at: later }])
  store.close()
})

test('a gap is reported once to each hook, and again after it was closed', () => {
  const store = createStore(file)
  const reported = (keys: number[], now: string) => {
    store.transaction(() => store.hooks.putGaps(keys, now))
    return store.hooks.oldGaps('one', at).map(({ checklistKey }) => {
      store.hooks.markGapNotified(checklistKey, 'one')
      return checklistKey
    })
  }
  expect(reported([7], at)).toEqual([7])
  expect(reported([7], later)).toEqual([])
  expect(reported([], later)).toEqual([])
  expect(reported([7], at)).toEqual([7])
  store.close()
})

test('the age of a gap counts from when a hook wants to know of old gaps', () => {
  const store = createStore(file)
  const oldGaps = (before: string) => store.hooks.oldGaps('one', before)
  const put = (now: string) => store.transaction(() => store.hooks.putGaps([7], now))
  store.hooks.subscribe([hook('gap-old')], at)
  put(at)
  store.hooks.markGapNotified(7, 'one')
  store.hooks.subscribe([{ ...hook('gap-old'), id: 'two' }], at)
  expect(oldGaps(later)).toEqual([])
  store.hooks.subscribe([hook('damage-found')], at)
  store.hooks.subscribe([hook('gap-old')], later)
  put(later)
  expect(oldGaps(at)).toEqual([])
  expect(oldGaps(later)).toMatchObject([{ checklistKey: 7, since: later }])
  store.close()
})

test('the oldest delivery of each hook that is due is found, however many others wait', () => {
  const store = createStore(file)
  store.hooks.subscribe([hook('order-status'), { ...hook('damage-found'), id: 'two' }], at)
  const event = { at, projectId: null, checklistKey: null, facts: {} }
  store.transaction(() => {
    for (let index = 0; index < 150; index += 1) store.hooks.record({ ...event, event: 'order-status' })
    store.hooks.record({ ...event, event: 'damage-found' })
  })
  const found = (now: string) => ['one', 'two'].map((hookId) => store.hooks.nextDue(hookId, now)?.deliveryId)
  expect(store.hooks.dueHooks(at).toSorted()).toEqual(['one', 'two'])
  expect(found(at)).toEqual([1, 151])
  store.hooks.postpone(1, { nextTryAt: later, result: 'HTTP status 422' })
  store.hooks.begin(151, at, later)
  expect(store.hooks.dueHooks(at)).toEqual(['one'])
  expect(found(at)).toEqual([2, undefined])
  expect(found(later)).toEqual([1, 151])
  store.close()
})

test('ended deliveries are kept up to a number, waiting ones always', () => {
  const store = createStore(file)
  store.hooks.subscribe([hook('order-status')], at)
  const event = { event: 'order-status' as const, at, projectId: null, checklistKey: null, facts: {} }
  store.transaction(() => {
    for (let index = 0; index < 6_000; index += 1) store.hooks.record(event)
    const oldest = store.hooks.page({ offset: 1, limit: 5_999 }).items
    for (const { deliveryId } of oldest) store.hooks.end(deliveryId, 'delivered', later, 'ok')
    for (let index = 0; index < 100; index += 1) store.hooks.record(event)
  })
  expect(store.hooks.page(first).total).toBeLessThan(5_100)
  expect(store.hooks.page({ ...first, state: 'waiting' }).total).toBe(101)
  store.close()
})
