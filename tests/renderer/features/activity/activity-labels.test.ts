import { expect, test } from 'vitest'
import { activityPresentation } from '../../../../renderer/features/activity/activity-labels.ts'
import type { Activity, SettingChange } from '../../../../shared/activity.ts'

const row = { id: 1, at: '2026-11-23T00:00:00.000Z', project: null, checklist: null, file: null }

test('the activity counts photos, reports, and thumbnails as the pages do', () => {
  const sentence = (activity: Activity) => activityPresentation(activity).sentence
  const replaced = { ...row, kind: 'files-replaced', group: 'changes' } as const
  expect(sentence({ ...replaced, facts: { count: 2, fileKind: 'thumbnail' } })).toBe(
    '2 thumbnails replaced at the service; the earlier version is kept',
  )
  const archived = { ...row, kind: 'checklist-archived', group: 'archived' } as const
  expect(sentence({ ...archived, facts: { count: 12 } })).toBe('Complete: 12 photos and reports archived')
})

test('the activity says how long an outage was, and whose', () => {
  const outage = { ...row, at: '2026-11-23T00:02:05.000Z', kind: 'outage', group: 'problems' } as const
  const since = '2026-11-23T00:00:00.000Z'
  const facts = { host: null, code: 'service-error', since } as const
  expect(activityPresentation({ ...outage, facts }).sentence).toBe(
    'The service answered with errors for 2 min 5 s; syncing resumed',
  )
  const ofFiles = { host: 'files.example', code: 'unreachable-timeout', since } as const
  expect(activityPresentation({ ...outage, facts: ofFiles }).sentence).toBe(
    'The download server files.example could not be reached for 2 min 5 s; syncing resumed',
  )
})

test('the activity names changed settings as their page does, with the old and the new value', () => {
  const sentence = (changes: SettingChange[]) =>
    activityPresentation({ ...row, kind: 'settings-changed', facts: { changes } }).sentence
  expect(
    sentence([
      { setting: 'schedule', from: 'automatic', to: 'manual' },
      { setting: 'quietHours', from: '22:00–06:00', to: null },
    ]),
  ).toBe('Sync schedule changed: Automatic → Only when I ask; Quiet hours changed: 22:00–06:00 → off')
  expect(sentence([{ setting: 'apiCallsPerMinute', from: 1200, to: 0 }])).toBe(
    'Calls to the service per minute changed: 1,200 → no limit',
  )
  expect(sentence([{ setting: 'attention', from: true, to: false }])).toBe(
    'Notification “Something needs attention” turned off',
  )
  expect(sentence([{ setting: 'startAtLogin', from: false, to: true }])).toBe('“Start when you log in” turned on')
})
