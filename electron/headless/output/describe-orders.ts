import { fieldPath, orderFields } from '../../../shared/order/order-fields.ts'
import { fieldOfPath } from '../../../shared/order/order-payload.ts'
import type { OrderDetail, OrderReview, OrderSummary } from '../../../shared/order/order-views.ts'
import { describeTarget } from '../../../shared/order/order-warnings.ts'
import { formatDateTime } from '../../../shared/format.ts'
import { plainText } from '../../app/log/plain-text.ts'
import type { Painter } from './console-output.ts'
import { formatTable } from './table.ts'

const stateWords = {
  draft: 'draft',
  submitting: 'on its way',
  unconfirmed: 'unconfirmed',
  placed: 'placed',
} as const satisfies Record<OrderSummary['state'], string>

/** An order in the JSON of the command line: `id` is Solarchive's own number of it, `serviceId` the service's id. */
export function orderDocument(order: OrderSummary | OrderDetail): object {
  const { orderId: id, projectId, projectName, homeownerName, projectAddress, state, status, serviceId } = order
  const { tierLevel, isExpedited, source, createdAt, placedAt, problem } = order
  return {
    ...{ id, projectId, projectName, homeownerName, projectAddress, state, status, serviceId },
    ...{ tierLevel, isExpedited, source, createdAt, placedAt, problem },
    ...('remote' in order && {
      ...{ sentAt: order.sentAt, asked: order.asked, decidableAt: order.decidableAt, settledBy: order.settledBy },
      ...{ service: order.remote, history: order.history },
    }),
  }
}

/** A table of orders. Numbers and ids are never cut, so that they can be copied. */
export function describeOrders(orders: readonly OrderSummary[], paint: Painter): string[] {
  const [header = '', ...rows] = formatTable(
    [
      { title: 'Order', align: 'right' },
      { title: 'Project', maxWidth: 32 },
      { title: 'Homeowner', maxWidth: 28 },
      { title: 'Design', maxWidth: 24 },
      { title: 'State' },
      { title: 'Status', maxWidth: 24 },
      { title: 'Placed' },
      { title: 'Id at the service' },
    ],
    orders.map((order) => [
      String(order.orderId),
      plainText(order.projectName ?? order.projectId),
      plainText(order.homeownerName),
      plainText(describeDesign(order)),
      stateWords[order.state],
      plainText(order.status ?? ''),
      order.placedAt === null ? '' : formatDateTime(order.placedAt),
      plainText(order.serviceId ?? ''),
    ]),
  )
  return [paint.faint(header), ...rows]
}

/** `maxFill, 100%`: tells orders of one house from each other. */
function describeDesign({ tierLevel, sizedForCategory, sizedForValue }: OrderSummary): string {
  return [tierLevel, describeTarget(sizedForCategory, sizedForValue)].filter((text) => text !== '').join(', ')
}

/** `Order 3 (Ruth Sato, 64b5 at the service)`: by what it is found here and there. */
export function nameOrder({ orderId, homeownerName, serviceId }: OrderSummary): string {
  const known = [plainText(homeownerName), ...(serviceId === null ? [] : [`${plainText(serviceId)} at the service`])]
  return `Order ${orderId} (${known.join(', ')})`
}

/** How an order stands, as sentences. */
export function describeOrder(order: OrderDetail): string[] {
  const name = `Order ${order.orderId} (${plainText(order.homeownerName)})`
  switch (order.state) {
    case 'draft':
      return [`${name} is not placed.`, ...describeNotListed(order)]
    case 'submitting':
      return [`${name} is on its way to the service.`]
    case 'placed':
      return [
        `${name} is placed. The service has it as ${plainText(order.serviceId ?? 'an order of which it has not told the id')}` +
          `${order.status === null ? '' : `, with the status "${plainText(order.status)}"`}.`,
      ]
    case 'unconfirmed':
      return describeUnconfirmed(order, name)
  }
}

/** It came back by itself. */
function describeNotListed({ settledBy, sentAt, asked }: OrderDetail): string[] {
  if (settledBy !== 'service' || sentAt === null || asked === null) return []
  return [
    `It was sent at ${formatDateTime(sentAt)}. The service was asked at ${formatDateTime(asked.at)}: ${askedWords[asked.outcome]}`,
  ]
}

function describeUnconfirmed(order: OrderDetail, name: string): string[] {
  const { asked, decidableAt, orderId, otherService } = order
  const decidable = decidableAt === null ? '' : ` (from ${formatDateTime(decidableAt)} on)`
  return [
    `${name} is unconfirmed: it was sent${order.sentAt === null ? '' : ` at ${formatDateTime(order.sentAt)}`}, and whether the service has it is not known.`,
    ...(asked === null ? [] : [`The service was asked at ${formatDateTime(asked.at)}: ${askedWords[asked.outcome]}`]),
    ...(asked?.candidates ?? []).map(
      ({ id, status, createdAt }) =>
        `  ${plainText(id)}  ${plainText(status)}${createdAt === null ? '' : `  made at ${formatDateTime(createdAt)}`}`,
    ),
    ...(otherService === null
      ? []
      : [`It was sent to ${plainText(otherService)}, and only that service can say: ask with that address.`]),
    `Ask again with "orders check ${orderId}". If you know it from the service's own pages, say so: "orders settle ${orderId} --placed" or ` +
      `"orders settle ${orderId} --not-placed"${decidable}.`,
  ]
}

const askedWords = {
  listed: 'it has it.',
  similar: 'it has orders like it, and which one it is cannot be told:',
  'not-listed': 'it does not list it.',
  'cannot-say': 'it could not say: its list did not come, or may not show every order.',
} as const satisfies Record<NonNullable<OrderDetail['asked']>['outcome'], string>

/** What is wrong with an order or unusual in it, a line each, with the field as the file has it. */
export function describeReading(
  { warnings }: Pick<OrderReview, 'warnings'>,
  problems: readonly { readonly field: string; readonly message: string }[],
): string[] {
  return [
    ...problems.map(
      ({ field, message }) => `  ${plainText(field === '' ? 'the order' : field)}${label(field)}: ${message}`,
    ),
    ...warnings.map(({ field, message }) => `  ${fieldPath(field)}${label(fieldPath(field))}: ${message} (a warning)`),
  ]
}

function label(path: string): string {
  const name = fieldOfPath(path)
  return name === null ? '' : ` (${orderFields[name].label})`
}
