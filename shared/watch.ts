import { z } from 'zod'
import { errorCodes } from './error-policy.ts'

/** ISO 8601 UTC. */
const timeSchema = z.iso.datetime()

/**
 * What keeps everything from going on, whatever the project: `offline` the way to the service, `service` the service
 * itself, `token` its refusal of the token or the want of one, `disk` the archive folder or the disk under it.
 */
export const blockerKinds = ['offline', 'service', 'token', 'disk'] as const
export type BlockerKind = (typeof blockerKinds)[number]

/** What the continuous sync is doing. One at a time; `revision` of the event that carries it only ever grows. */
export const watchStateSchema = z.discriminatedUnion('kind', [
  /** Not running. */
  z.object({ kind: z.literal('stopped') }),
  /**
   * Waiting for the next poll; null: there is no project to ask about, or, with `onlyWhenAsked`, the settings leave it to a
   * person when the service is asked.
   */
  z.object({
    kind: z.literal('idle'),
    nextPollAt: timeSchema.nullable(),
    onlyWhenAsked: z.literal(true).optional(),
  }),
  /** At work on so many projects. */
  z.object({ kind: z.literal('syncing'), projects: z.int().min(1) }),
  /** By a person; null: until resumed. */
  z.object({ kind: z.literal('paused'), until: timeSchema.nullable() }),
  /** The quiet hours of the settings. */
  z.object({ kind: z.literal('quiet'), until: timeSchema }),
  /** The machine runs on its battery, and the settings say to wait then. */
  z.object({ kind: z.literal('battery') }),
  /** Held up; goes on by itself. `message` is for a person. */
  z.object({
    kind: z.literal('blocked'),
    obstacle: z.enum(blockerKinds),
    code: z.enum(errorCodes),
    message: z.string(),
    since: timeSchema,
  }),
])
export type WatchState = z.infer<typeof watchStateSchema>

/** How long a person pauses: an hour, until tomorrow morning, or until resumed. */
export const pauseLengths = ['hour', 'tomorrow', 'resumed'] as const
export type PauseLength = (typeof pauseLengths)[number]

/** Hours of the day without polls and downloads, local time `HH:MM`; from `start` up to `end`, over midnight too. */
export interface QuietHours {
  readonly start: string
  readonly end: string
}
