import { createHash } from 'node:crypto'
import type { OrderPayload } from '../../../shared/order/order-payload.ts'

/** An order as it is sent, and what tells it from others: the SHA-256 of its bytes, in hexadecimal. */
export function sealPayload(payload: OrderPayload): { readonly text: string; readonly fingerprint: string } {
  const text = JSON.stringify(payload)
  return { text, fingerprint: createHash('sha256').update(text).digest('hex') }
}
