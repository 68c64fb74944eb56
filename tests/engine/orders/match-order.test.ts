import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchOrder, type SentOrder } from '../../../electron/engine/orders/match-order.ts'
import type { RemoteServiceRequest } from '../../../electron/engine/service/service-types.ts'
import { readOrder } from '../../../shared/order/order-payload.ts'

const reading = readOrder({
  projectId: 'P1',
  homeownerName: 'Ruth Sato',
  projectAddress: '1 Main St',
  tierLevel: 'maxFill',
  sizedForCategory: 'consumption',
  sizedForValue: '100',
  designOneModule: 'REC 430',
  moduleSpacingShort: '0.5',
  ridge: '18',
})
if (!reading.ok) throw new Error('The order of these tests is not complete')
const { payload } = reading
const sentAt = '2026-03-01T12:00:00.000Z'

const sent = (known: Partial<SentOrder> = {}): SentOrder => ({
  payload,
  sentAt,
  listedBefore: new Set(),
  others: new Set(),
  expected: new Set(),
  givenUp: 0,
  ...known,
})

function remote(id: string, changes: Partial<RemoteServiceRequest> = {}): RemoteServiceRequest {
  return {
    id,
    projectId: 'P1',
    status: 'ordered',
    tierLevel: 'maxFill',
    designId: null,
    providerName: null,
    isExpedited: false,
    isAutomated: null,
    revisionCount: null,
    updatedAt: null,
    raw: {},
    createdAt: '2026-03-01T12:00:01.000Z',
    form: payload.form,
    ...changes,
  }
}

test('an order matches although the project id was typed in capitals and the service uses lowercase', () => {
  const list = [remote('r1', { projectId: 'p1' })]
  expect(matchOrder(sent(), list, true)).toMatchObject({ outcome: 'listed', order: { id: 'r1' } })
})

const { negativeTolerance: _, positiveTolerance: _other, ...withoutNulls } = payload.form

test.each([
  ['as it was sent', {}],
  ['with numbers as text', { form: { ...payload.form, fireSetbacks: { ...payload.form.fireSetbacks, ridge: '18' } } }],
  ['with text as numbers', { form: { ...payload.form, sizedForValue: 100, moduleSpacingShort: 0.5 } }],
  ['without what was null', { form: withoutNulls }],
  ['with fields of its own', { form: { ...payload.form, version: 2 } }],
  ['without tier and time', { tierLevel: null, createdAt: null, isExpedited: null }],
])('the only new order with the same values %s is a match', (_name, changes) => {
  const order = remote('A', changes)
  expect(matchOrder(sent(), [order], true)).toEqual({ outcome: 'listed', order })
  // It matches in an incomplete list too.
  expect(matchOrder(sent(), [order], false)).toEqual({ outcome: 'listed', order })
})

test.each([
  ['has no form', { form: null }],
  ['has another tier', { tierLevel: 'other' }],
  ['is expedited', { isExpedited: true }],
  ['has another value', { form: { ...payload.form, sizedForValue: '101' } }],
  ['lacks a value', { form: { ...payload.form, fireSetbacks: { eave: 'undefined' } } }],
  ['has a value where none was', { form: { ...payload.form, positiveTolerance: 5 } }],
])('a new order that %s is a possible match, which the user decides', (_name, changes) => {
  const order = remote('A', changes)
  expect(matchOrder(sent(), [order], true)).toEqual({ outcome: 'similar', candidates: [order] })
})

test('of two new orders with the same values, neither is a certain match', () => {
  const equal = [remote('A'), remote('B')]
  const list = [...equal, remote('C', { form: null })]
  expect(matchOrder(sent(), list, true)).toEqual({ outcome: 'similar', candidates: equal })
})

test('an order that was given up and sent again is the latest of those that equal it, in any order of the list', () => {
  const attempts = [1, 2, 3, 4].map((second) => remote(`r${second}`, { createdAt: `2026-03-01T12:00:0${second}.000Z` }))
  fc.assert(
    fc.property(fc.shuffledSubarray(attempts, { minLength: 2 }), (list) => {
      const latest = list.toSorted((a, b) => a.id.localeCompare(b.id)).at(-1)
      const match = matchOrder(sent({ givenUp: list.length - 1 }), list, true)
      expect(match).toEqual({ outcome: 'listed', order: latest })
    }),
  )
})

test('earlier orders, other local orders, and orders of another project do not match', () => {
  const list = [remote('A'), remote('B'), remote('C', { projectId: 'P2' })]
  const known = { listedBefore: new Set(['A']), others: new Set(['B']), expected: new Set(['A', 'B']) }
  expect(matchOrder(sent(known), list, true)).toEqual({ outcome: 'not-listed' })
})

test('without an earlier list, the time shows that an order is new, but never that it is not', () => {
  const unknown = sent({ listedBefore: null, others: new Set(['A']), expected: new Set(['A']) })
  const match = (changes: Partial<RemoteServiceRequest>) =>
    matchOrder(unknown, [remote('A'), remote('B', changes)], true).outcome
  expect(match({ createdAt: '2026-03-01T11:50:00.000Z' })).toBe('listed')
  expect(match({ createdAt: null })).toBe('similar')
  // This machine's clock may be ahead by an hour, or a year.
  for (const createdAt of ['2026-03-01T11:00:00.000Z', '2025-03-01T12:00:00.000Z']) {
    expect([match({ createdAt }), match({ createdAt, form: null })]).toEqual(['similar', 'similar'])
  }
  expect(matchOrder(unknown, [remote('A')], true).outcome).toBe('not-listed')
})

test('an order that was not listed before is new, however wrong the clock', () => {
  expect(matchOrder(sent(), [remote('A', { createdAt: '2001-01-01T00:00:00.000Z' })], true).outcome).toBe('listed')
})

test('a list that is incomplete or lacks known orders never proves that an order was not placed', () => {
  const before = { listedBefore: new Set(['A']), expected: new Set(['A']) }
  expect(matchOrder(sent(before), [remote('A')], true).outcome).toBe('not-listed')
  expect(matchOrder(sent(before), [remote('A')], false).outcome).toBe('cannot-say')
  expect(matchOrder(sent({ listedBefore: new Set(['A']), expected: new Set(['A']) }), [], true).outcome).toBe(
    'cannot-say',
  )
})

test('a list without any known order proves nothing: it may lag, or contain finished designs only', () => {
  expect(matchOrder(sent(), [], true).outcome).toBe('cannot-say')
  expect(matchOrder(sent({ others: new Set(['B']) }), [remote('B')], true).outcome).toBe('cannot-say')
})

test('a list with the length of a page may lack the newest orders, whatever the service says', () => {
  const outcome = (length: number) => {
    const before = Array.from({ length }, (_order, index) => remote(`A${index}`))
    const ids = new Set(before.map(({ id }) => id))
    return matchOrder(sent({ listedBefore: ids, expected: ids }), before, true).outcome
  }
  expect([9, 11, 19, 24, 51].map(outcome)).toEqual(Array(5).fill('not-listed'))
  expect([10, 20, 25, 50, 100].map(outcome)).toEqual(Array(5).fill('cannot-say'))
})
