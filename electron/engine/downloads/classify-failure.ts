import type { ErrorCode } from '../../../shared/errors.ts'

/**
 * What kind of failure it is, and so what to do next: `permanent` waits for a change upstream or a person, `transient`
 * is tried again soon, `stale-link` wants a fresh link, `disk` and `credentials` are nobody's file's fault.
 */
export type FailureClass =
  'permanent' | 'transient' | 'rate-limited' | 'credentials' | 'stale-link' | 'disk' | 'cancelled'

/** The link may be at fault: it leads nowhere, may not be followed, or none was given. Another one may lead to the file. */
export function isLinkInDoubt(code: ErrorCode): boolean {
  return code.startsWith('unreachable-') || ['file-gone', 'link-missing', 'link-unsafe'].includes(code)
}

/** Decides by the error's code alone. */
export function classifyFailure(code: ErrorCode): FailureClass {
  switch (code) {
    case 'link-refused':
      return 'stale-link'
    case 'rate-limited':
      return 'rate-limited'
    case 'token-refused':
    case 'token-missing':
      return 'credentials'
    case 'disk-full':
    case 'archive-read-only':
    case 'archive-unavailable':
      return 'disk'
    case 'cancelled':
      return 'cancelled'
    case 'file-truncated':
    case 'service-error':
    case 'unreadable-answer':
    case 'unreachable-dns':
    case 'unreachable-refused':
    case 'unreachable-reset':
    case 'unreachable-timeout':
    case 'unreachable-tls':
      return 'transient'
    default:
      return 'permanent'
  }
}
