import { createHash } from 'node:crypto'
import { AppError } from '../../../shared/errors.ts'
import type { FieldNote, OrderTexts } from '../../../shared/order/order-fields.ts'
import type { OrderPayload } from '../../../shared/order/order-payload.ts'
import type { OrderReview } from '../../../shared/order/order-views.ts'
import { readOrder } from '../../../shared/order/read-order.ts'
import { projectIdProblem } from '../../../shared/project-id.ts'
import type { Store } from '../store/create-store.ts'
import { readTexts } from '../store/order-texts.ts'
import type { OrderRow } from '../store/orders-store.ts'
import { requireDraft } from './drafts.ts'
import { askForOrders, isSameOrder, type OrderList } from './match-order.ts'
import type { OrderParts } from './order-deps.ts'

/** Somebody waits for the review: a service that is slow is not waited for. */
const longestLookMs = 10_000

/** What placing a draft would send; nothing is changed. Throws `not-found`, and `wrong-usage` for what is no draft. */
export async function reviewOrder(parts: OrderParts, orderId: number, signal: AbortSignal): Promise<OrderReview> {
  const row = requireDraft(parts, orderId)
  const review = readReview(parts, readTexts(row.texts))
  const { payload } = review
  if (payload === null) return review
  const list = await lookQuietly(
    parts,
    payload.projectId,
    AbortSignal.any([signal, AbortSignal.timeout(longestLookMs)]),
  )
  signal.throwIfAborted()
  return withOthers(parts, row, review, payload, list)
}

/** What can be said of an order that is no draft yet, without asking the service. */
export function reviewTexts(parts: Pick<OrderParts, 'store'>, texts: OrderTexts): OrderReview {
  const review = readReview(parts, texts)
  return review.payload === null ? review : withOthers(parts, null, review, review.payload, null)
}

/** With the orders of its project that have something to do with it. */
function withOthers(
  parts: Pick<OrderParts, 'store'>,
  row: OrderRow | null,
  review: OrderReview,
  payload: OrderPayload,
  list: OrderList | null,
): OrderReview {
  const unsettled = findUnsettled(parts, row, payload)
  const warnings = unsettled.map(({ orderId }) => ({
    field: 'projectId' as const,
    message: `Order ${orderId} of this project was sent, and whether the service has it is not known. This could be a second one.`,
  }))
  return {
    ...review,
    warnings: [...review.warnings, ...warnings],
    doubles: findDoubles(parts, row?.orderId ?? null, payload, list),
    unsettled: unsettled.map(({ orderId, sentAt }) => ({ orderId, at: sentAt })),
  }
}

/**
 * Orders of another content for the same project of which nobody knows whether the service has them: who orders again may have
 * mended the spelling only. Rows of one list are meant to differ.
 */
export function findUnsettled(
  { store }: Pick<OrderParts, 'store'>,
  row: Pick<OrderRow, 'orderId' | 'batchId'> | null,
  payload: OrderPayload,
): OrderRow[] {
  const { fingerprint } = sealPayload(payload)
  return store.orders
    .ofProject(payload.projectId)
    .filter(({ state }) => state === 'submitting' || state === 'unconfirmed')
    .filter((other) => other.orderId !== row?.orderId && other.fingerprint !== fingerprint)
    .filter(({ batchId }) => batchId === null || batchId !== row?.batchId)
}

/** Its doubles are not looked for yet. */
function readReview(parts: Pick<OrderParts, 'store'>, texts: OrderTexts): OrderReview {
  const reading = readOrder(texts)
  const warnings = [...reading.warnings, ...projectWarnings(parts.store, texts)]
  const none = { doubles: [], unsettled: [] }
  if (!reading.ok) return { payload: null, fingerprint: null, problems: [...reading.problems], warnings, ...none }
  const { payload } = reading
  const { fingerprint } = sealPayload(payload)
  return { payload, fingerprint, problems: [], warnings, ...none }
}

/** Whatever is in the way of the look is met again, and told, when the order is placed. */
async function lookQuietly(parts: OrderParts, projectId: string, signal: AbortSignal): Promise<OrderList | null> {
  try {
    return await askForOrders(parts.client, projectId, { signal })
  } catch (error) {
    if (error instanceof AppError && error.code !== 'internal') return null
    throw error
  }
}

/** Orders of the same content for the same project, each once: here, and on the service where it lists them. */
export function findDoubles(
  { store }: Pick<OrderParts, 'store'>,
  orderId: number | null,
  payload: OrderPayload,
  list: OrderList | null,
): OrderReview['doubles'] {
  const here = sentBefore(store, payload).filter((row) => row.orderId !== orderId)
  const known = new Set(here.map(({ serviceId }) => serviceId))
  const elsewhere = (list?.orders ?? []).filter((order) => isSameOrder(payload, order) && !known.has(order.id))
  return [
    ...here.map((row) => ({
      orderId: row.orderId,
      serviceId: row.serviceId,
      state: row.state,
      status: row.status,
      at: row.placedAt ?? row.sentAt,
    })),
    ...elsewhere.map(({ id, status, createdAt }) => ({
      orderId: store.orders.ofServiceId(id)?.orderId ?? null,
      serviceId: id,
      state: 'placed' as const,
      status,
      at: createdAt,
    })),
  ]
}

/** Orders of this very content that were sent from here, or found at the service: also when it does not list them now. */
export function sentBefore(store: Store, payload: OrderPayload): OrderRow[] {
  const { fingerprint } = sealPayload(payload)
  const { projectId, upgrade, form } = payload
  return store.orders.sentAlike({ projectId, fingerprint, homeownerName: form.homeownerName }).filter((row) => {
    if (row.fingerprint !== null) return row.fingerprint === fingerprint
    const reading = readOrder(readTexts(row.texts))
    // The service does not repeat what was an upgrade.
    return reading.ok && sealPayload({ ...reading.payload, upgrade }).fingerprint === fingerprint
  })
}

/** Where an order does not look like one for its archived project: allowed, and worth a second look. */
export function projectWarnings({ projects }: Pick<Store, 'projects'>, texts: OrderTexts): FieldNote[] {
  const projectId = texts.projectId?.trim() ?? ''
  if (projectIdProblem(projectId) !== undefined) return []
  const project = projects.get(projectId)
  if (project === undefined) {
    // Who archives nothing yet has nothing to compare with.
    if (!projects.isAnyKnown()) return []
    return [{ field: 'projectId', message: 'This project is not in the archive. Check its id.' }]
  }
  const ordered = plainAddress(texts.projectAddress)
  const archived = project.address?.trim() ?? ''
  if (ordered === '' || plainAddress(archived) === '' || ordered === plainAddress(archived)) return []
  return [{ field: 'projectAddress', message: `The project is at ${archived.replace(/\.$/, '')}.` }]
}

/** People write the same address with and without capitals, commas and spaces. */
const plainAddress = (address = '') =>
  address
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** An order as it is sent, and what tells it from others: the SHA-256 of its bytes, in hexadecimal. */
export function sealPayload(payload: OrderPayload): { readonly text: string; readonly fingerprint: string } {
  const text = JSON.stringify(payload)
  return { text, fingerprint: createHash('sha256').update(text).digest('hex') }
}
