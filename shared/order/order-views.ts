import { z } from 'zod'
import { errorSchema } from '../envelope.ts'
import { orderFieldNames } from './order-fields.ts'
import { orderPayloadSchema } from './order-payload.ts'
import { setbackRegions } from './setback-defaults.ts'

/** Orders as the app shows them. Times are ISO 8601 UTC. */

const count = z.int().min(0)
const time = z.string()
const id = z.int().min(1)
const fieldName = z.enum(orderFieldNames as [(typeof orderFieldNames)[number], ...typeof orderFieldNames])
const problem = errorSchema.pick({ code: true, message: true })

/** Far above what any field takes. */
export const longestOrderText = 2000
/** What a person typed, field by field; see `OrderTexts`. */
export const orderTextsSchema = z.partialRecord(fieldName, z.string().max(longestOrderText))
export const setbackRegionSchema = z.enum(setbackRegions)

/**
 * Where an order stands here. `submitting`: it is on its way to the service. `unconfirmed`: it was sent, and whether the service
 * has it is not known. `placed`: the service has it. An order that the service refused is a draft again.
 */
export const orderStates = ['draft', 'submitting', 'unconfirmed', 'placed'] as const
export type OrderState = (typeof orderStates)[number]
/** Who made it; `service`: it was found in the service's list, placed elsewhere. */
const orderSources = ['app', 'command-line', 'list', 'service'] as const

/** What the service says of an order; what it does not say is null. Unknown statuses are shown as they are. */
export const remoteOrderSchema = z.object({
  id: z.string(),
  status: z.string(),
  tierLevel: z.string().nullable(),
  designId: z.string().nullable(),
  providerName: z.string().nullable(),
  isExpedited: z.boolean().nullable(),
  isAutomated: z.boolean().nullable(),
  revisionCount: z.string().nullable(),
  createdAt: time.nullable(),
  updatedAt: time.nullable(),
})
export type RemoteOrder = z.infer<typeof remoteOrderSchema>
/**
 * An order of the service that may be one that was sent. `differs`: fields that say something else there; null where the service
 * does not tell what was ordered.
 */
export const orderCandidateSchema = remoteOrderSchema.extend({ differs: z.array(fieldName).nullable() })
export type OrderCandidate = z.infer<typeof orderCandidateSchema>

export const orderSummarySchema = z.object({
  orderId: id,
  state: z.enum(orderStates),
  source: z.enum(orderSources),
  /** Empty in a draft that has none yet. */
  projectId: z.string(),
  /** Of the archived project; null where it is none. */
  projectName: z.string().nullable(),
  homeownerName: z.string(),
  projectAddress: z.string(),
  tierLevel: z.string(),
  /** As typed, or as found at the service; empty where it is not known. */
  sizedForCategory: z.string(),
  sizedForValue: z.string(),
  isExpedited: z.boolean(),
  /** The service's; null before it is placed. */
  status: z.string().nullable(),
  serviceId: z.string().nullable(),
  /** As the service says; null where it does not. */
  providerName: z.string().nullable(),
  isAutomated: z.boolean().nullable(),
  /** Why the last try did not place it. */
  problem: problem.nullable(),
  batchId: id.nullable(),
  /** A draft that its list has still to place: also one that met, perhaps, what stopped the list, which `problem` tells then. */
  waitsInList: z.boolean(),
  /** Where its row ended in that list, from 1. */
  batchLine: id.nullable(),
  createdAt: time,
  /** Typed at, sent, settled, or changed upstream. */
  changedAt: time,
  placedAt: time.nullable(),
})
export type OrderSummary = z.infer<typeof orderSummarySchema>

/** A placed order has its history, newest first: each status from when it was first seen. */
export const orderDetailSchema = orderSummarySchema.extend({
  /** Grows with each change of a draft; a save names the one that it builds on. */
  revision: count,
  texts: orderTextsSchema,
  /** Whose defaults the form shows; not sent. */
  region: setbackRegionSchema.nullable(),
  /** What was sent, or is on its way; null in a draft. */
  payload: orderPayloadSchema.nullable(),
  /** What the service found wrong, by field where it names one that is known. */
  fieldProblems: z.array(z.object({ field: fieldName.nullable(), message: z.string() })),
  sentAt: time.nullable(),
  /** The address of the service that it was sent to, where that is not the one of the settings: only that one can say anything of it. */
  otherService: z.string().nullable(),
  /**
   * What the service's list said when it was asked for this order; of a draft, the list that settled that it was not placed.
   * `candidates`: orders that may be this one.
   */
  asked: z
    .object({
      at: time,
      outcome: z.enum(['listed', 'similar', 'not-listed', 'cannot-say']),
      candidates: z.array(orderCandidateSchema),
    })
    .nullable(),
  /** From then on a person may say that an unconfirmed order was not placed: an answer cannot be on its way any more. */
  decidableAt: time.nullable(),
  /** Of a draft: who found that it was not placed when it was sent at `sentAt`; null: its answer said so, or it was never sent. */
  settledBy: z.enum(['answer', 'service', 'person']).nullable(),
  remote: remoteOrderSchema.nullable(),
  history: z.array(z.object({ status: z.string(), seenAt: time, changedAt: time.nullable() })),
  /** When the service last told how it stands. */
  followedAt: time.nullable(),
  /** Of a draft: the database was replaced or restored since it was made or shortly before, so it may have been placed already. */
  isRestored: z.boolean(),
})
export type OrderDetail = z.infer<typeof orderDetailSchema>

/** `drafts`: those that nobody tried to place yet; `not-placed`: those whose last try did not place them, `problem` says why. */
const orderFilters = ['all', 'drafts', 'not-placed', 'unconfirmed', 'placed'] as const
export const orderQuerySchema = z.strictObject({
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(50).default(50),
  /** Found in project, homeowner, address or the service's id, without regard to the case of a to z. */
  search: z.string().max(200).default(''),
  filter: z.enum(orderFilters).default('all'),
  projectId: z.string().max(500).optional(),
  batchId: id.optional(),
})
export type OrderQuery = z.infer<typeof orderQuerySchema>
/**
 * What changed last first; those of a list of orders as the list had them. `counts` are of all orders, each in one of
 * the others beside `all`; `unconfirmed` has those on their way too.
 */
export const orderPageSchema = z.object({
  total: count,
  offset: count,
  items: z.array(orderSummarySchema),
  counts: z.object({ all: count, drafts: count, notPlaced: count, unconfirmed: count, placed: count }),
})
export type OrderPage = z.infer<typeof orderPageSchema>

const note = z.object({ field: fieldName, message: z.string() })

/**
 * What placing a draft would send. `fingerprint` tells this payload from others: `orders.place` wants it, so that nothing is sent
 * that nobody looked at. `payload` and `fingerprint` null: `problems` have to be mended first. `doubles`: orders of the same
 * content for the same project, here or on the service. `unsettled`: other orders of the project that were sent from here, and of
 * which it is not known whether the service has them; `warnings` tell of them too.
 */
export const orderReviewSchema = z.object({
  payload: orderPayloadSchema.nullable(),
  fingerprint: z.string().nullable(),
  problems: z.array(note),
  warnings: z.array(note),
  doubles: z.array(
    z.object({
      orderId: id.nullable(),
      serviceId: z.string().nullable(),
      state: z.enum(orderStates),
      status: z.string().nullable(),
      at: time.nullable(),
    }),
  ),
  unsettled: z.array(z.object({ orderId: id, at: time.nullable() })),
})
export type OrderReview = z.infer<typeof orderReviewSchema>

const presetKinds = ['company', 'jurisdiction'] as const
/** Values for new orders. The default preset, a company's, is in every new draft; a jurisdiction's is chosen. */
export const orderPresetSchema = z.object({
  presetId: id,
  name: z.string(),
  kind: z.enum(presetKinds),
  texts: orderTextsSchema,
  region: setbackRegionSchema.nullable(),
  isDefault: z.boolean(),
})
export type OrderPreset = z.infer<typeof orderPresetSchema>
export const presetInputSchema = orderPresetSchema.omit({ presetId: true }).extend({
  presetId: id.optional(),
  name: z.string().trim().min(1).max(100),
})

/** Up to so many orders in a list: an hour and a half of the service's own limit. */
export const mostBatchRows = 2000
const mostListBytes = 4 * 1024 * 1024
export const batchInputSchema = z.strictObject({
  /** A CSV file, as text or as bytes. */
  list: z.union([
    z.strictObject({ text: z.string().max(mostListBytes) }),
    z.strictObject({ base64: z.base64().max(Math.ceil(mostListBytes / 3) * 4) }),
  ]),
  /** Fills in what a row leaves empty. */
  presetId: id.optional(),
})
export type BatchInput = z.infer<typeof batchInputSchema>

/**
 * What a list of orders would place, row by row; nothing is sent or kept. `double`: the same order as one in a line above, or as
 * one that was placed or is on its way: it is left out unless the person wants it all the same.
 */
export const batchPreviewSchema = z.object({
  rows: z.array(
    z.object({
      /** Where the row ends, from 1. */
      line: z.int().min(1),
      projectId: z.string(),
      projectName: z.string().nullable(),
      homeownerName: z.string(),
      state: z.enum(['ready', 'double', 'wrong']),
      problems: z.array(z.object({ field: fieldName.nullable(), message: z.string() })),
      warnings: z.array(note),
    }),
  ),
  /** Columns that are no field of an order. */
  ignoredColumns: z.array(z.string()),
  counts: z.object({ ready: count, double: count, wrong: count }),
})
export type BatchPreview = z.infer<typeof batchPreviewSchema>

const batchStates = ['waiting', 'running', 'stopped', 'done'] as const
/**
 * `stoppedBecause`: what the last order met after which the others were not tried; that order waits too. `counts.waiting` has the
 * order that is on its way, `counts.refused` those that a list which is done did not place.
 */
export const orderBatchSchema = z.object({
  batchId: id,
  name: z.string(),
  createdAt: time,
  state: z.enum(batchStates),
  counts: z.object({ total: count, placed: count, unconfirmed: count, refused: count, waiting: count }),
  /** Rows of the list that were wrong, doubles that were not wanted, and drafts that were removed: its result tells of them. */
  rowsLeftOut: count,
  stoppedBecause: problem.nullable(),
})
export type OrderBatch = z.infer<typeof orderBatchSchema>

/** Orders of a list, by the lines of their rows: `lines` has the first ones. */
export const mostToldLines = 10
const linesSchema = z.object({ count, lines: z.array(z.int().min(1)).max(mostToldLines) })
export type OrderLines = z.infer<typeof linesSchema>
/**
 * Of the orders of a list that wait. `unusual`: with a value that is unusual, or a project that is not as in the archive. `unsettled`:
 * for a project with another order, not of this list, of which it is not known whether the service has it; it is not sent until then.
 * `sameProject`: for a project with further orders in this list.
 */
export const batchReviewSchema = z.object({ unusual: linesSchema, unsettled: linesSchema, sameProject: linesSchema })
export type BatchReview = z.infer<typeof batchReviewSchema>
