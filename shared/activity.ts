import { z } from 'zod'
import { assetKindSchema } from './domain.ts'
import { errorCodes } from './error-policy.ts'
import { listedSettings } from './settings.ts'
import { blockerKinds } from './watch.ts'

/** Groups that the activity can be filtered by. */
export const activityGroups = ['changes', 'archived', 'problems', 'verify', 'yours'] as const
export type ActivityGroup = (typeof activityGroups)[number]

const count = z.int().min(0)
const time = z.string()
const code = z.enum(errorCodes)
const nothing = z.object({})
const orderId = z.int().min(1)

/** A changed setting with its old and new value. Never a secret. */
const settingChangeSchema = z.object({
  setting: z.enum(listedSettings),
  from: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  to: z.union([z.string(), z.number(), z.boolean(), z.null()]),
})
export type SettingChange = z.infer<typeof settingChangeSchema>

/**
 * All kinds of activity entries, with their group and facts. The renderer writes the sentences. `count` is the number
 * of items that the kind names; an entry names its project, checklist, and file if there is exactly one.
 */
export const activityKinds = {
  /** Checklists that the service lists for the first time. `count`: checklists of the project. */
  'checklists-new': { group: 'changes', facts: z.object({ count }) },
  'checklist-status': { group: 'changes', facts: z.object({ from: z.string(), to: z.string() }) },
  /** Checklists that the service no longer lists. Their archived files stay. */
  'checklists-gone': { group: 'changes', facts: z.object({ count }) },
  /** Checklists that the service lists again. */
  'checklists-back': { group: 'changes', facts: z.object({ count }) },
  /** Files of a checklist that the service replaced. The old versions were kept. */
  'files-replaced': { group: 'changes', facts: z.object({ count, fileKind: assetKindSchema }) },
  /** New status of a placed order. `from` is null if none was known before. */
  'order-status': { group: 'changes', facts: z.object({ orderId, from: z.string().nullable(), to: z.string() }) },

  /** A checklist that is fully archived. `count`: its archived files. */
  'checklist-archived': { group: 'archived', facts: z.object({ count }) },

  /** A checklist that is no longer fully archived. `missing`: files; 0 if files only need a check. */
  'checklist-incomplete': { group: 'problems', facts: z.object({ missing: count }) },
  /** Files of a checklist that failed, each with a new error code. */
  'files-failed': { group: 'problems', facts: z.object({ count, code }) },
  /** Syncing is blocked. Problems of the network and the service are recorded only after a few minutes. */
  obstacle: { group: 'problems', facts: z.object({ obstacle: z.enum(blockerKinds), code, since: time }) },
  'obstacle-gone': { group: 'problems', facts: z.object({ obstacle: z.enum(blockerKinds), since: time }) },
  /** A short problem of the service (`host` null) or a download server, recorded once it is over. */
  outage: { group: 'problems', facts: z.object({ host: z.string().nullable(), code, since: time }) },
  /**
   * The database was rebuilt. `backup`: restored from a backup and compared with the archive folder. Counts: items
   * found.
   */
  'database-rebuilt': {
    group: 'problems',
    facts: z.object({ from: z.enum(['archive', 'backup']), projects: count, checklists: count, files: count }),
  },
  /** No time-stamping authority has stamped the archive since then; it is tried again. */
  'evidence-failed': { group: 'problems', facts: z.object({ code, since: time }) },
  /** An order was sent without a readable answer. */
  'order-unconfirmed': { group: 'problems', facts: z.object({ orderId, code }) },
  /**
   * The service recorded an order late, as `orderId`. Its draft `lateFor` had been changed or placed again meanwhile:
   * the service has, or would have, two orders.
   */
  'order-late': { group: 'problems', facts: z.object({ orderId, lateFor: orderId }) },

  /** A verify of the whole archive found every file unchanged. `count`: files. */
  verified: { group: 'verify', facts: z.object({ count }) },
  /** The scrub has read every archived file again since then. */
  'archive-read': { group: 'verify', facts: z.object({ since: time }) },
  /** A verify of the whole archive found problems. Counts are files, as in its report. */
  'verify-findings': {
    group: 'verify',
    facts: z.object({ checked: count, missing: count, changed: count, unexpected: count, repaired: count }),
  },
  /** Archived files of a checklist that are missing on the disk. */
  'files-missing': { group: 'verify', facts: z.object({ count }) },
  /** Changed files of a checklist that were quarantined: renamed as edited copies. */
  'files-set-aside': { group: 'verify', facts: z.object({ count }) },
  /** Missing or changed files of a checklist that are archived again. */
  'files-repaired': { group: 'verify', facts: z.object({ count }) },
  /** Folders of a project, or of its checklists, that somebody had renamed and that have their names back. */
  'folders-restored': { group: 'verify', facts: z.object({ count }) },
  /** An authority has stamped the checksums of the archive. `folder` is relative to the archive folder. */
  'evidence-stamped': { group: 'verify', facts: z.object({ folder: z.string(), signedBy: z.string() }) },

  /** `count`: projects. `by` is `service` if they were found in its list of projects. */
  'projects-added': { group: 'yours', facts: z.object({ count, by: z.enum(['person', 'service']) }) },
  'project-removed': { group: 'yours', facts: nothing },
  /** The service accepted an order. */
  'order-placed': { group: 'yours', facts: z.object({ orderId }) },
  /** Outcome of an unconfirmed order, and who determined it. */
  'order-settled': {
    group: 'yours',
    facts: z.object({ orderId, outcome: z.enum(['placed', 'not-placed']), by: z.enum(['service', 'person']) }),
  },
  /** `until` is null if the pause lasts until resumed. */
  paused: { group: 'yours', facts: z.object({ until: time.nullable() }) },
  /** `by` is `time` if the pause ended by itself. */
  resumed: { group: 'yours', facts: z.object({ by: z.enum(['person', 'time']) }) },
  /** The setup was completed with this service and this archive folder. */
  'set-up': { group: 'yours', facts: z.object({ serviceUrl: z.string(), archiveFolder: z.string() }) },
  'settings-changed': { group: 'yours', facts: z.object({ changes: z.array(settingChangeSchema).min(1) }) },
  /** Hooks were changed. Counts: hooks of each kind now. */
  'hooks-changed': { group: 'yours', facts: z.object({ programs: count, webhooks: count }) },
  /** A new access token was stored. Nothing of the token itself is recorded. */
  'token-changed': { group: 'yours', facts: z.object({ keptIn: z.enum(['file', 'keychain']) }) },
  'archive-moved': { group: 'yours', facts: z.object({ from: z.string(), to: z.string() }) },
  /** A move was stopped (`cancelled`) or failed, and was undone: the archive is in `from`. */
  'archive-move-undone': { group: 'yours', facts: z.object({ from: z.string(), to: z.string(), code }) },
} as const satisfies Record<string, { readonly group: ActivityGroup; readonly facts: z.ZodObject }>

export type ActivityKind = keyof typeof activityKinds
export type ActivityFacts<Kind extends ActivityKind> = z.infer<(typeof activityKinds)[Kind]['facts']>

type UserActionKind =
  | 'set-up'
  | 'settings-changed'
  | 'hooks-changed'
  | 'token-changed'
  | 'archive-moved'
  | 'archive-move-undone'

/** Something that a user did outside the database: to the settings, the token, or the archive folder. */
export type UserAction = {
  [Kind in UserActionKind]: { readonly kind: Kind; readonly facts: ActivityFacts<Kind> }
}[UserActionKind]

/** Common fields of a row. Null if unknown, or if there are several. Names are the current ones. */
const rowFields = {
  /** Increases with time. */
  id: z.int().min(1),
  at: time,
  project: z.object({ id: z.string(), name: z.string() }).nullable(),
  checklist: z.object({ id: z.string(), title: z.string() }).nullable(),
  /** The first file if there are several. */
  file: z.object({ assetId: z.int().min(1), kind: assetKindSchema, name: z.string() }).nullable(),
}

type RowSchema = {
  [Kind in ActivityKind]: z.ZodObject<
    typeof rowFields & {
      kind: z.ZodLiteral<Kind>
      group: z.ZodLiteral<ActivityGroup>
      facts: (typeof activityKinds)[Kind]['facts']
    }
  >
}[ActivityKind]

const rowSchemas = Object.entries(activityKinds).map(([kind, { group, facts }]) =>
  z.object({ ...rowFields, kind: z.literal(kind), group: z.literal(group), facts }),
) as [RowSchema, ...RowSchema[]]

export const activitySchema = z.discriminatedUnion('kind', rowSchemas)
export type Activity = z.infer<typeof activitySchema>

/** `before` and `after` are exclusive entry IDs. */
export const activityQuerySchema = z.strictObject({
  before: z.int().min(1).optional(),
  after: z.int().min(0).optional(),
  groups: z.array(z.enum(activityGroups)).min(1).max(activityGroups.length).optional(),
  projectId: z.string().max(500).optional(),
  limit: z.int().min(1).max(50).default(50),
})
export type ActivityQuery = z.infer<typeof activityQuerySchema>

/** Newest first. `hasMore`: more entries match the query. */
export const activityPageSchema = z.object({ items: z.array(activitySchema), hasMore: z.boolean() })
export type ActivityPage = z.infer<typeof activityPageSchema>

/**
 * New entries, newest first. An entry that was sent before has counted more items and replaces the one with its ID.
 * `hasMore`: there are more new entries, which `activity.list` returns.
 */
export const activityNewsSchema = z.object({ items: z.array(activitySchema).max(50), hasMore: z.boolean() })
export type ActivityNews = z.infer<typeof activityNewsSchema>
