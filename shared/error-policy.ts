import type { GapReason } from './domain.ts'

/** The command line's exit codes: a public interface. After a signal n it is 128 + n, as in a shell. */
export const exitCodes = {
  done: 0,
  internal: 1,
  wrongUsage: 2,
  tokenRefused: 3,
  incomplete: 4,
  locked: 5,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const { internal, wrongUsage, tokenRefused, incomplete, locked } = exitCodes

/** Every decision that is made from an error code alone. */
export interface ErrorPolicy {
  /**
   * Everything that meets the same error: all calls until the token is replaced (`token`), all calls and downloads
   * (`network`, `service`), all files (`disk`), the whole program (`database`); one project, checklist, file, or order
   * (`item`); a user's request (`input`); this one run (`run`).
   */
  readonly scope: 'token' | 'network' | 'service' | 'disk' | 'database' | 'item' | 'input' | 'run'
  /** How a download that failed this way is retried; see `FailureClass`. */
  readonly retry: FailureClass
  /** Ends the pass over the project. */
  readonly stopsProject?: true
  /** Ends the whole pass: the token, the network, the database, or the disk must be fixed first. */
  readonly stopsPass?: true
  /**
   * Set if the service answered without information about the item: it lacks or forbids the call (`unsupported`), or
   * failed (`unanswered`). Calls that only a public client documents are skipped then.
   */
  readonly answer?: 'unsupported' | 'unanswered'
  /** Set if the service did not accept an order that it answered this way. */
  readonly refusesOrder?: true
  /** Set if an order that failed this way was never sent. */
  readonly precedesOrder?: true
  /** Set if the link may be at fault, so that a fresh link may work. */
  readonly suspectsLink?: boolean
  /** Set if the bytes received before the failure are valid. */
  readonly keepsPart?: true
  /** The reason of a gap whose last download failed this way. */
  readonly gap: GapReason
  /** Exit code of a command that failed with this error. */
  readonly exitCode: ExitCode
  /** A `notice` is shown to the user who can fix it, and is not logged: nothing had started. */
  readonly severity: 'error' | 'notice'
}

/**
 * The kind of a failed download, and so what to do next: `permanent` waits for a change upstream or a user, `transient`
 * is retried with backoff, `stale-link` needs a fresh link; `credentials`, `network`, and `disk` are not the file's
 * fault and cost it no attempt. `rate-limited` costs none if the service refuses to send a link; a file host that
 * refuses the file is asked again with backoff, so that it gets attention if it never stops. In the watch, which has no
 * gates that wait for a host, `network` is retried with backoff.
 */
export type FailureClass =
  | 'permanent'
  | 'transient'
  | 'rate-limited'
  | 'credentials'
  | 'network'
  | 'stale-link'
  | 'disk'
  | 'cancelled'

const common = { retry: 'permanent', gap: 'unreachable', severity: 'error' } as const
const token = {
  ...common,
  scope: 'token',
  retry: 'credentials',
  stopsProject: true,
  stopsPass: true,
  refusesOrder: true,
  exitCode: tokenRefused,
} as const
const service = { ...common, scope: 'service', retry: 'transient', exitCode: incomplete } as const
const unreachable = { ...service, scope: 'network', suspectsLink: true } as const
const file = { scope: 'item', retry: 'permanent', exitCode: incomplete, severity: 'error' } as const
const disk = { scope: 'disk', retry: 'disk', stopsPass: true, gap: 'disk', severity: 'error' } as const
const input = { ...common, scope: 'input' } as const
const run = { ...common, scope: 'run', exitCode: internal } as const

/**
 * One row for each error that a user may see. The code is a public interface (`failures[].code` in the command line's
 * JSON): add rows, never rename one.
 */
const rows = {
  // The service's answer to an API call.
  /** 401: missing, invalid, or expired token. */
  'token-refused': token,
  /** There is no usable token: no call was made. */
  'token-missing': token,
  /**
   * 403: a valid token that may not do this. A captive portal or a broken gateway answers it for every project alike.
   */
  'no-permission': { ...service, retry: 'permanent', answer: 'unsupported', refusesOrder: true },
  /** 404. */
  'not-found': { ...file, answer: 'unsupported', refusesOrder: true, gap: 'gone', exitCode: wrongUsage },
  /** 400: the details say which field and why. */
  rejected: { ...file, answer: 'unanswered', refusesOrder: true, gap: 'unreachable' },
  /** 429, after waiting as asked. */
  'rate-limited': { ...service, retry: 'rate-limited', stopsProject: true, stopsPass: true, refusesOrder: true },
  /** 5xx and any other unexpected status. */
  'service-error': { ...service, answer: 'unanswered' },
  /** An answer without the requested data, such as that of a captive portal to every call. */
  'unreadable-answer': { ...service, answer: 'unsupported' },
  /** A list of orders that says that it is only a part. */
  'partial-answer': { ...file, answer: 'unanswered', gap: 'unreachable' },

  // The connection to the service or to a file host.
  'unreachable-dns': { ...unreachable, stopsPass: true, precedesOrder: true },
  'unreachable-tls': { ...unreachable, stopsPass: true, precedesOrder: true },
  'unreachable-refused': { ...unreachable, stopsPass: true, precedesOrder: true },
  /** The proxy cannot be used, or refuses the connection. */
  'unreachable-proxy': { ...unreachable, retry: 'network', suspectsLink: false, stopsPass: true, precedesOrder: true },
  'unreachable-timeout': { ...unreachable, keepsPart: true },
  'unreachable-reset': { ...unreachable, keepsPart: true },

  // A file behind a link.
  /** 400, 401, 403, or 410, also after asking for a fresh link. */
  'link-refused': { ...file, retry: 'stale-link', gap: 'link refused' },
  /** The service lists the file without a link to it. */
  'link-missing': { ...file, suspectsLink: true, gap: 'not uploaded yet' },
  /** A link to a host that no file may be downloaded from. */
  'link-unsafe': { ...file, suspectsLink: true, gap: 'link refused' },
  /** 404. */
  'file-gone': { ...file, suspectsLink: true, gap: 'gone' },
  /** Not the expected kind of file. */
  'file-invalid': { ...file, gap: 'file invalid' },
  /** Fewer bytes than announced. */
  'file-truncated': { ...file, retry: 'transient', keepsPart: true, gap: 'file invalid' },
  'file-too-large': { ...file, gap: 'too large' },

  /** A time-stamping authority answered with something else than a time stamp. */
  'stamp-refused': { ...input, exitCode: incomplete },

  // The disk and the data folder.
  'disk-full': { ...disk, stopsProject: true, exitCode: incomplete },
  /** One file or folder that cannot be read or written. */
  'disk-error': { ...file, gap: 'disk' },
  'archive-read-only': { ...disk, exitCode: wrongUsage },
  'archive-unavailable': { ...disk, exitCode: wrongUsage },
  'data-folder-locked': { ...input, exitCode: locked, severity: 'notice' },
  'database-damaged': { ...common, scope: 'database', stopsProject: true, stopsPass: true, exitCode: internal },
  'database-newer': { ...input, exitCode: wrongUsage },

  // The user's side.
  /** The setup is not complete: service, token, or folder is missing. */
  'setup-needed': { ...input, exitCode: wrongUsage },
  'wrong-usage': { ...input, exitCode: wrongUsage, severity: 'notice', precedesOrder: true },
  /** The draft of an order changed after it was shown. */
  'draft-changed': { ...input, exitCode: wrongUsage },
  'wrong-settings': { ...input, exitCode: wrongUsage, severity: 'notice' },
  cancelled: { ...run, retry: 'cancelled', stopsProject: true, keepsPart: true, gap: 'not downloaded yet' },
  internal: run,
} as const satisfies Record<string, ErrorPolicy>

export type ErrorCode = keyof typeof rows

export const errorPolicy: Readonly<Record<ErrorCode, ErrorPolicy>> = rows

export const errorCodes = Object.keys(rows) as [ErrorCode, ...ErrorCode[]]

/** Returns whether a code from public JSON is known. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(rows, code)
}

function policyOf(code: string): ErrorPolicy | undefined {
  return isErrorCode(code) ? errorPolicy[code] : undefined
}

/** Returns whether no call can succeed until the token is replaced. */
export function isTokenError(code: string): boolean {
  return policyOf(code)?.scope === 'token'
}

/** Returns whether the error ends the whole pass. */
export function stopsPass(code: string): boolean {
  return policyOf(code)?.stopsPass === true
}

/** Returns whether a file that failed this way is only not uploaded yet: a gap that waits, and no failure. */
export function meansNotUploaded(code: ErrorCode): boolean {
  return errorPolicy[code].gap === 'not uploaded yet'
}

/** Returns whether the connection or the service failed, which says nothing about the project, checklist, or file. */
export function isOutage(code: ErrorCode): boolean {
  return errorPolicy[code].scope === 'network' || code === 'service-error'
}

/** Returns whether every other call to the service would meet the same error. */
export function concernsEveryCall(code: ErrorCode): boolean {
  return ['token', 'network', 'service'].includes(errorPolicy[code].scope)
}

/** Returns whether every other order of a list would meet this error too: an order that it stopped still waits. */
export function stopsOrderList(code: ErrorCode): boolean {
  return concernsEveryCall(code) || code === 'cancelled'
}

/** Returns whether the service or the connection to it failed, not Solarchive. */
export function isServiceError(code: ErrorCode): boolean {
  return concernsEveryCall(code) || errorPolicy[code].answer !== undefined
}

/** Returns whether an order that failed with this error is known not to be placed. */
export function excludesPlacedOrder(code: ErrorCode): boolean {
  return errorPolicy[code].refusesOrder === true || errorPolicy[code].precedesOrder === true
}
