import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Engine } from '../../../electron/engine/engine.ts'
import type { Orders } from '../../../electron/engine/orders/create-orders.ts'
import { recordListed } from '../../../electron/engine/orders/record-order.ts'
import { readServiceRequestList } from '../../../electron/engine/service/readers/read-service-requests.ts'
import type { Fault } from '../../../electron/sample-service/http/faults.ts'
import { AppError } from '../../../shared/errors.ts'
import { seenKey } from '../../../shared/order/order-views.ts'
import { closedPort, sendJson, withServer } from '../../support/with-server.ts'
import { checkUnconfirmed, completeDraft, type OrderWorld, orderWorld, placeReviewed } from './order-world.ts'

const post = (fault: Fault) => ({ route: 'serviceRequests', method: 'POST', fault, count: 1 }) as const
const list = (fault: Fault) => ({ route: 'serviceRequests', method: 'GET', fault }) as const
const sent = ({ service }: OrderWorld) => service.requests.count('serviceRequests', 'POST')

test('an order is sent once, byte for byte as reviewed, and has the status of the response', async () => {
  const world = await orderWorld()
  await withServer(
    ({ method }, response) =>
      sendJson(response, method === 'POST' ? { id: 'A', status: 'ordered', tierLevel: 'maxFill' } : []),
    ({ url, requests }) =>
      world.withOrders(
        async ({ orders, store }) => {
          const { orderId } = completeDraft(orders, world.projectId)
          const { payload } = await orders.review(orderId)
          expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'placed', serviceId: 'A', payload })
          const bodies = requests.filter(({ method }) => method === 'POST').map(({ body }) => body)
          expect(bodies).toEqual([store.orders.get(orderId)?.payload])
          expect(bodies).toEqual([JSON.stringify(payload)])
        },
        { url },
      ),
  )
})

test('an order is placed if the response names the address of the new order', async () => {
  const world = await orderWorld()
  await withServer(
    ({ method }, response) => {
      if (method === 'POST') sendJson(response.setHeader('location', '/orders/A'), { id: 'A', status: 'ordered' }, 201)
      else sendJson(response, [])
    },
    ({ url }) =>
      world.withOrders(
        async ({ orders }) => {
          const order = await placeReviewed(orders, completeDraft(orders, world.projectId).orderId)
          expect(order).toMatchObject({ state: 'placed', serviceId: 'A', settledBy: 'answer' })
        },
        { url },
      ),
  )
})

test('a placed order shows the response of the service, and is neither placed again nor removed', async () => {
  const world = await orderWorld()
  await world.withEngine(async (engine) => {
    const { orders, events } = engine
    const changed: unknown[] = []
    events.on('orders-changed', ({ orderId }) => changed.push(orderId))
    const { orderId } = completeDraft(orders, world.projectId)
    const order = await placeReviewed(orders, orderId)
    const [remote] = world.service.orders
    expect(order).toMatchObject({ state: 'placed', serviceId: remote?.id, status: 'ordered', settledBy: 'answer' })
    expect(order.placedAt).toBe(remote?.createdAt)
    expect(order.history).toMatchObject([{ status: 'ordered', changedAt: remote?.updatedAt }])
    expect(new Set(changed)).toEqual(new Set([orderId]))
    expect(engine.activity({ limit: 50 }).items).toMatchObject([{ kind: 'order-placed' }, { kind: 'projects-added' }])
    await expect(placeReviewed(orders, orderId)).rejects.toMatchObject({ code: 'wrong-usage' })
    await expect(orders.place({ orderId, fingerprint: 'x' })).rejects.toMatchObject({ code: 'wrong-usage' })
    expect(() => orders.discard(orderId)).toThrow(expect.objectContaining({ code: 'wrong-usage' }) as Error)
    expect(sent(world)).toBe(1)
  })
})

const problems = [
  ['a list of fields', { details: [{ field: 'form.homeownerName', message: 'is required' }] }],
  ['an object of fields', { errors: { 'form.homeownerName': ['is required'] } }],
  ['paths in parts', { issues: [{ path: ['form', 'homeownerName'], message: 'is required' }] }],
  ['pointers', { errors: [{ instancePath: '/form/homeownerName', message: 'is required' }] }],
] as const
test.each(problems)('a rejection that names a field by %s is shown at that field', async (_, body) => {
  const world = await orderWorld()
  world.service.faults.add(post({ kind: 'body', status: 400, body: JSON.stringify(body) }))
  await world.withOrders(async ({ orders }) => {
    const { orderId } = completeDraft(orders, world.projectId)
    expect(await placeReviewed(orders, orderId)).toMatchObject({
      state: 'draft',
      payload: null,
      problem: { code: 'rejected' },
      fieldProblems: [{ field: 'homeownerName', message: 'is required' }],
    })
    expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'placed', problem: null, fieldProblems: [] })
    expect(world.service.orders).toHaveLength(1)
  })
})

const refusals = [
  [400, 'rejected'],
  [401, 'token-refused'],
  [403, 'no-permission'],
  [404, 'not-found'],
  [409, 'service-error'],
  [422, 'rejected'],
  [429, 'rate-limited'],
] as const
test.each(refusals)('after a response of %i an order is a draft again, with the reason', async (status, code) => {
  const world = await orderWorld()
  world.service.faults.add(post({ kind: 'status', status }))
  await world.withOrders(async ({ orders }) => {
    const { orderId } = completeDraft(orders, world.projectId)
    expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'draft', problem: { code }, asked: null })
    expect([sent(world), world.service.orders.length]).toEqual([1, 0])
  })
})

const lost: readonly (readonly [string, Fault, isTaken: boolean])[] = [
  ['a server error before the deed', { kind: 'status', status: 502 }, false],
  ['a server error after the deed', { kind: 'status', status: 502, afterProcessing: true }, true],
  ['a timeout of something in between', { kind: 'status', status: 408, afterProcessing: true }, true],
  ['silence before the deed', { kind: 'hang' }, false],
  ['silence after the deed', { kind: 'hang', afterProcessing: true }, true],
  ['a reset before the deed', { kind: 'reset' }, false],
  ['a reset after the deed', { kind: 'reset', afterProcessing: true }, true],
  ['a reset in the middle of the answer', { kind: 'reset', afterBytes: 20 }, true],
  ['half an answer', { kind: 'truncate', framing: 'contentLength' }, true],
  ['half an answer that looks whole', { kind: 'truncate', framing: 'close' }, true],
  ['a page in place of the answer', { kind: 'html', afterProcessing: true }, true],
  ['a page from something in between', { kind: 'html' }, false],
  ['an empty answer', { kind: 'body', status: 201, body: '', afterProcessing: true }, true],
  ['an answer of something else', { kind: 'body', status: 201, body: '{"ok":true}', afterProcessing: true }, true],
  ['a redirect', { kind: 'redirect', to: '/elsewhere' }, false],
]
describe.each(lost)('after %s', (_, fault, isTaken) => {
  test('the list shows whether the order was placed, and a second attempt sends nothing', async () => {
    const world = await orderWorld()
    world.service.faults.add(post(fault))
    await world.withOrders(async ({ orders }) => {
      const { orderId } = completeDraft(orders, world.projectId)
      const { fingerprint } = await orders.review(orderId)
      const order = await placeReviewed(orders, orderId)
      expect(order).toMatchObject(
        isTaken
          ? { state: 'placed', settledBy: 'service', serviceId: world.service.orders[0]?.id, problem: null }
          : { state: 'unconfirmed', asked: { outcome: 'cannot-say' }, problem: { code: expect.any(String) as string } },
      )
      const second = orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true, again: true })
      await expect(second).rejects.toMatchObject({ code: 'wrong-usage' })
      expect([sent(world), world.service.orders.length]).toEqual([1, isTaken ? 1 : 0])
    })
  })

  test('the order stays unconfirmed if the service has no such list', async () => {
    const world = await orderWorld()
    world.service.faults.add(post(fault))
    world.service.faults.add(list({ kind: 'status', status: 404 }))
    await world.withOrders(async ({ orders }) => {
      const { orderId } = completeDraft(orders, world.projectId)
      const order = await placeReviewed(orders, orderId)
      expect(order).toMatchObject({ state: 'unconfirmed', asked: { outcome: 'cannot-say' }, serviceId: null })
      expect(orders.list({ offset: 0, limit: 5, search: '', filter: 'unconfirmed' }).counts.unconfirmed).toBe(1)
    })
  })
})

test('after a server error the list decides as late as after a timeout', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  await world.withOrders(async ({ orders }) => {
    const { orderId } = completeDraft(orders, world.projectId)
    world.service.faults.add(post({ kind: 'status', status: 500 }))
    const asked = { outcome: 'not-listed' }
    expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'unconfirmed', asked })
    world.clock.pass(4 * 60_000)
    expect(await orders.check(orderId)).toMatchObject({ state: 'unconfirmed', asked })
    world.clock.pass(60_000)
    const problem = { code: 'service-error' }
    expect(await orders.check(orderId)).toMatchObject({ state: 'draft', settledBy: 'service', problem })
    world.service.faults.add(post({ kind: 'status', status: 500, afterProcessing: true }))
    expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'placed', settledBy: 'service' })
    expect([sent(world), world.service.orders.length]).toEqual([2, 2])
  })
})

test('a list that lags after a server error causes no second order', async () => {
  const world = await orderWorld()
  world.service.faults.add(post({ kind: 'status', status: 500, afterProcessing: true }))
  // After the checks of the review and of placing it.
  world.service.faults.add({ ...list({ kind: 'body', body: '[]' }), skip: 2, count: 1 })
  await world.withOrders(async ({ orders }) => {
    const { orderId } = completeDraft(orders, world.projectId)
    expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'placed', settledBy: 'service' })
    expect([sent(world), world.service.orders.length]).toEqual([1, 1])
  })
})

test('a service that asks to wait an hour leaves a draft, not an order that is sent unexpectedly', async () => {
  const world = await orderWorld()
  world.service.faults.add(list({ kind: 'status', status: 429, retryAfter: 3600 }))
  const work = async ({ orders }: Engine) => {
    const { orderId } = completeDraft(orders, world.projectId)
    expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'draft', problem: { code: 'rate-limited' } })
    expect(() => orders.discard(orderId)).not.toThrow()
  }
  await world.withEngine(work, { orderTimings: { answerWindowMs: 0, maxWaitMs: 50 } })
  expect(sent(world)).toBe(0)
})

test('the limit of the wait before sending does not end the wait for the answer', async () => {
  const world = await orderWorld()
  const maxWaitMs = 123_456
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const cleared = vi.spyOn(globalThis, 'clearTimeout')
  onTestFinished(() => void vi.restoreAllMocks())
  const limits = () => timers.mock.results.filter((_, index) => timers.mock.calls[index]?.[1] === maxWaitMs)
  const running = () => limits().filter(({ value }) => cleared.mock.calls.every(([timer]) => timer !== value))
  const atSending: number[] = []
  const isSent = ({ method }: { method: string }) => {
    if (method === 'POST') atSending.push(running().length)
    return false
  }
  world.service.faults.add({ route: isSent, fault: { kind: 'hang' } })
  const work = ({ orders }: Engine) => placeReviewed(orders, completeDraft(orders, world.projectId).orderId)
  const order = await world.withEngine(work, { orderTimings: { answerWindowMs: 0, maxWaitMs } })
  expect(order).toMatchObject({ state: 'placed', settledBy: 'answer' })
  expect([limits().length, atSending]).toEqual([1, [0]])
})

test('an order that waits for its turn while the machine sleeps for hours is not sent after that', async () => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders }) => {
    const { orderId } = completeDraft(orders, world.projectId)
    const { fingerprint } = await orders.review(orderId)
    const place = () => orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true })
    const sleep = ({ method }: { method: string }) => {
      if (method === 'GET') world.clock.set(8 * 60 * 60_000)
      return false
    }
    const asleep = world.service.faults.add({ route: sleep, fault: { kind: 'hang' } })
    expect(await place()).toMatchObject({ state: 'draft', sentAt: null, problem: { code: 'rate-limited' } })
    expect(sent(world)).toBe(0)
    asleep.remove()
    expect(await place()).toMatchObject({ state: 'placed' })
  })
})

test('an unreachable service receives nothing, and the draft has the reason', async () => {
  const world = await orderWorld()
  const url = `http://127.0.0.1:${closedPort}`
  await world.withOrders(
    async ({ orders }) => {
      const { orderId } = completeDraft(orders, world.projectId)
      const order = await placeReviewed(orders, orderId)
      expect(order).toMatchObject({ state: 'draft', sentAt: null, problem: { code: 'unreachable-refused' } })
      expect(order.problem?.message).toContain('The order was not placed')
    },
    { url },
  )
})

test('a service that becomes unreachable between its list and the order never received it', async () => {
  const world = await orderWorld()
  let lists = 0
  const server = createServer((_, response) => {
    // The review makes a call first.
    if (++lists === 2) server.close()
    sendJson(response.setHeader('connection', 'close'), [])
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  await world.withOrders(
    async ({ orders }) => {
      const { orderId } = completeDraft(orders, world.projectId)
      const order = await placeReviewed(orders, orderId)
      expect(order).toMatchObject({ state: 'draft', problem: { code: 'unreachable-refused' } })
      expect(order.sentAt).not.toBeNull()
    },
    { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
  )
})

test('a token that the service refuses is reported before anything is sent', async () => {
  const world = await orderWorld()
  await world.withOrders(
    async ({ orders }) => {
      const { orderId } = completeDraft(orders, world.projectId)
      expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'draft', problem: { code: 'token-refused' } })
      expect(sent(world)).toBe(0)
    },
    { token: 'another-token-123' },
  )
})

test('without a usable token the draft is kept, with the reason', async () => {
  const world = await orderWorld()
  await world.withOrders(
    async ({ orders }) => {
      const { orderId } = completeDraft(orders, world.projectId)
      expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'draft', problem: { code: 'token-missing' } })
      expect(sent(world)).toBe(0)
    },
    { token: '' },
  )
})

test('two clicks at once send one order', async () => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders }) => {
    const { orderId } = completeDraft(orders, world.projectId)
    const { fingerprint } = await orders.review(orderId)
    const click = () => orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true, again: true })
    const [one, other] = await Promise.allSettled([click(), click()])
    expect(one).toMatchObject({ status: 'fulfilled', value: { state: 'placed' } })
    expect(other).toMatchObject({ status: 'rejected', reason: { code: 'wrong-usage' } })
    expect(sent(world)).toBe(1)
  })
})

test('two drafts with the same content send one order, unless the user wants both', async () => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders }) => {
    const drafts = [completeDraft(orders, world.projectId), completeDraft(orders, world.projectId)]
    const ended = await Promise.allSettled(drafts.map(({ orderId }) => placeReviewed(orders, orderId)))
    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(sent(world)).toBe(1)
    const left = drafts.find(({ orderId }) => orders.get(orderId).state === 'draft')
    const leftId = left?.orderId ?? 0
    expect((await orders.review(leftId)).duplicates).toMatchObject([
      { state: 'placed', serviceId: world.service.orders[0]?.id },
    ])
    expect(await placeReviewed(orders, leftId, true)).toMatchObject({ state: 'placed' })
    expect(world.service.orders).toHaveLength(2)
  })
})

test('the same order placed elsewhere is found in the list of the service', async () => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders, store }) => {
    const { orderId } = completeDraft(orders, world.projectId)
    await placeReviewed(orders, orderId)
    const twin = completeDraft(orders, world.projectId, { ridge: 'default' })
    const row = store.orders.get(orderId)
    expect(row).toBeDefined()
    expect((await orders.review(twin.orderId)).duplicates).toHaveLength(1)
    await expect(placeReviewed(orders, twin.orderId)).rejects.toMatchObject({ code: 'wrong-usage' })
  })
  // Another installation, which does not know about it.
  const other = await orderWorld()
  await other.withOrders(
    async ({ orders }) => {
      const { orderId } = completeDraft(orders, world.projectId)
      const { duplicates } = await orders.review(orderId)
      const foundId = duplicates[0]?.orderId ?? 0
      expect(orders.get(foundId), 'and known here from now on').toMatchObject({ source: 'service', state: 'placed' })
      expect(duplicates).toMatchObject([{ orderId: foundId, serviceId: world.service.orders[0]?.id, state: 'placed' }])
      await expect(placeReviewed(orders, orderId)).rejects.toMatchObject({ code: 'wrong-usage' })
      expect(world.service.orders).toHaveLength(1)
    },
    { url: world.service.url, token: world.service.token },
  )
})

test('a second order is refused while the first is unconfirmed', async () => {
  const world = await orderWorld()
  world.service.faults.add(post({ kind: 'reset' }))
  await world.withOrders(async ({ orders }) => {
    const first = completeDraft(orders, world.projectId)
    expect(await placeReviewed(orders, first.orderId)).toMatchObject({ state: 'unconfirmed' })
    const second = completeDraft(orders, world.projectId)
    await expect(placeReviewed(orders, second.orderId, true)).rejects.toMatchObject({ code: 'wrong-usage' })
    expect(sent(world)).toBe(1)
    orders.resolve({ orderId: first.orderId, decision: 'placed' })
    expect(await placeReviewed(orders, second.orderId, true)).toMatchObject({ state: 'placed' })
  })
})

test('an order similar to an unconfirmed one is sent only if the user says so', async () => {
  const world = await orderWorld()
  world.service.faults.add({ ...post({ kind: 'reset' }), count: 1 })
  await world.withOrders(async ({ orders }) => {
    const first = await placeReviewed(orders, completeDraft(orders, world.projectId).orderId)
    expect(first.state).toBe('unconfirmed')
    const { orderId, texts } = completeDraft(orders, world.projectId, { projectAddress: '1 Main Street, Boise' })
    const unconfirmed = [{ orderId: first.orderId, at: first.sentAt }]
    const warning = {
      field: 'projectId',
      message: expect.stringContaining(`Order ${first.orderId} of this project`) as string,
    }
    const warnings = expect.arrayContaining([warning]) as unknown[]
    expect(await orders.review(orderId)).toMatchObject({ duplicates: [], unconfirmed, warnings })
    expect(orders.preview(texts)).toMatchObject({ duplicates: [], unconfirmed, warnings })
    await expect(placeReviewed(orders, orderId)).rejects.toMatchObject({ code: 'wrong-usage' })
    expect(sent(world)).toBe(1)
    expect(await placeReviewed(orders, orderId, true)).toMatchObject({ state: 'placed' })
    const other = completeDraft(orders, 'another-project')
    expect(await orders.review(other.orderId)).toMatchObject({ unconfirmed: [] })
    world.clock.pass(6 * 60_000)
    orders.resolve({ orderId: first.orderId, decision: 'not-placed' })
    expect(orders.preview({ ...texts, projectAddress: '1 Main' })).toMatchObject({ unconfirmed: [] })
  })
})

const reviewed = async (orders: Orders, orderId: number) => {
  const { fingerprint, duplicates, unconfirmed } = await orders.review(orderId)
  const shown = [...duplicates, ...unconfirmed.map((order) => ({ ...order, serviceId: null }))]
  return { orderId, fingerprint: fingerprint ?? '', newModule: true, again: true, seen: shown.map(seenKey) }
}

test('a consent beside an unconfirmed order covers no duplicate that another window places meanwhile', async () => {
  const world = await orderWorld()
  world.service.faults.add(post({ kind: 'reset' }))
  await world.withOrders(async ({ orders, deps }) => {
    const lost = await placeReviewed(orders, completeDraft(orders, world.projectId, { homeownerName: 'Bo' }).orderId)
    expect(lost.state).toBe('unconfirmed')
    const first = await reviewed(orders, completeDraft(orders, world.projectId).orderId)
    const second = await reviewed(orders, completeDraft(orders, world.projectId).orderId)
    expect(second.seen).toEqual([`order ${lost.orderId}`])
    const { client } = deps
    const send = client.createServiceRequest.bind(client)
    // After the second one was compared with the list, while it waits for its turn.
    vi.spyOn(client, 'createServiceRequest').mockImplementationOnce(async (...order) => {
      await orders.place(first)
      return send(...order)
    })
    const refused = { code: 'wrong-usage', message: expect.stringContaining('already placed') as string }
    await expect(orders.place(second)).rejects.toMatchObject(refused)
    await expect(orders.place(second)).rejects.toMatchObject(refused)
    expect(world.service.orders).toHaveLength(1)
    expect(await orders.place(await reviewed(orders, second.orderId))).toMatchObject({ state: 'placed' })
  })
})

test('a consent of a review without the list of the service covers no duplicate in that list', async () => {
  const world = await orderWorld()
  const elsewhere = await orderWorld()
  const there = { url: world.service.url, token: world.service.token }
  await world.withOrders(async ({ orders }) => {
    world.service.faults.add(post({ kind: 'reset' }))
    await placeReviewed(orders, completeDraft(orders, world.projectId, { homeownerName: 'Bo' }).orderId)
    await elsewhere.withOrders(
      (session) => placeReviewed(session.orders, completeDraft(session.orders, world.projectId).orderId),
      there,
    )
    const { orderId } = completeDraft(orders, world.projectId)
    const hidden = world.service.faults.add(list({ kind: 'status', status: 404 }))
    const early = await reviewed(orders, orderId)
    hidden.remove()
    await expect(orders.place({ ...early, withoutCheck: true })).rejects.toMatchObject({ code: 'wrong-usage' })
    expect(world.service.orders).toHaveLength(1)
    expect(await orders.place(await reviewed(orders, orderId))).toMatchObject({ state: 'placed' })
  })
})

test('an order found at the service is a duplicate even while its list is unavailable', async () => {
  const world = await orderWorld()
  const elsewhere = await orderWorld()
  const there = { url: world.service.url, token: world.service.token }
  await elsewhere.withOrders(
    ({ orders }) => placeReviewed(orders, completeDraft(orders, world.projectId).orderId),
    there,
  )
  await world.withOrders(async ({ orders, deps }) => {
    await recordListed(deps, world.projectId, await deps.client.listServiceRequests(world.projectId))
    world.service.faults.add(list({ kind: 'status', status: 404 }))
    const { orderId } = completeDraft(orders, world.projectId)
    expect((await orders.review(orderId)).duplicates).toMatchObject([{ serviceId: world.service.orders[0]?.id }])
    await expect(placeReviewed(orders, orderId)).rejects.toMatchObject({ code: 'wrong-usage' })
    const upgrade = completeDraft(orders, world.projectId, { homeownerName: 'Ruth Sato ', upgrade: 'yes' })
    await expect(placeReviewed(orders, upgrade.orderId)).rejects.toMatchObject({ code: 'wrong-usage' })
    const other = completeDraft(orders, world.projectId, { sizedForValue: '90' })
    expect(await placeReviewed(orders, other.orderId)).toMatchObject({ state: 'placed' })
  })
  expect(sent(world)).toBe(2)
})

const oldOrder = { id: 'OLD', status: 'ordered', tierLevel: 'maxFill' }
test.each([
  ['listed just before', [oldOrder], false],
  ['found at the service some time ago', null, true],
])('a response with the id of an order that was %s does not confirm the new one', async (_, listed, wasFound) => {
  const world = await orderWorld()
  await withServer(
    ({ method }, response) => {
      if (method === 'POST') sendJson(response, oldOrder)
      else if (listed === null) response.writeHead(404).end()
      else sendJson(response, listed)
    },
    ({ url, requests }) =>
      world.withOrders(
        async ({ orders, deps }) => {
          if (wasFound) await recordListed(deps, world.projectId, readServiceRequestList([oldOrder]).list)
          world.clock.pass(1000)
          const { orderId } = completeDraft(orders, world.projectId)
          expect(await placeReviewed(orders, orderId)).toMatchObject({ state: 'unconfirmed', serviceId: null })
          expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
        },
        { url },
      ),
  )
})

const answers: readonly (readonly [string, (response: ServerResponse, elsewhere: string) => void, string])[] = [
  ['one order in a list', (response) => sendJson(response, [{ ...oldOrder, id: 'NEW' }]), 'placed'],
  ['one order in wrappings', (response) => sendJson(response, { data: { order: { ...oldOrder, id: 7 } } }), 'placed'],
  ['two orders', (response) => sendJson(response, [oldOrder, { ...oldOrder, id: 'NEW' }]), 'unconfirmed'],
  ['an empty list', (response) => sendJson(response, []), 'unconfirmed'],
  ['an order without id', (response) => sendJson(response, { status: 'ordered' }), 'unconfirmed'],
  ['a null', (response) => sendJson(response, null), 'unconfirmed'],
  ['204 and nothing', (response) => void response.writeHead(204).end(), 'unconfirmed'],
  ['JSON of a thousand levels', (response) => void response.end('['.repeat(1000) + ']'.repeat(1000)), 'unconfirmed'],
  ...[301, 302, 303, 307, 308].map(
    (status) =>
      [
        `${status} to another host`,
        (response: ServerResponse, elsewhere: string) => void response.writeHead(status, { location: elsewhere }).end(),
        'unconfirmed',
      ] as const,
  ),
  ['429 with a time to wait', (response) => void response.writeHead(429, { 'retry-after': '0' }).end(), 'draft'],
]
test.each(answers)(
  'a response of %s is understood, and the order sent once and nowhere else',
  async (_, answer, state) => {
    const world = await orderWorld()
    await withServer(
      (_request, response) => sendJson(response, { id: 'ELSEWHERE' }),
      (elsewhere) =>
        withServer(
          ({ method }, response) => {
            if (method === 'POST') answer(response, `${elsewhere.url}/api/v1/serviceRequests`)
            else response.writeHead(404).end()
          },
          ({ url, requests }) =>
            world.withOrders(
              async ({ orders }) => {
                const { orderId } = completeDraft(orders, world.projectId)
                expect(await placeReviewed(orders, orderId)).toMatchObject({ state })
                expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
                expect(elsewhere.requests).toEqual([])
              },
              { url },
            ),
        ),
    )
  },
)

test('a draft changed after its review is not sent', async () => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders }) => {
    const draft = completeDraft(orders, world.projectId)
    const { orderId, texts, revision } = draft
    const { fingerprint } = await orders.review(orderId)
    const place = () => orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true })
    // While the list is requested from the service.
    const placing = place()
    orders.saveDraft({ orderId, revision, texts: { ...texts, ridge: '12' }, region: null })
    await expect(placing).rejects.toMatchObject({ code: 'draft-changed' })
    // Before the request.
    await expect(place()).rejects.toMatchObject({ code: 'draft-changed' })
    orders.saveDraft({ orderId, revision: revision + 1, texts: { ...texts, tierLevel: '' }, region: null })
    await expect(place()).rejects.toMatchObject({ code: 'wrong-usage' })
    expect(sent(world)).toBe(0)
  })
})

test('a draft that is about to be sent cannot be removed', async () => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders }) => {
    const { orderId } = completeDraft(orders, world.projectId)
    const { fingerprint } = await orders.review(orderId)
    const placing = orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true })
    expect(() => orders.discard(orderId)).toThrow(expect.objectContaining({ code: 'wrong-usage' }) as Error)
    expect(await placing).toMatchObject({ state: 'placed' })
  })
})

test('an order that is stopped right before its first byte says that its outcome is unknown, not why', async () => {
  const world = await orderWorld()
  await world.withEngine(async ({ orders, events }) => {
    const { orderId } = completeDraft(orders, world.projectId)
    const stop = new AbortController()
    events.on('orders-changed', () => {
      if (orders.get(orderId).state === 'submitting') stop.abort(new AppError('cancelled', 'It was stopped.'))
    })
    const { fingerprint } = await orders.review(orderId)
    const order = await orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true }, stop.signal)
    const message = expect.stringContaining('It is unknown whether the order was placed') as string
    expect(order).toMatchObject({ state: 'unconfirmed', problem: { code: 'cancelled', message } })
    expect(sent(world)).toBe(0)
  })
})

test('an engine closed while an order is in flight leaves it unconfirmed, and the next one resolves it', async () => {
  const world = await orderWorld()
  let orderId = 0
  await world.withEngine(async (engine) => {
    orderId = completeDraft(engine.orders, world.projectId).orderId
    const { fingerprint } = await engine.orders.review(orderId)
    const arrived = Promise.withResolvers<undefined>()
    const watch = ({ method }: { method: string }) => {
      if (method === 'POST') arrived.resolve(undefined)
      return false
    }
    world.service.faults.add({ route: watch, fault: { kind: 'hang' } })
    world.service.faults.add(post({ kind: 'hang', afterProcessing: true }))
    engine.orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true }).catch(() => undefined)
    await arrived.promise
  })
  await world.withEngine(async ({ orders }) => {
    expect(orders.get(orderId)).toMatchObject({ state: 'unconfirmed', problem: { code: 'cancelled' } })
    expect(await checkUnconfirmed(orders)).toBe(0)
    expect(orders.get(orderId)).toMatchObject({ state: 'placed', serviceId: world.service.orders[0]?.id })
  })
  expect(sent(world)).toBe(1)
})
