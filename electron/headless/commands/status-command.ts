import { exitCodeOfStatus } from '../exit-codes.ts'
import type { Outcome } from '../output/outcome.ts'
import { describeStatus } from '../report/describe-status.ts'
import type { Session } from '../with-session.ts'

/** `status` */
export async function statusCommand({ engine, settings, output }: Session, addHint: string): Promise<Outcome> {
  const report = await engine.status()
  return {
    exitCode: exitCodeOfStatus(report),
    document: report,
    answer: describeStatus(report, settings.archiveFolder, output.paint),
    problems: report.projects.length === 0 ? [addHint] : [],
  }
}
