import type { AppError, ErrorCode } from '../../../shared/errors.ts'
import type { ObstacleKind } from '../../../shared/watch.ts'

/** What an error of one project means for all the others. */
export type Verdict =
  /** Everything stops until it is gone. */
  | { readonly kind: 'obstacle'; readonly obstacle: ObstacleKind }
  /** The way to the service may be gone, or this was one lost connection: ask the network before judging. */
  | { readonly kind: 'suspicion' }
  /** The service may be in trouble: a few in a row of these are an obstacle. */
  | { readonly kind: 'service-trouble' }
  /** Nothing can be recorded any more: the watch ends. */
  | { readonly kind: 'fatal' }
  /** The project's own. */
  | { readonly kind: 'project' }

/** Projects in a row at which the service's own errors are taken for its failure as a whole. */
export const troublesInARow = 3

export function judge(code: ErrorCode): Verdict {
  switch (code) {
    case 'token-refused':
    case 'token-missing':
      return { kind: 'obstacle', obstacle: 'token' }
    case 'disk-full':
    case 'archive-read-only':
    case 'archive-unavailable':
      return { kind: 'obstacle', obstacle: 'disk' }
    case 'unreachable-dns':
    case 'unreachable-refused':
    case 'unreachable-reset':
    case 'unreachable-timeout':
    case 'unreachable-tls':
      return { kind: 'suspicion' }
    // The last two are what a captive portal or a broken gateway answers, for every project alike.
    case 'service-error':
    case 'rate-limited':
    case 'unreadable-answer':
    case 'no-permission':
      return { kind: 'service-trouble' }
    case 'database-damaged':
      return { kind: 'fatal' }
    default:
      return { kind: 'project' }
  }
}

/** Something that holds everything up. Times are the monotonic clock's, but for `sinceMs`, which is for people. */
export interface Obstacle {
  readonly kind: ObstacleKind
  readonly error: AppError
  readonly sinceMs: number
  readonly probes: number
  /** How often in a row it came back soon after it had seemed to be gone. */
  readonly repeats: number
}

const second = 1000
const minute = 60 * second

/**
 * How long after the last look it is looked again whether an obstacle is gone. Looking at the network, the disk or the
 * token costs the service nothing and happens often; asking a service in trouble is done ever less. A disk that takes the
 * probe and then fails the work again costs downloads each time: it is given ever longer.
 */
export function probeDelayMs({ kind, probes, repeats }: Pick<Obstacle, 'kind' | 'probes' | 'repeats'>): number {
  switch (kind) {
    case 'offline':
    case 'token':
      return 5 * second
    case 'disk':
      return Math.min(10 * minute, 10 * second * 2 ** Math.min(repeats, 10))
    case 'service':
      return Math.min(15 * minute, 30 * second * 2 ** Math.min(probes, 10))
  }
}
