import { AppError } from '../../../shared/errors.ts'
import type { ParsedInput } from '../../../shared/contract.ts'
import { toAppError } from '../../../shared/errors.ts'
import type { CallPriority } from '../service/service-types.ts'
import type { OrderRow } from '../store/orders-store.ts'
import { askForOrders, differingFields, type Match, matchOrder, type OrderList, type SentOrder } from './match-order.ts'
import { listedBeforeOf, payloadOf, viewOf } from './describe-order.ts'
import { nowOf, otherServiceOf, type OrderParts } from './order-deps.ts'
import { ownOrderOf, recordNotPlaced, recordPlaced, recordRemote, recordUnconfirmed } from './record-order.ts'
import { noOrder, onItsWay } from './drafts.ts'

/** Asking right after an order was sent: the person waits. */
const longestAskMs = 30_000

/** A list may be a moment behind what the service has just done. */
const secondLookMs = 2_000

/**
 * Asks for an order that was just sent; what is in the way of that is left to the next time. That it is not listed says nothing so
 * soon. `isDone`: the service is done with it, so a second look is worth its call.
 */
export async function settleByAsking(
  parts: OrderParts,
  orderId: number,
  { signal, isDone }: { signal: AbortSignal; isDone: boolean },
): Promise<void> {
  const row = parts.store.orders.get(orderId)
  if (row === undefined || signal.aborted) return
  try {
    const either = AbortSignal.any([signal, AbortSignal.timeout(longestAskMs)])
    const ask = () => askForOrders(parts.client, row.projectId, { signal: either })
    let list = await ask()
    if (isDone && list !== null && matchIn(parts, row, list).outcome !== 'listed') {
      await parts.clock.sleep(secondLookMs, either)
      list = await ask()
    }
    answerQuestion(parts, { row, isOver: false }, list)
  } catch (thrown) {
    const { code } = toAppError(thrown)
    parts.logger.info('An order of which it is not known whether it was placed could not be asked for', {
      orderId,
      code,
    })
  }
}

/** An order of which it is not known whether it was placed, as it is before the service is asked. */
export interface OpenQuestion {
  readonly row: OrderRow
  /** No answer is on its way any more: an order that the list does not have then was not placed. */
  readonly isOver: boolean
}

/** Those of a project that were sent to this service. Whoever asks for its list takes them first and gives them to `answerQuestions` with the list. */
export function openQuestions(parts: OrderParts, projectId: string): OpenQuestion[] {
  const { store, underWay, answers } = parts
  const rows = store.orders
    .waiting()
    .filter((row) => row.projectId === projectId && !underWay.has(row.orderId) && otherServiceOf(parts, row) === null)
  for (const row of rows) leftSubmitting(parts, row)
  return rows.map((row) => ({ row, isOver: answers.isOver(row) }))
}

/** Settles what the service's list can. `list` null: the service cannot say. */
export function answerQuestions(parts: OrderParts, questions: readonly OpenQuestion[], list: OrderList | null): void {
  for (const { row, isOver } of questions) answerQuestion(parts, { row, isOver }, list)
}

function answerQuestion(parts: OrderParts, { row, isOver }: OpenQuestion, list: OrderList | null): void {
  const { store } = parts
  const { orderId } = row
  const now = store.orders.get(orderId)
  // It may have been settled, and even sent anew, while the service was asked.
  if (now?.state !== 'unconfirmed' || now.sentAt !== row.sentAt || now.revision !== row.revision) return
  const match = matchIn(parts, now, list)
  if (match.outcome === 'listed') {
    store.orders.noteAsked(orderId, 'listed', [], nowOf(parts))
    recordPlaced(parts, now, { by: 'service', remote: match.order, serviceId: null })
    return
  }
  const payload = payloadOf(now, store.parseJson)
  const candidates =
    match.outcome !== 'similar'
      ? []
      : match.candidates.map((order) => ({
          ...viewOf(order, parts),
          differs: payload && differingFields(payload, order),
        }))
  store.orders.noteAsked(orderId, match.outcome, candidates, nowOf(parts))
  if (match.outcome === 'not-listed' && isOver) {
    recordNotPlaced(parts, now, { code: now.errorCode ?? 'service-error', message: notListed }, 'service')
    return
  }
  parts.onChanged(orderId)
}

const notListed =
  'No usable answer came to this order, and the service does not list it: it was not placed. Place it again when you are ready.'

function matchIn(parts: OrderParts, row: OrderRow, list: OrderList | null): Match {
  const { store } = parts
  const payload = payloadOf(row, store.parseJson)
  if (list === null || payload === null) return { outcome: 'cannot-say' }
  const listedBefore = listedBeforeOf(row, store.parseJson)
  const isOthers = ({ id }: { id: string }) => (ownOrderOf(parts, id)?.orderId ?? row.orderId) !== row.orderId
  // What was only found in the list may be this very order.
  const ownOthers = store.orders
    .ofProject(row.projectId)
    .filter(
      (other) => other.orderId !== row.orderId && other.source !== 'service' && otherServiceOf(parts, other) === null,
    )
    .flatMap(({ serviceId }) => serviceId ?? [])
  const sent: SentOrder = {
    payload,
    sentAt: row.sentAt ?? row.changedAt,
    listedBefore,
    others: new Set(list.orders.filter(isOthers).map(({ id }) => id)),
    expected: new Set([...ownOthers, ...(listedBefore ?? [])]),
  }
  return matchOrder(sent, list.orders, list.isWhole)
}

/** See `orders.check` of the contract. */
export async function checkOrder(parts: OrderParts, orderId: number, signal: AbortSignal): Promise<void> {
  const { store, client } = parts
  const row = store.orders.get(orderId)
  if (row === undefined) throw noOrder()
  if (row.state === 'draft') return
  if (parts.underWay.has(orderId)) throw onItsWay()
  const other = otherServiceOf(parts, row)
  if (other !== null) throw atOtherService(other)
  const questions = openQuestions(parts, row.projectId)
  const list = await askForOrders(client, row.projectId, { signal })
  answerQuestions(parts, questions, list)
  if (row.state === 'placed') follow(parts, row, list)
}

function follow(parts: OrderParts, row: OrderRow, list: OrderList | null): void {
  const match = row.serviceId === null ? matchIn(parts, row, list) : undefined
  const remote = match?.outcome === 'listed' ? match.order : list?.orders.find(({ id }) => id === row.serviceId)
  if (remote !== undefined) {
    recordRemote(parts, row, remote)
    return
  }
  throw notTold(list === null ? 'gives no list of its orders now' : 'does not list it now')
}

/** See `orders.settle` of the contract. */
export function settleByPerson(
  parts: OrderParts,
  { orderId, decision, serviceId }: ParsedInput<'orders.settle'>,
): void {
  const { store, answers, underWay } = parts
  const row = store.orders.get(orderId)
  if (row === undefined) throw noOrder()
  if (underWay.has(orderId)) throw onItsWay()
  if (row.state !== 'unconfirmed') throw notUnconfirmed()
  if (decision === 'placed') {
    if (serviceId !== undefined && ownOrderOf(parts, serviceId) !== undefined) throw takenId()
    recordPlaced(parts, row, { by: 'person', remote: null, serviceId: serviceId ?? null })
    return
  }
  if (!answers.isOver(row)) throw notYetDecidable(answers.endsAt(row))
  const message = 'You said that the service does not have this order. Place it again when you are ready.'
  recordNotPlaced(parts, row, { code: row.errorCode ?? 'service-error', message }, 'person')
}

/** See `Orders.settleWaiting`. */
export async function settleWaiting(parts: OrderParts, priority: CallPriority, signal: AbortSignal): Promise<number> {
  const { store, client, underWay } = parts
  const waiting = () => store.orders.waiting().filter(({ orderId }) => !underWay.has(orderId))
  const askable = waiting().filter((row) => otherServiceOf(parts, row) === null)
  for (const projectId of new Set(askable.map((row) => row.projectId))) {
    const questions = openQuestions(parts, projectId)
    answerQuestions(parts, questions, await askForOrders(client, projectId, { priority, signal }))
  }
  return waiting().length
}

/** Nobody waits for its answer any more: Solarchive ended meanwhile, or could not write down what became of it. */
export function leftSubmitting(parts: OrderParts, row: OrderRow): void {
  if (row.state === 'submitting') recordUnconfirmed(parts, row, { code: 'cancelled', message: endedMeanwhile })
}

const endedMeanwhile =
  'Solarchive ended while this order was on its way. Whether it was placed is not known: look at the list of orders before ' +
  'placing it again.'

const notUnconfirmed = () =>
  new AppError('wrong-usage', 'What became of this order is known already. Nothing was changed.')

const notYetDecidable = (from: string) =>
  new AppError(
    'wrong-usage',
    'The service may still be at work on this order. Nothing was changed. Wait some minutes before you say that it was not placed.',
    { details: { decidableAt: from } },
  )

const atOtherService = (address: string) =>
  new AppError(
    'not-found',
    `This order was sent to ${address}, another service than the one of the settings, which cannot say what became of it. ` +
      'It stays as it is here. Ask again with that address, or look for it there.',
  )

/** `what` the service does, as of `The service`. */
const notTold = (what: string) =>
  new AppError(
    'not-found',
    `This order was placed, but the service ${what}, so how it stands is not known. It stays as it is here; look for it on the ` +
      "service's own pages.",
  )

const takenId = () =>
  new AppError('wrong-usage', 'Another order here has this id at the service. Nothing was changed. Check the id.')
