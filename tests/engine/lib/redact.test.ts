import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor, redactRaw, withoutLink } from '../../../electron/engine/lib/redact.ts'
import { expectLinear } from '../../support/expect-linear.ts'

const canary = 'CANARY77'
const token = 'tok/+= "ümlaut"-CANARY77'

function redactorOf(...secrets: readonly string[]) {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.addSecret(secret)
  return redactor
}

describe('a text', () => {
  test.each([
    ['GET https://h/api/v1/x?access_token=CANARY77&a=1 failed', 'GET https://h/… failed'],
    ['see https://h/p?page=2', 'see https://h/…'],
    ['https://user:CANARY77@h:8/p', 'https://h:8/…'],
    ['https://h/p#access_token=CANARY77', 'https://h/…'],
    ['(https://a/1?s=CANARY77), "https://b/2"', '(https://a/… "https://b/…"'],
    ['/api/v1/x?access_token=CANARY77', '/api/v1/x?…'],
    ['files/1.jpg?X-Amz-Signature=CANARY77&b=2 gone', 'files/1.jpg?… gone'],
    ['page?x=1 stays', 'page?x=1 stays'],
    ['Authorization: Bearer CANARY77', 'Authorization: Bearer …'],
    ['authorization: basic dXNlcjpDQU5BUlk3Nw==', 'authorization: basic …'],
    ['authorization=Bearer CANARY77', 'authorization=… …'],
    ['?a=1 auth=Basic dXNlcjpDQU5BUlk3Nw== x', '?a=1 auth=… … x'],
    ['access_token=CANARY77; other=1', 'access_token=…; other=1'],
    ['{"access_token":"CANARY77","a":"b"}', '{"access_token":"…","a":"b"}'],
    ['{\\"token\\": \\"CANARY77\\"}', '{\\"token\\": \\"…\\"}'],
    ['https:\\/\\/h\\/p?sig=CANARY77', 'https:\\/\\/h/…'],
    ['u=https%3A%2F%2Fh%2Fp%3Fsig%3DCANARY77', 'u=https%3A%2F%2Fh…'],
    ['u=%253Ftoken%253DCANARY77', 'u=%253Ftoken%253D…'],
    ['https://archive/https://u:CANARY77@h/p', 'https://archive/…'],
    ['https://f/CANARY77/1.jpg', 'https://f/…'],
    ['https://[::1]:8/CANARY77', 'https://[::1]:8/…'],
    ['https://h:80CANARY77', 'https://h/…'],
    [
      'works with http://127.0.0.1:8451. Nothing (https://h:80.).',
      'works with http://127.0.0.1:8451. Nothing (https://h:80.).',
    ],
    ['https://u:123.CANARY77 https://u:123./CANARY77', 'https://u/… https://u/…'],
    ['https://u:CANARY77@h:8451. https://h:8451/CANARY77.', 'https://h:8451. https://h:8451/…'],
    ['s3://bucket/CANARY77', 's3://bucket/…'],
    ['u=https%253A%252F%252Fu%253ACANARY77%2540h%252FCANARY77', 'u=https%253A%252F%252Fh…'],
    ['(https://api.example.com), https://b/.', '(https://api.example.com), https://b/.'],
    ['{\\"a\\":\\"https://h/CANARY77\\"}', '{\\"a\\":\\"https://h/…\\"}'],
    ['at file:///app/main.ts:1:2', 'at file:///app/main.ts:1:2'],
    ['at file:///app/https://h/CANARY77', 'at file:///app/https://h/…'],
    ['The design is big = yes, 3/4 done? ok', 'The design is big = yes, 3/4 done? ok'],
  ])('%s', (text, expected) => {
    expect(createRedactor().redactText(text)).toBe(expected)
  })

  test('loses a known secret in every encoding', () => {
    const redactor = createRedactor()
    redactor.addSecret(token)
    redactor.addSecret(token)
    const forms = [
      token,
      encodeURIComponent(token),
      encodeURIComponent(token).toLowerCase(),
      encodeURIComponent(encodeURIComponent(token)),
      new URLSearchParams({ t: token }).toString(),
      JSON.stringify(token),
      new URL(`https://h/${token}`).pathname,
    ]
    for (const form of forms) expect(redactor.redactText(`before ${form} after`)).not.toContain(canary)
    expect(redactor.redactText(`before ${token} after`)).toBe('before [secret] after')
  })

  test('a replaced token stays secret, a blank or tiny one removes nothing', () => {
    const redactor = createRedactor()
    for (const secret of ['first.token', 'second$token', '', ' ', 'a']) redactor.addSecret(secret)
    expect(redactor.redactText('a first.token b second$token firstXtoken')).toBe('a [secret] b [secret] firstXtoken')
  })
})

test('an ordinary word used as a token stays in sentences, and is removed where it is labeled as a token', () => {
  const redactor = createRedactor()
  for (const word of ['wrong', 'Photo', 'expired', 'four4', 'wrong-1', 'password']) redactor.addSecret(word)
  const sentence = 'it is wrong or has expired; no photo is lost'
  expect(redactor.redactText(sentence)).toBe(sentence)
  expect(redactor.redactText('xfour4x, wrong-1 and passwords')).toBe('x[secret]x, [secret] and [secret]s')
  for (const named of ['https://h/p?access_token=wrong', 'access_token=wrong', 'Bearer wrong', '{"token":"wrong"}']) {
    expect(redactor.redactText(named)).not.toContain('wrong')
  }
  expect(redactRaw({ accessToken: 'wrong', title: 'Photo' }, redactor)).toEqual({
    accessToken: '[secret]',
    title: 'Photo',
  })
})

describe('redaction takes linear time', () => {
  const pieces = [
    'a',
    '?',
    '&',
    ':',
    '://',
    'a:',
    'a://',
    '%3f',
    '%26',
    '%25',
    '%3A%2F%2F',
    'https%3A%2F%2F',
    'access_token',
    'access_token=',
    '?access_token',
    '&access_token',
    'x-amz-',
    '?x-amz-a',
    '"',
    '"token"',
    '"token":"',
    "'",
    '\\',
    '\\"',
    '\\/',
    '@',
    'a@',
    '-',
    '&-',
    '=',
    ' ',
    ' ?',
    '/',
    '/.aa?',
    '.',
    '#',
    'Bearer ',
    'Bearer',
    'Basic a',
    'auth=',
    'auth=a ',
    '"auth":"',
    '"auth":"a ',
    'Bearer a',
    'Bearer a ',
    'Basic installation ',
    'a ',
    '/ a',
    'authorization',
    'authorization: ',
    'authorization: Bearer ',
    'authorization: Bearer a',
    'file:///',
    'https://',
    'https://a@',
    '[',
    'é',
    '\n',
  ]

  test.each(pieces)('of %j', (piece) => {
    const redactor = redactorOf(token)
    for (const start of ['', '?', 'https://', '"token":"']) {
      expectLinear((length) => {
        const text = piece.repeat(length / piece.length)
        for (const whole of [start + text, `${start}${text} x`]) {
          redactor.redactText(whole)
          redactor.evidence.redactText(whole)
        }
        redactRaw({ previewUrl: start + text, note: `${start}${text} x`, [start + text]: 1 }, redactor)
      }, 4_000)
    }
  })

  test('and drops an extremely large text', () => {
    expect(createRedactor().redactText('a'.repeat(5_000_000))).toBe('[too large]')
  })
})

describe('a stored answer', () => {
  test('loses its links and keeps the rest unchanged', () => {
    const raw = {
      id: '507f',
      title: 'Roof? 2 = 2',
      pdfStatus: 'completed',
      pdfUrl: 'https://f/r.pdf?X-Amz-Signature=CANARY77',
      thumbnail: 'thumb-1.jpg',
      downloadPath: '/files/1?sig=CANARY77',
      links: { self: ['https://f/1?CANARY77'], count: 2, note: 'none' },
      note: 'see https://u:CANARY77@f/2?x=CANARY77#CANARY77 please',
      'https://f/3?sig=CANARY77': true,
      accessToken: 'CANARY77',
      empty: null,
      geolocation: { lat: 1.5, lng: -2 },
    }
    expect(redactRaw(raw)).toEqual({
      id: '507f',
      title: 'Roof? 2 = 2',
      pdfStatus: 'completed',
      pdfUrl: '[link removed]',
      thumbnail: 'thumb-1.jpg',
      downloadPath: '[link removed]',
      links: { self: ['[link removed]'], count: 2, note: 'none' },
      note: 'see https://f/… please',
      '[link removed]': true,
      accessToken: '[secret]',
      empty: null,
      geolocation: { lat: 1.5, lng: -2 },
    })
    expect(raw.pdfUrl).toContain('CANARY77')
  })

  test.each([
    'https://f/CANARY77/1.jpg',
    ' HTTP://f/CANARY77 ',
    'https://f/My photo/CANARY77/1.jpg',
    'https:\\/\\/f\\/CANARY77',
    '//f/CANARY77/1.jpg',
    '/files/CANARY77/1.jpg',
    '/files/CANARY77/report.pdf?a',
  ])('loses %j under any key, also as a key', (link) => {
    for (const name of ['image', 'img', 'photo', 'file', 'full', 'report', 'original', 'x']) {
      expect(redactRaw({ [name]: link, list: [link] })).toEqual({ [name]: '[link removed]', list: ['[link removed]'] })
    }
    expect(redactRaw({ [link]: 1, [`${link}?2`]: 2, y: 3 })).toEqual({
      '[link removed]': 1,
      '[link removed] 2': 2,
      y: 3,
    })
  })

  test('loses paths only under the keys of links', () => {
    const paths = { image: '/files/CANARY77', photo: { a: ['/1'] }, thumb: 'a?s=1', unit: '/month', note: '// none' }
    expect(redactRaw(paths)).toEqual({
      image: '[link removed]',
      photo: { a: ['[link removed]'] },
      thumb: '[link removed]',
      unit: '/month',
      note: '// none',
    })
  })

  test('loses secrets by their key', () => {
    expect(redactRaw({ a: [`x${token}y`], [token]: 1 }, redactorOf(token))).toEqual({
      a: ['x[secret]y'],
      '[secret]': 1,
    })
  })

  test('may have any keys', () => {
    const copy = redactRaw(JSON.parse('{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"x":1}}}'))
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"x":1}}}')
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  test('may nest deeply, be large, or hold values that are not JSON', () => {
    let deep: unknown = 'https://f/?CANARY77'
    for (let level = 0; level < 10_000; level++) deep = [deep]
    expect(JSON.stringify(redactRaw(deep))).toContain('[too deep]')
    const large = redactRaw(Array.from({ length: 500_010 }, () => 'x'))
    expect(Array.isArray(large) && large.at(-1)).toBe('[too large]')
    expect(String(redactRaw('x'.repeat(2_000_000))).length).toBeLessThan(1_100_000)
    expect(redactRaw({ a: undefined, b: 1n, c: () => canary })).toEqual({ a: null, b: null, c: null })
  })

  test('never contains a signature, a user name, or a token, wherever they were', () => {
    const secret = 'sEcReT-CANARY77-tOkEn'
    const letters = fc.stringMatching(/^[a-z0-9]{1,8}$/)
    const word = fc.oneof(
      letters,
      fc.string({ maxLength: 12 }).filter((text) => !text.includes(canary)),
    )
    const link = fc
      .tuple(fc.constantFrom('https', 'http', 's3'), letters, letters, fc.constantFrom('?', '#'), letters)
      .map(([scheme, host, path, mark, name]) => `${scheme}://u:${canary}@${host}/${path}${mark}${name}=${canary}`)
    const signed = fc
      .tuple(
        letters,
        fc.constantFrom('X-Amz-Signature', 'sig', 'Signature', 'access_token', 'x-goog-credential', 'token'),
      )
      .map(([path, name]) => `/${path}?a=1&${name}=${canary}`)
    const poison = fc.oneof(
      link,
      signed,
      fc.constantFrom(secret, encodeURIComponent(secret), `Authorization: Bearer ${canary}`, secret.toUpperCase()),
      link.map((text) => text.replaceAll('/', '\\/')),
      link.map((text) => JSON.stringify({ inner: text })),
    )
    const text = fc.oneof(
      word,
      poison,
      fc.tuple(word, poison, word).map((parts) => parts.join(' ')),
    )
    const key = fc.oneof(word, fc.constantFrom('pdfUrl', 'imgUrl', 'links', '__proto__', 'note', 'href'), poison)
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'medium' },
        text,
        fc.constantFrom<unknown>(null, true, 7),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.array(fc.tuple(key, tie('tree')), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
      ),
    }))
    fc.assert(
      fc.property(tree, (value) => {
        const stored = JSON.stringify(redactRaw(value, redactorOf(secret)))
        expect(stored).not.toContain(canary)
      }),
      { numRuns: 500 },
    )
  })

  test('keeps everything that is neither a link nor a secret', () => {
    const withoutSecrets = fc
      .jsonValue()
      .filter(
        (value) =>
          !/[:/?%@=]|token|auth|bearer|basic|sig|pass|secret|policy/i.test(JSON.stringify(value).replace(/":/g, '"')),
      )
    fc.assert(
      fc.property(withoutSecrets, (value) => {
        expect(JSON.stringify(redactRaw(value))).toBe(JSON.stringify(value))
      }),
    )
  })
})

test.each([
  ['IMG 1.jpg', 'IMG 1.jpg'],
  ['Roof? North/IMG #1.jpg', 'Roof? North/IMG #1.jpg'],
  ['/uploads/42', '/uploads/42'],
  ['IMG_1.jpg?md5=CANARY77&expires=1764', 'IMG_1.jpg'],
  ['IMG_2?hdnts=exp=1~hmac=CANARY77', 'IMG_2'],
  ['//cdn.example/CANARY77/IMG 3.jpg', 'IMG 3.jpg'],
  ['//cdn.example/CANARY77/IMG_3.jpg', 'IMG_3.jpg'],
  ['https://files.example/CANARY77/IMG 4.jpg?sig=CANARY77', 'IMG 4.jpg'],
  ['/uploads/IMG_5.jpg', 'IMG_5.jpg'],
  ['https://files.example/photos/CANARY77', null],
  ['https://files.example/photos/1.jpg#CANARY77', null],
  ['https://u:CANARY77@files.example', null],
  ['?md5=CANARY77', null],
])('the file name in %j is %j', (name, fileName) => {
  expect(withoutLink(name)).toBe(fileName)
})

describe('as evidence of the original response', () => {
  const { evidence } = createRedactor()
  const storedUnder = (name: string, value: string, secrets: readonly string[] = []) => {
    const stored = redactRaw({ [name]: value }, redactorOf(...secrets)) as Record<string, string>
    return stored[name] ?? ''
  }

  test.each([
    'Bearer size',
    'Load bearer spacing (mm)',
    'Bearer 140x45mm, 2.4 m long',
    'Is the bearer OK? Bearer/joist: sound',
    'Basic installation details',
    'Träger: bearer größe',
    'Fire access authorization=granted',
    'policy=Net metering',
    '{"authorization":"Homeowner agreed"}',
    '{"a":"Bearer size","policy":"1 year"}',
    'Photo 1/2',
    'Ada [ab12cd]/photos/01 Roof/02 Bearer size/IMG_20240501_x9.jpg',
    '/N/A',
  ])("a user's words stay: %j", (text) => {
    expect(evidence.redactText(text)).toBe(text)
    expect(redactRaw({ label: text, [text]: [text] })).toEqual({ label: text, [text]: [text] })
  })

  test('an answer under a key that is an ordinary word stays', () => {
    const answers = {
      authorization: 'Homeowner agreed on 2024-05-01, at 10:30.',
      auth: 'yes',
      policy: 'Net metering (1 year)',
      customerSignature: "Seán O'Brien",
      sig: 'JANE DOE',
    }
    expect(redactRaw(answers)).toEqual(answers)
  })

  test('a log and a message lose them', () => {
    const strict = createRedactor()
    expect(strict.redactText('Bearer size, Basic installation, auth=yes')).toBe('Bearer …, Basic …, auth=…')
    expect(strict.redactJson({ authorization: 'Homeowner agreed', note: '{"policy":"a"}' })).toEqual({
      authorization: '[secret]',
      note: '{"policy":"…"}',
    })
  })

  test.each([
    ['Authorization: Bearer size', 'Authorization: Bearer …'],
    ['{"Authorization":"Basic YWRtaW46aHVudGVy"}', '{"Authorization":"Basic …"}'],
    ['{\\"Authorization\\":\\"Bearer CANARY77\\"}', '{\\"Authorization\\":\\"Bearer …\\"}'],
    ['authorization => basic installation', 'authorization => basic …'],
    [`Authorization:${' '.repeat(40)}Bearer size`, 'Authorization:' + ' '.repeat(40) + 'Bearer …'],
    ['"Authorization" => [ "( Bearer size', '"Authorization" => [ "( Bearer …'],
    ['a=b&auth=yes', 'a=b&auth=…'],
    ['a.jpg?auth=yes gone', 'a.jpg?… gone'],
    ['x%26sig%3Dabc', 'x%26sig%3D…'],
    ['token=abc password=abc x-api-key=abc X-Amz-Date=abc', 'token=… password=… x-api-key=… X-Amz-Date=…'],
    ['{"access_token":"abc"}', '{"access_token":"…"}'],
    ['see https://h/p?x=1', 'see https://h/…'],
  ])('%j has the form of a secret: %j', (text, expected) => {
    expect(evidence.redactText(text)).toBe(expected)
  })

  test('values with the key of a secret are removed, and headers', () => {
    for (const name of ['token', 'accessToken', 'access_token', 'password', 'x-api-key', 'X-Amz-Signature', 'secret'])
      expect([name, storedUnder(name, 'yes')]).toEqual([name, '[secret]'])
    for (const value of ['Bearer size', 'Basic agreement', 'Token abc', 'bearer : size'])
      expect([value, storedUnder('authorization', value)]).toEqual([value, '[secret]'])
  })

  test('a known token is removed everywhere, in any case and encoding', () => {
    const anyToken = fc
      .string({ unit: fc.constantFrom(...'abcxyzABCXYZ0189-_.+/= ü'), minLength: 8, maxLength: 40 })
      .filter((text) => text.trim().length >= 8 && !/^(?:\[?secret\]?|…)$/.test(text.trim()))
    fc.assert(
      fc.property(anyToken, fc.constantFrom('authorization', 'auth', 'note', 'label'), (text, name) => {
        const secret = text.trim()
        const knowing = redactorOf(secret)
        const forms = [
          secret,
          secret.toUpperCase(),
          encodeURIComponent(secret),
          encodeURIComponent(secret).toLowerCase(),
        ]
        for (const form of forms) {
          for (const around of [form, `so ${form} it is`, `a-${form}/1.jpg`, `"${form}"`]) {
            expect(knowing.evidence.redactText(around)).not.toContain(form)
            expect(JSON.stringify(knowing.evidence.redactJson({ [name]: around, [around]: 1 }))).not.toContain(form)
            expect(storedUnder(name, around, [secret])).not.toContain(form)
          }
        }
      }),
      { numRuns: 200 },
    )
  })
})
