import fc from 'fast-check'
import { expect, it } from 'vitest'
import { storeFolder } from './store-folder.ts'

const time = (minute: number) => new Date(Date.UTC(2026, 2, 1, 8, minute)).toISOString()
const nowMinute = 20
const latestMinute = 40
const everyProject = { limit: Infinity, isWanted: () => true }

const job = fc.oneof(
  fc.record({ state: fc.constant('queued' as const) }),
  fc.record({ state: fc.constant('failed' as const), tryAtMinute: fc.option(fc.nat({ max: 59 })) }),
)

/** Listing of a checklist by the service before its jobs are queued, and after them. */
const listing = { wasListed: fc.boolean(), isListed: fc.boolean() }

const project = fc.record({
  wasRemoved: fc.boolean(),
  isRemoved: fc.boolean(),
  checklists: fc.array(fc.record({ ...listing, jobs: fc.array(job, { maxLength: 4 }) }), { maxLength: 2 }),
})

it('projects to work on have a file that waits or is due, earliest due first, waiting ones last', () => {
  fc.assert(
    fc.property(fc.array(project, { maxLength: 5 }), (projects) => {
      const store = storeFolder().open()
      const expected = new Map<string, number>()
      store.transaction(() => {
        projects.forEach(({ wasRemoved, isRemoved, checklists }, projectIndex) => {
          const projectId = `p${projectIndex}`
          store.projects.put(projectId, null, null, time(0))
          if (wasRemoved) store.projects.remove(projectId, time(0))
          checklists.forEach(({ wasListed, isListed, jobs }, index) => {
            const id = `c${index}`
            const entry = { projectId, id, title: 'T', status: 'completed', updatedAt: null, fingerprint: 'now' }
            store.checklists.put({ ...entry, entryRaw: '{}' })
            const key = store.checklists.listKnown(projectId).at(-1)?.key ?? 0
            if (!wasListed) store.checklists.markGone(key, time(0))
            jobs.forEach((some, jobIndex) => {
              const path = `${projectId}/${id}/${jobIndex}`
              const assetId = store.assets.insert({
                checklistKey: key,
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
              const minute = some.state === 'failed' ? some.tryAtMinute : null
              if (some.state === 'failed') {
                const nextTryAt = minute === null ? null : time(minute)
                store.jobs.fail({ assetId, code: 'link-refused', message: '', nextTryAt, attentionAt: time(0) })
              }
              const isDue = minute === null || minute <= nowMinute || minute > latestMinute
              if (isRemoved || !isListed || !isDue) return
              expected.set(projectId, Math.min(expected.get(projectId) ?? Infinity, minute ?? Infinity))
            })
            if (isListed) store.checklists.put({ ...entry, entryRaw: '{}' })
            else store.checklists.markGone(key, time(0))
          })
          store.projects.put(projectId, null, null, time(0))
          if (isRemoved) store.projects.remove(projectId, time(1))
        })
      })
      const found = store.jobs.projectsToWork(time(nowMinute), time(latestMinute), everyProject)
      store.close()
      expect(found.toSorted()).toEqual([...expected.keys()].toSorted())
      const order = found.map((id) => expected.get(id) ?? 0)
      expect(order).toEqual(order.toSorted((one, other) => (one === other ? 0 : one - other)))
    }),
    { numRuns: 25 },
  )
})
