import { expect, test } from 'vitest'
import { differingFields } from '../../../electron/engine/orders/match-order.ts'
import type { RemoteServiceRequest } from '../../../electron/engine/service/service-types.ts'
import { exampleOrder } from '../../../electron/sample-service/orders/order-book.ts'
import { readOrderJson, readOrder } from '../../../shared/order/order-payload.ts'

const house = { id: '6a2f00c41d77b93a5e081f2b', address: '1 Main St', homeownerName: 'Ruth Sato' }
const reading = readOrder(readOrderJson(exampleOrder(house)).texts)
if (!reading.ok) throw new Error('The order is not complete')
const { payload } = reading

const remote = (form: RemoteServiceRequest['form'], tierLevel: string | null = 'maxFill') =>
  ({ form, tierLevel, isExpedited: null }) as RemoteServiceRequest

test("the service's order is compared with the payload field by field", () => {
  expect(differingFields(payload, remote({ ...payload.form }))).toEqual([])
  const { fireSetbacks } = payload.form
  expect(differingFields(payload, remote({ ...payload.form, fireSetbacks: { ...fireSetbacks, ridge: '18' } }))).toEqual(
    [],
  )
  expect(
    differingFields(
      payload,
      remote({ ...payload.form, sizedForValue: '120', fireSetbacks: { ...fireSetbacks, ridge: 36 } }, 'basic'),
    ),
  ).toEqual(['tierLevel', 'sizedForValue', 'ridge'])
})

test('the differences are unknown if the service does not return the form', () => {
  expect(differingFields(payload, remote(null))).toBeNull()
})
