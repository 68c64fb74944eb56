import { expect, it } from 'vitest'
import { events } from '../../../shared/contract/events.ts'
import type { Engine } from '../../../electron/engine/engine.ts'
import type { DownloadInFlight } from '../../../electron/engine/lib/events.ts'
import { sampleArchive } from '../../support/sample-archive.ts'
import { until } from '../../support/watching.ts'

const site = { projects: 1, checklistsPerProject: 1, photoQuestionsPerChecklist: 4, statuses: ['completed'] } as const

it('tells which files are being downloaded and how far they are, by name alone, and in the end that none is', async () => {
  const archive = await sampleArchive({ ...site, photoBytes: 4000, awkwardNames: false })
  archive.service.faults.add({ route: 'photo', fault: { kind: 'trickle', bytesPerSecond: 100 } })
  const work = async (engine: Engine) => {
    let told: readonly DownloadInFlight[] = []
    engine.events.on('downloads', (files) => (told = files))
    const stop = new AbortController()
    const syncing = engine.sync({ signal: stop.signal })
    await until('a part of every file under way is there', () => {
      return told.length === 2 && told.every(({ bytes }) => bytes > 0)
    })
    const [project] = archive.service.projects
    for (const file of told) {
      expect(file).toMatchObject({ kind: 'photo', projectId: project?.id, projectName: project?.name })
      expect(file.name).toMatch(/^[^/\\]+\.jpg$/i)
      expect(file.totalBytes).toBe(4000)
      expect(file.bytes).toBeLessThan(4000)
    }
    expect(events.downloads.strict().parse({ files: told }).files).toEqual(told)
    expect(JSON.stringify(told)).not.toContain('http')
    stop.abort()
    await expect(syncing).rejects.toMatchObject({ code: 'cancelled' })
    await until('none is under way', () => told.length === 0)
  }
  await archive.withEngine(work, { concurrency: 2 })
})
