import { z } from 'zod'
import { syncReportSchema, verifyReportSchema } from './domain.ts'
import { errorSchema } from './envelope.ts'

/** ISO 8601 UTC. */
const timeSchema = z.string()

/** How work ended that a person started. */
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

/** Work that a person started: at most one of a kind runs. `last` is how the one before it ended since the start of Solarchive. */
function workState<Order extends z.ZodType, Report extends z.ZodType>(order: Order, report: Report) {
  return z.discriminatedUnion('kind', [z.object({ kind: z.literal('idle'), last: lastOf(report) }), runningOf(order)])
}

/** `projectIds` null: all projects. `problems` counts what could not be done; the lists of projects and failures tell what. */
export const syncStateSchema = workState(
  z.object({ projectIds: z.array(z.string()).nullable() }),
  syncReportSchema.omit({ failures: true }).extend({ problems: z.int().min(0) }),
)
export type SyncState = z.infer<typeof syncStateSchema>

/** How many paths of each kind are listed; the counts are of all. */
export const maxListedPaths = 200

/**
 * `counts` are files; the lists hold the first 200 paths of each kind, relative to the archive root, and none after a restart:
 * the last verify is known then by its counts. `verify.findings` has what is not put right since.
 */
export const verifyStateSchema = workState(
  z.object({ repair: z.boolean() }),
  verifyReportSchema.extend({
    counts: z.object({ missing: z.int().min(0), changed: z.int().min(0), unexpected: z.int().min(0) }),
  }),
)
export type VerifyState = z.infer<typeof verifyStateSchema>

/** What a move of the archive is at. Up to `removing` it can be stopped, and everything is where it was. */
export const movePhases = ['copying', 'checking', 'removing', 'undoing'] as const

const moveOrderSchema = z.object({ from: z.string(), to: z.string() })

/**
 * Where the archive is while a move ended with an error before it was done. `between`: a part of it may be in either folder, and
 * it is only read. `arrived`: it is whole in `to`, and `from` still has what is left to be removed; `isAtRest`: it is only read
 * all the same, since the data folder does not tell yet that it arrived. Going on is `archive.move` to `to`; `between` alone
 * can be given up with `archive.stopMove`.
 */
const unfinishedMoveSchema = moveOrderSchema.extend({ archive: z.enum(['between', 'arrived']), isAtRest: z.boolean() })

/**
 * The archive's move to another folder. A move that a crash or the end of Solarchive interrupted goes on at the next start.
 * `unfinished`: the last one waits to be gone on with; `last` tells why. `renamed`: on the same disk nothing had to be copied.
 * `files` and `bytes` are of all that lies in the projects' folders, as `move-progress` counts them. `damaged` counts files
 * that are not as they were archived, in the old place too; they were moved as they are, and `verify` tells of them.
 * `leftBehind` are things that stayed in the old folder because they are not proven to be in the new one; `left` lists the
 * first 200, relative to it.
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
