import { AppError } from '../../../shared/errors.ts'
import type { CallInput, ParsedInput } from '../../../shared/contract.ts'
import { isOfHouse, type OrderTexts } from '../../../shared/order/order-fields.ts'
import type { OrderDetail } from '../../../shared/order/order-views.ts'
import type { Store } from '../store/create-store.ts'
import { readRegion, readTexts } from '../store/order-texts.ts'
import { nowOf, type OrderParts } from './order-deps.ts'
import { presetBeginning, type Beginning } from './presets.ts'

/** Answers the new draft's id. Throws `not-found` for a preset or order that is not there. */
export function createDraft(
  parts: OrderParts,
  { projectId, presetId, from, texts = {} }: CallInput<'orders.create'>,
  source: OrderDetail['source'],
): number {
  const { store } = parts
  return store.transaction(() => {
    const usual = presetBeginning(store, presetId)
    const earlier = from === undefined ? undefined : earlierOrder(store, from)
    const wanted = projectId ?? earlier?.texts.projectId
    const isOther = earlier !== undefined && projectId !== undefined && projectId !== earlier.texts.projectId
    return store.orders.insertDraft({
      source,
      region: earlier?.region ?? usual.region,
      at: nowOf(parts),
      texts: {
        ...usual.texts,
        ...(earlier === undefined ? {} : isOther ? withoutHouse(earlier.texts) : earlier.texts),
        ...(wanted === undefined ? {} : { projectId: wanted }),
        ...(earlier !== undefined && !isOther ? {} : textsOfProject(store, projectId)),
        ...texts,
      },
    })
  })
}

function earlierOrder(store: Store, orderId: number): Beginning {
  const row = store.orders.get(orderId)
  if (row === undefined) throw noOrder()
  return { texts: { ...readTexts(row.texts), projectId: row.projectId }, region: readRegion(row.region) }
}

/** Whose house it is belongs to the project. */
function withoutHouse(texts: OrderTexts): OrderTexts {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !isOfHouse(name)))
}

/** Whose house it is, as far as the archived project tells. */
export function textsOfProject(store: Store, projectId: string | undefined): OrderTexts {
  const project = projectId === undefined ? undefined : store.projects.get(projectId)
  const name = project?.name?.trim() ?? ''
  const address = project?.address?.trim() ?? ''
  return {
    ...(isPersonsName(name) && { homeownerName: name }),
    ...(address !== '' && { projectAddress: address }),
  }
}

/** Two to four capitalised words, such as `Mary Jones` or `Ana & Luis Ortiz`. */
const personsName = /^\p{Lu}[\p{L}'’.-]*(?: (?:\p{Lu}[\p{L}'’.-]*|and|&|de|del|da|van|von|der|la|al)){1,5}$/u
/** What projects are called besides after people. */
const noPerson =
  /\b(?:residence|residential|home|house|roof|site|solar|project|st|street|ave|avenue|rd|road|dr|drive|ln|lane|blvd|ct|court|way|llc|inc|corp|co|company|church|school|county|city|building|apartments?|test|sample|new|commercial|phase|lot|garage|barn|array)\b/i

/** A wrong name in an order is worse than none. */
export function isPersonsName(name: string): boolean {
  return name.length <= 60 && personsName.test(name) && !noPerson.test(name)
}

export function saveDraft(
  parts: OrderParts,
  draft: ParsedInput<'orders.saveDraft'>,
): { revision: number; savedAt: string } {
  const savedAt = nowOf(parts)
  const { orderId, revision } = draft
  if (!parts.store.orders.saveDraft({ ...draft, at: savedAt })) {
    requireDraft(parts, orderId)
    throw draftChanged()
  }
  parts.onChanged(orderId)
  return { revision: revision + 1, savedAt }
}

export function discardDraft(parts: OrderParts, orderId: number): void {
  // What is about to be sent is none that can be removed, though its row says so until its turn comes.
  if (parts.underWay.has(orderId)) throw onItsWay()
  const { batchId, batchLine, projectId, texts } = requireDraft(parts, orderId)
  const { store } = parts
  store.transaction(() => {
    if (!store.orders.discard(orderId)) throw noDraft()
    // The result of its list goes on telling of its row.
    if (batchId === null || batchLine === null) return
    const { homeownerName = '' } = readTexts(texts)
    const message = 'The draft was removed before it was placed.'
    store.orderBatches.leaveOut(batchId, { line: batchLine, state: 'removed', projectId, homeownerName, message })
  })
  parts.onChanged(orderId)
}

/** Throws `not-found`, or `wrong-usage` for what is no draft. */
export function requireDraft({ store, underWay }: OrderParts, orderId: number) {
  const row = store.orders.get(orderId)
  if (row === undefined) throw noOrder()
  if (row.state === 'submitting' && underWay.has(orderId)) throw onItsWay()
  if (row.state !== 'draft') throw noDraft()
  return row
}

export const noOrder = () => new AppError('not-found', 'This order is not here any more. Look at the list of orders.')

export const noDraft = () =>
  new AppError(
    'wrong-usage',
    'This order was sent already, so it cannot be changed, placed or removed as a draft. Nothing was changed.',
  )

export const onItsWay = () =>
  new AppError('wrong-usage', 'This order is on its way to the service. Wait for its answer. It was not sent again.')

export const draftChanged = () =>
  new AppError(
    'draft-changed',
    'The draft was changed meanwhile, in another window perhaps. Nothing was sent or lost. Look at it again.',
  )
