import { z } from 'zod'
import { assetKindSchema } from './domain.ts'
import { errorCodes } from './error-policy.ts'
import { blockerKinds } from './watch.ts'

/** What a list of the activity can be narrowed to. */
export const activityGroups = ['changes', 'archived', 'problems', 'verify', 'yours'] as const
export type ActivityGroup = (typeof activityGroups)[number]

const count = z.int().min(0)
const time = z.string()
const code = z.enum(errorCodes)
const nothing = z.object({})
const orderId = z.int().min(1)

/**
 * Everything that the activity tells of, once: the group that it belongs to, and its facts. Sentences are the renderer's.
 * `count` is how many of what the kind names it speaks of; project, checklist and file are named where there is one of them.
 */
export const activityKinds = {
  /** The service lists these for the first time. `count`: checklists of the project. */
  'checklists-new': { group: 'changes', facts: z.object({ count }) },
  'checklist-status': { group: 'changes', facts: z.object({ from: z.string(), to: z.string() }) },
  /** The service lists them no more; what is archived stays. */
  'checklists-gone': { group: 'changes', facts: z.object({ count }) },
  /** It lists them again. */
  'checklists-back': { group: 'changes', facts: z.object({ count }) },
  /** The service has other bytes for archived files of a checklist; the old ones were kept. */
  'files-replaced': { group: 'changes', facts: z.object({ count, fileKind: assetKindSchema }) },
  /** Of an order that was placed, as the service says; `from` null: it said nothing before. */
  'order-status': { group: 'changes', facts: z.object({ orderId, from: z.string().nullable(), to: z.string() }) },

  /** Nothing is missing. `count`: files that the archive holds of it. */
  'checklist-archived': { group: 'archived', facts: z.object({ count }) },

  /** It was archived without a gap and is not any more. `missing`: files; 0 while something is only to be checked. */
  'checklist-incomplete': { group: 'problems', facts: z.object({ missing: count }) },
  /** Files of a checklist that failed for a reason that is new for each of them. */
  'files-failed': { group: 'problems', facts: z.object({ count, code }) },
  /** Something is in the way of everything: at once, or, of the network and the service, once it has been for minutes. */
  obstacle: { group: 'problems', facts: z.object({ obstacle: z.enum(blockerKinds), code, since: time }) },
  'obstacle-gone': { group: 'problems', facts: z.object({ obstacle: z.enum(blockerKinds), since: time }) },
  /** `from` backup: it was restored from one and compared with the archive folder. Counts are of what was found there. */
  'database-rebuilt': {
    group: 'problems',
    facts: z.object({ from: z.enum(['archive', 'backup']), projects: count, checklists: count, files: count }),
  },
  /** An order was sent, and whether the service has it is not known. */
  'order-unconfirmed': { group: 'problems', facts: z.object({ orderId, code }) },

  /** A verify went through the whole archive and found every file as it was archived. `count`: files. */
  verified: { group: 'verify', facts: z.object({ count }) },
  /** The rolling verify has read every archived file again since then. */
  'archive-read': { group: 'verify', facts: z.object({ since: time }) },
  /** A verify went through the whole archive and found something. Counts are files, as in its report. */
  'verify-findings': {
    group: 'verify',
    facts: z.object({ checked: count, missing: count, changed: count, unexpected: count, repaired: count }),
  },
  /** Archived files of a checklist were gone from the disk. */
  'files-missing': { group: 'verify', facts: z.object({ count }) },
  /** Archived files of a checklist were not as they were archived, and stand beside their names as edited ones. */
  'files-set-aside': { group: 'verify', facts: z.object({ count }) },
  /** Files of a checklist that were missing or changed are archived again. */
  'files-repaired': { group: 'verify', facts: z.object({ count }) },

  /** `count`: projects. `by` service: they were found in its list of projects. */
  'projects-added': { group: 'yours', facts: z.object({ count, by: z.enum(['person', 'service']) }) },
  'project-removed': { group: 'yours', facts: nothing },
  /** The service has taken an order. */
  'order-placed': { group: 'yours', facts: z.object({ orderId }) },
  /** What became of an unconfirmed order is known, and who found out. */
  'order-settled': {
    group: 'yours',
    facts: z.object({ orderId, outcome: z.enum(['placed', 'not-placed']), by: z.enum(['service', 'person']) }),
  },
  /** `until` null: until resumed. */
  paused: { group: 'yours', facts: z.object({ until: time.nullable() }) },
  /** `by` time: the pause was over. */
  resumed: { group: 'yours', facts: z.object({ by: z.enum(['person', 'time']) }) },
} as const satisfies Record<string, { readonly group: ActivityGroup; readonly facts: z.ZodObject }>

export type ActivityKind = keyof typeof activityKinds
export type ActivityFacts<Kind extends ActivityKind> = z.infer<(typeof activityKinds)[Kind]['facts']>

/** What is not known, or several, is null. Names are those of now. */
const rowFields = {
  /** Grows with time. */
  id: z.int().min(1),
  at: time,
  project: z.object({ id: z.string(), name: z.string() }).nullable(),
  checklist: z.object({ id: z.string(), title: z.string() }).nullable(),
  /** Of several files the first one. */
  file: z.object({ assetId: z.int().min(1), kind: assetKindSchema, name: z.string() }).nullable(),
}

function rowOf<Kind extends ActivityKind>(kind: Kind) {
  const { group, facts } = activityKinds[kind] as {
    readonly group: ActivityGroup
    readonly facts: (typeof activityKinds)[Kind]['facts']
  }
  return z.object({ ...rowFields, kind: z.literal(kind), group: z.literal(group), facts })
}

/** One thing that happened. */
export const activitySchema = z.discriminatedUnion('kind', [
  rowOf('checklists-new'),
  rowOf('checklist-status'),
  rowOf('checklists-gone'),
  rowOf('checklists-back'),
  rowOf('files-replaced'),
  rowOf('order-status'),
  rowOf('checklist-archived'),
  rowOf('checklist-incomplete'),
  rowOf('files-failed'),
  rowOf('obstacle'),
  rowOf('obstacle-gone'),
  rowOf('database-rebuilt'),
  rowOf('order-unconfirmed'),
  rowOf('verified'),
  rowOf('archive-read'),
  rowOf('verify-findings'),
  rowOf('files-missing'),
  rowOf('files-set-aside'),
  rowOf('files-repaired'),
  rowOf('projects-added'),
  rowOf('project-removed'),
  rowOf('order-placed'),
  rowOf('order-settled'),
  rowOf('paused'),
  rowOf('resumed'),
])
export type Activity = z.infer<typeof activitySchema>

/** `before` and `after` are ids, and not among what is answered. */
export const activityQuerySchema = z.strictObject({
  before: z.int().min(1).optional(),
  after: z.int().min(0).optional(),
  groups: z.array(z.enum(activityGroups)).min(1).max(activityGroups.length).optional(),
  projectId: z.string().max(500).optional(),
  limit: z.int().min(1).max(50).default(50),
})
export type ActivityQuery = z.infer<typeof activityQuerySchema>

/** Newest first. `hasMore`: there are older ones that the query asks for. */
export const activityPageSchema = z.object({ items: z.array(activitySchema), hasMore: z.boolean() })
export type ActivityPage = z.infer<typeof activityPageSchema>

/**
 * What was added, newest first. A row that was told before and is told again has counted more of the same: it takes the place
 * of the one with its id. `hasMore`: there were more than are told; the list has them.
 */
export const activityNewsSchema = z.object({ items: z.array(activitySchema).max(50), hasMore: z.boolean() })
export type ActivityNews = z.infer<typeof activityNewsSchema>
