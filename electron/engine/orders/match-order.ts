import { createHash } from 'node:crypto'
import { errorPolicy } from '../../../shared/error-policy.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import { type OrderFieldName, orderFieldNames, orderFields } from '../../../shared/order/order-fields.ts'
import type { OrderPayload } from '../../../shared/order/order-payload.ts'
import { isJsonObject } from '../service/readers/json-object.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { CallOptions, RemoteServiceRequest } from '../service/service-types.ts'

/** Returns the spelling by which the ids of projects are compared: the service may not care about capitals. */
export const projectKey = (projectId: string): string => projectId.toLowerCase()

/** The service's orders of a project. `isComplete` is false if the answer says that it is only a part of the list. */
export interface RemoteOrderList {
  readonly orders: readonly RemoteServiceRequest[]
  readonly isComplete: boolean
}

interface AskOptions extends Pick<CallOptions, 'priority' | 'signal'> {
  /** Called with the error if the service has no usable list. */
  readonly onUnavailable?: (because: AppError) => void
  /**
   * Longest wait for the answer, retries included, from the moment that the call is sent. A wait for the service's limit
   * does not count: the call is then sent as if for the first time.
   */
  readonly maxAnswerMs?: number
  /** Longest wait for the answer in all, also for the service's limit; then `rate-limited`. */
  readonly maxWaitMs?: number
}

/**
 * Returns null if the service has no usable list: the call is not in its specification, so it may lack it, deny it, or
 * mean something else by it. Throws the errors that any call would meet: token, network, limit, `cancelled`.
 */
export async function askForOrders(
  client: ServiceClient,
  projectId: string,
  { onUnavailable, maxAnswerMs, maxWaitMs, ...options }: AskOptions,
): Promise<RemoteOrderList | null> {
  const limit = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const beforeSending = () => {
    if (maxAnswerMs !== undefined) timer ??= setTimeout(() => limit.abort(), maxAnswerMs)
  }
  const onPaused = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const waitLimit = maxWaitMs === undefined ? undefined : AbortSignal.timeout(maxWaitMs)
  const signal = AbortSignal.any([options.signal, waitLimit, limit.signal].filter((one) => one !== undefined))
  let isComplete = true
  const onPartial = () => {
    isComplete = false
  }
  try {
    const callOptions = { ...options, signal, onPartial, beforeSending, onPaused }
    const orders = await client.listServiceRequests(projectId, callOptions)
    return { orders, isComplete }
  } catch (error) {
    if (limit.signal.aborted && options.signal?.aborted !== true) throw tooSlow(maxAnswerMs ?? 0)
    if (waitLimit?.aborted === true && options.signal?.aborted !== true) throw notInTime()
    if (!(error instanceof AppError) || errorPolicy[error.code].answer === undefined) throw error
    onUnavailable?.(error)
    return null
  } finally {
    clearTimeout(timer)
  }
}

const tooSlow = (maxAnswerMs: number) =>
  new AppError(
    'unreachable-timeout',
    `The service's list of orders did not arrive in ${Math.round(maxAnswerMs / 1000)} seconds. Nothing was changed. ` +
      'Try again later.',
  )

const notInTime = () =>
  new AppError(
    'rate-limited',
    'The service accepts no more calls for now, or is very slow. Nothing was changed. Try again in a few minutes.',
  )

/** "Method Not Allowed" and "Not Implemented": the service has no such list. */
const noSuchCall: readonly unknown[] = [405, 501]

/** Returns whether the service says that it has no such list, or denies it. */
const lacksList = ({ code, details }: AppError) =>
  code === 'not-found' ||
  code === 'no-permission' ||
  (code === 'service-error' && noSuchCall.includes(details?.['status']))

/**
 * Returns whether the list cannot be read now, or was answered with something else, such as a sign-in page. Placing an
 * order may work even so, but then nobody knows whether the service has it already: a user decides. Every answer counts
 * that does not say that there is no such list.
 */
function isListFailure(error: AppError): boolean {
  const { code, details } = error
  if (errorPolicy[code].answer !== undefined) return !lacksList(error)
  return (code === 'unreachable-timeout' || code === 'unreachable-reset') && details?.unsent !== true
}

/**
 * Returns the list, null if the service has no usable one, and the failure if the list exists but cannot be read now,
 * or only in part: an order that a part lacks may be in the rest. Throws the other errors of `askForOrders`.
 */
export async function readOrders(
  client: ServiceClient,
  projectId: string,
  options: Omit<AskOptions, 'onUnavailable'>,
): Promise<{ readonly list: RemoteOrderList | null; readonly failure: AppError | null }> {
  let failure: AppError | null = null
  const onUnavailable = (error: AppError) => {
    if (isListFailure(error)) failure = error
  }
  try {
    const list = await askForOrders(client, projectId, { ...options, onUnavailable })
    return { list, failure: list?.isComplete === false ? partOfList() : failure }
  } catch (thrown) {
    const error = toAppError(thrown)
    if (!isListFailure(error)) throw error
    return { list: null, failure: error }
  }
}

const partOfList = () =>
  new AppError('partial-answer', "The service sends only a part of a project's list of orders. Try again later.")

/** Returns the error for an order that is not placed because the list cannot be read; see `isListFailure`. */
export function listNotRead(error: AppError): AppError {
  const { code, details } = error
  return new AppError(
    code,
    `The service's list of orders cannot be read (${whyNotRead(error)}), so it is not known whether the service has ` +
      'this order already. The order was not placed. Try again later, or place it without this check.',
    details === undefined ? {} : { details },
  )
}

function whyNotRead({ code, details }: AppError): string {
  if (code === 'unreadable-answer') {
    if (details?.tooLarge === true) return 'it is too large'
    return details?.['looksLike'] === 'html'
      ? 'the service answers with a web page, such as a sign-in page'
      : 'the service answers with something else'
  }
  if (code === 'partial-answer') return 'the service sends only a part of it'
  if (code === 'unreachable-timeout') return 'the service does not answer'
  if (code === 'unreachable-reset') return 'the connection breaks'
  return 'the service answers with an error'
}

/** A sent order, as far as it decides which orders of a list may be it. */
interface SentPayload {
  readonly payload: OrderPayload
  readonly sentAt: string
  /** Ids that the service listed for the project just before sending; null if it sent no list. */
  readonly listedBefore: ReadonlySet<string> | null
  /** Service ids of other orders in the database. */
  readonly others: ReadonlySet<string>
}

/** A sent order whose answer never came. */
export interface SentOrder extends SentPayload {
  /** Ids that a complete list has to contain. If there are none, an empty list proves nothing. */
  readonly expected: ReadonlySet<string>
  /** Number of earlier attempts to place the same order that were given up: the service may record them late. */
  readonly givenUp: number
}

export type Match =
  | { readonly outcome: 'listed'; readonly order: RemoteServiceRequest }
  /** One of these new orders may be it, but it is not certain which. */
  | { readonly outcome: 'similar'; readonly candidates: readonly RemoteServiceRequest[] }
  | { readonly outcome: 'not-listed' }
  /** The list is incomplete, or not known to be complete. */
  | { readonly outcome: 'cannot-say' }

/**
 * Tolerance between this machine's clock and the service's, for an order that is taken for the sent one by its time.
 * Not needed if the list was also read before sending.
 */
const clockToleranceMs = 15 * 60_000

/**
 * Looks for a sent order in the service's list of its project. The outcome is `listed` only for a single new order that
 * equals every value that was sent, besides those of earlier attempts; otherwise a user decides.
 */
export function matchOrder(sent: SentOrder, list: readonly RemoteServiceRequest[], isComplete: boolean): Match {
  const candidates = possibleOrders(sent, list)
  const equal = equalOrders(sent, candidates)
  // The latest equal order is this one; those before it are from the earlier attempts.
  const last = equal.at(-1)
  if (last !== undefined && equal.length <= 1 + sent.givenUp) return { outcome: 'listed', order: last }
  if (candidates.length > 0) return { outcome: 'similar', candidates: equal.length > 1 ? equal : candidates }
  const listed = new Set(list.map(({ id }) => id))
  // A list without any known order may be behind, or hold finished designs only: an empty one proves nothing.
  const showsKnown = sent.expected.size > 0 && [...sent.expected].every((id) => listed.has(id))
  const showsAll = isComplete && !looksLikePage(list.length) && showsKnown
  return { outcome: showsAll ? 'not-listed' : 'cannot-say' }
}

/**
 * Returns the listed orders that are not known to be another than a sent one. If the list was not read before sending,
 * those of any time: a clock that is ahead makes the sent order look older than its sending.
 */
export function possibleOrders(
  { payload, listedBefore, others }: Omit<SentPayload, 'sentAt'>,
  list: readonly RemoteServiceRequest[],
): RemoteServiceRequest[] {
  const key = projectKey(payload.projectId)
  return list.filter(
    ({ id, projectId }) =>
      !others.has(id) && listedBefore?.has(id) !== true && (projectId === null || projectKey(projectId) === key),
  )
}

/** Returns the listed orders that equal a sent one, are not known to be another, and are new, earliest first. */
export function equalOrders(sent: SentPayload, list: readonly RemoteServiceRequest[]): RemoteServiceRequest[] {
  const createdMs = ({ createdAt }: RemoteServiceRequest) => (createdAt === null ? Infinity : Date.parse(createdAt))
  return possibleOrders(sent, list)
    .filter((order) => isSameOrder(sent.payload, order) && isNew(sent, order))
    .sort((a, b) => (createdMs(a) < createdMs(b) ? -1 : Number(createdMs(a) > createdMs(b))))
}

/** Returns whether a list's length is typical of a page: a service may truncate lists without documenting it. */
export function looksLikePage(length: number): boolean {
  return length > 0 && (length % 10 === 0 || length % 25 === 0)
}

/** Returns whether it is certain that this is not an older order with the same content. */
function isNew({ sentAt, listedBefore }: SentPayload, { createdAt }: RemoteServiceRequest): boolean {
  if (listedBefore !== null) return true
  return createdAt !== null && Date.parse(createdAt) >= Date.parse(sentAt) - clockToleranceMs
}

/**
 * Returns whether the service's order contains every value of the payload. Numbers may come back as text, and null
 * values may be left out. An order without its form equals none.
 */
export function isSameOrder(payload: OrderPayload, order: RemoteServiceRequest): boolean {
  return equals(payload, order, sameText)
}

/** As `isSameOrder`, for orders that differ only in spaces or capitals; see `looseKey`. */
export function isSimilarOrder(payload: OrderPayload, order: RemoteServiceRequest): boolean {
  return equals(payload, order, (one, other) => sameText(looseText(one), looseText(other)))
}

type SameText = (one: string, other: string) => boolean

function equals(payload: OrderPayload, order: RemoteServiceRequest, isSame: SameText): boolean {
  if (order.form === null) return false
  if (order.tierLevel !== null && !isSame(order.tierLevel, payload.tierLevel)) return false
  if (order.isExpedited !== null && order.isExpedited !== payload.isExpedited) return false
  return contains(order.form, payload.form, isSame)
}

/**
 * Returns the fields whose values differ from what was sent, or null if the service does not repeat what was ordered.
 * Fields that its answers never repeat are left out.
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
    return !contains(valueAt(echo, path), valueAt(payload, path))
  })
}

function valueAt(holder: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), holder)
}

function contains(echo: unknown, sent: unknown, isSame: SameText = sameText): boolean {
  if (isJsonObject(sent)) {
    return isJsonObject(echo) && Object.entries(sent).every(([key, value]) => contains(echo[key], value, isSame))
  }
  if (sent === null) return echo === null || echo === undefined
  return isScalar(echo) && isScalar(sent) && isSame(String(echo), String(sent))
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

const number = /^-?\d+(\.\d+)?$/

function sameText(one: string, other: string): boolean {
  return one === other || (number.test(one) && number.test(other) && Number(one) === Number(other))
}

/** Returns a text that is equal for orders that differ only in spaces, capitals, or width of characters. */
export function looseKey(payload: OrderPayload): string {
  const values = orderFieldNames.map((name) => valueAt(payload, orderFields[name].path))
  return JSON.stringify(values.map((value) => (typeof value === 'string' ? looseText(value) : value)))
}

const looseText = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/gu, '')

/** Returns the text of an order that is sent, and its fingerprint: the SHA-256 of its bytes in hexadecimal. */
export function fingerprintPayload(payload: OrderPayload): { readonly text: string; readonly fingerprint: string } {
  const text = JSON.stringify(payload)
  return { text, fingerprint: createHash('sha256').update(text).digest('hex') }
}
