import type { EventValue } from '../../../shared/contract.ts'
import type { Meter } from '../../../shared/progress-meter.ts'
import { countOf, formatBytes, formatCount } from '../../labels/format-numbers.ts'
import { formatTimeLeft } from '../../labels/format-times.ts'

/** What is said of a running sync beside its bar, the most telling first. `isHeldUp`: it waits for the limit of calls. */
export function progressParts(progress: EventValue<'sync-progress'>, meter: Meter, isHeldUp: boolean): string[] {
  const { filesDone, filesFailed, filesTotal, bytesDownloaded, projectsDone, projectsTotal } = progress
  const parts = [`${formatCount(filesDone)} of ${countOf(filesTotal, 'file')} in this sync`]
  if (filesFailed > 0) parts.push(`${formatCount(filesFailed)} failed`)
  parts.push(formatBytes(bytesDownloaded))
  if (meter.bytesPerSecond > 0 && !isHeldUp) parts.push(`${formatBytes(meter.bytesPerSecond)}/s`)
  const left = filesDone + filesFailed < filesTotal ? timeLeft(meter, projectsDone === projectsTotal) : undefined
  if (left !== undefined) parts.push(left)
  parts.push(`${formatCount(projectsDone)} of ${countOf(projectsTotal, 'project')}`)
  return parts
}

/** While projects are still being read, more files may turn up: what is left is then the least, and little says nothing. */
function timeLeft({ leftMs }: Meter, isAllKnown: boolean): string | undefined {
  if (leftMs === null) return undefined
  if (isAllKnown) return `${formatTimeLeft(leftMs)} left`
  return leftMs < 10_000 ? undefined : `over ${formatTimeLeft(leftMs)} left`
}
