import { expect, test } from 'vitest'
import { readShare } from '../../../renderer/stores/use-sync-progress.ts'

test('a sync of all projects counts those that were read before, one of some counts only its own', () => {
  const progress = { projectsRead: 0, projectsTotal: 2_000 }
  const counts = { projects: 2_000, unreadProjects: 1_916 }
  expect(readShare(progress, counts)).toEqual({ done: 84, total: 2_000, isFirst: true })
  expect(readShare({ projectsRead: 2, projectsTotal: 5 }, counts)).toEqual({ done: 2, total: 5, isFirst: false })
  expect(readShare(progress, { ...counts, unreadProjects: 0 })).toEqual({ done: 0, total: 2_000, isFirst: false })
})
