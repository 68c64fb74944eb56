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
   * Everything that meets the same error: all calls until another token is there (`token`), all calls and downloads
   * (`network`, `service`), all files (`disk`), the whole program (`database`); one project, checklist, file, or order
   * (`item`); what a person asked for (`input`); this one run (`run`).
   */
  readonly scope: 'token' | 'network' | 'service' | 'disk' | 'database' | 'item' | 'input' | 'run'
  /** What a download that failed this way waits for; see `FailureClass`. */
  readonly retry: FailureClass
  /** A project's pass has nothing more to read. */
  readonly stopsProject?: true
  /** A pass has nothing more to try: the token, the network, the database, or the disk has to be fixed first. */
  readonly stopsPass?: true
  /**
   * The service answered, and said nothing about the item: it does not have or does not allow the call (`unsupported`),
   * or failed at it (`unanswered`). Calls that only a public client documents are skipped then.
   */
  readonly answer?: 'unsupported' | 'unanswered'
  /** The service has not taken an order that it answered this way. */
  readonly refusesOrder?: true
  /** The link may be at fault: another link may lead to the file. */
  readonly suspectsLink?: true
  /** The bytes that arrived before a download failed this way are good. */
  readonly keepsPart?: true
  /** The reason of a gap whose last download failed this way. */
  readonly gap: GapReason
  /** What the command line ends with if this kept a command from its work. */
  readonly exitCode: ExitCode
  /** A `notice` is told to the person who can fix it, and is not logged: nothing had begun. */
  readonly severity: 'error' | 'notice'
}

/**
 * The kind of a failed download, and so what to do next: `permanent` waits for a change upstream or a person,
 * `transient` is retried with backoff, `stale-link` needs a fresh link; `rate-limited`, `credentials`, and `disk` are no
 * fault of the file and cost it no attempt.
 */
export type FailureClass =
  | 'permanent'
  | 'transient'
  | 'rate-limited'
  | 'credentials'
  | 'stale-link'
  | 'disk'
  | 'cancelled'

const unreachable = {
  scope: 'network',
  retry: 'transient',
  suspectsLink: true,
  gap: 'unreachable',
  exitCode: incomplete,
  severity: 'error',
} as const
const token = {
  scope: 'token',
  retry: 'credentials',
  stopsProject: true,
  stopsPass: true,
  refusesOrder: true,
  gap: 'unreachable',
  exitCode: tokenRefused,
  severity: 'error',
} as const
const file = { scope: 'item', retry: 'permanent', exitCode: incomplete, severity: 'error' } as const
const disk = { scope: 'disk', retry: 'disk', stopsPass: true, gap: 'disk', severity: 'error' } as const
const input = { scope: 'input', retry: 'permanent', gap: 'unreachable', severity: 'error' } as const

/**
 * One row for every way in which something can go wrong that a person can be told about. The code is a public interface
 * (it stands in `failures[].code` of the command line's JSON): add rows, never rename one.
 */
const rows = {
  // The service's answer to an API call.
  /** 401: missing, invalid, or expired token. */
  'token-refused': token,
  /** There is no token, or none that can be used: the service was not asked. */
  'token-missing': token,
  /** 403: a valid token that may not do this. A captive portal or a broken gateway answers it for every project alike. */
  'no-permission': {
    ...{ scope: 'service', retry: 'permanent', answer: 'unsupported', refusesOrder: true },
    ...{ gap: 'unreachable', exitCode: incomplete, severity: 'error' },
  },
  /** 404. */
  'not-found': {
    ...{ scope: 'item', retry: 'permanent', answer: 'unsupported', refusesOrder: true },
    ...{ gap: 'gone', exitCode: wrongUsage, severity: 'error' },
  },
  /** 400: the details say which field and why. */
  rejected: {
    ...{ scope: 'item', retry: 'permanent', answer: 'unanswered', refusesOrder: true },
    ...{ gap: 'unreachable', exitCode: incomplete, severity: 'error' },
  },
  /** 429, after waiting as asked. */
  'rate-limited': {
    ...{ scope: 'service', retry: 'rate-limited', stopsProject: true, stopsPass: true, refusesOrder: true },
    ...{ gap: 'unreachable', exitCode: incomplete, severity: 'error' },
  },
  /** 5xx and any other unexpected status. */
  'service-error': {
    ...{ scope: 'service', retry: 'transient', answer: 'unanswered' },
    ...{ gap: 'unreachable', exitCode: incomplete, severity: 'error' },
  },
  /** An answer that carries nothing of what was asked for; also what a captive portal answers for every project alike. */
  'unreadable-answer': {
    ...{ scope: 'service', retry: 'transient', answer: 'unsupported' },
    ...{ gap: 'unreachable', exitCode: incomplete, severity: 'error' },
  },

  // The connection to the service or to a file host.
  'unreachable-dns': { ...unreachable, stopsPass: true },
  'unreachable-tls': { ...unreachable, stopsPass: true },
  'unreachable-refused': { ...unreachable, stopsPass: true },
  'unreachable-timeout': { ...unreachable, keepsPart: true },
  'unreachable-reset': { ...unreachable, keepsPart: true },

  // A file behind a link.
  /** 401, 403, or 410, also after asking for a fresh link. */
  'link-refused': { ...file, retry: 'stale-link', gap: 'link refused' },
  /** The service lists the file without a link to it. */
  'link-missing': { ...file, suspectsLink: true, gap: 'not uploaded yet' },
  /** A link to a host that no file may be downloaded from. */
  'link-unsafe': { ...file, suspectsLink: true, gap: 'link refused' },
  /** 404. */
  'file-gone': { ...file, suspectsLink: true, gap: 'gone' },
  /** Not the kind of file that it should be. */
  'file-invalid': { ...file, gap: 'file invalid' },
  /** Fewer bytes than announced. */
  'file-truncated': { ...file, retry: 'transient', keepsPart: true, gap: 'file invalid' },
  'file-too-large': { ...file, gap: 'too large' },

  // The disk and the data folder.
  'disk-full': { ...disk, stopsProject: true, exitCode: incomplete },
  /** One file or folder that cannot be read or written. */
  'disk-error': { ...file, gap: 'disk' },
  'archive-read-only': { ...disk, exitCode: wrongUsage },
  'archive-unavailable': { ...disk, exitCode: wrongUsage },
  'data-folder-locked': { ...input, exitCode: locked, severity: 'notice' },
  'database-damaged': {
    ...{ scope: 'database', retry: 'permanent', stopsProject: true, stopsPass: true },
    ...{ gap: 'unreachable', exitCode: internal, severity: 'error' },
  },
  'database-newer': { ...input, exitCode: wrongUsage },

  // The person's side.
  /** Nothing is set up yet: which service, which token, which folder. */
  'setup-needed': { ...input, exitCode: wrongUsage },
  'wrong-usage': { ...input, exitCode: wrongUsage, severity: 'notice' },
  /** An order's draft is not what it was when somebody looked at it. */
  'draft-changed': { ...input, exitCode: wrongUsage },
  'wrong-settings': { ...input, exitCode: wrongUsage, severity: 'notice' },
  cancelled: {
    ...{ scope: 'run', retry: 'cancelled', stopsProject: true, keepsPart: true },
    ...{ gap: 'not downloaded yet', exitCode: internal, severity: 'error' },
  },
  internal: { scope: 'run', retry: 'permanent', gap: 'unreachable', exitCode: internal, severity: 'error' },
} as const satisfies Record<string, ErrorPolicy>

export type ErrorCode = keyof typeof rows

export const errorPolicy: Readonly<Record<ErrorCode, ErrorPolicy>> = rows

export const errorCodes = Object.keys(rows) as [ErrorCode, ...ErrorCode[]]

/** Returns the policy of a code that may come from a public JSON, where it is any string. */
function policyOf(code: string): ErrorPolicy | undefined {
  return Object.hasOwn(rows, code) ? errorPolicy[code as ErrorCode] : undefined
}

/** The service cannot be asked until another token is there. */
export function isTokenError(code: string): boolean {
  return policyOf(code)?.scope === 'token'
}

/** A pass that met this has nothing more to try. */
export function stopsPass(code: string): boolean {
  return policyOf(code)?.stopsPass === true
}

/** The connection, or the service itself, is broken: that says nothing about the project, checklist, or file. */
export function isOutage(code: ErrorCode): boolean {
  return errorPolicy[code].scope === 'network' || code === 'service-error'
}

/** Every other call to the service would meet the same error. */
export function concernsEveryCall(code: ErrorCode): boolean {
  return ['token', 'network', 'service'].includes(errorPolicy[code].scope)
}

/** The service, or the way to it, is what failed: nothing in Solarchive did. */
export function isServiceError(code: ErrorCode): boolean {
  return concernsEveryCall(code) || errorPolicy[code].answer !== undefined
}
