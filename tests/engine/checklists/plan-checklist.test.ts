import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planChecklist, readInPart, type PlanInput } from '../../../electron/engine/checklists/plan-checklist.ts'

const settled: PlanInput = {
  status: 'completed',
  fingerprint: 'now',
  hasUpdatedAt: true,
  isHeadOld: false,
  detailFingerprint: 'now',
  readFingerprint: 'now',
  sinceCheckedMs: 0,
  sinceReadMs: 0,
  openJobs: 0,
  isFullPass: false,
  isUserInitiated: true,
  notUploaded: false,
  isConfirmationDue: false,
  hasNoQuestions: false,
  hasError: false,
}

describe('the plan of a pass for a checklist', () => {
  it('makes no call for one that is unchanged and complete, however long ago it was read', () => {
    fc.assert(
      fc.property(fc.option(fc.nat()), (sinceCheckedMs) => {
        expect(planChecklist({ ...settled, sinceCheckedMs })).toBe('nothing')
      }),
    )
  })

  it('reads one that is new or changed, whatever else is known about it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('awaitingMedia', 'pdfProcessing', 'pdfProcessingFailed', 'completed', 'some new status'),
        fc.constantFrom(null, 'before'),
        fc.nat(),
        fc.boolean(),
        (status, detailFingerprint, openJobs, notUploaded) => {
          expect(planChecklist({ ...settled, status, detailFingerprint, openJobs, notUploaded })).toBe('read')
        },
      ),
    )
  })

  it.each(['draft', 'formSubmitted'])('makes no call for a %s, which has no media yet', (status) => {
    expect(planChecklist({ ...settled, status, detailFingerprint: null, readFingerprint: null })).toBe('nothing')
  })

  it('requests only media if a pass ended before all of them were read', () => {
    expect(planChecklist({ ...settled, readFingerprint: null })).toBe('media')
  })

  it('requests fresh links if files still wait, also for a reopened checklist', () => {
    expect(planChecklist({ ...settled, openJobs: 1 })).toBe('media')
    expect(planChecklist({ ...settled, status: 'draft', openJobs: 1 })).toBe('media')
  })

  it('checks a finished checklist for missing photos immediately, one still uploading after a while', () => {
    const owing = { ...settled, notUploaded: true }
    expect(planChecklist(owing)).toBe('media')
    expect(planChecklist({ ...owing, status: 'awaitingMedia', sinceCheckedMs: 59_000 })).toBe('nothing')
    expect(planChecklist({ ...owing, status: 'awaitingMedia', sinceCheckedMs: 60_000 })).toBe('media')
  })

  it('checks questions with an unconfirmed empty list again when that is due', () => {
    const unconfirmed = { ...settled, isConfirmationDue: true, isUserInitiated: false }
    expect(planChecklist(unconfirmed)).toBe('media')
    expect(planChecklist({ ...unconfirmed, detailFingerprint: null })).toBe('read')
  })

  it('allows missing photos 15 minutes if no user requested the pass', () => {
    const owing = { ...settled, notUploaded: true, isUserInitiated: false }
    for (const status of ['completed', 'awaitingMedia']) {
      expect(planChecklist({ ...owing, status, sinceCheckedMs: 14 * 60_000 })).toBe('nothing')
      expect(planChecklist({ ...owing, status, sinceCheckedMs: 15 * 60_000 })).toBe('media')
    }
  })

  it('reads a checklist without an update time once a day, since its changes cannot be detected', () => {
    const blind = { ...settled, hasUpdatedAt: false }
    expect(planChecklist({ ...blind, sinceReadMs: 23 * 3_600_000 })).toBe('nothing')
    expect(planChecklist({ ...blind, sinceReadMs: 24 * 3_600_000 })).toBe('read')
    expect(planChecklist({ ...blind, sinceReadMs: null })).toBe('read')
  })

  it.each([
    ['draft', {}, 15],
    ['unknown', {}, 15],
    ['awaitingMedia', {}, 15],
    ['completed', {}, 60],
    ['completed', { hasUpdatedAt: false }, 24 * 60],
  ])(
    'asks for what the list lacks of one that is %s %j: at once for a user, else after %d minutes',
    (status, odd, min) => {
      const old = { ...settled, ...odd, status, isHeadOld: true }
      expect(planChecklist(old)).toBe('head')
      expect(planChecklist({ ...old, isUserInitiated: false, isFullPass: true })).toBe('head')
      const polled = { ...old, isUserInitiated: false }
      expect(planChecklist({ ...polled, sinceReadMs: min * 60_000 - 1 })).toBe('nothing')
      expect(planChecklist({ ...polled, sinceReadMs: min * 60_000 })).toBe('head')
      expect(planChecklist({ ...polled, sinceReadMs: null })).toBe('head')
      const failed = { ...polled, sinceReadMs: null, hasError: true }
      expect(planChecklist({ ...failed, sinceCheckedMs: 14 * 60_000 })).not.toBe('head')
      expect(planChecklist({ ...failed, sinceCheckedMs: 15 * 60_000 })).toBe('head')
    },
  )

  it('reads a checklist whose last read failed again: at once for a user, every 15 minutes otherwise', () => {
    const failed = { ...settled, hasError: true }
    expect(planChecklist(failed)).toBe('read')
    expect(planChecklist({ ...failed, isUserInitiated: false, sinceCheckedMs: 14 * 60_000 })).toBe('nothing')
    expect(planChecklist({ ...failed, isUserInitiated: false, sinceCheckedMs: 15 * 60_000 })).toBe('read')
    expect(planChecklist({ ...failed, openJobs: 1 }), 'what it waits for').toBe('media')
    expect(planChecklist({ ...failed, readFingerprint: null }), 'what is not read').toBe('media')
  })

  it('is read again once an hour, or for a user, if only a part of it was sent', () => {
    const read = readInPart(settled.fingerprint)
    const failed = { ...settled, isUserInitiated: false, hasError: true }
    const part = { ...failed, detailFingerprint: read, readFingerprint: read }
    expect(planChecklist({ ...part, sinceReadMs: 3_599_000 })).toBe('nothing')
    expect(planChecklist({ ...part, sinceReadMs: 3_600_000 })).toBe('read')
    expect(planChecklist({ ...part, sinceReadMs: 0, isUserInitiated: true })).toBe('read')
    expect(planChecklist({ ...part, fingerprint: 'another' })).toBe('read')
    expect(planChecklist({ ...part, readFingerprint: null }), 'after a pass that ended early').toBe('media')
    const old = { ...part, status: 'awaitingMedia', isHeadOld: true, sinceReadMs: 3_599_000 }
    expect(planChecklist({ ...old, sinceCheckedMs: 14 * 60_000 })).toBe('nothing')
    expect(planChecklist({ ...old, sinceCheckedMs: 15 * 60_000 })).toBe('head')
  })

  it('is read again once an hour, or for a user, if it was sent without a question', () => {
    const empty = { ...settled, isUserInitiated: false, hasNoQuestions: true }
    expect(planChecklist({ ...empty, sinceReadMs: 3_599_000 })).toBe('nothing')
    expect(planChecklist({ ...empty, sinceReadMs: 3_600_000 })).toBe('read')
    expect(planChecklist({ ...empty, sinceReadMs: 0, isUserInitiated: true })).toBe('read')
  })
})
