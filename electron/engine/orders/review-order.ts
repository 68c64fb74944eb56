import { countOf, formatAgo } from '../../../shared/format.ts'
import { orderStatus } from '../../../shared/status-text.ts'
import { AppError } from '../../../shared/errors.ts'
import { choiceLabel, type FieldNote, type OrderTexts } from '../../../shared/order/order-fields.ts'
import { notStated, type OrderPayload, readOrder } from '../../../shared/order/order-payload.ts'
import type { OrderReview } from '../../../shared/order/order-views.ts'
import { isUnusualProjectId, projectIdProblem } from '../../../shared/project-list.ts'
import type { Store } from '../store/create-store.ts'
import { readTexts } from '../store/order-texts.ts'
import type { OrderRow } from '../store/orders-store.ts'
import { requireDraft } from './drafts.ts'
import { findDuplicates, findUnresolved, type OrderHistoryDeps, similarSince } from './duplicates.ts'
import { fingerprintPayload, listNotRead, readOrders, type RemoteOrderList } from './match-order.ts'
import { moduleKnowledge, type ModuleKnowledge } from './presets.ts'
import { recordListed } from './record-order.ts'
import { linkOrders } from './resolve-order.ts'
import { type OrderDeps, patienceMs } from './order-deps.ts'

/** The user is waiting: skip the list if the rate budget has no call for it in time. */
export const maxListWaitMs = 10_000
/** Shorter than `maxListWaitMs`, so that a hanging list can be distinguished from one still queued. */
const maxReviewPatienceMs = 9_000

/**
 * Returns what placing a draft would send, without changing anything. Throws `not-found`, or `wrong-usage` if the order
 * is not a draft.
 */
export async function reviewOrder(deps: OrderDeps, orderId: number, signal: AbortSignal): Promise<OrderReview> {
  const row = requireDraft(deps, orderId)
  const review = reviewAlone(deps, readTexts(row.texts))
  const { payload } = review
  if (payload === null) return review
  const { list, failure } = await readForReview(
    deps,
    payload.projectId,
    AbortSignal.any([signal, AbortSignal.timeout(maxListWaitMs)]),
  )
  signal.throwIfAborted()
  // It was sent before, given up, and is found now: it is its own duplicate.
  const isFound = deps.store.orders.get(orderId)?.state === 'placed'
  const related = withRelatedOrders(deps, isFound ? null : row, review, payload, list)
  if (failure === null) return related
  const { code, message } = listNotRead(failure)
  return { ...related, listProblem: { code, message } }
}

/** Reviews texts that are not stored as a draft, without asking the service. */
export function reviewTexts(
  deps: Pick<OrderDeps, 'store' | 'clock' | 'service' | 'library'>,
  texts: OrderTexts,
): OrderReview {
  const review = reviewAlone(deps, texts)
  return review.payload === null ? review : withRelatedOrders(deps, null, review, review.payload, null)
}

/** Adds duplicates and unresolved orders of the same project. */
function withRelatedOrders(
  deps: Pick<OrderDeps, 'store' | 'clock' | 'service'>,
  row: OrderRow | null,
  review: OrderReview,
  payload: OrderPayload,
  list: RemoteOrderList | null,
): OrderReview {
  const unconfirmed = findUnresolved(deps, row, payload)
  const duplicates = findDuplicates(deps, row?.orderId ?? null, payload, list)
  const listed = new Set([...duplicates, ...unconfirmed].map(({ orderId }) => orderId))
  const isOther = ({ orderId, batchId }: OrderRow) =>
    !listed.has(orderId) && (batchId === null || batchId !== row?.batchId)
  const noun = listed.size === 0 ? 'order' : 'other order'
  const existing = existingWarnings(deps, payload.projectId, isOther, noun)
  const warnings = unconfirmed.map(({ orderId }) => ({
    field: 'projectId' as const,
    message:
      `Order ${orderId} of this project was sent, and it is not known whether the service has it. This ` +
      'could be a second one.',
  }))
  return {
    ...review,
    warnings: [
      ...review.warnings,
      ...warnings,
      ...(existing.length > 0 ? existing : sameAddressWarnings(deps, payload, isOther)),
    ],
    duplicates,
    unconfirmed: unconfirmed.map(({ orderId, sentAt }) => ({ orderId, at: sentAt })),
  }
}

/** Reviews the texts alone, without duplicates. */
function reviewAlone(deps: Pick<OrderDeps, 'store' | 'library'>, texts: OrderTexts): OrderReview {
  const reading = readOrder(texts)
  const modules = moduleKnowledge(deps)
  const unknownModule = moduleWarnings(modules, texts)
  const warnings = [...reading.warnings, ...unknownModule, ...projectWarnings(deps.store, texts)]
  const { isLibraryRead } = modules
  const none = { duplicates: [], unconfirmed: [], listProblem: null, notStated: notStated(texts), isLibraryRead }
  const isModuleUnknown = unknownModule.length > 0
  if (!reading.ok)
    return { payload: null, fingerprint: null, problems: [...reading.problems], warnings, isModuleUnknown, ...none }
  const { payload } = reading
  const { fingerprint } = fingerprintPayload(payload)
  return { payload, fingerprint, problems: [], warnings, isModuleUnknown, ...none }
}

/**
 * Reads a project's list for a review, and records its orders. An error that any call would meet is reported when the
 * order is placed.
 */
export async function readForReview(deps: OrderDeps, projectId: string, signal: AbortSignal) {
  const maxAnswerMs = patienceMs(deps, maxReviewPatienceMs)
  try {
    const read = await readOrders(deps.client, projectId, { signal, maxAnswerMs })
    linkOrders(deps, projectId, read.list)
    if (read.list !== null) await recordListed(deps, projectId, read.list.orders)
    return read
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'internal') throw error
    return { list: null, failure: null }
  }
}

/** More orders than these add nothing to a warning. */
const maxNamedOrders = 3

/** Returns a warning about the orders that a project has already, here or at the service, the latest first. */
export function existingWarnings(
  { store, clock }: OrderHistoryDeps,
  projectId: string,
  isOther: (row: OrderRow) => boolean,
  noun = 'order',
): FieldNote[] {
  const recent = store.orders.sentSince(similarSince(clock), projectId)
  const rows = [...store.orders.ofProject(projectId).filter(({ state }) => state === 'placed'), ...recent]
  const existing = [...new Map(rows.map((row) => [row.orderId, row])).values()]
    .filter(isOther)
    .sort((a, b) => sentTime(b).localeCompare(sentTime(a)))
  const [latest] = existing
  if (latest === undefined) return []
  const nowMs = clock.nowMs()
  if (existing.length === 1) return [{ field: 'projectId', message: oneOrder('This project', latest, nowMs) }]
  const named = existing
    .slice(0, maxNamedOrders)
    .map((row) => `order ${row.orderId}, ${howSent(row)} ${formatAgo(sentTime(row), nowMs)} (${briefly(row)})`)
  const rest = existing.length - named.length
  const message =
    `This project has ${countOf(existing.length, noun)} already: ${named.join('; ')}` +
    `${rest > 0 ? `; and ${rest} more` : ''}. Check that this is not one of them again.`
  return [{ field: 'projectId', message }]
}

/** Returns a warning about the latest order of the last 24 hours for another project at the same address. */
function sameAddressWarnings(
  { store, clock }: OrderHistoryDeps,
  { form }: OrderPayload,
  isOther: (row: OrderRow) => boolean,
): FieldNote[] {
  const address = plainAddress(form.projectAddress)
  const other = store.orders
    .sentSince(similarSince(clock), null)
    .filter(isOther)
    .findLast(({ texts }) => plainAddress(readTexts(texts).projectAddress) === address)
  if (other === undefined) return []
  const whose = `Another project (${other.projectId}) at this address`
  return [{ field: 'projectAddress', message: oneOrder(whose, other, clock.nowMs()) }]
}

function oneOrder(whose: string, row: OrderRow, nowMs: number): string {
  return (
    `${whose} has an order ${howSent(row)} ${formatAgo(sentTime(row), nowMs)}: order ${row.orderId} ` +
    `(${briefly(row)}). Check that this is not the same one again.`
  )
}

const sentTime = ({ placedAt, sentAt }: OrderRow) => placedAt ?? sentAt ?? ''

const howSent = ({ state, source }: OrderRow) =>
  source === 'service' ? 'placed elsewhere' : state === 'placed' ? 'placed' : 'sent'

/** Returns "Ruth Sato, Max fill, In progress". */
function briefly({ texts, status }: OrderRow): string {
  const { homeownerName = '', tierLevel = '' } = readTexts(texts)
  return [homeownerName.trim(), choiceLabel(tierLevel.trim()), orderStatus(status ?? '')]
    .filter((text) => text !== '')
    .join(', ')
}

/**
 * Returns a warning about a module that nobody ordered before: part of a name is ordered as easily as a name. It names
 * the service's library only if that was read.
 */
export function moduleWarnings(modules: ModuleKnowledge, { designOneModule = '' }: OrderTexts): FieldNote[] {
  if (designOneModule.trim() === '' || modules.isKnown(designOneModule)) return []
  const name = designOneModule.trim()
  const where = modules.isLibraryRead
    ? 'No earlier order, preset, or library of the service'
    : 'No earlier order or preset'
  const message = `${where} has “${name}”. Check the module’s name.`
  return [{ field: 'designOneModule', message }]
}

/** Returns differences between an order and its archived project: permitted, but worth a check. */
export function projectWarnings({ projects }: Pick<Store, 'projects'>, texts: OrderTexts): FieldNote[] {
  const projectId = texts.projectId?.trim() ?? ''
  if (projectIdProblem(projectId) !== undefined) return []
  const project = projects.get(projectId)
  if (project === undefined) {
    if (isUnusualProjectId(projectId)) {
      const message = 'This does not look like an ID of the service, and the project is not in the archive. Check it.'
      return [{ field: 'projectId', message }]
    }
    // Without any project in the archive there is nothing to compare with.
    if (!projects.isAnyKnown()) return []
    return [{ field: 'projectId', message: 'This project is not in the archive. Check its ID.' }]
  }
  const ordered = plainAddress(texts.projectAddress)
  const archived = project.address?.trim() ?? ''
  if (ordered === '' || plainAddress(archived) === '' || ordered === plainAddress(archived)) return []
  return [{ field: 'projectAddress', message: `Differs from the project's address: ${archived.replace(/\.$/, '')}.` }]
}

/** Normalizes an address: people write it with and without capitals, commas, and spaces. */
const plainAddress = (address = '') =>
  address
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
