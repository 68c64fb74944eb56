import { expect, test } from 'vitest'
import { createRedactor } from '../../../../electron/engine/lib/redact.ts'
import { answerError } from '../../../../electron/engine/service/answer-errors.ts'
import {
  batchSentence,
  notesOfRow,
  previewSentence,
  reviewSentences,
} from '../../../../renderer/features/orders/lists/order-list-labels.ts'
import { readFieldProblems, shortReason } from '../../../../renderer/features/orders/order-problems.ts'
import {
  describeField,
  batchPresentation,
  orderPresentation,
  orderDesign,
  orderTitle,
} from '../../../../renderer/features/orders/order-labels.ts'
import { presetProblems, presetSummary } from '../../../../renderer/features/orders/presets/preset-labels.ts'

test('setbacks are shown in inches and feet, and a default with its value by region', () => {
  expect(describeField('ridge', { ridge: '36' }, null)).toBe('36 in (3 ft)')
  expect(describeField('ridge', { ridge: '3 ft' }, null)).toBe('3 ft')
  expect(describeField('ridge', { ridge: 'undefined' }, 'NYC')).toBe('Default: 36 in (3 ft)')
  expect(describeField('ridge', {}, null)).toBe('Default: 18 in (1 ft 6 in); in NYC 36 in (3 ft)')
  expect(describeField('vents', {}, null)).toBe('Default: 5 in')
  expect(describeField('vents', { vents: '0' }, null)).toBe('0 in')
})

test('a target has the unit of its category, and a missing value stays missing', () => {
  expect(describeField('sizedForValue', { sizedForCategory: 'consumption', sizedForValue: '100' }, null)).toBe('100%')
  expect(describeField('sizedForValue', { sizedForCategory: 'production', sizedForValue: '9000' }, null)).toBe(
    '9000 kWh',
  )
  // As a table or another program may write it.
  expect(describeField('sizedForValue', { sizedForCategory: 'System size', sizedForValue: '7.5' }, null)).toBe('7.5 kW')
  expect(describeField('sizedForValue', { sizedForCategory: 'roofArea', sizedForValue: '30' }, null)).toBe('30')
  expect(describeField('sizedForValue', {}, null)).toBeNull()
  expect(describeField('azimuthRangeEnd', {}, null)).toBe('360°')
  expect(describeField('tierLevel', { tierLevel: 'somethingNew' }, null)).toBe('somethingNew')
  expect(describeField('positiveTolerance', {}, null)).toBe('None')
  expect(describeField('isExpedited', { isExpedited: 'yes' }, null)).toBe('Yes')
})

test('an order has the name of its homeowner and the status of the service', () => {
  expect(orderTitle({ homeownerName: ' ', projectName: 'Sato residence', orderId: 7 })).toBe('Sato residence')
  expect(orderTitle({ homeownerName: '', projectName: null, orderId: 7 })).toBe('Order 7')
  expect(orderPresentation({ state: 'placed', status: 'neverHeardOf', problem: null }).label).toBe('Never heard of')
  expect(orderPresentation({ state: 'placed', status: 'On hold (2)', problem: null }).label).toBe('On hold (2)')
  expect(orderPresentation({ state: 'placed', status: null, problem: null }).label).toBe('Placed')
  expect(orderPresentation({ state: 'draft', status: null, problem: null }).label).toBe('Draft')
  expect(orderPresentation({ state: 'draft', status: null, problem: { code: 'rejected', message: '' } }).label).toBe(
    'Not placed',
  )
})

test('orders of one house are distinguished by tier and size, as far as known', () => {
  const order = { tierLevel: 'maxFill', sizedForCategory: 'consumption', sizedForValue: '100' }
  expect(orderDesign(order)).toBe('Max fill, 100%')
  expect(orderDesign({ ...order, sizedForCategory: 'systemSize', sizedForValue: '7.5' })).toBe('Max fill, 7.5 kW')
  expect(orderDesign({ ...order, tierLevel: 'new', sizedForCategory: 'roofArea' })).toBe('new, 100')
  expect(orderDesign({ ...order, sizedForValue: '' })).toBe('Max fill')
  expect(orderDesign({ tierLevel: '', sizedForCategory: 'consumption', sizedForValue: '' })).toBe('')
})

test('order lists show their counts, without zeros', () => {
  expect(previewSentence({ ready: 2, duplicate: 0, wrong: 1 })).toBe('2 orders ready · 1 row with an error')
  expect(batchSentence({ total: 4, placed: 1, unconfirmed: 1, refused: 0, waiting: 2 })).toBe(
    '1 placed · 1 unconfirmed · 2 waiting',
  )
})

test('remarks about a list name its lines; without remarks there is no text', () => {
  const none = { count: 0, lines: [] }
  const quiet = { notes: [], moreNotes: 0, unconfirmed: none, sameProject: none }
  expect(reviewSentences(quiet)).toEqual([])
  const remarks = reviewSentences({
    notes: [
      {
        field: 'moduleSpacingLong',
        message: 'More than 4 in between modules is unusual.',
        orders: {
          count: 12,
          rows: [2, 3, 4, 5, 6].map((line) => ({ line, homeownerName: line === 2 ? 'Ann' : '', value: `${line + 3}` })),
        },
      },
    ],
    moreNotes: 2,
    unconfirmed: { count: 1, lines: [4] },
    sameProject: { count: 2, lines: [2, 1003] },
  })
  expect(remarks).toEqual([
    expect.stringMatching(
      /^1 order is for a project with an unconfirmed order .* not sent until that is confirmed \(line 4\)\.$/,
    ),
    '2 orders are for projects with more than one in this list (lines 2, 1,003).',
    'Spacing, long edge: 5 in, line 2, Ann; 6 in, line 3; 7 in, line 4; 8 in, line 5; and 8 more rows. ' +
      'More than 4 in between modules is unusual.',
    'And 2 more unusual values.',
  ])
})

test('a duplicate says which order it repeats, whatever its other notes', () => {
  const row = { line: 3, projectId: 'p', projectName: null, homeownerName: 'Ann', problems: [] }
  const warnings = [{ field: 'projectId' as const, message: 'More.' }]
  const sameAs = 'Line 2 of this list is the same order.'
  expect(notesOfRow({ ...row, state: 'duplicate', warnings, sameAs })).toMatchObject([
    { label: null, message: sameAs },
    { label: 'Project', message: 'More.' },
  ])
  expect(notesOfRow({ ...row, state: 'ready', warnings: [], sameAs: null })).toEqual([])
})

test('an order list is only Done if every order was placed', () => {
  const counts = { total: 4, placed: 4, unconfirmed: 0, refused: 0, waiting: 0 }
  expect(batchPresentation({ state: 'done', counts })).toMatchObject({ label: 'Done', tone: 'success' })
  const refused = batchPresentation({ state: 'done', counts: { ...counts, placed: 3, refused: 1 } })
  expect(refused).toMatchObject({ label: 'Done, 1 not placed', tone: 'warning' })
  const unconfirmed = batchPresentation({ state: 'done', counts: { ...counts, placed: 3, unconfirmed: 1 } })
  expect(unconfirmed).toMatchObject({ label: 'Done, 1 unconfirmed', tone: 'warning' })
  const both = batchPresentation({ state: 'done', counts: { ...counts, placed: 1, unconfirmed: 1, refused: 2 } })
  expect(both).toMatchObject({ label: 'Done, 1 unconfirmed, 2 not placed', tone: 'warning' })
})

test.each([
  ['moduleSpacingLong must be at least 0.5', 'moduleSpacingLong', 'Spacing, long edge must be at least 0.5'],
  ['form.fireSetbacks.ridge is too small', 'ridge', 'Ridge is too small'],
  ['general must be a number', 'general', 'Other obstructions must be a number'],
  ['A general trouble with the upgrade', null, 'A general trouble with the upgrade'],
  ['azimuthRangeStart is after azimuthRangeEnd', null, 'Azimuth from is after Azimuth to'],
])('a field key in a message of the service becomes its label: %s', (message, field, expected) => {
  expect(readFieldProblems([{ field: null, message }])).toEqual([{ field, message: expected }])
  const { message: whole } = answerError({ status: 400, body: `${message}.` }, 'order', createRedactor())
  expect(shortReason({ code: 'rejected', message: whole })).toBe(expected)
})

test('a preset reports problems of the values it sets only', () => {
  expect([...presetProblems({ ridge: '', vents: 'many', moduleOrientation: 'upright' }).keys()]).toEqual([
    'vents',
    'moduleOrientation',
  ])
  expect(presetSummary({ texts: {}, region: null })).toBe('No values yet')
  expect(presetSummary({ texts: { ridge: '18', hip: '18', eave: '8' }, region: 'LI' }, 2)).toBe(
    'Defaults for LI · Ridge: 18 in (1 ft 6 in) · and 2 more values',
  )
})
