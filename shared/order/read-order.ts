import { orderPayloadOf, type OrderPayload } from './order-payload.ts'
import type { FieldNote, OrderFieldName, OrderTexts } from './order-fields.ts'
import { orderSchema, type Order } from './order-schema.ts'
import { orderWarnings } from './order-warnings.ts'

/** What a person's texts make: what would be sent, or what is wrong. `warnings`: unusual, and allowed. */
export type OrderReading =
  | { readonly ok: true; readonly payload: OrderPayload; readonly warnings: readonly FieldNote[] }
  | { readonly ok: false; readonly problems: readonly FieldNote[]; readonly warnings: readonly FieldNote[] }

/** Reads an order whole. Every field that is wrong is named, each once. */
export function readOrder(texts: OrderTexts): OrderReading {
  const warnings = orderWarnings(readableParts(texts))
  const parsed = orderSchema.safeParse(texts)
  if (parsed.success) return { ok: true, payload: orderPayloadOf(parsed.data), warnings }
  const problems = new Map<OrderFieldName, string>()
  for (const { path, message } of parsed.error.issues) {
    const field = path[0] as OrderFieldName
    if (!problems.has(field)) problems.set(field, message)
  }
  return { ok: false, problems: [...problems].map(([field, message]) => ({ field, message })), warnings }
}

/** What can be read of a form that is not finished. */
function readableParts(texts: OrderTexts): Partial<Order> {
  const { shape } = orderSchema
  const parts = Object.entries(shape).flatMap(([name, schema]) => {
    const read = schema.safeParse(texts[name as OrderFieldName])
    return read.success ? [[name, read.data] as const] : []
  })
  return Object.fromEntries(parts)
}
