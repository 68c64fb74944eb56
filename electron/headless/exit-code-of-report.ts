import { type AppError, concernsDataFolder } from '../../shared/errors.ts'
import { type ReportedGap, type SyncReport, upstreamReasons, type VerifyReport } from '../../shared/domain.ts'
import { type ErrorCode, errorPolicy, type ExitCode, exitCodes, isTokenError } from '../../shared/error-policy.ts'

const { tokenRefused, incomplete } = exitCodes

export function exitCodeOfError(code: ErrorCode): ExitCode {
  return errorPolicy[code].exitCode
}

/** Returns the exit code of a command that ended with an error: without its data folder it could not do anything. */
export function exitCodeOfEnd(error: AppError): ExitCode {
  return concernsDataFolder(error) ? exitCodes.internal : exitCodeOfError(error.code)
}

/**
 * Meaning of exit code 4 for `sync` and `status`: `gaps` anything that is missing; `errors` nothing that only waits for
 * the service or the crew.
 */
export const failOnChoices = ['errors', 'gaps'] as const
export type FailOn = (typeof failOnChoices)[number]

/** Returns true if a gap waits for the service or the crew; otherwise Solarchive can close it. */
export function isUpstream(gap: ReportedGap): boolean {
  return upstreamReasons.has(gap.reason)
}

/** Returns the gaps that count for the exit code. */
export function countedGaps<Gap extends ReportedGap>(gaps: readonly Gap[], failOn: FailOn): readonly Gap[] {
  return failOn === 'gaps' ? gaps : gaps.filter((gap) => !isUpstream(gap))
}

/** Returns the exit code of a sync. A refused token takes precedence: nothing improves until it is replaced. */
export function exitCodeOfSync(report: SyncReport, gaps: readonly ReportedGap[], failOn: FailOn = 'gaps'): ExitCode {
  if (report.failures.some(({ code }) => isTokenError(code))) return tokenRefused
  const isIncomplete = report.failures.length > 0 || report.filesFailed > 0 || countedGaps(gaps, failOn).length > 0
  return isIncomplete ? incomplete : exitCodes.done
}

/**
 * Returns the exit code of `status` with this number of gaps that count. A project that was never synced, or could not
 * be, is not known to be complete. `failedFiles`: files that wait for their next try, whether their checklist has a gap
 * or not.
 */
export function exitCodeOfStatus(
  gaps: number,
  { unsynced, failedFiles }: { readonly unsynced: number; readonly failedFiles: number },
  failOn: FailOn,
): ExitCode {
  const hasFailed = failOn === 'errors' && failedFiles > 0
  return unsynced > 0 || hasFailed || gaps > 0 ? incomplete : exitCodes.done
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
