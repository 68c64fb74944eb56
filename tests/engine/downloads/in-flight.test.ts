import { expect, it } from 'vitest'
import { events } from '../../../shared/contract/events.ts'
import type { Engine } from '../../../electron/engine/engine.ts'
import type { DownloadInFlight } from '../../../electron/engine/lib/events.ts'
import { sampleArchive } from '../../support/sample-archive.ts'
import { until } from '../../support/watching.ts'

const site = { projects: 1, checklistsPerProject: 1, photoQuestionsPerChecklist: 4, statuses: ['completed'] } as const

it('emits the files being downloaded and their progress, by name only, and finally that there are none', async () => {
  const archive = await sampleArchive({ ...site, photoBytes: 4000, awkwardNames: false })
  archive.service.faults.add({ route: 'photo', fault: { kind: 'trickle', bytesPerSecond: 100 } })
  const work = async (engine: Engine) => {
    let files: readonly DownloadInFlight[] = []
    engine.events.on('downloads', (inFlight) => (files = inFlight))
    const stop = new AbortController()
    const syncing = engine.sync({ signal: stop.signal })
    await until('a part of every file is downloaded', () => {
      return files.length === 2 && files.every(({ bytes }) => bytes > 0)
    })
    const [project] = archive.service.projects
    for (const file of files) {
      expect(file).toMatchObject({ kind: 'photo', projectId: project?.id, projectName: project?.name })
      expect(file.name).toMatch(/^[^/\\]+\.jpg$/i)
      expect(file.totalBytes).toBe(4000)
      expect(file.bytes).toBeLessThan(4000)
    }
    expect(events.downloads.strict().parse({ files }).files).toEqual(files)
    expect(JSON.stringify(files)).not.toContain('http')
    stop.abort()
    await expect(syncing).rejects.toMatchObject({ code: 'cancelled' })
    await until('nothing is in flight', () => files.length === 0)
  }
  await archive.withEngine(work, { concurrency: 2 })
})
