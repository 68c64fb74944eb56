import { z } from 'zod'

/**
 * Owner of a data folder as it describes itself in `owner/owner.json`. Only a hint, which the next owner replaces: the
 * lock of the data folder says who lives.
 */
export const ownerFactsSchema = z.object({
  pid: z.int().min(1),
  version: z.string(),
  /** Its command (`watch`), or `app`. */
  command: z.string(),
  serviceUrl: z.string(),
  archiveFolder: z.string(),
  useSample: z.boolean(),
  /** `null` for the default. */
  apiCallsPerMinute: z.number().nullable(),
  concurrency: z.number().nullable(),
  /** Path of the socket, or name of the pipe. */
  address: z.string(),
  /** Secret that a caller sends with each request. */
  key: z.string(),
})
export type OwnerFacts = z.infer<typeof ownerFactsSchema>
