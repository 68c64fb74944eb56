import { type ErrorCode, errorPolicy } from '../../../shared/error-policy.ts'
import type { AppError } from '../../../shared/errors.ts'
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

/** Returns what an error of one project means for all the others. */
export function judge(code: ErrorCode): Verdict {
  const { scope } = errorPolicy[code]
  switch (scope) {
    case 'token':
    case 'disk':
      return { kind: 'obstacle', obstacle: scope }
    case 'network':
      return { kind: 'suspicion' }
    case 'service':
      return { kind: 'service-trouble' }
    case 'database':
      return { kind: 'fatal' }
    case 'item':
    case 'input':
    case 'run':
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
