import type { VerifyState } from '../../shared/background-work.ts'
import { countOf, formatCount } from '../format/format-numbers.ts'
import { formatAgo } from '../format/format-times.ts'
import { looks, type StatusLook } from './status-words.ts'

/** How the last verify ended. */
export interface VerifyOutcome {
  readonly look: StatusLook
  readonly when: string
  readonly lines: readonly string[]
}

/** Null when none ended since the start of Solarchive. */
export function lastVerify(state: VerifyState, nowMs: number): VerifyOutcome | null {
  if (state.kind === 'running' || state.last === null) return null
  const { last } = state
  const when = formatAgo(last.endedAt, nowMs)
  if (!last.ok) {
    return last.error.code === 'cancelled'
      ? { look: { ...looks.waiting, label: 'Stopped' }, when, lines: ['The next verify goes on from there.'] }
      : { look: { ...looks.failed, label: 'Did not end' }, when, lines: [last.error.message] }
  }
  const { checked, ok, repaired, counts } = last.report
  const found = [
    { count: counts.missing, what: 'missing' },
    { count: counts.changed, what: 'changed' },
  ].filter(({ count }) => count > 0)
  const lines = [`${formatCount(ok)} of ${countOf(checked, 'file')} as archived`]
  for (const { count, what } of found) lines.push(`${countOf(count, 'file')} ${what}`)
  if (counts.unexpected > 0) lines.push(`${countOf(counts.unexpected, 'file')} that Solarchive did not put there`)
  if (repaired > 0) lines.push(`${formatCount(repaired)} fetched again`)
  const damaged = counts.missing + counts.changed
  if (damaged === 0) return { look: { ...looks.complete, label: 'All as archived' }, when, lines }
  const label = repaired >= damaged ? 'Repaired' : 'Damage found'
  return { look: { ...(repaired >= damaged ? looks.complete : looks.failed), label }, when, lines }
}
