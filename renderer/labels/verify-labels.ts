import type { VerifyState } from '../../shared/background-work.ts'
import type { VerifyFinding } from '../../shared/views.ts'
import { countOf, formatCount } from './format-numbers.ts'
import { formatAgo } from './format-times.ts'
import { looks, type StatusLook } from './status-labels.ts'

/** How the last verify ended. */
export interface VerifyOutcome {
  readonly look: StatusLook
  readonly when: string
  readonly lines: readonly string[]
}

/** As the engine calls what it sets aside before the archived file takes its name again: "photo (edited 2026-11-21) (2).jpg". */
const setAsideName = / \(edited \d{4}-\d{2}-\d{2}\)(?: \(\d+\))?(?:\.[^./]+)*$/

type Finding = Pick<VerifyFinding, 'state' | 'path'>

function isSetAside({ state, path }: Finding): boolean {
  return state === 'unexpected' && setAsideName.test(path)
}

/** What a found file is there for, where its label alone leaves that open. */
export function findingPurpose(finding: Finding): string | null {
  if (!isSetAside(finding)) return null
  return 'The file as somebody changed it, kept when the archived one took its place again. Delete it if nobody needs it.'
}

/** What was found of a file. */
export function findingLook(finding: Finding): StatusLook {
  const { state } = finding
  if (state === 'missing') return { label: 'Missing', icon: 'i-lucide-file-x', tone: 'error' }
  if (state === 'changed') return { label: 'Changed', icon: 'i-lucide-file-diff', tone: 'error' }
  if (isSetAside(finding)) return { label: 'Set aside by a repair', icon: 'i-lucide-file-pen', tone: 'neutral' }
  return { label: 'Not from here', icon: 'i-lucide-file-question-mark', tone: 'neutral' }
}

/** `damagedNow`: files that it found damaged and that are not put right since. Null when none ended yet. */
export function lastVerify(state: VerifyState, damagedNow: number, nowMs: number): VerifyOutcome | null {
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
  if (counts.unexpected > 0) lines.push(`${countOf(counts.unexpected, 'file')} not part of the archive`)
  if (repaired > 0) lines.push(`${formatCount(repaired)} fetched again`)
  const damaged = counts.missing + counts.changed
  if (damaged === 0)
    return { look: { ...looks.complete, label: repaired > 0 ? 'Repaired' : 'All as archived' }, when, lines }
  if (damagedNow === 0) return { look: { ...looks.complete, label: 'Put right since' }, when, lines }
  return { look: { ...looks.failed, label: 'Damage found' }, when, lines }
}

/** Of an archived file that its host cannot give as it was archived. */
export const goneFromDisk =
  'This file is missing or was changed on the disk. “Verify and repair” in the overview brings it back.'
