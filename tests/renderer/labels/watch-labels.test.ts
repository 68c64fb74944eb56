import { expect, it } from 'vitest'
import { lookOfWatch } from '../../../renderer/labels/watch-labels.ts'

const nowMs = Date.UTC(2026, 10, 21, 9)
const idle = (inMs: number) => ({ kind: 'idle', nextPollAt: new Date(nowMs + inMs).toISOString() }) as const

it('while files wait and go on at once, the sync is not said to watch for changes only', () => {
  expect(lookOfWatch(idle(2_000), nowMs, 34)).toMatchObject({ title: 'Syncing', detail: '34 files waiting' })
  expect(lookOfWatch({ kind: 'idle', nextPollAt: null }, nowMs, 1)).toMatchObject({ detail: '1 file waiting' })
  expect(lookOfWatch(idle(2_000), nowMs)).toMatchObject({ title: 'Watching for changes' })
})

it('where only a person has it look, it says so, and does not seem to watch', () => {
  const asked = { kind: 'idle', nextPollAt: null, onlyWhenAsked: true } as const
  expect(lookOfWatch(asked, nowMs)).toMatchObject({ title: 'Ready', detail: 'Syncs only when you ask' })
  expect(lookOfWatch(asked, nowMs, 3)).toMatchObject({ title: 'Syncing', detail: '3 files waiting' })
})

it('files that wait for a later look, or for a person, are not said to be synced', () => {
  expect(lookOfWatch(idle(600_000), nowMs, 34).title).toBe('Watching for changes')
  expect(lookOfWatch({ kind: 'paused', until: null }, nowMs, 34).title).toBe('Paused')
})
