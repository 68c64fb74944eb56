import { exitCodes } from '../../../shared/error-policy.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import { orderTemplateCsv, orderTemplateJson } from '../../../shared/order/order-template.ts'
import type { OrderDetail, OrderSummary } from '../../../shared/order/order-views.ts'
import { plainText } from '../../app/log/plain-text.ts'
import type { ArchiveAccess } from '../../app/archive-access.ts'
import { refuseToken } from '../../app/token/refuse-token.ts'
import type { ArchiveReader } from '../../engine/engine.ts'
import { readText } from '../flags.ts'
import type { Outcome } from '../output/console-output.ts'
import { describeOrder, describeOrders, nameOrder, orderDocument } from '../output/describe-orders.ts'
import { sayingWhyItWaits } from '../output/progress.ts'
import type { Session } from '../session.ts'

const { done, incomplete } = exitCodes

/** `orders list` */
export function listOrdersCommand(
  { engine, output }: Session<ArchiveReader>,
  { project }: { readonly project?: string },
): Outcome {
  const orders = allOrders(engine, project === undefined ? {} : { projectId: project.trim() })
  const unconfirmed = orders.filter(({ state }) => state === 'unconfirmed').length
  const late = orders.filter(({ lateFor }) => lateFor !== null)
  return {
    exitCode: done,
    document: { orders: orders.map(orderDocument) },
    answer: orders.length === 0 ? [] : describeOrders(orders, output.paint),
    problems: [
      ...(orders.length > 0
        ? []
        : [project === undefined ? 'No orders in this data folder yet.' : 'No orders of this project.']),
      ...(unconfirmed === 0
        ? []
        : ['It is not known whether the service has the unconfirmed ones: check them with "orders check ID".']),
      ...late.map(
        ({ orderId, lateFor }) =>
          `Order ${orderId} is an earlier attempt to place order ${lateFor}, recorded late by the service: it may be ` +
          'a duplicate.',
      ),
    ],
  }
}

/**
 * Each page sorts all orders: listing 20,000 takes 16 seconds with 50 per page, and 0.3 seconds with 5,000. One page
 * holds the service's records of its orders in memory.
 */
const pageSize = 5_000

/** Returns all orders of a project, or all that match a search. */
function allOrders(
  { orders }: Pick<ArchiveReader, 'orders'>,
  filter: { readonly projectId?: string; readonly search?: string },
): OrderSummary[] {
  const found: OrderSummary[] = []
  for (;;) {
    const page = orders.list({ offset: found.length, limit: pageSize, search: '', filter: 'all', ...filter })
    found.push(...page.items)
    if (page.items.length === 0 || found.length >= page.total) return found
  }
}

/** Returns the number of an order by its number or its service order ID. Throws `not-found`. */
function findOrder(engine: Pick<ArchiveReader, 'orders'>, id: string): number {
  const byServiceId = allOrders(engine, { search: id.slice(0, 200) }).find(({ serviceId }) => serviceId === id)
  if (byServiceId !== undefined) return byServiceId.orderId
  try {
    if (/^[1-9]\d{0,14}$/.test(id)) return engine.orders.get(Number(id)).orderId
  } catch (error) {
    if (toAppError(error).code !== 'not-found') throw error
  }
  throw new AppError('not-found', `There is no order ${plainText(id)}. "orders list" shows all orders.`)
}

/** `orders check` */
export async function checkOrderCommand(session: Session<ArchiveAccess>, id: string): Promise<Outcome> {
  const { engine, signal } = session
  const orderId = findOrder(engine, id.trim())
  try {
    return orderOutcome(await sayingWhyItWaits(session, () => engine.orders.check(orderId, signal)))
  } catch (error) {
    // The order exists here, so this is not a usage error: the service does not list it.
    if (!(error instanceof AppError) || error.code !== 'not-found') throw error
    const order = engine.orders.get(orderId)
    const { code, message } = error
    const document = { order: orderDocument(order), error: { code, message } }
    // The message says that it is placed.
    if (order.state === 'placed')
      return { exitCode: incomplete, document, problems: [`${nameOrder(order)}: ${message}`] }
    return { exitCode: incomplete, document, answer: describeOrder(order), problems: [message] }
  }
}

export interface ResolveFlags {
  readonly placed?: boolean
  readonly notPlaced?: boolean
  readonly serviceId?: string
}

/** `orders settle` */
export async function resolveOrderCommand(
  { engine, readToken }: Session<ArchiveAccess>,
  id: string,
  flags: ResolveFlags,
): Promise<Outcome> {
  const { placed: wasPlaced = false, notPlaced = false } = flags
  if (wasPlaced === notPlaced) throw new AppError('wrong-usage', 'Use either --placed or --not-placed.')
  if (notPlaced && flags.serviceId !== undefined) throw new AppError('wrong-usage', '--service-id goes with --placed.')
  const { calls } = await import('../../../shared/contract/calls.ts')
  const serviceId = readText(calls['orders.settle'].input.shape.serviceId, flags.serviceId, '--service-id')
  if (serviceId !== undefined) refuseToken([serviceId], await readToken())
  const orderId = findOrder(engine, id.trim())
  const decision = wasPlaced ? 'placed' : 'not-placed'
  return orderOutcome(await engine.orders.resolve({ orderId, decision, ...(serviceId !== undefined && { serviceId }) }))
}

function orderOutcome(order: OrderDetail): Outcome {
  const isKnown = order.state === 'placed' || order.state === 'draft'
  return {
    exitCode: isKnown ? done : incomplete,
    document: { order: orderDocument(order) },
    answer: describeOrder(order),
  }
}

/** `orders template`, which needs no session. */
export function orderTemplate({ csv = false }: { readonly csv?: boolean }): string {
  return csv ? orderTemplateCsv() : orderTemplateJson()
}
