import type { Activity, ActivityNews } from '../../../shared/activity.ts'
import type { ObstacleKind } from '../../../shared/watch.ts'

/** What people are told about outside the window, each kind by itself. */
export const topics = ['archived', 'failed', 'report-failed', 'damaged', 'order', 'obstacle'] as const
export type Topic = (typeof topics)[number]

/** More comes while a project is worked off: so long without any, and it is told of together. */
export const quietMs = 3_000

/** While more and more comes, nobody waits longer than this to hear of the first. */
export const longestWaitMs = 30_000

/**
 * Between two notifications of a topic: archiving for hours must not tell of it for hours. What keeps everything waiting is rare,
 * and told at once.
 */
export const spacingMs: Readonly<Record<Topic, number>> = {
  ...{ archived: 10 * 60_000, failed: 30 * 60_000, 'report-failed': 10 * 60_000, damaged: 10 * 60_000 },
  order: 60_000,
  obstacle: 0,
}

/** Of more than this only that there were more is known: nobody reads so many names. */
export const mostRows = 200

/** Rows of one topic that are told of in one notification, oldest first. */
export interface NewsGroup {
  readonly topic: Topic
  readonly rows: readonly Activity[]
  /** There were more than are known here. */
  readonly hasMore: boolean
}

interface Waiting extends NewsGroup {
  readonly firstAtMs: number
  readonly lastAtMs: number
}

/** What waits to be told, and what was told when. Times are of a clock that never jumps. */
export interface GatheredNews {
  readonly waiting: readonly Waiting[]
  readonly toldAtMs: Readonly<Partial<Record<Topic, number>>>
  /** The newest row that was taken in: what is told again has only counted on. */
  readonly lastId: number
}

export const noNews: GatheredNews = { waiting: [], toldAtMs: {}, lastId: 0 }

/** What a row is told of as; undefined: it is for the activity alone. */
export function topicOf(row: Activity): Topic | undefined {
  switch (row.kind) {
    case 'checklist-archived':
      return 'archived'
    case 'files-failed':
      return 'failed'
    case 'files-missing':
    case 'files-set-aside':
      return 'damaged'
    case 'obstacle':
      return 'obstacle'
    case 'order-status':
      return 'order'
    // Who said so themselves know.
    case 'order-settled':
      return row.facts.by === 'service' ? 'order' : undefined
    case 'checklist-status':
      return row.facts.to === 'pdfProcessingFailed' ? 'report-failed' : undefined
    default:
      return undefined
  }
}

/** Takes news in. A row that waits already is replaced; one that was told of is not told again. */
export function gather(before: GatheredNews, { items, hasMore }: ActivityNews, nowMs: number): GatheredNews {
  const rows = [...items].sort((a, b) => a.id - b.id)
  const lastId = Math.max(before.lastId, rows.at(-1)?.id ?? 0)
  let waiting = before.waiting
  for (const row of rows) {
    if (row.kind === 'obstacle-gone') waiting = withoutObstacle(waiting, row.facts.obstacle)
    const topic = topicOf(row)
    if (topic !== undefined) waiting = withRow(waiting, topic, row, { isNew: row.id > before.lastId, hasMore, nowMs })
  }
  return { ...before, waiting, lastId }
}

interface Arrival {
  readonly isNew: boolean
  readonly hasMore: boolean
  readonly nowMs: number
}

function withRow(waiting: readonly Waiting[], topic: Topic, row: Activity, arrival: Arrival): readonly Waiting[] {
  const { isNew, hasMore, nowMs } = arrival
  const known = waiting.find((group) => group.topic === topic)
  const isWaiting = known?.rows.some(({ id }) => id === row.id) ?? false
  if (!isNew && !isWaiting) return waiting
  const others = waiting.filter((group) => group !== known)
  const rows = [...(known?.rows ?? []).filter(({ id }) => id !== row.id), row]
  const isFull = rows.length > mostRows
  return [
    ...others,
    {
      ...{ topic, rows: isFull ? rows.slice(1) : rows, hasMore: hasMore || isFull || known?.hasMore === true },
      firstAtMs: known?.firstAtMs ?? nowMs,
      lastAtMs: nowMs,
    },
  ]
}

/** What is over before it was told of is no news. */
function withoutObstacle(waiting: readonly Waiting[], obstacle: ObstacleKind): readonly Waiting[] {
  return waiting
    .map((group) => ({
      ...group,
      rows: group.rows.filter((row) => row.kind !== 'obstacle' || row.facts.obstacle !== obstacle),
    }))
    .filter(({ rows }) => rows.length > 0)
}

/** What is to be told now, and in how many milliseconds to look again; null: when there is more news. */
export interface DueNews {
  readonly groups: readonly NewsGroup[]
  readonly after: GatheredNews
  readonly nextInMs: number | null
}

export function takeDue(before: GatheredNews, nowMs: number): DueNews {
  const isDue = (group: Waiting) => dueAtMs(group, before) <= nowMs
  const due = before.waiting.filter(isDue)
  const waiting = before.waiting.filter((group) => !isDue(group))
  const told = Object.fromEntries(due.map(({ topic }) => [topic, nowMs]))
  const after = { ...before, waiting, toldAtMs: { ...before.toldAtMs, ...told } }
  const next = waiting.map((group) => dueAtMs(group, after) - nowMs)
  return {
    groups: due.map(({ topic, rows, hasMore }) => ({ topic, rows, hasMore })),
    after,
    nextInMs: next.length === 0 ? null : Math.min(...next),
  }
}

function dueAtMs({ topic, firstAtMs, lastAtMs }: Waiting, { toldAtMs }: GatheredNews): number {
  const settledAtMs = Math.min(lastAtMs + quietMs, firstAtMs + longestWaitMs)
  return Math.max(settledAtMs, (toldAtMs[topic] ?? -Infinity) + spacingMs[topic])
}
