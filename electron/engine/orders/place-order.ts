import type { CallInput } from '../../../shared/contract/calls.ts'
import { isServiceError } from '../../../shared/error-policy.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { OrderTexts } from '../../../shared/order/order-fields.ts'
import { fieldOfPath, type OrderPayload, readOrder } from '../../../shared/order/order-payload.ts'
import { type OrderDetail, seenKey, seenRestored } from '../../../shared/order/order-views.ts'
import { isRefusal } from '../service/answer-errors.ts'
import { type RemoteServiceRequest, nothingHappened, outcomeUnknown } from '../service/service-types.ts'
import type { OrderRow } from '../store/orders-store.ts'
import { readTexts } from '../store/order-texts.ts'
import {
  fingerprintPayload,
  listNotRead,
  looksLikePage,
  projectKey,
  readOrders,
  type RemoteOrderList,
} from './match-order.ts'
import { alreadySending, draftChanged, requireDraft, requireOrder } from './drafts.ts'
import { findDuplicates, findUnresolved } from './duplicates.ts'
import { moduleKnowledge } from './presets.ts'
import { moduleWarnings } from './review-order.ts'
import { maxWaitMsOf, nowOf, otherServiceOf, type OrderDeps, patienceMs } from './order-deps.ts'
import { ownOrderOf, recordListed, recordNotPlaced, recordPlaced, recordUnconfirmed } from './record-order.ts'
import { linkOrders, resolveByAsking } from './resolve-order.ts'

/** If the user goes without the list, it is still read if it arrives in this time: it may show a duplicate. */
const shortPatienceMs = 5_000

/**
 * Sends a draft, once. `withoutCheck`: also if the service's list, which shows whether it has the order already, cannot
 * be read now, or only in part. `newModule`: also if its module is unknown. Until its turn comes it stays a draft; then
 * one transaction marks it as being sent, and only after that the first byte goes out. Whenever the process ends, the
 * row says what may have happened. Resolves once the outcome is known or recorded as unconfirmed. If the order was sent
 * before, given up, and is found now, nothing is sent.
 */
export async function placeOrder(
  deps: OrderDeps,
  { orderId, fingerprint, again = false, seen, withoutCheck = false, newModule = false }: CallInput<'orders.place'>,
  signal: AbortSignal,
): Promise<void> {
  const { client, inFlight, finishing } = deps
  if (finishing.aborted) throw restarting()
  const row = requireDraft(deps, orderId)
  if (inFlight.has(orderId)) throw alreadySending()
  const payload = reviewedPayload(row, fingerprint)
  inFlight.add(orderId)
  const stop = new AbortController()
  const maxWaitMs = maxWaitMsOf(deps)
  const startedMs = deps.clock.nowMs()
  const timer = setTimeout(() => stop.abort(notInTime()), maxWaitMs)
  const onFinishing = () => stop.abort(restarting())
  finishing.addEventListener('abort', onFinishing)
  /** Once the order is sent, only closing the engine stops waiting for its answer. */
  const clearWaitLimit = () => {
    clearTimeout(timer)
    finishing.removeEventListener('abort', onFinishing)
  }
  const unsentSignal = AbortSignal.any([signal, stop.signal])
  const keep = (error: AppError) => keepDraft(deps, row, toAppError(stop.signal.reason ?? error))
  try {
    requireNoDuplicate(deps, row, payload, { list: null, again, seen })
    if (!newModule && moduleWarnings(moduleKnowledge(deps), readTexts(row.texts)).length > 0)
      throw refused('moduleUnknown')
    const maxAnswerMs = patienceMs(deps, withoutCheck ? shortPatienceMs : Infinity)
    const read = await readOrders(client, row.projectId, { signal: unsentSignal, maxAnswerMs }).catch(toAppError)
    if (read instanceof AppError) return keep(read)
    const { list, failure } = read
    linkOrders(deps, row.projectId, list)
    // It was sent before, given up, and is found now: nothing is left to send.
    if (requireOrder(deps, orderId).state === 'placed') return
    if (list !== null) await recordListed(deps, row.projectId, list.orders)
    requireNoDuplicate(deps, row, payload, { list, again, seen })
    if (failure !== null && !withoutCheck) return keep(listNotRead(failure))
    const isRestoreAgreed = again && (seen?.includes(seenRestored) ?? true)
    if (!isRestoreAgreed && row.restored === 1) requireNotPlacedSince(deps, row, list)
    const listedBefore = list?.isComplete === true ? list.orders.map(({ id }) => id) : null
    let isSent = false
    const beforeSending = () => {
      clearWaitLimit()
      // The timer stands still while the machine sleeps.
      if (deps.clock.nowMs() - startedMs > maxWaitMs) throw sleptMeanwhile()
      beginSending(deps, row, { payload, again, seen, listedBefore, isUnchecked: failure !== null })
      isSent = true
    }
    const answer = await client.createServiceRequest(payload, { signal: unsentSignal, beforeSending }).catch(toAppError)
    if (answer instanceof AppError && !isSent) return keep(answer)
    try {
      const sent = requireOrder(deps, orderId)
      const combinedSignal = AbortSignal.any([signal, finishing])
      if (answer instanceof AppError) await afterError(deps, sent, answer, combinedSignal)
      else await afterAnswer(deps, sent, answer, { listedBefore, signal: combinedSignal })
    } catch (thrown) {
      inFlight.delete(orderId)
      deps.onChanged(orderId)
      throw notRecorded(toAppError(thrown))
    }
  } finally {
    clearWaitLimit()
    inFlight.delete(orderId)
  }
}

/** Returns the payload that was reviewed. Throws if it is incomplete or differs from the reviewed one. */
function reviewedPayload(row: OrderRow, fingerprint: string): OrderPayload {
  const payload = requireComplete(readTexts(row.texts))
  if (fingerprintPayload(payload).fingerprint !== fingerprint) throw draftChanged()
  return payload
}

/** Returns the payload of complete texts. Throws `wrong-usage` for others. */
export function requireComplete(texts: OrderTexts): OrderPayload {
  const reading = readOrder(texts)
  if (!reading.ok) throw refused('notComplete')
  return reading.payload
}

/**
 * Refuses a duplicate. `again` permits one more, but not next to an unconfirmed one: nobody could know whether it would
 * be the second or the third. It permits none beside an order that the review did not show, if `seen` says which it
 * did.
 */
function requireNoDuplicate(
  deps: OrderDeps,
  row: OrderRow,
  payload: OrderPayload,
  { list, again, seen }: Again & { readonly list: RemoteOrderList | null },
): void {
  const duplicates = findDuplicates(deps, row.orderId, payload, list)
  if (duplicates.some(({ state }) => state !== 'placed')) throw refused('duplicateUnresolved')
  const isPermitted = (order: Parameters<typeof seenKey>[0]) => again && (seen?.includes(seenKey(order)) ?? true)
  const refusing = duplicates.filter((order) => !isPermitted(order))
  if (refusing.some(({ match }) => match === 'same')) throw refused('alreadyPlaced')
  if (refusing.some(({ match }) => match === 'similar')) throw refused('similarPlaced')
  if (refusing.length > 0) throw refused('possiblyPlaced')
  if (!findUnresolved(deps, row, payload).every(isPermitted)) throw refused('otherUnresolved')
}

type Again = Pick<CallInput<'orders.place'>, 'seen'> & { readonly again: boolean }

/**
 * Refuses a draft of a restored database if it may have been placed after the backup was made. Whether an order of the
 * list is this one cannot be seen: services repeat forms in part, with other spellings, or not at all.
 */
function requireNotPlacedSince(deps: OrderDeps, { projectId }: OrderRow, list: RemoteOrderList | null): void {
  if (list?.isComplete !== true || looksLikePage(list.orders.length)) throw refused('maybePlaced')
  const isOfOthers = ({ id, projectId: named }: RemoteServiceRequest) =>
    (named === null || projectKey(named) === projectKey(projectId)) && ownOrderOf(deps, id) === undefined
  if (list.orders.some(isOfOthers)) throw refused('maybeAmongListed')
}

function beginSending(
  deps: OrderDeps,
  row: OrderRow,
  {
    payload,
    again,
    seen,
    listedBefore,
    isUnchecked,
  }: Again & { payload: OrderPayload; listedBefore: readonly string[] | null; isUnchecked: boolean },
): void {
  const { store, answers } = deps
  const { orderId, revision, projectId } = row
  const { text, fingerprint } = fingerprintPayload(payload)
  store.transaction(() => {
    // Another draft with the same content may have been sent while this one waited.
    requireNoDuplicate(deps, row, payload, { list: null, again, seen })
    const { service } = deps
    const sending = {
      unchecked: isUnchecked ? 1 : 0,
      orderId,
      revision,
      service,
      projectId,
      payload: text,
      fingerprint,
      listedBefore,
      at: nowOf(deps),
    } as const
    if (!store.orders.begin(sending)) throw draftChanged()
  })
  answers.recordSent(orderId)
  deps.onChanged(orderId)
}

/** Records in the draft why it was not sent. Throws errors that are not about the service. */
function keepDraft(deps: OrderDeps, { orderId }: OrderRow, error: AppError): void {
  if (!isServiceError(error.code)) throw error
  deps.store.orders.recordProblem(orderId, { code: error.code, message: notSent(error) }, nowOf(deps))
  deps.onChanged(orderId)
}

/** The failed call read a list; the message has to be about the order. */
function notSent({ message }: AppError): string {
  return message.replace(nothingHappened.question, nothingHappened.order)
}

/** Returns what an error after sending says about the order. */
function meaningOf({ code, details }: AppError): 'refused' | 'failed' | 'unknown' {
  if (details?.unsent === true) return 'refused'
  const status = typeof details?.status === 'number' ? details.status : 0
  if (isRefusal(status)) return 'refused'
  return code === 'service-error' && status === 500 ? 'failed' : 'unknown'
}

const answerNotAwaited = `The call to the service was stopped. ${outcomeUnknown.order}.`

async function afterError(deps: OrderDeps, row: OrderRow, error: AppError, signal: AbortSignal): Promise<void> {
  const { code, message } = error
  const meaning = meaningOf(error)
  if (meaning === 'refused') {
    // The error of a read says less: it may be about any id.
    const named = code === 'not-found' ? message.replace('this project', `this project (${row.projectId})`) : message
    recordNotPlaced(deps, row, { code, message: named, fieldProblems: fieldProblemsOf(error) }, null)
    return
  }
  // The reason of an abort is not about the order.
  recordUnconfirmed(deps, row, { code, message: code === 'cancelled' ? answerNotAwaited : message })
  await resolveByAsking(deps, row.orderId, { signal, isDone: meaning === 'failed' })
}

async function afterAnswer(
  deps: OrderDeps,
  row: OrderRow,
  answer: RemoteServiceRequest,
  { listedBefore, signal }: { listedBefore: readonly string[] | null; signal: AbortSignal },
): Promise<void> {
  const known = deps.store.orders.ofServiceId(answer.id)
  // An order that was found at the service after sending may be this very order.
  const wasKnown =
    known !== undefined &&
    otherServiceOf(deps, known) === null &&
    (known.source !== 'service' || known.createdAt < (row.sentAt ?? ''))
  const isOld = wasKnown || listedBefore?.includes(answer.id) === true
  if (!isOld) {
    recordPlaced(deps, row, { by: 'answer', remote: answer, serviceId: null })
    return
  }
  const message =
    'The service answered with an order that it already had. It is not known whether this one was placed: ' +
    'check the list of orders before placing it again.'
  recordUnconfirmed(deps, row, { code: 'unreadable-answer', message })
  await resolveByAsking(deps, row.orderId, { signal, isDone: false })
}

function fieldProblemsOf({ details }: AppError): OrderDetail['fieldProblems'] {
  const problems = Array.isArray(details?.problems) ? (details.problems as unknown[]) : []
  return problems.flatMap((problem) => {
    const { field, message } = problem as { field?: unknown; message?: unknown }
    if (typeof message !== 'string') return []
    const name = typeof field === 'string' ? fieldOfPath(field) : null
    // A field name that is not in the form still helps to understand the reason.
    const text = typeof field === 'string' && field !== '' && name === null ? `${field}: ${message}` : message
    return [{ field: name, message: text }]
  })
}

/** Why an order is not sent, and what to do. */
const refusals = {
  notComplete: 'The order is not complete yet, so it was not sent. Review it to see what is missing.',
  alreadyPlaced:
    'The same order was already placed for this project, so it was not sent. Confirm it if you want it again.',
  similarPlaced:
    'An order of the last 24 hours for this project differs only in spaces or capitals, so this one was not sent. ' +
    'Confirm it if you want a second one.',
  possiblyPlaced:
    'This order was sent before, and the service has another order of this project, which may be it, with other ' +
    'values. It was not sent again. Confirm it if you want it anyway.',
  duplicateUnresolved:
    'The same order was sent for this project before, and it is not known whether the service has it, so it ' +
    'was not sent again. Resolve that first: check the list of orders.',
  otherUnresolved:
    'Another order of this project was sent before, and it is not known whether the service has it, so this ' +
    'one was not sent. Resolve that first, or confirm that you want this one anyway.',
  moduleUnknown:
    'No earlier order or preset has this module, so the order was not sent. Check the module’s name, and confirm it.',
  maybePlaced:
    'The database was replaced or restored, so orders may be missing from it, and this one may already have ' +
    'been placed. The service does not list its orders, so it was not sent. Find out whether it was placed, or ' +
    'confirm that you want it anyway.',
  maybeAmongListed:
    'The database was replaced or restored, so orders may be missing from it, and the service has an order of this ' +
    'project that may be this one. It was not sent. Compare them, or confirm that you want it anyway.',
}

/** `details.isRestored`: the user is asked whether the draft was placed before the database was restored. */
const refused = (why: keyof typeof refusals) => {
  const isRestored = why === 'maybePlaced' || why === 'maybeAmongListed'
  return new AppError('wrong-usage', refusals[why], isRestored ? { details: { isRestored } } : {})
}

const notInTime = () =>
  new AppError(
    'rate-limited',
    'The service accepts no more calls for now, or is very slow. The order was not placed. Wait a few minutes, ' +
      'then place it again.',
  )

const sleptMeanwhile = () =>
  new AppError(
    'rate-limited',
    'The computer slept, or its clock was set, while the order waited for its turn. It was not placed: place it again.',
  )

const restarting = () =>
  new AppError(
    'cancelled',
    'Solarchive restarts with other settings or ends, so the order was not sent. Place it again in a moment.',
  )

/**
 * `cause`: a full disk, for example. The row still says that the order was sent, so it is checked and never resent
 * automatically.
 */
const notRecorded = (cause: AppError) =>
  new AppError(
    cause.code,
    'The order was sent, but its outcome could not be recorded. Check the list of orders before placing it ' +
      `again. ${cause.message}`,
    { cause },
  )
