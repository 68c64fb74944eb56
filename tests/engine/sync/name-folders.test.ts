import { expect, it } from 'vitest'
import type { Engine } from '../../../electron/engine/engine.ts'
import type { Clock } from '../../../electron/engine/lib/ports.ts'
import type { Fault } from '../../../electron/sample-service/http/faults.ts'
import { JumpingClock } from '../../support/jumping-clock.ts'
import { sampleArchive, type SampleArchive } from '../../support/sample-archive.ts'

/** Works with an archive whose three projects were added by their ids alone. */
async function withUnnamed(
  work: (engine: Engine, archive: SampleArchive, ids: readonly string[]) => Promise<void>,
  clock?: Clock,
) {
  const archive = await sampleArchive({ projects: 3, checklistsPerProject: 0, awkwardNames: false }, clock)
  const { projects } = archive.service
  const names = projects.map(({ name }) => name)
  for (const project of projects) Object.assign(project, { name: undefined })
  await archive.withEngine((engine) => {
    projects.forEach((project, index) => Object.assign(project, { name: names[index] }))
    return work(
      engine,
      archive,
      projects.map(({ id }) => id),
    )
  })
}

const named = (engine: Engine) => engine.projects.list().map(({ id, name, folder }) => name !== id && folder !== null)

it('a connection that breaks at the call for the name leaves the folder to the next sync', async () => {
  await withUnnamed(async (engine, { service }, [id = '']) => {
    const broken = service.faults.add({ route: 'project', fault: { kind: 'reset' } })
    expect(await engine.sync({ projectIds: [id] })).toMatchObject({ failedProjects: [{ code: 'unreachable-reset' }] })
    expect(engine.projects.list().map(({ folder }) => folder)).toEqual([null, null, null])
    broken.remove()
    expect(await engine.sync()).toMatchObject({ failedProjects: [] })
    expect(named(engine)).toEqual([true, true, true])
  })
})

it('a project is archived by its id if only the call for its name breaks, time after time', async () => {
  await withUnnamed(async (engine, { service }, [id = '']) => {
    service.faults.add({ route: 'project', fault: { kind: 'reset' } })
    expect(await engine.sync({ projectIds: [id] })).toMatchObject({ failedProjects: [{ id }] })
    expect(await engine.sync({ projectIds: [id] })).toMatchObject({ failedProjects: [] })
    expect(engine.projects.list().find((project) => project.id === id)).toMatchObject({ name: id })
  })
})

it.each<[string, Fault]>([
  ['service-error', { kind: 'status', status: 500 }],
  ['unreadable-answer', { kind: 'html' }],
])('%s of a service that names projects leaves the folder to the next sync, once', async (code, fault) => {
  await withUnnamed(async (engine, { service }, [first = '', second = '', third = '']) => {
    await engine.sync({ projectIds: [first] })
    const passing = service.faults.add({ route: 'project', fault })
    expect(await engine.sync({ projectIds: [second] })).toMatchObject({ failedProjects: [{ code }] })
    passing.remove()
    expect(await engine.sync({ projectIds: [second] })).toMatchObject({ failedProjects: [] })
    service.faults.add({ route: 'project', fault })
    expect(await engine.sync({ projectIds: [third] })).toMatchObject({ failedProjects: [{ code }] })
    expect(await engine.sync({ projectIds: [third] })).toMatchObject({ failedProjects: [] })
    const isNamed = (id: string) => engine.projects.list().some((one) => one.id === id && one.name !== id)
    expect([first, second, third].map(isNamed)).toEqual([true, true, false])
  })
})

it.each<[string, Fault]>([
  ['the list', { kind: 'status', status: 503 }],
  ['the rate limit', { kind: 'status', status: 429, retryAfter: 1 }],
])('a failure of %s in the sync before does not count as one of the call for the name', async (_, fault) => {
  await withUnnamed(async (engine, { service }, [first = '', second = '']) => {
    await engine.sync({ projectIds: [first] })
    const list = service.faults.add({ route: 'checklists', fault })
    expect(await engine.sync({ projectIds: [second] })).toMatchObject({ failedProjects: [{ id: second }] })
    list.remove()
    const call = service.faults.add({ route: 'project', fault: { kind: 'status', status: 503 } })
    expect(await engine.sync({ projectIds: [second] })).toMatchObject({ failedProjects: [{ id: second }] })
    call.remove()
    await engine.sync({ projectIds: [second] })
    expect(engine.projects.list().find(({ id }) => id === second)?.name).not.toBe(second)
  })
})

it('a project that the service cannot name takes no name from the others; an import names it later', async () => {
  await withUnnamed(async (engine, { service }, ids) => {
    const [first = '', second = '', third = ''] = ids
    service.faults.add({ route: 'project', fault: { kind: 'status', status: 404 }, skip: 1, count: 1 })
    for (const id of [first, second, third]) await engine.sync({ projectIds: [id] })
    const isNamed = () => ids.map((id) => engine.projects.list().some((one) => one.id === id && one.name !== id))
    expect(isNamed()).toEqual([true, false, true])
    expect(await engine.projects.discover()).toMatchObject({ found: 3, added: [] })
    expect(isNamed()).toEqual([true, true, true])
  })
})

it('a service without the call is asked for a name once', async () => {
  await withUnnamed(async (engine, { service }) => {
    service.faults.add({ route: 'project', fault: { kind: 'status', status: 404 } })
    for (const { id } of service.projects) await engine.sync({ projectIds: [id] })
    expect(service.requests.count('project')).toBe(1)
  })
})

it('a service that lacked the call while the clock was ahead is asked for names once the clock is right', async () => {
  const clock = new JumpingClock()
  const year = 365 * 24 * 60 * 60_000
  await withUnnamed(async (engine, { service }, [first = '', second = '', third = '']) => {
    clock.jump(year)
    service.faults.add({ route: 'project', fault: { kind: 'status', status: 404 }, count: 1 })
    for (const id of [first, second]) await engine.sync({ projectIds: [id] })
    expect(service.requests.count('project')).toBe(1)
    clock.jump(-year)
    await engine.sync({ projectIds: [third] })
    expect(service.requests.count('project')).toBe(2)
    expect(engine.projects.list().find(({ id }) => id === third)?.name).not.toBe(third)
  }, clock)
})
