import { z } from 'zod'
import { downloadCountsSchema, syncReportSchema, verifyReportSchema } from '../domain.ts'
import { answerSchema } from '../envelope.ts'
import { errorCodes } from '../error-policy.ts'
import { authoritySchema, stampedEvidenceSchema } from '../evidence.ts'
import { orderReviewSchema, orderTextsSchema } from '../order/order-views.ts'
import { maxProjects } from '../project-list.ts'
import { watchStateSchema } from '../watch.ts'
import { apiBudgetSchema } from '../views.ts'
import { calls } from './calls.ts'
import { events } from './events.ts'

const nothing = z.strictObject({})

/**
 * The calls that the owner of a data folder answers to other processes of the same user, over its socket. Those that
 * pages make too have the same shapes; see `calls.ts`. Input that does not match fails with `wrong-usage`. A request
 * that the caller ends or cancels ends the call, and nothing else.
 */
export const ownerCalls = {
  'projects.add': calls['projects.add'],
  'projects.remove': calls['projects.remove'],
  'projects.discover': calls['projects.discover'],
  /** Runs a pass over all or the named projects, and answers with its whole result. Emits `sync-progress`. */
  'sync.run': {
    input: z.strictObject({ projectIds: z.array(z.string()).max(maxProjects).optional() }),
    output: syncReportSchema.extend({
      notSynced: z.int().min(0),
      filesWaiting: z.int().min(0),
      downloads: downloadCountsSchema,
      outages: z.array(z.object({ code: z.enum(errorCodes), message: z.string() })),
    }),
  },
  /** Verifies all projects or the named ones, and answers with the whole result. Emits `verify-progress`. */
  'verify.run': {
    input: z.strictObject({
      projectIds: z.array(z.string()).max(maxProjects).optional(),
      repair: z.boolean(),
    }),
    output: verifyReportSchema.extend({
      resumedFrom: z.string().nullable(),
      alreadyRead: z.int().min(0),
      quarantined: z.array(z.string()),
      failures: z.array(z.object({ path: z.string(), code: z.enum(errorCodes), message: z.string() })),
    }),
  },
  /** Stamps the archive now, as `evidence.stampNow`, by the owner's authorities or by the named one. */
  'evidence.stamp': {
    input: z.strictObject({ authority: authoritySchema.optional() }),
    output: stampedEvidenceSchema,
  },
  /**
   * Keeps a draft of the command line for the caller until it cancels the call. A second call for the same order waits.
   * Emits `draft`. The draft is discarded at the end if it was not sent or was refused.
   */
  'orders.holdDraft': { input: z.strictObject({ texts: orderTextsSchema }), output: nothing },
  /** Returns what a draft of these texts would send, without storing anything or asking the service. */
  'orders.preview': { input: z.strictObject({ texts: orderTextsSchema }), output: orderReviewSchema },
  'orders.review': calls['orders.review'],
  'orders.place': calls['orders.place'],
  'orders.check': calls['orders.check'],
  'orders.settle': calls['orders.settle'],
  /** Returns what is left of the service's rate limit. */
  'owner.budget': { input: nothing, output: apiBudgetSchema },
  /** Returns the state of the owner's watch; `stopped` if its command has none. */
  'owner.state': { input: nothing, output: watchStateSchema },
  /** Ends the owner as SIGTERM does, once no order waits for its answer. None is sent meanwhile. Answers at once. */
  'owner.stop': { input: nothing, output: nothing },
} satisfies Record<string, { input: z.ZodType; output: z.ZodType }>

export type OwnerCallName = keyof typeof ownerCalls
export type OwnerCallInput<Name extends OwnerCallName> = z.input<(typeof ownerCalls)[Name]['input']>
export type ParsedOwnerCallInput<Name extends OwnerCallName> = z.output<(typeof ownerCalls)[Name]['input']>
export type OwnerCallOutput<Name extends OwnerCallName> = z.output<(typeof ownerCalls)[Name]['output']>

/** Progress of a call, and what it has for the caller meanwhile. */
const ownerEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('sync-progress'), value: events['sync-progress'] }),
  z.object({ event: z.literal('verify-progress'), value: events['verify-progress'] }),
  /** `orderId`: null while the call waits for another one. */
  z.object({ event: z.literal('draft'), value: z.object({ orderId: z.int().nullable() }) }),
])
export type OwnerEvent = z.infer<typeof ownerEventSchema>

/** A line of the answer to a request. The answer is the last one; an empty line only says that the owner lives. */
export const ownerLineSchema = z.union([ownerEventSchema, z.object({ answer: answerSchema(z.unknown()) })])
export type OwnerLine = z.infer<typeof ownerLineSchema>

export const ownerHeaders = {
  key: 'x-solarchive-key',
  version: 'x-solarchive-version',
  /** Id of the request that a `cancel` names; chosen by the caller. */
  request: 'x-solarchive-request',
} as const
