import { describe, expect, it } from 'vitest'
import { createApp, effectScope, nextTick } from 'vue'
import {
  appendOlder,
  mergeUpdates,
  useActivity,
  withDays,
} from '../../../../renderer/features/activity/use-activity.ts'
import { clientKey, type Client, type TransportListener } from '../../../../renderer/transport/transport.ts'
import type { Activity } from '../../../../shared/activity.ts'
import type { EventMessage } from '../../../../shared/contract/events.ts'

const row = (id: number, count = 1): Activity => ({
  id,
  at: '2026-05-04T10:00:00.000Z',
  kind: 'files-missing',
  group: 'verify',
  facts: { count },
  project: null,
  checklist: null,
  file: null,
})
const ids = (rows: readonly Activity[]) => rows.map(({ id }) => id)

describe('the activity list', () => {
  it('adds a new row at the top, and updates the count of a row in place', () => {
    const { renewed, added } = mergeUpdates([row(2), row(1)], [row(3), row(2, 5)])
    expect(ids(added)).toEqual([3])
    expect(renewed).toEqual([row(2, 5), row(1)])
  })

  it('has no gap if its end was cut off while older rows were in flight', () => {
    expect(ids(appendOlder([row(9), row(8)], 8, [row(7), row(6)]))).toEqual([9, 8, 7, 6])
    expect(ids(appendOlder([row(10), row(9)], 8, [row(7), row(6)]))).toEqual([10, 9])
  })

  it('has a heading above each day, which is another one after the clock was set back over midnight', () => {
    const now = new Date(2026, 4, 5, 12)
    const on = (id: number, day: number) => ({ ...row(id), at: new Date(2026, 4, day, 10).toISOString() })
    const lines = withDays([on(4, 5), on(3, 5), on(2, 4), on(1, 5)], now.getTime())
    expect(lines.map((line) => ('day' in line ? line.day : line.row.id))).toEqual([
      'Today',
      4,
      3,
      'Yesterday',
      2,
      'Today',
      1,
    ])
    expect(new Set(lines.map(({ key }) => key)).size).toBe(lines.length)
  })
})

/** Returns the list beside a client that answers when the test says so, and the function that emits an event. */
function openActivity() {
  const calls: { readonly input: object; readonly answered: PromiseWithResolvers<object> }[] = []
  let listener: TransportListener | undefined
  const client = {
    call(_name: string, input: object) {
      const answered = Promise.withResolvers<object>()
      calls.push({ input, answered })
      return answered.promise
    },
    listen(added: TransportListener) {
      listener = added
      return () => undefined
    },
  }
  // Only what the activity uses of a client.
  const app = createApp({}).provide(clientKey, client as unknown as Client)
  const activity = app.runWithContext(() => effectScope().run(() => useActivity(() => ({}))))
  if (activity === undefined) throw new Error('There is no list')
  const emit = (name: string, value: object) => listener?.onEvent({ revision: 1, name, value } as EventMessage)
  const receive = (items: Rows, hasMore = false) => emit('activity', { items, hasMore })
  return { ...activity, calls, emit, receive }
}
type Rows = readonly Activity[]

describe('the activity list beside the host', () => {
  it('stays as it is if older rows cannot be loaded, and loads them when it is asked again', async () => {
    const { calls, rows, error, olderError, loadOlder } = openActivity()
    calls[0]?.answered.resolve({ items: [row(9)], hasMore: true })
    await expect.poll(() => ids(rows.value ?? [])).toEqual([9])
    loadOlder()
    calls[1]?.answered.reject(new Error('unreachable'))
    await expect.poll(() => olderError.value).not.toBeNull()
    expect([error.value, ids(rows.value ?? [])]).toEqual([null, [9]])
    loadOlder()
    calls[2]?.answered.resolve({ items: [row(8)], hasMore: false })
    await expect.poll(() => ids(rows.value ?? [])).toEqual([9, 8])
    expect(olderError.value).toBeNull()
  })

  it('loads its rows again after an error as soon as the host may answer', async () => {
    const { calls, rows, error, emit } = openActivity()
    emit('watch-state', { kind: 'stopped' })
    calls[0]?.answered.reject(new Error('restarting'))
    await expect.poll(() => error.value).not.toBeNull()
    emit('watch-state', { kind: 'watching' })
    expect(calls).toHaveLength(2)
    calls[1]?.answered.resolve({ items: [row(1)], hasMore: false })
    await expect.poll(() => ids(rows.value ?? [])).toEqual([1])
    expect(error.value).toBeNull()
    emit('watch-state', { kind: 'syncing' })
    expect(calls).toHaveLength(2)
  })

  it('is not empty while the first rows are loaded, and has those that arrived meanwhile', async () => {
    const { calls, rows, receive } = openActivity()
    receive([row(2)])
    expect(rows.value).toBeNull()
    calls[0]?.answered.resolve({ items: [row(1)], hasMore: false })
    await expect.poll(() => calls).toHaveLength(2)
    calls[1]?.answered.resolve({ items: [row(2), row(1)], hasMore: false })
    await expect.poll(() => ids(rows.value ?? [])).toEqual([2, 1])
  })

  it('keeps a row that arrives while its newest rows are loaded again', async () => {
    const { calls, rows, receive, reload } = openActivity()
    calls[0]?.answered.resolve({ items: [row(1)], hasMore: false })
    await expect.poll(() => rows.value).not.toBeNull()
    void reload()
    receive([row(2)])
    expect(ids(rows.value ?? [])).toEqual([2, 1])
    // Composed before the row was there.
    calls[1]?.answered.resolve({ items: [row(1)], hasMore: false })
    await expect.poll(() => calls).toHaveLength(3)
    calls[2]?.answered.resolve({ items: [row(2), row(1)], hasMore: false })
    await expect.poll(() => ids(rows.value ?? [])).toEqual([2, 1])
  })

  it('keeps the older rows that were loaded while it follows', async () => {
    const { calls, rows, hasMore, receive, loadOlder } = openActivity()
    const older = Array.from({ length: 600 }, (_, index) => row(600 - index))
    calls[0]?.answered.resolve({ items: older.slice(0, 50), hasMore: true })
    await expect.poll(() => rows.value).toHaveLength(50)
    loadOlder()
    calls[1]?.answered.resolve({ items: older.slice(50), hasMore: false })
    await expect.poll(() => rows.value).toHaveLength(600)
    receive([row(601)])
    expect([rows.value?.length, rows.value?.[0]?.id, hasMore.value]).toEqual([600, 601, true])
  })

  it('loads its newest rows on Follow if more had arrived than an event contains', async () => {
    const { calls, rows, isFollowing, newCount, receive } = openActivity()
    calls[0]?.answered.resolve({ items: [row(1)], hasMore: false })
    await expect.poll(() => rows.value).not.toBeNull()
    isFollowing.value = false
    receive([], true)
    expect(newCount.value).toBe(0)
    await nextTick()
    isFollowing.value = true
    await expect.poll(() => calls).toHaveLength(2)
  })
})
