import { z } from 'zod'
import { attentionCauseSchema } from './attention.ts'
import { assetKindSchema, gapSchema, placeSchema } from './domain.ts'
import { errorSchema } from './envelope.ts'
import { errorCodes } from './error-policy.ts'

/**
 * Rows and pages for the renderer. Times are ISO 8601 UTC, sizes are bytes, and counts are files unless named
 * otherwise.
 */

const countSchema = z.int().min(0)
const timeSchema = z.string()
const problemSchema = errorSchema.pick({ code: true, message: true })

/**
 * Returns the schema of one page of a list. `total` counts all matching items; `offset` is the first one of this page.
 */
const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ total: countSchema, offset: countSchema, items: z.array(item) })

/** Requested part of a list: at most 50 rows, so that a page of big projects is still read quickly. */
const pageFields = { offset: z.int().min(0).default(0), limit: z.int().min(1).max(50).default(50) }
export const pageInputSchema = z.strictObject(pageFields)

/** Thumbnails among the files of the counts beside it: people count photos and reports. */
const previewsSchema = z.object({ expected: countSchema, archived: countSchema })

/**
 * Filters of the list of projects. `attention`: photos, previews, or reports are damaged or lost; or the last sync ended with an error, files
 * failed, or a checklist needs attention (see `checklistFilters`), and a retry is not likely to help soon; `unsynced`:
 * never synced; `unread`: of these, those that were never read completely; `working`: files wait or are downloading;
 * `quiet`: none of these.
 * `complete`: synced, and all checklists are complete; `some-complete`: at least one checklist is complete;
 * `incomplete`: at least one is not. The others are projects with an incomplete checklist by its status at the service,
 * as in `ArchiveProgress.open`: `drafts`, `submitted`, `photos` (awaiting media), `report` (being created),
 * `report-failed`, `archiving` (completed there), and `gone`; or by what is missing, as `ArchiveProgress` counts it:
 * `not-uploaded`, `not-checked`, and `report-pending`.
 */
export const projectFilters = [
  'all',
  'attention',
  'unsynced',
  'unread',
  'working',
  'quiet',
  'complete',
  'some-complete',
  'incomplete',
  'drafts',
  'submitted',
  'photos',
  'report',
  'report-failed',
  'archiving',
  'gone',
  'not-uploaded',
  'not-checked',
  'report-pending',
] as const
export const projectSorts = ['name', 'added', 'synced'] as const

export const projectQuerySchema = z.strictObject({
  ...pageFields,
  /** Text in name, address, or ID; ASCII letters match in either case. */
  search: z.string().max(200).default(''),
  filter: z.enum(projectFilters).default('all'),
  /** `synced`: never synced ones first. */
  sort: z.enum(projectSorts).default('name'),
  descending: z.boolean().default(false),
})
export type ProjectQuery = z.infer<typeof projectQuerySchema>

/** The same query for IDs and names only, up to 10,000 at once, so that all can be selected. */
export const projectNamesQuerySchema = projectQuerySchema.extend({ limit: z.int().min(1).max(10_000).default(10_000) })
export const projectNamesSchema = z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) })

/** A project's row. Counts come from the database, not from the disk. */
export const projectSummarySchema = z.object({
  id: z.string(),
  name: z.string(),
  address: z.string().nullable(),
  lastSyncedAt: timeSchema.nullable(),
  /** Error of the last sync, if it failed. */
  problem: problemSchema.nullable(),
  checklists: countSchema,
  completeChecklists: countSchema,
  /** Incomplete checklists that wait only for uploads or the service: everything available is archived. */
  waitingChecklists: countSchema,
  expectedFiles: countSchema,
  archivedFiles: countSchema,
  previews: previewsSchema,
  /** Files that are queued or downloading. */
  waitingFiles: countSchema,
  /** Failed photos and reports. */
  failedFiles: countSchema,
  failedPreviews: countSchema,
  /** False also if something failed that is likely to pass by itself. */
  needsAttention: z.boolean(),
})
export type ProjectSummary = z.infer<typeof projectSummarySchema>
export const projectPageSchema = pageOf(projectSummarySchema)

/** A checklist's row. `id` is unique within its project. */
export const checklistSummarySchema = z.object({
  id: z.string(),
  title: z.string(),
  /** A documented status, or any other text of the service. */
  status: z.string(),
  updatedAt: timeSchema.nullable(),
  complete: z.boolean(),
  expectedFiles: countSchema,
  archivedFiles: countSchema,
  previews: previewsSchema,
  gaps: z.array(gapSchema),
  /** True once the current state was read completely; until then files may be missing without a gap. */
  isRead: z.boolean(),
  /** True if the service no longer lists it. Archived files stay. */
  goneUpstream: z.boolean(),
  /** Error of reading it, if that failed. */
  problem: problemSchema.nullable(),
  /** True if reading it or some of its files failed, and all of this is likely to pass by itself. */
  isRetrying: z.boolean(),
})
export type ChecklistSummary = z.infer<typeof checklistSummarySchema>

/**
 * Filters of the checklists of all projects. `incomplete`: not fully archived at the last sync, drafts included;
 * `waiting`: of these, those whose photos or report the service still waits for; `attention`: those whose report the
 * service failed to create, and those that could not be read.
 */
export const checklistFilters = ['incomplete', 'waiting', 'attention'] as const
export const checklistQuerySchema = z.strictObject({
  ...pageFields,
  filter: z.enum(checklistFilters),
  /** With the filter `attention`: only those of one cause. */
  cause: attentionCauseSchema.optional(),
})
export type ChecklistQuery = z.infer<typeof checklistQuerySchema>
export const checklistPageSchema = pageOf(
  checklistSummarySchema.extend({ projectId: z.string(), projectName: z.string() }),
)

export const projectDetailSchema = z.object({
  project: projectSummarySchema,
  checklists: pageOf(checklistSummarySchema),
})

/** A file to show. Only an `archived` file is served, by its asset ID. */
const fileFields = {
  assetId: z.int().min(1),
  /** Changes with the content; null until archived. */
  version: z.string().nullable(),
  /** File name on disk. */
  fileName: z.string(),
  archived: z.boolean(),
  sizeBytes: countSchema.nullable(),
  /** Error of the last download, if it failed. */
  problem: problemSchema.nullable(),
  /** Set for an archived file that is missing: a repair restores a `damaged` one, only a backup a `gone` one. */
  absence: z.enum(['damaged', 'gone']).nullable(),
  /** True if the service no longer has it. The archived file stays. */
  goneUpstream: z.boolean(),
  /** Number of files that it replaced; `files.versions` lists them. */
  earlierVersions: countSchema,
}

export const photoSchema = z.object({
  ...fileFields,
  /** Null until the thumbnail is archived. */
  thumbnailAssetId: z.int().min(1).nullable(),
  thumbnailVersion: z.string().nullable(),
  /** Time from the service. */
  takenAt: timeSchema.nullable(),
  place: placeSchema.nullable(),
})
export type PhotoView = z.infer<typeof photoSchema>

const questionSchema = z.object({
  label: z.string(),
  /** The answer at the service as one text; null if there is none, or it is only photos. */
  answer: z.string().nullable(),
  expectedPhotos: countSchema,
  archivedPhotos: countSchema,
  gaps: z.array(gapSchema),
  /** True if the checklist no longer has it. Its archived photos stay. */
  goneUpstream: z.boolean(),
  photos: z.array(photoSchema),
})

export const checklistDetailSchema = z.object({
  projectId: z.string(),
  projectName: z.string(),
  projectAddress: z.string().nullable(),
  checklist: checklistSummarySchema,
  report: z.object(fileFields).nullable(),
  /** In the checklist's order. Consecutive questions with one section label form a section. */
  sections: z.array(z.object({ label: z.string(), questions: z.array(questionSchema) })),
})
export type ChecklistDetail = z.infer<typeof checklistDetailSchema>

/**
 * Reasons to look at a photo again: very dark, blurred, hardly different from another photo, or taken far from the
 * others.
 */
export const hintKinds = ['dark', 'blurred', 'duplicate', 'far'] as const
export type HintKind = (typeof hintKinds)[number]

/** A hint about a photo. It is information: completeness never depends on it. */
export const photoHintSchema = z.object({
  assetId: z.int().min(1),
  kind: z.enum(hintKinds),
  /** Of a photo taken far away: the distance to the others. */
  meters: z.number().nullable(),
  /** Of a duplicate: the earlier photo. */
  other: z
    .object({
      assetId: z.int().min(1),
      projectId: z.string(),
      projectName: z.string(),
      checklistId: z.string(),
      checklistTitle: z.string(),
      question: z.string(),
    })
    .nullable(),
})
export type PhotoHint = z.infer<typeof photoHintSchema>

/** Checklists with hints, the latest first, and how many photos each kind concerns. */
export const hintPageSchema = pageOf(
  z.object({
    projectId: z.string(),
    projectName: z.string(),
    checklistId: z.string(),
    checklistTitle: z.string(),
    photos: z.record(z.enum(hintKinds), countSchema),
  }),
)

export const failedFileSchema = z.object({
  assetId: z.int().min(1),
  projectId: z.string(),
  projectName: z.string(),
  checklistId: z.string(),
  checklistTitle: z.string(),
  kind: assetKindSchema,
  fileName: z.string(),
  /** ID of the media record at the service; null for a report, and for records without one. */
  mediaId: z.string().nullable(),
  code: z.enum(errorCodes),
  message: z.string(),
  attempts: countSchema,
  nextTryAt: timeSchema.nullable(),
})
export type FailedFileView = z.infer<typeof failedFileSchema>
export const failurePageSchema = pageOf(failedFileSchema)
/** Failed files that need attention, of all projects, of one project, or of one of its checklists, and of one cause. */
export const failureQuerySchema = z
  .strictObject({
    ...pageFields,
    projectId: z.string().optional(),
    checklistId: z.string().optional(),
    cause: attentionCauseSchema.optional(),
  })
  .refine(({ projectId, checklistId }) => checklistId === undefined || projectId !== undefined, {
    error: 'a checklist is named with its project',
  })
export type FailureQuery = z.infer<typeof failureQuerySchema>

/**
 * Totals. `unreadProjects` counts the unsynced projects that were never read completely, of which nobody knows how many
 * photos they have. `files` counts archived and expected files without replaced versions. `filesWaiting`,
 * `filesFailed`, and `troubledChecklists` (those that need attention) count only projects that are still synced.
 * `projectsWithProblem`, `filesFailed`, and `troubledChecklists` need attention; what failed and is likely to pass by
 * itself is counted in `projectsRetrying`, `checklistsRetrying`, and `filesRetrying` instead. `filesFailed` and
 * `filesRetrying` count photos and reports; `previewsFailed` and `previewsRetrying` count thumbnails.
 */
export const archiveCountsSchema = z.object({
  projects: countSchema,
  unsyncedProjects: countSchema,
  unreadProjects: countSchema,
  projectsWithProblem: countSchema,
  checklists: countSchema,
  troubledChecklists: countSchema,
  files: countSchema,
  filesWaiting: countSchema,
  filesFailed: countSchema,
  previewsFailed: countSchema,
  projectsRetrying: countSchema,
  checklistsRetrying: countSchema,
  filesRetrying: countSchema,
  previewsRetrying: countSchema,
})
export type ArchiveCounts = z.infer<typeof archiveCountsSchema>

/**
 * Completeness of all projects, from the database.
 */
export const archiveProgressSchema = z.object({
  checklists: countSchema,
  completeChecklists: countSchema,
  /** Incomplete checklists by the service's status. `gone`: the service no longer lists them. */
  open: z.array(z.object({ status: z.string(), gone: z.boolean(), checklists: countSchema })),
  expectedFiles: countSchema,
  archivedFiles: countSchema,
  previews: previewsSchema,
  /** Photos that the service knows of and does not have. */
  photosNotUploaded: countSchema,
  /** Photos and reports that the service was not asked for yet. */
  filesNotChecked: countSchema,
  /** Checklists whose current state was not read completely. */
  checklistsNotChecked: countSchema,
  /** Of these, those that were never read: nobody knows how many photos they have. */
  checklistsNeverRead: countSchema,
  /** Reports that the service has not created, or could not create. */
  reportsPending: countSchema,
  /** Archived files of removed projects, which are still in their folders. Not part of the other counts. */
  removedFiles: countSchema,
})
export type ArchiveProgress = z.infer<typeof archiveProgressSchema>

const findingStateSchema = z.enum(['missing', 'changed', 'unexpected'])
export type FindingState = z.infer<typeof findingStateSchema>

/**
 * A problem that a verify found and that is not fixed yet. `path` is relative to the archive root. `project` and
 * `checklist` are null if unknown.
 */
export const verifyFindingSchema = z.object({
  path: z.string(),
  state: findingStateSchema,
  project: z.object({ id: z.string(), name: z.string() }).nullable(),
  checklist: z.object({ id: z.string(), name: z.string() }).nullable(),
})
export type VerifyFinding = z.infer<typeof verifyFindingSchema>
export const verifyFindingPageSchema = pageOf(verifyFindingSchema)

/**
 * API budget. `freeCalls`: calls possible now, or null without a limit. `waitMs`: time until the next call is possible.
 */
export const apiBudgetSchema = z.object({
  callsPerMinute: countSchema,
  freeCalls: countSchema.nullable(),
  waitMs: z.number().min(0),
})
export type ApiBudget = z.infer<typeof apiBudgetSchema>

/** Metadata of an archived photo. Null if not recorded; texts are one line of at most 120 characters. */
export const photoFactsSchema = z.object({
  /** Local time of the camera's clock, `YYYY-MM-DDTHH:MM:SS`. */
  takenAt: z.string().nullable(),
  /** Offset of `takenAt` from UTC, `+HH:MM`. */
  utcOffset: z.string().nullable(),
  make: z.string().nullable(),
  model: z.string().nullable(),
  lens: z.string().nullable(),
  exposureSeconds: z.number().positive().nullable(),
  fNumber: z.number().positive().nullable(),
  iso: z.number().positive().nullable(),
  focalLengthMm: z.number().positive().nullable(),
  /** EXIF orientation, 1 to 8; browsers apply it. */
  orientation: z.int().min(1).max(8).nullable(),
  /** Size as stored, before rotation. */
  size: z.object({ widthPixels: z.number().positive(), heightPixels: z.number().positive() }).nullable(),
  /** Usable position from the service, or else from the file. */
  place: placeSchema.nullable(),
  servicePlace: placeSchema.nullable(),
  filePlace: placeSchema.nullable(),
  /** Altitude above sea level, from the file. */
  altitudeMeters: z.number().nullable(),
})
export type PhotoFacts = z.infer<typeof photoFactsSchema>

/** Photos of a project, or of one of its checklists. */
export const photoPlacesQuerySchema = z.strictObject({ projectId: z.string(), checklistId: z.string().optional() })
export type PhotoPlacesQuery = z.infer<typeof photoPlacesQuerySchema>

/** An archived photo with where and when it was taken. */
export const placedPhotoSchema = photoSchema.extend({
  checklistId: z.string(),
  checklistTitle: z.string(),
  section: z.string(),
  question: z.string(),
  /** Usable position from the service, or else from the file; null also for 0° N, 0° E, which is none. */
  position: placeSchema.nullable(),
  /** Distance from the median position of the others; null without a position, and for the only one with one. */
  metersFromOthers: z.number().min(0).nullable(),
  /** Direction of the camera in degrees clockwise from north. `north`: of the poles, of a compass, or not recorded. */
  heading: z.object({ degrees: z.number().min(0).lt(360), north: z.enum(['true', 'magnetic']).nullable() }).nullable(),
  /** Local time of the camera's clock, `YYYY-MM-DDTHH:MM:SS`. */
  cameraTime: z.string().nullable(),
  /** Offset of `cameraTime` from UTC, `+HH:MM`. */
  utcOffset: z.string().nullable(),
})
export type PlacedPhoto = z.infer<typeof placedPhotoSchema>

export const photoPlacesSchema = z.object({
  projectName: z.string(),
  projectAddress: z.string().nullable(),
  /** Null for those of a project. */
  checklistTitle: z.string().nullable(),
  /** In the order of the checklists, their questions, and the photos of each. */
  photos: z.array(placedPhotoSchema),
  /** Known photos that are not archived, and not in `photos`. */
  notArchived: countSchema,
  /** Photos whose files were not read yet: the same call reads more of them. */
  unread: countSchema,
})
export type PhotoPlaces = z.infer<typeof photoPlacesSchema>

/** A file, a checklist's folder, or a project's folder, by ID; never a path. */
export const filesTargetSchema = z.union([
  z.strictObject({ assetId: z.int().min(1) }),
  z.strictObject({ projectId: z.string(), checklistId: z.string() }),
  z.strictObject({ projectId: z.string() }),
])
export type FilesTarget = z.infer<typeof filesTargetSchema>

/** Maximum number of files of one copy, zip, or drag: the IDs of as many fit into an address. */
export const maxChosenFiles = 1_000
export const chosenFilesSchema = z.strictObject({ assetIds: z.array(z.int().min(1)).min(1).max(maxChosenFiles) })

/** An earlier file of an asset: its hash, by which it is served, and when another one replaced it. */
export const fileVersionSchema = z.object({
  version: z.string(),
  replacedAt: timeSchema,
  sizeBytes: countSchema,
})
export type FileVersion = z.infer<typeof fileVersionSchema>

/** Files copied, and those left out because they are missing or changed on the disk. */
export const savedCopiesSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('canceled') }),
  z.object({ kind: z.literal('saved'), folder: z.string(), files: countSchema, missing: countSchema }),
])

export const filesLocationSchema = z.object({
  /** Absolute path, for a user to copy. */
  path: z.string(),
  /** Path from the archive root, with `/`. */
  relativePath: z.string(),
  /** True if `files.show` can open the file manager here. */
  canShow: z.boolean(),
})
