import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  readRetryAfterMs,
  freshHistory,
  nextStep,
  type CallHistory,
  type Trouble,
} from '../../../electron/engine/service/retry-rules.ts'
import { expectLinear } from '../../support/expect-linear.ts'

const minute = 60_000

/** The steps for a call that meets the same trouble every time. */
function stepsFor(trouble: Trouble, mayRepeat = true): string[] {
  const steps: string[] = []
  let history: CallHistory = freshHistory
  for (;;) {
    const step = nextStep(history, trouble, mayRepeat)
    steps.push(step.kind)
    if (step.kind === 'fail') return steps
    history = step.history
  }
}

describe('the next step after a failure', () => {
  test('two quick retries for a temporary failure', () => {
    expect(stepsFor({ kind: 'failed', isTransient: true, isTimeout: false })).toEqual(['retry', 'retry', 'fail'])
  })

  test('one retry after a timeout', () => {
    expect(stepsFor({ kind: 'failed', isTransient: true, isTimeout: true })).toEqual(['retry', 'fail'])
  })

  test('no retry for a permanent failure, or for a call that must not be repeated', () => {
    expect(stepsFor({ kind: 'failed', isTransient: false, isTimeout: false })).toEqual(['fail'])
    expect(stepsFor({ kind: 'failed', isTransient: true, isTimeout: false }, false)).toEqual(['fail'])
    expect(stepsFor({ kind: 'refused', askedWaitMs: 1000 }, false)).toEqual(['fail'])
  })

  test('a refusal pauses without costing an attempt, up to five in a row', () => {
    const pauses = ['pause', 'pause', 'pause', 'pause', 'fail']
    expect(stepsFor({ kind: 'refused', askedWaitMs: minute })).toEqual(pauses)
    const step = nextStep({ failures: 1, timeouts: 1, refusals: 0 }, { kind: 'refused', askedWaitMs: 5 }, true)
    expect(step).toEqual({ kind: 'pause', pauseMs: 5, history: { failures: 1, timeouts: 1, refusals: 1 } })
  })

  test('a long wait is returned to the caller; the pause holds for an hour at most', () => {
    expect(nextStep(freshHistory, { kind: 'refused', askedWaitMs: 15 * minute }, true).kind).toBe('pause')
    const asked = { kind: 'refused', askedWaitMs: 20 * minute } as const
    expect(nextStep(freshHistory, asked, true)).toEqual({ kind: 'fail', pauseMs: 20 * minute })
    const endless = { kind: 'refused', askedWaitMs: 1e12 } as const
    expect(nextStep(freshHistory, endless, true)).toEqual({ kind: 'fail', pauseMs: 60 * minute })
  })
})

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1, 12, 0, 0)

  test.each([
    ['30', 30_000],
    [' 7 ', 7_000],
    ['1.5', 1_500],
    ['0', 1_000],
    ['Thu, 01 Jan 2026 12:02:00 GMT', 120_000],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 1_000],
    ['Thursday, 01-Jan-26 12:02:00 GMT', 120_000],
  ])('%s', (header, expected) => {
    expect(readRetryAfterMs(header, now)).toBe(expected)
  })

  test('a date without a zone is UTC, wherever this machine is', () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    for (const zone of ['America/New_York', 'Asia/Tokyo']) {
      vi.stubEnv('TZ', zone)
      for (const date of [
        'Thu Jan  1 12:02:00 2026',
        'Thu, 01 Jan 2026 12:02:00',
        'Thu, 01 Jan 2026 12:02',
        'Thursday, 01-Jan-26 12:02:00',
        'Thu, 01 Jan 2026 12:02:00 GMT',
        'Thu, 01 Jan 2026 13:02:00 +0100',
        'Thu, 01 Jan 2026 13:02:00 +01:00',
        'Thu, 01 Jan 2026 13:02:00 GMT+01:00',
        'Thu, 01 Jan 2026 07:02:00 EST',
        'Thu Jan  1 13:02:00 2026 +0100',
      ]) {
        expect(readRetryAfterMs(date, now), date).toBe(120_000)
      }
    }
  })

  test.each([[undefined], [''], ['soon'], ['-5'], ['1e999'], ['12:00'], ['NaN'], ['Someday 12:00']])(
    'unreadable (%s): a minute',
    (header) => {
      expect(readRetryAfterMs(header, now)).toBe(minute)
    },
  )

  test('is cut: a long one takes no time, and what follows has no meaning', () => {
    expect(readRetryAfterMs(`30${' '.repeat(16_000)}`, now)).toBe(30_000)
    expect(readRetryAfterMs(`${' '.repeat(64)}30`, now)).toBe(minute)
    expectLinear((length) => readRetryAfterMs('mon'.repeat(length), now), 20_000)
  })
})
