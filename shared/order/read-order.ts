import { orderPayloadOf, type OrderPayload } from './order-payload.ts'
import type { FieldNote, OrderFieldName, OrderTexts } from './order-fields.ts'
import { orderSchema, type Order } from './order-schema.ts'
import { orderWarnings } from './order-warnings.ts'

/** Result of reading an order: its payload, or its problems. `warnings` are about unusual but permitted values. */
export type OrderReading =
  | { readonly ok: true; readonly payload: OrderPayload; readonly warnings: readonly FieldNote[] }
  | { readonly ok: false; readonly problems: readonly FieldNote[]; readonly warnings: readonly FieldNote[] }

/** Reads a complete order. Every invalid field is listed once. */
export function readOrder(texts: OrderTexts): OrderReading {
  const warnings = orderWarnings(readableFields(texts))
  const parsed = orderSchema.safeParse(texts)
  if (parsed.success) return { ok: true, payload: orderPayloadOf(parsed.data), warnings }
  const problems = new Map<OrderFieldName, string>()
  for (const { path, message } of parsed.error.issues) {
    const field = path[0] as OrderFieldName
    if (!problems.has(field)) problems.set(field, message)
  }
  return { ok: false, problems: [...problems].map(([field, message]) => ({ field, message })), warnings }
}

/** Returns the valid fields of an unfinished order. */
function readableFields(texts: OrderTexts): Partial<Order> {
  const { shape } = orderSchema
  const fields = Object.entries(shape).flatMap(([name, schema]) => {
    const read = schema.safeParse(texts[name as OrderFieldName])
    return read.success ? [[name, read.data] as const] : []
  })
  return Object.fromEntries(fields)
}
