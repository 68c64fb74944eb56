import type { ErrorCode } from '../../shared/error-policy.ts'

const cannotReach = 'The service cannot be reached'
const archiveUnusable = 'The archive folder cannot be used'
const somethingElse = 'Something went wrong'

/** `unreachable` is the transport's own code: the host of the pages does not respond. */
const errorTitles: Readonly<Record<ErrorCode | 'unreachable', string>> = {
  unreachable: 'Solarchive is not responding',
  'token-refused': 'The service refuses the access token',
  'token-missing': 'No access token',
  'no-permission': 'Not allowed',
  'not-found': 'Not found',
  rejected: somethingElse,
  'rate-limited': 'The service is limiting requests',
  'service-error': 'The service answers with an error',
  'unreadable-answer': 'The service’s answer cannot be read',
  'partial-answer': 'The service’s answer is not complete',
  'unreachable-dns': cannotReach,
  'unreachable-tls': 'The connection is not secure',
  'unreachable-proxy': 'The proxy cannot be used',
  'unreachable-refused': cannotReach,
  'unreachable-timeout': cannotReach,
  'unreachable-reset': cannotReach,
  'stamp-refused': 'The time-stamping authority returned no time stamp',
  'link-refused': somethingElse,
  'link-missing': somethingElse,
  'link-unsafe': somethingElse,
  'file-gone': somethingElse,
  'file-invalid': somethingElse,
  'file-truncated': somethingElse,
  'file-too-large': somethingElse,
  'disk-full': 'The disk is full',
  'disk-error': 'A file or folder cannot be used',
  'archive-read-only': archiveUnusable,
  'archive-unavailable': archiveUnusable,
  'data-folder-locked': somethingElse,
  'database-damaged': somethingElse,
  'database-newer': somethingElse,
  'setup-needed': somethingElse,
  'wrong-usage': somethingElse,
  'draft-changed': somethingElse,
  'wrong-settings': somethingElse,
  cancelled: somethingElse,
  internal: somethingElse,
}

/** Returns the heading of an error; its message explains the rest. A newer host may send a code unknown here. */
export function errorTitle(code: string): string {
  return Object.hasOwn(errorTitles, code) ? errorTitles[code as ErrorCode] : somethingElse
}

/** Returns what the service said, of the engine's message about a rejected request; `undefined` for other messages. */
export function reasonsOfRejection(message: string): string | undefined {
  // Two sentences follow: what it means, and what to do.
  return /^The service rejected the request and says: (.*)\. [^.]+\. [^.]+\.$/s.exec(message)?.[1]
}
