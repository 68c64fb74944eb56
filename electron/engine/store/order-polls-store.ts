import type { Db } from './open-database.ts'

/** A project whose orders are followed, and its polls. Times are ISO 8601 UTC. */
export interface OrderPollRow {
  readonly projectId: string
  readonly askedAt: string | null
  readonly answeredAt: string | null
  readonly nextAt: string | null
}

/** An order that the service has, or may have. `changedAt` is the time of the last known status change. */
export interface FollowedOrderRow {
  readonly projectId: string
  readonly state: 'submitting' | 'unconfirmed' | 'placed'
  readonly status: string | null
  readonly sentAt: string | null
  readonly changedAt: string | null
}

/** Condition: the order belongs to this service. Rows written before the service was recorded match any. */
const isAt = 'COALESCE(service, :service) = :service'

/** State of following orders: polls per project, and statuses. */
export function createOrderPollsStore(db: Db) {
  const polls = db.prepare<{ service: string; since: string }, OrderPollRow>(
    `SELECT f.project_id AS projectId, MAX(p.asked_at) AS askedAt, p.answered_at AS answeredAt, p.next_at AS nextAt
     FROM (SELECT project_id FROM orders WHERE state <> 'draft' AND ${isAt}
       UNION SELECT project_id FROM order_attempts WHERE sent_at >= :since AND ${isAt}) f
       LEFT JOIN order_polls p ON p.project_id = f.project_id
     GROUP BY f.project_id COLLATE NOCASE`,
  )
  const followed = db.prepare<{ service: string }, FollowedOrderRow>(
    `SELECT project_id AS projectId, state, status, sent_at AS sentAt, COALESCE(
         (SELECT MAX(COALESCE(s.changed_at, s.seen_at)) FROM order_statuses s WHERE s.order_id = orders.id),
         placed_at) AS changedAt
     FROM orders WHERE state <> 'draft' AND ${isAt}`,
  )
  const recordAsked = db.prepare<Record<string, unknown>>(
    `INSERT INTO order_polls (project_id, asked_at, answered_at, next_at)
     VALUES (:projectId, :at, CASE WHEN :answered THEN :at END, :nextAt)
     ON CONFLICT (project_id) DO UPDATE SET asked_at = excluded.asked_at, next_at = excluded.next_at,
       answered_at = COALESCE(excluded.answered_at, answered_at)`,
  )
  const recordFollowed = db.prepare<{ orderId: number; at: string }>(
    'UPDATE orders SET followed_at = :at WHERE id = :orderId',
  )
  const modules = db.prepare<[], { name: string }>(
    `SELECT json_extract(texts, '$.designOneModule') AS name FROM orders
     WHERE state <> 'draft' AND TRIM(COALESCE(json_extract(texts, '$.designOneModule'), '')) <> ''
     GROUP BY name ORDER BY MAX(COALESCE(sent_at, placed_at, changed_at)) DESC LIMIT 200`,
  )
  const lastRemotes = db.prepare<[], { remote: string }>(
    'SELECT remote FROM orders WHERE remote IS NOT NULL ORDER BY (settled_by IS NULL), placed_at DESC LIMIT 20',
  )
  return {
    /**
     * Projects with orders that were sent to this service or found there, those given up after `since` included. One
     * whose id was written with different capitals is listed once, as it was asked for last.
     */
    projects: (where: { service: string; since: string }) => polls.all(where),
    orders: (service: string) => followed.all({ service }),
    /** Records a request for a project's orders. */
    recordAsked: (poll: { projectId: string; at: string; isAnswered: boolean; nextAt: string }) => {
      const { isAnswered, ...row } = poll
      recordAsked.run({ ...row, answered: isAnswered ? 1 : 0 })
    },
    /** Records that the service reported an order's state without changes. */
    recordFollowed: (orderId: number, at: string) => void recordFollowed.run({ orderId, at }),
    /** Module names of orders that were sent or found, most recently used first. */
    moduleNames: () => modules.all().map(({ name }) => name),
    /** The service's JSON of some orders: those placed here before those found, newest first. */
    lastRemotes: () => lastRemotes.all().map(({ remote }) => remote),
  }
}
