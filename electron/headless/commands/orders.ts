import { isDeepStrictEqual } from 'node:util'
import { errorPolicy, type ExitCode, exitCodes } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import {
  defaultSetback,
  fieldOf,
  fieldPath,
  isSetback,
  type OrderFieldName,
  orderFieldNames,
  type OrderTexts,
} from '../../../shared/order/order-fields.ts'
import { orderTemplateCsv, orderTemplateJson } from '../../../shared/order/order-template.ts'
import type { OrderDetail, OrderReview, OrderSummary } from '../../../shared/order/order-views.ts'
import { plainText } from '../../app/log/plain-text.ts'
import type { Engine } from '../../engine/engine.ts'
import { exitCodeOfError } from '../exit-codes.ts'
import type { Outcome } from '../output/console-output.ts'
import { describeOrder, describeOrders, describeReading, nameOrder, orderDocument } from '../output/describe-orders.ts'
import type { Session } from '../session.ts'
import type { GivenOrder } from './read-order.ts'

const { done, wrongUsage, incomplete } = exitCodes

export interface PlaceFlags {
  readonly project?: string
  /** `-`: standard input. */
  readonly file: string
  readonly preset?: string
  readonly dryRun?: boolean
  /** A second order of the same content is meant. */
  readonly again?: boolean
}

/** `orders place` */
export async function placeCommand(session: Session, given: GivenOrder, flags: PlaceFlags): Promise<Outcome> {
  const { engine } = session
  // Every field is said, so that nothing comes in that the file and the preset do not say.
  const [preset, said] = [presetTexts(session, flags.preset), filled(given.texts)]
  if (flags.preset !== undefined) tellPreset(session, preset, said)
  const texts = { ...defaults(), ...preset, ...said }
  const review = engine.orders.preview(texts)
  if (given.problems.length > 0 || review.payload === null) return wrongOrder(given, review)
  if (flags.dryRun === true) return dryRun(session, review)
  return placeDraft(session, review, beginDraft(engine, texts), flags.again === true)
}

/** What would be sent is alone on stdout, so that it can be taken from there. */
function dryRun({ output }: Session, review: OrderReview): Outcome {
  const { payload, warnings, doubles } = review
  const remarks = [...describeReading(review, []), ...doubles.slice(0, 1).map(describeDouble)]
  if (!output.isJson) {
    for (const remark of remarks) output.warn(remark)
    output.note('This order is right. Nothing was sent.')
  }
  return {
    exitCode: done,
    document: { outcome: 'dry-run', order: null, payload, warnings, problems: [] },
    answer: [JSON.stringify(payload, null, 2)],
    ...(output.isJson && { problems: remarks }),
  }
}

function describeDouble({ orderId, state }: Double): string {
  const before = `The same order was ${state === 'placed' ? 'placed' : 'sent'} from here before (order ${orderId})`
  return state === 'placed'
    ? `${before}: without --again nothing would be sent.`
    : `${before}, and whether the service has it is not known: nothing would be sent.`
}

/** One that an earlier run left, which was ended before it could send it, is taken up. */
function beginDraft({ orders }: Pick<Engine, 'orders'>, texts: OrderTexts): number {
  const left = allOrders({ orders }, { projectId: (texts.projectId ?? '').trim() })
    .filter(({ source, state }) => source === 'command-line' && state === 'draft')
    .find(({ orderId }) => isDeepStrictEqual({ ...orders.get(orderId).texts }, { ...texts }))
  return left?.orderId ?? orders.create({ texts }, 'command-line').orderId
}

/** What was not sent, or turned down, is not kept: the order is in its file. */
async function placeDraft(session: Session, review: OrderReview, orderId: number, again: boolean): Promise<Outcome> {
  const { engine, signal } = session
  const { orders } = engine
  try {
    const { doubles, unsettled, fingerprint } = await orders.review(orderId, signal)
    // Of one that nobody knows the fate of there is no second one, whatever the person wants.
    const double = doubles.find(({ state }) => state !== 'placed') ?? (again ? undefined : doubles[0])
    if (double !== undefined) return await doubleOf(session, double)
    if (!again && unsettled[0] !== undefined) throw beside(unsettled[0])
    if (fingerprint === null) throw new AppError('internal', 'The order could not be read again.')
    return placed(await orders.place({ orderId, fingerprint, again }, signal), review)
  } finally {
    if (isNotKept(orders.get(orderId))) orders.discard(orderId)
  }
}

const beside = ({ orderId }: OrderReview['unsettled'][number]) =>
  new AppError(
    'wrong-usage',
    `Order ${orderId} of this project was sent before, and whether the service has it is not known. Nothing was sent now. Ask for it ` +
      `with "orders check ${orderId}"; if this one is meant beside it, add --again.`,
  )

const isNotKept = ({ state, sentAt, problem }: OrderDetail) =>
  state === 'draft' && (sentAt === null || (problem !== null && errorPolicy[problem.code].refusesOrder === true))

type Double = OrderReview['doubles'][number]

/** The same order again: of a command that was repeated, because nobody knew how the first one had ended, say. */
async function doubleOf({ engine, signal }: Session, double: Double): Promise<Outcome> {
  const { orderId, serviceId } = double
  if (orderId === null) return sameOrder(null, `The service has it as ${plainText(serviceId ?? '')}.`, double)
  const { orders } = engine
  const known = orders.get(orderId)
  const isKnown = double.state === 'placed' || known.otherService !== null
  const order = isKnown ? known : await orders.check(orderId, signal)
  return sameOrder(order, describeOrder(order).join('\n'), double)
}

const sameOrderWords = {
  'already-placed': 'This order has been placed already, so nothing was sent. If a second one is meant, add --again.',
  unconfirmed: 'This order was sent already, and whether the service has it is not known. Nothing was sent.',
  'not-placed':
    'This order was sent before, and the service does not have it. Nothing was sent now. Give the command once more to place it.',
} as const

function sameOrder(order: OrderDetail | null, which: string, double: Double): Outcome {
  const state = order?.state ?? double.state
  const outcome = state === 'placed' ? 'already-placed' : state === 'draft' ? 'not-placed' : 'unconfirmed'
  return {
    exitCode: outcome === 'already-placed' ? done : incomplete,
    document: {
      outcome,
      order: order === null ? null : orderDocument(order),
      ...{
        serviceId: order?.serviceId ?? double.serviceId,
        payload: order?.payload ?? null,
        warnings: [],
        problems: [],
      },
    },
    problems: [sameOrderWords[outcome], which],
  }
}

function placed(order: OrderDetail, review: OrderReview): Outcome {
  const { problem, fieldProblems, payload } = order
  const { warnings } = review
  const remarks = describeReading(review, [])
  const outcome = order.state === 'draft' ? 'refused' : order.state
  const kept = isNotKept(order) ? null : orderDocument(order)
  const document = { outcome, order: kept, payload, warnings, problems: fieldProblems, error: problem }
  if (order.state === 'placed') return { exitCode: done, document, summary: describeOrder(order), problems: remarks }
  const exitCode: ExitCode = problem === null ? incomplete : exitCodeOfError(problem.code)
  return {
    exitCode: order.state === 'draft' ? exitCode : incomplete,
    document,
    problems: [
      ...(problem === null ? [] : [problem.message]),
      ...describeReading(
        review,
        fieldProblems.map(({ field, message }) => ({ field: field === null ? '' : fieldPath(field), message })),
      ),
      ...(kept === null ? ['Nothing is kept: the order is in its file.'] : describeOrder(order)),
    ],
  }
}

/** What the file says wrong is not said again as missing. */
function wrongOrder(given: GivenOrder, review: OrderReview): Outcome {
  const told = new Set(given.problems.map(({ path }) => path))
  const problems = [
    ...given.problems.map(({ path, message }) => ({ field: path, message })),
    ...review.problems
      .map(({ field, message }) => ({ field: fieldPath(field), message }))
      .filter(({ field }) => !told.has(field)),
  ]
  return {
    exitCode: wrongUsage,
    document: { outcome: 'wrong', order: null, payload: null, warnings: review.warnings, problems },
    problems: ['The order is not right yet. Nothing was sent.', ...describeReading(review, problems)],
  }
}

function defaults(): OrderTexts {
  return Object.fromEntries(orderFieldNames.map((name) => [name, fieldOf(name).default ?? '']))
}

/** What is empty says nothing, where a preset does, nor does the service's own word for "use the default". */
function filled(texts: OrderTexts): OrderTexts {
  return Object.fromEntries(
    Object.entries(texts).filter(([name, text]) => text.trim() !== '' && !(isSetback(name) && text === defaultSetback)),
  )
}

/** What the file says stands over the preset: who expects the preset's has to see it. */
function tellPreset({ output }: Session, preset: OrderTexts, said: OrderTexts): void {
  if (output.isJson) return
  const names = orderFieldNames.filter((name) => preset[name] !== undefined)
  const labels = (those: readonly OrderFieldName[]) => those.map((name) => fieldOf(name).label).join(', ')
  const [filledIn, kept] = [names.filter((name) => !(name in said)), names.filter((name) => name in said)]
  output.note(filledIn.length === 0 ? 'The preset fills in nothing.' : `The preset fills in: ${labels(filledIn)}.`)
  if (kept.length > 0) output.note(`The file says by itself, whatever the preset does: ${labels(kept)}.`)
}

function presetTexts({ engine }: Session, name: string | undefined): OrderTexts {
  if (name === undefined) return {}
  const presets = engine.presets.list()
  const preset = presets.find((one) => one.name.toLowerCase() === name.trim().toLowerCase())
  if (preset !== undefined) return preset.texts
  const known = presets.map((one) => `"${plainText(one.name)}"`).join(', ')
  throw new AppError(
    'wrong-usage',
    `There is no preset "${plainText(name)}". ${known === '' ? 'Presets are made in the app.' : `There are ${known}.`} Nothing was sent.`,
  )
}

/** `orders list` */
export function listOrdersCommand({ engine, output }: Session, { project }: { readonly project?: string }): Outcome {
  const orders = allOrders(engine, project === undefined ? {} : { projectId: project.trim() })
  const unconfirmed = orders.filter(({ state }) => state === 'unconfirmed').length
  return {
    exitCode: done,
    document: { orders: orders.map(orderDocument) },
    answer: orders.length === 0 ? [] : describeOrders(orders, output.paint),
    problems: [
      ...(orders.length > 0 ? [] : [project === undefined ? 'No orders yet.' : 'No orders of this project.']),
      ...(unconfirmed === 0
        ? []
        : ['Whether the service has the unconfirmed ones is not known: ask with "orders check ID".']),
    ],
  }
}

const pageSize = 50

function allOrders(
  { orders }: Pick<Engine, 'orders'>,
  which: { readonly projectId?: string; readonly search?: string },
): OrderSummary[] {
  const found: OrderSummary[] = []
  for (;;) {
    const page = orders.list({ offset: found.length, limit: pageSize, search: '', filter: 'all', ...which })
    found.push(...page.items)
    if (page.items.length === 0 || found.length >= page.total) return found
  }
}

/** By its number here, or its id at the service. Throws `not-found`. */
function findOrder(engine: Engine, id: string): number {
  const byServiceId = allOrders(engine, { search: id.slice(0, 200) }).find(({ serviceId }) => serviceId === id)
  if (byServiceId !== undefined) return byServiceId.orderId
  if (/^[1-9]\d{0,14}$/.test(id)) return engine.orders.get(Number(id)).orderId
  throw new AppError(
    'not-found',
    `There is no order "${plainText(id)}" here. "orders list" shows those that there are.`,
  )
}

/** `orders check` */
export async function checkOrderCommand(session: Session, id: string): Promise<Outcome> {
  const { engine, signal } = session
  const orderId = findOrder(engine, id.trim())
  try {
    return told(await engine.orders.check(orderId, signal))
  } catch (error) {
    // The order is known here; that the service does not tell of it is no mistake of whoever asked.
    if (!(error instanceof AppError) || error.code !== 'not-found') throw error
    const order = engine.orders.get(orderId)
    const { code, message } = error
    const document = { order: orderDocument(order), error: { code, message } }
    // That it is placed stands in the message.
    if (order.state === 'placed')
      return { exitCode: incomplete, document, problems: [`${nameOrder(order)}: ${message}`] }
    return { exitCode: incomplete, document, answer: describeOrder(order), problems: [message] }
  }
}

export interface SettleFlags {
  readonly placed?: boolean
  readonly notPlaced?: boolean
  readonly serviceId?: string
}

/** `orders settle` */
export function settleOrderCommand({ engine }: Session, id: string, flags: SettleFlags): Outcome {
  const { placed: wasPlaced = false, notPlaced = false, serviceId } = flags
  if (wasPlaced === notPlaced) throw new AppError('wrong-usage', 'Say either --placed or --not-placed.')
  if (notPlaced && serviceId !== undefined) throw new AppError('wrong-usage', '--service-id goes with --placed.')
  const orderId = findOrder(engine, id.trim())
  const decision = wasPlaced ? 'placed' : 'not-placed'
  return told(engine.orders.resolve({ orderId, decision, ...(serviceId !== undefined && { serviceId }) }))
}

function told(order: OrderDetail): Outcome {
  const isKnown = order.state === 'placed' || order.state === 'draft'
  return {
    exitCode: isKnown ? done : incomplete,
    document: { order: orderDocument(order) },
    answer: describeOrder(order),
  }
}

/** `orders template`: asks nothing and needs no session. */
export function orderTemplate({ csv = false }: { readonly csv?: boolean }): string {
  return csv ? orderTemplateCsv() : orderTemplateJson()
}
