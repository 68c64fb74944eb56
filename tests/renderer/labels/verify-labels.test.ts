import { expect, it } from 'vitest'
import { findingPresentation, findingPurpose } from '../../../renderer/labels/verify-labels.ts'

it('a changed file that a repair quarantined has its own label and purpose', () => {
  for (const name of ['report (edited 2026-11-21).pdf', 'a (edited 2026-11-21) (2).jpg', 'notes (edited 2026-11-21)']) {
    const finding = { state: 'unexpected', path: `Elm [abc123]/Roof [def456]/${name}` } as const
    expect(findingPresentation(finding).label, name).toBe('Edited copy')
    expect(findingPurpose(finding), name).toMatch(/^The version somebody changed/)
  }
})

it('a file of unknown origin is unexpected', () => {
  const finding = { state: 'unexpected', path: 'Elm [abc123]/photo (edited by Bob).jpg' } as const
  expect(findingPresentation(finding).label).toBe('Unexpected file')
  expect(findingPurpose(finding)).toBeNull()
  expect(findingPresentation({ state: 'missing', path: 'Elm/report (edited 2026-11-21).pdf' }).label).toBe('Missing')
})
