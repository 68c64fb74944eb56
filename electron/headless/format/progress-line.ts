import type { Meter } from '../../../shared/progress-meter.ts'
import type { SyncProgress, VerifyProgress } from '../../engine/lib/events.ts'
import { countOf, formatCount } from './count-of.ts'
import { cutToWidth, displayWidth } from './display-width.ts'
import { formatBytes } from './format-bytes.ts'
import { formatDuration, formatTimeLeft } from './format-duration.ts'

const separator = ' · '

/** The parts of a pass's progress line, the most telling first. */
export function syncProgressParts(progress: SyncProgress, meter: Meter): string[] {
  const { projectsDone, projectsTotal, filesDone, filesFailed, filesTotal, bytesDownloaded, budgetWaitMs } = progress
  const parts = [`${formatCount(filesDone)} of ${formatCount(filesTotal)} files`]
  if (filesFailed > 0) parts.push(`${formatCount(filesFailed)} failed`)
  if (budgetWaitMs > 0) parts.push(`waiting for the service's rate limit, ${Math.ceil(budgetWaitMs / 1000)} s`)
  parts.push(formatBytes(bytesDownloaded))
  if (meter.bytesPerSecond > 0 && budgetWaitMs === 0) parts.push(`${formatBytes(meter.bytesPerSecond)}/s`)
  const left = filesDone + filesFailed < filesTotal ? timeLeft(meter, projectsDone === projectsTotal) : undefined
  if (left !== undefined) parts.push(left)
  parts.push(`${formatCount(projectsDone)} of ${countOf(projectsTotal, 'project')}`)
  parts.push(formatDuration(Math.floor(progress.elapsedMs / 1000) * 1000))
  return parts
}

/** While projects are still being read, more files may turn up: what is left is then the least, and little says nothing. */
function timeLeft({ leftMs }: Meter, isAllKnown: boolean): string | undefined {
  if (leftMs === null) return undefined
  if (isAllKnown) return `${formatTimeLeft(leftMs)} left`
  return leftMs < 10_000 ? undefined : `over ${formatTimeLeft(leftMs)} left`
}

/** The parts of a re-hash's progress line. */
export function verifyProgressParts({ filesDone, filesTotal }: VerifyProgress): string[] {
  const percent = filesTotal === 0 ? 100 : Math.floor((filesDone * 100) / filesTotal)
  return [`${formatCount(filesDone)} of ${formatCount(filesTotal)} files checked`, `${percent} %`]
}

/** One line of at most `columns` columns: the last parts are left out where they do not fit. */
export function fitParts(parts: readonly string[], columns: number): string {
  let line = parts[0] ?? ''
  for (const part of parts.slice(1)) {
    if (displayWidth(line) + displayWidth(separator) + displayWidth(part) > columns) break
    line += separator + part
  }
  return cutToWidth(line, columns)
}
