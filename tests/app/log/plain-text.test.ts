import { describe, expect, test } from 'vitest'
import { plainText } from '../../../electron/app/log/plain-text.ts'

describe('text of the service on a terminal', () => {
  test('cannot move the cursor, ring, or change the title', () => {
    expect(plainText('Roof\u001b[2J\u0007 \u009b31m')).toBe('Roof\uFFFD[2J\uFFFD \uFFFD31m')
  })

  test('stays on its line', () => {
    expect(plainText('Maple\r\nStreet\u2028 12\n')).toBe('Maple Street  12')
  })

  test('cannot reverse the reading direction', () => {
    expect(plainText('photo\u202Egpj.exe')).toBe('photo\uFFFDgpj.exe')
  })

  test('keeps letters of every script', () => {
    expect(plainText('Dächer – 屋根 👩🏽‍🔧')).toBe('Dächer – 屋根 👩🏽‍🔧')
  })
})
