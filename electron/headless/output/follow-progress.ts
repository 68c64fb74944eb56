import { advanceMeter, idleMeter } from '../../../shared/progress-meter.ts'
import type { EngineEvents, SyncProgress, VerifyProgress } from '../../engine/lib/events.ts'
import type { Clock } from '../../engine/lib/ports.ts'
import { fitParts, syncProgressParts, verifyProgressParts } from '../format/progress-line.ts'
import type { ConsoleOutput } from './console-output.ts'
import { isLineDue, type PrintedLine } from './line-pace.ts'

/** Seconds are counted down on the line, also while the engine has nothing to tell. */
const redrawEveryMs = 1_000

/** Shows a pass's progress until the returned function is called. Shows nothing with `--quiet`. */
export function followSync(events: EngineEvents, output: ConsoleOutput, clock: Clock): () => void {
  let meter = idleMeter
  let newest: { progress: SyncProgress; atMs: number } | undefined
  const painter = createLinePainter(output, clock)
  const draw = () => {
    if (newest === undefined) return
    const sinceMs = clock.monotonicMs() - newest.atMs
    const { elapsedMs, budgetWaitMs, filesDone, filesFailed, filesTotal } = newest.progress
    const progress = {
      ...newest.progress,
      elapsedMs: elapsedMs + sinceMs,
      budgetWaitMs: Math.max(0, budgetWaitMs - sinceMs),
    }
    painter.show(syncProgressParts(progress, meter), (filesDone + filesFailed) / Math.max(1, filesTotal))
  }
  const listener = (progress: SyncProgress) => {
    meter = advanceMeter(meter, progress)
    newest = { progress, atMs: clock.monotonicMs() }
    draw()
  }
  if (output.isQuiet) return () => {}
  events.on('sync-progress', listener)
  const timer = setInterval(draw, redrawEveryMs)
  return () => {
    events.off('sync-progress', listener)
    clearInterval(timer)
    painter.end()
  }
}

/** Shows the progress of a re-hash until the returned function is called. Shows nothing with `--quiet`. */
export function followVerify(events: EngineEvents, output: ConsoleOutput, clock: Clock): () => void {
  const painter = createLinePainter(output, clock)
  const listener = (progress: VerifyProgress) => {
    painter.show(verifyProgressParts(progress), progress.filesDone / Math.max(1, progress.filesTotal))
  }
  if (output.isQuiet) return () => {}
  events.on('verify-progress', listener)
  return () => {
    events.off('verify-progress', listener)
    painter.end()
  }
}

/** One line that is written over on a terminal; elsewhere, a line now and then. */
function createLinePainter(output: ConsoleOutput, clock: Clock) {
  let printed: PrintedLine = { atMs: clock.monotonicMs(), tenths: 0 }
  let printedText = ''
  return {
    show(parts: readonly string[], fraction: number) {
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
      if (output.isLive) output.showLive('')
    },
  }
}
