import { systemClock } from '../../engine/lib/system-clock.ts'
import { verifyReportSchema } from '../../../shared/domain.ts'
import { exitCodeOfVerify } from '../exit-codes.ts'
import { followVerify } from '../output/follow-progress.ts'
import type { Outcome } from '../output/outcome.ts'
import { describeVerify, describeVerifyProblems } from '../report/describe-verify.ts'
import { adviceAfter } from '../../app/token/token-source.ts'
import type { Session } from '../with-session.ts'

export interface VerifyFlags {
  readonly repair?: boolean
}

/** `verify [--repair]` */
export async function verifyCommand(session: Session, { repair = false }: VerifyFlags): Promise<Outcome> {
  const { engine, settings, output, log, tokenAdvice, signal } = session
  const stopFollowing = followVerify(engine.events, output, systemClock)
  try {
    const result = await engine.verify({ signal, repair })
    const { checked, alreadyRead, missing, changed, unexpected, repaired, failures } = result
    log.info('The archive was verified', {
      checked,
      alreadyRead,
      missing: missing.length,
      changed: changed.length,
      unexpected: unexpected.length,
      repaired,
    })
    return {
      exitCode: exitCodeOfVerify(result, failures),
      // The public document has the report's fields and no more.
      document: verifyReportSchema.parse(result),
      summary: describeVerify(result, settings.archiveFolder, output.paint),
      problems: [...describeVerifyProblems(result, output.paint), ...adviceAfter(failures, tokenAdvice)],
    }
  } finally {
    stopFollowing()
  }
}
