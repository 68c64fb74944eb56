import { expect, it } from 'vitest'
import type { Gap } from '../../../shared/domain.ts'
import type { ChecklistSummary } from '../../../shared/views.ts'
import {
  attentionSentence,
  checklistPresentation,
  gapsSentence,
  gapsSummary,
  peopleCounts,
  olderVersions,
} from '../../../renderer/labels/checklist-labels.ts'

const report: Gap = { kind: 'report', question: 'Report', expected: 1, archived: 0, reason: 'report failed' }
const failed = { problem: null, isRead: true, gaps: [report], archivedFiles: 4 }
const sentence = (middle: string) =>
  `The service could not create the PDF report.${middle} Ask the service to create the report again.`

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
    '1 photo missing or changed on the disk, 1 report invalid when downloaded.',
  )
  expect(attentionSentence({ ...failed, problem, gaps: [waits] })).toBe(problem.message)
  expect(gapsSentence({ problem, gaps: [waits] })).toBe(problem.message)
  const both = '3 photos waiting to be downloaded, 1 photo missing or changed on the disk'
  expect(gapsSentence({ problem, gaps: [waits, damaged] })).toBe(both)
  const own = { code: 'not-found', message: 'The service does not know it.' } as const
  expect(attentionSentence({ ...failed, problem: own, gaps: [damaged] })).toBe(own.message)
  expect(gapsSentence({ problem: own, gaps: [damaged] })).toBe(own.message)
})

it('a completed checklist without questions is incomplete, and nothing that Attention lists', () => {
  const gap: Gap = { kind: 'checklist', question: 'Checklist', expected: 0, archived: 0, reason: 'no questions found' }
  const facts = { problem: null, isRetrying: false, complete: false, status: 'completed' }
  const presentation = (gaps: Gap[]) => checklistPresentation({ ...facts, gaps } as ChecklistSummary).label
  expect(presentation([gap])).toBe('Incomplete')
  expect(presentation([gap, report])).toBe('Needs attention')
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

it('the summary counts missing files by reason', () => {
  expect(gapsSummary([])).toBe('')
  expect(
    gapsSummary([
      { kind: 'photos', question: 'A', expected: 5, archived: 2, reason: 'not downloaded yet' },
      { kind: 'photos', question: 'B', expected: 1, archived: 0, reason: 'gone' },
      { kind: 'photos', question: 'C', expected: 1_200, archived: 0, reason: 'not downloaded yet' },
    ]),
  ).toBe('1,203 photos waiting to be downloaded, 1 photo gone from the service')
})

it('a count of files is followed by plain words', () => {
  const gap = { kind: 'photos', question: 'A', archived: 0, reason: 'unreachable' } as const
  expect(gapsSummary([{ ...gap, expected: 13 }])).toBe('13 photos not delivered by the download server')
  expect(gapsSummary([{ ...gap, expected: 1, reason: 'file invalid' }])).toBe('1 photo invalid when downloaded')
})

it('thumbnails are mentioned only if no photo is missing for the same reason', () => {
  const photos = { kind: 'photos', question: 'A', expected: 2, archived: 1, reason: 'file invalid' } as const
  const previews = { ...photos, kind: 'thumbnails' as const, archived: 0 }
  expect(gapsSummary([photos, previews])).toBe('1 photo invalid when downloaded')
  expect(gapsSummary([previews])).toBe('2 thumbnails invalid when downloaded')
  const counts = { archivedFiles: 37, expectedFiles: 38, previews: { archived: 18, expected: 18 } }
  expect(peopleCounts(counts)).toMatchObject({ archived: 19, expected: 20 })
})

it('gaps that are not about single files have no number', () => {
  expect(gapsSummary([report])).toBe('Report could not be created')
  // An earlier report is archived.
  expect(gapsSummary([{ ...report, archived: 1 }])).toBe('Report could not be created')
  const photos = { kind: 'photos', question: 'A', expected: 2, archived: 1, reason: 'not uploaded yet' } as const
  expect(gapsSummary([photos, { ...photos, kind: 'report', question: 'Report' }])).toBe(
    'Report not ready yet, 1 photo not uploaded yet',
  )
  expect(
    gapsSummary([{ kind: 'checklist', question: 'Checklist', expected: 9, archived: 9, reason: 'not read yet' }]),
  ).toBe('Not checked yet')
})

it('archived photos whose newer version failed are counted by reason, missing ones are not', () => {
  const problem = (message: string) => ({ code: 'file-gone', message }) as const
  const failed = { archived: true, problem: problem('The download server no longer has the file.') }
  const photos = [failed, failed, { archived: true, problem: problem('The download server stopped answering.') }]
  expect(olderVersions([...photos, { archived: true, problem: null }, { ...failed, archived: false }])).toEqual([
    '2 photos: a newer version could not be downloaded. The download server no longer has the file.',
    '1 photo: a newer version could not be downloaded. The download server stopped answering.',
  ])
})
