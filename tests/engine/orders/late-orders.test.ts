import { expect, test } from 'vitest'
import { createFollower } from '../../../electron/engine/orders/follow-orders.ts'
import { linkLateOrders } from '../../../electron/engine/orders/late-orders.ts'
import { recordListed } from '../../../electron/engine/orders/record-order.ts'
import { completeDraft, type OrderSession, type OrderWorld, orderWorld, placeReviewed } from './order-world.ts'

const minutes = 60_000
const everything = { offset: 0, limit: 50, search: '', filter: 'all' } as const

/**
 * Places an order whose answer is lost and that the service records late, and gives it up: by the service's list, or by
 * the user. `record` makes the service list it.
 */
async function givenUp(world: OrderWorld, { orders }: OrderSession, by: 'service' | 'person', texts = {}) {
  const record = world.service.recordOrdersLate()
  world.service.faults.add({
    route: 'serviceRequests',
    method: 'POST',
    count: 1,
    fault: { kind: 'reset', afterProcessing: true },
  })
  const { orderId } = completeDraft(orders, world.projectId, texts)
  expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'unconfirmed' })
  world.clock.pass(6 * minutes)
  if (by === 'service') await orders.check(orderId)
  else orders.resolve({ orderId, decision: 'not-placed' })
  expect(orders.get(orderId)).toMatchObject({ state: 'draft', settledBy: by, isLookedFor: true })
  return { orderId, record }
}

const sent = ({ service }: OrderWorld) => service.requests.count('serviceRequests', 'POST')

/** Returns the orders that are not only found at the service. */
const placedHere = (orders: OrderSession['orders']) =>
  orders.list(everything).items.filter(({ source }) => source !== 'service')

test.each(['service', 'person'] as const)(
  'an order that the service records after the %s said that it was not placed is found by a check',
  async (by) => {
    const world = await orderWorld({ existingOrders: 1 })
    await world.withOrders(async (session) => {
      const { orderId, record } = await givenUp(world, session, by)
      expect(await session.orders.check(orderId)).toMatchObject({ state: 'draft', isLookedFor: true })
      record()
      expect(await session.orders.check(orderId)).toMatchObject({
        state: 'placed',
        settledBy: 'service',
        serviceId: world.service.orders[1]?.id,
        status: 'ordered',
        problem: null,
        isLookedFor: false,
        lateOrders: [],
        payload: { projectId: world.projectId },
      })
      expect(placedHere(session.orders)).toHaveLength(1)
    })
  },
)

test('a draft whose order turns up late is not sent a second time, even if it is placed again just then', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  await world.withOrders(async (session) => {
    const { orders } = session
    const { orderId, record } = await givenUp(world, session, 'service')
    const { fingerprint } = await orders.review(orderId)
    record()
    expect(await orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true, again: true })).toMatchObject(
      {
        state: 'placed',
        serviceId: world.service.orders[1]?.id,
      },
    )
    await expect(orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true })).rejects.toMatchObject({
      code: 'wrong-usage',
    })
    expect(sent(world)).toBe(1)
  })
})

test('the watch looks for an order that was given up for 30 days, and links it', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  await world.withOrders(async (session) => {
    const { orders, deps } = session
    const { orderId, record } = await givenUp(world, session, 'service')
    const { signal } = new AbortController()
    const polls = () => world.service.requests.count('serviceRequests', 'GET')
    // A new process has a new follower.
    const follower = createFollower(deps)
    const before = polls()
    for (let hour = 0; hour < 29 * 24; hour++) {
      world.clock.pass(60 * minutes)
      await follower.followDue(signal)
    }
    // Hourly on the first day, every six hours after that.
    expect(polls() - before).toBeGreaterThan(24 + 28 * 4 - 5)
    expect(polls() - before).toBeLessThan(24 + 28 * 4 + 5)
    record()
    world.clock.pass(7 * 60 * minutes)
    await follower.followDue(signal)
    expect(orders.get(orderId)).toMatchObject({ state: 'placed', settledBy: 'service' })
    expect(orders.list(everything)).toMatchObject({ total: 2, items: [{}, { source: 'service' }] })
  })
  await world.withOrders(async (session) => {
    const { orderId } = await givenUp(world, session, 'person', { homeownerName: 'Ana Ortiz' })
    world.clock.pass(31 * 24 * 60 * minutes)
    expect(session.orders.get(orderId)).toMatchObject({ isLookedFor: false })
  })
})

test('a late order beside a draft that was changed is listed, and the draft needs a confirmation', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  await world.withOrders(async (session) => {
    const { orders, store } = session
    const { orderId, record } = await givenUp(world, session, 'service')
    const { revision, texts } = orders.get(orderId)
    orders.saveDraft({ orderId, revision, texts: { ...texts, sizedForValue: '90' }, region: null })
    record()
    const serviceId = world.service.orders[1]?.id
    const draft = await orders.check(orderId)
    expect(draft).toMatchObject({ state: 'draft', lateOrders: [{ serviceId }], isLookedFor: false })
    expect(draft.problem?.message).toContain('the service has two orders')
    const [late] = draft.lateOrders
    expect(orders.get(late?.orderId ?? 0)).toMatchObject({ state: 'placed', lateFor: orderId, serviceId })
    const log = store.activity.list({ before: null, after: null, kinds: null, projectId: null, limit: 1 })
    const facts = JSON.stringify({ orderId: late?.orderId, lateFor: orderId })
    expect(log).toMatchObject([{ kind: 'order-late', facts }])
    expect(await orders.review(orderId)).toMatchObject({ duplicates: [{ orderId: late?.orderId, state: 'placed' }] })
    await expect(placeReviewed(orders, orderId)).rejects.toMatchObject({ code: 'wrong-usage' })
    expect(await placeReviewed(orders, orderId, true)).toMatchObject({ state: 'placed' })
  })
})

test('windows show what the list says at once: a new order, a new status, and a late order beside its changed draft', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  await world.withOrders(async ({ orders, ...session }) => {
    const { orderId, record } = await givenUp(world, { orders, ...session }, 'service')
    const { revision, texts } = orders.get(orderId)
    orders.saveDraft({ orderId, revision, texts: { ...texts, sizedForValue: '90' }, region: null })
    record()
    const changed: number[] = []
    const deps = { ...session.deps, onChanged: (id: number) => void changed.push(id) }
    const [known, late] = await deps.client.listServiceRequests(world.projectId)
    if (known === undefined || late === undefined) return expect.fail('not listed')
    const idOf = ({ id }: { id: string }) => session.store.orders.ofServiceId(id)?.orderId
    const found = { ...known, id: 'new-1' }
    await recordListed(deps, world.projectId, [found, { ...known, status: 'inDesign' }])
    expect(changed.splice(0)).toEqual([idOf(found), idOf(known)])
    linkLateOrders(deps, world.projectId, { orders: [known, late], isComplete: true })
    expect(changed).toEqual([idOf(late), orderId])
  })
})

test('a late order beside one that was placed again, or whose draft was removed, is listed', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  await world.withOrders(async (session) => {
    const { orders } = session
    const { orderId, record } = await givenUp(world, session, 'service')
    // Before the service records the first one.
    const second = await placeReviewed(orders, orderId)
    expect(second).toMatchObject({ state: 'placed', settledBy: 'answer', isLookedFor: true })
    record()
    const checked = await orders.check(orderId)
    expect(checked).toMatchObject({ state: 'placed', serviceId: second.serviceId, lateOrders: [{}] })
    expect(orders.get(checked.lateOrders[0]?.orderId ?? 0)).toMatchObject({ lateFor: orderId, state: 'placed' })
    expect(placedHere(orders)).toHaveLength(2)
  })
  await world.withOrders(async (session) => {
    const { orders } = session
    const { orderId, record } = await givenUp(world, session, 'person', { homeownerName: 'Ana Ortiz' })
    orders.discard(orderId)
    record()
    await createFollower(session.deps).refresh(world.projectId, new AbortController().signal)
    const ids = orders.list(everything).items.map(({ serviceId }) => serviceId)
    expect(ids.sort()).toEqual(world.service.orders.map(({ id }) => id).sort())
    expect(orders.list(everything).items.filter(({ source }) => source === 'service')).toHaveLength(1)
  })
})

test('a new order that may be the one given up, with values changed by the service, needs a confirmation', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  await world.withOrders(async (session) => {
    const { orders } = session
    const { orderId } = await givenUp(world, session, 'service')
    const [existing] = world.service.orders
    const body = JSON.stringify([existing, { ...existing, id: 'new-1', tierLevel: 'changedByTheService' }])
    world.service.faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'body', body } })
    const { duplicates } = await orders.review(orderId)
    expect(duplicates).toMatchObject([{ match: 'possible', serviceId: 'new-1' }])
    await expect(placeReviewed(orders, orderId)).rejects.toMatchObject({ code: 'wrong-usage' })
    expect(sent(world)).toBe(1)
    expect(await placeReviewed(orders, orderId, true)).toMatchObject({ state: 'placed' })
  })
})

test('an order that was given up and removed needs a confirmation as well if it is ordered once more', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  await world.withOrders(async (session) => {
    const { orders } = session
    const lost = await givenUp(world, session, 'service')
    orders.discard(lost.orderId)
    const [existing] = world.service.orders
    const body = JSON.stringify([existing, { ...existing, id: 'new-1', tierLevel: 'changedByTheService' }])
    world.service.faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'body', body } })
    const { orderId } = completeDraft(orders, world.projectId)
    expect((await orders.review(orderId)).duplicates).toMatchObject([{ match: 'possible', serviceId: 'new-1' }])
    await expect(placeReviewed(orders, orderId)).rejects.toMatchObject({ code: 'wrong-usage' })
    expect(sent(world)).toBe(1)
    expect(await placeReviewed(orders, orderId, true)).toMatchObject({ state: 'placed' })
    // Another order of the project asks nothing.
    const other = completeDraft(orders, world.projectId, { homeownerName: 'Ana Ortiz' })
    expect((await orders.review(other.orderId)).duplicates).toEqual([])
  })
})

test('an order that was given up after the clock was ahead needs a confirmation if its list was not read before', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  await world.withOrders(async (session) => {
    const { orders } = session
    const hidden = world.service.faults.add({
      route: 'serviceRequests',
      method: 'GET',
      fault: { kind: 'status', status: 404 },
    })
    world.clock.set(60 * minutes)
    const { orderId, record } = await givenUp(world, session, 'person')
    hidden.remove()
    record()
    const listed = world.service.orders.map((order) => ({ ...order, form: undefined }))
    const body = JSON.stringify(listed)
    world.service.faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'body', body } })
    const { duplicates } = await orders.review(orderId)
    const mayBe = listed.map(({ id }) => ({ match: 'possible', serviceId: id }))
    expect(duplicates).toMatchObject(mayBe)
    expect(mayBe).toHaveLength(2)
    await expect(placeReviewed(orders, orderId)).rejects.toMatchObject({ code: 'wrong-usage' })
    expect(sent(world)).toBe(1)
  })
})

test('two attempts of one order, both recorded late, are both found, none as a third order', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  await world.withOrders(async (session) => {
    const { orders } = session
    const { orderId, record } = await givenUp(world, session, 'service')
    world.service.faults.add({
      route: 'serviceRequests',
      method: 'POST',
      count: 1,
      fault: { kind: 'reset', afterProcessing: true },
    })
    expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'unconfirmed' })
    record()
    const checked = await orders.check(orderId)
    expect(checked).toMatchObject({ state: 'placed', serviceId: world.service.orders[2]?.id })
    expect(checked.lateOrders).toMatchObject([{ serviceId: world.service.orders[1]?.id }])
    expect(placedHere(orders)).toHaveLength(2)
  })
})

test.each([
  ['of unknown outcome', false],
  ['that a user marked as placed', true],
])('an order %s is not taken for an earlier one that differs in what the service omits', async (_, isMarked) => {
  const world = await orderWorld({ existingOrders: 1 })
  const { faults } = world.service
  const lose = (afterProcessing: boolean) =>
    faults.add({ route: 'serviceRequests', method: 'POST', count: 1, fault: { kind: 'reset', afterProcessing } })
  await world.withOrders(async ({ orders }) => {
    lose(false)
    const { orderId: earlier } = completeDraft(orders, world.projectId)
    expect(await placeReviewed(orders, earlier)).toMatchObject({ state: 'unconfirmed' })
    world.clock.pass(6 * minutes)
    orders.resolve({ orderId: earlier, decision: 'not-placed' })
    lose(true)
    const hidden = faults.add({
      route: 'serviceRequests',
      method: 'GET',
      skip: 2,
      fault: { kind: 'status', status: 404 },
    })
    const { orderId } = completeDraft(orders, world.projectId, { upgrade: 'yes' })
    expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'unconfirmed' })
    if (isMarked) orders.resolve({ orderId, decision: 'placed' })
    hidden.remove()
    await orders.review(completeDraft(orders, world.projectId, { homeownerName: 'Ana Ortiz' }).orderId)
    expect(orders.get(earlier)).toMatchObject({ state: 'draft', isLookedFor: true })
    const serviceId = world.service.orders[1]?.id ?? ''
    if (isMarked) return expect(orders.get(orderId)).toMatchObject({ state: 'placed', serviceId })
    const asked = { outcome: 'similar', candidates: [{ id: serviceId }] }
    expect(await orders.check(orderId), 'nor for the later one').toMatchObject({ state: 'unconfirmed', asked })
    orders.resolve({ orderId, decision: 'placed', serviceId })
    expect(await orders.check(earlier)).toMatchObject({ state: 'draft', isLookedFor: true })
  })
})

test('a late order is not taken for a later one of unknown outcome that only looks the same in the list', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  const { faults } = world.service
  await world.withOrders(async (session) => {
    const { orders } = session
    const { orderId: late, record } = await givenUp(world, session, 'service')
    faults.add({ route: 'serviceRequests', method: 'POST', count: 1, fault: { kind: 'reset' } })
    const { orderId: lost } = completeDraft(orders, world.projectId, { upgrade: 'yes' })
    expect(await placeReviewed(orders, lost, true)).toMatchObject({ state: 'unconfirmed' })
    record()
    const serviceId = world.service.orders[1]?.id
    const asked = { outcome: 'similar', candidates: [{ id: serviceId }] }
    expect(await orders.check(lost)).toMatchObject({ state: 'unconfirmed', asked })
    expect(orders.get(late)).toMatchObject({ state: 'draft', isLookedFor: true })
    world.clock.pass(6 * minutes)
    orders.resolve({ orderId: lost, decision: 'not-placed' })
    expect(await orders.check(late)).toMatchObject({ state: 'placed', serviceId })
  })
})

test('a late order beside a later one that was marked as placed is found without the watch', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  const { faults } = world.service
  await world.withOrders(async (session) => {
    const { orders } = session
    const { orderId, record } = await givenUp(world, session, 'service')
    const fault = { kind: 'reset', afterProcessing: true } as const
    faults.add({ route: 'serviceRequests', method: 'POST', count: 1, fault })
    const hidden = faults.add({
      route: 'serviceRequests',
      method: 'GET',
      skip: 2,
      fault: { kind: 'status', status: 404 },
    })
    expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'unconfirmed' })
    orders.resolve({ orderId, decision: 'placed' })
    hidden.remove()
    record()
    await orders.review(completeDraft(orders, world.projectId, { homeownerName: 'Ana Ortiz' }).orderId)
    const [, late, own] = world.service.orders
    expect(orders.get(orderId)).toMatchObject({ serviceId: own?.id, lateOrders: [{ serviceId: late?.id }] })
  })
})

test('an order at another service does not keep a late order of this one from being found', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  const other = await orderWorld()
  const { orderId, record } = await world.withOrders((session) => givenUp(world, session, 'service'))
  await world.withOrders(
    async ({ orders }) => {
      other.service.faults.add({ route: 'serviceRequests', method: 'POST', fault: { kind: 'reset' } })
      const same = completeDraft(orders, world.projectId)
      expect(await placeReviewed(orders, same.orderId)).toMatchObject({ state: 'unconfirmed' })
      orders.resolve({ orderId: same.orderId, decision: 'placed' })
    },
    { url: other.service.url, token: other.service.token },
  )
  record()
  await world.withOrders(async ({ orders }) => {
    const serviceId = world.service.orders[1]?.id
    expect(await orders.check(orderId)).toMatchObject({ state: 'placed', serviceId })
  })
})
