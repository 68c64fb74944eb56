import { expect, test } from 'vitest'
import { otherServiceOf } from '../../../electron/engine/orders/order-deps.ts'
import { recordFound, recordListed } from '../../../electron/engine/orders/record-order.ts'
import type { RemoteServiceRequest } from '../../../electron/engine/service/service-types.ts'
import { completeDraft, type OrderDesk, type OrderWorld, orderWorld, placeReviewed } from './order-world.ts'

const minutes = 60_000
const wrongUsage = expect.objectContaining({ code: 'wrong-usage' }) as Error
const lose = ({ service }: OrderWorld, afterProcessing: boolean) =>
  service.faults.add({ route: 'serviceRequests', method: 'POST', fault: { kind: 'reset', afterProcessing }, count: 1 })
const hideList = ({ service }: OrderWorld, skip = 0) =>
  service.faults.add({ route: 'serviceRequests', method: 'GET', skip, fault: { kind: 'status', status: 404 } })

/** An order whose answer was lost, and of which the list said nothing: after its review, and the look right before it was sent. */
async function unconfirmed(world: OrderWorld, { orders }: OrderDesk, isTaken: boolean): Promise<number> {
  lose(world, isTaken)
  const hidden = hideList(world, 2)
  const { orderId } = completeDraft(orders, world.projectId)
  expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'unconfirmed', asked: { outcome: 'cannot-say' } })
  hidden.remove()
  return orderId
}

test('an order that the service does not list is a draft again once no answer can be on its way, and not before', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  await world.atDesk(async (desk) => {
    const { orders } = desk
    const orderId = await unconfirmed(world, desk, false)
    const { decidableAt, sentAt } = orders.get(orderId)
    expect(Date.parse(decidableAt ?? '') - Date.parse(sentAt ?? '')).toBe(5 * minutes)
    expect(() => orders.resolve({ orderId, decision: 'not-placed' })).toThrow(wrongUsage)
    expect(await orders.resolveWaiting()).toBe(1)
    expect(orders.get(orderId)).toMatchObject({ state: 'unconfirmed', asked: { outcome: 'not-listed' } })
    world.clock.set(60 * minutes)
    expect(await orders.resolveWaiting(), 'a clock that is set is no time that passes').toBe(1)
    world.clock.set(-60 * minutes)
    world.clock.pass(5 * minutes)
    expect(await orders.resolveWaiting()).toBe(0)
    expect(
      orders.get(orderId),
      'it still says that it was sent, and how it is known that it was not placed',
    ).toMatchObject({
      ...{ state: 'draft', payload: null, decidableAt: null, sentAt, settledBy: 'service' },
      ...{
        asked: { outcome: 'not-listed', candidates: [] },
        problem: { message: expect.stringContaining('not placed') as string },
      },
    })
    orders.create({ projectId: world.projectId })
    const notPlaced = orders.list({ offset: 0, limit: 5, search: '', filter: 'not-placed' })
    expect(notPlaced).toMatchObject({ total: 1, items: [{ orderId }], counts: { all: 2, drafts: 1, notPlaced: 1 } })
    expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'placed', asked: null, settledBy: 'answer' })
    expect(world.service.orders).toHaveLength(2)
  })
})

test('an empty list never says that an order was not placed: the person does', async () => {
  const world = await orderWorld()
  await world.atDesk(async (desk) => {
    const { orders } = desk
    const orderId = await unconfirmed(world, desk, false)
    world.clock.pass(24 * 60 * minutes)
    expect(await orders.resolveWaiting()).toBe(1)
    expect(orders.get(orderId)).toMatchObject({ state: 'unconfirmed', asked: { outcome: 'cannot-say' } })
    expect(orders.resolve({ orderId, decision: 'not-placed' })).toMatchObject({ state: 'draft', settledBy: 'person' })
  })
})

test('a clock that was set back years keeps nobody waiting for years', async () => {
  const world = await orderWorld()
  const orderId = await world.atDesk((desk) => unconfirmed(world, desk, false))
  world.clock.set(-3 * 365 * 24 * 60 * minutes)
  await world.atDesk(async ({ orders }) => {
    expect(await orders.resolveWaiting()).toBe(1)
    expect(() => orders.resolve({ orderId, decision: 'not-placed' })).toThrow(wrongUsage)
    world.clock.pass(6 * minutes)
    expect(orders.resolve({ orderId, decision: 'not-placed' })).toMatchObject({ state: 'draft' })
  })
})

test('an order that arrived at the service is found as soon as its list answers', async () => {
  const world = await orderWorld()
  await world.atDesk(async (desk) => {
    const orderId = await unconfirmed(world, desk, true)
    expect(await desk.orders.check(orderId)).toMatchObject({
      state: 'placed',
      settledBy: 'service',
      serviceId: world.service.orders[0]?.id,
      asked: { outcome: 'listed' },
    })
    expect(
      desk.store.activity.list({ before: null, after: null, kinds: null, projectId: null, limit: 9 }),
    ).toMatchObject([{ kind: 'order-settled' }, { kind: 'order-unconfirmed' }])
  })
})

test('what a person finds out is believed, but for an id that another order has', async () => {
  const world = await orderWorld()
  await world.atDesk(async (desk) => {
    const { orders } = desk
    const first = completeDraft(orders, world.projectId, { homeownerName: 'Ana Ortiz' })
    await placeReviewed(orders, first.orderId)
    const orderId = await unconfirmed(world, desk, true)
    const taken = orders.get(first.orderId).serviceId ?? ''
    expect(() => orders.resolve({ orderId, decision: 'placed', serviceId: taken })).toThrow(wrongUsage)
    const serviceId = world.service.orders[1]?.id ?? ''
    const resolved = orders.resolve({ orderId, decision: 'placed', serviceId })
    expect(resolved).toMatchObject({ state: 'placed', settledBy: 'person', serviceId, status: null })
    expect(() => orders.resolve({ orderId, decision: 'not-placed' })).toThrow(wrongUsage)
    world.service.setOrderStatus(serviceId, 'inProgress')
    expect(await orders.check(orderId)).toMatchObject({ status: 'inProgress', history: [{ status: 'inProgress' }] })
  })
})

test('an order that was placed by a person’s word is found in the list later', async () => {
  const world = await orderWorld()
  await world.atDesk(async (desk) => {
    const orderId = await unconfirmed(world, desk, true)
    expect(desk.orders.resolve({ orderId, decision: 'placed' })).toMatchObject({ serviceId: null })
    expect(await desk.orders.check(orderId)).toMatchObject({
      serviceId: world.service.orders[0]?.id,
      status: 'ordered',
    })
  })
})

test('a new order that only resembles it is shown to the person, who decides', async () => {
  const world = await orderWorld()
  await world.atDesk(async (desk) => {
    const { orders } = desk
    const orderId = await unconfirmed(world, desk, false)
    const other = await orderWorld()
    await other.atDesk(
      async (elsewhere) => {
        const { orderId: otherId } = completeDraft(elsewhere.orders, world.projectId, { sizedForValue: '90' })
        await placeReviewed(elsewhere.orders, otherId)
      },
      { url: world.service.url, token: world.service.token },
    )
    world.clock.pass(10 * minutes)
    const asked = { outcome: 'similar', candidates: [{ id: world.service.orders[0]?.id }] }
    expect(await orders.check(orderId)).toMatchObject({ state: 'unconfirmed', asked })
    expect(orders.resolve({ orderId, decision: 'not-placed' })).toMatchObject({ state: 'draft', asked: null })
  })
})

test('an order that was found in the list before it was known to be this one is not there twice', async () => {
  const world = await orderWorld()
  await world.atDesk(async (desk) => {
    const { orders, deps, store } = desk
    const orderId = await unconfirmed(world, desk, true)
    const [found] = await deps.client.listServiceRequests(world.projectId)
    if (found === undefined) throw new Error('The service lost it')
    const foundId = recordFound(deps, world.projectId, found)
    expect(orders.get(foundId)).toMatchObject({ source: 'service', homeownerName: 'Ruth Sato', status: 'ordered' })
    expect(await orders.check(orderId)).toMatchObject({ state: 'placed', serviceId: found.id })
    expect(store.orders.get(foundId)).toBeUndefined()
    expect(orders.list({ offset: 0, limit: 5, search: '', filter: 'all' })).toMatchObject({ total: 1 })
  })
})

test('another service says nothing of an order that was sent to this one', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  const other = await orderWorld({ existingOrders: 1 })
  const orderId = await world.atDesk((desk) => unconfirmed(world, desk, true))
  const elsewhere = { url: `${other.service.url}/`, token: other.service.token }
  const before = other.service.requests.count('serviceRequests')
  await world.atDesk(async ({ orders, deps, store }) => {
    world.clock.pass(60 * minutes)
    await expect(orders.check(orderId)).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining(world.service.url) as string,
    })
    expect(await orders.resolveWaiting(), 'it is left').toBe(1)
    expect(store.orderPolls.projects(deps.service), 'and not followed').toEqual([])
    expect(orders.get(orderId)).toMatchObject({ state: 'unconfirmed', otherService: world.service.url })
    expect(other.service.requests.count('serviceRequests')).toBe(before)
    const same = completeDraft(orders, world.projectId)
    await expect(placeReviewed(orders, same.orderId), 'nor sent there').rejects.toThrow(wrongUsage)
  }, elsewhere)
  expect(other.service.orders).toHaveLength(1)
  await world.atDesk(async ({ orders }) => {
    expect(await orders.check(orderId)).toMatchObject({ state: 'placed', settledBy: 'service', otherService: null })
  })
  await world.atDesk(async ({ orders, deps, store }) => {
    await expect(orders.check(orderId)).rejects.toMatchObject({ code: 'not-found' })
    const [own] = await deps.client.listServiceRequests(other.projectId)
    const sameId = { ...own, id: orders.get(orderId).serviceId ?? '', status: 'cancelled' } as RemoteServiceRequest
    await recordListed(deps, world.projectId, [sameId])
    expect(store.orders.get(orderId)?.status, 'of the same id').toBe('ordered')
  }, elsewhere)
})

test('an order of which it is not recorded where it was sent counts as one of this service', async () => {
  const world = await orderWorld()
  await world.atDesk(async (desk) => {
    const orderId = await unconfirmed(world, desk, true)
    const row = desk.store.orders.get(orderId)
    expect(row?.service).toBe(world.service.url)
    expect(otherServiceOf(desk.deps, { service: null })).toBeNull()
    expect(otherServiceOf({ service: 'https://b.example' }, { service: 'https://a.example' })).toBe('https://a.example')
  })
})

test('a draft of a database that was restored is not sent where nobody can tell whether it was already', async () => {
  const world = await orderWorld()
  await world.atDesk(async ({ orders, store }) => {
    const { orderId } = completeDraft(orders, world.projectId)
    store.orders.mayBeMissing(new Date().toISOString())
    expect(orders.get(orderId).isRestored).toBe(true)
    const later = completeDraft(orders, world.projectId)
    expect(orders.get(later.orderId).isRestored, 'made after it').toBe(true)
    orders.discard(later.orderId)
    const hidden = hideList(world)
    await expect(placeReviewed(orders, orderId)).rejects.toMatchObject({ code: 'wrong-usage' })
    expect(world.service.orders).toHaveLength(0)
    hidden.remove()
    expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'placed', isRestored: false })
  })
})
