import { z } from 'zod'
import { activityPageSchema, activityQuerySchema } from '../activity.ts'
import { attentionCauseSchema, attentionGroupSchema } from '../attention.ts'
import {
  exportStateSchema,
  moveStateSchema,
  packetStateSchema,
  syncStateSchema,
  verifyStateSchema,
} from '../background-tasks.ts'
import { listSourceSchema } from '../csv.ts'
import { projectSchema } from '../domain.ts'
import { evidenceStateSchema, stampedEvidenceSchema } from '../evidence.ts'
import {
  exportOptionsSchema,
  exportPreviewSchema,
  exportSelectionSchema,
  namesPreviewSchema,
  namesTemplateSchema,
} from '../export.ts'
import {
  deliveryPageSchema,
  deliveryQuerySchema,
  failingHooksSchema,
  hookDeliverySchema,
  hookListSchema,
  hooksInputSchema,
} from '../hooks.ts'
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
import { documentParts } from '../export-parts.ts'
import { listedTemplateSchema, packetCorrectionSchema, packetPreviewSchema, packetTemplateSchema } from '../packets.ts'
import { maxProjects, projectPreviewSchema, projectIdProblem } from '../project-list.ts'
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
import { foundWordSchema, photoWordsQuerySchema, searchPageSchema, searchQuerySchema } from '../search.ts'
import {
  apiBudgetSchema,
  archiveCountsSchema,
  archiveProgressSchema,
  checklistDetailSchema,
  checklistPageSchema,
  hintPageSchema,
  photoHintSchema,
  checklistQuerySchema,
  chosenFilesSchema,
  failurePageSchema,
  failureQuerySchema,
  filesLocationSchema,
  filesTargetSchema,
  fileVersionSchema,
  pageInputSchema,
  photoFactsSchema,
  photoPlacesQuerySchema,
  photoPlacesSchema,
  projectDetailSchema,
  projectNamesQuerySchema,
  projectNamesSchema,
  projectPageSchema,
  projectQuerySchema,
  savedCopiesSchema,
  verifyFindingPageSchema,
} from '../views.ts'
import { pauseLengths, watchStateSchema } from '../watch.ts'

const nothing = z.strictObject({})
const count = z.int().min(0)

/** Project ID of the service, opaque. */
const projectId = z
  .string()
  .trim()
  .superRefine((id, context) => {
    const problem = projectIdProblem(id)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })

const text = z.string().trim().min(1).max(500)

/** Any text: the handler reports what is wrong with it. */
const address = z.string().trim().max(2000)
/** Absolute path, or one that starts with `~`. */
const folder = z.string().trim().max(4096)
const token = z.string().trim().max(4096)
/** True to keep the token in the private file, even if the host would keep it elsewhere or nowhere. */
const inFile = z.boolean().default(false)

const ofOrder = z.strictObject({ orderId: z.int().min(1) })
const ofBatch = z.strictObject({ batchId: z.int().min(1) })

const menuItemSchema = z.strictObject({ label: z.string().min(1).max(200), isEnabled: z.boolean().default(true) })
const pixel = z.number().min(0).max(100_000)
const menuSchema = z.strictObject({
  groups: z.array(z.array(menuItemSchema).min(1).max(50)).min(1).max(10),
  x: pixel,
  y: pixel,
})
/** A native menu to show; see `menu.show`. */
export type NativeMenu = z.output<typeof menuSchema>

/** Declares a call that is one of `readingCalls`. */
const reading = <Input extends z.ZodType, Output extends z.ZodType>(input: Input, output: Output) =>
  ({ input, output, isReading: true }) as const

/**
 * Every call: the schema of its input, and that of the `value` of its answer (`envelope.ts`). Input that does not match
 * fails with `wrong-usage`. Before setup, calls that need the archive fail with `setup-needed`.
 */
export const calls = {
  'app.info': reading(nothing, appInfoSchema),

  'setup.state': reading(nothing, setupStateSchema),
  /**
   * Sets everything up, or changes folder and service, and starts. Without `token` the stored one is used, but only for
   * the current service (scheme, host, and port). `adopt`: use the archive that is in the folder already. `allowHttp`:
   * a user accepts an address without encryption, required for one that is new. Fails with `wrong-settings`, which says
   * what to change, and with `wrong-usage` for settings that are `fixed`; then nothing changed.
   */
  'setup.complete': {
    input: z.strictObject({
      serviceUrl: address,
      allowHttp: z.boolean().default(false),
      token: token.optional(),
      tokenInFile: inFile,
      archiveFolder: folder,
      adopt: z.boolean().default(false),
    }),
    output: setupStateSchema,
  },
  /** Starts on the embedded sample service, in folders of its own; `setup.complete` leaves it. */
  'setup.useSample': { input: nothing, output: setupStateSchema },
  /**
   * Asks the process that owns the data folder to end, and becomes the owner. `wrong-usage` if this app is the owner;
   * `data-folder-locked` if the other process does not end.
   */
  'owner.takeOver': { input: nothing, output: setupStateSchema },

  /**
   * Tests an address with one to three calls, and stores nothing. Without `token` the stored one is used, for its own
   * service. A new address without encryption is only asked with `allowHttp`.
   */
  'connection.test': {
    input: z.strictObject({ serviceUrl: address, allowHttp: z.boolean().default(false), token: token.optional() }),
    output: connectionTestSchema,
  },

  /**
   * Shows the system's folder dialog. `folder` is null if it was canceled. `wrong-usage` if `canChooseFolders` is
   * false.
   */
  'folders.choose': reading(z.strictObject({ from: folder }), z.object({ folder: z.string().nullable() })),
  /**
   * Shows a native menu at a point of the page, in CSS pixels; a line separates its groups. Resolves once it is closed,
   * to the index of the chosen item among all items, or null. `wrong-usage` on hosts without native menus.
   */
  'menu.show': reading(menuSchema, z.object({ chosen: count.nullable() })),
  /** Checks a folder that the archive is to be in (`use`), or to `move` it to. Changes nothing. */
  'archive.check': {
    input: z.strictObject({ folder, purpose: z.enum(['use', 'move']).default('use') }),
    output: archiveCheckSchema,
  },
  /** Returns the number of archived files and their size. */
  'archive.size': { input: nothing, output: z.object({ files: count, bytes: count }) },
  /**
   * Starts moving the archive to a new or empty folder; `move-state` reports its end. Until then the archive is only
   * read. `wrong-usage` while a move runs, and if the folder is `fixed`; `wrong-settings` for a folder that cannot be
   * used.
   */
  'archive.move': { input: z.strictObject({ folder }), output: moveStateSchema },
  /** Stops the move and puts everything back, unless the new folder is in use already. */
  'archive.stopMove': { input: nothing, output: moveStateSchema },

  'settings.get': reading(nothing, settingsSchema),
  /**
   * Changes settings. Stops a running sync or verify if the change requires it; the watch resumes by itself.
   * `wrong-usage` for settings that are `fixed`; `wrong-settings` for a bad address or an unreadable settings.json.
   */
  'settings.save': { input: settingsPatchSchema, output: settingsSchema },
  /**
   * Stores the access token where the host keeps it, or `inFile`, uses it from then on, and removes older copies.
   * `wrong-usage` if the environment sets it; `wrong-settings` if the host keeps it `nowhere` and `inFile` is false.
   */
  'token.save': { input: z.strictObject({ token: token.min(1), inFile }), output: setupStateSchema },

  /** Creates a support bundle: logs, settings, and status, without token, links, names, and addresses. */
  'diagnostics.bundle': reading(nothing, bundleAnswerSchema),

  /** Returns whether Solarchive starts when the user logs in. */
  'startAtLogin.get': reading(nothing, startAtLoginSchema),
  /** `wrong-usage` to turn it on if `canChange` is false; `wrong-settings` if the system refuses. */
  'startAtLogin.set': { input: z.strictObject({ isOn: z.boolean() }), output: startAtLoginSchema },

  /** Returns the current states and counts. */
  overview: reading(
    nothing,
    z.object({
      watch: watchStateSchema,
      sync: syncStateSchema,
      verify: verifyStateSchema,
      counts: archiveCountsSchema,
      progress: archiveProgressSchema,
      /** Archived files that were found missing or changed and are not repaired yet. */
      damagedFiles: count,
      api: apiBudgetSchema,
    }),
  ),

  /** Returns the projects, checklists, and files that need attention, grouped by cause, the largest group first. */
  'attention.groups': reading(nothing, z.object({ groups: z.array(attentionGroupSchema) })),
  /** Returns the IDs of the projects of a group, those of its checklists included: a sync of them is its retry. */
  'attention.projects': reading(
    z.strictObject({ cause: attentionCauseSchema }),
    z.object({ projectIds: z.array(z.string()) }),
  ),

  /** Returns a page of the archived projects. */
  'projects.list': reading(projectQuerySchema, projectPageSchema),
  /** Returns IDs and names of the same list in the same order, so that all can be selected. */
  'projects.names': reading(projectNamesQuerySchema, projectNamesSchema),
  /** Returns a project and a page of its checklists. `not-found`. */
  'projects.get': reading(pageInputSchema.extend({ projectId: z.string() }), projectDetailSchema),
  /** Adds projects, or fills in missing names and addresses. Returns the named projects. */
  'projects.add': {
    input: z.strictObject({
      projects: z
        .array(z.strictObject({ id: projectId, name: text.optional(), address: text.optional() }))
        .min(1)
        .max(maxProjects),
    }),
    output: z.object({ projects: z.array(projectSchema) }),
  },
  /**
   * Returns what adding a list would do, row by row, and changes nothing. `wrong-usage` for more than 10,000 rows or 4
   * MB.
   */
  'projects.preview': { input: listSourceSchema, output: projectPreviewSchema },
  /** Stops archiving a project; its files stay. `not-found`. */
  'projects.remove': { input: z.strictObject({ projectId: z.string() }), output: z.object({ project: projectSchema }) },
  /**
   * Adds every project that the service lists. `isPartial` if the service says that there are more. Any error of a call
   * to the service; `not-found` if it has no such list.
   */
  'projects.discover': {
    input: nothing,
    output: z.object({ found: count, added: z.array(projectSchema), isPartial: z.boolean() }),
  },

  /** Returns a checklist with all of its questions and photos. `not-found`. */
  'checklists.get': reading(z.strictObject({ projectId: z.string(), checklistId: z.string() }), checklistDetailSchema),

  /** Returns a page of the checklists of all projects, the most recently found first. */
  'checklists.list': reading(checklistQuerySchema, checklistPageSchema),
  /** Hints about the photos of a checklist, those of a question from the most to the least severe. */
  'hints.checklist': reading(
    z.strictObject({ projectId: z.string(), checklistId: z.string() }),
    z.object({ hints: z.array(photoHintSchema) }),
  ),
  'hints.list': reading(pageInputSchema, hintPageSchema),

  /**
   * Starts a pass over all or the named projects; `sync-state` reports its end. Projects that were removed meanwhile
   * are left out of the state's `order`; `not-found` if none is left. `wrong-usage` while a pass runs.
   */
  'sync.now': {
    input: z.strictObject({ projectIds: z.array(z.string()).min(1).max(maxProjects).optional() }),
    output: syncStateSchema,
  },
  'sync.stop': { input: nothing, output: syncStateSchema },

  'watch.state': reading(nothing, watchStateSchema),
  /** Pauses the watch. The pause survives a restart. */
  'watch.pause': { input: z.strictObject({ length: z.enum(pauseLengths) }), output: watchStateSchema },
  'watch.resume': { input: nothing, output: watchStateSchema },
  /** Checks at once what blocks the watch, such as when the network returns. */
  'watch.recheck': { input: nothing, output: watchStateSchema },

  /** Returns the failed files that need attention, by project and checklist, without those of removed projects. */
  'failures.list': reading(failureQuerySchema, failurePageSchema),
  /** Retries failed files now: one, those of a project or a cause, or all. `queued` is their number. */
  'failures.retry': {
    input: z.union([
      z.strictObject({ assetId: z.int().min(1) }),
      z.strictObject({ projectId: z.string() }),
      z.strictObject({ cause: attentionCauseSchema }),
      z.strictObject({ all: z.literal(true) }),
    ]),
    output: z.object({ queued: count }),
  },

  /** Starts a verify of the archive; `verify-state` reports its end. `wrong-usage` while one runs. */
  'verify.start': { input: z.strictObject({ repair: z.boolean().default(false) }), output: verifyStateSchema },
  /** Stops the verify. The next one resumes from there. */
  'verify.stop': { input: nothing, output: verifyStateSchema },
  /** Returns what verifies found in the archive folder and is not fixed yet, damage first. */
  'verify.findings': reading(pageInputSchema, verifyFindingPageSchema),

  /** Returns the state of trusted time stamps; `evidence-state` reports its changes. */
  'evidence.state': reading(nothing, evidenceStateSchema),
  /**
   * Copies the checksums of all projects into the archive's `.evidence` folder and has an authority of the settings
   * stamp them now, which takes up to a minute. Evidence that is the same as that of today is returned as it was
   * stamped, with `created` false. `wrong-settings` without an authority, `wrong-usage` if nothing is archived or the
   * archive is being moved, `stamp-refused` and errors of the connection if no authority stamps it, errors of the disk.
   * The settings are `stampDaily`, `stampAuthority`, and `stampFallback`.
   */
  'evidence.stampNow': { input: nothing, output: stampedEvidenceSchema },

  /** Returns the hooks, without their secrets: programs and webhooks that are notified of events. */
  'hooks.list': reading(nothing, hookListSchema),
  /**
   * Replaces all hooks: `hooks.list`, with changes; a webhook whose secret is left out keeps it, as long as its origin
   * stays. Waiting deliveries of hooks that are removed or turned off are given up. Where `canAddPrograms`, the user is
   * asked in a dialog of the system about each target that is new, changed, or turned on: `cancelled` if not all are
   * agreed to. Elsewhere `wrong-usage` for a program that is new, changed, or turned on. `wrong-settings` for a webhook
   * without a secret. Nothing is changed then.
   */
  'hooks.save': { input: z.strictObject({ hooks: hooksInputSchema }), output: hookListSchema },
  /**
   * Returns a page of what was sent to hooks and will be, the newest first; those of the last 5,000 that have ended.
   */
  'hooks.deliveries': reading(deliveryQuerySchema, deliveryPageSchema),
  /**
   * Returns the hooks that are on and could not be notified: of the last event that has ended, or, for about an hour,
   * of one that waits.
   */
  'hooks.failing': reading(nothing, failingHooksSchema),
  /** Delivers once more, with the same event id, within seconds. `not-found` if it is not listed any more. */
  'hooks.repeat': { input: z.strictObject({ deliveryId: z.int().min(1) }), output: hookDeliverySchema },

  /** Returns a page of the orders of designs, the last changed first. */
  'orders.list': reading(orderQuerySchema, orderPageSchema),
  /** `not-found`. */
  'orders.get': reading(ofOrder, orderDetailSchema),
  /**
   * Creates a draft from, in rising precedence: the default company preset, the chosen preset, the order `from` or the
   * project's name and address, and `texts`. `not-found` for an unknown preset or order.
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
  /**
   * Saves a draft while it is typed. `draft-changed` if `revision` is not the current one; `wrong-usage` if it is no
   * draft.
   */
  'orders.saveDraft': {
    input: ofOrder.extend({ revision: count, texts: orderTextsSchema, region: setbackRegionSchema.nullable() }),
    output: z.object({ revision: count, savedAt: z.string() }),
  },
  /**
   * Removes a draft. `draft-changed` if `revision` is given and not the current one; `wrong-usage` for an order that
   * was sent: its record stays.
   */
  'orders.discard': { input: ofOrder.extend({ revision: count.optional() }), output: nothing },
  /**
   * Returns what placing a draft would send, and what it duplicates, after reading the service's list if it has one.
   */
  'orders.review': { input: ofOrder, output: orderReviewSchema },
  /**
   * Sends a draft once. Returns it `placed`, `unconfirmed`, or still a draft with `problem` and `fieldProblems`.
   * `draft-changed` if `fingerprint` is not that of the current draft. `wrong-usage` if the order is in flight, placed,
   * or unconfirmed; if it is a duplicate and `again` is false; if its duplicate is unconfirmed; and if it is
   * incomplete; and if `isModuleUnknown` of its review is true and `newModule` is false. If the service's list of
   * orders exists but cannot be read in full now, the order is sent only with `withoutCheck`, and its record says so.
   * `wrong-usage` with `details.isRestored` if the database was restored and the draft may have been placed before.
   * `seen`: the duplicates and unconfirmed orders of the review, each as its `seenKey`, and after such an error
   * `seenRestored`; `again` then covers nothing else.
   */
  'orders.place': {
    input: ofOrder.extend({
      fingerprint: z.string().max(100),
      again: z.boolean().default(false),
      seen: z.array(z.string()).optional(),
      withoutCheck: z.boolean().default(false),
      newModule: z.boolean().default(false),
    }),
    output: orderDetailSchema,
  },
  /**
   * Reads an order's status, and resolves an unconfirmed order if the service can. Any error of a call to the service.
   */
  'orders.check': { input: ofOrder, output: orderDetailSchema },
  /**
   * Resolves an unconfirmed order by a user's decision. `placed`: the service has it, as `serviceId` if that is
   * known; `not-placed`: it becomes a draft again. `wrong-usage` for other orders, and for `not-placed` before
   * `decidableAt`.
   */
  'orders.settle': {
    input: ofOrder.extend({
      decision: z.enum(['placed', 'not-placed']),
      serviceId: z.string().trim().min(1).max(200).optional(),
    }),
    output: orderDetailSchema,
  },
  /**
   * Returns module names: of earlier orders, the last used first, of presets, and of the service's library, each once.
   * `library` is null if it could not be read, and if it was not asked for: the answer then waits for nothing. It is
   * the library of a user, whom orders name: those of `projectId` are listed for it if none is known here.
   */
  'orders.modules': {
    input: z.strictObject({ library: z.boolean().default(true), projectId: projectId.optional() }),
    output: z.object({
      ordered: z.array(z.string()),
      presets: z.array(z.string()),
      library: z.array(z.string()).nullable(),
    }),
  },
  /** Reads all orders of a project from the service. `listed` is null if the service has no such list. */
  'orders.refresh': { input: z.strictObject({ projectId }), output: z.object({ listed: count.nullable() }) },

  'presets.list': reading(nothing, z.object({ items: z.array(orderPresetSchema) })),
  /**
   * `wrong-settings` for a name that is taken. At most one company preset is the default: the last one saved as such.
   */
  'presets.save': { input: presetInputSchema, output: orderPresetSchema },
  'presets.remove': { input: z.strictObject({ presetId: z.int().min(1) }), output: nothing },

  /**
   * Returns what a CSV list of orders would place, and stores nothing. An unreadable list is one `wrong` row;
   * `wrong-usage` for more than 2,000 rows or 4 MB.
   */
  'batches.preview': { input: batchInputSchema, output: batchPreviewSchema },
  /**
   * Creates drafts of the valid rows (`includeDuplicates`: duplicates too), and places nothing. `wrong-usage` if
   * there is none.
   */
  'batches.create': {
    input: batchInputSchema.extend({ name: text, includeDuplicates: z.boolean().default(false) }),
    output: orderBatchSchema,
  },
  'batches.list': reading(nothing, z.object({ items: z.array(orderBatchSchema) })),
  /** `not-found`. */
  'batches.get': reading(ofBatch, orderBatchSchema),
  /**
   * Returns what to check before the waiting orders are placed. With `ask`, the service's lists of orders are read
   * first, for a few projects and seconds. `not-found`.
   */
  'batches.review': { input: ofBatch.extend({ ask: z.boolean().default(false) }), output: batchReviewSchema },
  /**
   * Places the waiting orders one after the other. Continues after orders that the service rejects, and after drafts
   * that are changed meanwhile, which are not sent. Stops at errors that every order would meet (token, network,
   * service). `withoutCheck`, `newModule`: as for `orders.place`. Emits `orders-changed`. `wrong-usage` while one runs,
   * and if a module is unknown without `newModule`.
   */
  'batches.start': {
    input: ofBatch.extend({ withoutCheck: z.boolean().default(false), newModule: z.boolean().default(false) }),
    output: orderBatchSchema,
  },
  /** Stops after the order in flight. */
  'batches.stop': { input: ofBatch, output: orderBatchSchema },
  /** Returns every row of the list with its outcome, or the reason it was skipped, as CSV. */
  'batches.result': reading(ofBatch, z.object({ name: z.string(), text: z.string() })),

  /** Returns what an export would have, and what is wrong with its naming template. `not-found`. */
  'export.preview': reading(
    z.strictObject({ selection: exportSelectionSchema, options: exportOptionsSchema }),
    exportPreviewSchema,
  ),
  /**
   * Shows the last export in the file manager. `wrong-usage` if the host cannot; `not-found` if there is none, or if it
   * was moved.
   */
  'export.show': reading(nothing, nothing),
  /**
   * Starts an export to a path of the machine that Solarchive runs on: a folder that exists, in which it gets a name of
   * its own, or a new name, which `inFolder` rules out: a mistyped folder is not a name. `export-state` reports
   * its end, `export-progress` its progress. `wrong-usage` while one runs, and for a path that cannot be used, then
   * with `details.input` "to".
   */
  'export.start': reading(
    z.strictObject({
      selection: exportSelectionSchema,
      options: exportOptionsSchema,
      to: folder.min(1),
      inFolder: z.boolean().default(false),
    }),
    exportStateSchema,
  ),
  /** Stops the export, which leaves nothing. */
  'export.stop': reading(nothing, exportStateSchema),

  /** Returns the templates of packets, those that came with Solarchive first. */
  'packets.templates': reading(nothing, z.object({ items: z.array(listedTemplateSchema) })),
  /**
   * Adds a template, or replaces the own one with its ID. `wrong-settings` for the ID of one that came with Solarchive.
   */
  'packets.saveTemplate': { input: z.strictObject({ template: packetTemplateSchema }), output: nothing },
  /** Removes an own template and what is remembered about it. `not-found`. */
  'packets.removeTemplate': { input: z.strictObject({ id: text }), output: nothing },
  /** Returns what fills each slot of a template, and the gaps. `not-found`. */
  'packets.preview': reading(z.strictObject({ selection: exportSelectionSchema, template: text }), packetPreviewSchema),
  /** Returns the first names of the photos, and what is wrong with their naming template. `not-found`. */
  'packets.previewNames': reading(
    z.strictObject({
      selection: exportSelectionSchema,
      template: text,
      names: namesTemplateSchema.optional(),
    }),
    namesPreviewSchema,
  ),
  /** Remembers that a question fills a slot, or does not, in all checklists of a title. `not-found`. */
  'packets.correct': { input: packetCorrectionSchema, output: nothing },
  /** Shows the last packet in the file manager. Errors as `export.show`. */
  'packets.show': reading(nothing, nothing),
  /**
   * Starts writing a packet to a path as `export.start` does; `packet-state` reports its end, `packet-progress` its
   * progress. `wrong-usage` while one is written.
   */
  'packets.start': reading(
    z.strictObject({
      selection: exportSelectionSchema,
      template: text,
      to: folder.min(1),
      inFolder: z.boolean().default(false),
      documents: z.array(z.enum(documentParts)).max(documentParts.length).default([]),
      names: namesTemplateSchema.optional(),
    }),
    packetStateSchema,
  ),
  /** Stops the packet, which leaves nothing. */
  'packets.stop': reading(nothing, packetStateSchema),

  /** Returns a page of the activity, newest first. The last 20,000 entries are kept. */
  'activity.list': reading(activityQuerySchema, activityPageSchema),
  /** Finds texts anywhere in the archive, the best first. `wrong-usage` for a cursor of another version. */
  search: reading(searchQuerySchema, searchPageSchema),

  /** Returns the metadata in an archived photo. `not-found`. */
  'photos.facts': reading(z.strictObject({ assetId: z.int().min(1) }), photoFactsSchema),
  /**
   * Returns the archived photos of a project or checklist with where and when they were taken. Reads their files for at
   * most half a second; `unread` says whether to call again. `not-found`.
   */
  'photos.places': reading(photoPlacesQuerySchema, photoPlacesSchema),
  /** Returns the words and codes on an archived photo that contain one of the texts; none if it has not been read. */
  'photos.words': reading(photoWordsQuerySchema, z.object({ words: z.array(foundWordSchema) })),

  /** Returns the path of a file, or of a checklist's or project's folder. `not-found`. */
  'files.locate': reading(filesTargetSchema, filesLocationSchema),
  /** Shows it in the file manager. `wrong-usage` if `canShow` of `files.locate` is false; `not-found`. */
  'files.show': reading(filesTargetSchema, filesLocationSchema),
  /** Opens a report or photo in its default program. Errors as `files.show`; `wrong-usage` for other files. */
  'files.open': reading(z.strictObject({ assetId: z.int().min(1) }), filesLocationSchema),
  /** Returns the absolute paths of files, without those that are not in the archive. `not-found` if none is. */
  'files.paths': reading(chosenFilesSchema, z.object({ paths: z.array(z.string()) })),
  /**
   * Asks for a folder and copies files into it, under names that are free there and contain section and question. A
   * browser downloads `/copies/<asset IDs, separated by dots>.zip` instead: `wrong-usage` if `canChooseFolders` is
   * false, and for a folder in the archive; `not-found` if no file is in the archive; errors of the disk.
   */
  'files.saveCopies': reading(chosenFilesSchema, savedCopiesSchema),
  /** Asks for a name and copies one file there. Errors as `files.saveCopies`. */
  'files.saveAs': reading(z.strictObject({ assetId: z.int().min(1) }), savedCopiesSchema),
  /** Returns the earlier versions of a report or photo, the last replaced first. */
  'files.versions': reading(
    z.strictObject({ assetId: z.int().min(1) }),
    z.object({ items: z.array(fileVersionSchema) }),
  ),
} satisfies Record<string, { input: z.ZodType; output: z.ZodType }>

export type CallName = keyof typeof calls

/** Input of a call as the caller passes it: fields with a default are optional. */
export type CallInput<Name extends CallName> = z.input<(typeof calls)[Name]['input']>
export type CallOutput<Name extends CallName> = z.output<(typeof calls)[Name]['output']>
/** Input of a call as its handler receives it: parsed, with defaults. */
export type ParsedInput<Name extends CallName> = z.output<(typeof calls)[Name]['input']>

/**
 * The calls that change neither data folder nor archive, and that an app answers while another process owns the data
 * folder. All others fail with `data-folder-locked` then, except `owner.takeOver`.
 */
export const readingCalls = (Object.keys(calls) as CallName[]).filter((name) => 'isReading' in calls[name])
