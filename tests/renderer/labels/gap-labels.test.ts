import { expect, it } from 'vitest'
import { gapsSummary, olderVersions } from '../../../renderer/labels/gap-labels.ts'

it('the summary counts missing files by reason', () => {
  expect(gapsSummary([])).toBe('')
  expect(
    gapsSummary([
      { kind: 'photos', question: 'A', expected: 5, archived: 2, reason: 'not downloaded yet' },
      { kind: 'photos', question: 'B', expected: 1, archived: 0, reason: 'gone' },
      { kind: 'photos', question: 'C', expected: 1_200, archived: 0, reason: 'not downloaded yet' },
    ]),
  ).toBe('1,203 files waiting to be downloaded, 1 file gone from the file server')
})

it('a count of files is followed by plain words', () => {
  const gap = { kind: 'photos', question: 'A', archived: 0, reason: 'unreachable' } as const
  expect(gapsSummary([{ ...gap, expected: 13 }])).toBe('13 files not delivered by the file server')
  expect(gapsSummary([{ ...gap, expected: 1, reason: 'file invalid' }])).toBe('1 file invalid when downloaded')
})

it('gaps that are not about single files have no number', () => {
  expect(gapsSummary([{ kind: 'report', question: 'Report', expected: 1, archived: 0, reason: 'report failed' }])).toBe(
    'Report could not be created',
  )
  const photos = { kind: 'photos', question: 'A', expected: 2, archived: 1, reason: 'not uploaded yet' } as const
  expect(gapsSummary([photos, { ...photos, kind: 'report', question: 'Report' }])).toBe(
    'Report not ready yet, 1 file not uploaded yet',
  )
  expect(
    gapsSummary([{ kind: 'checklist', question: 'Checklist', expected: 9, archived: 9, reason: 'not read yet' }]),
  ).toBe('Changed, not read again yet')
})

it('archived photos whose newer version failed are counted by reason, missing ones are not', () => {
  const problem = (message: string) => ({ code: 'file-gone', message }) as const
  const failed = { archived: true, problem: problem('The file is not on the file host any more.') }
  const photos = [failed, failed, { archived: true, problem: problem('The file host stopped answering.') }]
  expect(olderVersions([...photos, { archived: true, problem: null }, { ...failed, archived: false }])).toEqual([
    '2 photos: a newer version could not be downloaded. The file is not on the file host any more.',
    '1 photo: a newer version could not be downloaded. The file host stopped answering.',
  ])
})
