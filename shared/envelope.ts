import { z } from 'zod'
import { errorCodes } from './error-policy.ts'

/** What went wrong, for a person (`message`) and for programs (`code`, `details`): no stack, no token, no link. */
export const errorSchema = z.object({
  code: z.enum(errorCodes),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
})
export type ErrorEnvelope = z.infer<typeof errorSchema>

/** Every call's answer. */
export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: ErrorEnvelope }

/** The schema of the answer that carries values of the given one. */
export function answerSchema<Value extends z.ZodType>(value: Value) {
  return z.discriminatedUnion('ok', [
    z.object({ ok: z.literal(true), value }),
    z.object({ ok: z.literal(false), error: errorSchema }),
  ])
}
