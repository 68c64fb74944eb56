import { expect, test } from 'vitest'
import { orderRequests } from '../../../renderer/transport/request-order.ts'

test('an answer that a newer one overtook is dropped, a slow one is used', () => {
  const begin = orderRequests()
  const [first, second, third] = [begin(), begin(), begin()]
  expect(second()).toBe(true)
  expect(first()).toBe(false)
  expect(third()).toBe(true)
})
