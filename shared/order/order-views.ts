import { z } from 'zod'
import { listSourceSchema } from '../csv.ts'
import { errorSchema } from '../envelope.ts'
import { errorPolicy } from '../error-policy.ts'
import { orderFieldNames, type OrderTexts } from './order-fields.ts'
import { orderPayloadSchema } from './order-payload.ts'
import { setbackRegions } from './setback-defaults.ts'

/** Orders as the app shows them. Times are ISO 8601 UTC. */

const count = z.int().min(0)
const time = z.string()
const id = z.int().min(1)
const fieldName = z.enum(orderFieldNames as [(typeof orderFieldNames)[number], ...typeof orderFieldNames])
const problem = errorSchema.pick({ code: true, message: true })

/** Far longer than any field permits. */
export const maxOrderTextLength = 2000
/** Typed values by field; see `OrderTexts`. */
export const orderTextsSchema = z.partialRecord(fieldName, z.string().max(maxOrderTextLength))

/** Cuts texts that are longer than any field takes. */
export function cutOrderTexts(texts: OrderTexts): OrderTexts {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.slice(0, maxOrderTextLength)]))
}

export const setbackRegionSchema = z.enum(setbackRegions)

/**
 * State of an order. `submitting`: it is being sent. `unconfirmed`: it was sent, and it is not known whether the
 * service has it. `placed`: the service has it. An order that the service refused is a draft again.
 */
export const orderStates = ['draft', 'submitting', 'unconfirmed', 'placed'] as const
export type OrderState = (typeof orderStates)[number]
/** Origin of an order; `service`: found in the service's list, placed elsewhere. */
const orderSources = ['app', 'command-line', 'list', 'service'] as const

/** The service's view of an order; a value that it did not send is null. Unknown statuses are kept unchanged. */
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
 * An order of the service that may be one that was sent. `differs`: fields with another value there; null if the
 * service does not repeat what was ordered.
 */
export const orderCandidateSchema = remoteOrderSchema.extend({ differs: z.array(fieldName).nullable() })
export type OrderCandidate = z.infer<typeof orderCandidateSchema>

export const orderSummarySchema = z.object({
  orderId: id,
  state: z.enum(orderStates),
  source: z.enum(orderSources),
  /** Empty in a draft without a project. */
  projectId: z.string(),
  /** Name of the archived project; null if the project is not archived. */
  projectName: z.string().nullable(),
  homeownerName: z.string(),
  projectAddress: z.string(),
  tierLevel: z.string(),
  /** As typed, or as found at the service; empty if unknown. */
  sizedForCategory: z.string(),
  sizedForValue: z.string(),
  isExpedited: z.boolean(),
  /** The service's status; null before the order is placed. */
  status: z.string().nullable(),
  serviceId: z.string().nullable(),
  /** From the service; null if it did not send one. */
  providerName: z.string().nullable(),
  isAutomated: z.boolean().nullable(),
  /** Why the last attempt did not place it. */
  problem: problem.nullable(),
  batchId: id.nullable(),
  /** True for a draft that its list still has to place. `problem` is set if this order stopped the list. */
  waitsInList: z.boolean(),
  /** Line in that list where its row ends, from 1. */
  batchLine: id.nullable(),
  /** The order whose abandoned attempt the service later recorded as this order; see `lateOrders`. */
  lateFor: id.nullable(),
  createdAt: time,
  /** Time of the last edit, sending, resolution, or change at the service. */
  changedAt: time,
  placedAt: time.nullable(),
})
export type OrderSummary = z.infer<typeof orderSummarySchema>

/** One order in full. `history` lists each status of a placed order with the time it was first seen, newest first. */
export const orderDetailSchema = orderSummarySchema.extend({
  /** Increases with each change of a draft; a save names the revision that it is based on. */
  revision: count,
  texts: orderTextsSchema,
  /** Region whose defaults the form shows; not sent. */
  region: setbackRegionSchema.nullable(),
  /** Payload that was sent; null in a draft. */
  payload: orderPayloadSchema.nullable(),
  /** Problems that the service reported, with the field if it is a known one. */
  fieldProblems: z.array(z.object({ field: fieldName.nullable(), message: z.string() })),
  sentAt: time.nullable(),
  /**
   * Address of the service that the order was sent to, if it is not the one in the settings; no other service knows the
   * order.
   */
  otherService: z.string().nullable(),
  /**
   * Result of the last check of this order in the service's list; for a draft, the check that found it was not placed.
   * `candidates`: orders that may be this one.
   */
  asked: z
    .object({
      at: time,
      outcome: z.enum(['listed', 'similar', 'not-listed', 'cannot-say']),
      candidates: z.array(orderCandidateSchema),
    })
    .nullable(),
  /** Time from which a user may declare an unconfirmed order not placed: no answer can arrive any more. */
  decidableAt: time.nullable(),
  /**
   * For a draft: who found that it was not placed after it was sent at `sentAt`; null if its answer said so, or it was
   * never sent.
   */
  settledBy: z.enum(['answer', 'service', 'person']).nullable(),
  remote: remoteOrderSchema.nullable(),
  history: z.array(z.object({ status: z.string(), seenAt: time, changedAt: time.nullable() })),
  /** Time of the last status from the service. */
  followedAt: time.nullable(),
  /**
   * Orders that the service recorded late, after their attempt to place this one had been given up, and this one had
   * been changed or placed again: duplicates.
   */
  lateOrders: z.array(z.object({ orderId: id, serviceId: z.string().nullable() })),
  /** True if it was sent although the service's list of orders could not be read before. */
  isUnchecked: z.boolean(),
  /** True until the service lists a sent order that was given up, for 30 days. */
  isLookedFor: z.boolean(),
  /**
   * For a draft: the database was replaced, restored, or made from the archive folder since it was created or shortly
   * before, so it may already have been placed.
   */
  isRestored: z.boolean(),
})
export type OrderDetail = z.infer<typeof orderDetailSchema>

/** `drafts`: never attempted; `not-placed`: the last attempt failed, and `problem` says why. */
const orderFilters = ['all', 'drafts', 'not-placed', 'unconfirmed', 'placed'] as const
export const orderQuerySchema = z.strictObject({
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(50).default(50),
  /** Found in project, homeowner, address, or the service's id, ignoring the case of a to z. */
  search: z.string().max(200).default(''),
  filter: z.enum(orderFilters).default('all'),
  projectId: z.string().max(500).optional(),
  batchId: id.optional(),
})
export type OrderQuery = z.infer<typeof orderQuerySchema>
/**
 * A page of orders, the last changed first; orders of a list in the list's order. `counts` covers all orders, each in
 * `all` and in one of the others; `unconfirmed` includes those being sent.
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
 * The order that placing a draft would send. `orders.place` requires `fingerprint`, so that nothing unreviewed is sent.
 * `payload` and `fingerprint` are null until `problems` are fixed. `duplicates`: orders with the same content for the
 * same project, here or at the service; `similar` ones were placed in the last 24 hours and differ only in spaces or
 * capitals; `possible` ones are new at the service since this order was sent, from this draft or another one, and given
 * up, and may be that order.
 * `unconfirmed`: other orders of the project that were sent from here and are still unconfirmed; `warnings` mentions
 * them too. `listProblem`: the service's list, which shows duplicates, cannot be read in full, so the order is placed
 * only with `withoutCheck`. `notStated`: yes-or-no fields that are not filled in; sent as no.
 */
export const orderReviewSchema = z.object({
  payload: orderPayloadSchema.nullable(),
  fingerprint: z.string().nullable(),
  problems: z.array(note),
  warnings: z.array(note),
  duplicates: z.array(
    z.object({
      match: z.enum(['same', 'similar', 'possible']),
      orderId: id.nullable(),
      serviceId: z.string().nullable(),
      state: z.enum(orderStates),
      status: z.string().nullable(),
      at: time.nullable(),
    }),
  ),
  unconfirmed: z.array(z.object({ orderId: id, at: time.nullable() })),
  listProblem: problem.nullable(),
  notStated: z.array(fieldName),
  /** True if no earlier order, preset, or library of the service has the module: the app asks before it is sent. */
  isModuleUnknown: z.boolean(),
  /** False if the service's library of modules could not be read, or was not asked for. */
  isLibraryRead: z.boolean(),
})
export type OrderReview = z.infer<typeof orderReviewSchema>

/** Names an order that a review showed, for `seen` of `orders.place`. */
export const seenKey = ({ orderId, serviceId }: { orderId: number | null; serviceId: string | null }): string =>
  serviceId ?? `order ${orderId}`

/** Entry of `seen` if the user was asked whether the draft was placed before the database was restored. */
export const seenRestored = 'restored draft'

const presetKinds = ['company', 'jurisdiction'] as const
/**
 * Values for new orders. The default preset, a company preset, applies to every new draft; a jurisdiction preset is
 * chosen.
 */
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

/** Maximum number of orders in a list: an hour and a half at the service's rate limit. */
export const maxBatchRows = 2000
export const batchInputSchema = z.strictObject({
  list: listSourceSchema,
  /** Fills the cells that a row leaves empty. */
  presetId: id.optional(),
})
export type BatchInput = z.infer<typeof batchInputSchema>

/**
 * The orders that a list would place, row by row; nothing is sent or stored. `duplicate`: the same order as in a line
 * above, or as one that was placed or is being sent, or one that differs only in spaces or capitals and was sent in the
 * last 24 hours; it is left out unless the user wants it anyway.
 */
export const batchPreviewSchema = z.object({
  rows: z.array(
    z.object({
      /** Line where the row ends, from 1. */
      line: z.int().min(1),
      projectId: z.string(),
      projectName: z.string().nullable(),
      homeownerName: z.string(),
      state: z.enum(['ready', 'duplicate', 'wrong']),
      problems: z.array(z.object({ field: fieldName.nullable(), message: z.string() })),
      warnings: z.array(note),
      /** Which order a `duplicate` repeats, as a sentence. */
      sameAs: z.string().nullable(),
    }),
  ),
  /** Columns that are not fields of an order. */
  ignoredColumns: z.array(z.string()),
  /**
   * Yes-or-no fields that rows without errors leave empty, which are sent as no. `rows` counts all these rows,
   * `duplicates` those among them that are left out unless the user wants them.
   */
  notStated: z.array(z.object({ field: fieldName, rows: count, duplicates: count })),
  counts: z.object({ ready: count, duplicate: count, wrong: count }),
})
export type BatchPreview = z.infer<typeof batchPreviewSchema>

const batchStates = ['waiting', 'running', 'stopped', 'done'] as const
/**
 * `stoppedBecause`: error of the last order, after which the others were not tried; that order waits too.
 * `counts.waiting` includes the order being sent, `counts.refused` the orders that a finished list did not place.
 */
export const orderBatchSchema = z.object({
  batchId: id,
  name: z.string(),
  createdAt: time,
  state: z.enum(batchStates),
  counts: z.object({ total: count, placed: count, unconfirmed: count, refused: count, waiting: count }),
  /** Invalid rows, unwanted duplicates, and removed drafts; the list's result reports them. */
  rowsLeftOut: count,
  stoppedBecause: problem.nullable(),
})
export type OrderBatch = z.infer<typeof orderBatchSchema>

/** Orders of a list by the lines of their rows; `lines` has the first ones. */
export const maxReportedLines = 10
const linesSchema = z.object({ count, lines: z.array(z.int().min(1)).max(maxReportedLines) })
export type OrderLines = z.infer<typeof linesSchema>
/** A value in rows of a list; `rows` has the first ones. */
const valueSchema = z.object({
  count,
  rows: z.array(z.object({ line: z.int().min(1), homeownerName: z.string(), value: z.string() })).max(maxReportedLines),
})
export type OrderValues = z.infer<typeof valueSchema>
/**
 * Waiting orders of a list. `unusual`: with an unusual value, a project that differs from the archive, or one that has
 * orders already; `notes`: each such warning once, with its values as typed, and `moreNotes` further ones.
 * `unknownModules`: modules that no earlier order, preset, or library of the service has; the orders are placed only
 * with `newModule`. `listProblem`: the lists of orders at the service, which show duplicates, cannot be read in full
 * now, so that orders are placed only with `withoutCheck`. `unreadProjects`: projects whose list was not read, or only
 * in part, for the review.
 * `unconfirmed`: for a project with an unconfirmed order outside this list; not sent until that is resolved.
 * `sameProject`: for a project with further orders in this list.
 */
export const batchReviewSchema = z.object({
  unusual: linesSchema,
  notes: z.array(note.extend({ orders: valueSchema })).max(maxReportedLines),
  moreNotes: count,
  unknownModules: valueSchema,
  listProblem: problem.nullable(),
  unreadProjects: count,
  unconfirmed: linesSchema,
  sameProject: linesSchema,
})
export type BatchReview = z.infer<typeof batchReviewSchema>

/**
 * Returns whether a draft of the command line may be discarded: it was not sent, or was refused, and no earlier attempt
 * to place it is still looked for.
 */
export const isNotKept = ({ state, sentAt, problem, isLookedFor }: OrderDetail) =>
  state === 'draft' &&
  !isLookedFor &&
  (sentAt === null || (problem !== null && errorPolicy[problem.code].refusesOrder === true))
