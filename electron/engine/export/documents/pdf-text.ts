/** Longer texts are cut: no label or name that a person wrote is as long. */
const maxLength = 1500

/** Stands for a character that the font does not have. */
const missing = '□'

/**
 * Returns a text as it can be printed: one line in NFC without control, bidirectional, and other invisible characters,
 * at most two accents on a letter, and `□` for characters that the font does not have.
 */
export function printable(text: string, hasGlyph: (codePoint: number) => boolean): string {
  const isCut = text.length > maxLength
  const plain = text
    .slice(0, maxLength)
    .normalize('NFC')
    .replace(/[\t\n\v\f\r\u0085]/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/\p{Z}+/gu, ' ')
    .replace(/(\p{M}{2})\p{M}+/gu, '$1')
    .trim()
  let printed = ''
  for (const character of plain) {
    if (hasGlyph(character.codePointAt(0) ?? 0)) printed += character
    else if (!/\p{M}/u.test(character)) printed += missing
  }
  return isCut ? `${printed}…` : printed
}

/** Longest part of a word without spaces that is looked at for one line. */
const maxBroken = 400

/**
 * Breaks a printable text into lines that fit the width, at spaces where there are any. With more than `maxLines`, the
 * last one ends with an ellipsis.
 */
export function wrap(text: string, fits: (line: string) => boolean, maxLines: number): string[] {
  // Most texts fit one line: to measure each of their beginnings as well takes most of the time of a document.
  if (text !== '' && fits(text)) return [text]
  const lines: string[] = []
  let line = ''
  let rest = text.split(' ')
  while (rest.length > 0 && lines.length < maxLines) {
    const [word = '', ...others] = rest
    const longer = line === '' ? word : `${line} ${word}`
    if (word.length <= maxBroken && fits(longer)) {
      line = longer
      rest = others
    } else if (line === '') {
      const start = longestStart(word, fits)
      lines.push(start)
      rest = start.length === word.length ? others : [word.slice(start.length), ...others]
    } else {
      lines.push(line)
      line = ''
    }
  }
  if (line !== '' && lines.length < maxLines) lines.push(line)
  else if (rest.length > 0 || line !== '') lines.push(withEllipsis(lines.pop() ?? '', fits))
  return lines
}

/** Returns the longest start of a word that fits, at least one character. */
function longestStart(word: string, fits: (line: string) => boolean): string {
  const characters = Array.from(word.slice(0, maxBroken))
  let [low, high] = [1, characters.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(characters.slice(0, middle).join(''))) low = middle
    else high = middle - 1
  }
  return characters.slice(0, low).join('')
}

function withEllipsis(line: string, fits: (line: string) => boolean): string {
  for (const characters = [...line]; characters.length > 0; characters.pop()) {
    const shorter = `${characters.join('').trimEnd()}…`
    if (fits(shorter)) return shorter
  }
  return '…'
}
