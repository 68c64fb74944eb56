import stringWidth from 'string-width'
import { advanceMeter, idleMeter, type Meter } from '../../../shared/progress-meter.ts'
import { countOf, countOfTotal, formatDuration } from '../../../shared/format.ts'
import { syncProgressParts } from '../../../shared/status-text.ts'
import type { ArchiveAccess } from '../../app/archive-access.ts'
import type { SyncProgress, VerifyProgress } from '../../engine/lib/events.ts'
import type { Clock } from '../../engine/lib/ports.ts'
import type { ConsoleOutput } from './console-output.ts'
import { cutToWidth } from './table.ts'

/** Seconds are counted on the line even while the engine emits nothing. */
const redrawEveryMs = 1_000

/** Returns a painter of the progress of a sync, to be ended with it. */
export function createSyncLine(output: ConsoleOutput, clock: Clock) {
  let meter = idleMeter
  let newest: { progress: SyncProgress; atMs: number } | undefined
  const painter = createLinePainter(output, clock)
  const draw = () => {
    if (newest === undefined) return
    const sinceMs = clock.monotonicMs() - newest.atMs
    const { elapsedMs, budgetWaitMs, projectsRead, projectsTotal, filesDone, filesFailed, filesTotal } = newest.progress
    const progress = {
      ...newest.progress,
      elapsedMs: elapsedMs + sinceMs,
      budgetWaitMs: Math.max(0, budgetWaitMs - sinceMs),
    }
    const share =
      projectsRead < projectsTotal ? projectsRead / projectsTotal : (filesDone + filesFailed) / Math.max(1, filesTotal)
    painter.show(syncLineParts(progress, meter), share)
  }
  const timer = setInterval(draw, redrawEveryMs)
  return {
    show(progress: SyncProgress) {
      meter = advanceMeter(meter, progress)
      newest = { progress, atMs: clock.monotonicMs() }
      draw()
    },
    end() {
      clearInterval(timer)
      painter.end()
    },
  }
}

/**
 * Returns a writer of one line that is overwritten on a terminal; elsewhere, of a line now and then. It writes nothing
 * with `--quiet`, and nothing after its end: work that failed may still report a file that was in flight.
 */
export function createLinePainter(output: ConsoleOutput, clock: Clock) {
  let printed: PrintedLine = { atMs: clock.monotonicMs(), tenths: 0 }
  let printedText = ''
  let isEnded = false
  return {
    show(parts: readonly string[], fraction: number) {
      if (output.isQuiet || isEnded) return
      if (output.isLive) {
        output.showLive(fitParts(parts, output.columns))
        return
      }
      const now = { atMs: clock.monotonicMs(), tenths: Math.floor(fraction * 10) }
      const text = fitParts(parts, Number.MAX_SAFE_INTEGER)
      if (text === printedText || !isLineDue(printed, now)) return
      printed = now
      printedText = text
      output.note(text)
    },
    end() {
      isEnded = true
      if (output.isLive) output.showLive('')
    },
  }
}

const separator = ' · '

/** Returns the parts of a sync's progress line, the most important first. */
export function syncLineParts(progress: SyncProgress, meter: Pick<Meter, 'bytesPerSecond'>): string[] {
  const { timeLeft, budgetWaitMs, elapsedMs } = progress
  const parts = syncProgressParts(progress, meter)
  if (budgetWaitMs > 0) {
    const isLimitNamed = timeLeft !== null && timeLeft.callsPerMinute !== null
    const wait = isLimitNamed ? 'next call in' : "waiting for the service's rate limit,"
    parts.splice(timeLeft === null ? 1 : 2, 0, `${wait} ${Math.ceil(budgetWaitMs / 1000)} s`)
  }
  return [...parts, formatDuration(Math.floor(elapsedMs / 1000) * 1000)]
}

/** Returns the parts of a verify's progress line. */
export function verifyProgressParts({ filesDone, filesTotal }: VerifyProgress): string[] {
  // Beside a sync there may be more than were counted.
  if (filesDone > filesTotal) return [`${countOf(filesDone, 'file')} checked`]
  const percent = filesTotal === 0 ? 100 : Math.floor((filesDone * 100) / filesTotal)
  return [`${countOfTotal(filesDone, filesTotal, 'file')} checked`, `${percent} %`]
}

/** Returns one line of at most `columns` columns; the last parts are omitted if they do not fit. */
export function fitParts(parts: readonly string[], columns: number): string {
  let line = parts[0] ?? ''
  for (const part of parts.slice(1)) {
    if (stringWidth(line) + stringWidth(separator) + stringWidth(part) > columns) break
    line += separator + part
  }
  return cutToWidth(line, columns)
}

/** Time and progress of the last plain progress line. */
export interface PrintedLine {
  readonly atMs: number
  /** Tenths of the work done, 0 to 10. */
  readonly tenths: number
}

/** Minimum time between two lines, so that a quick sync does not fill a log file. */
const minPauseMs = 1_000

/** Maximum time between two lines, so that a slow sync does not look stuck. */
const maxPauseMs = 5_000

/** Returns true if a plain progress line is due: after another tenth of the work, or after five seconds. */
export function isLineDue(last: PrintedLine, now: PrintedLine): boolean {
  const pauseMs = now.atMs - last.atMs
  return pauseMs >= maxPauseMs || (pauseMs >= minPauseMs && now.tenths > last.tenths)
}

/** Milliseconds without progress after which a person wants to know why. */
const quietMs = 1_500

/** Runs `work`, and says that it waits for the service's limit if it does. */
export async function sayingWhyItWaits<T>(
  { engine, output }: { readonly engine: Pick<ArchiveAccess, 'apiBudget'>; readonly output: ConsoleOutput },
  work: () => Promise<T>,
): Promise<T> {
  const sayWhy = async () => {
    const { waitMs } = await engine.apiBudget()
    if (waitMs <= 0) return
    const span = formatDuration(Math.max(1_000, waitMs))
    output.note(`Waiting for the service's rate limit, about ${span}. Nothing is sent before that.`)
  }
  // The work itself reports what goes wrong.
  const timer = setTimeout(() => void sayWhy().catch(() => undefined), quietMs)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}
