import { z } from 'zod'
import { downloadCountsSchema, syncReportSchema, verifyReportSchema } from './domain.ts'
import { type ErrorEnvelope, errorSchema } from './envelope.ts'
import { exportFormats } from './export-parts.ts'
import { exportResultSchema } from './export.ts'
import { packetResultSchema } from './packets.ts'

/** ISO 8601 UTC. */
const timeSchema = z.string()

/** Returns the schema of how a task ended, or null if none has. */
function lastOf<Report extends z.ZodType>(report: Report) {
  return z
    .discriminatedUnion('ok', [
      z.object({ ok: z.literal(true), endedAt: timeSchema, report }),
      z.object({ ok: z.literal(false), endedAt: timeSchema, error: errorSchema }),
    ])
    .nullable()
}

function runningOf<Order extends z.ZodType>(order: Order) {
  return z.object({ kind: z.literal('running'), startedAt: timeSchema, order })
}

/**
 * State of a task that a user starts; at most one of a kind runs. `last`: the last end since Solarchive started, or
 * null.
 */
function workState<Order extends z.ZodType, Report extends z.ZodType>(order: Order, report: Report) {
  return z.discriminatedUnion('kind', [z.object({ kind: z.literal('idle'), last: lastOf(report) }), runningOf(order)])
}

/** How a task ended. */
export type TaskEnd<Report> =
  | { readonly ok: true; readonly endedAt: string; readonly report: Report }
  | { readonly ok: false; readonly endedAt: string; readonly error: ErrorEnvelope }

/** State of any task. */
export type TaskState<Order, Report> =
  | { readonly kind: 'running'; readonly startedAt: string; readonly order: Order }
  | { readonly kind: 'idle'; readonly last: TaskEnd<Report> | null }

/** Order and report of a state. */
export type OrderOf<State> = State extends { readonly order: infer Order } ? Order : never
export type ReportOf<State> = State extends { readonly last: infer Last }
  ? Last extends { readonly report: infer Report }
    ? Report
    : never
  : never

/** The counts of a sync. */
export const syncCountsSchema = syncReportSchema.omit({ failures: true, failedProjects: true, renamed: true })

/**
 * `projectIds` is null for all projects. `problems` counts the failures, which the lists of projects and failures show.
 */
export const syncStateSchema = workState(
  z.object({ projectIds: z.array(z.string()).nullable() }),
  syncCountsSchema.extend({ problems: z.int().min(0), downloads: downloadCountsSchema }),
)
export type SyncState = z.infer<typeof syncStateSchema>

/** Maximum number of listed paths of each kind; the counts cover all. */
export const maxListedPaths = 200

const count = z.int().min(0)

/**
 * `counts` are files. The lists hold the first 200 paths of each kind, relative to the archive root; after a restart
 * they are empty, and only the counts of the last verify are known. `verify.findings` returns what is not fixed yet.
 */
export const verifyStateSchema = workState(
  z.object({ repair: z.boolean() }),
  verifyReportSchema.extend({
    counts: z.object({
      missing: count,
      changed: count,
      unexpected: count,
      /** Folders that still have another name. */
      renamed: count,
    }),
  }),
)
export type VerifyState = z.infer<typeof verifyStateSchema>

/** Maximum number of listed gaps of an export; `gapCount` counts all. */
export const maxListedGaps = 200

/** `to` is the path that was chosen; the report has the one that the export got. */
export const exportStateSchema = workState(
  z.object({ to: z.string(), format: z.enum(exportFormats) }),
  exportResultSchema.extend({ gapCount: count }),
)
export type ExportState = z.infer<typeof exportStateSchema>

/** `to` is the path that was chosen; the report has the one that the packet got. */
export const packetStateSchema = workState(z.object({ to: z.string(), template: z.string() }), packetResultSchema)
export type PacketState = z.infer<typeof packetStateSchema>

/** Phases of a move of the archive. Before `removing` it can be stopped, which puts everything back. */
export const movePhases = ['copying', 'checking', 'removing', 'undoing'] as const

const moveOrderSchema = z.object({ from: z.string(), to: z.string() })

/**
 * A move that ended with an error. `between`: either folder may hold a part of the archive, which is only read.
 * `arrived`: the archive is complete in `to`, and `from` holds files that are still to be removed. `isAtRest`: the
 * archive is only read, also if it arrived but the data folder does not record that yet. `archive.move` to `to` resumes
 * the move; `archive.stopMove` undoes it in state `between`, and ends it in state `arrived`: old files stay.
 */
const unfinishedMoveSchema = moveOrderSchema.extend({ archive: z.enum(['between', 'arrived']), isAtRest: z.boolean() })

/**
 * The archive's move to another folder. A move that a crash or the end of Solarchive interrupted resumes at the next
 * start. `unfinished`: the last move waits to be resumed; `last` has its error. `renamed`: same disk, nothing was
 * copied. `files` and `bytes` count everything in the project folders, as `move-progress` does. `damaged` counts files
 * that had changed before the move; they were moved unchanged, and `verify` reports them. `leftBehind` counts the
 * entries that stayed in the old folder because they are not proven to be in the new one; `left` lists the first 200,
 * relative to the old folder.
 */
export const moveStateSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('idle'),
    last: lastOf(
      z.object({
        renamed: z.boolean(),
        files: z.int().min(0),
        bytes: z.number().min(0),
        damaged: z.int().min(0),
        leftBehind: z.int().min(0),
        left: z.array(z.string()),
      }),
    ),
    unfinished: unfinishedMoveSchema.nullable(),
  }),
  runningOf(moveOrderSchema),
])
export type MoveState = z.infer<typeof moveStateSchema>
export type UnfinishedMove = z.infer<typeof unfinishedMoveSchema>
