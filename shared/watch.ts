import { z } from 'zod'
import { errorCodes } from './error-policy.ts'

/** ISO 8601 UTC. */
const timeSchema = z.iso.datetime()

/**
 * Kinds of problems that block every project: `offline`, the connection to the service; `service`, the service itself;
 * `token`, a refused or missing token; `disk`, the archive folder or its disk.
 */
export const blockerKinds = ['offline', 'service', 'token', 'disk'] as const
export type BlockerKind = (typeof blockerKinds)[number]

/** State of the continuous sync. */
export const watchStateSchema = z.discriminatedUnion('kind', [
  /** Not running. */
  z.object({ kind: z.literal('stopped') }),
  /**
   * Waiting for the next poll. `nextPollAt` is null if there is no project, or, with `onlyWhenAsked`, if the settings
   * poll only when a user starts a sync.
   */
  z.object({
    kind: z.literal('idle'),
    nextPollAt: timeSchema.nullable(),
    onlyWhenAsked: z.literal(true).optional(),
  }),
  /** Syncing this number of projects. */
  z.object({ kind: z.literal('syncing'), projects: z.int().min(1) }),
  /** Paused by a user. `until` is null if the pause lasts until resumed. */
  z.object({ kind: z.literal('paused'), until: timeSchema.nullable() }),
  /** In the quiet hours of the settings. */
  z.object({ kind: z.literal('quiet'), until: timeSchema }),
  /** Paused because the machine runs on battery; see `Settings.pauseOnBattery`. */
  z.object({ kind: z.literal('battery') }),
  /** Blocked; resumes by itself. `message` is for a user. */
  z.object({
    kind: z.literal('blocked'),
    obstacle: z.enum(blockerKinds),
    code: z.enum(errorCodes),
    message: z.string(),
    since: timeSchema,
  }),
])
export type WatchState = z.infer<typeof watchStateSchema>

/** Lengths of a pause: an hour, until tomorrow morning, or until resumed. */
export const pauseLengths = ['hour', 'tomorrow', 'resumed'] as const
export type PauseLength = (typeof pauseLengths)[number]

/** Local time `HH:MM` without polls and downloads, from `start` up to `end`; may cross midnight. */
export interface QuietHours {
  readonly start: string
  readonly end: string
}
