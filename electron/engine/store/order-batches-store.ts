import type { ErrorCode } from '../../../shared/error-policy.ts'
import {
  maxOrderTextLength,
  type OrderBatch,
  type OrderDetail,
  type OrderState,
} from '../../../shared/order/order-views.ts'
import type { Db } from './open-database.ts'
import { joinProjectOfOrder } from './orders-store.ts'

export interface StoredBatch {
  readonly batchId: number
  readonly name: string
  readonly createdAt: string
  readonly state: OrderBatch['state']
  readonly stoppedCode: ErrorCode | null
  readonly stoppedMessage: string | null
  readonly rowsLeftOut: number
}

/** Number of a batch's orders in one state. `errorCode` is the error of the last try, `settledBy` who resolved it. */
export interface StoredBatchCount {
  readonly batchId: number
  readonly state: OrderState
  readonly errorCode: ErrorCode | null
  readonly settledBy: OrderDetail['settledBy']
  readonly total: number
}

/** An order of a batch. `line` is the line at which its row ends in the list. */
export interface BatchOrder {
  readonly orderId: number
  readonly line: number
  readonly state: OrderState
  readonly projectId: string
  readonly projectName: string | null
  readonly texts: string
  readonly revision: number
  readonly errorCode: ErrorCode | null
  readonly errorMessage: string | null
  readonly settledBy: OrderDetail['settledBy']
  readonly fieldProblems: string | null
  readonly serviceId: string | null
  readonly status: string | null
}

/** A row of the list without an order in the batch; `double` is a duplicate. `line` is as in `BatchOrder`. */
export interface LeftOutRow {
  readonly line: number
  readonly state: 'double' | 'wrong' | 'removed'
  readonly projectId: string
  readonly homeownerName: string
  readonly message: string
}

const columns = `id AS batchId, name, created_at AS createdAt, state, stopped_code AS stoppedCode,
  stopped_message AS stoppedMessage,
  (SELECT COUNT(*) FROM order_batch_rows r WHERE r.batch_id = order_batches.id) AS rowsLeftOut`
const counted = `SELECT batch_id AS batchId, state, error_code AS errorCode, settled_by AS settledBy,
  COUNT(*) AS total FROM orders`

/** Batches: orders that were created together from a list. */
export function createOrderBatchesStore(db: Db) {
  const insert = db.prepare<{ name: string; at: string }, { id: number }>(
    `INSERT INTO order_batches (name, created_at, state) VALUES (:name, :at, 'waiting') RETURNING id`,
  )
  const get = db.prepare<[number], StoredBatch>(`SELECT ${columns} FROM order_batches WHERE id = ?`)
  const list = db.prepare<[], StoredBatch>(`SELECT ${columns} FROM order_batches ORDER BY id DESC`)
  const countOrders = db.prepare<[number], StoredBatchCount>(
    `${counted} WHERE batch_id = ? GROUP BY batch_id, state, error_code, settled_by`,
  )
  const countAllOrders = db.prepare<[], StoredBatchCount>(
    `${counted} WHERE batch_id IS NOT NULL GROUP BY batch_id, state, error_code, settled_by`,
  )
  const orders = db.prepare<[number], BatchOrder>(
    `SELECT o.id AS orderId, o.batch_line AS line, o.state, o.project_id AS projectId, p.name AS projectName, o.texts,
       o.revision, o.error_code AS errorCode, o.error_message AS errorMessage, o.settled_by AS settledBy,
       o.field_problems AS fieldProblems, o.service_id AS serviceId, o.status
     FROM orders o ${joinProjectOfOrder} WHERE o.batch_id = ? ORDER BY o.batch_line, o.id`,
  )
  const leaveOut = db.prepare<LeftOutRow & { batchId: number }>(
    `INSERT INTO order_batch_rows (batch_id, line, state, project_id, homeowner_name, message)
     VALUES (:batchId, :line, :state, :projectId, :homeownerName, :message)`,
  )
  const leftOut = db.prepare<[number], LeftOutRow & { readonly projectName: string | null }>(
    `SELECT r.line, r.state, r.project_id AS projectId, p.name AS projectName, r.homeowner_name AS homeownerName,
       r.message
     FROM order_batch_rows r LEFT JOIN projects p ON p.id = r.project_id WHERE r.batch_id = ? ORDER BY r.line, r.id`,
  )
  const setState = db.prepare<Record<string, unknown>>(
    `UPDATE order_batches SET state = :state, stopped_code = :code, stopped_message = :message WHERE id = :batchId`,
  )
  const endRunning = db.prepare<[]>(`UPDATE order_batches SET state = 'stopped' WHERE state = 'running'`)

  return {
    /** Returns the new batch's id. */
    insert: (name: string, at: string) => insert.get({ name, at })?.id ?? 0,
    get: (batchId: number) => get.get(batchId),
    /** Newest first. */
    list: () => list.all(),
    countOrders: (batchId: number) => countOrders.all(batchId),
    countAllOrders: () => countAllOrders.all(),
    /** In the order of the list. */
    orders: (batchId: number) => orders.all(batchId),
    leaveOut: (batchId: number, { line, state, projectId, homeownerName, message }: LeftOutRow) => {
      leaveOut.run({
        batchId,
        line,
        state,
        projectId: cut(projectId),
        homeownerName: cut(homeownerName),
        message: cut(message),
      })
    },
    /** In the order of the list. */
    leftOut: (batchId: number) => leftOut.all(batchId),
    setState: (batchId: number, state: OrderBatch['state'], because: OrderBatch['stoppedBecause']) => {
      setState.run({ batchId, state, code: because?.code ?? null, message: because?.message ?? null })
    },
    /** At start: marks running batches as stopped, because none resumes without the user. */
    endRunning: () => void endRunning.run(),
  }
}

/** Limits a cell's text, which may be of any length, to far more than any field accepts. */
const cut = (text: string) => text.slice(0, maxOrderTextLength).toWellFormed()
