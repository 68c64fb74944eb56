import { z } from 'zod'

/** The checklist statuses that the service documents (specification, section 3.1). Others are kept as text. */
export const knownChecklistStatuses = [
  'draft',
  'formSubmitted',
  'awaitingMedia',
  'pdfProcessing',
  'pdfProcessingFailed',
  'completed',
] as const

/** Status of a checklist whose status the service has not sent. */
export const unknownStatus = 'unknown'

/** Statuses in which no media can exist yet (specification, section 3.1). Unknown ones may have media. */
export const statusesWithoutMedia: readonly string[] = ['draft', 'formSubmitted']

/** Kind of an asset: the PDF report, a full-size photo, or a photo's thumbnail. */
export const assetKindSchema = z.enum(['report', 'photo', 'thumbnail'])
export type AssetKind = z.infer<typeof assetKindSchema>

/** A GPS position in decimal degrees (WGS 84). */
export const placeSchema = z.object({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
})
export type Place = z.infer<typeof placeSchema>

/** Reasons that files of a question are missing in the archive. */
export const gapReasons = [
  'not uploaded yet', // the service knows of the file but has no media record for it
  'not downloaded yet', // queued, or the pass ended before its turn
  'not read yet', // the checklist changed and could not be read
  'not checked yet', // archived, but not yet compared with what the service has now
  'no photos listed yet', // their number is unknown, and the service must answer twice that there are none
  'no questions found', // the service's answer has none, or none that Solarchive can read
  'link refused',
  'file invalid',
  'too large', // for the free space, or for Solarchive's limit
  'gone', // the service no longer has it, and it is not in the archive
  'damaged', // archived once; missing or changed on the disk
  'report failed', // the service could not make the PDF
  'unreachable',
  'disk',
] as const
export type GapReason = (typeof gapReasons)[number]

/** Reasons that only the service or the crew on site can resolve. */
export const upstreamReasons: ReadonlySet<GapReason> = new Set(['not uploaded yet', 'report failed'])

/** Subject of a gap: a question's photos, its thumbnails, the report, or the whole checklist. */
const gapKinds = ['photos', 'thumbnails', 'report', 'checklist'] as const

/** A gap as in `status --json`. Counts are files of one question, or the report. */
export const reportedGapSchema = z.object({
  /** Label of the question, or of the line for thumbnails, the report, or the checklist. */
  question: z.string(),
  expected: z.int().min(0),
  archived: z.int().min(0),
  reason: z.enum(gapReasons),
})
export type ReportedGap = z.infer<typeof reportedGapSchema>

/** A line of the completeness ledger with missing files. */
export const gapSchema = reportedGapSchema.extend({ kind: z.enum(gapKinds) })
export type Gap = z.infer<typeof gapSchema>

/** A project. `folder` is relative to the archive root, or null until a file is archived. */
export const projectSchema = z.object({
  id: z.string(),
  name: z.string(),
  address: z.string().nullable(),
  folder: z.string().nullable(),
})
export type Project = z.infer<typeof projectSchema>

/** One checklist's completeness. `folder` is relative to the archive root. */
export const checklistStateSchema = z.object({
  id: z.string(),
  title: z.string(),
  status: z.string(),
  updatedAt: z.string().nullable(),
  complete: z.boolean(),
  expectedFiles: z.int().min(0),
  archivedFiles: z.int().min(0),
  folder: z.string().nullable(),
  gaps: z.array(gapSchema),
})
export type ChecklistState = z.infer<typeof checklistStateSchema>

/** A checklist as in `status --json`. */
export const reportedChecklistSchema = checklistStateSchema.extend({ gaps: z.array(reportedGapSchema) })
export type ReportedChecklist = z.infer<typeof reportedChecklistSchema>

/** The last pass that a user started, for all projects or some. */
export const lastSyncSchema = z.object({
  /** ISO 8601 UTC, as is `endedAt`, which is null while the pass runs, and if its process was killed. */
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  /** `done` without a failure, `failures` with some, `stopped` by a user, `failed` as a whole; null until the end. */
  outcome: z.enum(['done', 'failures', 'stopped', 'failed']).nullable(),
  projects: z.int().min(0),
  /** Projects that failed or were not reached. */
  notSynced: z.int().min(0),
  filesDownloaded: z.int().min(0),
  filesFailed: z.int().min(0),
  /** Why the pass failed, or ended early. */
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
})
export type LastSync = z.infer<typeof lastSyncSchema>

/** `status --json`: completeness of every checklist. */
export const statusReportSchema = z.object({
  projects: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      folder: z.string().nullable(),
      checklists: z.array(reportedChecklistSchema),
    }),
  ),
})
export type StatusReport = z.infer<typeof statusReportSchema>

/** A failure of a pass. The checklist and `path` are null if it concerns the whole project. */
export const syncFailureSchema = z.object({
  projectId: z.string(),
  checklistId: z.string().nullable(),
  checklistTitle: z.string().nullable(),
  path: z.string().nullable(),
  code: z.string(),
  message: z.string(),
})
export type SyncFailure = z.infer<typeof syncFailureSchema>

/** Returns whether a failure concerns the whole project. Only such a failure can end the pass. */
export function isOfProject({ path, checklistId }: Pick<SyncFailure, 'path' | 'checklistId'>): boolean {
  return path === null && checklistId === null
}

/** A project's or a checklist's folder, relative to the archive root: recorded as `from`, and found as `to`. */
const renamedFolderSchema = z.object({ projectId: z.string(), from: z.string(), to: z.string() })

/** `sync --json`: the result of one pass. `durationMs` is in milliseconds. */
export const syncReportSchema = z.object({
  projects: z.int(),
  checklists: z.int(),
  apiCalls: z.int(),
  filesDownloaded: z.int(),
  filesUnchanged: z.int(),
  filesFailed: z.int(),
  bytesDownloaded: z.int(),
  durationMs: z.int(),
  failures: z.array(syncFailureSchema),
  /** Projects that failed, or that the pass did not reach because of an earlier failure. */
  failedProjects: z.array(z.object({ id: z.string(), name: z.string(), code: z.string(), message: z.string() })),
  /** Folders that were renamed or moved within the archive, and have their recorded names back. */
  renamed: z.array(renamedFolderSchema).default([]),
})
export type SyncReport = z.infer<typeof syncReportSchema>

/** Files that a pass downloaded, as people count them. */
export const downloadCountsSchema = z.object({
  /** Photos and reports that are archived for the first time. */
  newFiles: z.int().min(0),
  /** Photos and reports that replaced earlier ones, which were replaced at the service or damaged here. */
  replacedFiles: z.int().min(0),
  previews: z.int().min(0),
})
export type DownloadCounts = z.infer<typeof downloadCountsSchema>

/** `verify --json`: the result of hashing the archive again. Paths are relative to the archive root, with `/`. */
export const verifyReportSchema = z.object({
  checked: z.int(),
  ok: z.int(),
  missing: z.array(z.string()),
  changed: z.array(z.string()),
  unexpected: z.array(z.string()),
  repaired: z.int(),
  /** Folders that were renamed or moved within the archive; those that are `restored` have their names back. */
  renamed: z.array(renamedFolderSchema.extend({ restored: z.boolean() })).default([]),
})
export type VerifyReport = z.infer<typeof verifyReportSchema>
