import { z } from 'zod'
import { syncReportSchema, verifyReportSchema } from './domain.ts'
import { errorSchema } from './envelope.ts'

/** ISO 8601 UTC. */
const timeSchema = z.string()

/** Work that a person started: at most one of a kind runs. `last` is how the one before it ended since the start of Solarchive. */
function workState<Order extends z.ZodType, Report extends z.ZodType>(order: Order, report: Report) {
  const last = z
    .discriminatedUnion('ok', [
      z.object({ ok: z.literal(true), endedAt: timeSchema, report }),
      z.object({ ok: z.literal(false), endedAt: timeSchema, error: errorSchema }),
    ])
    .nullable()
  return z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('idle'), last }),
    z.object({ kind: z.literal('running'), startedAt: timeSchema, order }),
  ])
}

/** `projectIds` null: all projects. `problems` counts what could not be done; the lists of projects and failures tell what. */
export const syncStateSchema = workState(
  z.object({ projectIds: z.array(z.string()).nullable() }),
  syncReportSchema.omit({ failures: true }).extend({ problems: z.int().min(0) }),
)
export type SyncState = z.infer<typeof syncStateSchema>

/** How many paths of each kind are listed; the counts are of all. */
export const mostListedPaths = 200

/** `counts` are files; the lists hold the first 200 paths of each kind, relative to the archive root. */
export const verifyStateSchema = workState(
  z.object({ repair: z.boolean() }),
  verifyReportSchema.extend({
    counts: z.object({ missing: z.int().min(0), changed: z.int().min(0), unexpected: z.int().min(0) }),
  }),
)
export type VerifyState = z.infer<typeof verifyStateSchema>

/** What a move of the archive is at. Up to `removing` it can be stopped, and everything is where it was. */
export const movePhases = ['copying', 'checking', 'removing', 'undoing'] as const

/**
 * The archive's move to another folder. A move that a crash or the end of Solarchive interrupted goes on at the next start.
 * `renamed`: on the same disk nothing had to be copied. `damaged` counts files that are not as they were archived, in the
 * old place too; they were moved as they are, and `verify` tells of them. `leftBehind` are things that stayed in the old
 * folder because they are not proven to be in the new one; `left` lists the first 200, relative to it.
 */
export const moveStateSchema = workState(
  z.object({ from: z.string(), to: z.string() }),
  z.object({
    renamed: z.boolean(),
    files: z.int().min(0),
    bytes: z.number().min(0),
    damaged: z.int().min(0),
    leftBehind: z.int().min(0),
    left: z.array(z.string()),
  }),
)
export type MoveState = z.infer<typeof moveStateSchema>
