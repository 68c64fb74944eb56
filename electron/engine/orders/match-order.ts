import { type ErrorCode, errorPolicy } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import { type OrderFieldName, orderFieldNames, orderFields } from '../../../shared/order/order-fields.ts'
import type { OrderPayload } from '../../../shared/order/order-payload.ts'
import type { CallOptions, RemoteServiceRequest, ServiceClient } from '../service/service-types.ts'

/** The service's orders of a project. */
export interface OrderList {
  readonly orders: readonly RemoteServiceRequest[]
  readonly isWhole: boolean
}

/** Null when the service cannot say. Throws what every other call would meet too: token, network, limit, `cancelled`. */
export async function askForOrders(
  client: ServiceClient,
  projectId: string,
  { onNothing, ...options }: Pick<CallOptions, 'priority' | 'signal'> & { onNothing?: (because: ErrorCode) => void },
): Promise<OrderList | null> {
  let isWhole = true
  const onPartial = () => {
    isWhole = false
  }
  try {
    const orders = await client.listServiceRequests(projectId, { ...options, onPartial })
    return { orders, isWhole }
  } catch (error) {
    if (!(error instanceof AppError) || errorPolicy[error.code].answer === undefined) throw error
    onNothing?.(error.code)
    return null
  }
}

/** What is known of an order that was sent and whose answer never came. */
export interface SentOrder {
  readonly payload: OrderPayload
  readonly sentAt: string
  /** Ids that the service listed for the project just before; null: it did not say. */
  readonly listedBefore: ReadonlySet<string> | null
  /** Ids of the other orders here. */
  readonly others: ReadonlySet<string>
  /** Ids that the list has to have: without them it does not show everything. None: whether it shows any order is not known. */
  readonly expected: ReadonlySet<string>
}

export type Match =
  | { readonly outcome: 'listed'; readonly order: RemoteServiceRequest }
  /** One of these may be it: they are new, and none is beyond doubt. */
  | { readonly outcome: 'similar'; readonly candidates: readonly RemoteServiceRequest[] }
  | { readonly outcome: 'not-listed' }
  /** The list is not whole, or not known to be. */
  | { readonly outcome: 'cannot-say' }

/** The clocks of this machine and of the service may differ by so much. Where the list was read before, none is needed. */
const clockToleranceMs = 15 * 60_000

/**
 * Looks for an order in the service's list of its project. `listed` is said of one only that is new, equal in every value that
 * was sent, and the only such one: where in doubt, a person decides. Pure.
 */
export function matchOrder(sent: SentOrder, list: readonly RemoteServiceRequest[], isWhole: boolean): Match {
  const fresh = list.filter((order) => isNew(sent, order))
  const equal = fresh.filter((order) => isSameOrder(sent.payload, order) && hasKnownAge(sent, order))
  const [only] = equal
  if (only !== undefined && equal.length === 1) return { outcome: 'listed', order: only }
  if (fresh.length > 0) return { outcome: 'similar', candidates: equal.length > 1 ? equal : fresh }
  const listed = new Set(list.map(({ id }) => id))
  // A list that shows nothing known may be behind, or have finished designs only: an empty one proves nothing.
  const showsKnown = sent.expected.size > 0 && [...sent.expected].every((id) => listed.has(id))
  const showsAll = isWhole && !mayBePage(list.length) && showsKnown
  return { outcome: showsAll ? 'not-listed' : 'cannot-say' }
}

/** Whether a list is as long as pages are: a service that documents none may cut its lists all the same, and say nothing. */
export function mayBePage(length: number): boolean {
  return length > 0 && (length % 10 === 0 || length % 25 === 0)
}

function isNew({ payload, sentAt, listedBefore, others }: SentOrder, order: RemoteServiceRequest): boolean {
  if (others.has(order.id)) return false
  // A project's id that was typed in capitals may come back as the service writes it.
  if (order.projectId !== null && order.projectId.toLowerCase() !== payload.projectId.toLowerCase()) return false
  if (listedBefore !== null) return !listedBefore.has(order.id)
  return order.createdAt === null || Date.parse(order.createdAt) >= Date.parse(sentAt) - clockToleranceMs
}

/** Whether it is certain that it is not an older one of the same content. */
function hasKnownAge({ listedBefore }: SentOrder, { createdAt }: RemoteServiceRequest): boolean {
  return listedBefore !== null || createdAt !== null
}

/**
 * Whether the service's order says what this payload says: every value that was sent is there, and equal when both are text; the
 * service may write numbers as text and leave out what is null. An order without its form is equal to none.
 */
export function isSameOrder(payload: OrderPayload, order: RemoteServiceRequest): boolean {
  if (order.form === null) return false
  if (order.tierLevel !== null && order.tierLevel !== payload.tierLevel) return false
  if (order.isExpedited !== null && order.isExpedited !== payload.isExpedited) return false
  return holds(order.form, payload.form)
}

/**
 * The fields that say something else in the service's order than what was sent; null where it does not tell what was ordered. What
 * the service's answers do not repeat is left out.
 */
export function differingFields(payload: OrderPayload, order: RemoteServiceRequest): OrderFieldName[] | null {
  const { form, tierLevel, isExpedited } = order
  if (form === null) return null
  const echo = {
    ...payload,
    form,
    tierLevel: tierLevel ?? payload.tierLevel,
    isExpedited: isExpedited ?? payload.isExpedited,
  }
  return orderFieldNames.filter((name) => {
    const { path } = orderFields[name]
    return !holds(valueAt(echo, path), valueAt(payload, path))
  })
}

function valueAt(holder: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), holder)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function holds(echo: unknown, sent: unknown): boolean {
  if (isObject(sent)) return isObject(echo) && Object.entries(sent).every(([key, value]) => holds(echo[key], value))
  if (sent === null) return echo === null || echo === undefined
  return isScalar(echo) && isScalar(sent) && sameText(String(echo), String(sent))
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

const number = /^-?\d+(\.\d+)?$/

function sameText(one: string, other: string): boolean {
  return one === other || (number.test(one) && number.test(other) && Number(one) === Number(other))
}
