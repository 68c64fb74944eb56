import { expect, it } from 'vitest'
import { createPainter } from '../../../electron/headless/output/painter.ts'
import { describeFailedFiles } from '../../../electron/headless/report/describe-failed-files.ts'

const paint = createPainter(false)
const file = {
  assetId: 1,
  projectId: 'p',
  path: 'Site [abc]/Survey [def]/photos/a.jpg',
  code: 'file-invalid',
  message: 'It is no photo.',
  attempts: 2,
  nextTryAt: new Date(2026, 5, 1, 9, 30, 12).toISOString(),
} as const

it('tells each failed file with its reason and when the watch tries it again', () => {
  expect(describeFailedFiles([file], paint)).toEqual([
    'Failed files (1); "sync" tries all of them at once:',
    '  Site [abc]/Survey [def]/photos/a.jpg: It is no photo. Next try of "watch": 2026-06-01 09:30.',
  ])
})

it('tells nothing when nothing failed, and the first twenty of very many', () => {
  expect(describeFailedFiles([], paint)).toEqual([])
  expect(
    describeFailedFiles(
      Array.from({ length: 300 }, () => file),
      paint,
    ),
  ).toHaveLength(22)
})
