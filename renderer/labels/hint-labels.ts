import { countOf, formatCount } from '../../shared/format.ts'
import type { HintKind, PhotoHint } from '../../shared/views.ts'

const metersPerFoot = 0.3048

/** Returns what a hint says about its photo. */
export function hintText({ kind, meters, other }: PhotoHint, of: { readonly checklistId: string }): string {
  if (kind === 'dark') return 'Very dark'
  if (kind === 'blurred') return 'Blurred, beside the other photos of this question'
  if (kind === 'far') {
    const distance = meters ?? 0
    return `Taken ${formatCount(Math.round(distance / metersPerFoot))} ft (${formatCount(Math.round(distance))} m) from the others`
  }
  if (other === null) return 'Copy of another photo'
  const place =
    other.checklistId === of.checklistId ? 'this checklist' : `${other.projectName}, ${other.checklistTitle}`
  return `Copy of a photo of “${other.question}” in ${place}`
}

const kindTexts: readonly (readonly [HintKind, (count: number) => string])[] = [
  ['dark', (count) => `${formatCount(count)} very dark`],
  ['blurred', (count) => `${formatCount(count)} blurred`],
  ['duplicate', (count) => countOf(count, 'copy', 'copies')],
  ['far', (count) => `${formatCount(count)} taken far from the others`],
]

/** Returns how many photos each kind concerns: "2 very dark, 1 copy". */
export function hintCounts(photos: Readonly<Record<HintKind, number>>): string {
  return kindTexts.flatMap(([kind, text]) => (photos[kind] === 0 ? [] : text(photos[kind]))).join(', ')
}
