import type { Store } from '../store/create-store.ts'
import type { PollFacts } from '../store/projects-store.ts'
import { tierOf, type PollStanding } from './poll-schedule.ts'

/** What the schedule has to know of every active project. */
export function readStandings(store: Store): PollStanding[] {
  const statuses = Map.groupBy(store.checklists.statuses(), ({ projectId }) => projectId)
  return store.projects.pollFacts().map((facts) =>
    toStanding(
      facts,
      (statuses.get(facts.id) ?? []).map(({ status }) => status),
    ),
  )
}

/** The same of one project; undefined when it is not in the list any more. */
export function readStanding(store: Store, projectId: string): PollStanding | undefined {
  const facts = store.projects.pollFactsOf(projectId)
  return facts === undefined ? undefined : toStanding(facts, store.checklists.statusesOf(projectId))
}

function toStanding(facts: PollFacts, statuses: readonly string[]): PollStanding {
  const { id, addedAt, polledAt, triedAt, changedAt, reconciledAt, pollFailures } = facts
  return {
    projectId: id,
    tier: tierOf(statuses),
    polledMs: toMs(polledAt),
    triedMs: toMs(triedAt),
    changedMs: toMs(changedAt) ?? toMs(addedAt),
    pollFailures,
    reconciledMs: toMs(reconciledAt),
  }
}

/** Null too for what is no time: a database that was tampered with must not stop the schedule. */
function toMs(iso: string | null): number | null {
  const ms = iso === null ? Number.NaN : Date.parse(iso)
  return Number.isFinite(ms) ? ms : null
}
