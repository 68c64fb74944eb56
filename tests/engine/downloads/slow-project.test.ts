import { expect, it } from 'vitest'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { readFiles, sampleArchive } from '../../support/sample-archive.ts'

const site = {
  projects: 2,
  checklistsPerProject: 1,
  photoQuestionsPerChecklist: 4,
  photosPerQuestion: 3,
  photoBytes: 100_000,
} as const
const slots = 8

it('slow files of a project make room for another project, and are downloaded later without a failure', async () => {
  const archive = await sampleArchive({ ...site, statuses: ['completed'], awkwardNames: false })
  const { faults, requests, projects } = archive.service
  const [slow, other] = projects
  if (slow === undefined || other === undefined) throw new Error('The sample has fewer projects')
  const isOfSlow = ({ origin, path }: { origin: string; path: string }) => origin === 'files' && path.includes(slow.id)
  const requested = () => requests.records.filter(isOfSlow).map(({ path }) => path)
  // A thumbnail takes over a minute, a photo many.
  faults.add({ route: isOfSlow, fault: { kind: 'trickle', bytesPerSecond: 100 }, count: slots })

  await archive.withEngine(
    async (engine) => {
      const stop = new AbortController()
      const syncing = engine.sync({ projectIds: [slow.id], signal: stop.signal })
      await expect.poll(() => requested().length).toBe(slots)
      const held = requested()

      // The slow files take minutes.
      expect(await engine.sync({ projectIds: [other.id] })).toMatchObject({ failures: [] })
      const files = 1 + 2 * other.checklists.flatMap(photosOf).length
      const archived = () => [...readFiles(archive.root).keys()].filter((path) => /\.(jpg|pdf)$/.test(path)).length
      // All files of the other project, and those of the slow one that still arrive slowly are half as many as before.
      await expect.poll(archived).toBe(2 * files - slots / 2)
      const again = requested().filter((path, index, all) => all.indexOf(path) < index)
      expect(again).toHaveLength(slots / 2)
      expect(held).toEqual(expect.arrayContaining(again))
      expect(engine.failures()).toEqual([])
      stop.abort()
      await expect(syncing).rejects.toMatchObject({ code: 'cancelled' })
    },
    { concurrency: slots },
  )
  expect(await archive.sync()).toMatchObject({ failures: [], filesDownloaded: slots / 2 })
})
