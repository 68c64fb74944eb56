import type { OrderDetail } from '../../../shared/order/order-views.ts'
import type { Db } from './open-database.ts'

/** An attempt to place an order that was given up, although the service may record the order late. */
export interface GivenUpAttempt {
  readonly attemptId: number
  /** The draft that the order became again; `null` if that was removed. */
  readonly orderId: number | null
  readonly source: OrderDetail['source']
  readonly projectId: string
  readonly texts: string
  readonly payload: string
  readonly fingerprint: string
  readonly sentAt: string
  /** JSON array; `null` if the service sent no list before the order was sent. */
  readonly listedBefore: string | null
}

const columns = `id AS attemptId, order_id AS orderId, source, project_id AS projectId, texts, payload, fingerprint,
  sent_at AS sentAt, listed_before AS listedBefore`

/** Condition: sent to this service and not too long ago. Rows written before the service was recorded match any. */
const isFollowed = 'COALESCE(service, :service) = :service AND sent_at >= :since'

/** Attempts that were given up, until the service lists their order or the time for that is over. */
export function createOrderAttemptsStore(db: Db) {
  const insert = db.prepare<{ orderId: number }>(
    `INSERT INTO order_attempts (order_id, source, project_id, texts, region, payload, fingerprint, sent_at, service,
       listed_before, unchecked)
     SELECT id, source, project_id, texts, region, payload, fingerprint, sent_at, service, listed_before, unchecked
     FROM orders WHERE id = :orderId AND state IN ('submitting', 'unconfirmed') AND payload IS NOT NULL`,
  )
  const ofProject = db.prepare<{ service: string; since: string; projectId: string }, GivenUpAttempt>(
    `SELECT ${columns} FROM order_attempts
     WHERE project_id = :projectId COLLATE NOCASE AND ${isFollowed} ORDER BY sent_at, id`,
  )
  const ofOrder = db.prepare<{ service: string; since: string; orderId: number }, { attemptId: number }>(
    `SELECT id AS attemptId FROM order_attempts WHERE order_id = :orderId AND ${isFollowed}`,
  )
  const sentTimes = db.prepare<{ service: string; since: string }, { projectId: string; sentAt: string }>(
    `SELECT project_id AS projectId, sent_at AS sentAt FROM order_attempts WHERE ${isFollowed}`,
  )
  const placeDraft = db.prepare<Record<string, unknown>>(
    `UPDATE orders SET (payload, fingerprint, sent_at, service, listed_before, unchecked) = (
         SELECT payload, fingerprint, sent_at, service, listed_before, unchecked
         FROM order_attempts WHERE id = :attemptId),
       state = 'placed', settled_by = 'service', service_id = :serviceId, placed_at = :placedAt, changed_at = :at,
       asked_at = :at, asked_outcome = 'listed', error_code = NULL, error_message = NULL, field_problems = NULL,
       candidates = NULL, restored = 0
     WHERE id = :orderId AND state = 'draft'`,
  )
  const insertLate = db.prepare<Record<string, unknown>, { id: number }>(
    `INSERT INTO orders (state, source, project_id, texts, region, payload, fingerprint, sent_at, service,
       listed_before, unchecked, created_at, changed_at, settled_by, placed_at, late_for)
     SELECT 'placed', source, project_id, texts, region, payload, fingerprint, sent_at, service,
       listed_before, unchecked, sent_at, :at, 'service', :placedAt, order_id
     FROM order_attempts WHERE id = :attemptId RETURNING id`,
  )
  const remove = db.prepare<[number]>('DELETE FROM order_attempts WHERE id = ?')
  return {
    /** Records the attempt of an order that is about to become a draft again. */
    giveUp: (orderId: number) => void insert.run({ orderId }),
    /** Earliest first. */
    ofProject: (where: { projectId: string; service: string; since: string }) => ofProject.all(where),
    hasAny: (where: { orderId: number; service: string; since: string }) => ofOrder.get(where) !== undefined,
    sentTimes: (where: { service: string; since: string }) => sentTimes.all(where),
    /**
     * Records that the service has the order of an attempt whose draft is unchanged. Returns `false` if it is no draft.
     */
    placeDraft: (late: { attemptId: number; orderId: number; serviceId: string; placedAt: string; at: string }) =>
      placeDraft.run(late).changes === 1,
    /**
     * Adds the order of an attempt, still without the service's id, beside its draft, which was changed, placed again,
     * or removed. Returns its id.
     */
    insertLate: (late: { attemptId: number; placedAt: string; at: string }) => insertLate.get(late)?.id ?? 0,
    remove: (attemptId: number) => void remove.run(attemptId),
  }
}
