import { expect, it } from 'vitest'
import { sampleArchive, type SampleArchive } from '../../support/sample-archive.ts'

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
