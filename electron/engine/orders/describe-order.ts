import { z } from 'zod'
import { type ErrorCode, stopsOrderList } from '../../../shared/error-policy.ts'
import { type OrderPayload, orderPayloadSchema } from '../../../shared/order/order-payload.ts'
import { orderSchema } from '../../../shared/order/order-schema.ts'
import {
  type OrderCandidate,
  orderCandidateSchema,
  type OrderDetail,
  orderDetailSchema,
  type OrderState,
  type OrderSummary,
  type RemoteOrder,
  remoteOrderSchema,
} from '../../../shared/order/order-views.ts'
import type { RemoteServiceRequest } from '../service/service-types.ts'
import { readRegion, readTexts } from '../store/order-texts.ts'
import type { OrderRow, StoredRemote } from '../store/orders-store.ts'
import { type OrderDeps, otherServiceOf, whereFollowed } from './order-deps.ts'

const candidatesSchema = z.array(orderCandidateSchema)
const idsSchema = z.array(z.string())
const { fieldProblems: fieldProblemsSchema } = orderDetailSchema.shape

export function describeSummary(row: OrderRow, { store }: Pick<OrderDeps, 'store'>): OrderSummary {
  const texts = readTexts(row.texts)
  const remote = remoteOf(row, store.parseJson)
  const { state, errorCode, errorMessage } = row
  return {
    orderId: row.orderId,
    state,
    source: row.source,
    projectId: row.projectId,
    projectName: row.projectName,
    homeownerName: texts.homeownerName?.trim() ?? '',
    projectAddress: texts.projectAddress?.trim() ?? '',
    tierLevel: texts.tierLevel?.trim() ?? remote?.tierLevel ?? '',
    sizedForCategory: texts.sizedForCategory?.trim() ?? '',
    sizedForValue: texts.sizedForValue?.trim() ?? '',
    isExpedited: remote?.isExpedited ?? orderSchema.shape.isExpedited.safeParse(texts.isExpedited).data ?? false,
    status: row.status,
    serviceId: row.serviceId,
    providerName: remote?.providerName ?? null,
    isAutomated: remote?.isAutomated ?? null,
    problem: errorCode === null || errorMessage === null ? null : { code: errorCode, message: errorMessage },
    batchId: row.batchId,
    waitsInList: row.batchId !== null && outcomeOf(row) === 'waiting',
    batchLine: row.batchLine,
    lateFor: row.lateFor,
    createdAt: row.createdAt,
    changedAt: row.changedAt,
    placedAt: row.placedAt,
  }
}

export function describeDetail(
  row: OrderRow,
  deps: Pick<OrderDeps, 'store' | 'answers' | 'service' | 'clock'>,
): OrderDetail {
  const { store, answers } = deps
  const { parseJson } = store
  const { askedAt, askedOutcome } = row
  return {
    ...describeSummary(row, deps),
    revision: row.revision,
    texts: readTexts(row.texts),
    region: readRegion(row.region),
    payload: row.state === 'draft' ? null : payloadOf(row, parseJson),
    fieldProblems:
      row.fieldProblems === null ? [] : (fieldProblemsSchema.safeParse(parseJson(row.fieldProblems)).data ?? []),
    sentAt: row.sentAt,
    otherService: row.state === 'draft' ? null : otherServiceOf(deps, row),
    asked:
      askedAt === null || askedOutcome === null
        ? null
        : { at: askedAt, outcome: askedOutcome, candidates: candidatesOf(row, parseJson) },
    decidableAt: row.state === 'unconfirmed' ? answers.endsAt(row) : null,
    settledBy: row.settledBy,
    remote: remoteOf(row, parseJson),
    history: store.orders.history(row.orderId),
    followedAt: row.followedAt,
    isUnchecked: row.unchecked === 1,
    lateOrders: store.orders.lateOnesOf(row.orderId).map(({ orderId, serviceId }) => ({ orderId, serviceId })),
    isLookedFor: store.orderAttempts.hasAny({ orderId: row.orderId, ...whereFollowed(deps) }),
    isRestored: row.restored === 1,
  }
}

type ParseJson = (text: string) => unknown

/** Returns the payload that was sent, or null if none was sent from here. */
export function payloadOf(row: Pick<OrderRow, 'payload'>, parseJson: ParseJson): OrderPayload | null {
  return row.payload === null ? null : (orderPayloadSchema.safeParse(parseJson(row.payload)).data ?? null)
}

function candidatesOf(row: OrderRow, parseJson: ParseJson): OrderCandidate[] {
  return row.candidates === null ? [] : (candidatesSchema.safeParse(parseJson(row.candidates)).data ?? [])
}

/** Returns the ids that the service listed before sending, or null if it sent no list. */
export function listedBeforeOf(row: Pick<OrderRow, 'listedBefore'>, parseJson: ParseJson): ReadonlySet<string> | null {
  if (row.listedBefore === null) return null
  const ids = idsSchema.safeParse(parseJson(row.listedBefore)).data
  return ids === undefined ? null : new Set(ids)
}

function remoteOf(row: OrderRow, parseJson: ParseJson): RemoteOrder | null {
  return row.remoteView === null ? null : (remoteOrderSchema.safeParse(parseJson(row.remoteView)).data ?? null)
}

/** Returns the part of the service's order that is stored: without links, tokens, and signatures. */
export function storedRemote(order: RemoteServiceRequest, { sanitizer }: Pick<OrderDeps, 'sanitizer'>): StoredRemote {
  return { view: viewOf(order, { sanitizer }), raw: sanitizer.json(order.raw) }
}

/** Longer than any status or name, short enough for one line of a list. */
const maxTextLength = 200

export function viewOf(order: RemoteServiceRequest, { sanitizer }: Pick<OrderDeps, 'sanitizer'>): RemoteOrder {
  // Truncated after redaction: a truncated secret would not be recognized.
  const shown = (value: string) => sanitizer.text(value).slice(0, maxTextLength).toWellFormed()
  const text = (value: string | null) => (value === null ? null : shown(value))
  return {
    // An id is compared unchanged; the client refuses one that is a link or contains the token.
    id: order.id,
    status: shown(order.status),
    tierLevel: text(order.tierLevel),
    designId: text(order.designId),
    providerName: text(order.providerName),
    isExpedited: order.isExpedited,
    isAutomated: order.isAutomated,
    revisionCount: text(order.revisionCount),
    createdAt: order.createdAt,
    updatedAt: order.updatedAt,
  }
}

/** Outcome of one order of a list. `sending`: its answer is not there yet. */
export type BatchOutcome = 'placed' | 'unconfirmed' | 'refused' | 'waiting' | 'sending'

interface LastAttempt {
  readonly state: OrderState
  /** Why the last attempt did not place it. */
  readonly errorCode: ErrorCode | null
  /** Who found that a sent order was not placed; null if its answer said so or it was never sent. */
  readonly settledBy: OrderDetail['settledBy']
}

/** Returns an order's outcome. A sent order that was later found not to be placed is sent again only by a user. */
export function outcomeOf({ state, errorCode, settledBy }: LastAttempt): BatchOutcome {
  if (state === 'submitting') return 'sending'
  if (state !== 'draft') return state
  return settledBy === null && (errorCode === null || stopsOrderList(errorCode)) ? 'waiting' : 'refused'
}
