import { dayMs } from '../lib/time.ts'
import type { AnalysisJob } from '../store/analysis-store.ts'
import type { FailureReason } from './analysis-task.ts'

/** Files of the last day come first: their site was just visited. */
const freshMs = dayMs

/** Order in which kinds are read: texts that people search for come before hints about photos, even of newer ones. */
const kindOrder = ['pages', 'text', 'measures'] as const

/**
 * Returns the next of the newest jobs of each kind: of a fresh file, or else of an older one, in the order of the
 * kinds.
 */
export function chooseJob(newest: readonly AnalysisJob[], nowMs: number): AnalysisJob | undefined {
  const byKind = kindOrder.flatMap((kind) => newest.find((job) => job.kind === kind) ?? [])
  return byKind.find(({ archivedAt }) => nowMs - Date.parse(archivedAt) < freshMs) ?? byKind[0]
}

/**
 * Returns the pause after work in milliseconds: beside downloads, it takes at most a twentieth of the time, and half of
 * it otherwise, of one processor that nothing else wants.
 */
export function pauseAfter(workMs: number, isBusy: boolean): number {
  return workMs * (isBusy ? 19 : 1)
}

/**
 * Tries after a failure that may have another cause than the file's content, which is read once. A file that ends the
 * process or takes long may always do so; looking again for a missing one costs little.
 */
const maxTries: Partial<Record<FailureReason, number>> = {
  ended: 3,
  'too-long': 10,
  changed: Infinity,
  missing: Infinity,
  inaccessible: Infinity,
}

const isCostly = (reason: string | null) => reason === 'ended' || reason === 'too-long'

/** Longest delay of a next try. */
export const maxRetryMs = dayMs

/**
 * Returns the tries of a file that just failed, this one included, and the milliseconds until the next: a minute, four,
 * sixteen, and so on up to a day; `null` if it is given up. A file that was missing for long is not given up as soon as
 * its process ends once.
 */
export function planRetry(reason: FailureReason, job: AnalysisJob): { tries: number; delayMs: number | null } {
  const tries = isCostly(reason) === isCostly(job.reason) ? job.tries + 1 : 1
  if (tries >= (maxTries[reason] ?? 1)) return { tries, delayMs: null }
  return { tries, delayMs: Math.min(maxRetryMs, 60_000 * 4 ** (tries - 1)) }
}

/** Questions whose photos show print: of a panel, meter, label, serial number, nameplate, or inverter. */
const printedThings = /(?<!\p{L})(?:sub)?(?:panel|panelboard|meter|label|serial|name[ _-]?plate|inverter)s?(?!\p{L})/iu

/** Returns whether photos of a question with this label are likely to show print. */
export function mayHavePrint(label: string): boolean {
  return printedThings.test(label)
}
