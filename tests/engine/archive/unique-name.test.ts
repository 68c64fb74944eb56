import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeName } from '../../../electron/engine/archive/safe-name.ts'
import { caseKey, uniqueName } from '../../../electron/engine/archive/unique-name.ts'

function uniqueNames(names: readonly string[]): string[] {
  const keys = new Set<string>()
  return names.map((name) => {
    const unique = uniqueName(name, (candidate) => keys.has(caseKey(candidate)))
    keys.add(caseKey(unique))
    return unique
  })
}

test('a second file of one name gets a number before its extension, without regard to case', () => {
  expect(
    uniqueNames(['IMG_1.JPG', 'img_1.jpg', 'IMG_1.JPG', 'IMG_2.JPG', 'Roof', 'ROOF', 'Roof v1.2', 'Roof v1.2']),
  ).toEqual([
    'IMG_1.JPG',
    'img_1 (2).jpg',
    'IMG_1 (3).JPG',
    'IMG_2.JPG',
    'Roof',
    'ROOF (2)',
    'Roof v1.2',
    'Roof v1.2 (2)',
  ])
})

test('a number that is taken is left out', () => {
  expect(uniqueNames(['a (2).jpg', 'a.jpg', 'A.jpg'])).toEqual(['a (2).jpg', 'a.jpg', 'A (3).jpg'])
})

test('letters that a disk takes for the same have one key', () => {
  const sameOnSomeDisk = [
    ['Straße', 'STRASSE', 'straẞe'],
    ['ſafe', 'SAFE'],
    ['ΣΑΣ', 'σας', 'σασ'],
    ['K', 'k', '\u212A'],
    ['İ', 'i\u0307'],
    ['\u00E9', 'e\u0301', 'É'],
    ['ﬁ', 'FI'],
  ]
  for (const names of sameOnSomeDisk) expect(new Set(names.map(caseKey)).size).toBe(1)
  expect(caseKey('a')).not.toBe(caseKey('ä'))
})

test('the key of every character is that of its upper and lower case', () => {
  for (let codePoint = 0; codePoint <= 0x1ffff; codePoint += 1) {
    const text = String.fromCodePoint(codePoint)
    const key = caseKey(text)
    const same = [text.toUpperCase(), text.toLowerCase(), text.normalize('NFD'), key].every(
      (other) => caseKey(other) === key,
    )
    if (!same) expect.fail(`U+${codePoint.toString(16)}`)
  }
})

test('the key of a path is made of the keys of its components', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (folder, name) => {
      expect(caseKey(`${folder}/${name}`)).toBe(`${caseKey(folder)}/${caseKey(name)}`)
    }),
  )
})

test('names stay within 100 bytes, keep their extension, and no two are the same on any disk', () => {
  const long = fc.constantFrom(
    'n'.repeat(100),
    `${'ü'.repeat(48)}.jpg`,
    `${'Ü'.repeat(48)}.JPG`,
    `${'\u{1F3E0}'.repeat(24)}.jpg`,
  )
  const names = fc.array(fc.oneof(long, fc.constantFrom('a.jpg', 'A.jpg', 'ß', 'SS', 'ss')), { maxLength: 30 })
  fc.assert(
    fc.property(names, (wanted) => {
      const unique = uniqueNames(wanted)
      expect(new Set(unique.map(caseKey)).size).toBe(wanted.length)
      for (const [index, name] of unique.entries()) {
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(100)
        expect(name.endsWith('.jpg')).toBe(wanted[index]?.endsWith('.jpg'))
        expect(safeName(name, { fallback: 'x' })).toBe(name)
      }
    }),
  )
})
