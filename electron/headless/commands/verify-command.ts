import { systemClock } from '../../engine/system-clock.ts'
import { exitCodeOfVerify } from '../exit-codes.ts'
import { followVerify } from '../output/follow-progress.ts'
import type { Outcome } from '../output/outcome.ts'
import { describeVerify, describeVerifyProblems } from '../report/describe-verify.ts'
import type { Session } from '../with-session.ts'

/** `verify` */
export async function verifyCommand({ engine, settings, output, log, signal }: Session): Promise<Outcome> {
  const stopFollowing = followVerify(engine.events, output, systemClock)
  try {
    const report = await engine.verify({ signal })
    const { checked, missing, changed, unexpected } = report
    log.info('The archive was verified', {
      checked,
      missing: missing.length,
      changed: changed.length,
      unexpected: unexpected.length,
    })
    return {
      exitCode: exitCodeOfVerify(report),
      document: report,
      summary: describeVerify(report, settings.archiveFolder, output.paint),
      problems: describeVerifyProblems(report, output.paint),
    }
  } finally {
    stopFollowing()
  }
}
