import type { AnalysisJob } from '../store/analysis-store.ts'

/** Files of the last day come first: their site was just visited. */
const freshMs = 24 * 60 * 60_000

/** Order of the kinds for older files: what people look for comes before what they may overlook. */
const kindOrder = ['pages', 'text', 'measures'] as const

/** Returns the next of the newest jobs of each kind. */
export function chooseJob(newest: readonly AnalysisJob[], nowMs: number): AnalysisJob | undefined {
  const byTime = newest.toSorted((a, b) => (a.archivedAt < b.archivedAt ? 1 : a.archivedAt > b.archivedAt ? -1 : 0))
  const [first] = byTime
  if (first !== undefined && nowMs - Date.parse(first.archivedAt) < freshMs) return first
  return kindOrder.flatMap((kind) => newest.find((job) => job.kind === kind) ?? [])[0]
}

/**
 * Returns the pause after work in milliseconds: beside downloads, it takes at most a twentieth of the time, and half of
 * it otherwise, of one processor that nothing else wants.
 */
export function pauseAfter(workMs: number, isBusy: boolean): number {
  return workMs * (isBusy ? 19 : 1)
}

/** Questions whose photos show print: of a panel, meter, label, serial number, nameplate, or inverter. */
const printedThings = /\b(?:sub)?(?:panel|panelboard|meter|label|serial|name ?plate|inverter)s?\b/i

/** Returns whether photos of a question with this label are likely to show print. */
export function mayHavePrint(label: string): boolean {
  return printedThings.test(label)
}
