import { expect, test } from 'vitest'
import { createSanitizer } from '../../../electron/engine/lib/sanitizer.ts'

const token = 'tok-SECRET-12345'

test("a response is stored with the user's words and without the token and links", () => {
  const sanitizer = createSanitizer(() => [token])
  expect(sanitizer.text('Load bearer spacing (mm)')).toBe('Load bearer spacing (mm)')
  expect(sanitizer.text(`Bearer ${token}, see https://f/1?sig=1`)).toMatch(/^Bearer \[secret\], see https:\/\/f\/…$/)
  const answers = { label: 'Bearer size', answers: { authorization: 'Homeowner agreed' } }
  expect(JSON.parse(sanitizer.json({ ...answers, auth: `Bearer ${token}`, url: 'https://f/1' }))).toEqual({
    ...answers,
    auth: 'Bearer [secret]',
    url: '[link removed]',
  })
})

test.each([
  ['/uploads/sig.png?md5=CANARY&expires=99', '[link removed]'],
  ['/uploads/a.png?md5=CANARY, /uploads/b.png?md5=CANARY', '[link removed], [link removed]'],
  ['https://files.example/My photo, CANARY', '[link removed]'],
  ['Yes, //cdn.example/CANARY', 'Yes, [link removed]'],
  ['see https://files.example/CANARY', 'see https://files.example/…'],
  [`Asphalt, 2/12 pitch, N/A, /N/A, ${token}`, 'Asphalt, 2/12 pitch, N/A, /N/A, [secret]'],
])('an answer is stored without links and the token: %j', (answer, stored) => {
  expect(createSanitizer(() => [token]).answer(answer)).toBe(stored)
})

test('a validator may be stored if it contains neither the token nor a link', () => {
  const sanitizer = createSanitizer(() => [token])
  for (const text of ['"5d8c72a5edda8"', 'W/"a-1"', 'Sun, 22 Nov 2026 05:00:00 GMT'])
    expect(sanitizer.containsSecret(text)).toBe(false)
  for (const text of [`"${token}"`, `"e-${encodeURIComponent(token)}"`, '"https://f/1?sig=1"', 'Bearer size'])
    expect(sanitizer.containsSecret(text)).toBe(true)
})
