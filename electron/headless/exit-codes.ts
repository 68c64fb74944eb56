import { type AppError, concernsDataFolder } from '../../shared/errors.ts'
import type { ReportedGap, StatusReport, SyncReport, VerifyReport } from '../../shared/domain.ts'
import { type ErrorCode, errorPolicy, type ExitCode, exitCodes, isTokenError } from '../../shared/error-policy.ts'

const { tokenRefused, incomplete } = exitCodes

export function exitCodeOfError(code: ErrorCode): ExitCode {
  return errorPolicy[code].exitCode
}

/** Returns the exit code of a command that ended with an error: without its data folder it could not do anything. */
export function exitCodeOfEnd(error: AppError): ExitCode {
  return concernsDataFolder(error) ? exitCodes.internal : exitCodeOfError(error.code)
}

/** Returns the exit code of a sync. A refused token takes precedence: nothing improves until it is replaced. */
export function exitCodeOfSync(report: SyncReport, gaps: readonly ReportedGap[]): ExitCode {
  if (report.failures.some(({ code }) => isTokenError(code))) return tokenRefused
  return report.failures.length > 0 || report.filesFailed > 0 || gaps.length > 0 ? incomplete : exitCodes.done
}

/** Returns the exit code of `status`. A project that was never synced, or could not be, is not known to be complete. */
export function exitCodeOfStatus(report: StatusReport, unsynced: number): ExitCode {
  const checklists = report.projects.flatMap((project) => project.checklists)
  return unsynced > 0 || checklists.some(({ gaps }) => gaps.length > 0) ? incomplete : exitCodes.done
}

/**
 * Returns the exit code of `verify`. Unexpected files are listed, but nothing of the archive is lost by them.
 * `failures` are those of a repair: a refused token takes precedence.
 */
export function exitCodeOfVerify(report: VerifyReport, failures: readonly { readonly code: string }[] = []): ExitCode {
  if (failures.some(({ code }) => isTokenError(code))) return tokenRefused
  const isElsewhere = report.renamed.some(({ restored }) => !restored)
  return isElsewhere || report.missing.length > 0 || report.changed.length > 0 ? incomplete : exitCodes.done
}
