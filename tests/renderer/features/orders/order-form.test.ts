import { expect, test } from 'vitest'
import { effectiveSetback } from '../../../../renderer/features/orders/form/effective-setback.ts'
import { presetChanges, presetTexts } from '../../../../renderer/features/orders/form/preset-values.ts'
import { reviewGroups } from '../../../../renderer/features/orders/form/review-rows.ts'
import { isInRange } from '../../../../renderer/features/orders/form/roof-plan.ts'
import { roofFirst } from '../../../../renderer/features/orders/form/site-photos.ts'
import { orderFieldNames, type OrderFieldName, type OrderTexts } from '../../../../shared/order/order-fields.ts'
import { readOrder } from '../../../../shared/order/order-payload.ts'
import type { ChecklistDetail } from '../../../../shared/views.ts'

test('a setback resolves to its value, with the source of a default', () => {
  expect(effectiveSetback('ridge', '', 'NYC').sentence).toBe('36 in (3 ft), default of NYC')
  expect(effectiveSetback('ridge', 'undefined', 'LI').sentence).toBe('18 in (1 ft 6 in), default of LI')
  expect(effectiveSetback('ridge', '', null)).toEqual({
    inches: null,
    isDefault: true,
    sentence: '18 in (1 ft 6 in); in NYC 36 in (3 ft), default, by region',
  })
  expect(effectiveSetback('vents', '', null)).toMatchObject({ inches: 5, sentence: '5 in, default' })
  expect(effectiveSetback('hip', '3 ft', 'NYC')).toEqual({ inches: 36, isDefault: false, sentence: '36 in (3 ft)' })
  expect(effectiveSetback('hip', 'x', 'NYC').inches).toBeNull()
})

test('the review lists every field that is sent, each once', () => {
  const reading = readOrder({
    projectId: 'project-1',
    homeownerName: 'Ana Ortiz',
    projectAddress: '1 Main St',
    tierLevel: 'maxFill',
    sizedForCategory: 'systemSize',
    sizedForValue: '7.5',
    designOneModule: 'A module',
    moduleSpacingShort: '0.5',
    ridge: '18',
  })
  if (!reading.ok) throw new Error('The order is not complete')
  const rows = reviewGroups(reading.payload, 'WcCO').flatMap((group) => group.rows)
  expect(rows.map(({ name }) => name).sort()).toEqual([...orderFieldNames].sort())
  const values = Object.fromEntries(rows.map(({ name, value, meaning }) => [name, [value, meaning]]))
  expect(values).toMatchObject({
    sizedForValue: ['7.5 kW', null],
    ridge: ['18 in (1 ft 6 in)', null],
    rake: ['Default:', '22 in (1 ft 10 in), region\u00A0WcCO'],
    positiveTolerance: ['None', null],
    azimuthRangeEnd: ['360°', null],
    isExpedited: ['No', null],
  })
})

test('a preset saves nothing specific to one house, and lists what it would change', () => {
  const texts: OrderTexts = {
    projectId: 'p',
    homeownerName: 'Ana',
    projectAddress: '1 Main St',
    sizedForCategory: 'systemSize',
    sizedForValue: '7',
    designOneModule: 'A module',
    ridge: '36',
  }
  const textOf = (name: OrderFieldName) => texts[name] ?? ''
  expect(presetTexts('company', textOf)).toEqual({
    sizedForCategory: 'systemSize',
    designOneModule: 'A module',
    ridge: '36',
  })
  const percent: OrderTexts = { sizedForCategory: 'Consumption', sizedForValue: '90' }
  expect(presetTexts('company', (name) => percent[name] ?? '')).toEqual(percent)
  expect(presetTexts('jurisdiction', textOf)).toMatchObject({ ridge: '36', eave: 'undefined', general: 'undefined' })
  const preset = { presetId: 1, name: 'P', kind: 'jurisdiction', region: 'LI', isDefault: false } as const
  const presetValues = { ridge: 'undefined', eave: 'undefined', hip: '3 ft', designOneModule: 'A module' }
  expect(presetChanges({ ...preset, texts: presetValues }, { textOf, region: 'NYC' })).toEqual([
    { label: 'Ridge', from: '36 in', to: 'default' },
    { label: 'Hip', from: 'default', to: '3 ft' },
    { label: 'Show defaults for', from: 'NYC', to: 'LI' },
  ])
})

test('questions about the roof come first, the others follow in their order', () => {
  const question = (label: string, photos = 1, answer: string | null = null) => ({
    label,
    answer,
    photos: Array.from({ length: photos }, () => ({})),
  })
  const sections = [
    { label: 'Electrical', questions: [question('Main panel'), question('Conduit on the roof')] },
    { label: 'Roof', questions: [question('Overview'), question('Notes', 0), question('Material', 0, 'Tile')] },
    { label: 'Inside', questions: [question('Attic'), question('Approved vendor')] },
  ] as unknown as ChecklistDetail['sections']
  const order = roofFirst(sections).map(({ label, questions }) => [label, ...questions.map((one) => one.label)])
  expect(order).toEqual([
    ['Electrical', 'Conduit on the roof'],
    ['Roof', 'Overview', 'Material'],
    ['Inside', 'Attic'],
    ['Electrical', 'Main panel'],
    ['Inside', 'Approved vendor'],
  ])
})

test('a roof that faces north is in a range that includes 0 or 360 degrees', () => {
  expect([isInRange(0, 0, 90), isInRange(0, 300, 360), isInRange(0, 90, 270), isInRange(180, 90, 270)]).toEqual([
    true,
    true,
    false,
    true,
  ])
})
