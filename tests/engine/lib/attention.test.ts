import { expect, test } from 'vitest'
import { attentionAt, startsAttention } from '../../../electron/engine/lib/attention.ts'

const iso = (minutes: number) => new Date(minutes * 60_000).toISOString()

test('what retries may fix needs attention from the third failure, or an hour after the first', () => {
  const first = { code: 'unreachable-reset', failures: 1, attentionAt: null } as const
  expect(attentionAt(first, 0)).toBe(iso(60))
  expect(attentionAt({ ...first, failures: 2, attentionAt: iso(60) }, 60_000)).toBe(iso(60))
  expect(attentionAt({ ...first, failures: 3, attentionAt: iso(60) }, 120_000)).toBe(iso(2))
  expect(attentionAt({ ...first, failures: 2, attentionAt: iso(60) }, 90 * 60_000)).toBe(iso(60))
  expect(attentionAt({ ...first, code: 'file-gone' }, 0)).toBe(iso(0))
  expect(attentionAt({ ...first, code: 'service-error', attentionAt: iso(-5) }, 0)).toBe(iso(-5))
})

test('a failure is reported once, when it starts to need attention', () => {
  const before = { code: 'service-error' } as const
  const reported = (failures: number, minutes: number, code: 'service-error' | 'file-gone' = 'service-error') =>
    startsAttention(
      { code, failures, attentionAt: failures === 1 ? null : iso(60) },
      failures === 1 ? { code: null } : before,
      minutes * 60_000,
    )
  expect([reported(1, 0), reported(2, 1), reported(3, 2), reported(4, 3)]).toEqual([false, false, true, false])
  expect([reported(2, 61), reported(1, 0, 'file-gone'), reported(4, 3, 'file-gone')]).toEqual([true, true, true])
})
