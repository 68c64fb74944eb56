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
import { createActivityLog } from '../../electron/engine/catalog/activity-log.ts'
import { createCatalog } from '../../electron/engine/catalog/create-catalog.ts'
import { createStore, type Store } from '../../electron/engine/store/create-store.ts'
import { fillBigDatabase } from '../support/big-database.ts'

/** Of the CPU, in milliseconds, at the 99th percentile: other programs are no fault of the list's. */
const targetMs = 10
/** Targets of the pages that show one project or checklist. */
const pageTargetMs = 50
const rounds = 100
const pageRows = 50
const [aProject, aChecklist] = ['a project', 'a checklist']
/** Of a million files 1,000. */
const damagedEvery = 1_000

/** Times every call that lists something, on a database of 10,000 projects and a million files. */
export async function benchLists(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'solarchive-lists-'))
  try {
    const file = join(folder, 'solarchive.sqlite3')
    const startMs = performance.now()
    fillBigDatabase(file)
    console.log(
      `Created in ${((performance.now() - startMs) / 1000).toFixed(1)} s. ` +
        `p50 and p99 of ${rounds}: milliseconds of CPU (and of the clock, p50):`,
    )
    const store = createStore(file)
    damageSome(store)
    const catalog = createCatalog(store, { nowMs: Date.now })
    measureOnce('the facts of all projects, computed once', () => catalog.counts())
    const activity = createActivityLog(store, () => undefined)
    const project = catalog.projects(projectQuerySchema.parse({ filter: 'incomplete', limit: 1 })).items[0]?.id ?? ''
    const checklist = catalog.project(project, { offset: 0, limit: 1 }).checklists.items[0]?.id ?? ''
    const projects = (query: object) => () => catalog.projects(projectQuerySchema.parse(query))
    const failures = (query: object) => () => catalog.failures(failureQuerySchema.parse(query))
    const activities = (query: object) => () => activity.list(activityQuerySchema.parse(query))
    const lastOf = (total: number) => ({ offset: total - pageRows, limit: pageRows })
    const open = catalog.checklists({ filter: 'incomplete', offset: 0, limit: 1 })
    const failed = catalog.failures(failureQuerySchema.parse({}))
    const calls: Record<string, () => unknown> = {
      'counts (overview)': () => catalog.counts(),
      'counts, after a file was archived': () => {
        store.assets.confirm(1, null)
        return catalog.counts()
      },
      'progress (overview)': () => catalog.progress(),
      'attention (overview)': () => catalog.attention(),
      'damaged files (overview)': () => catalog.damagedFiles(),
      'damaged files, last page': () => catalog.findings(lastOf(catalog.damagedFiles())),
      ...Object.fromEntries(projectFilters.map((filter) => [`projects, ${filter}`, projects({ filter })])),
      ...Object.fromEntries(
        projectSorts.map((sort) => [`projects by ${sort}, last page`, projects({ sort, offset: 9_950 })]),
      ),
      'names of all projects': () => catalog.projectNames({ ...projectQuerySchema.parse({}), limit: 10_000 }),
      'projects, found by a text': projects({ search: 'elm' }),
      'projects, found and filtered': projects({ search: 'elm', filter: 'complete', sort: 'synced', offset: 5_000 }),
      'projects, eight of the palette': projects({ search: '99', limit: 8 }),
      [aProject]: () => catalog.project(project, { offset: 0, limit: pageRows }),
      [aChecklist]: () => catalog.checklist(project, checklist),
      ...Object.fromEntries(
        checklistFilters.map((filter) => [
          `checklists, ${filter}`,
          () => catalog.checklists({ filter, offset: 0, limit: pageRows }),
        ]),
      ),
      'checklists, incomplete, last page': () => catalog.checklists({ filter: 'incomplete', ...lastOf(open.total) }),
      failures: failures({}),
      'failures, last page': failures(lastOf(failed.total)),
      'failures of a project': failures({ projectId: project }),
      'failures of a checklist': failures({ projectId: project, checklistId: checklist }),
      activity: activities({}),
      'activity, a rare group': activities({ groups: ['yours'] }),
      'activity, the oldest': activities({ before: 60 }),
      'activity, what is new': activities({ after: 19_900 }),
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
  // The first one compiles the statements.
  call()
  const runs = Array.from({ length: rounds }, () => measure(call))
  const at = (share: number, times: number[]) =>
    times.sort((a, b) => a - b)[Math.ceil(share * rounds) - 1] ?? Number.NaN
  const cpu = runs.map(({ cpuMs }) => cpuMs)
  const [p50, p99] = [at(0.5, cpu), at(0.99, cpu)]
  const wall = at(
    0.5,
    runs.map(({ wallMs }) => wallMs),
  )
  const target = [aProject, aChecklist].includes(name) ? pageTargetMs : targetMs
  if (p99 > target) process.exitCode = 1
  const figures = `${p50.toFixed(1).padStart(7)} ${p99.toFixed(1).padStart(7)}  (${wall.toFixed(1)})`
  console.log(`  ${name.padEnd(34)} ${figures}${p99 > target ? `  MISSED: at most ${target}` : ''}`)
}

function measureOnce(name: string, call: () => unknown): void {
  console.log(`  ${name}: ${measure(call).cpuMs.toFixed(0)} ms`)
}

function measure(call: () => unknown): { readonly cpuMs: number; readonly wallMs: number } {
  const startMs = performance.now()
  const before = process.cpuUsage()
  call()
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() - startMs }
}

/** As a verify of an ailing disk finds it. */
function damageSome(store: Store): void {
  const at = new Date().toISOString()
  store.transaction(() => {
    for (let id = damagedEvery; id < 1_000_000; id += damagedEvery) {
      const sha256 = store.assets.get(id)?.sha256 ?? ''
      store.assets.markDamaged({ id, sha256, damage: 'changed', at })
    }
  })
}
