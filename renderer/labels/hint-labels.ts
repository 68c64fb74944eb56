import { countOf, formatCount, formatDistance } from '../../shared/format.ts'
import type { HintKind, PhotoHint } from '../../shared/views.ts'

/** Returns what a hint says about its photo. */
export function hintText({ kind, meters, other }: PhotoHint, of: { readonly checklistId: string }): string {
  if (kind === 'dark') return 'Very dark'
  if (kind === 'blurred') return 'Blurrier than other photos of this question'
  if (kind === 'far') return `Taken ${formatDistance(meters ?? 0)} from the others of this checklist`
  if (other === null) return 'Looks like another photo'
  const checklist = other.checklistTitle || 'Untitled checklist'
  const place = other.checklistId === of.checklistId ? 'this checklist' : `${other.projectName}, ${checklist}`
  return `Looks like a photo of “${other.question || 'Untitled question'}” in ${place}`
}

const kindTexts: readonly (readonly [HintKind, (count: number) => string])[] = [
  ['dark', (count) => `${formatCount(count)} very dark`],
  ['blurred', (count) => `${formatCount(count)} blurred`],
  ['duplicate', (count) => countOf(count, 'possible duplicate')],
  ['far', (count) => `${formatCount(count)} taken far from the others`],
]

/** Returns how many photos each kind concerns: "2 very dark, 1 possible duplicate". */
export function hintCounts(photos: Readonly<Record<HintKind, number>>): string {
  return kindTexts.flatMap(([kind, text]) => (photos[kind] === 0 ? [] : text(photos[kind]))).join(', ')
}
