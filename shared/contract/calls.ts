import { z } from 'zod'
import { activityPageSchema, activityQuerySchema } from '../activity.ts'
import { moveStateSchema, syncStateSchema, verifyStateSchema } from '../background-tasks.ts'
import { projectSchema } from '../domain.ts'
import {
  batchInputSchema,
  batchPreviewSchema,
  batchReviewSchema,
  orderBatchSchema,
  orderDetailSchema,
  orderPageSchema,
  orderPresetSchema,
  orderQuerySchema,
  orderReviewSchema,
  orderTextsSchema,
  presetInputSchema,
  setbackRegionSchema,
} from '../order/order-views.ts'
import { maxProjects, projectPreviewInputSchema, projectPreviewSchema } from '../project-preview.ts'
import { projectIdProblem } from '../project-id.ts'
import {
  appInfoSchema,
  archiveCheckSchema,
  bundleAnswerSchema,
  connectionTestSchema,
  settingsPatchSchema,
  settingsSchema,
  setupStateSchema,
  startAtLoginSchema,
} from '../settings.ts'
import {
  apiBudgetSchema,
  archiveCountsSchema,
  archiveProgressSchema,
  attentionSchema,
  checklistDetailSchema,
  checklistPageSchema,
  checklistQuerySchema,
  failurePageSchema,
  failureQuerySchema,
  filesLocationSchema,
  filesTargetSchema,
  pageInputSchema,
  photoFactsSchema,
  projectDetailSchema,
  projectNamesQuerySchema,
  projectNamesSchema,
  projectPageSchema,
  projectQuerySchema,
  verifyFindingPageSchema,
} from '../views.ts'
import { pauseLengths, watchStateSchema } from '../watch.ts'
import type { CallName } from './channel-names.ts'

const nothing = z.strictObject({})
const count = z.int().min(0)

/** Opaque, as the service gives it. */
const projectId = z
  .string()
  .trim()
  .superRefine((id, context) => {
    const problem = projectIdProblem(id)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })

const text = z.string().trim().min(1).max(500)

/** Any text: what is wrong with it is told by the answer. */
const address = z.string().trim().max(2000)
/** Absolute, or starting with `~`. */
const folder = z.string().trim().max(4096)
const token = z.string().trim().max(4096)
/** The person chose the private file, where the host would keep the token elsewhere or nowhere. */
const inFile = z.boolean().default(false)

const ofOrder = z.strictObject({ orderId: z.int().min(1) })
const ofBatch = z.strictObject({ batchId: z.int().min(1) })

/**
 * Every call, once: what it takes and what it answers in the `value` of the envelope (`envelope.ts`). Whatever a call
 * is given that does not fit is answered with `wrong-usage`. Before the set-up, calls that need the archive are answered
 * with `setup-needed`.
 */
export const calls = {
  'app.info': { input: nothing, output: appInfoSchema },

  'setup.state': { input: nothing, output: setupStateSchema },
  /**
   * Sets everything up, or anew (another folder, another service), and starts. Without `token` the stored one is used,
   * for the present service (scheme, host and port) alone. `adopt`: an archive that is in the folder is taken over.
   * `wrong-settings` says what to change; then nothing was changed. `wrong-usage` for what is `fixed`.
   */
  'setup.complete': {
    input: z.strictObject({
      serviceUrl: address,
      token: token.optional(),
      tokenInFile: inFile,
      archiveFolder: folder,
      adopt: z.boolean().default(false),
    }),
    output: setupStateSchema,
  },
  /** Starts on the embedded sample service, in folders of its own; `setup.complete` leaves it. */
  'setup.useSample': { input: nothing, output: setupStateSchema },

  /** Asks the service one thing, three at most, and stores nothing. Without `token` with the stored one, at the stored service. */
  'connection.test': {
    input: z.strictObject({ serviceUrl: address, token: token.optional() }),
    output: connectionTestSchema,
  },

  /** Lets the person choose a folder in the system's dialog; null: they chose none. `wrong-usage` where `canChooseFolders` is false. */
  'folders.choose': {
    input: z.strictObject({ from: folder }),
    output: z.object({ folder: z.string().nullable() }),
  },
  /** Looks at a folder as a place where the archive is or begins (`use`), or to `move` it to. Changes nothing. */
  'archive.check': {
    input: z.strictObject({ folder, purpose: z.enum(['use', 'move']).default('use') }),
    output: archiveCheckSchema,
  },
  /**
   * Moves the archive to a folder that is not there yet or empty; `move-state` tells of its end. Until then the archive is
   * only read. `wrong-usage` while one runs, and when the folder is `fixed`; `wrong-settings` for a folder that does not do.
   */
  'archive.move': { input: z.strictObject({ folder }), output: moveStateSchema },
  /** Puts everything back where it was, unless the new place is in use already. */
  'archive.stopMove': { input: nothing, output: moveStateSchema },

  'settings.get': { input: nothing, output: settingsSchema },
  /**
   * Changes what is given. A sync or verify that runs is stopped where the change needs it; the watch goes on by itself.
   * `wrong-usage` for what is `fixed`; `wrong-settings` for a bad address, and for a settings.json that cannot be read.
   */
  'settings.save': { input: settingsPatchSchema, output: settingsSchema },
  /**
   * Stores the access token where the host keeps it, or `inFile`; it is used from then on, and older copies are removed.
   * `wrong-usage` where the environment has it; `wrong-settings` where the host keeps it `nowhere` and the file was not chosen.
   */
  'token.save': { input: z.strictObject({ token: token.min(1), inFile }), output: setupStateSchema },

  /** Makes a support bundle: logs, settings and status, without token, links, names and addresses. */
  'diagnostics.bundle': { input: nothing, output: bundleAnswerSchema },

  /** Whether Solarchive starts with the person's session. */
  'startAtLogin.get': { input: nothing, output: startAtLoginSchema },
  /** `wrong-usage` for on where `canChange` is false; `wrong-settings` when the system does not take it. */
  'startAtLogin.set': { input: z.strictObject({ isOn: z.boolean() }), output: startAtLoginSchema },

  /** The state now, what needs attention and how much there is. */
  overview: {
    input: nothing,
    output: z.object({
      watch: watchStateSchema,
      sync: syncStateSchema,
      verify: verifyStateSchema,
      counts: archiveCountsSchema,
      progress: archiveProgressSchema,
      attention: attentionSchema,
      /** Files that were archived, found missing or changed, and are not put right since. */
      damagedFiles: count,
      api: apiBudgetSchema,
    }),
  },

  /** The projects that are archived, a page at a time. */
  'projects.list': { input: projectQuerySchema, output: projectPageSchema },
  /** Ids and names of the same list, in the same order: what choosing all of them needs. */
  'projects.names': { input: projectNamesQuerySchema, output: projectNamesSchema },
  /** A project and a page of its checklists. `not-found`. */
  'projects.get': { input: pageInputSchema.extend({ projectId: z.string() }), output: projectDetailSchema },
  /** Adds or completes projects; answers those named, as they are now. */
  'projects.add': {
    input: z.strictObject({
      projects: z
        .array(z.strictObject({ id: projectId, name: text.optional(), address: text.optional() }))
        .min(1)
        .max(maxProjects),
    }),
    output: z.object({ projects: z.array(projectSchema) }),
  },
  /** What adding a list would do, row by row; nothing is changed. Up to 10,000 rows; up to 4 MB. */
  'projects.preview': { input: projectPreviewInputSchema, output: projectPreviewSchema },
  /** Stops archiving a project; its files stay. `not-found`. */
  'projects.remove': { input: z.strictObject({ projectId: z.string() }), output: z.object({ project: projectSchema }) },
  /** Adds every project that the service lists. Any error of a call to the service; `not-found`: it has no such list. */
  'projects.discover': { input: nothing, output: z.object({ found: count, added: z.array(projectSchema) }) },

  /** A checklist with all of its questions and photos. `not-found`. */
  'checklists.get': {
    input: z.strictObject({ projectId: z.string(), checklistId: z.string() }),
    output: checklistDetailSchema,
  },

  /** Checklists of all projects, those that became known last first. */
  'checklists.list': { input: checklistQuerySchema, output: checklistPageSchema },

  /**
   * Starts a pass over all or the named projects; `sync-state` tells of its end. Who was removed meanwhile is left out of the
   * state's `order`; `not-found` where none is left. `wrong-usage` while one runs.
   */
  'sync.now': {
    input: z.strictObject({ projectIds: z.array(z.string()).min(1).max(maxProjects).optional() }),
    output: syncStateSchema,
  },
  'sync.stop': { input: nothing, output: syncStateSchema },

  'watch.state': { input: nothing, output: watchStateSchema },
  /** Lasts over a restart. */
  'watch.pause': { input: z.strictObject({ length: z.enum(pauseLengths) }), output: watchStateSchema },
  'watch.resume': { input: nothing, output: watchStateSchema },
  /** The network came back, or the like: what is in the way is looked at at once. */
  'watch.nudge': { input: nothing, output: watchStateSchema },

  /** Files that could not be archived, those of a project together, the ones that are tried next first. Removed projects have none. */
  'failures.list': { input: failureQuerySchema, output: failurePageSchema },
  /** Tries failed files now: one, those of a project, or all. `queued` is how many. */
  'failures.retry': {
    input: z.union([
      z.strictObject({ assetId: z.int().min(1) }),
      z.strictObject({ projectId: z.string() }),
      z.strictObject({ all: z.literal(true) }),
    ]),
    output: z.object({ queued: count }),
  },

  /** Starts reading the archive again; `verify-state` tells of its end. `wrong-usage` while one runs. */
  'verify.start': { input: z.strictObject({ repair: z.boolean().default(false) }), output: verifyStateSchema },
  /** The next verify goes on from there. */
  'verify.stop': { input: nothing, output: verifyStateSchema },
  /** What was found in the archive folder and is not put right since, damage first. */
  'verify.findings': { input: pageInputSchema, output: verifyFindingPageSchema },

  /** Orders of designs, what changed last first. */
  'orders.list': { input: orderQuerySchema, output: orderPageSchema },
  /** `not-found`. */
  'orders.get': { input: ofOrder, output: orderDetailSchema },
  /**
   * Begins a draft: of the default company preset, the chosen preset over it, `from` (an earlier order) or the project's name and
   * address over them, and `texts` over all. `not-found` for a preset or order that is not there.
   */
  'orders.create': {
    input: z.strictObject({
      projectId: projectId.optional(),
      presetId: z.int().min(1).optional(),
      from: z.int().min(1).optional(),
      texts: orderTextsSchema.optional(),
    }),
    output: orderDetailSchema,
  },
  /** Keeps a draft as it is typed. `draft-changed` when `revision` is not its present one; `wrong-usage` for what is no draft. */
  'orders.saveDraft': {
    input: ofOrder.extend({ revision: count, texts: orderTextsSchema, region: setbackRegionSchema.nullable() }),
    output: z.object({ revision: count, savedAt: z.string() }),
  },
  /** Removes a draft. `wrong-usage` for what was sent: that is never forgotten. */
  'orders.discard': { input: ofOrder, output: nothing },
  /** What placing a draft would send, and what it would be a double of, after a look at the service's list where it has one. */
  'orders.review': { input: ofOrder, output: orderReviewSchema },
  /**
   * Sends a draft once, and answers how it stands then: `placed`, `unconfirmed`, or a draft with `problem` and `fieldProblems`.
   * `draft-changed` when it is not what `fingerprint` was reviewed of; `wrong-usage` when it is on its way, placed or unconfirmed
   * already, when it is a double and `again` is not said, when what became of its double is not known, and when it is not complete.
   */
  'orders.place': {
    input: ofOrder.extend({ fingerprint: z.string().max(100), again: z.boolean().default(false) }),
    output: orderDetailSchema,
  },
  /** Asks the service how an order stands, and settles an unconfirmed one where it can say. Any error of a call to the service. */
  'orders.check': { input: ofOrder, output: orderDetailSchema },
  /**
   * What a person found out about an unconfirmed order. `placed`: the service has it, as `serviceId` where that is known;
   * `not-placed`: it is a draft again. `wrong-usage` for others, and for `not-placed` before `decidableAt`.
   */
  'orders.settle': {
    input: ofOrder.extend({
      decision: z.enum(['placed', 'not-placed']),
      serviceId: z.string().trim().min(1).max(200).optional(),
    }),
    output: orderDetailSchema,
  },
  /** Module names: of earlier orders and presets, those used last first; and the service's library, null where it does not answer. */
  'orders.modules': {
    input: nothing,
    output: z.object({ remembered: z.array(z.string()), library: z.array(z.string()).nullable() }),
  },
  /** Asks for all orders of a project. `listed` null: the service has no such list. */
  'orders.refresh': { input: z.strictObject({ projectId }), output: z.object({ listed: count.nullable() }) },

  'presets.list': { input: nothing, output: z.object({ items: z.array(orderPresetSchema) }) },
  /** `wrong-settings` for a name that another one has. One company preset at most is the default: the last one that was made so. */
  'presets.save': { input: presetInputSchema, output: orderPresetSchema },
  'presets.remove': { input: z.strictObject({ presetId: z.int().min(1) }), output: nothing },

  /** What a CSV list of orders would place; nothing is kept. A list that cannot be read is one `wrong` row. */
  'batches.preview': { input: batchInputSchema, output: batchPreviewSchema },
  /** Keeps the rows that are ready (and, `withDoubles`, the doubles) as drafts; `wrong-usage` when there is none. Places nothing. */
  'batches.create': {
    input: batchInputSchema.extend({ name: text, withDoubles: z.boolean().default(false) }),
    output: orderBatchSchema,
  },
  'batches.list': { input: nothing, output: z.object({ items: z.array(orderBatchSchema) }) },
  /** `not-found`. */
  'batches.get': { input: ofBatch, output: orderBatchSchema },
  /** What is to be known before the orders that wait are placed. `not-found`. */
  'batches.review': { input: ofBatch, output: batchReviewSchema },
  /**
   * Places what waits, one after the other, and goes on after orders that the service rejects; after what would meet every order
   * (token, network, the service in trouble) it stops. `orders-changed` tells. `wrong-usage` while one runs.
   */
  'batches.start': { input: ofBatch, output: orderBatchSchema },
  /** The order that is on its way is waited for. */
  'batches.stop': { input: ofBatch, output: orderBatchSchema },
  /** Every row of the list with what became of it, as CSV; those that were left out with why. */
  'batches.result': { input: ofBatch, output: z.object({ name: z.string(), text: z.string() }) },

  /** What happened, newest first; the 20,000 last things are kept. */
  'activity.list': { input: activityQuerySchema, output: activityPageSchema },

  /** What an archived photo's own bytes tell. `not-found`. */
  'photos.facts': { input: z.strictObject({ assetId: z.int().min(1) }), output: photoFactsSchema },

  /** Where a file, or the folder of a checklist or project, is on the disk. `not-found`. */
  'files.locate': { input: filesTargetSchema, output: filesLocationSchema },
  /** Opens the file manager there. `wrong-usage` where `canShow` of `files.locate` is false; `not-found`. */
  'files.show': { input: filesTargetSchema, output: filesLocationSchema },
  /** Opens a report or photo in the program that the machine has for it. As `files.show`; `wrong-usage` for other files. */
  'files.open': { input: z.strictObject({ assetId: z.int().min(1) }), output: filesLocationSchema },
} satisfies Record<CallName, { input: z.ZodType; output: z.ZodType }>

/** What a caller gives: what has a default may be left out. */
export type CallInput<Name extends CallName> = z.input<(typeof calls)[Name]['input']>
export type CallOutput<Name extends CallName> = z.output<(typeof calls)[Name]['output']>
/** What a handler is given. */
export type ParsedInput<Name extends CallName> = z.output<(typeof calls)[Name]['input']>
