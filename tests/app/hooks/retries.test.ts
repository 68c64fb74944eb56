import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { HookRunner } from '../../../electron/app/hooks/hook-runner.ts'
import { subscriptionsOf } from '../../../electron/app/hooks/hook-settings.ts'
import { createHookOutbox } from '../../../electron/engine/hooks/create-hook-outbox.ts'
import type { Clock, Log } from '../../../electron/engine/lib/ports.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { Outbound } from '../../../electron/engine/service/outbound.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { hooksSchema } from '../../../shared/hooks.ts'
import { silentLogger } from '../../support/silent-logger.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { closedPort } from '../../support/with-server.ts'
import { hookSecret, type Receiver, withReceiver } from '../../support/webhook-receiver.ts'

const signal = new AbortController().signal
const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
const start = Date.UTC(2026, 5, 12, 8)

/** The clock that the test moves, of Solarchive and of the receiver. */
const now = { ms: start }
const clock: Clock = { ...systemClock, nowMs: () => now.ms, monotonicMs: () => now.ms }
beforeEach(() => {
  now.ms = start
})
const withReceiverNow = (use: (receiver: Receiver) => Promise<void>) => withReceiver(use, () => now.ms)

/** The deliveries to a webhook. Events are distinguished by their order. */
function deliveriesTo(url: string, log: Log = silentLogger) {
  const target = { kind: 'webhook', url, secret: hookSecret, allowPrivate: true }
  const hooks = hooksSchema.parse([{ id: 'office', name: 'Office', events: ['order-status', 'gap-old'], target }])
  const file = join(temporaryFolder(), 'solarchive.sqlite3')
  const store = createStore(file)
  onTestFinished(() => store.close())
  const outbox = createHookOutbox({ store, clock, outbound: new Outbound() })
  outbox.subscribe(subscriptionsOf(hooks))
  const runner = new HookRunner({ clock, log, hooks: () => hooks })
  const page = () => store.hooks.page({ offset: 0, limit: 100 }).items.toReversed()
  return {
    file,
    outbox,
    notify: (orderId: number) =>
      store.transaction(() => {
        const facts = { orderId, from: null, to: 'complete' }
        store.activity.record({ at: new Date(now.ms).toISOString(), kind: 'order-status', projectId: null, facts })
      }),
    deliver: () => runner.deliverDue({ hooks: outbox }, signal, () => false),
    isFailing: () => store.hooks.failing(['office']).length > 0,
    states: () => page().map(({ state, tries }) => ({ state, tries })),
    /** Times of the next tries, the earliest first. */
    nextTries: () =>
      page()
        .flatMap(({ nextTryAt }) => nextTryAt ?? [])
        .toSorted(),
  }
}

const ordersOf = ({ messages }: Receiver) => messages.map((message) => message['orderId'])

/** Delivers what is due until nothing waits, or for `days`. */
async function deliverFor(days: number, { deliver, nextTries }: ReturnType<typeof deliveriesTo>) {
  const until = now.ms + days * dayMs
  while (now.ms < until && nextTries().length > 0) {
    await deliver()
    now.ms = Math.max(now.ms + 1_000, Date.parse(nextTries()[0] ?? '1970-01-01'))
  }
}

test('after days without a network, an event is not given up before it was tried for three days', async () => {
  await withReceiverNow(async (receiver) => {
    const deliveries = deliveriesTo(receiver.url)
    receiver.answer = (response) => void response.writeHead(503).end()
    deliveries.notify(1)
    deliveries.notify(2)
    now.ms += 4 * dayMs
    await deliveries.deliver()
    expect(deliveries.states()).toEqual([
      { state: 'waiting', tries: 1 },
      { state: 'waiting', tries: 0 },
    ])
    // Three days later, but with the second try.
    now.ms += 4 * dayMs
    await deliveries.deliver()
    expect(deliveries.states()[0]).toEqual({ state: 'waiting', tries: 2 })
    await deliverFor(10, deliveries)
    const tries = deliveries.states().map(({ state, tries }) => (state === 'failed' ? tries : 0))
    // The second one has waited as long, and is tried as often before it is given up.
    expect(Math.min(...tries)).toBeGreaterThanOrEqual(8)
    expect(now.ms - start).toBeLessThan(9 * dayMs)
    receiver.answer = undefined
    deliveries.notify(3)
    await deliveries.deliver()
    expect(ordersOf(receiver).at(-1)).toBe(3)
    deliveries.outbox.repeat(1)
    await deliveries.deliver()
    expect(deliveries.states()[0]).toEqual({ state: 'delivered', tries: 1 })
    expect(receiver.messages.at(-1)).toEqual(receiver.messages[0])
  })
})

test('a receiver that is down for two days gets all events, in order', async () => {
  await withReceiverNow(async (receiver) => {
    const deliveries = deliveriesTo(receiver.url)
    receiver.answer = (response) => void response.writeHead(429).end()
    for (const order of [1, 2, 3]) deliveries.notify(order)
    await deliverFor(2, deliveries)
    expect(new Set(ordersOf(receiver))).toEqual(new Set([1]))
    receiver.answer = undefined
    receiver.messages.length = 0
    await deliverFor(1, deliveries)
    expect(ordersOf(receiver)).toEqual([1, 2, 3])
  })
})

test('a hook whose receiver is down fails after an hour, however many events wait, until one is delivered', async () => {
  await withReceiverNow(async (receiver) => {
    const deliveries = deliveriesTo(receiver.url)
    receiver.answer = (response) => void response.writeHead(503).end()
    for (let order = 1; order <= 30; order += 1) deliveries.notify(order)
    await deliverFor(1 / 48, deliveries)
    expect(deliveries.isFailing()).toBe(false)
    await deliverFor(1 / 24, deliveries)
    expect(deliveries.isFailing()).toBe(true)
    receiver.answer = undefined
    await deliverFor(1, deliveries)
    expect(deliveries.isFailing()).toBe(false)
  })
})

test('an event that the receiver refuses does not hold up the next one, and is tried for three days', async () => {
  await withReceiverNow(async (receiver) => {
    const deliveries = deliveriesTo(receiver.url)
    receiver.answer = (response) => {
      response.writeHead(receiver.messages.at(-1)?.['orderId'] === 1 ? 422 : 204).end()
    }
    deliveries.notify(1)
    deliveries.notify(2)
    await deliveries.deliver()
    expect(deliveries.states()).toEqual([
      { state: 'waiting', tries: 1 },
      { state: 'delivered', tries: 1 },
    ])
    await deliverFor(10, deliveries)
    expect(deliveries.states()[0]).toMatchObject({ state: 'failed' })
    // A later event was delivered.
    expect(deliveries.isFailing()).toBe(false)
    expect(now.ms - start).toBeGreaterThan(3 * dayMs)
    expect(now.ms - start).toBeLessThan(4 * dayMs)
  })
})

test('what was recorded while the clock was ahead is delivered once it is right, and in order', async () => {
  await withReceiverNow(async (receiver) => {
    const deliveries = deliveriesTo(receiver.url)
    receiver.answer = (response) => void response.writeHead(503).end()
    now.ms += 365 * dayMs
    for (const order of [1, 2]) deliveries.notify(order)
    await deliveries.deliver()
    deliveries.notify(3)
    now.ms = start
    receiver.messages.length = 0
    await deliverFor(1, deliveries)
    expect(new Set(ordersOf(receiver))).toEqual(new Set([1]))
    receiver.answer = undefined
    receiver.messages.length = 0
    await deliverFor(1, deliveries)
    expect(ordersOf(receiver)).toEqual([1, 2, 3])
  })
})

test('after a start with a clock that is years behind, an event is still tried for three days', async () => {
  await withReceiverNow(async (receiver) => {
    const deliveries = deliveriesTo(receiver.url)
    receiver.answer = (response) => void response.writeHead(503).end()
    deliveries.notify(1)
    deliveries.notify(2)
    await deliverFor(1 / 24, deliveries)
    const right = now.ms
    now.ms -= 3000 * dayMs
    await deliveries.deliver()
    now.ms = right
    await deliverFor(2, deliveries)
    expect(deliveries.states()).toMatchObject([{ state: 'waiting' }, { state: 'waiting' }])
    await deliverFor(2, deliveries)
    expect(deliveries.states()[0]).toMatchObject({ state: 'failed' })
  })
})

test('gaps and damage that were found while the clock was ahead are reported', async () => {
  const file = join(temporaryFolder(), 'solarchive.sqlite3')
  createStore(file).close()
  const db = new Database(file)
  db.exec(`INSERT INTO projects (id, name, added_at) VALUES ('p', 'Maple', 'then');
    INSERT INTO checklists (key, project_id, id, title, status, fingerprint, entry_raw)
      VALUES (7, 'p', 'c', 'Survey', 'completed', 'f', '{}')`)
  db.close()
  const store = createStore(file)
  onTestFinished(() => store.close())
  const iso = (ms: number) => new Date(ms).toISOString()
  store.hooks.subscribe([{ id: 'office', events: ['damage-found'], gapDays: 3 }], iso(start))
  const year = 365 * dayMs
  store.transaction(() => store.hooks.putGaps([7], iso(start + year)))
  store.transaction(() => store.hooks.putGaps([7], iso(start)))
  expect(store.hooks.oldGaps('office', iso(start - 1))).toEqual([])
  expect(store.hooks.oldGaps('office', iso(start + dayMs))).toMatchObject([{ checklistKey: 7, since: iso(start) }])

  store.findings.put({ path: 'x/.versions/y', projectId: 'p', state: 'missing', at: iso(start + year) })
  const outbox = createHookOutbox({ store, clock: { ...systemClock, nowMs: () => start }, outbound: new Outbound() })
  await outbox.collect(signal)
  expect(store.hooks.page({ offset: 0, limit: 10 }).items).toMatchObject([{ event: 'damage-found' }])
})

test('an old gap is reported once, even if a sync completes another checklist while gaps are collected', async () => {
  const file = join(temporaryFolder(), 'solarchive.sqlite3')
  createStore(file).close()
  const sync = new Database(file)
  onTestFinished(() => void sync.close())
  sync.exec(`INSERT INTO projects (id, name, added_at) VALUES ('p', 'Maple', 'then');
    WITH numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 250)
    INSERT INTO checklists (key, project_id, id, title, status, fingerprint, entry_raw)
      SELECT n, 'p', n, 'Survey', 'completed', 'f', '{}' FROM numbers`)
  const store = createStore(file)
  onTestFinished(() => store.close())
  const outbox = createHookOutbox({ store, clock, outbound: new Outbound() })
  outbox.subscribe([{ id: 'office', events: ['gap-old'], gapDays: 3 }])
  const collectOn = (day: number) => {
    now.ms = start + day * dayMs
    return outbox.collect(signal)
  }
  await collectOn(0)
  await collectOn(3)
  const reported = () => store.hooks.page({ offset: 0, limit: 1 }).total
  expect(reported()).toBe(250)
  const collecting = collectOn(4)
  // The newest checklists have been read, and the others have not.
  sync.exec("UPDATE checklists SET read_fingerprint = 'f', archived_fingerprint = 'f' WHERE key = 250")
  await collecting
  await collectOn(5)
  await collectOn(9)
  expect(reported()).toBe(250)
})

test('a clock that is years behind at a start makes no gap old, and one that was ahead is no longer believed', async () => {
  const file = join(temporaryFolder(), 'solarchive.sqlite3')
  createStore(file).close()
  const sync = new Database(file)
  onTestFinished(() => void sync.close())
  const addChecklist = (key: number) =>
    sync.exec(`INSERT INTO checklists (key, project_id, id, title, status, fingerprint, entry_raw)
      VALUES (${key}, 'p', 'c${key}', 'Survey', 'completed', 'f', '{}')`)
  sync.exec("INSERT INTO projects (id, name, added_at) VALUES ('p', 'Maple', 'then')")
  addChecklist(1)
  const store = createStore(file)
  onTestFinished(() => store.close())
  /** Starts with the clock at this day, and returns what was reported until then. */
  const startOn = async (day: number) => {
    now.ms = start + day * dayMs
    const outbox = createHookOutbox({ store, clock, outbound: new Outbound() })
    outbox.subscribe([{ id: 'office', events: ['gap-old'], gapDays: 3 }])
    await outbox.collect(signal)
    const { items } = store.hooks.page({ offset: 0, limit: 9 })
    const bodies = items.map(({ body }) => JSON.parse(body) as { since: string; checklist: { id: string } })
    return bodies.map(({ since, checklist }) => [checklist.id, (Date.parse(since) - start) / dayMs])
  }
  expect(await startOn(0)).toEqual([])
  addChecklist(2)
  await startOn(-3000)
  addChecklist(3)
  await startOn(-2999.9)
  expect(await startOn(1)).toEqual([])
  expect(await startOn(3)).toEqual([['c1', 0]])
  expect(await startOn(4)).toEqual([
    ['c3', 1],
    ['c2', 1],
    ['c1', 0],
  ])
  // Now the clock is ahead when another gap is noticed.
  addChecklist(4)
  await startOn(370)
  await startOn(5)
  await startOn(6)
  expect(await startOn(8)).toHaveLength(3)
  expect((await startOn(9))[0]).toEqual(['c4', 6])
})

test('the log says why a hook could not be notified, without the secret and the address', async () => {
  await withReceiverNow(async (receiver) => {
    const warnings: unknown[] = []
    const log: Log = { ...silentLogger, warn: (message, fields) => warnings.push([message, fields]) }
    const query = '?key=canary-query'
    receiver.answer = (response) => void response.writeHead(503).end()
    const refused = deliveriesTo(receiver.url + query, log)
    refused.notify(1)
    await refused.deliver()
    const unreachable = deliveriesTo(`http://127.0.0.1:${closedPort}/hook${query}`, log)
    unreachable.notify(1)
    await unreachable.deliver()
    const message = 'A hook could not be notified of an event'
    const facts = { hook: 'office', event: 'order-status' }
    expect(warnings).toMatchObject([
      [message, { ...facts, reason: 'HTTP status 503' }],
      [message, { ...facts, reason: expect.stringContaining('could not be reached') as string }],
    ])
    expect(JSON.stringify(warnings)).not.toContain('canary')
  })
})
