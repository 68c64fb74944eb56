import type { SyncSchedule } from '../../../shared/settings.ts'
import type { CallPriority } from '../service/service-types.ts'
import { DueHeap } from './due-heap.ts'
import { nextToPoll, type Pick, type PickRules } from './next-to-poll.ts'
import { planPoll, type PollLane, type PollPlan, type PollStanding } from './poll-schedule.ts'

const minuteMs = 60_000

/**
 * While other projects are due, hot polls take no more than this share of the calls: by default 15 hot projects
 * are polled every minute whatever else waits. Measured with `npm run bench -- freshness`: a third makes the slowest one
 * in twenty completions wait three times as long.
 */
const hotShare = 0.25

/** Polls ahead of time are for when this share of the calls is free, and are so far apart that they take no more. */
const earlyFreeShare = 0.5
const earlySpacingMs = 2000

/** Whole readings, which cost many calls, are this far apart: 10,000 projects get theirs within a week. */
const reconcileSpacingMs = minuteMs

/** The clock may jump, and calls may become free, while a lane waits. */
const longestWaitMs = 10_000

export type PollTurn =
  | {
      readonly kind: 'poll'
      readonly projectId: string
      readonly priority: Extract<CallPriority, 'hot' | 'idle'>
      readonly reconcile: boolean
    }
  | { readonly kind: 'wait'; readonly waitMs: number }

/** The projects of a lane: those that are due, and the others. */
class Lane {
  readonly due = new Set<PollPlan>()
  readonly later = new Set<PollPlan>()
  /** Of `later`; plans that have left it meanwhile are passed over. */
  readonly #byDueTime = new DueHeap<PollPlan>()

  add(plan: PollPlan): void {
    this.later.add(plan)
    this.#byDueTime.push(plan)
  }

  delete(plan: PollPlan): void {
    this.due.delete(plan)
    this.later.delete(plan)
  }

  /** Moves what has come due; answers when the next one will, Infinity when none is left. */
  advance(nowMs: number): number {
    for (let first = this.#byDueTime.first; first !== undefined; first = this.#byDueTime.first) {
      const waits = this.later.has(first)
      if (waits && first.dueMs > nowMs) return first.dueMs
      this.#byDueTime.pop()
      if (!waits) continue
      this.later.delete(first)
      this.due.add(first)
    }
    return Infinity
  }
}

/**
 * Says which project to poll now. Holds a plan for each; a project that was handed out is out of the queue until it is
 * put back with its new standing. Synchronous; times are the wall clock's and may jump.
 */
export class PollQueue {
  readonly #projects = new Map<string, { readonly standing: PollStanding; readonly plan: PollPlan }>()
  #lanes: Readonly<Record<PollLane, Lane>> = { hot: new Lane(), idle: new Lane() }
  readonly #schedule: SyncSchedule
  readonly #hotPerMinute: number
  readonly #earlyFreeCalls: number
  #hotTurnsMs: number[] = []
  #reconciledMs = -Infinity
  #earlyMs = -Infinity
  #latestNowMs = -Infinity

  /** `callsPerMinute`: the rate budget's limit; 0: none. */
  constructor(callsPerMinute: number, schedule: SyncSchedule = 'automatic') {
    this.#schedule = schedule
    this.#hotPerMinute = callsPerMinute === 0 ? Infinity : Math.max(1, callsPerMinute * hotShare)
    this.#earlyFreeCalls = callsPerMinute * earlyFreeShare
  }

  projectIds(): string[] {
    return [...this.#projects.keys()]
  }

  get size(): number {
    return this.#projects.size
  }

  /** Adds a project, or puts it back, or changes what is known of one that waits. */
  put(standing: PollStanding, nowMs: number): void {
    this.#noteClock(nowMs)
    this.remove(standing.projectId)
    this.#plan(standing, nowMs)
  }

  remove(projectId: string): void {
    const known = this.#projects.get(projectId)
    if (known === undefined) return
    this.#projects.delete(projectId)
    this.#lanes[known.plan.lane].delete(known.plan)
  }

  /** When the first project is due; Infinity without any. */
  firstDueMs(nowMs: number): number {
    this.#noteClock(nowMs)
    const times = Object.values(this.#lanes).map((lane) => {
      const laterMs = lane.advance(nowMs)
      return lane.due.size > 0 ? nowMs : laterMs
    })
    return Math.min(...times)
  }

  /**
   * Whom to poll now on this lane, or how long to wait before asking again. `freeCalls`: how many calls the rate budget
   * would grant at once; Infinity without a limit.
   */
  next(lane: PollLane, nowMs: number, freeCalls: number): PollTurn {
    this.#noteClock(nowMs)
    const nextDueMs = this.#lanes[lane].advance(nowMs)
    const pauseMs = lane === 'hot' ? this.#hotPauseMs(nowMs) : 0
    if (pauseMs > 0) return wait(pauseMs)
    const mayGoEarly = lane === 'idle' && freeCalls > this.#earlyFreeCalls
    const rules: PickRules = {
      early: mayGoEarly && nowMs - this.#earlyMs >= earlySpacingMs,
      reconcile: nowMs - this.#reconciledMs >= reconcileSpacingMs,
    }
    const pick = this.#pick(lane, nowMs, rules)
    if (pick !== undefined) return this.#handOut(pick, nowMs, rules)
    return wait(Math.min(nextDueMs - nowMs, mayGoEarly && !rules.early ? earlySpacingMs : Infinity))
  }

  #pick(lane: PollLane, nowMs: number, rules: PickRules): Pick | undefined {
    const { due, later } = this.#lanes[lane]
    const pick = nextToPoll(due, nowMs, rules)
    if (pick !== undefined || !(rules.early || rules.reconcile)) return pick
    return nextToPoll(later, nowMs, rules)
  }

  #handOut({ plan, reason }: Pick, nowMs: number, rules: PickRules): PollTurn {
    const { projectId, lane } = plan
    const isFirst = this.#projects.get(projectId)?.standing.polledMs === null
    const reconcile = plan.reconcileMs <= nowMs && (isFirst || rules.reconcile)
    this.remove(projectId)
    if (lane === 'hot') this.#hotTurnsMs.push(nowMs)
    if (reconcile && !isFirst) this.#reconciledMs = nowMs
    if (reason === 'early') this.#earlyMs = nowMs
    const priority = lane === 'hot' || reason === 'pressing' ? 'hot' : 'idle'
    return { kind: 'poll', projectId, priority, reconcile }
  }

  /** How long hot polls have to make room for others. */
  #hotPauseMs(nowMs: number): number {
    const turns = this.#hotTurnsMs
    while (turns[0] !== undefined && nowMs - turns[0] >= minuteMs) turns.shift()
    if (turns.length < this.#hotPerMinute) return 0
    this.#lanes.idle.advance(nowMs)
    if (this.#lanes.idle.due.size === 0) return 0
    return (turns[0] ?? nowMs) + minuteMs - nowMs
  }

  #plan(standing: PollStanding, nowMs: number): void {
    const plan = planPoll(standing, nowMs, this.#schedule)
    this.#projects.set(standing.projectId, { standing, plan })
    this.#lanes[plan.lane].add(plan)
  }

  /** After the clock went back, plans made by the later time would hold everything up until it comes again. */
  #noteClock(nowMs: number): void {
    if (nowMs < this.#latestNowMs) {
      const standings = [...this.#projects.values()].map(({ standing }) => standing)
      this.#lanes = { hot: new Lane(), idle: new Lane() }
      for (const standing of standings) this.#plan(standing, nowMs)
      this.#hotTurnsMs = this.#hotTurnsMs.filter((turnMs) => turnMs <= nowMs)
      if (this.#reconciledMs > nowMs) this.#reconciledMs = -Infinity
      if (this.#earlyMs > nowMs) this.#earlyMs = -Infinity
    }
    this.#latestNowMs = nowMs
  }
}

const wait = (waitMs: number): PollTurn => ({ kind: 'wait', waitMs: Math.max(1, Math.min(longestWaitMs, waitMs)) })
