import { type ErrorCode, errorCodes, stopsOrderList } from '../../../shared/error-policy.ts'
import type { OrderTexts } from '../../../shared/order/order-fields.ts'
import type {
  OrderCandidate,
  OrderDetail,
  OrderQuery,
  OrderState,
  RemoteOrder,
} from '../../../shared/order/order-views.ts'
import type { SetbackRegion } from '../../../shared/order/setback-defaults.ts'
import type { Db } from './open-database.ts'

/** A stored order. JSON columns are text; the migrations describe their contents. */
export interface OrderRow {
  readonly orderId: number
  readonly state: OrderState
  readonly source: OrderDetail['source']
  readonly projectId: string
  readonly projectName: string | null
  readonly texts: string
  readonly region: string | null
  readonly revision: number
  readonly createdAt: string
  readonly changedAt: string
  readonly restored: 0 | 1
  readonly batchId: number | null
  readonly batchLine: number | null
  readonly payload: string | null
  readonly fingerprint: string | null
  readonly sentAt: string | null
  /** Origin of the service's address; `null` if nothing was sent, or if it was sent before this was recorded. */
  readonly service: string | null
  readonly listedBefore: string | null
  readonly errorCode: ErrorCode | null
  readonly errorMessage: string | null
  readonly fieldProblems: string | null
  readonly askedAt: string | null
  readonly askedOutcome: AskedOutcome | null
  readonly candidates: string | null
  readonly settledBy: OrderDetail['settledBy']
  readonly serviceId: string | null
  readonly remoteView: string | null
  readonly status: string | null
  readonly placedAt: string | null
  readonly followedAt: string | null
  /** The order whose abandoned attempt the service later recorded as this order. */
  readonly lateFor: number | null
  /** 1: sent although the service's list of orders could not be read before. */
  readonly unchecked: 0 | 1
}

export type AskedOutcome = NonNullable<OrderDetail['asked']>['outcome']

export interface NewDraft {
  readonly source: OrderDetail['source']
  readonly texts: OrderTexts
  readonly region: SetbackRegion | null
  readonly at: string
  readonly batch?: { readonly id: number; readonly line: number } | undefined
}

interface FoundOrder {
  readonly service: string
  readonly projectId: string
  readonly serviceId: string
  readonly texts: OrderTexts
  readonly placedAt: string
  /** Time of its last change at the service. */
  readonly changedAt: string
  readonly at: string
}

/** An order about to be sent, recorded before its first byte is. */
export interface Sending {
  readonly orderId: number
  readonly revision: number
  readonly service: string
  readonly projectId: string
  readonly payload: string
  readonly fingerprint: string
  readonly listedBefore: readonly string[] | null
  readonly unchecked: 0 | 1
  readonly at: string
}

export interface OrderProblem {
  readonly code: ErrorCode
  readonly message: string
}

/** The service's record of an order. `raw` is its JSON without links and secrets. */
export interface StoredRemote {
  readonly view: RemoteOrder
  readonly raw: string
}

const columns = `o.id AS orderId, o.state, o.source, o.project_id AS projectId,
  COALESCE(p.name, p.id) AS projectName, o.texts, o.region, o.revision, o.created_at AS createdAt,
  o.changed_at AS changedAt, o.restored, o.batch_id AS batchId, o.batch_line AS batchLine, o.payload, o.fingerprint,
  o.sent_at AS sentAt, o.service, o.listed_before AS listedBefore, o.error_code AS errorCode,
  o.error_message AS errorMessage, o.field_problems AS fieldProblems, o.asked_at AS askedAt,
  o.asked_outcome AS askedOutcome, o.candidates, o.settled_by AS settledBy, o.service_id AS serviceId,
  o.remote_view AS remoteView, o.status, o.placed_at AS placedAt, o.followed_at AS followedAt,
  o.late_for AS lateFor, o.unchecked`

/** SQL that joins the archived project `p` of an order `o`, whatever capitals its id has; the same ones first. */
export const joinProjectOfOrder = `LEFT JOIN projects p ON p.id = (SELECT id FROM projects
  WHERE id = o.project_id COLLATE NOCASE ORDER BY id <> o.project_id LIMIT 1)`

const from = `FROM orders o ${joinProjectOfOrder}`

const haltingCodes = errorCodes.filter(stopsOrderList).map((code) => `'${code}'`)
/**
 * Drafts whose last try failed, without those that still wait in their list: an error that every order would meet held
 * those back, and their list is shown as stopped. As `outcomeOf` of an order.
 */
const isNotPlaced = `(o.state = 'draft' AND o.error_code IS NOT NULL AND NOT (o.batch_id IS NOT NULL
  AND o.settled_by IS NULL AND o.error_code IN (${haltingCodes.join(', ')})))`

/** Condition of a query. `:search` is a LIKE pattern, or `null` for all. */
const chosen = `(:filter = 'all' OR (:filter = 'drafts' AND o.state = 'draft' AND NOT ${isNotPlaced})
    OR (:filter = 'placed' AND o.state = 'placed')
    OR (:filter = 'not-placed' AND ${isNotPlaced})
    OR (:filter = 'unconfirmed' AND o.state IN ('submitting', 'unconfirmed')))
  AND (:projectId IS NULL OR o.project_id = :projectId COLLATE NOCASE) AND (:batchId IS NULL OR o.batch_id = :batchId)
  AND (:search IS NULL OR o.project_id LIKE :search ESCAPE '!' OR p.name LIKE :search ESCAPE '!'
    OR o.service_id LIKE :search ESCAPE '!' OR json_extract(o.texts, '$.homeownerName') LIKE :search ESCAPE '!'
    OR json_extract(o.texts, '$.projectAddress') LIKE :search ESCAPE '!')`

interface Choice {
  readonly filter: string
  readonly projectId: string | null
  readonly batchId: number | null
  readonly search: string | null
}

/**
 * Clears an attempt that is over, so that the next one starts clean. Its error remains, and so does the time of the
 * request if the service's list resolved it.
 */
const noAttempt = `payload = NULL, fingerprint = NULL, listed_before = NULL, unchecked = 0, candidates = NULL,
  settled_by = :by,
  asked_at = CASE WHEN :by = 'service' THEN asked_at END,
  asked_outcome = CASE WHEN :by = 'service' THEN asked_outcome END`

/** Key in the table `meta`: the time when the database was replaced. */
const missingKey = 'orders-may-be-missing-since'
/** Days during which new drafts are marked: people repeat an order of unknown outcome within days, not months. */
const missingDays = 30

/** Design orders: drafts, orders in flight, and orders that the service has. */
export function createOrdersStore(db: Db) {
  const queries = prepareQueries(db)
  return { ...readingMethods(queries), ...changingMethods(queries, prepareChanges(db)) }
}

function readingMethods(queries: ReturnType<typeof prepareQueries>) {
  return {
    get: (orderId: number) => queries.get.get(orderId),
    ofServiceId: (serviceId: string) => queries.ofServiceId.get(serviceId),
    /** Orders in any state. Capitals of the project's id do not matter, here and in `list` and `sentSince`. */
    ofProject: (projectId: string) => queries.ofProject.all(projectId),
    /**
     * Orders sent from here with this content, and those found at the service for this homeowner, whose content may
     * differ.
     */
    sentAlike: (what: { projectId: string; fingerprint: string; homeownerName: string }) => queries.sentAlike.all(what),
    /**
     * Orders that were sent from here, or found at the service, and placed since then: those of a project, or all.
     */
    sentSince: (since: string, projectId: string | null) => queries.sentSince.all({ since, projectId }),
    /** Most recently changed first; orders of a batch in the order of its list. */
    list({ offset, limit, ...query }: OrderQuery) {
      const choice = toChoice(query)
      const rows = (choice.batchId === null ? queries.list : queries.listOfBatch).all({ ...choice, offset, limit })
      // A page that is not full is the last one, so no count is needed.
      const isLast = rows.length < limit && (rows.length > 0 || offset === 0)
      return { total: isLast ? offset + rows.length : (queries.count.get(choice)?.total ?? 0), rows }
    },
    countByState: (): ReadonlyMap<OrderState, number> =>
      new Map(queries.byState.all().map(({ state, total }) => [state, total] as const)),
    /** Number of drafts whose last try failed and that no list still has to place. */
    countNotPlaced: () => queries.notPlaced.get()?.total ?? 0,
    /** Orders that were sent and are not known to be placed, earliest first. */
    waiting: () => queries.waiting.all(),
    /** Orders that the service recorded late, after their attempt to place this order had been given up. */
    lateOnesOf: (orderId: number) => queries.lateOnesOf.all(orderId),
    /** Newest first. */
    history: (orderId: number) => queries.history.all(orderId),
  }
}

function changingMethods(queries: ReturnType<typeof prepareQueries>, changes: ReturnType<typeof prepareChanges>) {
  return {
    /** Returns the new draft's id. */
    insertDraft: ({ source, texts, region, at, batch }: NewDraft) =>
      changes.insert.get({
        source,
        region,
        at,
        texts: JSON.stringify(texts),
        projectId: projectOf(texts),
        batchId: batch?.id ?? null,
        batchLine: batch?.line ?? null,
      })?.id ?? 0,
    /** Adds an order that the service lists and that was not placed from here. Returns its id. */
    insertFound: ({ texts, ...found }: FoundOrder) =>
      changes.insertFound.get({ ...found, texts: JSON.stringify(texts) })?.id ?? 0,
    /** Returns `false` if it is not a draft, or has another revision. */
    saveDraft: (draft: {
      orderId: number
      revision: number
      texts: OrderTexts
      region: SetbackRegion | null
      at: string
    }) =>
      isOne(changes.saveDraft.run({ ...draft, texts: JSON.stringify(draft.texts), projectId: projectOf(draft.texts) })),
    /** Returns `false` if it is not a draft. */
    discard: (orderId: number) => isOne(changes.discard.run(orderId)),
    /**
     * Records the start of sending: from now on the service may have the order. Returns `false` if it is not a draft or
     * has another revision; it must not be sent then.
     */
    begin: (sending: Sending) =>
      isOne(changes.begin.run({ ...sending, listedBefore: jsonOrNull(sending.listedBefore) })),
    /** Records that the service certainly does not have the order. `by` is `null` if its answer said so. */
    backToDraft: (
      orderId: number,
      { code, message }: OrderProblem,
      fieldProblems: OrderDetail['fieldProblems'],
      { by, at }: { by: 'service' | 'person' | null; at: string },
    ) =>
      isOne(changes.backToDraft.run({ orderId, code, message, fieldProblems: JSON.stringify(fieldProblems), by, at })),
    /** Records why a draft was not sent. */
    recordProblem: (orderId: number, problem: OrderProblem, at: string) => {
      changes.recordProblem.run({ orderId, ...problem, at })
    },
    /** Records that the order was sent with an unknown outcome. */
    unconfirm: (orderId: number, problem: OrderProblem, at: string) =>
      isOne(changes.unconfirm.run({ orderId, ...problem, at })),
    recordAsked: (orderId: number, outcome: AskedOutcome, candidates: readonly OrderCandidate[], at: string) => {
      changes.recordAsked.run({ orderId, outcome, candidates: JSON.stringify(candidates), at })
    },
    /**
     * Records that the service has the order; `serviceId` is `null` if its id is unknown. Returns `false` if the order
     * was not sent.
     */
    setPlaced: (
      orderId: number,
      placed: { by: OrderDetail['settledBy']; serviceId: string | null; placedAt: string; at: string },
    ) => isOne(changes.setPlaced.run({ orderId, ...placed })),
    setServiceId: (orderId: number, serviceId: string) => void changes.setServiceId.run(serviceId, orderId),
    dropServiceId: (orderId: number) => void changes.dropServiceId.run(orderId),
    /**
     * Saves the service's record of an order and adds a new status to its history. Returns whether the status changed,
     * and the previous one. `changedAt` is the time of a new status for the list of orders.
     */
    setRemote(orderId: number, { view, raw }: StoredRemote, at: string, changedAt = at) {
      const before = queries.get.get(orderId)?.status ?? null
      changes.setRemote.run({ orderId, raw, view: JSON.stringify(view), status: view.status, at, changedAt })
      const isChanged = before !== view.status
      if (isChanged) changes.addStatus.run({ orderId, at, status: view.status, changedAt: view.updatedAt })
      return { before, isChanged }
    },
    /**
     * Merges an order that was found in the service's list into the one sent from here: the service's record of it and
     * its history move, and its row is deleted.
     */
    absorb(foundId: number, orderId: number) {
      changes.moveRemote.run({ from: foundId, to: orderId })
      changes.moveHistory.run({ from: foundId, to: orderId })
      changes.forgetFound.run(foundId)
    },
    /**
     * Records that the database was replaced or restored from a backup. It may lack orders, so a draft, even a new one
     * of the next weeks, may have been placed already.
     */
    mayBeMissing: (at: string) => {
      changes.markRestored.run()
      changes.recordMissing.run({ at })
    },
  }
}

/** Returns whether exactly one row was changed; otherwise the order's state was not the expected one. */
const isOne = ({ changes }: { changes: number }) => changes === 1

/** Prepares the statements that read orders. */
function prepareQueries(db: Db) {
  // Only the rows of the page are read in full: the service's JSON is many times larger than the columns used here.
  const listBy = (order: string) =>
    db.prepare<Choice & { limit: number; offset: number }, OrderRow>(
      `SELECT ${columns} ${from} WHERE o.id IN (
         SELECT o.id ${from} WHERE ${chosen} ORDER BY ${order} LIMIT :limit OFFSET :offset)
       ORDER BY ${order}`,
    )
  return {
    get: db.prepare<[number], OrderRow>(`SELECT ${columns} ${from} WHERE o.id = ?`),
    ofServiceId: db.prepare<[string], OrderRow>(`SELECT ${columns} ${from} WHERE o.service_id = ?`),
    list: listBy('o.changed_at DESC, o.id DESC'),
    listOfBatch: listBy('o.batch_line, o.id'),
    count: db.prepare<Choice, { total: number }>(`SELECT COUNT(*) AS total ${from} WHERE ${chosen}`),
    byState: db.prepare<[], { state: OrderState; total: number }>(
      'SELECT state, COUNT(*) AS total FROM orders GROUP BY state',
    ),
    notPlaced: db.prepare<[], { total: number }>(`SELECT COUNT(*) AS total FROM orders o WHERE ${isNotPlaced}`),
    waiting: db.prepare<[], OrderRow>(
      `SELECT ${columns} ${from} WHERE o.state IN ('submitting', 'unconfirmed') ORDER BY o.sent_at, o.id`,
    ),
    // An index has the ids, so that rows, which are long, are read only of this project.
    ofProject: db.prepare<[string], OrderRow>(
      `SELECT ${columns} ${from} WHERE o.project_id IN (
       SELECT project_id FROM orders WHERE project_id = ? COLLATE NOCASE) ORDER BY o.id`,
    ),
    sentAlike: db.prepare<{ projectId: string; fingerprint: string; homeownerName: string }, OrderRow>(
      `SELECT ${columns} ${from} WHERE o.id IN (
       SELECT id FROM orders WHERE project_id = :projectId AND fingerprint = :fingerprint AND state <> 'draft'
       UNION ALL SELECT id FROM orders WHERE source = 'service' AND project_id = :projectId
         AND TRIM(json_extract(texts, '$.homeownerName')) = :homeownerName) ORDER BY o.id`,
    ),
    // A row changes at the earliest when it is sent or found, which the index finds.
    sentSince: db.prepare<{ since: string; projectId: string | null }, OrderRow>(
      `SELECT ${columns} ${from} WHERE o.state IN ('submitting', 'unconfirmed', 'placed') AND o.changed_at >= :since
         AND (:projectId IS NULL OR o.project_id = :projectId COLLATE NOCASE)
         AND COALESCE(o.placed_at, o.sent_at) >= :since ORDER BY o.id`,
    ),
    lateOnesOf: db.prepare<[number], OrderRow>(`SELECT ${columns} ${from} WHERE o.late_for = ? ORDER BY o.id`),
    history: db.prepare<[number], OrderDetail['history'][number]>(
      `SELECT status, seen_at AS seenAt, changed_at AS changedAt FROM order_statuses
     WHERE order_id = ? ORDER BY seen_at DESC`,
    ),
  }
}

/** Prepares the statements that change orders. */
function prepareChanges(db: Db) {
  return {
    insert: db.prepare<Record<string, unknown>, { id: number }>(
      `INSERT INTO orders (state, source, project_id, texts, region, created_at, changed_at, batch_id, batch_line,
       restored)
     VALUES ('draft', :source, :projectId, :texts, :region, :at, :at, :batchId, :batchLine, EXISTS (
       SELECT 1 FROM meta
       WHERE key = '${missingKey}' AND julianday(:at) - julianday(value) < ${missingDays})) RETURNING id`,
    ),
    insertFound: db.prepare<Record<string, unknown>, { id: number }>(
      `INSERT INTO orders (state, source, project_id, texts, created_at, changed_at, placed_at, service, service_id)
     VALUES ('placed', 'service', :projectId, :texts, :at, :changedAt, :placedAt, :service, :serviceId) RETURNING id`,
    ),
    saveDraft: db.prepare<Record<string, unknown>>(
      `UPDATE orders SET texts = :texts, project_id = :projectId, region = :region, revision = revision + 1,
       changed_at = :at
     WHERE id = :orderId AND state = 'draft' AND revision = :revision`,
    ),
    discard: db.prepare<[number]>(`DELETE FROM orders WHERE id = ? AND state = 'draft'`),
    begin: db.prepare<Record<string, unknown>>(
      `UPDATE orders SET state = 'submitting', payload = :payload, fingerprint = :fingerprint, sent_at = :at,
       service = :service, listed_before = :listedBefore, unchecked = :unchecked, changed_at = :at,
       error_code = NULL, error_message = NULL, field_problems = NULL, asked_at = NULL, asked_outcome = NULL,
       candidates = NULL, settled_by = NULL, restored = 0
     WHERE id = :orderId AND state = 'draft' AND revision = :revision AND project_id = :projectId`,
    ),
    backToDraft: db.prepare<Record<string, unknown>>(
      `UPDATE orders SET state = 'draft', revision = revision + 1, ${noAttempt}, error_code = :code,
       error_message = :message, field_problems = :fieldProblems, changed_at = :at
     WHERE id = :orderId AND state IN ('draft', 'submitting', 'unconfirmed')`,
    ),
    recordProblem: db.prepare<Record<string, unknown>>(
      `UPDATE orders SET error_code = :code, error_message = :message, field_problems = NULL, changed_at = :at
     WHERE id = :orderId AND state = 'draft'`,
    ),
    unconfirm: db.prepare<Record<string, unknown>>(
      `UPDATE orders SET state = 'unconfirmed', error_code = :code, error_message = :message, changed_at = :at
     WHERE id = :orderId AND state = 'submitting'`,
    ),
    recordAsked: db.prepare<Record<string, unknown>>(
      `UPDATE orders SET asked_at = :at, asked_outcome = :outcome, candidates = :candidates WHERE id = :orderId`,
    ),
    setPlaced: db.prepare<Record<string, unknown>>(
      `UPDATE orders SET state = 'placed', settled_by = :by, service_id = :serviceId, placed_at = :placedAt,
       changed_at = :at, error_code = NULL, error_message = NULL, field_problems = NULL, candidates = NULL
     WHERE id = :orderId AND state IN ('submitting', 'unconfirmed')`,
    ),
    setServiceId: db.prepare<[string, number]>('UPDATE orders SET service_id = ? WHERE id = ? AND service_id IS NULL'),
    dropServiceId: db.prepare<[number]>('UPDATE orders SET service_id = NULL WHERE id = ?'),
    setRemote: db.prepare<Record<string, unknown>>(
      `UPDATE orders SET remote = :raw, remote_view = :view, followed_at = :at, status = :status,
       changed_at = CASE WHEN status IS :status THEN changed_at ELSE :changedAt END WHERE id = :orderId`,
    ),
    addStatus: db.prepare<Record<string, unknown>>(
      `INSERT OR REPLACE INTO order_statuses (order_id, seen_at, status, changed_at)
     VALUES (:orderId, :at, :status, :changedAt)`,
    ),
    moveRemote: db.prepare<{ from: number; to: number }>(
      `UPDATE orders SET (remote, remote_view, status, followed_at) = (
         SELECT remote, remote_view, status, followed_at FROM orders WHERE id = :from)
     WHERE id = :to`,
    ),
    moveHistory: db.prepare<{ from: number; to: number }>(
      'UPDATE OR REPLACE order_statuses SET order_id = :to WHERE order_id = :from',
    ),
    forgetFound: db.prepare<[number]>(`DELETE FROM orders WHERE id = ? AND source = 'service'`),
    markRestored: db.prepare<[]>(`UPDATE orders SET restored = 1 WHERE state = 'draft'`),
    recordMissing: db.prepare<{ at: string }>(
      `INSERT INTO meta (key, value) VALUES ('${missingKey}', :at)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    ),
  }
}

const projectOf = ({ projectId = '' }: OrderTexts) => projectId.trim()

const jsonOrNull = (value: unknown) => (value === null ? null : JSON.stringify(value))

function toChoice(query: Omit<OrderQuery, 'offset' | 'limit'>): Choice {
  const search = query.search.trim()
  return {
    filter: query.filter,
    projectId: query.projectId ?? null,
    batchId: query.batchId ?? null,
    search: search === '' ? null : `%${search.replace(/[!%_]/g, '!$&')}%`,
  }
}
