import { z } from 'zod'
import { errorSchema } from './envelope.ts'
import { isWebAddress } from './service-address.ts'

const count = z.int().min(0)
/** ISO 8601 UTC. */
const time = z.string()

const error = 'must be the http: or https: address of a time-stamping authority, without a user name or password'

/**
 * Address of a time-stamping authority (RFC 3161). Many have no encrypted one: nothing but a hash is sent, and the
 * answer is signed.
 */
export const authoritySchema = z.string({ error }).trim().max(2000, { error }).refine(isWebAddress, { error })

/** Evidence that was stamped, now or before. Paths are relative to the archive folder. */
export const stampedEvidenceSchema = z.object({
  /** `.evidence/2026-06-12` */
  folder: z.string(),
  /** The file that is stamped: the root manifest. */
  manifest: z.string(),
  stamp: z.string(),
  /** SHA-256 of the root manifest in hex, the only thing that left the machine. */
  sha256: z.string(),
  /** Time that the authority states. */
  stampedAt: time,
  /** Name in the certificate of the authority. */
  signedBy: z.string(),
  /** Projects and archived files that are covered. */
  projects: count,
  files: count,
  /** Archived files that checks found missing or changed on the disk, and that are not restored. */
  damaged: count,
  /** False if the same evidence was stamped before, and nothing had to be done. */
  created: z.boolean(),
})
export type StampedEvidence = z.infer<typeof stampedEvidenceSchema>

/** The state of trusted time stamps. */
export const evidenceStateSchema = z.object({
  /** True if the archive is stamped once a day. */
  isDaily: z.boolean(),
  /** True while the evidence is written or an authority is asked. */
  isStamping: z.boolean(),
  /** The last time stamp that this data folder has made; null if there is none. */
  last: stampedEvidenceSchema.pick({ folder: true, stampedAt: true, signedBy: true }).nullable(),
  /**
   * Why the last daily try failed, since when every one has, and when the next one is; null if the last one succeeded,
   * and unless `isDaily`. `attention` is true after a day without success.
   */
  problem: z
    .object({
      error: errorSchema.pick({ code: true, message: true }),
      since: time,
      nextTryAt: time,
      attention: z.boolean(),
    })
    .nullable(),
})
export type EvidenceState = z.infer<typeof evidenceStateSchema>

/** A folder of evidence as it was checked. */
export const checkedEvidenceSchema = z.object({
  /** Its name, such as `2026-06-12`. */
  folder: z.string(),
  /**
   * `incomplete`: it was never written completely, so it proves nothing; `damaged`: a file is missing or changed, or
   * the stamp is not one of the root manifest.
   */
  state: z.enum(['stamped', 'not-stamped', 'incomplete', 'damaged']),
  /** Null unless it is stamped. */
  stampedAt: time.nullable(),
  signedBy: z.string().nullable(),
  projects: count,
  /** Archived files that are covered, as listed in the copies that are intact. */
  files: count,
  /** Sentences for people, with paths relative to the folder. */
  problems: z.array(z.string()),
})
export type CheckedEvidence = z.infer<typeof checkedEvidenceSchema>

/** Result of `evidence verify`; the folders in the order of time. */
export const evidenceReportSchema = z.object({
  /** Absolute path of the folder that holds the folders. */
  path: z.string(),
  /** True if all folders are stamped and intact, apart from incomplete ones, and there is one. */
  ok: z.boolean(),
  folders: z.array(checkedEvidenceSchema),
})
export type EvidenceReport = z.infer<typeof evidenceReportSchema>
