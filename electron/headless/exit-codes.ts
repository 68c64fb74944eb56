import type { ReportedGap, StatusReport, SyncReport, VerifyReport } from '../../shared/domain.ts'
import { type ErrorCode, errorPolicy, type ExitCode, exitCodes, isTokenError } from '../../shared/error-policy.ts'

const { tokenRefused, incomplete } = exitCodes

export function exitCodeOfError(code: ErrorCode): ExitCode {
  return errorPolicy[code].exitCode
}

/** A pass: the token's refusal comes before all else, because nothing gets better until it is put right. */
export function exitCodeOfSync(report: SyncReport, gaps: readonly ReportedGap[]): ExitCode {
  if (report.failures.some(({ code }) => isTokenError(code))) return tokenRefused
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
  if (failures.some(({ code }) => isTokenError(code))) return tokenRefused
  return report.missing.length > 0 || report.changed.length > 0 ? incomplete : exitCodes.done
}
