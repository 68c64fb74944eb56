import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { orderProblems } from '../../electron/sample-service/orders/order-rules.ts'
import {
  defaultSetback,
  fieldPath,
  type OrderFieldName,
  orderFieldNames,
  orderFields,
  type OrderTexts,
  setbackNames,
} from '../../shared/order/order-fields.ts'
import { notStated, fieldOfPath, readOrderJson, readOrder } from '../../shared/order/order-payload.ts'
import { orderSchema } from '../../shared/order/order-schema.ts'
import { describeInches } from '../../shared/order/setback-defaults.ts'

const required: OrderTexts = {
  projectId: '65397f90bb9b3d22a282b8b1',
  homeownerName: 'Ruth Sato',
  projectAddress: '1 Main St, Boise, ID 83702',
  tierLevel: 'maxFill',
  sizedForCategory: 'consumption',
  sizedForValue: '100',
  designOneModule: 'REC Alpha Pure-R 430',
  moduleSpacingShort: '0.5',
}

function payloadOf(texts: OrderTexts): unknown {
  const reading = readOrder(texts)
  return reading.ok ? reading.payload : reading.problems
}

test('omitted fields are sent with their defaults, every key', () => {
  expect(payloadOf(required)).toEqual({
    projectId: '65397f90bb9b3d22a282b8b1',
    status: 'ordered',
    tierLevel: 'maxFill',
    form: {
      sizedForCategory: 'consumption',
      sizedForValue: '100',
      fireSetbacks: {
        ridge: 'undefined',
        eave: 'undefined',
        rake: 'undefined',
        valley: 'undefined',
        hip: 'undefined',
      },
      obstructionSetbacks: {
        vents: 'undefined',
        exhaust: 'undefined',
        skylights: 'undefined',
        parapet: 'undefined',
        general: 'undefined',
      },
      projectAddress: '1 Main St, Boise, ID 83702',
      homeownerName: 'Ruth Sato',
      designOneModule: 'REC Alpha Pure-R 430',
      moduleOrientation: 'portrait',
      mixedOrientation: 'yes',
      moduleSpacingLong: '1',
      moduleSpacingShort: '0.5',
      azimuthRangeStart: '0',
      azimuthRangeEnd: '360',
      newBuildPlansRequired: false,
      isCommercialZone: false,
      negativeTolerance: null,
      positiveTolerance: null,
    },
    upgrade: false,
    isExpedited: false,
  })
})

test('every field is in the payload where the service expects it, as text, number, or boolean', () => {
  const texts: OrderTexts = {
    projectId: ' P-7 ',
    homeownerName: ' Ana Ortiz ',
    projectAddress: '5 Elm St',
    tierLevel: 'MAXFILL',
    sizedForCategory: 'systemsize',
    sizedForValue: '+08.50',
    negativeTolerance: '2.5',
    positiveTolerance: '0',
    isExpedited: 'Yes',
    upgrade: 'true',
    designOneModule: 'Q.PEAK 400',
    moduleOrientation: 'Landscape',
    mixedOrientation: 'no',
    moduleSpacingLong: '.25',
    moduleSpacingShort: '0',
    azimuthRangeStart: '90',
    azimuthRangeEnd: '270',
    ridge: '3 ft',
    eave: '8 in',
    rake: '0',
    valley: '1.5',
    hip: 'default',
    vents: '5"',
    exhaust: '',
    skylights: '1 foot',
    parapet: '12',
    general: 'undefined',
    newBuildPlansRequired: '1',
    isCommercialZone: 'y',
  }
  expect(Object.keys(texts).sort()).toEqual([...orderFieldNames].sort())
  expect(payloadOf(texts)).toEqual({
    projectId: 'P-7',
    status: 'ordered',
    tierLevel: 'maxFill',
    form: {
      sizedForCategory: 'systemSize',
      sizedForValue: '8.5',
      fireSetbacks: { ridge: 36, eave: 8, rake: 0, valley: 1.5, hip: 'undefined' },
      obstructionSetbacks: { vents: 5, exhaust: 'undefined', skylights: 12, parapet: 12, general: 'undefined' },
      projectAddress: '5 Elm St',
      homeownerName: 'Ana Ortiz',
      designOneModule: 'Q.PEAK 400',
      moduleOrientation: 'landscape',
      mixedOrientation: 'no',
      moduleSpacingLong: '0.25',
      moduleSpacingShort: '0',
      azimuthRangeStart: '90',
      azimuthRangeEnd: '270',
      newBuildPlansRequired: true,
      isCommercialZone: true,
      negativeTolerance: 2.5,
      positiveTolerance: 0,
    },
    upgrade: true,
    isExpedited: true,
  })
})

test('the text "undefined" survives JSON serialization', () => {
  const written = JSON.stringify(payloadOf(required))
  expect(written.match(/"undefined"/g)).toHaveLength(Object.values(setbackNames).flat().length)
})

/** Anything a user may type into a field: valid, invalid, and in between. */
function typed(name: OrderFieldName): fc.Arbitrary<string> {
  const { rule } = orderFields[name]
  const number = fc.oneof(fc.integer({ min: -5, max: 400 }), fc.double({ min: -1, max: 100, noNaN: true })).map(String)
  const sensible: Record<typeof rule.kind, fc.Arbitrary<string>> = {
    'project-id': fc.stringMatching(/^[0-9a-f]{24}$/),
    text: fc.string({ minLength: 1, unit: 'grapheme' }),
    'open-choice': fc.oneof(fc.constantFrom('maxFill', 'consumption', 'Production', 'systemSize'), fc.string()),
    choice: fc.constantFrom('portrait', 'Landscape', 'yes', 'NO', 'perhaps'),
    'yes-no': fc.constantFrom('yes', 'no', 'TRUE', '0', 'maybe'),
    number,
    setback: fc.oneof(number, fc.constantFrom(defaultSetback, '', '3 ft', '18 in', '1,5')),
    tolerance: fc.oneof(number, fc.constantFrom('', 'null')),
  }
  return fc.oneof({ weight: 12, arbitrary: sensible[rule.kind] }, { weight: 1, arbitrary: fc.string() })
}

const anyTexts = fc.record(
  Object.fromEntries(orderFieldNames.map((name) => [name, typed(name)])) as Record<
    OrderFieldName,
    fc.Arbitrary<string>
  >,
  { requiredKeys: [] },
)

test('the service accepts everything that the form accepts', () => {
  let accepted = 0
  fc.assert(
    fc.property(anyTexts, fc.boolean(), (texts, isRandom) => {
      // Orders of random texts are rarely valid, so half of them get valid values for missing or wrong fields.
      const wrong = new Set(isRandom ? [] : problemsOf(texts))
      const corrected = Object.fromEntries(Object.entries(texts).filter(([name]) => !wrong.has(name as OrderFieldName)))
      const reading = readOrder(isRandom ? texts : { ...required, ...corrected })
      if (!reading.ok) return
      accepted += 1
      expect(orderProblems(JSON.parse(JSON.stringify(reading.payload)))).toEqual([])
    }),
    { numRuns: 600 },
  )
  expect(accepted).toBeGreaterThan(200)
})

const problemsOf = (texts: OrderTexts) => {
  const reading = readOrder(texts)
  return reading.ok ? [] : reading.problems.map(({ field }) => field)
}

test('a sent payload is read back as the typed values', () => {
  const reading = readOrder(required)
  const { texts, problems } = readOrderJson(reading.ok ? reading.payload : null)
  expect(problems).toEqual([])
  expect(payloadOf(texts)).toEqual(payloadOf(required))
})

const wrongTexts: Record<(typeof orderFields)[OrderFieldName]['rule']['kind'], readonly string[]> = {
  'project-id': ['', 'a b', 'a/b', '..', '=cmd|calc', '@sum', 'a<b>', 'x'.repeat(300)],
  text: ['', '   ', 'two\nlines', 'a\u202eb', 'half a sign \ud83c', 'x'.repeat(301)],
  'open-choice': ['', ' ', 'a\u0000b', 'x'.repeat(101)],
  choice: ['perhaps', '1'],
  'yes-no': ['perhaps', '2', 'ja'],
  number: ['abc', '1,5', '1e3', '12 kWh', 'NaN', 'Infinity', '0x10', '\u0661\u0662', '１２', '1 2'],
  setback: ['abc', '-1', '1,5', '1e2', '3 m', 'undefined ft', 'NaN'],
  tolerance: ['abc', '1e1', 'undefined'],
}
describe.each(orderFieldNames)('the field %s', (name) => {
  const { rule } = orderFields[name]
  const blank = 'default' in orderFields[name] ? [] : ['']
  const wrong = wrongTexts[rule.kind].filter((text) => text.trim() !== '').concat(blank)

  test('is the only one named if only it is wrong', () => {
    for (const text of wrong) {
      const reading = readOrder({ ...required, [name]: text })
      expect(reading.ok ? `"${text}" was accepted` : reading.problems.map(({ field }) => field)).toEqual([name])
    }
  })

  test('is found by the path that the service reports', () => {
    expect(fieldOfPath(fieldPath(name))).toBe(name)
    expect(fieldOfPath(`/${fieldPath(name).replaceAll('.', '/')}`)).toBe(name)
  })
})

test('a target must be above 0, and an azimuth is a direction', () => {
  const problems = (texts: OrderTexts) => problemsOf({ ...required, ...texts })
  for (const sizedForValue of ['0', '-1', '99999999']) expect(problems({ sizedForValue })).toEqual(['sizedForValue'])
  for (const text of ['-1', '361', '99999999']) {
    expect(problems({ azimuthRangeStart: text, azimuthRangeEnd: text })).toEqual([
      'azimuthRangeStart',
      'azimuthRangeEnd',
    ])
  }
})

test('a setback is shown as it is sent', () => {
  const sent = (ridge: string) => {
    const inches = orderSchema.shape.ridge.parse(ridge)
    return [inches, describeInches(Number(inches))]
  }
  expect(sent('3.333 ft')).toEqual([39.996, '39.996 in (3 ft 3.996 in)'])
  expect(sent('17.875')).toEqual([17.875, '17.875 in (1 ft 5.875 in)'])
  expect(sent('0.004')).toEqual([0.004, '0.004 in'])
  expect(sent('2 ft')).toEqual([24, '24 in (2 ft)'])
  expect(describeInches(23.9999999)).toBe('24 in (2 ft)')
})

test('a value that the specification permits is sent, with a warning if it is unusual', () => {
  const unusual: readonly (readonly [OrderTexts, OrderFieldName, string])[] = [
    [{ negativeTolerance: '101' }, 'negativeTolerance', 'A tolerance above 100 is unusual.'],
    [{ positiveTolerance: '-5' }, 'positiveTolerance', 'A tolerance below 0 is unusual.'],
    [{ moduleSpacingLong: '13' }, 'moduleSpacingLong', 'More than 4 in between modules is unusual.'],
    [{ moduleSpacingShort: '-0.5' }, 'moduleSpacingShort', 'Less than 0 in between modules is unusual.'],
    [{ hip: '300' }, 'hip', 'More than 10 ft is unusual.'],
    [
      { azimuthRangeStart: '315', azimuthRangeEnd: '45' },
      'azimuthRangeEnd',
      'The range goes through north, from 315° to 45°. Check both ends.',
    ],
    [
      { azimuthRangeStart: '180', azimuthRangeEnd: '180' },
      'azimuthRangeEnd',
      'The range is a single direction. Check both ends.',
    ],
  ]
  for (const [texts, field, message] of unusual) {
    const reading = readOrder({ ...required, ...texts })
    expect(reading).toMatchObject({ ok: true, warnings: [{ field, message }] })
    if (reading.ok) expect(orderProblems(reading.payload)).toEqual([])
  }
})

test('a text that a program wrote for a missing value is refused, a name that resembles it is not', () => {
  for (const homeownerName of ['undefined', 'null', 'NaN', '[object Object]', ' undefined ']) {
    expect(problemsOf({ ...required, homeownerName })).toEqual(['homeownerName'])
  }
  expect(problemsOf({ ...required, homeownerName: 'Nan Null' })).toEqual([])
})

test('a key that no order has is named, with the one that was probably meant', () => {
  const { problems } = readOrderJson({
    Upgrade: true,
    homeownerName: 'Ruth',
    form: { rige: 12, designer: 'x', ede: 1 },
  })
  expect(
    problems.map(({ path, message }) => [path, message.replace('This is not a field of an order.', '').trim()]),
  ).toEqual([
    ['Upgrade', 'Did you mean "upgrade"?'],
    ['homeownerName', 'Did you mean "form.homeownerName"?'],
    ['form.rige', 'Did you mean "form.fireSetbacks.ridge"?'],
    ['form.designer', ''],
    ['form.ede', ''],
  ])
})

test('yes-or-no fields that are not filled in are named, and sent as no', () => {
  const names = ['isExpedited', 'upgrade', 'newBuildPlansRequired', 'isCommercialZone']
  expect(notStated({ ...required, ridge: '' })).toEqual(names)
  expect(notStated({ ...required, upgrade: 'no', isCommercialZone: ' ' })).toEqual([names[0], names[2], names[3]])
  expect(payloadOf(required)).toMatchObject({ upgrade: false, form: { isCommercialZone: false } })
})

test('allowed but unusual values cause warnings', () => {
  const warned = (texts: OrderTexts) => {
    const { ok, warnings } = readOrder({ ...required, ...texts })
    return { ok, warnings: warnings.map(({ field, message }) => `${field}: ${message}`) }
  }
  expect(warned({ ridge: '120', tierLevel: 'MAXFILL' })).toEqual({ ok: true, warnings: [] })
  expect(warned({ eave: '121' })).toEqual({ ok: true, warnings: ['eave: More than 10 ft is unusual.'] })
  expect(warned({ homeownerName: 'Jos\u{FFFD} Ortiz' })).toEqual({
    ok: true,
    warnings: ['homeownerName: Letters were lost in an earlier conversion (shown as \u{FFFD}). Type them again.'],
  })
  expect(warned({ tierLevel: 'maxFil' })).toEqual({
    ok: true,
    warnings: ['tierLevel: Not one of the values that are known (Max fill). Check that the service has it.'],
  })
  expect(warned({ sizedForCategory: 'kWh' })).toEqual({
    ok: true,
    warnings: [
      'sizedForCategory: Not one of the values that are known (Consumption, Production, System size). ' +
        'Check that the service has it.',
    ],
  })
})

test('a text that is far too long, and null for a field without a default, get clear messages', () => {
  const problems = (texts: OrderTexts) => {
    const reading = readOrder({ ...required, ...texts })
    return reading.ok ? [] : reading.problems
  }
  const long = 'x'.repeat(2001)
  expect(problems({ homeownerName: long, eave: long })).toEqual([
    { field: 'homeownerName', message: 'Use at most 200 characters.' },
    { field: 'eave', message: 'Use at most 2000 characters.' },
  ])
  const { problems: nulls } = readOrderJson({
    tierLevel: null,
    form: { mixedOrientation: null, positiveTolerance: null },
  })
  expect(nulls).toEqual([
    { path: 'tierLevel', message: 'Choose a tier' },
    { path: 'form.mixedOrientation', message: 'This cannot be null. Leave it out to use the default.' },
  ])
})

test('an empty form names every field without a default', () => {
  expect(problemsOf({}).sort()).toEqual(Object.keys(required).sort())
})
