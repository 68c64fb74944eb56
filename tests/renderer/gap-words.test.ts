import { expect, it } from 'vitest'
import { gapsSummary } from '../../renderer/words/gap-words.ts'

it('a checklist says in one line how many files it lacks for which reason', () => {
  expect(gapsSummary([])).toBe('')
  expect(
    gapsSummary([
      { kind: 'photos', question: 'A', expected: 5, archived: 2, reason: 'not downloaded yet' },
      { kind: 'photos', question: 'B', expected: 1, archived: 0, reason: 'gone' },
      { kind: 'photos', question: 'C', expected: 1_200, archived: 0, reason: 'not downloaded yet' },
    ]),
  ).toBe('1,203 files waiting to be downloaded, 1 file gone from the file server')
})

it('what is not about single files is said without a number', () => {
  expect(gapsSummary([{ kind: 'report', question: 'Report', expected: 1, archived: 0, reason: 'report failed' }])).toBe(
    'Report could not be made',
  )
  expect(
    gapsSummary([{ kind: 'checklist', question: 'Checklist', expected: 9, archived: 9, reason: 'not read yet' }]),
  ).toBe('Changed, not read again yet')
})
