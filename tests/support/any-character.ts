import fc from 'fast-check'

const surrogates = { first: 0xd800, count: 0x800 }

/**
 * Any Unicode character, control characters more often than others: for `fc.string({ unit: anyCharacter })`. The same
 * as fast-check's own unit `binary`, which takes a second in each process, and keeps a table of a million characters in
 * memory.
 */
export const anyCharacter = fc.integer({ min: 0, max: 0x10_ffff - surrogates.count }).map(
  (index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count),
  (character) => {
    const codePoint = typeof character === 'string' ? (character.codePointAt(0) ?? surrogates.first) : surrogates.first
    const isSurrogate = codePoint >= surrogates.first && codePoint < surrogates.first + surrogates.count
    if (isSurrogate || String.fromCodePoint(codePoint) !== character) throw new Error('Not one character')
    return codePoint < surrogates.first ? codePoint : codePoint - surrogates.count
  },
)
