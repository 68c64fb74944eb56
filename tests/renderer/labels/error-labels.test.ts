import { expect, it } from 'vitest'
import { errorTitle } from '../../../renderer/labels/error-labels.ts'

it('an error of one file or folder is not said to be one of the archive folder', () => {
  const ofArchive = 'The archive folder cannot be used'
  expect(['archive-read-only', 'archive-unavailable'].map(errorTitle)).toEqual([ofArchive, ofArchive])
  expect(errorTitle('disk-error')).toBe('A file or folder cannot be used')
})
