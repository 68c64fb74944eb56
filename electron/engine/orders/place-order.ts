import type { CallInput } from '../../../shared/contract.ts'
import { isServiceError } from '../../../shared/error-policy.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import { fieldOfPath, type OrderPayload } from '../../../shared/order/order-payload.ts'
import type { OrderDetail } from '../../../shared/order/order-views.ts'
import { readOrder } from '../../../shared/order/read-order.ts'
import { isRefusal } from '../service/answer-errors.ts'
import { nothingHappened } from '../service/call-purpose.ts'
import type { RemoteServiceRequest } from '../service/service-types.ts'
import type { OrderRow } from '../store/orders-store.ts'
import { readTexts } from '../store/order-texts.ts'
import { askForOrders, mayBePage, type OrderList } from './match-order.ts'
import { draftChanged, noOrder, onItsWay, requireDraft } from './drafts.ts'
import { findDoubles, findUnsettled, sealPayload } from './review-order.ts'
import { nowOf, type OrderParts } from './order-deps.ts'
import { recordNotPlaced, recordPlaced, recordUnconfirmed } from './record-order.ts'
import { settleByAsking } from './resolve-order.ts'

/** A service may ask for an hour's rest: nobody should find an order sent that was given up for lost in front of the screen. */
const defaultLongestWaitMs = 3 * 60_000

/**
 * Sends a draft, once. Until its turn comes the draft is a draft; then, in one transaction, it is on its way, and only after that
 * the first byte goes out. Whatever ends in between, the row tells what may have happened. Answers when it is known how it
 * stands, which may be: not known.
 */
export async function placeOrder(
  parts: OrderParts,
  { orderId, fingerprint, again = false }: CallInput<'orders.place'>,
  signal: AbortSignal,
): Promise<void> {
  const { client, underWay, finishing } = parts
  if (finishing.aborted) throw startsAnew()
  const row = requireDraft(parts, orderId)
  if (underWay.has(orderId)) throw onItsWay()
  const payload = reviewedPayload(row, fingerprint)
  underWay.add(orderId)
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(notInTime()), parts.timings.longestWaitMs ?? defaultLongestWaitMs)
  const leave = () => patience.abort(startsAnew())
  finishing.addEventListener('abort', leave)
  /** Once it is sent, only the engine's end keeps its answer from being waited for. */
  const stopGivingUp = () => {
    clearTimeout(timer)
    finishing.removeEventListener('abort', leave)
  }
  const unsent = AbortSignal.any([signal, patience.signal])
  const keep = (error: AppError) => keepDraft(parts, row, toAppError(patience.signal.reason ?? error))
  try {
    requireNoDouble(parts, row, payload, { list: null, again })
    let list: OrderList | null
    try {
      list = await askForOrders(client, row.projectId, { signal: unsent })
    } catch (thrown) {
      return keep(toAppError(thrown))
    }
    requireNoDouble(parts, row, payload, { list, again })
    if (!again && row.restored === 1 && (list?.isWhole !== true || mayBePage(list.orders.length))) throw maybePlaced()
    const listedBefore = list?.isWhole === true ? list.orders.map(({ id }) => id) : null
    let isSent = false
    const beforeSending = () => {
      stopGivingUp()
      beginSending(parts, row, { payload, again, listedBefore })
      isSent = true
    }
    let answer: RemoteServiceRequest | AppError
    try {
      answer = await client.createServiceRequest(payload, { signal: unsent, beforeSending })
    } catch (thrown) {
      answer = toAppError(thrown)
      if (!isSent) return keep(answer)
    }
    try {
      const sent = requireRow(parts, orderId)
      const asking = AbortSignal.any([signal, finishing])
      if (answer instanceof AppError) await afterError(parts, sent, answer, asking)
      else await afterAnswer(parts, sent, answer, { listedBefore, signal: asking })
    } catch (thrown) {
      throw notRecorded(toAppError(thrown))
    }
  } finally {
    stopGivingUp()
    underWay.delete(orderId)
  }
}

/** Nothing is sent that nobody looked at. */
function reviewedPayload(row: OrderRow, fingerprint: string): OrderPayload {
  const reading = readOrder(readTexts(row.texts))
  if (!reading.ok) throw notComplete()
  if (sealPayload(reading.payload).fingerprint !== fingerprint) throw draftChanged()
  return reading.payload
}

/** Who says `again` wants one more; of one whose fate is not known nobody can tell whether that would be the second or third. */
function requireNoDouble(
  parts: OrderParts,
  row: OrderRow,
  payload: OrderPayload,
  { list, again }: { list: OrderList | null; again: boolean },
): void {
  const doubles = findDoubles(parts, row.orderId, payload, list)
  if (doubles.some(({ state }) => state !== 'placed')) throw doubleOpen()
  if (again) return
  if (doubles.length > 0) throw isDouble()
  if (findUnsettled(parts, row, payload).length > 0) throw otherUnsettled()
}

function beginSending(
  parts: OrderParts,
  row: OrderRow,
  { payload, again, listedBefore }: { payload: OrderPayload; again: boolean; listedBefore: readonly string[] | null },
): void {
  const { store, answers } = parts
  const { orderId, revision, projectId } = row
  const { text, fingerprint } = sealPayload(payload)
  store.transaction(() => {
    // Another draft of the same content may have gone out while this one waited.
    requireNoDouble(parts, row, payload, { list: null, again })
    const { service } = parts
    const sending = {
      orderId,
      revision,
      service,
      projectId,
      payload: text,
      fingerprint,
      listedBefore,
      at: nowOf(parts),
    }
    if (!store.orders.begin(sending)) throw draftChanged()
  })
  answers.noteSent(orderId)
  parts.onChanged(orderId)
}

/** It was not sent: why stands in the draft. What is no matter of the service is thrown. */
function keepDraft(parts: OrderParts, { orderId }: OrderRow, error: AppError): void {
  if (!isServiceError(error.code)) throw error
  parts.store.orders.noteProblem(orderId, { code: error.code, message: notSent(error) }, nowOf(parts))
  parts.onChanged(orderId)
}

/** The call that failed read a list; what is said is about the order. */
function notSent({ message }: AppError): string {
  return message.replace(nothingHappened.read, nothingHappened.order)
}

/** What an error of a call that was sent says of the order. */
function meaningOf({ code, details }: AppError): 'refused' | 'failed' | 'unknown' {
  if (details?.unsent === true) return 'refused'
  const status = typeof details?.status === 'number' ? details.status : 0
  if (isRefusal(status)) return 'refused'
  return code === 'service-error' && status === 500 ? 'failed' : 'unknown'
}

async function afterError(parts: OrderParts, row: OrderRow, error: AppError, signal: AbortSignal): Promise<void> {
  const { code, message } = error
  const meaning = meaningOf(error)
  if (meaning === 'refused') {
    recordNotPlaced(parts, row, { code, message, fieldProblems: fieldProblemsOf(error) }, null)
    return
  }
  recordUnconfirmed(parts, row, { code, message })
  await settleByAsking(parts, row.orderId, { signal, isDone: meaning === 'failed' })
}

async function afterAnswer(
  parts: OrderParts,
  row: OrderRow,
  answer: RemoteServiceRequest,
  { listedBefore, signal }: { listedBefore: readonly string[] | null; signal: AbortSignal },
): Promise<void> {
  const known = parts.store.orders.ofServiceId(answer.id)
  // One that was found at the service since it was sent may be this very order.
  const wasKnown = known !== undefined && (known.source !== 'service' || known.createdAt < (row.sentAt ?? ''))
  const isOld = wasKnown || listedBefore?.includes(answer.id) === true
  if (!isOld) {
    recordPlaced(parts, row, { by: 'answer', remote: answer, serviceId: null })
    return
  }
  const message =
    'The service answered with an order that it had before. Whether this one was placed is not known: look at the list of ' +
    'orders before placing it again.'
  recordUnconfirmed(parts, row, { code: 'unreadable-answer', message })
  await settleByAsking(parts, row.orderId, { signal, isDone: false })
}

function fieldProblemsOf({ details }: AppError): OrderDetail['fieldProblems'] {
  const problems = Array.isArray(details?.problems) ? (details.problems as unknown[]) : []
  return problems.flatMap((problem) => {
    const { field, message } = problem as { field?: unknown; message?: unknown }
    if (typeof message !== 'string') return []
    const name = typeof field === 'string' ? fieldOfPath(field) : null
    // A name that is none of the form's helps to understand the reason.
    const told = typeof field === 'string' && field !== '' && name === null ? `${field}: ${message}` : message
    return [{ field: name, message: told }]
  })
}

function requireRow({ store }: OrderParts, orderId: number): OrderRow {
  const row = store.orders.get(orderId)
  if (row === undefined) throw noOrder()
  return row
}

const notComplete = () =>
  new AppError('wrong-usage', 'The order is not complete yet, so it was not sent. Review it: it says what is missing.')

const isDouble = () =>
  new AppError(
    'wrong-usage',
    'The same order was placed for this project already, so it was not sent. Say so if you want it again.',
  )

const doubleOpen = () =>
  new AppError(
    'wrong-usage',
    'The same order was sent for this project before, and whether the service has it is not known, so it was not sent again. ' +
      'Find that out first: look at the list of orders.',
  )

const otherUnsettled = () =>
  new AppError(
    'wrong-usage',
    'Another order of this project was sent before, and whether the service has it is not known, so this one was not sent. Find ' +
      'that out first, or say so if you want it all the same.',
  )

const maybePlaced = () =>
  new AppError(
    'wrong-usage',
    'The database was replaced or restored, so orders may be missing from it, and this one may have been placed already. The ' +
      'service does not tell its orders, so it was not sent. Find out whether it was placed; say so if you want it all the same.',
  )

const notInTime = () =>
  new AppError(
    'rate-limited',
    'The service takes no more calls for now, or is very slow. The order was not placed. Wait some minutes, then place it again.',
  )

const startsAnew = () =>
  new AppError(
    'cancelled',
    'Solarchive starts anew with other settings, so the order was not sent. Place it again in a moment.',
  )

/** `why`: a full disk, say. The row still tells that it was sent: it is asked for, and never sent again by itself. */
const notRecorded = (why: AppError) =>
  new AppError(
    why.code,
    `The order was sent, but what became of it could not be recorded. Look at the list of orders before placing it again. ${why.message}`,
    { cause: why },
  )
