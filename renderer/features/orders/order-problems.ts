import { orderFieldNames, orderFields, type OrderFieldName } from '../../../shared/order/order-fields.ts'
import type { OrderDetail, OrderSummary } from '../../../shared/order/order-views.ts'

/** Why an order was not placed, in the little room of a row: what the service says, without what every rejection says. */
export function shortReason({ message }: NonNullable<OrderSummary['problem']>): string {
  const said = /^The service rejected what was sent, and says: (.*?)\.? The order was not placed\./s.exec(message)?.[1]
  return said === undefined ? message : orderFieldNames.reduce(withLabel, said)
}

type FieldProblems = OrderDetail['fieldProblems']

/** The service may name a field in its sentence alone, by its key; a contractor knows its label. */
export function readFieldProblems(problems: FieldProblems): FieldProblems {
  return problems.map(({ field, message }) => {
    const named = orderFieldNames.filter((name) => keyOf(name).test(message))
    const own = field ?? (named.length === 1 ? (named[0] ?? null) : null)
    return { field: own, message: named.reduce(withLabel, message) }
  })
}

/**
 * A key that is no ordinary word, or a path. Of a word such as "general" only the path, or where it begins the sentence as its
 * subject.
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
