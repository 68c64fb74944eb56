import { z } from 'zod'
import { activityNewsSchema } from '../activity.ts'
import {
  exportStateSchema,
  movePhases,
  moveStateSchema,
  packetStateSchema,
  syncStateSchema,
  verifyStateSchema,
} from '../background-tasks.ts'
import { assetKindSchema, syncFailureSchema } from '../domain.ts'
import { errorSchema } from '../envelope.ts'
import { evidenceStateSchema } from '../evidence.ts'
import { exportProgressSchema } from '../export.ts'
import { packetProgressSchema } from '../packets.ts'
import { settingsSchema, setupStateSchema } from '../settings.ts'
import { watchStateSchema } from '../watch.ts'
import type { EventName } from './channel-names.ts'

const count = z.int().min(0)

const downloadSchema = z.object({
  assetId: z.int().min(1),
  kind: assetKindSchema,
  name: z.string(),
  projectId: z.string(),
  projectName: z.string().nullable(),
  bytes: z.number().min(0),
  totalBytes: z.number().min(0).nullable(),
})
/**
 * A download in progress, without its path and link. `name` is the file's name in its folder of the archive. `bytes`
 * are those on disk, including those of an earlier try that it resumes; `totalBytes` is null if the file host has not
 * answered yet, or does not announce the size.
 */
export type Download = z.infer<typeof downloadSchema>

/** Every event and the schema of its value. */
export const events = {
  'setup-state': setupStateSchema,
  'settings-state': settingsSchema,
  'watch-state': watchStateSchema,
  'sync-state': syncStateSchema,
  'verify-state': verifyStateSchema,
  'move-state': moveStateSchema,
  'evidence-state': evidenceStateSchema,
  'export-state': exportStateSchema,
  'packet-state': packetStateSchema,
  /**
   * Counts of this pass. `projectsRead` are the projects of which everything was read; their files may still be
   * downloaded. `filesTotal` grows while projects are read. `budgetWaitMs` is the time until the rate budget allows the
   * next API call, 0 if none is waiting. `timeLeft` is null if it is not known well enough; its `callsPerMinute` is the
   * service's limit, if that determines it, otherwise null. `hostWait` is set while files or calls wait for a file host
   * that is down, or (`host` is null) for the service.
   */
  'sync-progress': z.object({
    projectsDone: count,
    projectsRead: count,
    projectsTotal: count,
    filesDone: count,
    filesFailed: count,
    filesTotal: count,
    bytesDownloaded: count,
    elapsedMs: z.number().min(0),
    budgetWaitMs: z.number().min(0),
    timeLeft: z.object({ leftMs: z.number().min(0), callsPerMinute: count.nullable() }).nullable(),
    hostWait: z.object({ host: z.string().nullable(), waitedMs: z.number().min(0) }).optional(),
  }),
  /** All downloads in progress, at most twice a second; empty once the last one has ended. */
  downloads: z.object({ files: z.array(downloadSchema) }),
  /** The watch synced a project. Counts of files are those of this poll. */
  'project-synced': z.object({ projectId: z.string(), checklists: count, filesDownloaded: count, filesFailed: count }),
  /** The watch failed at a project, checklist, or file. */
  'sync-failure': syncFailureSchema,
  'verify-progress': z.object({ filesDone: count, filesTotal: count }),
  /** Counts of the current phase. */
  'move-progress': z.object({
    phase: z.enum(movePhases),
    filesDone: count,
    filesTotal: count,
    bytesDone: z.number().min(0),
    bytesTotal: z.number().min(0),
  }),
  'export-progress': exportProgressSchema,
  /** Photos are counted once for their copy, and once for the document. */
  'packet-progress': packetProgressSchema,
  /**
   * A missing or changed file. `problem` is the reason that it was left unchanged, or null if it is downloaded again.
   */
  finding: z.object({
    projectId: z.string(),
    path: z.string(),
    state: z.enum(['missing', 'changed']),
    problem: errorSchema.nullable(),
  }),
  /**
   * Orders, batches, or presets were created, changed, or removed, or may be those of another data folder, so pages
   * fetch them again. Null IDs mean several, or presets.
   */
  'orders-changed': z.object({ orderId: z.int().min(1).nullable(), batchId: z.int().min(1).nullable() }),
  /** Archived files were read: the search finds texts in them, or hints have changed. At most once a second. */
  'files-read': z.object({}),
  /** At most twice a second. */
  activity: activityNewsSchema,
} satisfies Record<EventName, z.ZodType>

export type EventValue<Name extends EventName> = z.output<(typeof events)[Name]>

/**
 * An event as sent to subscribers. `revision` grows by one with each event: a subscriber that missed one fetches the
 * states again.
 */
export type EventMessage = {
  readonly [Name in EventName]: { readonly name: Name; readonly revision: number; readonly value: EventValue<Name> }
}[EventName]
