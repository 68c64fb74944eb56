import type { AnalysisJob } from '../store/analysis-store.ts'

/** Files of the last day come first: their site was just visited. */
const freshMs = 24 * 60 * 60_000

/** What people look for comes before what they may overlook, however new: reports are found soon. */
const kindOrder = ['pages', 'text', 'measures'] as const

/** Returns the next of the newest jobs of each kind: of a fresh file, or else of an older one, in the order of the kinds. */
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

/** Questions whose photos show print: of a panel, meter, label, serial number, nameplate, or inverter. */
const printedThings = /(?<!\p{L})(?:sub)?(?:panel|panelboard|meter|label|serial|name[ _-]?plate|inverter)s?(?!\p{L})/iu

/** Returns whether photos of a question with this label are likely to show print. */
export function mayHavePrint(label: string): boolean {
  return printedThings.test(label)
}
