import { z } from 'zod'
import { assetKindSchema, gapSchema, placeSchema } from './domain.ts'
import { errorSchema } from './envelope.ts'
import { errorCodes } from './error-policy.ts'

/** What the app shows of the database. Times are ISO 8601 UTC, sizes are bytes, counts are of files unless named. */

const countSchema = z.int().min(0)
const timeSchema = z.string()
const problemSchema = errorSchema.pick({ code: true, message: true })

/** One page of a list that the engine cuts. `total` counts all that match; `offset` is where this page begins. */
const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ total: countSchema, offset: countSchema, items: z.array(item) })

/** Which part of a list is wanted: at most 50 rows, so that a page of big projects is still read at once. */
const pageFields = { offset: z.int().min(0).default(0), limit: z.int().min(1).max(50).default(50) }
export const pageInputSchema = z.strictObject(pageFields)

/**
 * Which projects are listed. `attention`: the last try ended with an error, files failed, or a checklist needs attention (see
 * `checklistFilters`); `unsynced`: never worked off;
 * `working`: files wait or are being downloaded; `quiet`: none of these. `complete`: synced, and all of its checklists are
 * complete; `incomplete`: one at least is not.
 */
export const projectFilters = ['all', 'attention', 'unsynced', 'working', 'quiet', 'complete', 'incomplete'] as const
export const projectSorts = ['name', 'added', 'synced'] as const

export const projectQuerySchema = z.strictObject({
  ...pageFields,
  /** Found in name, address or id, without regard to the case of a to z. */
  search: z.string().max(200).default(''),
  filter: z.enum(projectFilters).default('all'),
  /** `synced`: never synced ones first. */
  sort: z.enum(projectSorts).default('name'),
  descending: z.boolean().default(false),
})
export type ProjectQuery = z.infer<typeof projectQuerySchema>

/** As the list has them, but only what they are called; up to 10,000 at once, so that all can be chosen. */
export const projectNamesQuerySchema = projectQuerySchema.extend({ limit: z.int().min(1).max(10_000).default(10_000) })
export const projectNamesSchema = z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) })

/** A project's row. The counts follow the ledger, by what is recorded: the disk is not looked at. */
export const projectSummarySchema = z.object({
  id: z.string(),
  name: z.string(),
  address: z.string().nullable(),
  lastSyncedAt: timeSchema.nullable(),
  /** Why the last try to sync it did not work. */
  problem: problemSchema.nullable(),
  checklists: countSchema,
  completeChecklists: countSchema,
  /** Of the others, those that merely wait for the field or the service: nothing that is there is missing here. */
  waitingChecklists: countSchema,
  expectedFiles: countSchema,
  archivedFiles: countSchema,
  /** Queued or being downloaded. */
  waitingFiles: countSchema,
  failedFiles: countSchema,
  /** Checklists that need attention. */
  troubledChecklists: countSchema,
})
export type ProjectSummary = z.infer<typeof projectSummarySchema>
export const projectPageSchema = pageOf(projectSummarySchema)

/** A checklist's row. `id` is unique within its project. */
export const checklistSummarySchema = z.object({
  id: z.string(),
  title: z.string(),
  /** One of the documented statuses, or whatever else the service says. */
  status: z.string(),
  updatedAt: timeSchema.nullable(),
  complete: z.boolean(),
  expectedFiles: countSchema,
  archivedFiles: countSchema,
  gaps: z.array(gapSchema),
  /** What the service has of it now was read whole; until then there may be files that no gap tells of. */
  isRead: z.boolean(),
  /** The service does not list it any more; what is archived stays. */
  goneUpstream: z.boolean(),
  /** Why it could not be read. */
  problem: problemSchema.nullable(),
})
export type ChecklistSummary = z.infer<typeof checklistSummarySchema>

/**
 * Which checklists of all projects are listed. `incomplete`: not archived without a gap when its project was last worked
 * off, drafts included; `waiting`: of these, those whose photos or report the service is still waiting for; `attention`: those
 * whose report the service could not make, and those that could not be read.
 */
export const checklistFilters = ['incomplete', 'waiting', 'attention'] as const
export const checklistQuerySchema = z.strictObject({ ...pageFields, filter: z.enum(checklistFilters) })
export type ChecklistQuery = z.infer<typeof checklistQuerySchema>
export const checklistPageSchema = pageOf(
  checklistSummarySchema.extend({ projectId: z.string(), projectName: z.string() }),
)

export const projectDetailSchema = z.object({
  project: projectSummarySchema,
  checklists: pageOf(checklistSummarySchema),
})

/** A file to show. It is served by its asset id, and only when `archived`. */
const fileFields = {
  assetId: z.int().min(1),
  /** Another one for other content; null until it is archived. */
  version: z.string().nullable(),
  /** As it is called on disk. */
  fileName: z.string(),
  archived: z.boolean(),
  sizeBytes: countSchema.nullable(),
  /** Why the last try to fetch it failed. */
  problem: problemSchema.nullable(),
  /** Of a file that was archived once and that no download brings back: a repair does, or, when `gone`, a backup alone. */
  absence: z.enum(['damaged', 'gone']).nullable(),
  /** The service does not have it any more; what is archived stays. */
  goneUpstream: z.boolean(),
}

export const photoSchema = z.object({
  ...fileFields,
  /** Set when its thumbnail is archived. */
  thumbnailAssetId: z.int().min(1).nullable(),
  thumbnailVersion: z.string().nullable(),
  /** As the service tells it. */
  takenAt: timeSchema.nullable(),
  place: placeSchema.nullable(),
})
export type PhotoView = z.infer<typeof photoSchema>

const questionSchema = z.object({
  label: z.string(),
  expectedPhotos: countSchema,
  archivedPhotos: countSchema,
  gaps: z.array(gapSchema),
  /** No longer in the checklist; its archived photos are. */
  goneUpstream: z.boolean(),
  photos: z.array(photoSchema),
})

export const checklistDetailSchema = z.object({
  projectId: z.string(),
  projectName: z.string(),
  checklist: checklistSummarySchema,
  report: z.object(fileFields).nullable(),
  /** In the checklist's order. Questions that follow each other under one label are one section. */
  sections: z.array(z.object({ label: z.string(), questions: z.array(questionSchema) })),
})
export type ChecklistDetail = z.infer<typeof checklistDetailSchema>

export const failedFileSchema = z.object({
  assetId: z.int().min(1),
  projectId: z.string(),
  projectName: z.string(),
  checklistId: z.string(),
  checklistTitle: z.string(),
  kind: assetKindSchema,
  fileName: z.string(),
  code: z.enum(errorCodes),
  message: z.string(),
  attempts: countSchema,
  nextTryAt: timeSchema.nullable(),
})
export type FailedFileView = z.infer<typeof failedFileSchema>
export const failurePageSchema = pageOf(failedFileSchema)
/** Of all projects, of one, or of one of its checklists. */
export const failureQuerySchema = z
  .strictObject({ ...pageFields, projectId: z.string().optional(), checklistId: z.string().optional() })
  .refine(({ projectId, checklistId }) => checklistId === undefined || projectId !== undefined, {
    error: 'a checklist is named with its project',
  })
export type FailureQuery = z.infer<typeof failureQuerySchema>

/**
 * How much there is. `files` counts all that the archive holds or is to hold, replaced versions left out; `filesWaiting` and
 * `filesFailed` are of projects that are still synced, like `troubledChecklists`, which need attention.
 */
export const archiveCountsSchema = z.object({
  projects: countSchema,
  unsyncedProjects: countSchema,
  projectsWithProblem: countSchema,
  checklists: countSchema,
  troubledChecklists: countSchema,
  files: countSchema,
  filesWaiting: countSchema,
  filesFailed: countSchema,
})
export type ArchiveCounts = z.infer<typeof archiveCountsSchema>

/**
 * How much of the archive of all projects is complete, by what is recorded. Of an archive that is so big that counting takes
 * long it may be some seconds old.
 */
export const archiveProgressSchema = z.object({
  checklists: countSchema,
  completeChecklists: countSchema,
  /** Those that are not, by the service's status; `gone`: it does not list them any more. */
  open: z.array(z.object({ status: z.string(), gone: z.boolean(), checklists: countSchema })),
  expectedFiles: countSchema,
  archivedFiles: countSchema,
  /** Archived files of projects that were removed: in none of the other counts, and still in their folders. */
  removedFiles: countSchema,
})
export type ArchiveProgress = z.infer<typeof archiveProgressSchema>

/** The first 20 projects whose last try did not work. */
export const attentionSchema = z.array(z.object({ projectId: z.string(), name: z.string(), problem: problemSchema }))
export type Attention = z.infer<typeof attentionSchema>

const findingStateSchema = z.enum(['missing', 'changed', 'unexpected'])
export type FindingState = z.infer<typeof findingStateSchema>

/**
 * A file that a verify found and that is not put right since; `path` is relative to the archive root. `project` and `checklist` tell
 * whose it is, null where that is not known.
 */
export const verifyFindingSchema = z.object({
  path: z.string(),
  state: findingStateSchema,
  project: z.object({ id: z.string(), name: z.string() }).nullable(),
  checklist: z.object({ id: z.string(), name: z.string() }).nullable(),
})
export type VerifyFinding = z.infer<typeof verifyFindingSchema>
export const verifyFindingPageSchema = pageOf(verifyFindingSchema)

/** Calls to the service. `freeCalls`: how many could go at once; null without a limit. `waitMs`: until the next may go. */
export const apiBudgetSchema = z.object({
  callsPerMinute: countSchema,
  freeCalls: countSchema.nullable(),
  waitMs: z.number().min(0),
})
export type ApiBudget = z.infer<typeof apiBudgetSchema>

/** What the bytes of an archived photo tell. Unknown is null; texts are on one line, at most 120 characters. */
export const photoFactsSchema = z.object({
  /** By the camera's clock, `YYYY-MM-DDTHH:MM:SS`: a local time. */
  takenAt: z.string().nullable(),
  /** Of `takenAt` from UTC, `+HH:MM`. */
  utcOffset: z.string().nullable(),
  make: z.string().nullable(),
  model: z.string().nullable(),
  lens: z.string().nullable(),
  exposureSeconds: z.number().positive().nullable(),
  fNumber: z.number().positive().nullable(),
  iso: z.number().positive().nullable(),
  focalLengthMm: z.number().positive().nullable(),
  /** EXIF's 1 to 8; browsers turn the picture by it themselves. */
  orientation: z.int().min(1).max(8).nullable(),
  /** As stored: before it is turned. */
  size: z.object({ widthPixels: z.number().positive(), heightPixels: z.number().positive() }).nullable(),
  /** The service's, where it tells one, else the file's. */
  place: placeSchema.nullable(),
  servicePlace: placeSchema.nullable(),
  filePlace: placeSchema.nullable(),
  /** Above the sea, by the file. */
  altitudeMeters: z.number().nullable(),
})
export type PhotoFacts = z.infer<typeof photoFactsSchema>

/** A file, a checklist's folder or a project's; never a path. */
export const filesTargetSchema = z.union([
  z.strictObject({ assetId: z.int().min(1) }),
  z.strictObject({ projectId: z.string(), checklistId: z.string() }),
  z.strictObject({ projectId: z.string() }),
])
export type FilesTarget = z.infer<typeof filesTargetSchema>

export const filesLocationSchema = z.object({
  /** Absolute, for a person to copy. */
  path: z.string(),
  /** From the archive root, with `/`. */
  relativePath: z.string(),
  /** Whether `files.show` can open the file manager here. */
  canShow: z.boolean(),
})
