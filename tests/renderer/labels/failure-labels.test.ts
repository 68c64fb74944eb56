import { expect, it } from 'vitest'
import { olderVersions } from '../../../renderer/labels/failure-labels.ts'

it('archived photos whose newer version fails are told together, by reason; missing ones are told elsewhere', () => {
  const problem = (message: string) => ({ code: 'file-gone', message }) as const
  const failed = { archived: true, problem: problem('The file is not on the file host any more.') }
  const photos = [failed, failed, { archived: true, problem: problem('The file host stopped answering.') }]
  expect(olderVersions([...photos, { archived: true, problem: null }, { ...failed, archived: false }])).toEqual([
    '2 photos: a newer version could not be fetched. The file is not on the file host any more.',
    '1 photo: a newer version could not be fetched. The file host stopped answering.',
  ])
})
