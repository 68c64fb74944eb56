/** Crashes further back than this are another matter. */
const rememberedMs = 10 * 60_000

/** How long to wait before the page is loaded again: at once, then ever longer; after the last one a person is asked. */
const delaysMs = [0, 2_000, 10_000, 30_000]

export type AfterCrash = { readonly kind: 'reload'; readonly delayMs: number } | { readonly kind: 'ask' }

/** What to do about a page that crashed. `crashesAtMs`: by a clock that never jumps, this crash the last one. */
export function afterCrash(crashesAtMs: readonly number[], nowMs: number): AfterCrash {
  const recent = crashesAtMs.filter((atMs) => nowMs - atMs < rememberedMs)
  const delayMs = delaysMs[recent.length - 1]
  return delayMs === undefined ? { kind: 'ask' } : { kind: 'reload', delayMs }
}
