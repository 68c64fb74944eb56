import { randomUUID } from 'node:crypto'
import type { DeliveryPage, DeliveryQuery, HookDelivery, HookEvent } from '../../../shared/hooks.ts'
import type { RecordedActivity } from './activity-store.ts'
import type { Db } from './open-database.ts'

/** Hook that events are recorded for. */
export interface HookSubscription {
  readonly id: string
  readonly events: readonly HookEvent[]
  readonly gapDays: number
}

/** An event to record. `facts` are its own fields in the JSON. */
export interface NewHookEvent {
  readonly event: HookEvent
  /** ISO 8601 UTC. */
  readonly at: string
  readonly projectId: string | null
  readonly checklistKey: number | null
  readonly facts: Readonly<Record<string, unknown>>
}

export interface OldGap {
  readonly checklistKey: number
  readonly projectId: string
  readonly since: string
}

/** Deliveries kept after their end: weeks of an office. */
const maxEnded = 5_000

/** Events between two deletions of ended deliveries, which look at all that wait. */
const pruneEvery = 100

/** Tries after which a waiting delivery is a problem: about an hour of them. */
const manyTries = 8

/** Result of a delivery whose hook is gone. */
export const hookGone = 'The hook was removed or turned off.'

/**
 * The time that the three days of a delivery count from: its first try, or the first one of an earlier delivery that
 * put it off. A delivery that was neither tried nor put off has both times equal. A clock that was ahead leaves later
 * times.
 */
const sinceFirstTry = `CASE WHEN next_try_at > since AND since <= :now THEN since ELSE :now END`

const fields = `id AS deliveryId, event_id AS eventId, event, hook_id AS hookId, state, created_at AS createdAt, tries,
  next_try_at AS nextTryAt, ended_at AS endedAt, result, body`

/** Events for hooks, and their deliveries. Rows are written in the transaction of the change that they report. */
export function createHooksStore(db: Db) {
  const recording = prepareRecording(db)
  const deliveries = prepareDeliveries(db)
  let subscriptions: readonly HookSubscription[] = []
  let recorded = 0

  /** Records an event for hooks. Must be called in the transaction of the change that it reports. */
  function record({ event, at, projectId, checklistKey, facts }: NewHookEvent, only?: string): void {
    const subscribed = subscriptions.filter(
      ({ id, events }) => (only === undefined || id === only) && events.includes(event),
    )
    if (subscribed.length === 0) return
    const eventId = randomUUID()
    const of = recording.names.get({ projectId, checklistKey })
    const project = projectId === null ? null : { id: projectId, name: of?.project ?? projectId }
    const checklist = of?.checklistId == null ? null : { id: of.checklistId, title: of.title }
    const body = JSON.stringify({ id: eventId, event, at, project, checklist, ...facts })
    for (const { id } of subscribed) recording.insert.run({ eventId, hookId: id, event, body, at })
    if (recorded++ % pruneEvery === 0) recording.prune.run(maxEnded)
  }

  return {
    /**
     * Sets the hooks that events are recorded for from now on. Deliveries to others end, and damage and gaps that none
     * wants to know of are forgotten. `at` is ISO 8601 UTC.
     */
    subscribe: (hooks: readonly HookSubscription[], at: string) => {
      subscriptions = hooks
      db.transaction(() => {
        recording.forget.run({ hooks: JSON.stringify(hooks.map(({ id }) => id)), at })
        if (hooks.some(({ events }) => events.includes('damage-found'))) recording.wantDamage.run()
        else for (const statement of recording.ignoreDamage) statement.run()
        // Nobody notices when they close now: a later gap would seem to be as old.
        if (!hooks.some(({ events }) => events.includes('gap-old'))) recording.ignoreGaps.run()
      }).immediate()
    },
    subscriptions: () => subscriptions,
    record,
    dueHooks: (now: string) => deliveries.dueHooks.all({ now }).map(({ hookId }) => hookId),
    nextDue: (hookId: string, now: string) => deliveries.nextDue.get({ hookId, now }),
    /** Makes deliveries due that wait longer than any should: the clock was ahead when that was decided. */
    resetFutureTries: (now: string, latest: string) => {
      if ((deliveries.latestTry.get()?.at ?? '') > latest) deliveries.resetFutureTries.run({ now, latest })
    },
    /** Counts a try. If the process ends during it, the next one is at `nextTryAt`. */
    begin: (id: number, now: string, nextTryAt: string) => deliveries.begin.run({ id, now, nextTryAt }).changes > 0,
    end: (id: number, state: 'delivered' | 'failed', at: string, result: string) => {
      deliveries.end.run({ id, state, at, result })
    },
    /** Puts a delivery off, and with `now` all others of its hook. */
    postpone: (id: number, { nextTryAt, result, now }: { nextTryAt: string; result: string; now?: string }) => {
      db.transaction(() => {
        deliveries.postpone.run({ id, nextTryAt, result })
        if (now !== undefined) deliveries.postponeOthers.run({ id, now, nextTryAt })
      }).immediate()
    },
    /** Returns since when a delivery that was tried counts. */
    triedSince: (id: number, now: string) => deliveries.since.get({ id, now })?.since,
    /** Makes a delivery wait again, whatever its state. Returns undefined for an unknown one. */
    repeat: (id: number, at: string) =>
      deliveries.repeat.run({ id, at }).changes > 0 ? deliveries.get.get(id) : undefined,
    /** Returns deliveries, the newest first. */
    page: ({ hookId, state, offset, limit }: DeliveryQuery): DeliveryPage => {
      const cut = { hookId: hookId ?? null, state: state ?? null }
      return { items: deliveries.page.all({ ...cut, offset, limit }), total: deliveries.total.get(cut)?.count ?? 0 }
    },
    /** Returns those of these hooks whose last ended delivery failed, or that have a waiting one with many tries. */
    failing: (hookIds: readonly string[]) =>
      deliveries.failing.all({ hooks: JSON.stringify(hookIds), manyTries }).map(({ hookId }) => hookId),
    /**
     * Records the damage that was found until then, by checklist, and that found after `latest`, by a clock that was
     * ahead. Must be called in a transaction.
     */
    recordDamageEvents: (until: string, latest: string): boolean => {
      const found = recording.damage.all({ until, latest })
      for (const { missing, changed, at, ...of } of found) {
        const checklistKey = of.checklistKey === 0 ? null : of.checklistKey
        record({ event: 'damage-found', at, projectId: of.projectId, checklistKey, facts: { missing, changed } })
        recording.deleteDamage.run(of)
      }
      return found.length > 0
    },
    /** Replaces the checklists that have gaps, by key. Must be called in a transaction. */
    putGaps: (checklistKeys: readonly number[], at: string) => {
      const keys = JSON.stringify(checklistKeys)
      recording.gapsClosed.run(keys)
      recording.gapsOpen.run({ keys, at })
      // Since then by a clock that was ahead.
      recording.gapsNotLater.run({ at })
    },
    /** Returns the gaps that are older, and that no hook was notified of yet. */
    oldGaps: (hookId: string, before: string) => recording.oldGaps.all({ hookId, before }),
    markGapNotified: (checklistKey: number, hookId: string) => {
      recording.markGapNotified.run({ checklistKey, hookId })
    },
  }
}

/** Records the events for hooks among the activity. Must be called in the transaction of the activity. */
export function notifyHooks(
  { kind, at, projectId, checklistKey, count, facts: json }: RecordedActivity,
  { record }: Pick<ReturnType<typeof createHooksStore>, 'record'>,
): void {
  const of = { at, projectId, checklistKey }
  if (kind === 'checklist-archived') record({ ...of, event: 'checklist-complete', facts: { files: count } })
  if (kind !== 'files-replaced' && kind !== 'order-status') return
  const facts = JSON.parse(json) as Readonly<Record<string, unknown>>
  if (kind === 'order-status') record({ ...of, event: 'order-status', facts })
  else if (facts['fileKind'] === 'report') record({ ...of, event: 'report-replaced', facts: {} })
}

/** Prepares the statements that record events, and the damage and gaps that become events. */
function prepareRecording(db: Db) {
  return {
    names: db.prepare<
      { projectId: string | null; checklistKey: number | null },
      { project: string | null; checklistId: string | null; title: string | null }
    >(
      `SELECT p.name AS project, c.id AS checklistId, c.title FROM (SELECT 1)
     LEFT JOIN projects p ON p.id = :projectId LEFT JOIN checklists c ON c.key = :checklistKey`,
    ),
    insert: db.prepare(
      `INSERT INTO hook_deliveries (event_id, hook_id, event, body, state, created_at, since, next_try_at)
     VALUES (:eventId, :hookId, :event, :body, 'waiting', :at, :at, :at)`,
    ),
    prune: db.prepare<[number]>(
      `DELETE FROM hook_deliveries WHERE state <> 'waiting' AND id <= (SELECT MAX(id) FROM hook_deliveries) - ?`,
    ),
    forget: db.prepare<{ hooks: string; at: string }>(
      `UPDATE hook_deliveries SET state = 'failed', next_try_at = NULL, ended_at = :at, result = '${hookGone}'
     WHERE state = 'waiting' AND hook_id NOT IN (SELECT value FROM json_each(:hooks))`,
    ),
    wantDamage: db.prepare(`INSERT INTO meta (key, value) VALUES ('hook-damage', '1') ON CONFLICT DO NOTHING`),
    ignoreDamage: [`DELETE FROM meta WHERE key = 'hook-damage'`, 'DELETE FROM hook_damage'].map((sql) =>
      db.prepare(sql),
    ),
    damage: db.prepare<
      { until: string; latest: string },
      { projectId: string; checklistKey: number; missing: number; changed: number; at: string }
    >(
      `SELECT project_id AS projectId, checklist_key AS checklistKey, missing, changed, found_at AS at FROM hook_damage
     WHERE found_at <= :until OR found_at > :latest LIMIT 100`,
    ),
    deleteDamage: db.prepare<{ projectId: string; checklistKey: number }>(
      'DELETE FROM hook_damage WHERE project_id = :projectId AND checklist_key = :checklistKey',
    ),
    ignoreGaps: db.prepare('DELETE FROM hook_gaps'),
    gapsClosed: db.prepare<[string]>(
      'DELETE FROM hook_gaps WHERE checklist_key NOT IN (SELECT value FROM json_each(?))',
    ),
    gapsOpen: db.prepare<{ keys: string; at: string }>(
      `INSERT INTO hook_gaps (checklist_key, since) SELECT value, :at FROM json_each(:keys) WHERE TRUE
     ON CONFLICT DO NOTHING`,
    ),
    gapsNotLater: db.prepare<{ at: string }>('UPDATE hook_gaps SET since = :at WHERE since > :at'),
    oldGaps: db.prepare<{ hookId: string; before: string }, OldGap>(
      `SELECT g.checklist_key AS checklistKey, c.project_id AS projectId, g.since FROM hook_gaps g
     JOIN checklists c ON c.key = g.checklist_key
     WHERE g.since <= :before AND NOT EXISTS (SELECT 1 FROM hook_gaps_told t
       WHERE t.checklist_key = g.checklist_key AND t.hook_id = :hookId)`,
    ),
    markGapNotified: db.prepare<{ checklistKey: number; hookId: string }>(
      'INSERT INTO hook_gaps_told (checklist_key, hook_id) VALUES (:checklistKey, :hookId)',
    ),
  }
}

/** Prepares the statements that list deliveries and record their tries and ends. */
function prepareDeliveries(db: Db) {
  type Cut = { hookId: string | null; state: string | null }
  const due = `hook_deliveries INDEXED BY hook_deliveries_waiting WHERE state = 'waiting' AND next_try_at <= :now`
  const where = `WHERE (:hookId IS NULL OR hook_id = :hookId) AND (:state IS NULL OR state = :state)`
  return {
    dueHooks: db.prepare<{ now: string }, { hookId: string }>(`SELECT DISTINCT hook_id AS hookId FROM ${due}`),
    nextDue: db.prepare<{ hookId: string; now: string }, HookDelivery>(
      `SELECT ${fields} FROM ${due} AND hook_id = :hookId ORDER BY id LIMIT 1`,
    ),
    latestTry: db.prepare<[], { at: string | null }>(
      `SELECT MAX(next_try_at) AS at FROM hook_deliveries WHERE state = 'waiting'`,
    ),
    // Tries of a clock that was behind left times before the event.
    since: db.prepare<{ id: number; now: string }, { since: string }>(
      `SELECT CASE WHEN created_at <= :now THEN MAX(since, created_at) ELSE since END AS since
     FROM hook_deliveries WHERE id = :id`,
    ),
    get: db.prepare<[number], HookDelivery>(`SELECT ${fields} FROM hook_deliveries WHERE id = ?`),
    page: db.prepare<Cut & { offset: number; limit: number }, HookDelivery>(
      `SELECT ${fields} FROM hook_deliveries ${where} ORDER BY id DESC LIMIT :limit OFFSET :offset`,
    ),
    total: db.prepare<Cut, { count: number }>(`SELECT COUNT(*) AS count FROM hook_deliveries ${where}`),
    failing: db.prepare<{ hooks: string; manyTries: number }, { hookId: string }>(
      `SELECT h.value AS hookId FROM json_each(:hooks) h
     WHERE EXISTS (SELECT 1 FROM hook_deliveries
       WHERE hook_id = h.value AND state = 'waiting' AND tries >= :manyTries)
       OR 'failed' = (SELECT state FROM hook_deliveries
         WHERE hook_id = h.value AND state <> 'waiting' ORDER BY id DESC LIMIT 1)
     ORDER BY h.key`,
    ),
    resetFutureTries: db.prepare<{ now: string; latest: string }>(
      `UPDATE hook_deliveries SET since = MIN(since, :now), next_try_at = :now
     WHERE state = 'waiting' AND next_try_at > :latest`,
    ),
    begin: db.prepare<{ id: number; now: string; nextTryAt: string }>(
      `UPDATE hook_deliveries SET tries = tries + 1, since = ${sinceFirstTry}, next_try_at = :nextTryAt
     WHERE id = :id AND state = 'waiting'`,
    ),
    end: db.prepare<{ id: number; state: 'delivered' | 'failed'; at: string; result: string }>(
      `UPDATE hook_deliveries SET state = :state, next_try_at = NULL, ended_at = :at, result = :result
     WHERE id = :id AND state = 'waiting'`,
    ),
    postpone: db.prepare<{ id: number; result: string; nextTryAt: string }>(
      `UPDATE hook_deliveries SET next_try_at = :nextTryAt, result = :result WHERE id = :id AND state = 'waiting'`,
    ),
    postponeOthers: db.prepare<{ id: number; now: string; nextTryAt: string }>(
      `UPDATE hook_deliveries SET since = ${sinceFirstTry}, next_try_at = :nextTryAt
     WHERE state = 'waiting' AND id <> :id AND next_try_at < :nextTryAt
       AND hook_id = (SELECT hook_id FROM hook_deliveries WHERE id = :id)`,
    ),
    repeat: db.prepare<{ id: number; at: string }>(
      `UPDATE hook_deliveries SET state = 'waiting', since = :at, tries = 0, next_try_at = :at, ended_at = NULL
     WHERE id = :id`,
    ),
  }
}
