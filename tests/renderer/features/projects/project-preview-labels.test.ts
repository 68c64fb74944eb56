import { expect, it } from 'vitest'
import { describeRow } from '../../../../renderer/features/projects/project-preview-labels.ts'

it('an unusual ID may be added, with a warning', () => {
  const row = { state: 'new', problem: null, name: null, address: null } as const
  expect(describeRow({ ...row, id: 'xyz' })).toBe('Unusual ID: check it')
  expect(describeRow({ ...row, id: 'Müller-Straße', name: 'Elm' })).toBe('Unusual ID: check it · Elm')
  expect(describeRow({ ...row, id: 'xyz', state: 'known', name: 'Elm' })).toBe('Elm')
  for (const id of ['507f1f77bcf86cd799439011', 'site_7-b']) expect(describeRow({ ...row, id }), id).toBe('')
  expect(describeRow({ ...row, id: 'a b', state: 'wrong', problem: 'the ID has a space in it' })).toBe(
    'The ID has a space in it.',
  )
})
