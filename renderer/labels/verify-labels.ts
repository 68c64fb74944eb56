import type { VerifyState } from '../../shared/background-tasks.ts'
import { countOf, countOfTotal, formatAgo, formatCount } from '../../shared/format.ts'
import type { VerifyFinding } from '../../shared/views.ts'
import { statusPresentations, type StatePresentation } from './status-labels.ts'

/**
 * Name that the engine assigns to a changed file before it restores the archived one: "photo (edited 2026-11-21)
 * (2).jpg".
 */
const quarantinedName = / \(edited \d{4}-\d{2}-\d{2}\)(?: \(\d+\))?(?:\.[^./]+)*$/

type Finding = Pick<VerifyFinding, 'state' | 'path'>

function isQuarantined({ state, path }: Finding): boolean {
  return state === 'unexpected' && quarantinedName.test(path)
}

/** Returns why a found file exists, or `null` if its label says enough. */
export function findingPurpose(finding: Finding): string | null {
  if (!isQuarantined(finding)) return null
  return 'The version somebody changed. Delete it if nobody needs it, but not while the archived file is missing.'
}

/** Returns how a finding of the last verification is displayed. */
export function findingPresentation(finding: Finding): StatePresentation {
  const { state } = finding
  if (state === 'missing') return { label: 'Missing', icon: 'i-lucide-file-x', tone: 'error' }
  if (state === 'changed') return { label: 'Changed', icon: 'i-lucide-file-diff', tone: 'error' }
  if (isQuarantined(finding)) return { label: 'Edited copy', icon: 'i-lucide-file-pen', tone: 'neutral' }
  // Only whole folders are directly in the archive folder.
  const label = finding.path.includes('/') ? 'Unexpected file' : 'Unexpected folder'
  return { label, icon: 'i-lucide-file-question-mark', tone: 'neutral' }
}

/** Outcome of the last verification. */
export interface VerifyOutcome {
  readonly status: StatePresentation
  readonly when: string
  readonly lines: readonly string[]
}

/**
 * Returns the outcome of the last verification, or `null` if none has ended yet. `damagedNow` is how many of the
 * damaged files it found are not repaired yet.
 */
export function lastVerify(state: VerifyState, damagedNow: number, nowMs: number): VerifyOutcome | null {
  if (state.kind === 'running' || state.last === null) return null
  const { last } = state
  const { complete, failed, waiting } = statusPresentations
  const when = formatAgo(last.endedAt, nowMs)
  if (!last.ok) {
    return last.error.code === 'cancelled'
      ? { status: { ...waiting, label: 'Stopped' }, when, lines: ['The next verification resumes there.'] }
      : { status: { ...failed, label: 'Failed' }, when, lines: [last.error.message] }
  }
  const { checked, ok, repaired, counts } = last.report
  const lines = [`${countOfTotal(ok - repaired, checked, 'file')} unchanged`]
  if (counts.missing > 0) lines.push(`${countOf(counts.missing, 'file')} missing`)
  if (counts.changed > 0) lines.push(`${countOf(counts.changed, 'file')} changed`)
  if (counts.unexpected > 0) lines.push(`${countOf(counts.unexpected, 'item')} not part of the archive`)
  if (counts.renamed > 0) {
    const names = counts.renamed === 1 ? 'its name' : 'their names'
    lines.push(`${countOf(counts.renamed, 'folder')} renamed. “Verify and repair” restores ${names}`)
  }
  if (repaired > 0) lines.push(`${formatCount(repaired)} downloaded again`)
  if (counts.missing + counts.changed === 0) {
    if (counts.renamed > 0) return { status: { ...waiting, label: 'Folders renamed' }, when, lines }
    return { status: { ...complete, label: repaired > 0 ? 'Repaired' : 'Verified: no changes' }, when, lines }
  }
  if (damagedNow === 0) return { status: { ...complete, label: 'Repaired since' }, when, lines }
  return { status: { ...failed, label: 'Damage found' }, when, lines }
}

/** Message for an archived file that is missing or was changed on the disk. */
export const goneFromDisk =
  'This file is missing or was changed on the disk. “Verify and repair” in the overview brings it back.'

/** Message for an archived file while the host or the archive folder does not answer. */
export const unreachableNow =
  'Solarchive or the archive folder cannot be reached now. Start Solarchive, or connect the drive or network share ' +
  'again, then open this again.'
