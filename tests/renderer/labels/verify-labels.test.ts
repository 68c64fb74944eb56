import { expect, it } from 'vitest'
import { quarantinedName } from '../../../electron/engine/archive/layout.ts'
import { findingPresentation, findingPurpose, lastVerify } from '../../../renderer/labels/verify-labels.ts'

it('a changed file that a repair quarantined has its own label and purpose', () => {
  const [report, notes] = ['report.pdf', 'notes'].map((name) => quarantinedName(name, '2026-11-21'))
  for (const name of [report, notes, 'a (edited 2026-11-21) (2).jpg']) {
    const finding = { state: 'unexpected', path: `Elm [abc123]/Roof [def456]/${name}` } as const
    expect(findingPresentation(finding).label, name).toBe('Edited copy')
    expect(findingPurpose(finding), name).toMatch(
      /^The version somebody changed\..* not while the archived file is missing/,
    )
  }
})

it('a file of unknown origin is unexpected', () => {
  const finding = { state: 'unexpected', path: 'Elm [abc123]/photo (edited by Bob).jpg' } as const
  expect(findingPresentation(finding).label).toBe('Unexpected file')
  expect(findingPurpose(finding)).toBeNull()
  expect(findingPresentation({ state: 'missing', path: 'Elm/report (edited 2026-11-21).pdf' }).label).toBe('Missing')
})

it('a renamed folder is listed with what restores its name, until a repair has', () => {
  const counts = { missing: 0, changed: 0, unexpected: 0 }
  const nothing = { missing: [], changed: [], unexpected: [], renamed: [], repaired: 0 }
  const outcome = (renamed: number) => {
    const report = { checked: 9, ok: 9, ...nothing, counts: { ...counts, renamed } }
    return lastVerify({ kind: 'idle', last: { ok: true, endedAt: '2026-11-23T00:00:00.000Z', report } }, 0, 0)
  }
  expect(outcome(1)?.status.label).toBe('Folders renamed')
  expect(outcome(1)?.lines).toContain('1 folder renamed. “Verify and repair” restores its name')
  expect(outcome(0)?.status.label).toBe('Verified: no changes')
})

it('files that were downloaded again do not count as unchanged', () => {
  const counts = { missing: 0, changed: 0, unexpected: 0, renamed: 0 }
  const report = { checked: 9, ok: 9, missing: [], changed: [], unexpected: [], renamed: [], repaired: 3, counts }
  const outcome = lastVerify({ kind: 'idle', last: { ok: true, endedAt: '2026-11-23T00:00:00.000Z', report } }, 0, 0)
  expect(outcome?.lines).toEqual(['6 of 9 files unchanged', '3 downloaded again'])
})
