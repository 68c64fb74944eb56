import { expect, test } from 'vitest'
import type { Fault } from '../../../electron/sample-service/http/faults.ts'
import { completeDraft, filledIn, type OrderWorld, orderWorld, placeReviewed } from './order-world.ts'

const breakList = ({ service }: OrderWorld, fault: Fault) =>
  service.faults.add({ route: 'serviceRequests', method: 'GET', fault })

const tooLong = JSON.stringify(Array.from({ length: 10_001 }, (_, index) => ({ id: `A${index}`, status: 'ordered' })))

const partOfList: Fault = { kind: 'body', body: '{"orders":[],"hasMore":true}' }

test.each<[string, Fault]>([
  ['hangs', { kind: 'hang' }],
  ['breaks', { kind: 'reset' }],
  ['is answered with a server error', { kind: 'status', status: 500 }],
  ['has more than 10,000 entries', { kind: 'body', body: tooLong }],
  ['is only a part of it', partOfList],
  ['is answered with a sign-in page', { kind: 'html' }],
  ['is answered with a redirect to a sign-in page elsewhere', { kind: 'redirect', to: 'https://sign-in.example/' }],
  ['is answered with other data', { kind: 'body', body: '{"message":"Hello"}' }],
  ['is empty', { kind: 'body', body: '' }],
  ['is answered with a bad request', { kind: 'status', status: 400 }],
])(
  'while the list of orders %s, nothing is sent unless a person agrees; then the order says so and is followed',
  async (_, fault) => {
    const world = await orderWorld()
    await world.withOrders(async ({ orders }) => {
      const broken = breakList(world, fault)
      const { orderId } = completeDraft(orders, world.projectId)
      const { fingerprint, listProblem } = await orders.review(orderId)
      expect(listProblem?.message).toContain('or place it without this check')
      const draft = await orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true })
      expect(draft).toMatchObject({ state: 'draft', problem: listProblem, sentAt: null })
      expect(world.service.orders).toHaveLength(0)

      const placed = await orders.place({
        orderId,
        fingerprint: fingerprint ?? '',
        newModule: true,
        withoutCheck: true,
      })
      expect(placed).toMatchObject({ state: 'placed', isUnchecked: true })
      broken.remove()
      world.service.setOrderStatus(placed.serviceId ?? '', 'inDesign')
      expect(await orders.check(orderId)).toMatchObject({ status: 'inDesign', isUnchecked: true })

      // What is known here is no less certain: a duplicate still needs its own confirmation.
      breakList(world, fault)
      const second = completeDraft(orders, world.projectId)
      const again = orders.place({ orderId: second.orderId, fingerprint: fingerprint ?? '', withoutCheck: true })
      await expect(again).rejects.toMatchObject({ code: 'wrong-usage' })
      expect(world.service.orders).toHaveLength(1)
    })
  },
)

test.each([404, 403, 405, 501])('a service that says it has no list (%i) is sent an order even so', async (status) => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders }) => {
    breakList(world, { kind: 'status', status })
    const placed = await placeReviewed(orders, completeDraft(orders, world.projectId).orderId)
    expect(placed).toMatchObject({ state: 'placed', isUnchecked: false })
  })
})

test.each<[string, (orders: readonly unknown[], id: string) => unknown, string | null]>([
  ['in a part of the list', (orders) => ({ orders, hasMore: true }), 'only a part of it'],
  [
    'listed in its project, which is in an array',
    (serviceRequests, id) => [{ id, name: 'Smith', status: 'active', serviceRequests }],
    null,
  ],
])('an order that is %s is a duplicate', async (_, answerWith, problem) => {
  const world = await orderWorld()
  const elsewhere = await orderWorld()
  await elsewhere.withOrders(
    async ({ orders }) => {
      await placeReviewed(orders, completeDraft(orders, world.projectId).orderId)
    },
    { url: world.service.url, token: world.service.token },
  )
  await world.withOrders(async ({ orders, deps }) => {
    const listed = await deps.client.listServiceRequests(world.projectId)
    const answer = answerWith(
      listed.map(({ raw }) => raw),
      world.projectId,
    )
    breakList(world, { kind: 'body', body: JSON.stringify(answer) })
    const { orderId } = completeDraft(orders, world.projectId)
    const { fingerprint, duplicates, listProblem } = await orders.review(orderId)
    expect([duplicates.length, listProblem?.message ?? null]).toEqual([
      1,
      problem === null ? null : expect.stringContaining(problem),
    ])
    for (const withoutCheck of [false, true]) {
      const placed = orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true, withoutCheck })
      await expect(placed).rejects.toMatchObject({ code: 'wrong-usage' })
    }
    expect(world.service.orders).toHaveLength(1)
  })
})

test('a list that is read after all is used even if a person agreed to do without it', async () => {
  const world = await orderWorld()
  const elsewhere = await orderWorld()
  const sameService = { url: world.service.url, token: world.service.token }
  await elsewhere.withOrders(async ({ orders }) => {
    await placeReviewed(orders, completeDraft(orders, world.projectId).orderId)
  }, sameService)
  await world.withOrders(async ({ orders }) => {
    const { orderId } = completeDraft(orders, world.projectId)
    const broken = breakList(world, { kind: 'reset' })
    const { fingerprint } = await orders.review(orderId)
    broken.remove()
    const placed = orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true, withoutCheck: true })
    await expect(placed).rejects.toMatchObject({ code: 'wrong-usage' })
    expect(world.service.orders).toHaveLength(1)
  })
})

test('a service whose list of orders hangs is reported after a short time, not that of a whole call', async () => {
  const world = await orderWorld()
  await world.withEngine(
    async (engine) => {
      breakList(world, { kind: 'hang' })
      const { orderId } = completeDraft(engine.orders, world.projectId)
      const { fingerprint, listProblem } = await engine.orders.review(orderId)
      expect(listProblem).toMatchObject({ code: 'unreachable-timeout' })
      const place = (more = {}) =>
        engine.orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true, ...more })
      expect(await place()).toMatchObject({ state: 'draft', problem: { code: 'unreachable-timeout' } })
      await expect(engine.refreshOrders(world.projectId)).rejects.toMatchObject({ code: 'unreachable-timeout' })
      expect(await place({ withoutCheck: true })).toMatchObject({ state: 'placed', isUnchecked: true })
      await expect(engine.orders.check(orderId)).rejects.toMatchObject({ code: 'unreachable-timeout' })
    },
    { orderTimings: { answerWindowMs: 0, patienceMs: 100 } },
  )
})

test('the limit of the service is waited for, and is not reported as a list that does not arrive', async () => {
  const world = await orderWorld()
  await world.withEngine(
    async (engine) => {
      const limit = () =>
        world.service.faults.add({
          route: 'serviceRequests',
          method: 'GET',
          fault: { kind: 'status', status: 429, retryAfter: 3 },
          count: 1,
        })
      const { orderId } = completeDraft(engine.orders, world.projectId)
      limit()
      const { fingerprint, listProblem } = await engine.orders.review(orderId)
      expect(listProblem).toBeNull()
      limit()
      const placed = await engine.orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true })
      expect(placed).toMatchObject({ state: 'placed', isUnchecked: false })
      world.service.setOrderStatus(placed.serviceId ?? '', 'inDesign')
      limit()
      expect(await engine.orders.check(orderId)).toMatchObject({ status: 'inDesign' })
      limit()
      breakList(world, { kind: 'hang' })
      await expect(engine.orders.check(orderId), 'after the wait').rejects.toMatchObject({
        code: 'unreachable-timeout',
      })
    },
    // Shorter than the wait that the service asks for.
    { orderTimings: { answerWindowMs: 0, patienceMs: 2_900 } },
  )
})

test.each(['check', 'refresh'])('a %s does not wait as long as the service asks for', async (by) => {
  const world = await orderWorld()
  const { orderId } = await world.withEngine(({ orders }) =>
    placeReviewed(orders, completeDraft(orders, world.projectId).orderId),
  )
  breakList(world, { kind: 'status', status: 429, retryAfter: 600 })
  await world.withEngine(
    async (engine) => {
      const asked = by === 'check' ? engine.orders.check(orderId) : engine.refreshOrders(world.projectId)
      await expect(asked).rejects.toMatchObject({
        code: 'rate-limited',
        message: expect.stringContaining('Nothing was changed') as string,
      })
      expect(engine.orders.get(orderId)).toMatchObject({ state: 'placed' })
    },
    { orderTimings: { answerWindowMs: 0, maxWaitMs: 50 } },
  )
})

const filledFields = Object.entries(filledIn)

/** Returns the text of a list with an order for each project and homeowner. */
function listOf(rows: readonly (readonly [projectId: string, homeownerName: string])[]): string {
  const header = ['projectId', ...filledFields.map(([name]) => name)].join(',')
  const lines = rows.map(([projectId, homeownerName]) =>
    [projectId, ...filledFields.map(([name, text]) => (name === 'homeownerName' ? homeownerName : text))]
      .map((cell) => `"${cell}"`)
      .join(','),
  )
  return [header, ...lines].join('\n')
}

test('a part of the list refuses the orders of its project only, and the others are checked', async () => {
  const world = await orderWorld({ projects: 2 })
  const [part = '', whole = ''] = world.service.projects.map(({ id }) => id)
  await world.withEngine(async (engine) => {
    world.service.faults.add({
      route: ({ route, path, search }) => route === 'serviceRequests' && `${path}${search}`.includes(part),
      method: 'GET',
      fault: partOfList,
    })
    const text = listOf([
      [part, 'Ann'],
      [whole, 'Bo'],
    ])
    const { batchId } = await engine.batches.create({ list: { text }, name: 'June', includeDuplicates: false })
    expect(await engine.batches.review(batchId, { ask: true })).toMatchObject({ listProblem: null, unreadProjects: 1 })
    engine.batches.start(batchId, { newModule: true })
    expect(await engine.batches.ended(batchId)).toMatchObject({ state: 'done', counts: { placed: 1, refused: 1 } })
    const { items } = engine.orders.list({ offset: 0, limit: 50, search: '', filter: 'not-placed' })
    expect(items.map(({ projectId, problem }) => [projectId, problem?.code])).toEqual([[part, 'partial-answer']])
  })
})

test('an order list may do without the check if no list could be read, also if the service lacks one of them', async () => {
  const world = await orderWorld({ projects: 2 })
  const [part = '', none = ''] = world.service.projects.map(({ id }) => id)
  await world.withEngine(async (engine) => {
    const ofProject = (id: string, fault: Fault) =>
      world.service.faults.add({
        route: ({ route, path, search }) => route === 'serviceRequests' && `${path}${search}`.includes(id),
        method: 'GET',
        fault,
      })
    ofProject(part, partOfList)
    ofProject(none, { kind: 'status', status: 404 })
    const text = listOf([
      [part, 'Ann'],
      [none, 'Bo'],
    ])
    const { batchId } = await engine.batches.create({ list: { text }, name: 'June', includeDuplicates: false })
    const review = await engine.batches.review(batchId, { ask: true })
    expect(review).toMatchObject({ listProblem: { code: 'partial-answer' }, unreadProjects: 2 })
  })
})

test('a list of orders can be placed without the check if the service sends a part of every list', async () => {
  const world = await orderWorld()
  await world.withEngine(async (engine) => {
    breakList(world, partOfList)
    const list = { text: listOf([[world.projectId, 'Ann']]) }
    const { batchId } = await engine.batches.create({ list, name: 'June', includeDuplicates: false })
    const { listProblem } = await engine.batches.review(batchId, { ask: true })
    expect(listProblem).toMatchObject({ code: 'partial-answer' })
    engine.batches.start(batchId, { withoutCheck: true, newModule: true })
    expect(await engine.batches.ended(batchId)).toMatchObject({ state: 'done', counts: { placed: 1 } })
  })
})

test('a list of orders stops if that of the service breaks, and continues without it if a person agrees', async () => {
  const world = await orderWorld()
  await world.withEngine(async (engine) => {
    breakList(world, { kind: 'reset' })
    const text = listOf([
      [world.projectId, 'Ann'],
      [world.projectId, 'Bo'],
    ])
    const { batchId } = await engine.batches.create({ list: { text }, name: 'June', includeDuplicates: false })
    engine.batches.start(batchId, { newModule: true })
    expect(await engine.batches.ended(batchId)).toMatchObject({
      state: 'stopped',
      counts: { waiting: 2 },
      stoppedBecause: { code: 'unreachable-reset', message: expect.stringContaining('without this check') as string },
    })
    expect(world.service.orders).toHaveLength(0)
    // Orders that their stopped list holds back are counted with the list, not once more as orders that were not
    // placed.
    const { counts } = engine.orders.list({ offset: 0, limit: 50, search: '', filter: 'not-placed' })
    expect(counts).toMatchObject({ drafts: 2, notPlaced: 0 })
    const { listProblem, unreadProjects } = await engine.batches.review(batchId, { ask: true })
    expect([listProblem?.code, unreadProjects]).toEqual(['unreachable-reset', 1])
    engine.batches.start(batchId, { withoutCheck: true, newModule: true })
    expect(await engine.batches.ended(batchId)).toMatchObject({ state: 'done', counts: { placed: 2 } })
    expect(world.service.orders).toHaveLength(2)
  })
})
