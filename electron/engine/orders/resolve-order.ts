import type { ParsedInput } from '../../../shared/contract/calls.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { RemoteServiceRequest } from '../service/service-types.ts'
import type { OrderRow } from '../store/orders-store.ts'
import {
  askForOrders,
  differingFields,
  equalOrders,
  type Match,
  matchOrder,
  projectKey,
  type RemoteOrderList,
  type SentOrder,
} from './match-order.ts'
import { listedBeforeOf, payloadOf, viewOf } from './describe-order.ts'
import { maxWaitMsOf, nowOf, otherServiceOf, type OrderDeps, patienceMs, whereFollowed } from './order-deps.ts'
import {
  listedLike,
  ownOrderOf,
  recordNotPlaced,
  recordPlaced,
  recordRemote,
  recordUnconfirmed,
  unidentifiedOrders,
} from './record-order.ts'
import { alreadySending, requireOrder } from './drafts.ts'
import { linkLateOrders } from './late-orders.ts'

/** The user waits for this check right after sending. */
const maxAskMs = 30_000

/** The list may lag a moment behind the service's own changes. */
const secondCheckDelayMs = 2_000

/**
 * Checks whether the service lists an order that was just sent; an error is left to the next check. So soon after
 * sending, a missing order proves nothing. `isDone`: the service has finished processing, so a second check is worth
 * its call.
 */
export async function resolveByAsking(
  deps: OrderDeps,
  orderId: number,
  { signal, isDone }: { signal: AbortSignal; isDone: boolean },
): Promise<void> {
  const row = deps.store.orders.get(orderId)
  if (row === undefined || signal.aborted) return
  try {
    const combinedSignal = AbortSignal.any([signal, AbortSignal.timeout(maxAskMs)])
    const maxAnswerMs = patienceMs(deps)
    const ask = () => askForOrders(deps.client, row.projectId, { signal: combinedSignal, maxAnswerMs })
    let list = await ask()
    if (isDone && list !== null && matchIn(deps, row, list).outcome !== 'listed') {
      await deps.clock.sleep(secondCheckDelayMs, combinedSignal)
      list = await ask()
    }
    resolveOneFromList(deps, { row, isWindowOver: false }, list)
    linkOrders(deps, row.projectId, list)
  } catch (thrown) {
    const { code } = toAppError(thrown)
    deps.logger.info('An unconfirmed order could not be checked', {
      orderId,
      code,
    })
  }
}

/** An unconfirmed order, read before the service is asked. */
export interface UnconfirmedOrder {
  readonly row: OrderRow
  /** True if no answer can arrive any more: then an order missing from the list was not placed. */
  readonly isWindowOver: boolean
}

/**
 * Returns a project's unconfirmed orders that were sent to this service. They must be read before the service's list,
 * and passed to `resolveFromList` together with it.
 */
export function unconfirmedOrders(deps: OrderDeps, projectId: string): UnconfirmedOrder[] {
  const { store, inFlight, answers } = deps
  const key = projectKey(projectId)
  const rows = store.orders
    .waiting()
    .filter((row) => projectKey(row.projectId) === key)
    .filter((row) => !inFlight.has(row.orderId) && otherServiceOf(deps, row) === null)
  for (const row of rows) unconfirmIfSubmitting(deps, row)
  return rows.map((row) => ({ row, isWindowOver: answers.isOver(row) }))
}

/** Resolves the orders that the service's list answers for. `list` is null if the service has no usable list. */
export function resolveFromList(
  deps: OrderDeps,
  orders: readonly UnconfirmedOrder[],
  list: RemoteOrderList | null,
): void {
  for (const { row, isWindowOver } of orders) resolveOneFromList(deps, { row, isWindowOver }, list)
}

function resolveOneFromList(
  deps: OrderDeps,
  { row, isWindowOver }: UnconfirmedOrder,
  list: RemoteOrderList | null,
): void {
  const { store } = deps
  const { orderId } = row
  const now = store.orders.get(orderId)
  // It may have been resolved, or even sent again, while the service was asked.
  if (now?.state !== 'unconfirmed' || now.sentAt !== row.sentAt || now.revision !== row.revision) return
  const match = matchIn(deps, now, list)
  if (match.outcome === 'listed') {
    store.orders.recordAsked(orderId, 'listed', [], nowOf(deps))
    recordPlaced(deps, now, { by: 'service', remote: match.order, serviceId: null })
    return
  }
  const payload = payloadOf(now, store.parseJson)
  const candidates =
    match.outcome !== 'similar'
      ? []
      : match.candidates.map((order) => ({
          ...viewOf(order, deps),
          differs: payload && differingFields(payload, order),
        }))
  store.orders.recordAsked(orderId, match.outcome, candidates, nowOf(deps))
  if (match.outcome === 'not-listed' && isWindowOver) {
    recordNotPlaced(deps, now, { code: now.errorCode ?? 'service-error', message: notListed }, 'service')
    return
  }
  deps.onChanged(orderId)
}

const notListed =
  'No usable answer came for this order, and the service does not list it: it was not placed. Place it again ' +
  'when you are ready.'

function matchIn(deps: OrderDeps, row: OrderRow, list: RemoteOrderList | null): Match {
  const { store } = deps
  const payload = payloadOf(row, store.parseJson)
  if (list === null || payload === null) return { outcome: 'cannot-say' }
  const listedBefore = listedBeforeOf(row, store.parseJson)
  const isOthers = ({ id }: { id: string }) => (ownOrderOf(deps, id)?.orderId ?? row.orderId) !== row.orderId
  // An order that was only found in the list may be this very order.
  const ownOthers = store.orders
    .ofProject(row.projectId)
    .filter(
      (other) => other.orderId !== row.orderId && other.source !== 'service' && otherServiceOf(deps, other) === null,
    )
    .flatMap(({ serviceId }) => serviceId ?? [])
  const sent: SentOrder = {
    payload,
    sentAt: row.sentAt ?? row.changedAt,
    listedBefore,
    others: new Set(list.orders.filter(isOthers).map(({ id }) => id)),
    expected: new Set([...ownOthers, ...(listedBefore ?? [])]),
    givenUp: store.orderAttempts
      .ofProject({ projectId: row.projectId, ...whereFollowed(deps) })
      .filter(({ fingerprint }) => fingerprint === row.fingerprint).length,
  }
  const match = matchOrder(sent, list.orders, list.isComplete)
  const isClear = match.outcome !== 'listed' || hasEnoughFor(deps, row, match.order, list.orders)
  return isClear ? match : { outcome: 'similar', candidates: [match.order] }
}

/**
 * Returns whether the list has enough new orders for a sent one and all others without a service ID, also given-up
 * ones, that may be the same listed one. If it has not, nobody knows which of them the service lacks.
 */
function hasEnoughFor(
  deps: OrderDeps,
  row: OrderRow,
  order: RemoteServiceRequest,
  list: readonly RemoteServiceRequest[],
): boolean {
  const { orderAttempts, parseJson } = deps.store
  const { projectId } = row
  const others = [
    ...unidentifiedOrders(deps, projectId).filter(({ orderId }) => orderId !== row.orderId),
    // For those of the same content, see `SentOrder.givenUp`. Of an order that is placed, nobody can be asked any more.
    ...(row.state === 'placed' ? [] : orderAttempts.ofProject({ projectId, ...whereFollowed(deps) })).filter(
      ({ fingerprint }) => fingerprint !== row.fingerprint,
    ),
  ].filter((other) => listedLike(deps, other, [order]).length > 0)
  if (others.length === 0) return true
  const ids = [row, ...others].flatMap((sent) => {
    const payload = payloadOf(sent, parseJson)
    if (payload === null) return []
    const listedBefore = listedBeforeOf(sent, parseJson)
    // An older one is none of them, unless a clock was wrong: then a user decides.
    const own = { payload, sentAt: sent.sentAt ?? row.changedAt, listedBefore, others: new Set<string>() }
    return equalOrders(own, list).map(({ id }) => id)
  })
  return new Set(ids.filter((id) => ownOrderOf(deps, id) === undefined)).size > others.length
}

/**
 * Implements `orders.check` of the contract. Returns the ID of the order: another one if an order that was found at the
 * service turned out to be one that was sent from here.
 */
export async function checkOrder(deps: OrderDeps, orderId: number, signal: AbortSignal): Promise<number> {
  const { store, client } = deps
  const row = requireOrder(deps, orderId)
  if (row.state === 'draft' && !store.orderAttempts.hasAny({ orderId, ...whereFollowed(deps) })) return orderId
  if (deps.inFlight.has(orderId)) throw alreadySending()
  const other = otherServiceOf(deps, row)
  if (other !== null) throw atOtherService(other)
  const unconfirmed = unconfirmedOrders(deps, row.projectId)
  const limits = { maxAnswerMs: patienceMs(deps), maxWaitMs: maxWaitMsOf(deps) }
  const list = await askForOrders(client, row.projectId, { signal, ...limits })
  resolveFromList(deps, unconfirmed, list)
  linkOrders(deps, row.projectId, list)
  const isAbsorbed = store.orders.get(orderId) === undefined && row.serviceId !== null
  const checked = isAbsorbed ? (ownOrderOf(deps, row.serviceId) ?? row) : row
  if (row.state === 'placed') refreshPlaced(deps, requireOrder(deps, checked.orderId), list)
  return checked.orderId
}

function refreshPlaced(deps: OrderDeps, row: OrderRow, list: RemoteOrderList | null): void {
  const remote = list?.orders.find(({ id }) => id === row.serviceId)
  if (remote !== undefined) {
    recordRemote(deps, row, remote)
    return
  }
  throw statusUnknown(list === null ? 'provides no list of its orders now' : 'does not list it now')
}

/**
 * Finds a project's orders without a service ID in its list: those that a user marked as placed, then those that were
 * given up, which may take only an entry that is no other order's.
 */
export function linkOrders(deps: OrderDeps, projectId: string, list: RemoteOrderList | null): void {
  identifyPlaced(deps, projectId, list)
  linkLateOrders(deps, projectId, list)
}

/**
 * Records the service's ids of a project's orders that a user marked as placed without one, so that they are followed.
 * An order of the list that may also be another one sent from here is left.
 */
function identifyPlaced(deps: OrderDeps, projectId: string, list: RemoteOrderList | null): void {
  for (const row of unidentifiedOrders(deps, projectId)) {
    const match = row.state === 'placed' ? matchIn(deps, row, list) : undefined
    if (match?.outcome === 'listed') recordRemote(deps, row, match.order)
  }
}

/** Implements `orders.settle` of the contract. */
export function resolveByUser(deps: OrderDeps, { orderId, decision, serviceId }: ParsedInput<'orders.settle'>): void {
  const { store, answers, inFlight } = deps
  const stored = requireOrder(deps, orderId)
  if (inFlight.has(orderId)) throw alreadySending()
  unconfirmIfSubmitting(deps, stored)
  const row = store.orders.get(orderId)
  if (row?.state !== 'unconfirmed') throw notUnconfirmed()
  if (decision === 'placed') {
    if (serviceId !== undefined) requireOwnId(deps, row, serviceId)
    recordPlaced(deps, row, { by: 'person', remote: null, serviceId: serviceId ?? null })
    return
  }
  if (!answers.isOver(row)) throw notYetDecidable(answers.endsAt(row))
  const message = 'You said that the service does not have this order. Place it again when you are ready.'
  recordNotPlaced(deps, row, { code: row.errorCode ?? 'service-error', message }, 'person')
}

/** Throws if an order of this service that cannot be this one has the id. */
function requireOwnId(deps: OrderDeps, row: OrderRow, serviceId: string): void {
  if (ownOrderOf(deps, serviceId) !== undefined) throw takenId()
  const found = deps.store.orders.ofServiceId(serviceId)
  if (found === undefined || otherServiceOf(deps, found) !== null) return
  if (projectKey(found.projectId) !== projectKey(row.projectId)) throw idOfOtherProject()
}

/**
 * Marks an order as unconfirmed if no process waits for its answer: Solarchive ended, or could not record the outcome.
 */
export function unconfirmIfSubmitting(deps: OrderDeps, row: OrderRow): void {
  if (row.state === 'submitting') recordUnconfirmed(deps, row, { code: 'cancelled', message: endedMeanwhile })
}

const endedMeanwhile =
  'Solarchive ended while this order was being sent, or could not record the answer. It is not known whether it was ' +
  'placed: check the list of orders before placing it again.'

const notUnconfirmed = () =>
  new AppError('wrong-usage', 'The outcome of this order is already known. Nothing was changed.')

const notYetDecidable = (from: string) =>
  new AppError(
    'wrong-usage',
    'The service may still be processing this order. Nothing was changed. Wait a few minutes before you mark it as ' +
      'not placed.',
    { details: { decidableAt: from } },
  )

const atOtherService = (address: string) =>
  new AppError(
    'not-found',
    `This order was sent to ${address}, a different service from the one in the settings, and only that service ` +
      'knows the outcome. Nothing was changed here. Check it again with that address, or look for it there.',
  )

/** `reason` continues the words "the service". */
const statusUnknown = (reason: string) =>
  new AppError(
    'not-found',
    `This order was placed, but the service ${reason}, so its current status is not known. It stays unchanged ` +
      'here; look for it ' +
      "on the service's own pages.",
  )

const takenId = () =>
  new AppError(
    'wrong-usage',
    'Another order here already has this service order ID. Nothing was changed. Check the ID.',
  )

const idOfOtherProject = () =>
  new AppError('wrong-usage', 'This ID belongs to an order of another project. Nothing was changed.')
