import Database from 'better-sqlite3'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFollower } from '../../../electron/engine/orders/follow-orders.ts'
import { otherServiceOf, whereFollowed } from '../../../electron/engine/orders/order-deps.ts'
import { recordFound, recordListed } from '../../../electron/engine/orders/record-order.ts'
import { readServiceRequestList } from '../../../electron/engine/service/readers/read-service-requests.ts'
import type { RemoteServiceRequest } from '../../../electron/engine/service/service-types.ts'
import type { OrderTexts } from '../../../shared/order/order-fields.ts'
import { seenRestored } from '../../../shared/order/order-views.ts'
import {
  checkUnconfirmed,
  completeDraft,
  type OrderSession,
  type OrderWorld,
  orderWorld,
  placeReviewed,
} from './order-world.ts'

const minutes = 60_000
const wrongUsage = expect.objectContaining({ code: 'wrong-usage' }) as Error
const lose = ({ service }: OrderWorld, afterProcessing: boolean) =>
  service.faults.add({ route: 'serviceRequests', method: 'POST', fault: { kind: 'reset', afterProcessing }, count: 1 })
const hideList = ({ service }: OrderWorld, skip = 0) =>
  service.faults.add({ route: 'serviceRequests', method: 'GET', skip, fault: { kind: 'status', status: 404 } })

/** Places an order whose response is lost, while the list is unavailable after the checks before sending. */
async function unconfirmed(
  world: OrderWorld,
  { orders }: OrderSession,
  isTaken: boolean,
  texts: OrderTexts = {},
): Promise<number> {
  lose(world, isTaken)
  const hidden = hideList(world, 2)
  const { orderId } = completeDraft(orders, world.projectId, texts)
  expect(await placeReviewed(orders, orderId, true)).toMatchObject({
    state: 'unconfirmed',
    asked: { outcome: 'cannot-say' },
  })
  hidden.remove()
  return orderId
}

test('an unlisted order is a draft again once no response can be in flight, and not before', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  await world.withOrders(async (session) => {
    const { orders } = session
    const orderId = await unconfirmed(world, session, false)
    const { decidableAt, sentAt } = orders.get(orderId)
    expect(Date.parse(decidableAt ?? '') - Date.parse(sentAt ?? '')).toBe(5 * minutes)
    expect(() => orders.resolve({ orderId, decision: 'not-placed' })).toThrow(wrongUsage)
    expect(await checkUnconfirmed(orders)).toBe(1)
    expect(orders.get(orderId)).toMatchObject({ state: 'unconfirmed', asked: { outcome: 'not-listed' } })
    world.clock.set(60 * minutes)
    expect(await checkUnconfirmed(orders), 'a clock that is set is no time that passes').toBe(1)
    world.clock.set(-60 * minutes)
    world.clock.pass(5 * minutes)
    expect(await checkUnconfirmed(orders)).toBe(0)
    expect(
      orders.get(orderId),
      'it still says that it was sent, and how it is known that it was not placed',
    ).toMatchObject({
      state: 'draft',
      payload: null,
      decidableAt: null,
      sentAt,
      settledBy: 'service',
      asked: { outcome: 'not-listed', candidates: [] },
      problem: { message: expect.stringContaining('not placed') as string },
    })
    const settled = { before: null, after: null, kinds: ['order-settled'], projectId: null, limit: 9 } as const
    const facts = JSON.stringify({ orderId, outcome: 'not-placed', by: 'service' })
    expect(session.store.activity.list(settled)).toMatchObject([{ facts }])
    orders.create({ projectId: world.projectId })
    const notPlaced = orders.list({ offset: 0, limit: 5, search: '', filter: 'not-placed' })
    expect(notPlaced).toMatchObject({ total: 1, items: [{ orderId }], counts: { drafts: 1, notPlaced: 1, placed: 1 } })
    expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'placed', asked: null, settledBy: 'answer' })
    expect(world.service.orders).toHaveLength(2)
  })
})

test('a listed order that may be either of two orders is taken for neither: the user decides', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  await world.withOrders(async (session) => {
    const { orders } = session
    const lost = await unconfirmed(world, session, false)
    // The service does not repeat whether an order is an upgrade.
    const taken = await unconfirmed(world, session, true, { upgrade: 'yes' })
    world.clock.pass(6 * minutes)
    const serviceId = world.service.orders[1]?.id ?? ''
    for (const orderId of [lost, taken]) {
      const asked = { outcome: 'similar', candidates: [{ id: serviceId }] }
      expect(await orders.check(orderId)).toMatchObject({ state: 'unconfirmed', asked })
    }
    orders.resolve({ orderId: taken, decision: 'placed', serviceId })
    expect(await orders.check(lost)).toMatchObject({ state: 'draft', settledBy: 'service' })
  })
})

test('an older listed order does not count as one of two sent orders that look the same', async () => {
  let serviceClockMs = Date.now() - 24 * 60 * minutes
  const world = await orderWorld({ nowMs: () => serviceClockMs })
  const elsewhere = await orderWorld()
  await elsewhere.withOrders(
    async ({ orders }) => {
      await placeReviewed(orders, completeDraft(orders, world.projectId).orderId)
    },
    { url: world.service.url, token: world.service.token },
  )
  serviceClockMs = Date.now()
  await world.withOrders(async (session) => {
    const { orders } = session
    // Without a list before sending, the older order is only known by its time.
    const hidden = hideList(world)
    const lost = await unconfirmed(world, session, false)
    hidden.remove()
    const taken = await unconfirmed(world, session, true, { upgrade: 'yes' })
    const asked = { outcome: 'similar', candidates: [{ id: world.service.orders[1]?.id }] }
    for (const orderId of [lost, taken]) {
      expect(await orders.check(orderId)).toMatchObject({ state: 'unconfirmed', asked })
    }
  })
})

test('an order is found although another one of the project, with other values, is still of unknown outcome', async () => {
  const world = await orderWorld()
  await world.withOrders(async (session) => {
    const { orders } = session
    const lost = await unconfirmed(world, session, false, { homeownerName: 'Ana Ortiz' })
    const taken = await unconfirmed(world, session, true)
    const serviceId = world.service.orders[0]?.id
    expect(await orders.check(taken)).toMatchObject({ state: 'placed', serviceId })
    expect(orders.get(lost)).toMatchObject({ state: 'unconfirmed', serviceId: null })
  })
})

test.each(['lost', 'given up'])(
  'an order that is %s and listed later without a time was placed when it was sent',
  async (how) => {
    const world = await orderWorld()
    await world.withOrders(async (session) => {
      const { orders } = session
      const orderId = await unconfirmed(world, session, true)
      const { sentAt } = orders.get(orderId)
      world.clock.pass(6 * minutes)
      if (how === 'given up') orders.resolve({ orderId, decision: 'not-placed' })
      const body = JSON.stringify(world.service.orders.map((order) => ({ ...order, createdAt: undefined })))
      world.service.faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'body', body } })
      expect(await orders.check(orderId)).toMatchObject({ state: 'placed', settledBy: 'service', placedAt: sentAt })
    })
  },
)

test('two orders that look the same in the list are found if the service has both', async () => {
  const world = await orderWorld()
  await world.withOrders(async (session) => {
    const { orders } = session
    const first = await unconfirmed(world, session, true)
    const second = await unconfirmed(world, session, true, { upgrade: 'yes' })
    expect(await checkUnconfirmed(orders)).toBe(0)
    const ids = world.service.orders.map(({ id }) => id)
    expect([first, second].map((orderId) => orders.get(orderId).serviceId)).toEqual(ids)
  })
})

test('an empty list never proves that an order was not placed: the user decides', async () => {
  const world = await orderWorld()
  await world.withOrders(async (session) => {
    const { orders } = session
    const orderId = await unconfirmed(world, session, false)
    world.clock.pass(24 * 60 * minutes)
    expect(await checkUnconfirmed(orders)).toBe(1)
    expect(orders.get(orderId)).toMatchObject({ state: 'unconfirmed', asked: { outcome: 'cannot-say' } })
    expect(orders.resolve({ orderId, decision: 'not-placed' })).toMatchObject({ state: 'draft', settledBy: 'person' })
  })
})

test('without an earlier list, an order that was sent while the clock was ahead is left to the user', async () => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders }) => {
    await placeReviewed(orders, completeDraft(orders, world.projectId, { homeownerName: 'Ana Ortiz' }).orderId)
    const hidden = hideList(world)
    world.clock.set(60 * minutes)
    lose(world, true)
    const taken = completeDraft(orders, world.projectId)
    expect(await placeReviewed(orders, taken.orderId)).toMatchObject({ state: 'unconfirmed' })
    lose(world, false)
    const lost = completeDraft(orders, world.projectId, { homeownerName: 'Bo Lind' })
    expect(await placeReviewed(orders, lost.orderId, true)).toMatchObject({ state: 'unconfirmed' })
    hidden.remove()
    world.clock.pass(6 * minutes)
    const asked = { outcome: 'similar', candidates: [{ id: world.service.orders[1]?.id }] }
    for (const { orderId } of [taken, lost]) {
      expect(await orders.check(orderId)).toMatchObject({ state: 'unconfirmed', asked })
    }
    // Once one has it, nothing else in the list can be the other.
    orders.resolve({ orderId: taken.orderId, decision: 'placed', serviceId: asked.candidates[0]?.id ?? '' })
    expect(await orders.check(lost.orderId)).toMatchObject({ state: 'draft', settledBy: 'service' })
  })
})

test('a clock set back by years does not delay the result by years', async () => {
  const world = await orderWorld()
  const orderId = await world.withOrders((session) => unconfirmed(world, session, false))
  world.clock.set(-3 * 365 * 24 * 60 * minutes)
  await world.withOrders(async ({ orders }) => {
    expect(await checkUnconfirmed(orders)).toBe(1)
    expect(() => orders.resolve({ orderId, decision: 'not-placed' })).toThrow(wrongUsage)
    world.clock.pass(6 * minutes)
    expect(orders.resolve({ orderId, decision: 'not-placed' })).toMatchObject({ state: 'draft' })
  })
})

test('an order that reached the service is found as soon as its list is available', async () => {
  const world = await orderWorld()
  await world.withOrders(async (session) => {
    const orderId = await unconfirmed(world, session, true)
    expect(await session.orders.check(orderId)).toMatchObject({
      state: 'placed',
      settledBy: 'service',
      serviceId: world.service.orders[0]?.id,
      asked: { outcome: 'listed' },
    })
    expect(
      session.store.activity.list({ before: null, after: null, kinds: null, projectId: null, limit: 9 }),
    ).toMatchObject([{ kind: 'order-settled' }, { kind: 'order-unconfirmed' }])
  })
})

test("the user's decision is accepted, except for an id of another order", async () => {
  const world = await orderWorld()
  await world.withOrders(async (session) => {
    const { orders } = session
    const first = completeDraft(orders, world.projectId, { homeownerName: 'Ana Ortiz' })
    await placeReviewed(orders, first.orderId)
    const orderId = await unconfirmed(world, session, true)
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

test('an order marked as placed by the user is found in the list later', async () => {
  const world = await orderWorld()
  await world.withOrders(async (session) => {
    const orderId = await unconfirmed(world, session, true)
    expect(session.orders.resolve({ orderId, decision: 'placed' })).toMatchObject({ serviceId: null })
    expect(await session.orders.check(orderId)).toMatchObject({
      serviceId: world.service.orders[0]?.id,
      status: 'ordered',
    })
  })
})

test('an order marked as placed by the user is followed, also if the list had it as one of others', async () => {
  const world = await orderWorld()
  await world.withOrders(async (session) => {
    const { orders, deps } = session
    const orderId = await unconfirmed(world, session, true)
    orders.resolve({ orderId, decision: 'placed' })
    await recordListed(deps, world.projectId, await deps.client.listServiceRequests(world.projectId))
    expect(orders.list({ offset: 0, limit: 5, search: '', filter: 'all' }).total).toBe(2)
    const serviceId = world.service.orders[0]?.id ?? ''
    world.service.setOrderStatus(serviceId, 'inDesign')
    await createFollower(deps).refresh(world.projectId, new AbortController().signal)
    expect(orders.get(orderId)).toMatchObject({ source: 'app', serviceId, status: 'inDesign' })
    expect(orders.list({ offset: 0, limit: 5, search: '', filter: 'all' }).total).toBe(1)
  })
})

test('a listed order that may be two that were marked as placed is recorded as neither', async () => {
  const world = await orderWorld()
  await world.withOrders(async (session) => {
    const { orders, deps } = session
    const first = await unconfirmed(world, session, true)
    orders.resolve({ orderId: first, decision: 'placed' })
    const all = hideList(world)
    lose(world, false)
    const { orderId: second } = completeDraft(orders, world.projectId)
    expect(await placeReviewed(orders, second, true)).toMatchObject({ state: 'unconfirmed' })
    orders.resolve({ orderId: second, decision: 'placed' })
    all.remove()
    await createFollower(deps).refresh(world.projectId, new AbortController().signal)
    expect([first, second].map((orderId) => orders.get(orderId).serviceId)).toEqual([null, null])
    expect(orders.list({ offset: 0, limit: 5, search: '', filter: 'all' }).total).toBe(3)
  })
})

test('the check of an order that was marked as placed leaves a listed order that may be another one', async () => {
  const world = await orderWorld()
  await world.withOrders(async (session) => {
    const { orders } = session
    const marked = await unconfirmed(world, session, false)
    orders.resolve({ orderId: marked, decision: 'placed' })
    const taken = await unconfirmed(world, session, true, { upgrade: 'yes' })
    await expect(orders.check(marked)).rejects.toMatchObject({ code: 'not-found' })
    const asked = { outcome: 'similar', candidates: [{ id: world.service.orders[0]?.id }] }
    expect(orders.get(taken)).toMatchObject({ state: 'unconfirmed', asked })
    expect(orders.get(marked).serviceId).toBeNull()
  })
})

test('a new order that only resembles it is shown to the user, who decides', async () => {
  const world = await orderWorld()
  await world.withOrders(async (session) => {
    const { orders } = session
    const orderId = await unconfirmed(world, session, false)
    const other = await orderWorld()
    await other.withOrders(
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

test('an order settled with the ID of a listed one has its status and record at once', async () => {
  const world = await orderWorld()
  await world.withOrders(async (session) => {
    const { orders, deps, store } = session
    const orderId = await unconfirmed(world, session, true)
    const [found] = await deps.client.listServiceRequests(world.projectId)
    if (found === undefined) throw new Error('The service lost it')
    const { remote, history, followedAt } = orders.get(recordFound(deps, world.projectId, found))
    expect(orders.resolve({ orderId, decision: 'placed', serviceId: found.id })).toMatchObject({
      source: 'app',
      settledBy: 'person',
      serviceId: found.id,
      status: 'ordered',
      remote,
      history,
      followedAt,
    })
    expect(store.orderPolls.lastRemotes()).toHaveLength(1)
    expect(orders.list({ offset: 0, limit: 5, search: '', filter: 'all' }).total).toBe(1)
  })
})

test('an order is not settled with the ID of an order of another project', async () => {
  const world = await orderWorld({ projects: 2 })
  await world.withOrders(async (session) => {
    const { orders, deps, store } = session
    const orderId = await unconfirmed(world, session, true)
    const [found] = await deps.client.listServiceRequests(world.projectId)
    if (found === undefined) throw new Error('The service lost it')
    const otherId = world.service.projects[1]?.id ?? ''
    const foundId = recordFound(deps, otherId, { ...found, id: 'OTHER' })
    expect(() => orders.resolve({ orderId, decision: 'placed', serviceId: 'OTHER' })).toThrow(
      expect.objectContaining({ code: 'wrong-usage', message: expect.stringContaining('another project') as string }),
    )
    expect(orders.get(foundId)).toMatchObject({ projectId: otherId, serviceId: 'OTHER', status: 'ordered' })
    expect(orders.get(orderId).state).toBe('unconfirmed')
    // The service may write the ID of the project in other capitals.
    const ownId = recordFound(deps, world.projectId.toUpperCase(), found)
    expect(orders.resolve({ orderId, decision: 'placed', serviceId: found.id })).toMatchObject({ state: 'placed' })
    expect(store.orders.get(ownId)).toBeUndefined()
  })
})

/** Lets no outcome of an order be recorded, as on a full disk. Returns a function that ends it. */
function fillDisk({ home }: OrderWorld): () => void {
  const other = new Database(join(home, 'solarchive.sqlite3'))
  other.exec(`CREATE TRIGGER full_disk BEFORE UPDATE ON orders WHEN NEW.state IN ('placed', 'unconfirmed')
    BEGIN SELECT RAISE(ABORT, 'full'); END`)
  return () => {
    other.exec('DROP TRIGGER full_disk')
    other.close()
  }
}

test.each(['the watch', 'the user'])('an order whose outcome could not be recorded is resolved by %s', async (by) => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders, deps, store }) => {
    const follower = createFollower(deps)
    const { signal } = new AbortController()
    await follower.followDue(signal)
    const freeDisk = fillDisk(world)
    const { orderId } = completeDraft(orders, world.projectId)
    await expect(placeReviewed(orders, orderId)).rejects.toThrow('its outcome could not be recorded')
    freeDisk()
    expect(store.orders.get(orderId)?.state).toBe('submitting')
    if (by === 'the watch') {
      world.clock.pass(2 * minutes)
      await follower.followDue(signal)
    } else orders.resolve({ orderId, decision: 'placed' })
    expect(orders.get(orderId).state).toBe('placed')
    expect(world.service.orders).toHaveLength(1)
  })
})

test('an order whose outcome could not be recorded is unconfirmed at once, not shown as being sent', async () => {
  const world = await orderWorld()
  await world.withEngine(async ({ orders, events }) => {
    const { orderId } = completeDraft(orders, world.projectId)
    const states: string[] = []
    events.on('orders-changed', () => void states.push(orders.get(orderId).state))
    const freeDisk = fillDisk(world)
    await expect(placeReviewed(orders, orderId)).rejects.toThrow('its outcome could not be recorded')
    freeDisk()
    expect(states).toEqual(['submitting', 'unconfirmed'])
    expect(orders.list({ offset: 0, limit: 5, search: '', filter: 'unconfirmed' }).items).toMatchObject([
      { orderId, state: 'unconfirmed' },
    ])
    const { decidableAt, sentAt } = orders.get(orderId)
    expect(Date.parse(decidableAt ?? '')).toBeGreaterThan(Date.parse(sentAt ?? ''))
  })
})

/** Sends an order of which no answer comes, and records it once more, as found in the service's list. */
async function unconfirmedAndFound(world: OrderWorld, session: OrderSession) {
  const orderId = await unconfirmed(world, session, true)
  const [found] = await session.deps.client.listServiceRequests(world.projectId)
  if (found === undefined) throw new Error('The service lost it')
  return { orderId, found, foundId: recordFound(session.deps, world.projectId, found) }
}

test('an order listed before it was recognized as this one does not appear twice', async () => {
  const world = await orderWorld()
  await world.withOrders(async (session) => {
    const { orders, store } = session
    const { orderId, foundId, found } = await unconfirmedAndFound(world, session)
    expect(orders.get(foundId)).toMatchObject({ source: 'service', homeownerName: 'Ruth Sato', status: 'ordered' })
    expect(await orders.check(orderId)).toMatchObject({ state: 'placed', serviceId: found.id })
    expect(store.orders.get(foundId)).toBeUndefined()
    expect(orders.list({ offset: 0, limit: 5, search: '', filter: 'all' })).toMatchObject({ total: 1 })
  })
})

test('the check of an order that turns out to be one sent from here answers for that one', async () => {
  const world = await orderWorld()
  await world.withOrders(async (session) => {
    const { orders, store } = session
    const { orderId, foundId, found } = await unconfirmedAndFound(world, session)
    expect(await orders.check(foundId)).toMatchObject({ orderId, state: 'placed', serviceId: found.id })
    expect(store.orders.get(foundId)).toBeUndefined()
  })
})

test('another service proves nothing about an order sent to this one', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  const other = await orderWorld({ existingOrders: 1 })
  const orderId = await world.withOrders((session) => unconfirmed(world, session, true))
  const elsewhere = { url: `${other.service.url}/`, token: other.service.token }
  const before = other.service.requests.count('serviceRequests')
  await world.withOrders(async ({ orders, deps, store }) => {
    world.clock.pass(60 * minutes)
    await expect(orders.check(orderId)).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining(world.service.url) as string,
    })
    expect(store.orders.waiting(), 'it is left').toHaveLength(1)
    expect(store.orderPolls.projects(whereFollowed(deps)), 'and not followed').toEqual([])
    expect(orders.get(orderId)).toMatchObject({ state: 'unconfirmed', otherService: world.service.url })
    expect(other.service.requests.count('serviceRequests')).toBe(before)
    const same = completeDraft(orders, world.projectId)
    await expect(placeReviewed(orders, same.orderId), 'nor sent there').rejects.toThrow(wrongUsage)
  }, elsewhere)
  expect(other.service.orders).toHaveLength(1)
  await world.withOrders(async ({ orders }) => {
    expect(await orders.check(orderId)).toMatchObject({ state: 'placed', settledBy: 'service', otherService: null })
  })
  await world.withOrders(async ({ orders, deps, store }) => {
    await expect(orders.check(orderId)).rejects.toMatchObject({ code: 'not-found' })
    const [own] = await deps.client.listServiceRequests(other.projectId)
    const sameId = { ...own, id: orders.get(orderId).serviceId ?? '', status: 'cancelled' } as RemoteServiceRequest
    await recordListed(deps, world.projectId, [sameId])
    expect(store.orders.get(orderId)?.status, 'of the same id').toBe('ordered')
  }, elsewhere)
})

test.each(['found at', 'sent to'])(
  'an order %s another service is kept beside one of this with its id',
  async (how) => {
    const world = await orderWorld()
    const other = await orderWorld()
    const elsewhere = { url: other.service.url, token: other.service.token }
    const orderId = await world.withOrders((session) => unconfirmed(world, session, true))
    const serviceId = world.service.orders[0]?.id ?? ''
    const otherId = await world.withOrders(async ({ orders, deps }) => {
      const [found] = readServiceRequestList([{ id: serviceId, status: 'completed' }]).list
      if (how === 'found at' && found !== undefined) return recordFound(deps, other.projectId, found)
      lose(other, false)
      const draft = completeDraft(orders, other.projectId, { homeownerName: 'Ana Ortiz' })
      await placeReviewed(orders, draft.orderId, true)
      return orders.resolve({ orderId: draft.orderId, decision: 'placed', serviceId }).orderId
    }, elsewhere)
    await world.withOrders(async ({ orders }) => {
      expect(await orders.check(orderId)).toMatchObject({ state: 'placed', serviceId, status: 'ordered' })
      expect(orders.get(otherId)).toMatchObject({ state: 'placed', serviceId: null, projectId: other.projectId })
    })
  },
)

test('an order without a recorded service counts as sent to this one', async () => {
  const world = await orderWorld()
  await world.withOrders(async (session) => {
    const orderId = await unconfirmed(world, session, true)
    const row = session.store.orders.get(orderId)
    expect(row?.service).toBe(world.service.url)
    expect(otherServiceOf(session.deps, { service: null })).toBeNull()
    expect(otherServiceOf({ service: 'https://b.example' }, { service: 'https://a.example' })).toBe('https://a.example')
  })
})

test('a draft of a restored database is not sent while it may have been sent before', async () => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders, store }) => {
    const { orderId } = completeDraft(orders, world.projectId)
    store.orders.mayBeMissing(new Date().toISOString())
    expect(orders.get(orderId).isRestored).toBe(true)
    const later = completeDraft(orders, world.projectId)
    expect(orders.get(later.orderId).isRestored, 'made after it').toBe(true)
    orders.discard(later.orderId)
    const hidden = hideList(world)
    const refusal = { code: 'wrong-usage', details: { isRestored: true } }
    await expect(placeReviewed(orders, orderId)).rejects.toMatchObject(refusal)
    expect(world.service.orders).toHaveLength(0)
    hidden.remove()
    expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'placed', isRestored: false })
  })
})

test('a draft of a restored database is not sent beside an order that the database does not know', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  await world.withOrders(async ({ orders, store }) => {
    const { orderId } = completeDraft(orders, world.projectId)
    store.orders.mayBeMissing(new Date().toISOString())
    await expect(placeReviewed(orders, orderId)).rejects.toThrow('the service has an order of this project that may be')
    // A confirmation of something else does not cover it.
    const { fingerprint } = await orders.review(orderId)
    const place = (seen: string[]) => orders.place({ orderId, fingerprint: fingerprint ?? '', again: true, seen })
    await expect(place([])).rejects.toThrow('the service has an order of this project that may be')
    expect(world.service.orders).toHaveLength(1)
    expect(await place([seenRestored])).toMatchObject({ state: 'placed', isRestored: false })
    const next = completeDraft(orders, world.projectId, { homeownerName: 'Ann Lee' })
    await expect(placeReviewed(orders, next.orderId)).rejects.toThrow('the service has an order of this project')
  })
})
