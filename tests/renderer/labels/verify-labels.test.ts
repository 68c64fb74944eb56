import { expect, it } from 'vitest'
import { findingLook, findingPurpose } from '../../../renderer/labels/verify-labels.ts'

it('a changed file that was set aside by a repair is called so, with what it is there for', () => {
  for (const name of ['report (edited 2026-11-21).pdf', 'a (edited 2026-11-21) (2).jpg', 'notes (edited 2026-11-21)']) {
    const finding = { state: 'unexpected', path: `Elm [abc123]/Roof [def456]/${name}` } as const
    expect(findingLook(finding).label, name).toBe('Set aside by a repair')
    expect(findingPurpose(finding), name).toMatch(/^The file as somebody changed it/)
  }
})

it('what somebody else put into the archive is not from here', () => {
  const finding = { state: 'unexpected', path: 'Elm [abc123]/photo (edited by Bob).jpg' } as const
  expect(findingLook(finding).label).toBe('Not from here')
  expect(findingPurpose(finding)).toBeNull()
  expect(findingLook({ state: 'missing', path: 'Elm/report (edited 2026-11-21).pdf' }).label).toBe('Missing')
})
