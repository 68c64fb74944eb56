import { expect, it } from 'vitest'
import { storeFolder } from './store-folder.ts'

const time = (minute: number) => new Date(Date.UTC(2026, 2, 1, 8, minute)).toISOString()

it('failed files are counted and listed by project, whatever the limit, without those of removed projects', () => {
  const store = storeFolder().open()
  const files = { removed: 3, early: 3, late: 2 }
  for (const [index, [projectId, count]] of Object.entries(files).entries()) {
    store.projects.put(projectId, null, null, time(0))
    const entry = { projectId, id: 'c', title: 'T', status: 'completed', updatedAt: null, fingerprint: 'now' }
    store.checklists.put({ ...entry, entryRaw: '{}' })
    const checklistKey = store.checklists.listKnown(projectId).at(-1)?.key ?? 0
    for (let number = 0; number < count; number++) {
      const path = `${projectId}/${number}`
      const assetId = store.assets.insert({
        checklistKey,
        questionKey: null,
        kind: 'photo',
        path,
        pathKey: path,
        remoteKey: path,
        sourceHash: null,
        fileName: null,
        record: null,
        takenAt: null,
        latitude: null,
        longitude: null,
      })
      store.jobs.enqueue(assetId, projectId, 'fetch')
      const nextTryAt = time(10 * index + number)
      store.jobs.fail({ assetId, code: 'link-refused', message: '', nextTryAt, attentionAt: time(0) })
    }
  }
  store.projects.remove('removed', time(1))
  const listed = (limit: number, projectIds?: string[]) => [
    store.jobs.listFailed(limit, projectIds).map(({ path }) => path),
    store.jobs.countFailed(projectIds),
  ]
  expect(listed(2)).toEqual([['early/0', 'early/1'], 5])
  expect(listed(1, ['late'])).toEqual([['late/0'], 2])
  expect(listed(9, ['late', 'removed'])).toEqual([['late/0', 'late/1'], 2])
  const retries = () => store.jobs.listFailed(9, ['late']).map(({ nextTryAt }) => nextTryAt)
  expect(retries()).toEqual([time(20), time(21)])
  // Files of a checklist that the service no longer lists are not retried.
  store.checklists.markGone(store.checklists.listKnown('late').at(-1)?.key ?? 0, time(2))
  expect(retries()).toEqual([null, null])
  store.close()
})
