import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../electron/engine/lib/redact.ts'
import { redactLine, plainFields } from '../../../electron/app/log/log-line.ts'
import { anyCharacter } from '../../support/any-character.ts'

const token = 'canary/token+with="quotes"\\and ünïcode'
const signature = 'canary-signature'

const link = `https://files.test/canary-path/photo.jpg?Signature=${signature}`
const forms = {
  plain: token,
  'percent-encoded': encodeURIComponent(token),
  'percent-encoded twice': encodeURIComponent(encodeURIComponent(token)),
  'in a form': new URLSearchParams({ access_token: token }).toString(),
  'in JSON': JSON.stringify({ access_token: token, n: 1 }),
  'in JSON in JSON': JSON.stringify(JSON.stringify({ access_token: token })),
  'in JSON in JSON, without a name': JSON.stringify(JSON.stringify([token])),
  'unknown in a header': 'a\nAuthorization: Bearer canary-unknown\nx',
  'unknown in quotes': '"Bearer canary-unknown" and "x?sig=canary-unknown"',
  'unknown in a parameter': 'first\ntoken=canary-unknown',
  link: `GET ${link} failed`,
  'link in JSON': JSON.stringify({ url: link, next: 'a "quoted" word' }),
  'link percent-encoded': `https%3A%2F%2Ffiles.test%2Fcanary-path%3FSignature%3D${signature}"z`,
}

function line(message: string, fields: Record<string, unknown>): string {
  const redactor = createRedactor()
  redactor.addSecret(token)
  return redactLine(JSON.stringify({ level: 'info', fields: plainFields(fields), msg: message }), redactor)
}

describe.each(Object.entries(forms))('a secret %s', (_name, text) => {
  const error = new Error(text, { cause: new TypeError(text, { cause: { deep: [text] } }) })
  test.each([
    ['the message', line(text, {})],
    ['a nested field', line('m', { a: { b: [{ c: text }] } })],
    ['an error, its stack and its causes', line('m', { error })],
    ['a key', line('m', { [text]: 1, inner: { [text]: { [text]: true } } })],
    ['a field named like a secret', line('m', { accessToken: 'canary-1', password: 'canary-2', token: 424242 })],
  ])('is not in the log when it comes in %s', (_place, written) => {
    expect(written).not.toMatch(/canary|424242/)
    expect(JSON.parse(written)).toMatchObject({ level: 'info' })
  })
})

test('every logged text becomes one line of JSON without terminal control characters', () => {
  const piece = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom(...Object.values(forms), '\\', '"', '\u2028', '\u009b'),
  )
  const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, text, text, (message, key, value) => {
      const written = line(message, { [key]: value, error: new Error(value) })
      expect(written.indexOf('\n')).toBe(written.length - 1)
      expect(() => JSON.parse(written) as unknown).not.toThrow()
      // eslint-disable-next-line no-control-regex -- the test looks for control characters
      expect(written.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/)
      expect(written).not.toContain('canary')
    }),
  )
})
