import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { activityQuerySchema } from '../../shared/activity.ts'
import {
  checklistFilters,
  failureQuerySchema,
  projectFilters,
  projectQuerySchema,
  projectSorts,
} from '../../shared/views.ts'
import { createActivityLog } from '../../electron/engine/activity/create-activity.ts'
import { createCatalog } from '../../electron/engine/catalog/create-catalog.ts'
import { createStore } from '../../electron/engine/store/create-store.ts'
import { fillBigDatabase } from '../support/big-database.ts'

/** Nobody notices a list that is there after this. Of the CPU: other programs are no fault of the list's. */
const targetMs = 50
const rounds = 7

/** Times every call that lists something, on a database of 10,000 projects and a million files. */
export async function benchLists(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'solarchive-lists-'))
  try {
    const file = join(folder, 'solarchive.sqlite3')
    const startMs = performance.now()
    fillBigDatabase(file)
    console.log(
      `Made in ${((performance.now() - startMs) / 1000).toFixed(1)} s. Median of ${rounds}: milliseconds of CPU (of the clock):`,
    )
    const store = createStore(file)
    const catalog = createCatalog(store)
    const activity = createActivityLog(store, () => undefined)
    const project = catalog.projects(projectQuerySchema.parse({ filter: 'incomplete', limit: 1 })).items[0]?.id ?? ''
    const checklist = catalog.project(project, { offset: 0, limit: 1 }).checklists.items[0]?.id ?? ''
    const projects = (query: object) => () => catalog.projects(projectQuerySchema.parse(query))
    const failures = (query: object) => () => catalog.failures(failureQuerySchema.parse(query))
    const activities = (query: object) => () => activity.list(activityQuerySchema.parse(query))
    const calls: Record<string, () => unknown> = {
      counts: () => catalog.counts(),
      attention: () => catalog.attention(),
      ...Object.fromEntries(projectFilters.map((filter) => [`projects, ${filter}`, projects({ filter })])),
      ...Object.fromEntries(
        projectSorts.map((sort) => [`projects by ${sort}, last page`, projects({ sort, offset: 9_950 })]),
      ),
      'projects, found by a text': projects({ search: 'elm' }),
      'a project': () => catalog.project(project, { offset: 0, limit: 50 }),
      'a checklist': () => catalog.checklist(project, checklist),
      ...Object.fromEntries(
        checklistFilters.map((filter) => [
          `checklists, ${filter}`,
          () => catalog.checklists({ filter, offset: 0, limit: 50 }),
        ]),
      ),
      failures: failures({}),
      'failures, page 100': failures({ offset: 5_000 }),
      'failures of a project': failures({ projectId: project }),
      'failures of a checklist': failures({ projectId: project, checklistId: checklist }),
      activity: activities({}),
      'activity, a rare group': activities({ groups: ['yours'] }),
      'activity of a project': activities({ projectId: project }),
    }
    for (const [name, call] of Object.entries(calls)) report(name, call)
    activity.close()
    store.close()
  } finally {
    await rm(folder, { recursive: true })
  }
}

function report(name: string, call: () => unknown): void {
  const runs = Array.from({ length: rounds }, () => {
    const startMs = performance.now()
    const before = process.cpuUsage()
    call()
    const { user, system } = process.cpuUsage(before)
    return { cpuMs: (user + system) / 1000, wallMs: performance.now() - startMs }
  })
  const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN
  const [cpuMs, wallMs] = [median(runs.map((run) => run.cpuMs)), median(runs.map((run) => run.wallMs))]
  const figures = `${cpuMs.toFixed(1).padStart(7)}  (${wallMs.toFixed(1)})`
  console.log(`  ${name.padEnd(32)} ${figures}${cpuMs > targetMs ? '  MISSED' : ''}`)
}
