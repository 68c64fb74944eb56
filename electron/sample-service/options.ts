import { defaultShapes, type ShapeOptions } from './http/response-shapes.ts'
import { minPhotoBytes } from './files/photos.ts'
import { minReportBytes } from './files/reports.ts'
import { usualStatuses } from './site/build-project.ts'
import type { ChecklistStatus } from './site/site-types.ts'

/** Options of a sample service. Each has a default; the defaults make a small realistic sample. */
export interface SampleServiceOptions {
  /** Two services with the same seed and sizes serve the same data and the same bytes. Default 1. */
  readonly seed?: number | string
  /** Access token that the calls need, in the query or as a bearer token. */
  readonly token?: string
  /** Ports on 127.0.0.1; 0, the default, picks any free one. */
  readonly port?: number
  readonly filesPort?: number

  /** Default 3. */
  readonly projects?: number
  /** Default 4. */
  readonly checklistsPerProject?: number
  /** Replaces the realistic questions by this many photo questions in each checklist. */
  readonly photoQuestionsPerChecklist?: number
  /** Replaces the realistic numbers of photos. */
  readonly photosPerQuestion?: number
  /** Size of every photo in bytes, at least 1,700; the largest picture that fits is padded. */
  readonly photoBytes?: number | undefined
  /**
   * Size of every PDF report in bytes, at least 4,000: a short report, padded. 100,000 by default with `photoBytes`.
   */
  readonly reportBytes?: number | undefined
  /** Assigned to the checklists in turn. */
  readonly statuses?: readonly ChecklistStatus[]
  /** Gives the third project names that are hard to archive. Default true. */
  readonly awkwardNames?: boolean
  /** Orders that exist at the start. Default 2. */
  readonly existingOrders?: number

  /** Lifetime of signed file links. Default 24 hours, as in the service's specification. */
  readonly linkLifetimeMs?: number
  /** Entity tags for conditional and resumed requests. Default `strong`. */
  readonly validators?: 'strong' | 'weak' | 'none'

  readonly shapes?: Partial<ShapeOptions>
  /** Steps toward completion that each unfinished checklist takes in a minute. Default 0. */
  readonly lifeSpeed?: number
  /** Calls allowed in any 60 seconds; more get a 429. Default 0: no limit. */
  readonly callsPerMinute?: number
  /** Requests that the log keeps; its counters count all. Default 10,000. */
  readonly requestLogLimit?: number
  /** The clock for links, changes and limits. Default `Date.now`. */
  readonly nowMs?: () => number
}

function wholeNumber(name: string, value: number, min: number): number {
  if (Number.isSafeInteger(value) && value >= min) return value
  throw new RangeError(`${name} must be a whole number of at min ${min}, not ${value}`)
}

/** Fills in the defaults. Throws a RangeError when a size is not a whole number or too small. */
export function resolveOptions(options: SampleServiceOptions) {
  const seed = String(options.seed ?? 1)
  const { photoBytes, reportBytes, photosPerQuestion, photoQuestionsPerChecklist, statuses } = options
  const optional = (name: string, value: number | undefined, min: number): number | null =>
    value === undefined ? null : wholeNumber(name, value, min)
  return {
    seed,
    token: options.token ?? 'sample-access-token-not-a-secret',
    port: wholeNumber('port', options.port ?? 0, 0),
    filesPort: wholeNumber('filesPort', options.filesPort ?? 0, 0),
    projects: wholeNumber('projects', options.projects ?? 3, 0),
    plan: {
      seed,
      checklistsPerProject: wholeNumber('checklistsPerProject', options.checklistsPerProject ?? 4, 0),
      photosPerQuestion: optional('photosPerQuestion', photosPerQuestion, 0),
      photoQuestionsPerChecklist: optional('photoQuestionsPerChecklist', photoQuestionsPerChecklist, 0),
      statuses: statuses && statuses.length > 0 ? statuses : usualStatuses,
      awkwardNames: options.awkwardNames ?? true,
    },
    photoBytes: optional('photoBytes', photoBytes, minPhotoBytes),
    reportBytes: optional('reportBytes', reportBytes, minReportBytes) ?? (photoBytes === undefined ? null : 100_000),
    existingOrders: wholeNumber('existingOrders', options.existingOrders ?? 2, 0),
    linkLifetimeMs: options.linkLifetimeMs ?? 24 * 3_600_000,
    validators: options.validators ?? 'strong',
    shapes: { ...defaultShapes, ...options.shapes },
    lifeSpeed: options.lifeSpeed ?? 0,
    callsPerMinute: wholeNumber('callsPerMinute', options.callsPerMinute ?? 0, 0),
    requestLogLimit: wholeNumber('requestLogLimit', options.requestLogLimit ?? 10_000, 0),
    nowMs: options.nowMs ?? Date.now,
  }
}
