import { createPinia } from 'pinia'
import { expect, test } from 'vitest'
import { createApp, effectScope } from 'vue'
import { useEngine } from '../../../renderer/stores/engine-store.ts'
import { readShare, useSyncProgress } from '../../../renderer/stores/use-sync-progress.ts'
import { clientKey, type Client } from '../../../renderer/transport/transport.ts'
import type { CallOutput } from '../../../shared/contract/calls.ts'
import type { EventValue } from '../../../shared/contract/events.ts'

test('a sync of all projects counts those that were read before, one of some counts only its own', () => {
  const progress = { projectsRead: 0, projectsTotal: 2_000 }
  const counts = { projects: 2_000, unreadProjects: 1_916 }
  expect(readShare(progress, counts)).toEqual({ done: 84, total: 2_000, isFirst: true })
  expect(readShare({ projectsRead: 2, projectsTotal: 5 }, counts)).toEqual({ done: 2, total: 5, isFirst: false })
  expect(readShare(progress, { ...counts, unreadProjects: 0 })).toEqual({ done: 0, total: 2_000, isFirst: false })
})

test('the files to download are those that the page of its link counts, without failed ones', () => {
  const progress = {
    expectedFiles: 16,
    archivedFiles: 8,
    previews: { expected: 4, archived: 2 },
    photosNotUploaded: 0,
    filesNotChecked: 0,
    reportsPending: 0,
  }
  const overview = { counts: { filesWaiting: 2, filesFailed: 3, filesRetrying: 1 }, progress, damagedFiles: 0 }
  const app = createApp({})
    .use(createPinia())
    .provide(clientKey, {} as unknown as Client)
  const scope = effectScope()
  app.runWithContext(() =>
    scope.run(() => {
      const engine = useEngine()
      engine.overview = overview as unknown as CallOutput<'overview'>
      const counts = { projectsRead: 1, projectsTotal: 1, filesDone: 2, filesFailed: 4, filesTotal: 8, timeLeft: null }
      engine.syncProgress = counts as EventValue<'sync-progress'>
      engine.watch = { kind: 'syncing', projects: 1 }
      expect(useSyncProgress().value).toMatchObject({
        headline: '2 photos and reports to download',
        to: '/projects?filter=working',
      })
      // Damaged files of projects that were removed are counted among those of the archive.
      engine.overview = { ...overview, damagedFiles: 500 } as unknown as CallOutput<'overview'>
      expect(useSyncProgress().value).toMatchObject({
        headline: 'Checking and downloading files',
        to: '/projects?filter=working',
      })
    }),
  )
  scope.stop()
})
