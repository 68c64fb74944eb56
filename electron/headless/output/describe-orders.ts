import { choiceLabel, fieldOf, fieldPath, missingMessage, orderFields } from '../../../shared/order/order-fields.ts'
import { fieldOfPath } from '../../../shared/order/order-payload.ts'
import type { OrderDetail, OrderReview, OrderSummary } from '../../../shared/order/order-views.ts'
import { describeTarget } from '../../../shared/order/order-warnings.ts'
import { formatDateTime } from '../../../shared/format.ts'
import { orderStatus } from '../../../shared/status-text.ts'
import { plainText } from '../../app/log/plain-text.ts'
import type { Painter } from './console-output.ts'
import { formatTable } from './table.ts'

const stateLabels = {
  draft: 'draft',
  submitting: 'being sent',
  unconfirmed: 'unconfirmed',
  placed: 'placed',
} as const satisfies Record<OrderSummary['state'], string>

/** Returns an order as JSON: `id` is Solarchive's own number, `serviceId` the service's ID. */
export function orderDocument(order: OrderSummary | OrderDetail): object {
  const { orderId: id, projectId, projectName, homeownerName, projectAddress, state, status, serviceId } = order
  const { tierLevel, isExpedited, source, createdAt, placedAt, problem, lateFor } = order
  const subject = { id, projectId, projectName, homeownerName, projectAddress, state, status, serviceId }
  const facts = { tierLevel, isExpedited, source, createdAt, placedAt, problem, lateFor }
  return {
    ...subject,
    ...facts,
    ...('remote' in order && {
      sentAt: order.sentAt,
      asked: order.asked,
      decidableAt: order.decidableAt,
      settledBy: order.settledBy,
      service: order.remote,
      history: order.history,
      isLookedFor: order.isLookedFor,
      withoutCheck: order.isUnchecked,
      lateOrders: order.lateOrders.map(({ orderId: late, serviceId: lateId }) => ({ id: late, serviceId: lateId })),
    }),
  }
}

/** Returns a table of orders. Numbers and IDs are never cut, so that they can be copied. */
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
      { title: 'Service order ID' },
    ],
    orders.map((order) => [
      String(order.orderId),
      plainText(order.projectName ?? order.projectId),
      plainText(order.homeownerName),
      plainText(describeDesign(order)),
      stateLabels[order.state],
      plainText(orderStatus(order.status ?? '')),
      order.placedAt === null ? '' : formatDateTime(order.placedAt),
      plainText(order.serviceId ?? ''),
    ]),
  )
  return [paint.faint(header), ...rows]
}

/** Returns `Max fill, 100%`, which distinguishes the orders of one house. */
function describeDesign({ tierLevel, sizedForCategory, sizedForValue }: OrderSummary): string {
  return [choiceLabel(tierLevel), describeTarget(sizedForCategory, sizedForValue)]
    .filter((text) => text !== '')
    .join(', ')
}

/** Returns the name of an order: `Order 3 (Ruth Sato, service order 64b5)`. */
export function nameOrder({ orderId, homeownerName, serviceId }: OrderSummary): string {
  const known = [plainText(homeownerName), ...(serviceId === null ? [] : [`service order ${plainText(serviceId)}`])]
  return `Order ${orderId} (${known.join(', ')})`
}

/** Returns the state of an order as sentences. */
export function describeOrder(order: OrderDetail): string[] {
  const name = `Order ${order.orderId} (${plainText(order.homeownerName)})`
  switch (order.state) {
    case 'draft':
      return [`${name} is not placed.`, ...describeNotListed(order), ...describeLate(order)]
    case 'submitting':
      return [`${name} is being sent to the service.`]
    case 'placed':
      return [
        `${name} is placed. Service order ID: ${plainText(order.serviceId ?? 'not sent by the service')}` +
          `${order.status === null ? '' : `; status: ${plainText(orderStatus(order.status))}`}.`,
        ...(order.isUnchecked ? [placedUnchecked] : []),
        ...describeLate(order),
      ]
    case 'unconfirmed':
      return describeUnconfirmed(order, name)
  }
}

/** Returns why the service's list made an order a draft again. */
function describeNotListed({ settledBy, sentAt, asked }: OrderDetail): string[] {
  if (settledBy !== 'service' || sentAt === null || asked === null) return []
  return [
    `It was sent at ${formatDateTime(sentAt)}. Checked with the service at ${formatDateTime(asked.at)}: ` +
      `${outcomeText[asked.outcome]}`,
  ]
}

const placedUnchecked = "It was placed without checking the service's list of orders first."

/** Returns what is known about attempts to place this order that were given up, and those of another order. */
function describeLate({ state, orderId, lateOrders, lateFor, isLookedFor }: OrderDetail): string[] {
  const known = lateOrders.map(
    (late) => `order ${late.orderId}, service order ${plainText(late.serviceId ?? 'unknown')}`,
  )
  const listed = known.length === 0 ? [] : [`The service recorded it late, as it was sent before: ${known.join('; ')}.`]
  const advice =
    state === 'draft'
      ? 'To place this changed draft as a second order, review it in the app.'
      : 'The service has both orders. If you want only one, cancel the other with the service.'
  return [
    ...listed,
    ...(known.length === 0 ? [] : [advice]),
    ...(lateFor === null
      ? []
      : [`It is an earlier attempt to place order ${lateFor}, recorded late by the service: it may be a duplicate.`]),
    ...(state === 'draft' && isLookedFor
      ? [`The service may still record it: "orders check ${orderId}", the app, and the watch look for it for 30 days.`]
      : []),
  ]
}

function describeUnconfirmed(order: OrderDetail, name: string): string[] {
  const { asked, decidableAt, orderId, otherService } = order
  const decidable = decidableAt === null ? '' : ` (from ${formatDateTime(decidableAt)} on)`
  return [
    `${name} is unconfirmed: it was sent${order.sentAt === null ? '' : ` at ${formatDateTime(order.sentAt)}`}, ` +
      'and it is not known whether the service has it.',
    ...(asked === null
      ? []
      : [`Checked with the service at ${formatDateTime(asked.at)}: ${outcomeText[asked.outcome]}`]),
    ...(asked?.candidates ?? []).map(
      ({ id, status, createdAt }) =>
        `  ${plainText(id)}  ${plainText(orderStatus(status))}` +
        (createdAt === null ? '' : `  created ${formatDateTime(createdAt)}`),
    ),
    ...(otherService === null
      ? []
      : [`It was sent to ${plainText(otherService)}, and only that service knows: check with that address.`]),
    `Check again with "orders check ${orderId}". If you know from the service's own pages, resolve it with "orders ` +
      `settle ${orderId} --placed" or "orders settle ${orderId} --not-placed"${decidable}.`,
  ]
}

const outcomeText = {
  listed: 'listed.',
  similar: 'orders that may be it:',
  'not-listed': 'not listed.',
  'cannot-say': 'the list did not arrive, or may be incomplete.',
} as const satisfies Record<NonNullable<OrderDetail['asked']>['outcome'], string>

/** Returns the problems and warnings of an order, one line each, with the field as in the file. */
export function describeReading(
  { warnings }: Pick<OrderReview, 'warnings'>,
  problems: readonly { readonly field: string; readonly message: string }[],
): string[] {
  return [
    ...problems.map(
      ({ field, message }) =>
        `  ${plainText(field === '' ? 'the order' : field)}${label(field)}: ${inFile(field, message)}`,
    ),
    ...warnings.map(({ field, message }) => `  Warning: ${fieldPath(field)}${label(fieldPath(field))}: ${message}`),
  ]
}

/** Returns a message for the person who writes the file: the form's message about an empty field is about the form. */
function inFile(path: string, message: string): string {
  const name = fieldOfPath(path)
  if (name === null || message !== missingMessage(fieldOf(name))) return message
  if (name === 'projectId') return 'It is missing. Use --project, or name it in the file.'
  return `It is missing. Write it in the file${name === 'designOneModule' ? ', as the service names the module' : ''}.`
}

function label(path: string): string {
  const name = fieldOfPath(path)
  return name === null ? '' : ` (${orderFields[name].label})`
}
