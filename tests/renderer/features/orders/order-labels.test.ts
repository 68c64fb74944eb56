import { expect, test } from 'vitest'
import {
  batchSentence,
  notesOfRow,
  previewSentence,
  reviewSentences,
} from '../../../../renderer/features/orders/lists/order-list-labels.ts'
import { readFieldProblems, shortReason } from '../../../../renderer/features/orders/order-problems.ts'
import {
  describeField,
  lookOfBatch,
  lookOfOrder,
  orderDesign,
  orderTitle,
} from '../../../../renderer/features/orders/order-labels.ts'
import { presetProblems, presetSummary } from '../../../../renderer/features/orders/presets/preset-labels.ts'

test('setbacks are read in inches and feet, and a default says what it is where', () => {
  expect(describeField('ridge', { ridge: '36' }, null)).toBe('36 in (3 ft)')
  expect(describeField('ridge', { ridge: '3 ft' }, null)).toBe('3 ft')
  expect(describeField('ridge', { ridge: 'undefined' }, 'NYC')).toBe('Default: 36 in (3 ft)')
  expect(describeField('ridge', {}, null)).toBe('Default: 18 in (1 ft 6 in); in NYC 36 in (3 ft)')
  expect(describeField('vents', {}, null)).toBe('Default: 5 in')
  expect(describeField('vents', { vents: '0' }, null)).toBe('0 in')
})

test('a target is read with the unit of what it is sized for, and what is missing is not made up', () => {
  expect(describeField('sizedForValue', { sizedForCategory: 'consumption', sizedForValue: '100' }, null)).toBe('100%')
  expect(describeField('sizedForValue', { sizedForCategory: 'production', sizedForValue: '9000' }, null)).toBe(
    '9000 kWh',
  )
  expect(describeField('sizedForValue', { sizedForCategory: 'roofArea', sizedForValue: '30' }, null)).toBe('30')
  expect(describeField('sizedForValue', {}, null)).toBeNull()
  expect(describeField('azimuthRangeEnd', {}, null)).toBe('360°')
  expect(describeField('tierLevel', { tierLevel: 'somethingNew' }, null)).toBe('somethingNew')
  expect(describeField('positiveTolerance', {}, null)).toBe('None')
  expect(describeField('isExpedited', { isExpedited: 'yes' }, null)).toBe('Yes')
})

test('an order is named by its homeowner, and stands as the service says', () => {
  expect(orderTitle({ homeownerName: ' ', projectName: 'Sato residence', orderId: 7 })).toBe('Sato residence')
  expect(orderTitle({ homeownerName: '', projectName: null, orderId: 7 })).toBe('Order 7')
  expect(lookOfOrder({ state: 'placed', status: 'neverHeardOf', problem: null }).label).toBe('neverHeardOf')
  expect(lookOfOrder({ state: 'placed', status: null, problem: null }).label).toBe('Placed')
  expect(lookOfOrder({ state: 'draft', status: null, problem: null }).label).toBe('Draft')
  expect(lookOfOrder({ state: 'draft', status: null, problem: { code: 'rejected', message: '' } }).label).toBe(
    'Not placed',
  )
})

test('orders of one house are told from each other by tier and size, as far as they are known', () => {
  const order = { tierLevel: 'maxFill', sizedForCategory: 'consumption', sizedForValue: '100' }
  expect(orderDesign(order)).toBe('Max fill, 100%')
  expect(orderDesign({ ...order, sizedForCategory: 'systemSize', sizedForValue: '7.5' })).toBe('Max fill, 7.5 kW')
  expect(orderDesign({ ...order, tierLevel: 'new', sizedForCategory: 'roofArea' })).toBe('new, 100')
  expect(orderDesign({ ...order, sizedForValue: '' })).toBe('Max fill')
  expect(orderDesign({ tierLevel: '', sizedForCategory: 'consumption', sizedForValue: '' })).toBe('')
})

test('lists of orders tell their counts, and nothing of what there is none', () => {
  expect(previewSentence({ ready: 2, double: 0, wrong: 1 })).toBe('2 orders ready · 1 row is wrong')
  expect(batchSentence({ total: 4, placed: 1, unconfirmed: 1, refused: 0, waiting: 2 })).toBe(
    '1 placed · 1 unconfirmed · 2 waiting',
  )
})

test('what is to be looked at before a list is placed is told with its lines, and nothing where there is nothing', () => {
  const none = { count: 0, lines: [] }
  expect(reviewSentences({ unusual: none, unsettled: none, sameProject: none })).toEqual([])
  const told = reviewSentences({
    unusual: { count: 12, lines: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11] },
    unsettled: { count: 1, lines: [4] },
    sameProject: { count: 2, lines: [2, 1003] },
  })
  expect(told).toEqual([
    expect.stringMatching(
      /^1 order is for a project with an order outside this list .* it is not sent before that is known \(line 4\)\.$/,
    ),
    '2 orders are for projects with more than one in this list (lines 2, 1,003).',
    '12 orders have something unusual in them (lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more).',
  ])
})

test('a double says so, whatever else is to be said of it', () => {
  const row = { line: 3, projectId: 'p', projectName: null, homeownerName: 'Ann', problems: [] }
  const warnings = [{ field: 'projectId' as const, message: 'More.' }]
  expect(notesOfRow({ ...row, state: 'double', warnings })).toMatchObject([
    { label: null, message: expect.stringContaining('The same order') as string },
    { label: 'Project', message: 'More.' },
  ])
  expect(notesOfRow({ ...row, state: 'ready', warnings: [] })).toEqual([])
})

test('a list of orders is only a plain Done where all of it was placed', () => {
  const counts = { total: 4, placed: 4, unconfirmed: 0, refused: 0, waiting: 0 }
  expect(lookOfBatch({ state: 'done', counts })).toMatchObject({ label: 'Done', tone: 'success' })
  const refused = lookOfBatch({ state: 'done', counts: { ...counts, placed: 3, refused: 1 } })
  expect(refused).toMatchObject({ label: 'Done, 1 not placed', tone: 'warning' })
  const unconfirmed = lookOfBatch({ state: 'done', counts: { ...counts, placed: 3, unconfirmed: 1 } })
  expect(unconfirmed).toMatchObject({ label: 'Done, 1 unconfirmed', tone: 'warning' })
  const both = lookOfBatch({ state: 'done', counts: { ...counts, placed: 1, unconfirmed: 1, refused: 2 } })
  expect(both).toMatchObject({ label: 'Done, 1 unconfirmed, 2 not placed', tone: 'warning' })
})

test.each([
  ['moduleSpacingLong must be at least 0.5', 'moduleSpacingLong', 'Spacing, long edge must be at least 0.5'],
  ['form.fireSetbacks.ridge is too small', 'ridge', 'Ridge is too small'],
  ['general must be a number', 'general', 'Other obstructions must be a number'],
  ['A general trouble with the upgrade', null, 'A general trouble with the upgrade'],
  ['azimuthRangeStart is after azimuthRangeEnd', null, 'Azimuth from is after Azimuth to'],
])('what the service says by a key is told of the field: %s', (message, field, told) => {
  expect(readFieldProblems([{ field: null, message }])).toEqual([{ field, message: told }])
  const whole = `The service rejected what was sent, and says: ${message}. The order was not placed. Correct it.`
  expect(shortReason({ code: 'rejected', message: whole })).toBe(told)
})

test('a preset names what is wrong with a value that it sets, and only with those', () => {
  expect([...presetProblems({ ridge: '', vents: 'many', moduleOrientation: 'upright' }).keys()]).toEqual([
    'vents',
    'moduleOrientation',
  ])
  expect(presetSummary({ texts: {}, region: null })).toBe('Sets nothing yet')
  expect(presetSummary({ texts: { ridge: '18', hip: '18', eave: '8' }, region: 'LI' }, 2)).toBe(
    'Defaults of LI · Ridge: 18 in (1 ft 6 in) · and 2 more values',
  )
})
