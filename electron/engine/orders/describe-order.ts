import { z } from 'zod'
import { concernsEveryCall, type ErrorCode } from '../../../shared/error-policy.ts'
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
import { type OrderParts, otherServiceOf } from './order-deps.ts'

const candidatesSchema = z.array(orderCandidateSchema)
const idsSchema = z.array(z.string())
const { fieldProblems: fieldProblemsSchema } = orderDetailSchema.shape

export function describeSummary(row: OrderRow, { store }: Pick<OrderParts, 'store'>): OrderSummary {
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
    createdAt: row.createdAt,
    changedAt: row.changedAt,
    placedAt: row.placedAt,
  }
}

export function describeOrder(row: OrderRow, parts: Pick<OrderParts, 'store' | 'answers' | 'service'>): OrderDetail {
  const { store, answers } = parts
  const { parseJson } = store
  const { askedAt, askedOutcome } = row
  return {
    ...describeSummary(row, parts),
    revision: row.revision,
    texts: readTexts(row.texts),
    region: readRegion(row.region),
    payload: row.state === 'draft' ? null : payloadOf(row, parseJson),
    fieldProblems:
      row.fieldProblems === null ? [] : (fieldProblemsSchema.safeParse(parseJson(row.fieldProblems)).data ?? []),
    sentAt: row.sentAt,
    otherService: row.state === 'draft' ? null : otherServiceOf(parts, row),
    asked:
      askedAt === null || askedOutcome === null
        ? null
        : { at: askedAt, outcome: askedOutcome, candidates: candidatesOf(row, parseJson) },
    decidableAt: row.state === 'unconfirmed' ? answers.endsAt(row) : null,
    settledBy: row.settledBy,
    remote: remoteOf(row, parseJson),
    history: store.orders.history(row.orderId),
    followedAt: row.followedAt,
    isRestored: row.restored === 1,
  }
}

type ParseJson = (text: string) => unknown

/** What was sent, or is on its way; null where nothing was, and of an order that was placed elsewhere. */
export function payloadOf(row: OrderRow, parseJson: ParseJson): OrderPayload | null {
  return row.payload === null ? null : (orderPayloadSchema.safeParse(parseJson(row.payload)).data ?? null)
}

function candidatesOf(row: OrderRow, parseJson: ParseJson): OrderCandidate[] {
  return row.candidates === null ? [] : (candidatesSchema.safeParse(parseJson(row.candidates)).data ?? [])
}

/** What the service listed before it was sent; null: it did not say. */
export function listedBeforeOf(row: OrderRow, parseJson: ParseJson): ReadonlySet<string> | null {
  if (row.listedBefore === null) return null
  const ids = idsSchema.safeParse(parseJson(row.listedBefore)).data
  return ids === undefined ? null : new Set(ids)
}

function remoteOf(row: OrderRow, parseJson: ParseJson): RemoteOrder | null {
  return row.remoteView === null ? null : (remoteOrderSchema.safeParse(parseJson(row.remoteView)).data ?? null)
}

/** What of the service's order is kept: without links, tokens and signatures. */
export function storedRemote(order: RemoteServiceRequest, { storable }: Pick<OrderParts, 'storable'>): StoredRemote {
  return { view: viewOf(order, { storable }), raw: storable.json(order.raw) }
}

/** Longer than any status or name, short enough for a line of a list. */
const longestText = 200

export function viewOf(order: RemoteServiceRequest, { storable }: Pick<OrderParts, 'storable'>): RemoteOrder {
  // Cut after redacting: a cut secret would not be recognised any more.
  const shown = (value: string) => storable.text(value).slice(0, longestText).toWellFormed()
  const text = (value: string | null) => (value === null ? null : shown(value))
  return {
    // An id is compared and asked for as it is; one that is a link or token would be refused by the readers.
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

/** What became of an order of a batch. `sending`: it is on its way. */
export type BatchOutcome = 'placed' | 'unconfirmed' | 'refused' | 'waiting' | 'sending'

/** Every other order would meet this error too: what it kept from being placed still waits. */
export function concernsEveryOrder(code: ErrorCode): boolean {
  return concernsEveryCall(code) || code === 'cancelled'
}

interface Standing {
  readonly state: OrderState
  /** Why the last try did not place it. */
  readonly errorCode: ErrorCode | null
  /** Who found that it was not placed after it was sent; null where nobody had to. */
  readonly settledBy: OrderDetail['settledBy']
}

/** One that was sent, and of which somebody had to find out that it was not placed, is sent again by a person alone. */
export function outcomeOf({ state, errorCode, settledBy }: Standing): BatchOutcome {
  if (state === 'submitting') return 'sending'
  if (state !== 'draft') return state
  return settledBy === null && (errorCode === null || concernsEveryOrder(errorCode)) ? 'waiting' : 'refused'
}
