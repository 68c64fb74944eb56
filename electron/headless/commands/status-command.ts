import { exitCodeOfStatus } from '../exit-codes.ts'
import { formatCount } from '../format/count-of.ts'
import { plainText } from '../../app/log/plain-text.ts'
import type { Outcome } from '../output/outcome.ts'
import { describeFailedFiles } from '../report/describe-failed-files.ts'
import { describeStatus } from '../report/describe-status.ts'
import type { Session } from '../with-session.ts'

/** `status` */
export async function statusCommand({ engine, settings, output, signal }: Session, addHint: string): Promise<Outcome> {
  const report = await engine.status({ signal })
  const unsynced = engine.unsynced().map(({ name, why }) => `  ${plainText(why === null ? name : `${name}: ${why}`)}`)
  const hints = report.projects.length === 0 ? [addHint] : []
  const keyOf = (projectId: string, checklistId: string) => JSON.stringify([projectId, checklistId])
  const rebuilt = new Set(engine.rebuilt().map(({ projectId, id }) => keyOf(projectId, id)))
  const isRebuilt = (projectId: string, checklistId: string) => rebuilt.has(keyOf(projectId, checklistId))
  const failed = describeFailedFiles(engine.failures(), output.paint)
  return {
    exitCode: exitCodeOfStatus(report, unsynced.length),
    document: report,
    answer: describeStatus(report, settings.archiveFolder, output.paint, isRebuilt),
    problems: [
      ...failed,
      ...(unsynced.length === 0
        ? hints
        : [`Not synced yet, or the last sync could not read them (${formatCount(unsynced.length)}):`, ...unsynced]),
    ],
  }
}
