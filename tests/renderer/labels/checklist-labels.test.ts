import { expect, it } from 'vitest'
import type { Gap } from '../../../shared/domain.ts'
import { lackSentence, troubleSentence } from '../../../renderer/labels/checklist-labels.ts'

const report: Gap = { kind: 'report', question: 'Report', expected: 1, archived: 0, reason: 'report failed' }
const failed = { problem: null, isRead: true, gaps: [report], archivedFiles: 4 }
const sentence = (middle: string) =>
  `The service could not make the PDF report.${middle} Ask the service to make the report again.`

it('photos beside a report that could not be made are called archived only when all of them are', () => {
  expect(troubleSentence(failed)).toBe(sentence(' Its photos are archived.'))
  const photos: Gap = { kind: 'photos', question: 'Attic', expected: 5, archived: 2, reason: 'not downloaded yet' }
  expect(troubleSentence({ ...failed, gaps: [report, photos] })).toBe(
    sentence(' 3 of its other files are not archived yet.'),
  )
})

it('a service that cannot be reached does not hide what is wrong with the checklist', () => {
  const problem = { code: 'unreachable-refused', message: 'The service does not accept connections.' } as const
  expect(troubleSentence({ ...failed, problem })).toBe(sentence(' Its photos are archived.'))
  const waits: Gap = { kind: 'photos', question: 'Attic', expected: 5, archived: 2, reason: 'not downloaded yet' }
  const damaged: Gap = { kind: 'photos', question: 'Roof', expected: 5, archived: 4, reason: 'damaged' }
  const invalid: Gap = { kind: 'report', question: 'Report', expected: 1, archived: 0, reason: 'file invalid' }
  expect(troubleSentence({ ...failed, problem, gaps: [waits, damaged, invalid] })).toBe(
    '1 file missing or changed on the disk, 1 file not sent properly by the file server.',
  )
  expect(troubleSentence({ ...failed, problem, gaps: [waits] })).toBe(problem.message)
  expect(lackSentence({ problem, gaps: [waits] })).toBe(problem.message)
  const both = '3 files waiting to be downloaded, 1 file missing or changed on the disk'
  expect(lackSentence({ problem, gaps: [waits, damaged] })).toBe(both)
  const own = { code: 'not-found', message: 'The service does not know it.' } as const
  expect(troubleSentence({ ...failed, problem: own, gaps: [damaged] })).toBe(own.message)
  expect(lackSentence({ problem: own, gaps: [damaged] })).toBe(own.message)
})

it('photos that nobody has looked for yet are not called archived', () => {
  expect(troubleSentence({ ...failed, isRead: false })).toBe(sentence(' Its photos are archived as they come.'))
  const doubt: Gap = { kind: 'photos', question: 'Attic', expected: 0, archived: 0, reason: 'no photos listed yet' }
  expect(troubleSentence({ ...failed, gaps: [report, doubt] })).toBe(sentence(' Its photos are archived as they come.'))
  expect(troubleSentence({ ...failed, archivedFiles: 0 })).toBe(sentence(''))
})
