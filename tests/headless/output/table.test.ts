import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { cutToWidth, formatTable } from '../../../electron/headless/output/table.ts'

describe('columns', () => {
  test('are counted as a terminal draws them', () => {
    expect(['Dach', 'Dächer'.normalize('NFD'), '屋根', '👩🏽‍🔧'].map((text) => stringWidth(text))).toEqual([4, 6, 4, 2])
  })

  test('a text that is too wide is cut between characters', () => {
    expect(cutToWidth('Maple Street', 20)).toBe('Maple Street')
    expect(cutToWidth('Maple Street', 7)).toBe('Maple…')
    expect(cutToWidth('屋根屋根', 4)).toBe('屋…')
    expect(cutToWidth('abc', 0)).toBe('')
  })

  test('of a table are aligned', () => {
    const columns = [{ title: 'Name', maxWidth: 6 }, { title: 'Files', align: 'right' as const }, { title: '' }]
    expect(
      formatTable(columns, [
        ['Attic', '5', 'complete'],
        ['Electrical', '12', ''],
        ['屋根', '3', 'x'],
      ]),
    ).toEqual(['Name    Files', 'Attic       5  complete', 'Elect…     12', '屋根        3  x'])
  })
})
