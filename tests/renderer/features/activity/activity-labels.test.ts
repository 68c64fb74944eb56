import { expect, test } from 'vitest'
import { activityPresentation } from '../../../../renderer/features/activity/activity-labels.ts'
import type { Activity } from '../../../../shared/activity.ts'

const row = { id: 1, at: '2026-11-23T00:00:00.000Z', project: null, checklist: null, file: null }

test('the activity counts photos, reports, and previews as the pages do', () => {
  const sentence = (activity: Activity) => activityPresentation(activity).sentence
  const replaced = { ...row, kind: 'files-replaced', group: 'changes' } as const
  expect(sentence({ ...replaced, facts: { count: 2, fileKind: 'thumbnail' } })).toBe(
    '2 previews replaced at the service; the earlier version is kept',
  )
  const archived = { ...row, kind: 'checklist-archived', group: 'archived' } as const
  expect(sentence({ ...archived, facts: { count: 12 } })).toBe('Complete: 12 photos and reports archived')
})
