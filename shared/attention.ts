import { z } from 'zod'
import { errorSchema } from './envelope.ts'
import { errorCodes, type ErrorCode } from './error-policy.ts'

/** Error codes of a host that cannot be reached: one cause. */
export const unreachableCodes = [
  'unreachable-dns',
  'unreachable-refused',
  'unreachable-timeout',
  'unreachable-reset',
] as const satisfies ErrorCode[]

type OwnCause = Exclude<ErrorCode, (typeof unreachableCodes)[number]>
const isOwnCause = (code: ErrorCode): code is OwnCause => !unreachableCodes.some((other) => other === code)

/**
 * Causes by which everything that needs attention is grouped: error codes, except that `unreachable` stands for all
 * hosts that cannot be reached, and `report-failed` for reports that the service could not create.
 */
export const attentionCauseSchema = z.enum([...errorCodes.filter(isOwnCause), 'unreachable', 'report-failed'])
export type AttentionCause = z.infer<typeof attentionCauseSchema>

/** Returns the error codes of a cause. */
export function codesOf(cause: AttentionCause): readonly ErrorCode[] {
  if (cause === 'report-failed') return []
  return cause === 'unreachable' ? unreachableCodes : [cause]
}

const countSchema = z.int().min(0)

/** Projects, checklists, and files that need attention for the same reason. */
export const attentionGroupSchema = z.object({
  cause: attentionCauseSchema,
  /** Number of projects whose last sync failed; the first 20 of them are in `firstProjects`. */
  projects: countSchema,
  /** Number of checklists that could not be read, or have no report. */
  checklists: countSchema,
  /** Number of photos and reports that could not be archived. */
  files: countSchema,
  previews: countSchema,
  /** Message that all of them have, or null if they differ. */
  message: z.string().nullable(),
  /** Earliest next try of a file. */
  nextTryAt: z.string().nullable(),
  firstProjects: z.array(
    z.object({
      projectId: z.string(),
      name: z.string(),
      problem: errorSchema.pick({ code: true, message: true }),
    }),
  ),
})
export type AttentionGroup = z.infer<typeof attentionGroupSchema>
