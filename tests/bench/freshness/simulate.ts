import { setImmediate } from 'node:timers/promises'
import { PollQueue } from '../../../electron/engine/scheduler/poll-queue.ts'
import type { PollState } from '../../../electron/engine/scheduler/poll-schedule.ts'
import { afterAnswer } from '../../support/poll-states.ts'
import { SeededRandom } from '../../../electron/sample-service/site/seeded-random.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import type { Life, LivedProject, World } from './checklist-lifecycles.ts'
import { SimEngine } from './sim-engine.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

export interface SimulationOptions {
  readonly world: World
  readonly seed: number
  readonly strategy: 'schedule' | 'round-robin'
  readonly callsPerMinute: number
  /** Lives that end between 0 and this are measured. */
  readonly measuredMs: number
  /** The wall clock jumps by so much at that time. */
  readonly jumps?: readonly { readonly atMs: number; readonly byMs: number }[]
}

export interface SimulationResult {
  /** For each measured life how long it took to notice that it is completed; Infinity: never. */
  readonly delays: readonly { readonly life: Life; readonly delayMs: number }[]
  /** The greatest number of calls in any 60 seconds, by when they were sent or when the service counted them. */
  readonly maxCallsInAMinute: number
  readonly calls: Readonly<Record<'list' | 'detail' | 'media', number>>
  readonly maxUnpolledMs: number
}

/** Runs before what is measured, until the queue has found its pace. */
const warmUpMs = dayMs / 2
/** Runs on after it, until the last completion has been noticed: nothing is left out for being late. */
const tailMs = 25 * hourMs
/** Projects read at a time. */
const lanes = ['hot', 'hot', 'idle', 'idle'] as const

/** Watches a world for some days of simulated time. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { world, seed, strategy, callsPerMinute, measuredMs } = options
  // An immediate runs after all promises that can resolve.
  const clock = new FakeClock(Date.UTC(2026, 0, 1), () => setImmediate())
  const engine = new SimEngine(clock, { callsPerMinute, originMs: warmUpMs, seed })
  const polls = new PollTimes(world.projects, -warmUpMs)
  const poll = async (project: LivedProject, priority: 'hot' | 'idle', isFullPass: boolean) => {
    const outcome = await engine.pass(project, priority, isFullPass)
    polls.record(project, engine.timeMs)
    return outcome
  }
  const watch = { clock, engine, seed, callsPerMinute, projects: world.projects, poll }
  void (strategy === 'schedule' ? watchBySchedule(watch) : watchInTurn(watch))
  const runUntil = (timeMs: number) => clock.advance(warmUpMs + timeMs - clock.monotonicMs())
  for (const { atMs, byMs } of options.jumps ?? []) {
    await runUntil(atMs)
    clock.jump(byMs)
  }
  const endMs = measuredMs + tailMs
  await runUntil(endMs)
  return {
    delays: world.lives
      .filter(({ completedMs }) => completedMs >= 0 && completedMs < measuredMs)
      .map((life) => ({
        life,
        delayMs: (engine.noticedMs(life.checklist, life.completedMs) ?? Infinity) - life.completedMs,
      })),
    maxCallsInAMinute: Math.max(maxInAMinute(engine.sentMs), maxInAMinute(engine.countedMs)),
    calls: engine.calls,
    maxUnpolledMs: polls.maxMs(endMs),
  }
}

interface Watch {
  readonly clock: FakeClock
  readonly engine: SimEngine
  readonly seed: number
  readonly callsPerMinute: number
  readonly projects: readonly LivedProject[]
  readonly poll: (project: LivedProject, priority: 'hot' | 'idle', isFullPass: boolean) => ReturnType<SimEngine['pass']>
}

/** As `watch` does it: workers take what the queue returns. */
async function watchBySchedule({ clock, engine, seed, callsPerMinute, projects, poll }: Watch): Promise<void> {
  const random = new SeededRandom(`states/${seed}`)
  const queue = new PollQueue(callsPerMinute)
  const states = new Map<string, PollState>()
  const byId = new Map(projects.map((project) => [project.id, project]))
  const put = (state: PollState) => {
    states.set(state.projectId, state)
    queue.put(state, clock.nowMs())
  }
  for (const project of projects) {
    if (project.addedMs <= engine.timeMs && project.removedMs > engine.timeMs) put(recalled(project))
  }

  /** Polled about when the schedule would have done so. */
  function recalled(project: LivedProject): PollState {
    const nowMs = clock.nowMs()
    const tier = engine.recall(project)
    const silentMs = Math.min(
      ...project.checklists.map((checklist) => engine.timeMs - lastChangeMs(checklist, engine.timeMs)),
    )
    const agesMs = { hot: minuteMs, open: 10 * minuteMs, settled: Math.min(dayMs, silentMs / 8) }
    const polledMs = nowMs - random.next() * agesMs[tier]
    return {
      projectId: project.id,
      tier,
      polledMs,
      triedMs: polledMs,
      changedMs: nowMs - silentMs,
      pollFailures: 0,
      lastFullPassMs: nowMs - random.next() * 7 * dayMs,
    }
  }

  async function work(lane: 'hot' | 'idle'): Promise<void> {
    for (;;) {
      const turn = queue.next(lane, clock.nowMs(), engine.budget.freeCalls())
      if (turn.kind === 'wait') {
        await clock.sleep(turn.waitMs)
        continue
      }
      const { projectId, priority, isFullPass } = turn
      const project = byId.get(projectId)
      const before = states.get(projectId)
      if (project === undefined || before === undefined) throw new Error('The queue made a project up')
      if (project.removedMs <= engine.timeMs) continue
      const { tier, changed } = await poll(project, priority, isFullPass)
      put(afterAnswer(before, { tier, changed, isFullPass }, clock.nowMs()))
    }
  }

  async function addProjects(): Promise<void> {
    const coming = projects.filter(({ addedMs }) => addedMs > engine.timeMs).sort((a, b) => a.addedMs - b.addedMs)
    for (const { id: projectId, addedMs } of coming) {
      await clock.sleep(addedMs - engine.timeMs)
      const unknown = { polledMs: null, triedMs: null, pollFailures: 0, lastFullPassMs: null }
      put({ projectId, tier: 'settled', changedMs: clock.nowMs(), ...unknown })
    }
  }

  await Promise.all([addProjects(), ...lanes.map(work)])
}

const lastChangeMs = ({ steps }: LivedProject['checklists'][number], atMs: number) =>
  steps.findLast((step) => step.atMs <= atMs)?.atMs ?? -Infinity

/** Plain round-robin: one after the other, as fast as the budget allows, and each read whole once a week as well. */
async function watchInTurn({ engine, seed, projects, poll }: Watch): Promise<void> {
  const random = new SeededRandom(`states/${seed}`)
  const weekMs = 7 * dayMs
  const lastFullPassMs = new Map<string, number>()
  for (const project of projects) {
    if (project.addedMs <= engine.timeMs) engine.recall(project)
    lastFullPassMs.set(project.id, engine.timeMs - random.next() * weekMs)
  }
  let index = Math.floor(random.next() * projects.length)
  async function work(): Promise<void> {
    for (;;) {
      const project = projects[index++ % projects.length]
      if (project === undefined || project.addedMs > engine.timeMs || project.removedMs <= engine.timeMs) continue
      const isFullPass = engine.timeMs - (lastFullPassMs.get(project.id) ?? 0) > weekMs
      if (isFullPass) lastFullPassMs.set(project.id, engine.timeMs)
      await poll(project, 'idle', isFullPass)
    }
  }
  await Promise.all(lanes.map(work))
}

/** Last poll of each project, and the longest time between two polls. */
class PollTimes {
  readonly #last: Map<LivedProject, number>
  #maxMs = 0

  constructor(projects: readonly LivedProject[], startMs: number) {
    this.#last = new Map(projects.map((project) => [project, Math.max(startMs, project.addedMs)]))
  }

  record(project: LivedProject, atMs: number): void {
    this.#maxMs = Math.max(this.#maxMs, atMs - (this.#last.get(project) ?? atMs))
    this.#last.set(project, atMs)
  }

  maxMs(endMs: number): number {
    const open = [...this.#last].map(([project, lastMs]) => Math.min(project.removedMs, endMs) - lastMs)
    return Math.max(this.#maxMs, ...open)
  }
}

/** Both ends belong to the minute. */
function maxInAMinute(times: readonly number[]): number {
  const sorted = Float64Array.from(times).sort()
  let most = 0
  let first = 0
  for (let last = 0; last < sorted.length; last++) {
    while ((sorted[last] ?? 0) - (sorted[first] ?? 0) > minuteMs) first++
    most = Math.max(most, last - first + 1)
  }
  return most
}
