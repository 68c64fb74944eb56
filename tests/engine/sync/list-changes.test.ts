import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { SyncResult } from '../../../electron/engine/engine.ts'
import { sampleArchive, type SampleArchive } from '../../support/sample-archive.ts'
import { startWatching, until } from '../../support/watching.ts'

const site = {
  checklistsPerProject: 1,
  photoQuestionsPerChecklist: 1,
  statuses: ['completed'],
  awkwardNames: false,
} as const

/** Calls `act` at the first request for a list of checklists. */
function atFirstList({ service }: SampleArchive, act: () => void): void {
  let isFirst = true
  const route = ({ route: name }: { route: string }) => {
    if (name === 'checklists' && isFirst) {
      isFirst = false
      act()
    }
    return false
  }
  service.faults.add({ route, fault: { kind: 'reset' } })
}

it('a project that is removed before a sync reaches it is left alone', async () => {
  const archive = await sampleArchive({ ...site, projects: 4 })
  const ids = archive.service.projects.map(({ id }) => id)
  const last = ids.at(-1) ?? ''
  await archive.withEngine(async (engine) => {
    atFirstList(archive, () => void engine.projects.remove(last))
    expect(await engine.sync({ projectIds: ids })).toMatchObject({ projects: 3, notSynced: 0, failedProjects: [] })
    expect(engine.projects.list().map(({ id }) => id)).not.toContain(last)
  })
  expect(archive.service.requests.records.filter(({ path }) => path.includes(last))).toEqual([])
  expect(readdirSync(archive.root)).toHaveLength(3)
})

it('a project that is removed while the service is asked for its name stays removed', async () => {
  const archive = await sampleArchive({ ...site, projects: 1 })
  const [project] = archive.service.projects
  const name = project?.name
  // Added by its id alone.
  Object.assign(project ?? {}, { name: undefined })
  await archive.withEngine(async (engine) => {
    Object.assign(project ?? {}, { name })
    atFirstList(archive, () => void engine.projects.remove(project?.id ?? ''))
    await engine.sync()
    expect(archive.service.requests.count('project')).toBe(1)
    expect(engine.projects.list()).toEqual([])
  })
})

it('a project has one folder if a sync was waiting for the watch to archive it', async () => {
  const archive = await sampleArchive({ ...site, projects: 1 })
  await archive.withEngine(async (engine) => {
    let sync: Promise<SyncResult> | undefined
    atFirstList(archive, () => {
      sync = engine.sync()
    })
    const watching = startWatching(engine)
    await until('the watch has archived the project', () => watching.synced.length > 0)
    expect(await sync).toMatchObject({ failures: [] })
    await watching.stop()
    const { folder } = engine.projects.list()[0] ?? {}
    expect(readdirSync(archive.root)).toEqual([folder])
  })
})
