import type { ReportedGap, StatusReport, SyncReport, VerifyReport } from '../../shared/domain.ts'
import { type ErrorCode, tokenCodes } from '../../shared/errors.ts'

/** The command line's exit codes: a public interface. After a signal n it is 128 + n, as a shell has it. */
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

/** What a command ends with that could not do its work. Spelt out, so that a new error code has to be given a place. */
const byErrorCode: Readonly<Record<ErrorCode, ExitCode>> = {
  'token-refused': tokenRefused,
  'token-missing': tokenRefused,
  'data-folder-locked': locked,

  'wrong-usage': wrongUsage,
  'draft-changed': wrongUsage,
  'setup-needed': wrongUsage,
  'wrong-settings': wrongUsage,
  'not-found': wrongUsage,
  'database-newer': wrongUsage,
  'archive-unavailable': wrongUsage,
  'archive-read-only': wrongUsage,

  'no-permission': incomplete,
  rejected: incomplete,
  'rate-limited': incomplete,
  'service-error': incomplete,
  'unreadable-answer': incomplete,
  'unreachable-dns': incomplete,
  'unreachable-tls': incomplete,
  'unreachable-refused': incomplete,
  'unreachable-timeout': incomplete,
  'unreachable-reset': incomplete,
  'link-refused': incomplete,
  'link-missing': incomplete,
  'link-unsafe': incomplete,
  'file-gone': incomplete,
  'file-invalid': incomplete,
  'file-truncated': incomplete,
  'file-too-large': incomplete,
  'disk-full': incomplete,
  'disk-error': incomplete,

  'database-damaged': internal,
  cancelled: internal,
  internal,
}

export function exitCodeOfError(code: ErrorCode): ExitCode {
  return byErrorCode[code]
}

/** A pass: the token's refusal comes before all else, because nothing gets better until it is put right. */
export function exitCodeOfSync(report: SyncReport, gaps: readonly ReportedGap[]): ExitCode {
  if (report.failures.some(({ code }) => tokenCodes.has(code))) return tokenRefused
  return report.failures.length > 0 || report.filesFailed > 0 || gaps.length > 0 ? incomplete : exitCodes.done
}

/** Of a project that no pass has worked off yet, or could not, nothing is known to be complete. */
export function exitCodeOfStatus(report: StatusReport, unsynced: number): ExitCode {
  const checklists = report.projects.flatMap((project) => project.checklists)
  return unsynced > 0 || checklists.some(({ gaps }) => gaps.length > 0) ? incomplete : exitCodes.done
}

/**
 * Files that nobody put there are shown, but nothing of the archive is lost by them. `failures` are those of a repair: the
 * token's refusal comes before all else.
 */
export function exitCodeOfVerify(report: VerifyReport, failures: readonly { readonly code: string }[] = []): ExitCode {
  if (failures.some(({ code }) => tokenCodes.has(code))) return tokenRefused
  return report.missing.length > 0 || report.changed.length > 0 ? incomplete : exitCodes.done
}
