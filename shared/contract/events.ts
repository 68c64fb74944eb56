import { z } from 'zod'
import { activityNewsSchema } from '../activity.ts'
import { movePhases, moveStateSchema, syncStateSchema, verifyStateSchema } from '../background-tasks.ts'
import { assetKindSchema, syncFailureSchema } from '../domain.ts'
import { errorSchema } from '../envelope.ts'
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
/** A file on its way into the archive. */
export type Download = z.infer<typeof downloadSchema>

/** Every event, once: what it carries. */
export const events = {
  'setup-state': setupStateSchema,
  'settings-state': settingsSchema,
  'watch-state': watchStateSchema,
  'sync-state': syncStateSchema,
  'verify-state': verifyStateSchema,
  'move-state': moveStateSchema,
  /** Counts are of this pass. `filesTotal` grows while projects are read; `budgetWaitMs`: until the next API call may go. */
  'sync-progress': z.object({
    projectsDone: count,
    projectsTotal: count,
    filesDone: count,
    filesFailed: count,
    filesTotal: count,
    bytesDownloaded: count,
    elapsedMs: z.number().min(0),
    budgetWaitMs: z.number().min(0),
  }),
  /**
   * The files that are being downloaded now, all of them each time, at most twice a second; none once the last has ended. `name`
   * is what the file is called in its folder, never a path; `totalBytes` null: nobody told yet how large it is.
   */
  downloads: z.object({ files: z.array(downloadSchema) }),
  /** The watch worked a project off. */
  'project-synced': z.object({ projectId: z.string(), checklists: count, filesDownloaded: count, filesFailed: count }),
  /** Of the watch: one project, checklist or file. */
  'sync-failure': syncFailureSchema,
  'verify-progress': z.object({ filesDone: count, filesTotal: count }),
  /** Counts are of this phase; bytes are bytes. */
  'move-progress': z.object({
    phase: z.enum(movePhases),
    filesDone: count,
    filesTotal: count,
    bytesDone: z.number().min(0),
    bytesTotal: z.number().min(0),
  }),
  /** A file that is not as it was archived. `problem` null: it is fetched again; else why it was left as it is. */
  finding: z.object({
    projectId: z.string(),
    path: z.string(),
    state: z.enum(['missing', 'changed']),
    problem: errorSchema.nullable(),
  }),
  /** Orders or batches were made, changed or removed; null: more than one. What is shown of them is fetched again. */
  'orders-changed': z.object({ orderId: z.int().min(1).nullable(), batchId: z.int().min(1).nullable() }),
  /** At most twice a second. */
  activity: activityNewsSchema,
} satisfies Record<EventName, z.ZodType>

export type EventValue<Name extends EventName> = z.output<(typeof events)[Name]>

/** An event on its way: `revision` grows by one with each, so that whoever missed one knows it and asks anew. */
export interface EventMessage<Name extends EventName = EventName> {
  readonly name: Name
  readonly revision: number
  readonly value: EventValue<Name>
}
