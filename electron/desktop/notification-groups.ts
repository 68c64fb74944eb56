import type { Activity, ActivityNews } from '../../shared/activity.ts'
import type { CallOutput } from '../../shared/contract/calls.ts'
import type { BlockerKind } from '../../shared/watch.ts'

/** Topics of notifications; each is grouped by itself. */
export const topics = ['archived', 'report-failed', 'damaged', 'order', 'blocker'] as const
export type Topic = (typeof topics)[number]

/** Rows of a topic keep coming while a project is synced; a group ends when none has come for this long. */
export const quietMs = 3_000

/** Longest wait of the first row of a group while more rows keep coming. */
export const maxWaitMs = 30_000

/**
 * Shortest time between two notifications of a topic, so that hours of archiving do not notify for hours. What blocks
 * every sync is rare, and notified at once.
 */
export const spacingMs: Readonly<Record<Topic, number>> = {
  archived: 10 * 60_000,
  'report-failed': 10 * 60_000,
  damaged: 10 * 60_000,
  order: 60_000,
  blocker: 0,
}

/** Maximum number of rows of a group: nobody reads more names. */
export const maxRows = 200

/** Rows of one topic for one notification, oldest first. */
export interface NotificationGroup {
  readonly topic: Topic
  readonly rows: readonly Activity[]
  /** True if there were more rows than are kept. */
  readonly hasMore: boolean
}

interface PendingGroup extends NotificationGroup {
  readonly firstAtMs: number
  readonly lastAtMs: number
}

/** Groups that wait for their notification, and when each topic was last notified. Times are of a monotonic clock. */
export interface PendingNotifications {
  readonly groups: readonly PendingGroup[]
  readonly notifiedAtMs: Readonly<Partial<Record<Topic, number>>>
  /** Newest row seen: an older row that arrives again only has a higher count. */
  readonly lastId: number
}

export const nothingPending: PendingNotifications = { groups: [], notifiedAtMs: {}, lastId: 0 }

/**
 * Returns the topic of a row, or `undefined` for a row that is not worth a notification. Failed files, checklists, and
 * projects are none: `attentionNews` notifies of them.
 */
export function topicOf(row: Activity): Topic | undefined {
  switch (row.kind) {
    case 'checklist-archived':
      return 'archived'
    case 'files-missing':
    case 'files-set-aside':
      return 'damaged'
    case 'obstacle':
      return 'blocker'
    case 'order-status':
    case 'order-late':
      return 'order'
    // A user who resolved an order knows it.
    case 'order-settled':
      return row.facts.by === 'service' ? 'order' : undefined
    case 'checklist-status':
      return row.facts.to === 'pdfProcessingFailed' ? 'report-failed' : undefined
    default:
      return undefined
  }
}

/** Adds new rows. A row that still waits is replaced by its new version; one that was already notified is ignored. */
export function addRows(
  before: PendingNotifications,
  { items, hasMore }: ActivityNews,
  nowMs: number,
): PendingNotifications {
  const rows = [...items].sort((a, b) => a.id - b.id)
  const lastId = Math.max(before.lastId, rows.at(-1)?.id ?? 0)
  let groups = before.groups
  for (const row of rows) {
    if (row.kind === 'obstacle-gone') groups = withoutBlocker(groups, row.facts.obstacle)
    const topic = topicOf(row)
    if (topic !== undefined) groups = withRow(groups, topic, row, { isNew: row.id > before.lastId, hasMore, nowMs })
  }
  return { ...before, groups, lastId }
}

interface Arrival {
  readonly isNew: boolean
  readonly hasMore: boolean
  readonly nowMs: number
}

function withRow(groups: readonly PendingGroup[], topic: Topic, row: Activity, arrival: Arrival) {
  const { isNew, hasMore, nowMs } = arrival
  const known = groups.find((group) => group.topic === topic)
  const isPending = known?.rows.some(({ id }) => id === row.id) ?? false
  if (!isNew && !isPending) return groups
  const others = groups.filter((group) => group !== known)
  const rows = [...(known?.rows ?? []).filter(({ id }) => id !== row.id), row]
  const isFull = rows.length > maxRows
  return [
    ...others,
    {
      topic,
      rows: isFull ? rows.slice(1) : rows,
      hasMore: hasMore || isFull || known?.hasMore === true,
      firstAtMs: known?.firstAtMs ?? nowMs,
      lastAtMs: nowMs,
    },
  ]
}

/** A blocker that is gone before its notification is not worth one. */
function withoutBlocker(groups: readonly PendingGroup[], blocker: BlockerKind): readonly PendingGroup[] {
  return groups
    .map((group) => ({
      ...group,
      rows: group.rows.filter((row) => row.kind !== 'obstacle' || row.facts.obstacle !== blocker),
    }))
    .filter(({ rows }) => rows.length > 0)
}

/**
 * Returns the groups to notify now, what still waits, and the delay until the next group is due, or `null` if none
 * waits.
 */
export function takeDue(before: PendingNotifications, nowMs: number) {
  const isDue = (group: PendingGroup) => dueAtMs(group, before) <= nowMs
  const due = before.groups.filter(isDue)
  const groups = before.groups.filter((group) => !isDue(group))
  const notified = Object.fromEntries(due.map(({ topic }) => [topic, nowMs]))
  const after = { ...before, groups, notifiedAtMs: { ...before.notifiedAtMs, ...notified } }
  const delays = groups.map((group) => dueAtMs(group, after) - nowMs)
  return {
    groups: due.map(({ topic, rows, hasMore }) => ({ topic, rows, hasMore })),
    after,
    nextInMs: delays.length === 0 ? null : Math.min(...delays),
  }
}

function dueAtMs({ topic, firstAtMs, lastAtMs }: PendingGroup, { notifiedAtMs }: PendingNotifications): number {
  const quietAtMs = Math.min(lastAtMs + quietMs, firstAtMs + maxWaitMs)
  return Math.max(quietAtMs, (notifiedAtMs[topic] ?? -Infinity) + spacingMs[topic])
}

/** Failures that the badge counts, without those that have a topic of their own: failed reports and damaged files. */
export interface Failures {
  readonly projects: number
  readonly checklists: number
  readonly files: number
}

/** Returns the failures of an overview. Like the badge, they include what only the passing of time added. */
export function failuresOf({ counts, progress }: Pick<CallOutput<'overview'>, 'counts' | 'progress'>): Failures {
  const reports = progress.open.filter(({ status, gone }) => status === 'pdfProcessingFailed' && !gone)
  const withoutReport = reports.reduce((sum, { checklists }) => sum + checklists, 0)
  return {
    projects: counts.projectsWithProblem,
    checklists: Math.max(0, counts.troubledChecklists - withoutReport),
    files: counts.filesFailed,
  }
}

/** Failures that the user knows, and when the last notification was. `known` is `null` until the first count. */
export interface NotifiedFailures {
  readonly known: Failures | null
  readonly atMs: number
}

export const noFailuresNotified: NotifiedFailures = { known: null, atMs: -Infinity }

/** As the topics: a long outage does not notify for hours. */
const failureSpacingMs = 30 * 60_000

/**
 * Returns the new failures to notify of now, or `null`, by the rule of the badge: whatever raises it is notified once.
 * What was there at the start is known. Failures within the spacing are notified together after it.
 */
export function attentionNews(
  before: NotifiedFailures,
  now: Failures,
  nowMs: number,
): { readonly news: Failures | null; readonly after: NotifiedFailures } {
  if (before.known === null) return { news: null, after: { ...before, known: now } }
  const { known } = before
  const each = (of: (kind: keyof Failures) => number): Failures => ({
    projects: of('projects'),
    checklists: of('checklists'),
    files: of('files'),
  })
  const added = each((kind) => Math.max(0, now[kind] - known[kind]))
  const isNew = added.projects + added.checklists + added.files > 0
  if (isNew && nowMs - before.atMs >= failureSpacingMs) return { news: added, after: { known: now, atMs: nowMs } }
  // A failure that was resolved is news if it comes back.
  return { news: null, after: { ...before, known: each((kind) => Math.min(now[kind], known[kind])) } }
}
