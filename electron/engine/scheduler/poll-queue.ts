import type { SyncSchedule } from '../../../shared/settings.ts'
import { hourMs, minuteMs } from '../lib/time.ts'
import type { CallPriority } from '../service/service-types.ts'
import { planPoll, type PollLane, type PollPlan, type PollState } from './poll-schedule.ts'

/**
 * While other projects are due, hot polls take no more than this share of the calls: by default 15 hot projects are
 * polled every minute regardless of others. Measured with `npm run bench -- freshness`: with a third, the slowest 5% of
 * completions wait three times as long.
 */
const hotShare = 0.25

/** Early polls are allowed while this share of the calls is free, with a spacing that keeps them from using more. */
const earlyFreeShare = 0.5
const earlySpacingMs = 2000

/** Spacing of full passes, which cost many calls: 10,000 projects are done within a week. */
const fullPassSpacingMs = minuteMs

/** Longest wait, because the clock may jump and calls may become free meanwhile. */
const maxWaitMs = 10_000

export type PollTurn =
  | {
      readonly kind: 'poll'
      readonly projectId: string
      readonly priority: Extract<CallPriority, 'hot' | 'idle'>
      /** It also reads unchanged checklists. */
      readonly isFullPass: boolean
    }
  | { readonly kind: 'wait'; readonly waitMs: number }

/**
 * Decides which project to poll now. Has a plan for each project; a project that was returned by `next` is out of the
 * queue until it is put back with its new state. Synchronous. Times are wall-clock milliseconds and may jump.
 */
export class PollQueue {
  readonly #projects = new Map<string, { readonly state: PollState; readonly plan: PollPlan }>()
  readonly #lanes: Readonly<Record<PollLane, Set<PollPlan>>> = { hot: new Set(), idle: new Set() }
  readonly #schedule: SyncSchedule
  readonly #hotPerMinute: number
  readonly #earlyFreeCalls: number
  #hotTurnsMs: number[] = []
  #lastFullPassMs = -Infinity
  #earlyMs = -Infinity
  #latestNowMs = -Infinity

  /** `callsPerMinute` is the limit of the rate budget; 0 means no limit. */
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

  /** Adds a project, puts it back, or updates the state of one that waits. */
  put(state: PollState, nowMs: number): void {
    this.#adjustToClock(nowMs)
    this.remove(state.projectId)
    this.#plan(state, nowMs)
  }

  remove(projectId: string): void {
    const known = this.#projects.get(projectId)
    if (known === undefined) return
    this.#projects.delete(projectId)
    this.#lanes[known.plan.lane].delete(known.plan)
  }

  /** Returns when the first project is due, or Infinity if there is none. */
  firstDueMs(nowMs: number): number {
    this.#adjustToClock(nowMs)
    return Math.max(nowMs, Math.min(firstDueMs(this.#lanes.hot), firstDueMs(this.#lanes.idle)))
  }

  /**
   * Returns the project to poll now on this lane, or how long to wait before asking again. `freeCalls` is the number of
   * calls that the rate budget would grant at once; Infinity if there is no limit. Projects that are busy are skipped,
   * and take no turn.
   */
  next(lane: PollLane, nowMs: number, freeCalls: number, isBusy: PickRules['isBusy'] = () => false): PollTurn {
    this.#adjustToClock(nowMs)
    const pauseMs = lane === 'hot' ? this.#hotPauseMs(nowMs) : 0
    if (pauseMs > 0) return wait(pauseMs)
    const mayGoEarly = lane === 'idle' && freeCalls > this.#earlyFreeCalls
    const rules: PickRules = {
      early: mayGoEarly && nowMs - this.#earlyMs >= earlySpacingMs,
      fullPass: nowMs - this.#lastFullPassMs >= fullPassSpacingMs,
      isBusy,
    }
    const plans = this.#lanes[lane]
    const pick = nextToPoll(plans, nowMs, rules)
    if (pick !== undefined) return this.#handOut(pick, nowMs, rules)
    const dueInMs = firstDueMs(plans, nowMs) - nowMs
    return wait(Math.min(dueInMs, mayGoEarly && !rules.early ? earlySpacingMs : Infinity))
  }

  #handOut({ plan, planRank }: Picked, nowMs: number, rules: PickRules): PollTurn {
    const { projectId, lane } = plan
    const isFirst = this.#projects.get(projectId)?.state.polledMs === null
    const isFullPass = plan.fullPassMs <= nowMs && (isFirst || rules.fullPass)
    this.remove(projectId)
    if (lane === 'hot') this.#hotTurnsMs.push(nowMs)
    if (isFullPass && !isFirst) this.#lastFullPassMs = nowMs
    if (planRank === rank.early) this.#earlyMs = nowMs
    const priority = lane === 'hot' || planRank === rank.pressing ? 'hot' : 'idle'
    return { kind: 'poll', projectId, priority, isFullPass }
  }

  /** Returns how long hot polls must yield to others, in milliseconds. */
  #hotPauseMs(nowMs: number): number {
    const turns = this.#hotTurnsMs
    while (turns[0] !== undefined && nowMs - turns[0] >= minuteMs) turns.shift()
    if (turns.length < this.#hotPerMinute) return 0
    if (firstDueMs(this.#lanes.idle) > nowMs) return 0
    return (turns[0] ?? nowMs) + minuteMs - nowMs
  }

  #plan(state: PollState, nowMs: number): void {
    const plan = planPoll(state, nowMs, this.#schedule)
    this.#projects.set(state.projectId, { state, plan })
    this.#lanes[plan.lane].add(plan)
  }

  /**
   * Renews all plans after the clock was set back: the old ones would delay every poll by that time. After a jump
   * ahead, recorded times that were impossible before may be possible.
   */
  #adjustToClock(nowMs: number): void {
    if (nowMs < this.#latestNowMs || nowMs - this.#latestNowMs >= hourMs) {
      const states = [...this.#projects.values()].map(({ state }) => state)
      for (const plans of Object.values(this.#lanes)) plans.clear()
      for (const state of states) this.#plan(state, nowMs)
      this.#hotTurnsMs = this.#hotTurnsMs.filter((turnMs) => turnMs <= nowMs)
      if (this.#lastFullPassMs > nowMs) this.#lastFullPassMs = -Infinity
      if (this.#earlyMs > nowMs) this.#earlyMs = -Infinity
    }
    this.#latestNowMs = nowMs
  }
}

const wait = (waitMs: number): PollTurn => ({ kind: 'wait', waitMs: Math.max(1, Math.min(maxWaitMs, waitMs)) })

/** Returns the first due time after `afterMs`, or Infinity if there is none. */
function firstDueMs(plans: Iterable<PollPlan>, afterMs = -Infinity): number {
  let firstMs = Infinity
  for (const { dueMs } of plans) if (dueMs > afterMs && dueMs < firstMs) firstMs = dueMs
  return firstMs
}

/** Projects that may be picked although they are not due, and those that may not be picked. */
interface PickRules {
  /** True if a project may be polled early, with spare calls. */
  readonly early: boolean
  /** True if a project may be polled only because its full pass is due. */
  readonly fullPass: boolean
  /** Returns whether other work on a project is in flight. */
  readonly isBusy: (projectId: string) => boolean
}

/** Reasons for picking a project, by urgency. Numbers, because every plan is compared at every pick. */
const rank = { none: -1, early: 0, fullPass: 1, due: 2, pressing: 3 }

interface Picked {
  readonly plan: PollPlan
  /** One of `rank`. */
  readonly planRank: number
}

/**
 * Returns the project to poll next, or `undefined` if none may be polled yet. Pressing projects come first, the longest
 * overdue before the others; then the due project that has waited longest in proportion to its patience. If there are
 * too few calls for all, every interval grows by the same factor.
 */
function nextToPoll(plans: Iterable<PollPlan>, nowMs: number, rules: PickRules): Picked | undefined {
  let best: PollPlan | undefined
  let bestRank = rank.none
  let bestUrgency = -Infinity
  for (const plan of plans) {
    const planRank = rankOf(plan, nowMs, rules)
    if (planRank === rank.none || planRank < bestRank) continue
    const urgency = urgencyOf(plan, planRank, nowMs)
    if (planRank === bestRank && urgency <= bestUrgency) continue
    if (rules.isBusy(plan.projectId)) continue
    best = plan
    bestRank = planRank
    bestUrgency = urgency
  }
  return best === undefined ? undefined : { plan: best, planRank: bestRank }
}

function rankOf(plan: PollPlan, nowMs: number, rules: PickRules): number {
  if (plan.dueMs <= nowMs) return plan.pressingMs <= nowMs ? rank.pressing : rank.due
  if (rules.fullPass && plan.fullPassMs <= nowMs) return rank.fullPass
  return rules.early && plan.earliestMs <= nowMs ? rank.early : rank.none
}

/**
 * At a fixed number of calls, the mean delay is minimal if intervals are proportional to the square root of the time
 * between changes, for which patience is an estimate. Early polls follow that rule.
 */
function urgencyOf(plan: PollPlan, planRank: number, nowMs: number): number {
  if (planRank === rank.pressing) return nowMs - plan.pressingMs
  const waitedMs = nowMs - plan.sinceMs
  return planRank === rank.early ? waitedMs / Math.sqrt(plan.patienceMs) : waitedMs / plan.patienceMs
}
