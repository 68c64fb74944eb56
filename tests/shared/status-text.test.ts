import { describe, expect, test } from 'vitest'
import type { GapReason } from '../../shared/domain.ts'
import { packetGapText } from '../../shared/packet-text.ts'
import { blockerTitle, gapSentence, gapText, syncProgressParts, watchText } from '../../shared/status-text.ts'
import type { WatchState } from '../../shared/watch.ts'

const nowMs = new Date(2026, 6, 1, 12).getTime()
const at = (hours: number) => new Date(nowMs + hours * 3_600_000).toISOString()
const blocked = (obstacle: 'offline' | 'token', code: 'unreachable-reset' | 'token-refused' | 'token-missing') =>
  ({ kind: 'blocked', obstacle, code, message: 'No.', since: at(-1) }) as const

test('the reason of missing photos agrees with their number', () => {
  expect(gapSentence('link refused', 2)).toBe(
    'Links refused by the download server. The next sync asks for fresh ones.',
  )
  expect(gapSentence('damaged', 2)).toMatch(/“Verify and repair” downloads them again\.$/)
  expect(gapSentence('not uploaded yet', 2)).toBe('Not uploaded from the phone yet.')
})

test('a gap counts what is missing, never what is there', () => {
  const gap = (reason: GapReason, archived = 3) => ({ expected: 4, archived, reason })
  expect(gapText(gap('damaged'), 'photo')).toBe('1 of 4 photos missing or changed on the disk')
  expect(gapText(gap('not uploaded yet', 0), 'photo')).toBe('4 of 4 photos not uploaded yet')
  expect(gapText(gap('not read yet', 4), 'photo')).toBe('not checked yet')
  for (const archived of [0, 1]) {
    expect(gapText({ expected: 1, archived, reason: 'report failed' }, 'report')).toBe('report could not be created')
  }
  const place = { checklistId: null, checklistTitle: null, section: null, question: null }
  const ofPacket = { ...place, ...gap('damaged') }
  expect(packetGapText(ofPacket)).toBe('1 of 4 photos missing or changed on the disk')
  expect(packetGapText({ ...ofPacket, reason: 'too few photos' })).toBe('3 photos, 4 asked for')
  expect(packetGapText({ ...ofPacket, archived: 0, reason: 'no photos' })).toBe('no photos were taken for it')
})

test.each<[WatchState, string, string]>([
  [{ kind: 'stopped' }, 'Not syncing', 'Continuous sync is not running'],
  [{ kind: 'idle', nextPollAt: at(1) }, 'Watching for changes', 'Next check: in 1 hour'],
  [{ kind: 'idle', nextPollAt: at(0.001) }, 'Watching for changes', 'Next check: soon'],
  [{ kind: 'idle', nextPollAt: at(-1) }, 'Watching for changes', 'Next check: soon'],
  [{ kind: 'idle', nextPollAt: null }, 'Watching for changes', 'No projects to check'],
  [{ kind: 'idle', nextPollAt: null, onlyWhenAsked: true }, 'Ready', 'Syncs only when you ask'],
  [{ kind: 'syncing', projects: 3 }, 'Syncing', '3 projects'],
  [{ kind: 'paused', until: null }, 'Paused', 'Until you resume'],
  [{ kind: 'paused', until: at(1) }, 'Paused', 'Until 1:00 PM'],
  [{ kind: 'quiet', until: at(20) }, 'Quiet hours', 'Until Thursday 8:00 AM'],
  [{ kind: 'battery' }, 'Paused on battery', 'Resumes when plugged in'],
  [blocked('offline', 'unreachable-reset'), 'Offline', 'Since 11:00 AM'],
])('the watch state %j is titled %s', (state, title, detail) => {
  expect(watchText(state, nowMs)).toEqual({ title, detail })
})

test('while queued files are about to start, the watch is syncing', () => {
  expect(watchText({ kind: 'idle', nextPollAt: null }, nowMs, 1)).toEqual({
    title: 'Syncing',
    detail: '1 file waiting',
  })
  expect(watchText({ kind: 'idle', nextPollAt: at(0.001) }, nowMs, 34).title).toBe('Syncing')
  expect(watchText({ kind: 'idle', nextPollAt: null, onlyWhenAsked: true }, nowMs, 3).title).toBe('Syncing')
})

test('files that wait for a later retry, or for a user, are not syncing', () => {
  expect(watchText({ kind: 'idle', nextPollAt: at(1) }, nowMs, 34).title).toBe('Watching for changes')
  expect(watchText({ kind: 'paused', until: null }, nowMs, 34).title).toBe('Paused')
})

test('an idle watch is not fine while the service answers with errors', () => {
  const title = (projects: number, checklists: number) =>
    watchText({ kind: 'idle', nextPollAt: at(1) }, nowMs, 0, { projects, checklists }).title
  expect(title(2, 3)).toBe('2 projects could not be checked')
  expect(title(0, 1)).toBe('1 checklist could not be checked')
  expect(title(0, 0)).toBe('Watching for changes')
})

test('a token problem is a missing token or a refused one', () => {
  expect(blockerTitle(blocked('token', 'token-missing'))).toBe('No access token')
  expect(blockerTitle(blocked('token', 'token-refused'))).toBe('Access token refused')
  expect(blockerTitle({ obstacle: 'token' })).toBe('Access token problem')
})

describe('the progress of a sync', () => {
  const halfway = {
    projectsDone: 2,
    projectsRead: 5,
    projectsTotal: 5,
    filesDone: 120,
    filesFailed: 0,
    filesTotal: 480,
    bytesDownloaded: 85_000_000,
    elapsedMs: 31_400,
    budgetWaitMs: 0,
    timeLeft: { leftMs: 95_000, callsPerMinute: null },
  }
  const meter = { bytesPerSecond: 4_200_000 }

  test('has counts, time left, bytes, and rate', () => {
    const parts = ['120 of 480 files', 'about 1 min 40 s left', '85.0 MB', '4.2 MB/s']
    expect(syncProgressParts(halfway, meter)).toEqual(parts)
    const soon = { ...halfway, timeLeft: { leftMs: 4_000, callsPerMinute: null } }
    expect(syncProgressParts(soon, meter)[1]).toBe('less than 10 s left')
    expect(syncProgressParts({ ...halfway, timeLeft: null }, meter).join()).not.toContain('left')
  })

  test('is about the projects while they are read, so that known files do not look like all', () => {
    const reading = { ...halfway, filesDone: 379, filesTotal: 379, projectsRead: 4, timeLeft: null }
    expect(syncProgressParts(reading, meter)).toEqual(['Reading projects: 4 of 5', '379 files', '85.0 MB', '4.2 MB/s'])
    const limited = { ...reading, timeLeft: { leftMs: 32_400_000, callsPerMinute: 60 } }
    expect(syncProgressParts(limited, meter)[1]).toBe('about 9 h left at 60 calls a minute')
    expect(syncProgressParts({ ...reading, projectsRead: 5 }, meter)[0]).toBe('379 of 379 files')
  })

  test('has no rate while the sync waits for the rate limit', () => {
    expect(syncProgressParts({ ...halfway, budgetWaitMs: 33_200 }, meter).join()).not.toContain('/s')
    expect(syncProgressParts(halfway, meter, true).join()).not.toContain('/s')
  })

  test('counts failures separately', () => {
    expect(syncProgressParts({ ...halfway, filesFailed: 3 }, meter)).toContain('3 failed')
  })
})
