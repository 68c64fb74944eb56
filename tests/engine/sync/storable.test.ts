import { expect, test } from 'vitest'
import { createStorable } from '../../../electron/engine/sync/storable.ts'

const token = 'tok-SECRET-12345'

test("an answer is stored with a person's words and without the token and links", () => {
  const storable = createStorable(() => [token])
  expect(storable.text('Load bearer spacing (mm)')).toBe('Load bearer spacing (mm)')
  expect(storable.text(`Bearer ${token}, see https://f/1?sig=1`)).toMatch(/^Bearer \[secret\], see https:\/\/f\/…$/)
  const answers = { label: 'Bearer size', answers: { authorization: 'Homeowner agreed', report: '/N/A' } }
  expect(JSON.parse(storable.json({ ...answers, auth: `Bearer ${token}`, url: 'https://f/1' }))).toEqual({
    ...answers,
    auth: '[secret]',
    url: '[link removed]',
  })
})
