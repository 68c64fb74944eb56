import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChecklistState, Gap } from '../../../shared/domain.ts'
import type { CatalogChecklist } from '../store/catalog-store.ts'
import type { Store } from '../store/create-store.ts'
import type { EvaluatedCounts } from '../store/project-facts-store.ts'
import { evaluateRecorded, isWaitingOnUpstream } from './completeness.ts'

/** Fields of a checklist in a list that are not in its own row. They depend on no clock. */
export type ListedFacts = Pick<ChecklistState, 'complete' | 'expectedFiles' | 'archivedFiles'> & {
  /** The thumbnails among the files. */
  readonly previews: { readonly expected: number; readonly archived: number }
  readonly gaps: readonly Gap[]
  /** Time when the first failure starts to need attention; empty if one already does, `null` without failures. */
  readonly quietUntil: string | null
}

/** Facts of a checklist that are kept until its rows change. */
export type ChecklistFacts = ListedFacts & { readonly isWaiting: boolean }

/**
 * Brings the facts of projects up to date, which lists and counts read, for a time in ISO 8601 UTC. With `only`,
 * of the project with this ID.
 */
export function refreshFacts(store: Store, now: string, only?: string): void {
  store.facts.refresh({ now, only, evaluate: (projectId, hasJobs) => evaluateProject(store, projectId, hasJobs) })
}

/** Checklists evaluated in one turn of the event loop, some 15 ms. */
const checklistsPerTurn = 100

/**
 * Brings the facts of a project's checklists up to date over several turns of the event loop, so that `refreshFacts`
 * has few to evaluate: a service may list thousands. To be called by the owner of the database.
 */
export async function refreshChecklists(store: Store, projectId: string): Promise<void> {
  for (;;) {
    const stale = store.facts.staleChecklists(projectId, checklistsPerTurn)
    if (stale.length < checklistsPerTurn) return
    const rows = stale.flatMap((id) => store.catalog.checklist(projectId, id) ?? [])
    const facts = new Map(rows.map((row) => [row.key, JSON.stringify(evaluateFacts(store, row))]))
    // The rest is left to `refreshFacts`: the project is gone meanwhile, or the disk is full.
    if (!store.facts.keepChecklists(projectId, facts) || rows.length < stale.length) return
    await nextTurn()
  }
}

/** Evaluates a checklist from its rows. */
export function evaluateFacts(store: Store, row: CatalogChecklist): ChecklistFacts {
  const { state, previews } = evaluateRecorded(store, row)
  const { complete, expectedFiles, archivedFiles, gaps } = state
  return {
    complete,
    expectedFiles,
    archivedFiles,
    gaps,
    previews: { ...previews },
    isWaiting: isWaitingOnUpstream(row, state),
    quietUntil: store.catalog.quietUntil(row.key),
  }
}

/**
 * Evaluates the checklists of a project and adds up their counts. Of those that did not change, the facts are kept, and
 * those that were recorded as complete are counted by one statement: rows of questions are read only of the others.
 */
function evaluateProject(store: Store, projectId: string, hasJobs: boolean): EvaluatedCounts {
  const kept = store.facts.checklists(projectId)
  const closed = new Map(hasJobs ? [] : store.catalog.closedChecklists(projectId).map((one) => [one.key, one]))
  const all = store.catalog.checklists(projectId, { offset: 0, limit: -1 }).map((row) => {
    const whole = closed.get(row.key)
    if (whole !== undefined) {
      const { files, previews } = whole
      return {
        complete: true,
        isWaiting: false,
        expectedFiles: files,
        archivedFiles: files,
        previews: { expected: previews, archived: previews },
      }
    }
    const before = kept.get(row.key)
    if (before !== undefined) return JSON.parse(before) as ChecklistFacts
    const facts = evaluateFacts(store, row)
    store.facts.putChecklist(row.key, JSON.stringify(facts))
    return facts
  })
  const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + of(one), 0)
  return {
    checklists: all.length,
    completeChecklists: all.filter(({ complete }) => complete).length,
    waitingChecklists: all.filter(({ isWaiting }) => isWaiting).length,
    expectedFiles: sum(({ expectedFiles }) => expectedFiles),
    archivedFiles: sum(({ archivedFiles }) => archivedFiles),
    expectedPreviews: sum(({ previews }) => previews.expected),
    archivedPreviews: sum(({ previews }) => previews.archived),
  }
}
