import { orderFieldNames, orderFields, type OrderFieldName } from '../../../shared/order/order-fields.ts'
import type { OrderDetail, OrderSummary } from '../../../shared/order/order-views.ts'
import { reasonsOfRejection } from '../../labels/error-labels.ts'

/** Returns why an order was not placed, short enough for a row: without the part that all rejections share. */
export function shortReason({ message }: NonNullable<OrderSummary['problem']>): string {
  const reasons = reasonsOfRejection(message)
  return reasons === undefined ? message : orderFieldNames.reduce(withLabel, reasons)
}

type FieldProblems = OrderDetail['fieldProblems']

/** Assigns problems to fields that the service names only within its message, and replaces field keys by labels. */
export function readFieldProblems(problems: FieldProblems): FieldProblems {
  return problems.map(({ field, message }) => {
    const named = orderFieldNames.filter((name) => keyOf(name).test(message))
    const own = field ?? (named.length === 1 ? (named[0] ?? null) : null)
    return { field: own, message: named.reduce(withLabel, message) }
  })
}

/**
 * Matches a field's key or path. A key that is also an ordinary word, such as "general", matches only at the start of a
 * sentence, as its subject.
 */
function keyOf(name: OrderFieldName): RegExp {
  const isWord = !/[A-Z]/.test(name)
  const bare = isWord ? String.raw`^${name}(?=\s*:|\s+(?:must|is|should|has|can|may)\b)` : String.raw`\b${name}\b`
  const [, ...groups] = orderFields[name].path.toReversed()
  if (groups.length === 0) return new RegExp(bare)
  return new RegExp(String.raw`\b(?:form\.)?(?:${groups.join('|')})\.${name}\b|${bare}`)
}

function withLabel(message: string, name: OrderFieldName): string {
  return message.replace(keyOf(name), orderFields[name].label)
}
