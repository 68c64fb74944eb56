import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addRows,
  attentionNews,
  maxRows,
  maxWaitMs,
  noFailuresNotified,
  nothingPending,
  type NotificationGroup,
  quietMs,
  spacingMs,
  takeDue,
  topicOf,
} from '../../../electron/desktop/notification-groups.ts'
import { notificationOf, notificationOfFailures } from '../../../electron/desktop/notification-labels.ts'
import type { Activity } from '../../../shared/activity.ts'

const common = { at: '2026-07-01T12:00:00.000Z', file: null }
const project = { id: 'p 1', name: 'Elm Street' }
const checklistOf = (id: string) => ({ id, title: `Roof ${id}` })

function archived(id: number, checklist = String(id), projectId = project.id): Activity {
  return {
    ...common,
    id,
    kind: 'checklist-archived',
    group: 'archived',
    facts: { count: 12 },
    project: { ...project, id: projectId },
    checklist: checklistOf(checklist),
  }
}

function obstacle(id: number, kind: 'obstacle' | 'obstacle-gone'): Activity {
  const row = { ...common, id, project: null, checklist: null, group: 'problems' } as const
  const facts = { obstacle: 'token', since: common.at } as const
  return kind === 'obstacle' ? { ...row, kind, facts: { ...facts, code: 'token-refused' } } : { ...row, kind, facts }
}

const missing = (id: number, count: number): Activity => ({
  ...common,
  id,
  project,
  checklist: checklistOf('1'),
  kind: 'files-missing',
  group: 'verify',
  facts: { count },
})

interface Arrival {
  readonly atMs: number
  readonly items: readonly Activity[]
}

/** Returns each notification with its time, for a timer that is always on time. */
function notify(arrivals: readonly Arrival[]): { readonly atMs: number; readonly group: NotificationGroup }[] {
  const shown: { atMs: number; group: NotificationGroup }[] = []
  let pending = nothingPending
  let nextMs: number | null = null
  const take = (atMs: number) => {
    const due = takeDue(pending, atMs)
    pending = due.after
    shown.push(...due.groups.map((group) => ({ atMs, group })))
    nextMs = due.nextInMs === null ? null : atMs + due.nextInMs
  }
  for (const { atMs, items } of arrivals) {
    while (nextMs !== null && nextMs <= atMs) take(nextMs)
    pending = addRows(pending, { items: [...items], hasMore: false }, atMs)
    take(atMs)
  }
  while (nextMs !== null) take(nextMs)
  return shown
}

test('checklists that are archived one after the other share a notification', () => {
  const shown = notify([1, 2, 3].map((id) => ({ atMs: id * 1000, items: [archived(id)] })))
  expect(shown.map(({ atMs }) => atMs)).toEqual([3000 + quietMs])
  expect(shown.map(({ group }) => notificationOf(group))).toEqual([
    { title: '3 checklists archived', body: 'Elm Street. Nothing is missing.', view: '/projects/p%201' },
  ])
})

test('hours of archiving notify occasionally, and the first checklist does not wait long', () => {
  const rows = Array.from({ length: 3600 }, (_, second) => ({ atMs: second * 1000, items: [archived(second + 1)] }))
  const shown = notify(rows)
  expect(shown[0]?.atMs).toBe(maxWaitMs)
  expect(shown).toHaveLength(7)
  expect(shown.slice(1, -1).every(({ group }) => group.rows.length === maxRows && group.hasMore)).toBe(true)
})

test('a blocker resolved before its notification gets none', () => {
  const gone = { atMs: 1000, items: [obstacle(2, 'obstacle-gone')] }
  expect(notify([{ atMs: 0, items: [obstacle(1, 'obstacle')] }, gone])).toEqual([])
  const late = notify([
    { atMs: 0, items: [obstacle(1, 'obstacle')] },
    { ...gone, atMs: quietMs + 1 },
  ])
  expect(late.map(({ group }) => notificationOf(group))).toMatchObject([
    { title: 'Access token refused', view: '/settings' },
  ])
})

test('a row whose count grows while it waits is notified with its last count, and not again', () => {
  const shown = notify([
    { atMs: 0, items: [missing(1, 1)] },
    { atMs: 500, items: [missing(1, 8)] },
    { atMs: 60_000, items: [missing(1, 9)] },
  ])
  expect(shown.map(({ group }) => notificationOf(group))).toEqual([
    {
      title: '8 archived files missing or changed on the disk',
      body: 'Elm Street, Roof 1. Files that the service still has are downloaded again.',
      view: '/projects/p%201/checklists/1',
    },
  ])
})

test('in any order of events, each row is notified once, not too often, and not too late', () => {
  const arrivals = fc
    .array(
      fc.record({
        waitMs: fc.integer({ min: 0, max: 20 * 60_000 }),
        kinds: fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 3 }),
      }),
      {
        maxLength: 40,
      },
    )
    .map((steps) => {
      let [id, atMs] = [0, 0]
      return steps.map(({ waitMs, kinds }) => {
        atMs += waitMs
        const items = kinds.map((kind) => {
          id += 1
          return [archived(id), missing(id, 1), obstacle(id, 'obstacle')][kind] ?? archived(id)
        })
        return { atMs, items }
      })
    })
  fc.assert(
    fc.property(arrivals, (arrivals) => {
      const shown = notify(arrivals)
      const ids = shown.flatMap(({ group }) => group.rows.map(({ id }) => id)).sort((a, b) => a - b)
      const all = arrivals.flatMap(({ items }) => items)
      expect(ids).toEqual(all.map(({ id }) => id))
      for (const { atMs, items } of arrivals) {
        for (const row of items) {
          const topic = topicOf(row)
          const when = shown.find(({ group }) => group.rows.some(({ id }) => id === row.id))?.atMs ?? Infinity
          expect(when - atMs).toBeLessThanOrEqual(Math.max(maxWaitMs, topic === undefined ? 0 : spacingMs[topic]))
        }
      }
      for (const [index, { atMs, group }] of shown.entries()) {
        const before = shown.slice(0, index).findLast((other) => other.group.topic === group.topic)
        if (before !== undefined) expect(atMs - before.atMs).toBeGreaterThanOrEqual(spacingMs[group.topic])
      }
    }),
  )
})

test('one checklist is named and opened; several projects lead to the activity', () => {
  const group = (rows: readonly Activity[], hasMore = false) => notificationOf({ topic: 'archived', rows, hasMore })
  expect(group([archived(1, 'c/1')])).toEqual({
    title: 'Checklist archived',
    body: 'Elm Street, Roof c/1. 12 photos and reports, nothing is missing.',
    view: '/projects/p%201/checklists/c%2F1',
  })
  expect(group([archived(1), archived(2, '2', 'p2')])).toMatchObject({
    body: 'In 2 projects. Nothing is missing.',
    view: '/activity',
  })
  expect(group([archived(1), archived(2)], true).title).toBe('More than 2 checklists archived')
})

test('an order that the service changed is named and opened; a user’s own decision sends no notification', () => {
  const row = { ...common, project, checklist: null }
  const moved = (id: number, orderId: number, to: string): Activity => ({
    ...row,
    id,
    kind: 'order-status',
    group: 'changes',
    facts: { orderId, from: 'ordered', to },
  })
  const settled = (id: number, outcome: 'placed' | 'not-placed', by: 'service' | 'person'): Activity => ({
    ...row,
    id,
    kind: 'order-settled',
    group: 'yours',
    facts: { orderId: 7, outcome, by },
  })
  const texts = (items: readonly Activity[]) => notify([{ atMs: 0, items }]).map(({ group }) => notificationOf(group))
  expect(texts([moved(1, 7, 'inDesign'), moved(2, 7, 'inProgress')])).toEqual([
    { title: 'Order in progress', body: 'Elm Street. Previous status: Ordered.', view: '/orders/7' },
  ])
  expect(texts([moved(1, 7, 'inDesign'), moved(2, 8, 'inDesign')])).toMatchObject([
    { title: '2 orders changed', view: '/orders' },
  ])
  expect(texts([settled(1, 'not-placed', 'service')])).toMatchObject([{ title: 'Order not placed', view: '/orders/7' }])
  expect(texts([settled(1, 'placed', 'person')])).toEqual([])
})

test('whatever raises the badge is notified once, also an hour after a failure without another try', () => {
  const steps: readonly (readonly [atMinutes: number, projects: number, files: number])[] = [
    [0, 0, 2],
    // The start, and what is resolved, are no news.
    [1, 0, 1],
    // Nothing was tried: only the time passed.
    [61, 0, 8],
    [62, 0, 9],
    [90, 1, 9],
    [92, 1, 9],
    [200, 1, 9],
    [201, 0, 0],
    [202, 2, 0],
  ]
  let notified = noFailuresNotified
  const titles = steps.flatMap(([atMinutes, projects, files]) => {
    const { news, after } = attentionNews(notified, { projects, checklists: 0, files }, atMinutes * 60_000)
    notified = after
    return news === null ? [] : [`${atMinutes}: ${notificationOfFailures(news).title}`]
  })
  expect(titles).toEqual([
    '61: 7 files could not be archived',
    '92: 1 project and 1 file could not be synced',
    '202: 2 projects could not be synced',
  ])
})
