import { syncReportSchema } from '../../../shared/domain.ts'
import type { SyncResult } from '../../engine/engine.ts'
import { systemClock } from '../../engine/lib/system-clock.ts'
import { exitCodeOfSync } from '../exit-codes.ts'
import { followSync } from '../output/follow-progress.ts'
import type { Outcome } from '../output/outcome.ts'
import { type ChecklistGap, gapsOf } from '../report/checklist-gaps.ts'
import { describeSync, describeSyncProblems, projectNames } from '../report/describe-sync.ts'
import { adviceAfter } from '../../app/token/token-source.ts'
import type { Session } from '../with-session.ts'

/** One pass, and what the checklists that it was about still lack. */
interface Pass {
  readonly report: SyncResult
  readonly gaps: readonly ChecklistGap[]
}

/** Runs a pass over the named projects, or over all, with its progress on the console. */
async function runPass(session: Session, projectIds: readonly string[] = []): Promise<Pass> {
  const { engine, output, log, signal } = session
  const stopFollowing = followSync(engine.events, output, systemClock)
  try {
    const report = await engine.sync({ signal, ...(projectIds.length === 0 ? {} : { projectIds }) })
    const gaps = gapsOf(await engine.status(), projectIds)
    const { failures, ...counts } = report
    log.info('A pass ended', { ...counts, failures: failures.length, gaps: gaps.length })
    return { report, gaps }
  } finally {
    stopFollowing()
  }
}

/** `sync [ID...]` */
export async function syncCommand(session: Session, projectIds: readonly string[], addHint: string): Promise<Outcome> {
  const { report, gaps } = await runPass(session, projectIds)
  const { paint } = session.output
  const projects = session.engine.projects.list()
  const exitCode = exitCodeOfSync(report, gaps)
  // The public document has the report's fields and no more.
  const document = syncReportSchema.parse(report)
  if (projects.length === 0) return { exitCode, document, problems: [addHint] }
  return {
    exitCode,
    document,
    summary: describeSync(report, session.settings.archiveFolder, paint),
    problems: [
      ...describeSyncProblems(report, gaps, projectNames(projects), paint),
      ...adviceAfter(report.failures, session.tokenAdvice),
    ],
  }
}
