import { posix } from 'node:path'
import {
  type Activity,
  type ActivityGroup,
  type ActivityKind,
  activityKinds,
  type ActivityNews,
  type ActivityPage,
  type ActivityQuery,
  activitySchema,
  type UserAction,
} from '../../../shared/activity.ts'
import type { ActivityRow } from '../store/activity-store.ts'
import type { Store } from '../store/create-store.ts'

/** Entries are collected for this long: a viewer sees them promptly, and a pass that writes many is not slowed down. */
const gatherMs = 500

/** Entries in one event; the list has the others. */
const maxNews = 50

/** Lists activity, and emits new entries at most twice a second. */
export function createActivityLog(store: Store, onNews: (news: ActivityNews) => void) {
  const newIds = new Set<number>()
  let timer: NodeJS.Timeout | undefined

  const describe = (rows: readonly ActivityRow[]): Activity[] =>
    rows.flatMap((row) => describeActivity(row, store.parseJson) ?? [])

  /** Returns nothing if the database cannot be read: whoever reads or writes next reports the error. */
  function read(ids: readonly number[]): Activity[] {
    try {
      return describe(store.activity.listSome(ids))
    } catch {
      return []
    }
  }

  function emitNews(): void {
    timer = undefined
    const newest = [...newIds].sort((a, b) => b - a)
    newIds.clear()
    // The entries of a rolled-back transaction no longer exist.
    const items = read(newest.slice(0, maxNews))
    if (items.length > 0) onNews({ items, hasMore: newest.length > maxNews })
  }

  store.activity.setListener((id) => {
    newIds.add(id)
    timer ??= setTimeout(emitNews, gatherMs).unref()
  })

  return {
    list(query: ActivityQuery): ActivityPage {
      const { before = null, after = null, groups, projectId = null, limit } = query
      const kinds = groups === undefined ? null : kindsOf(groups)
      const rows = store.activity.list({ before, after, kinds, projectId, limit: limit + 1 })
      return { items: describe(rows.slice(0, limit)), hasMore: rows.length > limit }
    },
    /** Records what a user did to the settings, the token, or the archive folder. `at` is ISO 8601 UTC. */
    record(action: UserAction, at: string): void {
      store.transaction(() => store.activity.record({ ...action, at }))
    },
    /** Emits the entries that are still being collected, then stops. */
    close(): void {
      store.activity.setListener(() => undefined)
      clearTimeout(timer)
      if (timer !== undefined) emitNews()
    },
  }
}

function kindsOf(groups: readonly ActivityGroup[]): ActivityKind[] {
  const kinds = Object.keys(activityKinds) as ActivityKind[]
  return kinds.filter((kind) => groups.includes(activityKinds[kind].group))
}

/** Returns a row in the contract's form, or undefined for a kind that this version does not know. */
function describeActivity(row: ActivityRow, parseJson: (text: string) => unknown): Activity | undefined {
  const { id, at, kind, count, projectId, checklistId, assetId, assetKind, assetPath } = row
  if (!isKnown(kind)) return undefined
  const facts = parseJson(row.facts) as object
  return activitySchema.safeParse({
    id,
    at,
    kind,
    group: activityKinds[kind].group,
    project: projectId === null ? null : { id: projectId, name: row.projectName ?? projectId },
    checklist: checklistId === null ? null : { id: checklistId, title: row.checklistTitle },
    file: assetId === null || assetPath === null ? null : { assetId, kind: assetKind, name: posix.basename(assetPath) },
    facts: count === null ? facts : { ...facts, count },
  }).data
}

function isKnown(kind: string): kind is ActivityKind {
  return Object.hasOwn(activityKinds, kind)
}
