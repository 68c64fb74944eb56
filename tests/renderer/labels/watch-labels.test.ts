import { expect, it } from 'vitest'
import { watchPresentation } from '../../../renderer/labels/watch-labels.ts'

const nowMs = Date.UTC(2026, 10, 21, 9)
const idle = (inMs: number) => ({ kind: 'idle', nextPollAt: new Date(nowMs + inMs).toISOString() }) as const

it('the state is Syncing while queued files are about to start', () => {
  expect(watchPresentation(idle(2_000), nowMs, 34)).toMatchObject({ title: 'Syncing', detail: '34 files waiting' })
  expect(watchPresentation({ kind: 'idle', nextPollAt: null }, nowMs, 1)).toMatchObject({ detail: '1 file waiting' })
  expect(watchPresentation(idle(2_000), nowMs)).toMatchObject({ title: 'Watching for changes' })
})

it('a manual schedule is Ready, not watching', () => {
  const asked = { kind: 'idle', nextPollAt: null, onlyWhenAsked: true } as const
  expect(watchPresentation(asked, nowMs)).toMatchObject({ title: 'Ready', detail: 'Syncs only when you ask' })
  expect(watchPresentation(asked, nowMs, 3)).toMatchObject({ title: 'Syncing', detail: '3 files waiting' })
})

it('files that wait for a later check or for the user do not show as Syncing', () => {
  expect(watchPresentation(idle(600_000), nowMs, 34).title).toBe('Watching for changes')
  expect(watchPresentation({ kind: 'paused', until: null }, nowMs, 34).title).toBe('Paused')
})
