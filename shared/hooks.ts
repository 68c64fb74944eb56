import { z } from 'zod'
import { isWebAddress } from './service-address.ts'

/**
 * Events that hooks can be notified of: a checklist is fully archived; a report was replaced by a newer one; a
 * checklist had a gap for several days; archived files are missing or changed on the disk; an order has a new status.
 */
export const hookEvents = ['checklist-complete', 'report-replaced', 'gap-old', 'damage-found', 'order-status'] as const
export type HookEvent = (typeof hookEvents)[number]

const count = z.int().min(0)
/** ISO 8601 UTC. */
const time = z.string()
const nameError = 'must have 1 to 80 characters'
const eventsError = `must be a list of ${hookEvents.join(', ')}`
const targetError = 'must have the kind "program" or "webhook" and its fields, see docs/operations.md'
const idError = 'must have 1 to 40 letters, digits, - and _'
const programError = 'must be the absolute path of a program'
const urlError = 'must be an http: or https: address without a user name or password'
const secretError = 'must have 16 to 500 characters'

/** An absolute path on any system. */
const absolutePath = /^(?:\/|[a-z]:[\\/]|\\\\)[^\0]*$/i

const programSchema = z.strictObject({
  kind: z.literal('program'),
  path: z.string({ error: programError }).max(4096).regex(absolutePath, { error: programError }),
  /** Passed unchanged, without a shell. */
  args: z
    .array(
      z
        .string()
        .max(4096)
        .regex(/^[^\0]*$/),
    )
    .max(50)
    .default([]),
  /** Then it is killed with everything that it has started. */
  timeoutSeconds: z.int().min(1).max(3600).default(60),
})

const webhookFields = {
  kind: z.literal('webhook'),
  url: z.string({ error: urlError }).trim().max(2000).refine(isWebAddress, { error: urlError }),
  /** Allows addresses on this machine and in private networks, and those without encryption. */
  allowPrivate: z.boolean().default(false),
}
const secret = z.string({ error: secretError }).min(16, { error: secretError }).max(500, { error: secretError })

const hookFields = {
  id: z.string({ error: idError }).regex(/^[\w-]{1,40}$/, { error: idError }),
  name: z.string({ error: nameError }).trim().min(1, { error: nameError }).max(80, { error: nameError }),
  isOn: z.boolean({ error: 'must be true or false' }).default(true),
  events: z
    .array(z.enum(hookEvents, { error: eventsError }), { error: eventsError })
    .min(1, { error: eventsError })
    .max(hookEvents.length, { error: eventsError }),
  /** Days after which a gap is reported; for `gap-old`. */
  gapDays: z.int().min(1).max(365).default(7),
}

const maxHooks = 20
const error = 'must be a list of hooks, see docs/operations.md'
function listOf<Hook extends z.ZodType<{ id: string }>>(hook: Hook) {
  return z
    .array(hook, { error })
    .max(maxHooks, { error: `must have at most ${maxHooks} hooks` })
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, { error: 'must have each id once' })
}

/** A hook in settings.json. */
const hookSchema = z.strictObject({
  ...hookFields,
  target: z.discriminatedUnion('kind', [programSchema, z.strictObject({ ...webhookFields, secret })], {
    error: targetError,
  }),
})
export type Hook = z.infer<typeof hookSchema>
export const hooksSchema = listOf(hookSchema)

/** A hook as a page sends it. A secret that is left out stays unchanged. */
const hookInputSchema = z.strictObject({
  ...hookFields,
  target: z.discriminatedUnion('kind', [
    programSchema,
    z.strictObject({ ...webhookFields, secret: secret.optional() }),
  ]),
})
export const hooksInputSchema = listOf(hookInputSchema)
export type HookInput = z.infer<typeof hookInputSchema>

/** The hooks as pages see them: never with a secret. */
export const hookListSchema = z.object({
  hooks: z.array(
    z.object({ ...hookFields, target: z.discriminatedUnion('kind', [programSchema, z.strictObject(webhookFields)]) }),
  ),
  /** True if this host lets a user add programs, who confirms each in a dialog of the system. */
  canAddPrograms: z.boolean(),
})
export type HookList = z.infer<typeof hookListSchema>

/** States of a delivery. `waiting`: for its first or next try; `failed`: given up, until it is repeated. */
const deliveryStates = ['waiting', 'delivered', 'failed'] as const

export const hookDeliverySchema = z.object({
  deliveryId: z.int().min(1),
  /** The same at every try, and for all hooks that are notified of one event: receivers recognize repetitions by it. */
  eventId: z.string(),
  event: z.enum(hookEvents),
  hookId: z.string(),
  state: z.enum(deliveryStates),
  createdAt: time,
  tries: count,
  /** Null unless it is waiting. */
  nextTryAt: time.nullable(),
  /** When it was delivered or given up; null while it is waiting. */
  endedAt: time.nullable(),
  /** Result of the last try, for people; null before the first one. */
  result: z.string().nullable(),
  /** The JSON that is sent, as text. */
  body: z.string(),
})
export type HookDelivery = z.infer<typeof hookDeliverySchema>

export const deliveryQuerySchema = z.strictObject({
  hookId: z.string().max(40).optional(),
  state: z.enum(deliveryStates).optional(),
  offset: count.default(0),
  limit: z.int().min(1).max(100).default(50),
})
export type DeliveryQuery = z.infer<typeof deliveryQuerySchema>
/** The newest first. */
export const deliveryPageSchema = z.object({ items: z.array(hookDeliverySchema), total: count })
export type DeliveryPage = z.infer<typeof deliveryPageSchema>

/** Ids of the hooks that could not be notified, in the order of the settings. */
export const failingHooksSchema = z.object({ hookIds: z.array(z.string()) })
