import { AppError } from '../../../shared/errors.ts'
import type { CallInput, ParsedInput } from '../../../shared/contract/calls.ts'
import { isSiteField, orderFields, type OrderTexts } from '../../../shared/order/order-fields.ts'
import { type OrderPayload, readOrder } from '../../../shared/order/order-payload.ts'
import type { OrderDetail } from '../../../shared/order/order-views.ts'
import type { Store } from '../store/create-store.ts'
import { readRegion, readTexts } from '../store/order-texts.ts'
import type { OrderRow } from '../store/orders-store.ts'
import { fingerprintPayload } from './match-order.ts'
import { nowOf, type OrderDeps } from './order-deps.ts'
import { startingValuesOf, type StartingValues } from './presets.ts'

/** Returns the new draft's id. Throws `not-found` if the preset or the order to copy does not exist. */
export function createDraft(
  deps: OrderDeps,
  { projectId, presetId, from, texts = {} }: CallInput<'orders.create'>,
  source: OrderDetail['source'],
): number {
  const { store } = deps
  return store.transaction(() => {
    const usual = startingValuesOf(store, presetId)
    const earlier = from === undefined ? undefined : earlierOrder(store, from)
    const wanted = projectId ?? earlier?.texts.projectId
    const isOther = earlier !== undefined && projectId !== undefined && projectId !== earlier.texts.projectId
    return store.orders.insertDraft({
      source,
      region: earlier?.region ?? usual.region,
      at: nowOf(deps),
      texts: {
        ...(source === 'app' && onlyChoices),
        ...usual.texts,
        ...(earlier === undefined ? {} : isOther ? withoutSite(earlier.texts) : earlier.texts),
        ...(wanted === undefined ? {} : { projectId: wanted }),
        ...(earlier !== undefined && !isOther ? {} : textsOfProject(store, projectId)),
        ...texts,
      },
    })
  })
}

const { known: tiers } = orderFields.tierLevel.rule
/** Values of fields with a single known choice; the form shows them, and a user can change them. */
const onlyChoices: OrderTexts = tiers.length === 1 ? { tierLevel: tiers[0] } : {}

function earlierOrder(store: Store, orderId: number): StartingValues {
  const row = requireOrder({ store }, orderId)
  return { texts: { ...readTexts(row.texts), projectId: row.projectId }, region: readRegion(row.region) }
}

/** Removes the fields that describe the site: they belong to the project. */
function withoutSite(texts: OrderTexts): OrderTexts {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !isSiteField(name)))
}

/**
 * Returns the homeowner and address of a project, as far as they are known: from the archive, or else as in its latest
 * order. The homeowner of an order is more certain than a project's name that looks like a person's.
 */
export function textsOfProject(store: Store, projectId: string | undefined): OrderTexts {
  if (projectId === undefined || projectId === '') return {}
  const project = store.projects.get(projectId)
  const latest = store.orders.ofProject(projectId).findLast(({ state }) => state === 'placed')
  const ordered = latest === undefined ? {} : readTexts(latest.texts)
  const orderedFor = ordered.homeownerName?.trim() ?? ''
  const name = project?.name?.trim() ?? ''
  const address = (project?.address?.trim() ?? '') || (ordered.projectAddress?.trim() ?? '')
  const homeowner = orderedFor === '' && isPersonName(name) ? name : orderedFor
  return {
    ...(homeowner !== '' && { homeownerName: homeowner }),
    ...(address !== '' && { projectAddress: address }),
  }
}

/** Two to six words of a person's name, such as `Mary Jones` or `Ana & Luis Ortiz`. */
const personName = /^\p{Lu}[\p{L}'’.-]*(?: (?:\p{Lu}[\p{L}'’.-]*|and|&|de|del|da|van|von|der|la|al)){1,5}$/u
/** Words in project names that are not people's names. */
const notAPerson = new RegExp(
  String.raw`\b(?:residence|residential|home|house|roof|site|solar|project|st|street|ave|avenue|rd|road|dr|drive|ln` +
    '|lane|blvd|ct|court|way|llc|inc|corp|co|company|church|school|county|city|building|apartments?|test|sample|new' +
    String.raw`|commercial|phase|lot|garage|barn|array)\b`,
  'i',
)

/**
 * Returns whether a project's name looks like a person's. Strict, because a wrong name in an order is worse than none.
 */
export function isPersonName(name: string): boolean {
  return name.length <= 60 && personName.test(name) && !notAPerson.test(name)
}

export function saveDraft(
  deps: OrderDeps,
  draft: ParsedInput<'orders.saveDraft'>,
): { revision: number; savedAt: string } {
  const savedAt = nowOf(deps)
  const { orderId, revision } = draft
  if (!deps.store.orders.saveDraft({ ...draft, at: savedAt })) {
    requireDraft(deps, orderId)
    throw draftChanged()
  }
  deps.onChanged(orderId)
  return { revision: revision + 1, savedAt }
}

export function discardDraft(deps: OrderDeps, orderId: number, revision?: number): void {
  // An order that waits for its turn still has the state of a draft, but it can no longer be removed.
  if (deps.inFlight.has(orderId)) throw alreadySending()
  const draft = requireDraft(deps, orderId)
  if (revision !== undefined && revision !== draft.revision) throw draftChanged()
  const { batchId, batchLine, projectId, texts } = draft
  const { store } = deps
  store.transaction(() => {
    if (!store.orders.discard(orderId)) throw noDraft()
    // The result of its list still reports its row.
    if (batchId === null || batchLine === null) return
    const { homeownerName = '' } = readTexts(texts)
    const message = 'The draft was removed before it was placed.'
    store.orderBatches.leaveOut(batchId, { line: batchLine, state: 'removed', projectId, homeownerName, message })
  })
  deps.onChanged(orderId)
}

/**
 * Returns the draft of the command line with this content that a command has left: one that it kept, or that could not
 * be discarded, because the process that owned the data folder was killed.
 */
export function leftDraft({ store }: Pick<OrderDeps, 'store'>, payload: OrderPayload): number | undefined {
  const { fingerprint } = fingerprintPayload(payload)
  return store.orders
    .ofProject(payload.projectId)
    .find((row) => row.source === 'command-line' && row.state === 'draft' && fingerprintOf(row) === fingerprint)
    ?.orderId
}

/** Returns the fingerprint of what an order with these texts sends, or null if they are not complete. */
export function fingerprintOf({ texts }: OrderRow): string | null {
  const reading = readOrder(readTexts(texts))
  return reading.ok ? fingerprintPayload(reading.payload).fingerprint : null
}

/** Throws `not-found` without such an order. */
export function requireOrder({ store }: Pick<OrderDeps, 'store'>, orderId: number): OrderRow {
  const row = store.orders.get(orderId)
  if (row === undefined) throw new AppError('not-found', 'This order no longer exists. Check the list of orders.')
  return row
}

/** Returns the draft. Throws `not-found`, or `wrong-usage` if the order is not a draft. */
export function requireDraft({ store, inFlight }: OrderDeps, orderId: number) {
  const row = requireOrder({ store }, orderId)
  if (row.state === 'submitting' && inFlight.has(orderId)) throw alreadySending()
  if (row.state !== 'draft') throw noDraft()
  return row
}

const noDraft = () =>
  new AppError(
    'wrong-usage',
    'This order was already sent, so it cannot be changed, placed, or removed as a draft. Nothing was changed.',
  )

export const alreadySending = () =>
  new AppError('wrong-usage', 'This order is being sent to the service. Wait for the answer. It was not sent again.')

export const draftChanged = () =>
  new AppError(
    'draft-changed',
    'The draft was changed in the meantime, perhaps in another window. Nothing was sent or lost. Review it again.',
  )
