import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PathSet } from '../../../electron/engine/integrity/path-set.ts'

test('holds exactly the paths that were added', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.string()), (added, others) => {
      const paths = new PathSet()
      for (const path of added) paths.add(path)
      for (const path of [...added, ...others]) expect(paths.has(path)).toBe(added.includes(path))
    }),
  )
})

test('holds many, and takes more after it was asked', () => {
  const paths = new PathSet()
  for (let index = 0; index < 5000; index += 1) paths.add(`photos/${index}.jpg`)
  expect(paths.has('photos/4999.jpg')).toBe(true)
  expect(paths.has('photos/5000.jpg')).toBe(false)
  paths.add('photos/5000.jpg')
  expect(paths.has('photos/5000.jpg')).toBe(true)
  expect(new PathSet().has('')).toBe(false)
})
