import type { PollPlan } from './poll-schedule.ts'

/** What may be picked beside projects that are due. */
export interface PickRules {
  /** Calls are left over: a project may be polled ahead of its time. */
  readonly early: boolean
  /** A project may be read whole for that reason alone. */
  readonly reconcile: boolean
}

/** Why a project is picked, the most urgent reason last. */
const reasons = ['early', 'reconcile', 'due', 'pressing'] as const

/** Places in that list: every plan is compared at every pick. */
const rank = { none: -1, early: 0, reconcile: 1, due: 2, pressing: 3 }

export interface Pick {
  readonly plan: PollPlan
  readonly reason: (typeof reasons)[number]
}

/**
 * The project to poll next, undefined when none may be polled yet. Those that must not wait any longer go first, by how
 * long they have been so; then, of those that are due, the one that has waited longest in proportion to its patience. With
 * too few calls for all, everyone's interval so grows by the same factor.
 */
export function nextToPoll(plans: Iterable<PollPlan>, nowMs: number, rules: PickRules): Pick | undefined {
  let best: PollPlan | undefined
  let bestRank = rank.none
  let bestUrgency = -Infinity
  for (const plan of plans) {
    const planRank = rankOf(plan, nowMs, rules)
    if (planRank === rank.none || planRank < bestRank) continue
    const urgency = urgencyOf(plan, planRank, nowMs)
    if (planRank === bestRank && urgency <= bestUrgency) continue
    best = plan
    bestRank = planRank
    bestUrgency = urgency
  }
  const reason = reasons[bestRank]
  return best === undefined || reason === undefined ? undefined : { plan: best, reason }
}

function rankOf(plan: PollPlan, nowMs: number, rules: PickRules): number {
  if (plan.dueMs <= nowMs) return plan.pressingMs <= nowMs ? rank.pressing : rank.due
  if (rules.reconcile && plan.reconcileMs <= nowMs) return rank.reconcile
  return rules.early && plan.earliestMs <= nowMs ? rank.early : rank.none
}

/**
 * Calls that are left over do most good where intervals are in proportion to the square root of the time between changes,
 * which patience stands for: that makes the mean delay the least for a number of calls.
 */
function urgencyOf(plan: PollPlan, planRank: number, nowMs: number): number {
  if (planRank === rank.pressing) return nowMs - plan.pressingMs
  const waitedMs = nowMs - plan.sinceMs
  return planRank === rank.early ? waitedMs / Math.sqrt(plan.patienceMs) : waitedMs / plan.patienceMs
}
