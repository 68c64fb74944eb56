import { expect, it } from 'vitest'
import type { Gap } from '../../../shared/domain.ts'
import { gapsSentence, attentionSentence } from '../../../renderer/labels/checklist-labels.ts'

const report: Gap = { kind: 'report', question: 'Report', expected: 1, archived: 0, reason: 'report failed' }
const failed = { problem: null, isRead: true, gaps: [report], archivedFiles: 4 }
const sentence = (middle: string) =>
  `The service could not create the PDF report.${middle} Create the report again at the service.`

it('photos beside a failed report are called archived only if all of them are', () => {
  expect(attentionSentence(failed)).toBe(sentence(' Its photos are archived.'))
  const photos: Gap = { kind: 'photos', question: 'Attic', expected: 5, archived: 2, reason: 'not downloaded yet' }
  expect(attentionSentence({ ...failed, gaps: [report, photos] })).toBe(
    sentence(' 3 of its other files are not archived yet.'),
  )
})

it('an outage does not hide the problems of a checklist', () => {
  const problem = { code: 'unreachable-refused', message: 'The service does not accept connections.' } as const
  expect(attentionSentence({ ...failed, problem })).toBe(sentence(' Its photos are archived.'))
  const waits: Gap = { kind: 'photos', question: 'Attic', expected: 5, archived: 2, reason: 'not downloaded yet' }
  const damaged: Gap = { kind: 'photos', question: 'Roof', expected: 5, archived: 4, reason: 'damaged' }
  const invalid: Gap = { kind: 'report', question: 'Report', expected: 1, archived: 0, reason: 'file invalid' }
  expect(attentionSentence({ ...failed, problem, gaps: [waits, damaged, invalid] })).toBe(
    '1 file missing or changed on the disk, 1 file invalid when downloaded.',
  )
  expect(attentionSentence({ ...failed, problem, gaps: [waits] })).toBe(problem.message)
  expect(gapsSentence({ problem, gaps: [waits] })).toBe(problem.message)
  const both = '3 files waiting to be downloaded, 1 file missing or changed on the disk'
  expect(gapsSentence({ problem, gaps: [waits, damaged] })).toBe(both)
  const own = { code: 'not-found', message: 'The service does not know it.' } as const
  expect(attentionSentence({ ...failed, problem: own, gaps: [damaged] })).toBe(own.message)
  expect(gapsSentence({ problem: own, gaps: [damaged] })).toBe(own.message)
})

it('photos of an unread checklist are not called archived', () => {
  expect(attentionSentence({ ...failed, isRead: false })).toBe(sentence(' Its photos are archived as they arrive.'))
  const unconfirmed: Gap = {
    kind: 'photos',
    question: 'Attic',
    expected: 0,
    archived: 0,
    reason: 'no photos listed yet',
  }
  expect(attentionSentence({ ...failed, gaps: [report, unconfirmed] })).toBe(
    sentence(' Its photos are archived as they arrive.'),
  )
  expect(attentionSentence({ ...failed, archivedFiles: 0 })).toBe(sentence(''))
})
