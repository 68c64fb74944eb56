import {
  type Activity,
  type ActivityGroup,
  type ActivityKind,
  activityKinds,
  type ActivityNews,
  type ActivityPage,
  type ActivityQuery,
  activitySchema,
} from '../../../shared/activity.ts'
import type { ActivityRow } from '../store/activity-store.ts'
import type { Store } from '../store/create-store.ts'
import { fileNameOf } from './describe-checklist-view.ts'

/** News are gathered for this long: somebody who looks sees them come, and a pass that writes many is not held up. */
const gatherMs = 500

/** Told at once; the list has the others. */
const mostNews = 50

export interface ActivityLog {
  list(query: ActivityQuery): ActivityPage
  /** Nothing is told any more. */
  close(): void
}

/** Lists what happened, and tells what is added, at most twice a second. */
export function createActivityLog(store: Store, onNews: (news: ActivityNews) => void): ActivityLog {
  const noted = new Set<number>()
  let timer: NodeJS.Timeout | undefined

  const describe = (rows: readonly ActivityRow[]): Activity[] =>
    rows.flatMap((row) => describeActivity(row, store.parseJson) ?? [])

  /** Nobody waits for news who could be told that they cannot be read; whoever reads or writes next is. */
  function read(ids: readonly number[]): Activity[] {
    try {
      return describe(store.activity.listSome(ids))
    } catch {
      return []
    }
  }

  function tell(): void {
    timer = undefined
    const newest = [...noted].sort((a, b) => b - a)
    noted.clear()
    // Of a transaction that was rolled back there is nothing to tell.
    const items = read(newest.slice(0, mostNews))
    if (items.length > 0) onNews({ items, hasMore: newest.length > mostNews })
  }

  store.activity.setListener((id) => {
    noted.add(id)
    timer ??= setTimeout(tell, gatherMs).unref()
  })

  return {
    list({ before = null, after = null, groups, projectId = null, limit }) {
      const kinds = groups === undefined ? null : kindsOf(groups)
      const rows = store.activity.list({ before, after, kinds, projectId, limit: limit + 1 })
      return { items: describe(rows.slice(0, limit)), hasMore: rows.length > limit }
    },
    close() {
      clearTimeout(timer)
      store.activity.setListener(() => undefined)
    },
  }
}

function kindsOf(groups: readonly ActivityGroup[]): ActivityKind[] {
  const kinds = Object.keys(activityKinds) as ActivityKind[]
  return kinds.filter((kind) => groups.includes(activityKinds[kind].group))
}

/** A row as the contract has it; undefined for one that this Solarchive has no words for. */
export function describeActivity(row: ActivityRow, parseJson: (text: string) => unknown): Activity | undefined {
  const { id, at, kind, count, projectId, checklistId, assetId, assetKind, assetPath } = row
  if (!isKnown(kind)) return undefined
  const facts = parseJson(row.facts) as object
  return activitySchema.safeParse({
    ...{ id, at, kind },
    group: activityKinds[kind].group,
    project: projectId === null ? null : { id: projectId, name: row.projectName ?? projectId },
    checklist: checklistId === null ? null : { id: checklistId, title: row.checklistTitle },
    file: assetId === null || assetPath === null ? null : { assetId, kind: assetKind, name: fileNameOf(assetPath) },
    facts: count === null ? facts : { ...facts, count },
  }).data
}

function isKnown(kind: string): kind is ActivityKind {
  return Object.hasOwn(activityKinds, kind)
}
