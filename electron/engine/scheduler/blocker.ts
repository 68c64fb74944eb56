import { type ErrorCode, errorPolicy } from '../../../shared/error-policy.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { BlockerKind } from '../../../shared/watch.ts'
import { minuteMs } from '../lib/time.ts'

/** The consequence of one project's error for all other projects. */
export type Verdict =
  /** All work stops until the blocker is gone. */
  | { readonly kind: 'blocker'; readonly blocker: BlockerKind }
  /** The network may be down, or only one connection failed: the network is checked first. */
  | { readonly kind: 'suspicion' }
  /** The service may be in trouble: several of these in a row are a blocker. */
  | { readonly kind: 'service-trouble' }
  /** Nothing can be recorded, so the watch ends. */
  | { readonly kind: 'fatal' }
  /** Only this project is affected. */
  | { readonly kind: 'project' }

/** Returns the consequence of one project's error for all others. */
export function judge(code: ErrorCode): Verdict {
  const { scope } = errorPolicy[code]
  switch (scope) {
    case 'token':
    case 'disk':
      return { kind: 'blocker', blocker: scope }
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

/** A cause that stops all work of the watch. */
export interface Blocker {
  readonly kind: BlockerKind
  readonly error: AppError
  /** Wall-clock time, to be displayed. */
  readonly sinceMs: number
  /** Number of times in a row that it returned soon after it seemed to be gone. Only of the disk and the service. */
  readonly repeats: number
}

const secondMs = 1000

/**
 * Returns the pause between two checks of a blocker, in milliseconds. Checks of the network, the disk, and the token
 * cost the service nothing and are frequent. A service in trouble is asked less and less often. A disk that passes the
 * probe and then fails the work costs downloads each time: its pause grows with every repeat.
 */
export function probeDelayMs({ kind, repeats }: Pick<Blocker, 'kind' | 'repeats'>): number {
  switch (kind) {
    case 'offline':
    case 'token':
      return 5 * secondMs
    case 'disk':
      return Math.min(10 * minuteMs, 10 * secondMs * 2 ** Math.min(repeats, 10))
    case 'service':
      return Math.min(15 * minuteMs, 30 * secondMs * 2 ** Math.min(repeats, 10))
  }
}
