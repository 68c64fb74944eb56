import { errorPolicy, type ErrorCode } from '../../../shared/error-policy.ts'

/** Failures in a row after which a project, checklist, or file needs attention although it is retried by itself. */
const maxQuietFailures = 2
/** Time from the first failure after which it needs attention however often it was tried. */
const maxQuietMs = 60 * 60_000

export interface FailureFacts {
  readonly code: ErrorCode
  /** Failures in a row, this one included. */
  readonly failures: number
  /** Result for the failure before this one; `null` for the first. */
  readonly attentionAt: string | null
}

/**
 * Returns the time from which a failing project, checklist, or file needs a user's attention. Failures that are likely
 * to pass by themselves are left alone until the third in a row, or for an hour. The only place of this rule: the store
 * records its result with the failure, and every count, filter, and list compares it with the time.
 */
export function attentionAt({ code, failures, attentionAt: earlier }: FailureFacts, nowMs: number): string {
  const isQuiet = passesByItself(code) && failures <= maxQuietFailures
  const at = new Date(isQuiet ? nowMs + maxQuietMs : nowMs).toISOString()
  return earlier !== null && earlier < at ? earlier : at
}

/** Returns whether a failure starts to need attention with this try, so that it is worth reporting. */
export function startsAttention(failure: FailureFacts, before: { readonly code: ErrorCode | null }, nowMs: number) {
  if (attentionAt(failure, nowMs) > new Date(nowMs).toISOString()) return false
  if (before.code !== failure.code) return true
  return passesByItself(failure.code) && failure.failures <= maxQuietFailures + 1
}

/** A host that is down, overloaded, or refuses a link is asked again; other errors need a change or a user. */
function passesByItself(code: ErrorCode): boolean {
  return ['transient', 'rate-limited', 'stale-link', 'network'].includes(errorPolicy[code].retry)
}
