import { describe, expect, it } from 'vitest'
import { appendOlder, mergeUpdates } from '../../../../renderer/features/activity/use-activity.ts'
import type { Activity } from '../../../../shared/activity.ts'

const row = (id: number, count = 1): Activity => ({
  ...{ id, at: '2026-05-04T10:00:00.000Z', kind: 'files-missing', group: 'verify', facts: { count } },
  ...{ project: null, checklist: null, file: null },
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
})
