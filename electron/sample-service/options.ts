import { defaultShapes } from './http/response-shapes.ts'
import type { ShapeOptions } from './http/response-shapes.ts'
import { minPhotoBytes } from './files/photos.ts'
import { minReportBytes } from './files/reports.ts'
import { usualStatuses } from './site/build-project.ts'
import type { SitePlan } from './site/build-project.ts'
import type { ChecklistStatus } from './site/site-types.ts'

/** What a sample service is like. Everything has a default; the defaults make a small believable sample. */
export interface SampleServiceOptions {
  /** Two services with the same seed and sizes serve the same data and the same bytes. Default 1. */
  readonly seed?: number | string
  /** The access token that the calls need. */
  readonly token?: string
  /** How the calls may carry the token: both in the query and as a bearer token by default. */
  readonly acceptToken?: 'both' | 'query' | 'bearer'
  /** Ports on 127.0.0.1; 0, the default, takes any free one. */
  readonly port?: number
  readonly filesPort?: number

  /** Default 3. */
  readonly projects?: number
  /** Default 4. */
  readonly checklistsPerProject?: number
  /** In place of the believable questions: this many photo questions in each checklist. */
  readonly photoQuestionsPerChecklist?: number
  /** In place of the believable numbers of photos. */
  readonly photosPerQuestion?: number
  /** Makes each photo exactly this many bytes (at least 1,700), at a small fraction of the cost of drawing it. */
  readonly photoBytes?: number
  /** Makes each PDF report exactly this many bytes (at least 4,000), cheaply too; 100,000 by default when `photoBytes` is given. */
  readonly reportBytes?: number
  /** Given to the checklists in turn. */
  readonly statuses?: readonly ChecklistStatus[]
  /** Whether the third project has names that are hard to archive. Default true. */
  readonly awkwardNames?: boolean
  /** Orders that were there before. Default 2. */
  readonly existingOrders?: number

  /** How long signed file links work. Default 24 hours, as the specification says. */
  readonly linkLifetimeMs?: number
  /** What an expired or forged link answers. Default 403. */
  readonly refusedLinkStatus?: 401 | 403
  /** What conditional and resumed requests can rely on. Default `strong`. */
  readonly validators?: 'strong' | 'weak' | 'none'
  /** Whether file requests may ask for a range. Default true. */
  readonly acceptRanges?: boolean

  readonly shapes?: Partial<ShapeOptions>
  /** Steps that each unfinished checklist takes in a minute towards completion. Default 0: nothing moves by itself. */
  readonly lifeSpeed?: number
  /** Calls allowed in any 60 seconds before 429 is the answer. Default 0: no limit. */
  readonly callsPerMinute?: number
  /** Whether a 429 tells how long to wait. Default false: the real service documents no `Retry-After`. */
  readonly sendRetryAfter?: boolean
  /** How many requests the log keeps; its counters count all. Default 10,000. */
  readonly requestLogLimit?: number
  /** The clock for links, changes and limits. Default `Date.now`. */
  readonly nowMs?: () => number
}

/** The options with every default filled in. */
export interface ResolvedOptions {
  readonly seed: string
  readonly token: string
  readonly acceptToken: 'both' | 'query' | 'bearer'
  readonly port: number
  readonly filesPort: number
  readonly projects: number
  readonly plan: SitePlan
  readonly photoBytes: number | null
  readonly reportBytes: number | null
  readonly existingOrders: number
  readonly linkLifetimeMs: number
  readonly refusedLinkStatus: 401 | 403
  readonly validators: 'strong' | 'weak' | 'none'
  readonly acceptRanges: boolean
  readonly shapes: ShapeOptions
  readonly lifeSpeed: number
  readonly callsPerMinute: number
  readonly sendRetryAfter: boolean
  readonly requestLogLimit: number
  readonly nowMs: () => number
}

function wholeNumber(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new RangeError(`${name} must be a whole number of at least ${least}, not ${value}`)
}

/** Fills in the defaults. Throws a RangeError when a size is not a whole number or too small. */
export function resolveOptions(options: SampleServiceOptions): ResolvedOptions {
  const seed = String(options.seed ?? 1)
  const { photoBytes, reportBytes, photosPerQuestion, photoQuestionsPerChecklist, statuses } = options
  const optional = (name: string, value: number | undefined, least: number): number | null =>
    value === undefined ? null : wholeNumber(name, value, least)
  return {
    seed,
    token: options.token ?? 'sample-access-token-not-a-secret',
    acceptToken: options.acceptToken ?? 'both',
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
    refusedLinkStatus: options.refusedLinkStatus ?? 403,
    validators: options.validators ?? 'strong',
    acceptRanges: options.acceptRanges ?? true,
    shapes: { ...defaultShapes, ...options.shapes },
    lifeSpeed: options.lifeSpeed ?? 0,
    callsPerMinute: wholeNumber('callsPerMinute', options.callsPerMinute ?? 0, 0),
    sendRetryAfter: options.sendRetryAfter ?? false,
    requestLogLimit: wholeNumber('requestLogLimit', options.requestLogLimit ?? 10_000, 0),
    nowMs: options.nowMs ?? Date.now,
  }
}
