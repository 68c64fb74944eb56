import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  caseKey,
  cutToBytes,
  safeName,
  splitExtension,
  uniqueName,
} from '../../../electron/engine/archive/safe-name.ts'
import { expectLinear } from '../../support/expect-linear.ts'
import { anyCharacter } from '../../support/any-character.ts'

const reserved = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\.|$)/i
// Written independently from the naming rules of Windows and the Unicode standard, to not share the code's mistakes.
const unsafeCharacter = new RegExp(
  [
    String.raw`[<>:"/\\|?*\p{Cc}\p{Cs}\u{FFFE}\u{FFFF}\u{AD}\u{61C}\u{200B}-\u{200F}\u{2028}-\u{202E}]`,
    String.raw`[\u{2060}-\u{206F}\u{FEFF}]|\p{Variation_Selector}|[\u{E0000}-\u{E0FFF}]`,
  ].join('|'),
  'u',
)

function expectSafe(name: string): void {
  expect(name).not.toBe('')
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(100)
  expect(name.normalize('NFC')).toBe(name)
  expect(name).not.toMatch(unsafeCharacter)
  expect(name).not.toMatch(/^[. ]|[. ]$/)
  expect(name).not.toMatch(reserved)
}

const awkwardPieces = [
  ['CON', 'nul', 'Com1', 'LPT²', 'CONIN$', 'conout$', '.', '..', ' ', '/', '\\', ':', '*', '?', '"', '<', '>', '|'],
  ['\0', '\n', '\t', '\u007F', '\u0085', '\u00A0', '\u00AD', '\u200B', '\u200D', '\u202E', '\u2066', '\u3000'],
  ['\uFEFF', '\uD800', '\uDC00', '\uE000', '\uFFFF', '\u0301', '\u0338', '\u0344', '\u1100', '\u1161', '\u212B'],
  ['\u{1F468}\u200D\u{1F469}', '\u{1F1E9}\u{1F1EA}', '\u{1D15E}', 'é', 'Roof', '.jpg', '.JPEG', ' [abc123]', '_'],
].flat()
const awkward = fc.constantFrom(...awkwardPieces)
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 150 }),
  fc.string({ unit: 'grapheme', maxLength: 150 }),
  fc.array(fc.oneof(awkward, fc.string({ maxLength: 20 })), { maxLength: 40 }).map((parts) => parts.join('')),
  fc.array(fc.nat(0xffff), { maxLength: 150 }).map((units) => String.fromCharCode(...units)),
)
const anyOptions = fc.record(
  {
    fallback: fc.constantFrom('photo', 'Project'),
    suffix: fc.constantFrom('', ' [a1b2c3]', ' [é]'),
    keepExtension: fc.boolean(),
  },
  { requiredKeys: ['fallback'] },
)

describe('a name made of any text', () => {
  test('is safe on every platform, and unchanged if sanitized again', () => {
    fc.assert(
      fc.property(anyText, anyOptions, (text, options) => {
        const name = safeName(text, options)
        expectSafe(name)
        expect(safeName(name, options)).toBe(name)
      }),
      { numRuns: 1000 },
    )
  })

  test('keeps its suffix and its extension, however long it is', () => {
    const extensions = fc.constantFrom('.jpg', '.JPEG', '.heic', '.webp', '.3gp', '.mp4')
    fc.assert(
      fc.property(anyText, extensions, fc.constantFrom('', ' [a1b2c3]'), (text, extension, suffix) => {
        const name = safeName(text + extension, { fallback: 'photo', suffix, keepExtension: true })
        expectSafe(name)
        expect(name.endsWith(suffix + extension)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  test('keeps no code point that a component may not contain', () => {
    // Planes 4 to 13 are unassigned.
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += codePoint === 0x3ffff ? 0xa0001 : 1) {
      const name = safeName(`a${String.fromCodePoint(codePoint)}b`, { fallback: 'x' })
      if (unsafeCharacter.test(name) || /[. ]$/.test(name) || name.normalize('NFC') !== name) expectSafe(name)
    }
  })
})

describe('a readable name', () => {
  const cases: readonly (readonly [text: string, name: string])[] = [
    ['Smith Residence', 'Smith Residence'],
    ['  Smith   Residence  ', 'Smith Residence'],
    ['Roof/Attic: front', 'Roof_Attic_ front'],
    ['Is the attic dry?', 'Is the attic dry'],
    ['Main panel *', 'Main panel'],
    ['Mu\u0308ller', 'M\u00FCller'],
    ['太陽光発電所', '太陽光発電所'],
    ['St. Mary', 'St. Mary'],
    ['..hidden', 'hidden'],
    ['Ends. . .', 'Ends'],
    ['one\r\ntwo\tthree', 'one two three'],
    ['exe\u202Egpj.txt', 'exegpj.txt'],
    ['file.txt::$DATA', 'file.txt__$DATA'],
    ['../../etc/passwd', '_.._etc_passwd'],
    ['CON', '_CON'],
    ['nul.tar.gz', '_nul.tar.gz'],
    ['COM¹', '_COM¹'],
    ['LPT0', '_LPT0'],
    ['aux .txt', '_aux .txt'],
    ['CONIN$', '_CONIN$'],
    ['COM10', 'COM10'],
    ['Console', 'Console'],
    ['\uD83D', '_'],
    ['', 'Project'],
    [' . ', 'Project'],
    ['\u200B\u202E', 'Project'],
    ['???', 'Project'],
  ]
  test.each(cases)('%j becomes %j', (text, name) => {
    expect(safeName(text, { fallback: 'Project' })).toBe(name)
  })

  test('is cut between grapheme clusters', () => {
    const family = '\u{1F1E9}\u{1F1EA}'
    const name = safeName(family.repeat(40), { fallback: 'x' })
    expect(name).toBe(family.repeat(12))
    expect(cutToBytes(`ab${'e\u0301'.repeat(3)}`, 4)).toBe('ab')
  })

  test('is cut even if one letter carries more accents than the name has room for', () => {
    const name = safeName(`x${'\u0302\u0317'.repeat(500)}`, { fallback: 'y' })
    expectSafe(name)
    expect(name.startsWith('x')).toBe(true)
  })

  test('does not become a device name by being cut', () => {
    expectSafe(safeName(`CONx${'\u0317'.repeat(500)}`, { fallback: 'y' }))
  })

  test('that is only an extension keeps it', () => {
    expect(safeName('.jpg', { fallback: 'photo', keepExtension: true })).toBe('photo.jpg')
  })

  test('is derived quickly from megabytes of text', () => {
    expectLinear((length) => {
      const name = safeName(`Roof${' .'.repeat(length)}x.jpg`, { fallback: 'photo', keepExtension: true })
      expect(name).toMatch(/^Roof.*\.jpg$/)
    }, 250_000)
  })
})

test('an extension is short, has a letter, and follows a name', () => {
  expect(splitExtension('IMG_1.jpeg')).toEqual(['IMG_1', '.jpeg'])
  expect(splitExtension('a.b.3gp')).toEqual(['a.b', '.3gp'])
  for (const name of ['Roof v1.2', 'St. Mary', '.jpeg', 'no extension', 'a.photography']) {
    expect(splitExtension(name)).toEqual([name, ''])
  }
})

function uniqueNames(names: readonly string[]): string[] {
  const keys = new Set<string>()
  return names.map((name) => {
    const unique = uniqueName(name, (candidate) => keys.has(caseKey(candidate)))
    keys.add(caseKey(unique))
    return unique
  })
}

test('a second file of the same name gets a number before its extension, regardless of case', () => {
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

test('a taken number is skipped', () => {
  expect(uniqueNames(['a (2).jpg', 'a.jpg', 'A.jpg'])).toEqual(['a (2).jpg', 'a.jpg', 'A (3).jpg'])
})

test('letters that a disk treats as equal have the same key', () => {
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

test('the key of every character equals that of its upper and lower case', () => {
  for (let codePoint = 0; codePoint <= 0x1ffff; codePoint += 1) {
    const text = String.fromCodePoint(codePoint)
    const key = caseKey(text)
    const same = [text.toUpperCase(), text.toLowerCase(), text.normalize('NFD'), key].every(
      (other) => caseKey(other) === key,
    )
    if (!same) expect.fail(`U+${codePoint.toString(16)}`)
  }
})

test('the key of a path consists of the keys of its components', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (folder, name) => {
      expect(caseKey(`${folder}/${name}`)).toBe(`${caseKey(folder)}/${caseKey(name)}`)
    }),
  )
})

test('names stay within 100 bytes, keep their extension, and are unique on every disk', () => {
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
