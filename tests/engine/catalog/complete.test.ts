import { unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checklistFilters, projectQuerySchema, type FailureQuery } from '../../../shared/views.ts'
import type { Engine } from '../../../electron/engine/engine.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { checklistOf, readFiles, sampleArchive } from '../../support/sample-archive.ts'

const list = (engine: Engine, query: object = {}) => engine.catalog.projects(projectQuerySchema.parse(query)).items
const ids = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id).sort()
const incomplete = (engine: Engine) => engine.catalog.checklists({ filter: 'incomplete', offset: 0, limit: 50 }).items

/** The lists that are cut by completeness are those whose rows say so. */
function expectAgreement(engine: Engine): void {
  const all = list(engine)
  const isComplete = ({ checklists, completeChecklists }: (typeof all)[number]) => checklists === completeChecklists
  const synced = all.filter(({ lastSyncedAt }) => lastSyncedAt !== null)
  expect(ids(list(engine, { filter: 'complete' }))).toEqual(ids(synced.filter(isComplete)))
  expect(ids(list(engine, { filter: 'incomplete' }))).toEqual(ids(all.filter((project) => !isComplete(project))))
}

it('projects are listed as complete when their checklists are, through whatever happens to them', async () => {
  const archive = await sampleArchive({ projects: 3, checklistsPerProject: 2, statuses: ['completed'] })
  const [checklist, other] = [checklistOf(archive), archive.service.projects[1]?.checklists[0] ?? checklistOf(archive)]
  const steps: (() => void)[] = [
    () => undefined,
    () => archive.service.setStatus(checklist, 'awaitingMedia'),
    () => archive.service.setStatus(checklist, 'completed'),
    () => archive.service.removeChecklist(other),
    () => archive.service.addPhoto(checklist),
    () => void archive.service.faults.add({ route: 'photo', fault: { kind: 'status', status: 404 } }),
    () => archive.service.replacePhoto(photosOf(checklist)[0] ?? ''),
    () => archive.service.replaceReport(checklist),
    () => void archive.service.faults.add({ route: 'checklist', fault: { kind: 'status', status: 500 } }),
    () => archive.service.faults.clear(),
  ]
  await archive.withEngine(async (engine) => {
    expectAgreement(engine)
    for (const step of steps) {
      step()
      await engine.sync()
      expectAgreement(engine)
    }
    const photo = [...readFiles(archive.root).keys()].find((path) => path.includes('/photos/'))
    unlinkSync(join(archive.root, photo ?? ''))
    await engine.verify()
    expectAgreement(engine)
  })
}, 120_000)

it('what is not complete, and what failed, is listed over all projects but the removed ones', async () => {
  const few = { projects: 2, checklistsPerProject: 2, photoQuestionsPerChecklist: 2 }
  const archive = await sampleArchive({ ...few, statuses: ['completed'] })
  archive.service.setStatus(checklistOf(archive), 'awaitingMedia')
  archive.service.faults.add({ route: 'photo', fault: { kind: 'status', status: 404 } })
  await archive.withEngine(async (engine) => {
    await engine.sync()
    const projects = archive.service.projects
    const checklists = projects.flatMap((project) => project.checklists)
    expect(ids(incomplete(engine))).toEqual(ids(checklists))
    expect(incomplete(engine).every(({ complete }) => !complete)).toBe(true)
    const [waiting] = checklistFilters
      .map((filter) => engine.catalog.checklists({ filter, offset: 0, limit: 50 }))
      .slice(1)
    expect(waiting?.items).toMatchObject([{ id: checklistOf(archive).id, projectName: projects[0]?.name }])

    const failed = (query: Partial<FailureQuery>) => engine.catalog.failures({ offset: 0, limit: 50, ...query })
    const [first = '', second = ''] = projects.map(({ id }) => id)
    const all = failed({})
    const ofFirst = failed({ projectId: first })
    const ofChecklist = failed({ projectId: first, checklistId: checklistOf(archive).id })
    expect(ofFirst.items).toEqual(all.items.filter(({ projectId }) => projectId === first))
    expect(ofChecklist.items).toEqual(
      ofFirst.items.filter(({ checklistId }) => checklistId === checklistOf(archive).id),
    )
    expect([all.total, ofFirst.total, ofChecklist.total]).toEqual(
      [all, ofFirst, ofChecklist].map(({ items }) => items.length),
    )
    expect(ofChecklist.total).toBeGreaterThan(0)
    engine.projects.remove(first)
    expect(failed({}).items).toEqual(all.items.filter(({ projectId }) => projectId === second))
    expect(failed({}).total).toBe(failed({}).items.length)
    expect(engine.catalog.counts().filesFailed).toBe(failed({}).total)
    expect(incomplete(engine).every(({ projectId }) => projectId === second)).toBe(true)
  })
})
