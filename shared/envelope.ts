import { z } from 'zod'
import { errorCodes } from './error-policy.ts'

/** An error for a user (`message`) and for programs (`code`, `details`), without stack, token, or signed link. */
export const errorSchema = z.object({
  code: z.enum(errorCodes),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
})
export type ErrorEnvelope = z.infer<typeof errorSchema>

/** Answer of every call. */
export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: ErrorEnvelope }

/** Returns the schema of the answer of a call with a value of this schema. */
export function answerSchema<Value extends z.ZodType>(value: Value) {
  return z.discriminatedUnion('ok', [
    z.object({ ok: z.literal(true), value }),
    z.object({ ok: z.literal(false), error: errorSchema }),
  ])
}
