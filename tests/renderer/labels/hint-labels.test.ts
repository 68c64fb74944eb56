import { expect, test } from 'vitest'
import { hintCounts, hintText } from '../../../renderer/labels/hint-labels.ts'
import { placeText } from '../../../renderer/features/map/place-labels.ts'

const hint = { assetId: 1, kind: 'far' as const, meters: 410.42, other: null }

test('a distance reads the same in a hint and on the map, though the others differ', () => {
  const position = { latitude: 43, longitude: -116 }
  expect(hintText(hint, { checklistId: 'c1' })).toBe('Taken 1,350 ft (410 m) from the others of this checklist')
  expect(placeText({ position, metersFromOthers: 410.58, heading: null })).toBe('1,350 ft (410 m) from the others')
})

test('a photo that is hardly different from another is not called a copy', () => {
  const other = {
    assetId: 2,
    projectId: 'p1',
    projectName: 'Elm Street',
    checklistId: 'c1',
    checklistTitle: 'Survey',
    question: 'Roof',
  }
  const duplicate = { ...hint, kind: 'duplicate' as const, meters: null, other }
  expect(hintText(duplicate, { checklistId: 'c1' })).toBe('Looks like a photo of “Roof” in this checklist')
  expect(hintText(duplicate, { checklistId: 'c2' })).toBe('Looks like a photo of “Roof” in Elm Street, Survey')
  const untitled = { ...duplicate, other: { ...other, checklistTitle: '', question: '' } }
  expect(hintText(untitled, { checklistId: 'c2' })).toBe(
    'Looks like a photo of “Untitled question” in Elm Street, Untitled checklist',
  )
  expect(hintCounts({ dark: 2, blurred: 0, duplicate: 1, far: 0 })).toBe('2 very dark, 1 possible duplicate')
  expect(hintCounts({ dark: 0, blurred: 0, duplicate: 13, far: 1 })).toBe(
    '13 possible duplicates, 1 taken far from the others',
  )
})
