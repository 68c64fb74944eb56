import { expect, test } from 'vitest'
import { completeDraft, filledIn, orderWorld, placeReviewed } from './order-world.ts'

const wrongUsage = expect.objectContaining({ code: 'wrong-usage' }) as Error
const hours = 60 * 60_000

test.each([
  ['spaces', { projectAddress: ' 1  Main St,Boise, ID 83702' }, false],
  ['capitals', { homeownerName: 'RUTH sato' }, false],
  ["the case of the project's id", {}, true],
])('an order that differs only by %s from one of the last 24 hours asks first', async (_, texts, isOtherCase) => {
  const world = await orderWorld()
  // The service does not care about the case of an id.
  const projectId = isOtherCase ? world.projectId.toUpperCase() : world.projectId
  await world.withOrders(async ({ orders }) => {
    const first = await placeReviewed(orders, completeDraft(orders, world.projectId).orderId)
    const { orderId } = completeDraft(orders, projectId, texts)
    const { duplicates } = await orders.review(orderId)
    expect(duplicates).toMatchObject([{ match: 'similar', orderId: first.orderId, state: 'placed' }])
    await expect(placeReviewed(orders, orderId)).rejects.toThrow(wrongUsage)
    expect(world.service.orders).toHaveLength(1)
    if (!isOtherCase) expect(await placeReviewed(orders, orderId, true)).toMatchObject({ state: 'placed' })
    world.clock.pass(25 * hours)
    const later = completeDraft(orders, projectId, { ...texts, designOneModule: 'rec alpha pure-r 430' })
    expect((await orders.review(later.orderId)).duplicates).toEqual([])
  })
})

test('an almost equal order that was placed elsewhere today asks first, too', async () => {
  const world = await orderWorld()
  const elsewhere = await orderWorld()
  await elsewhere.withOrders(
    async ({ orders }) => {
      await placeReviewed(orders, completeDraft(orders, world.projectId).orderId)
    },
    { url: world.service.url, token: world.service.token },
  )
  await world.withOrders(async ({ orders }) => {
    const { orderId } = completeDraft(orders, world.projectId, { homeownerName: 'ruth sato' })
    const { duplicates } = await orders.review(orderId)
    expect(duplicates).toMatchObject([{ match: 'similar', serviceId: world.service.orders[0]?.id }])
    await expect(placeReviewed(orders, orderId)).rejects.toThrow(wrongUsage)
  })
})

test('rows of a list that differ only by spaces or capitals, or from an order of today, are held back', async () => {
  const world = await orderWorld()
  await world.withEngine(async ({ orders, batches }) => {
    await placeReviewed(orders, completeDraft(orders, world.projectId, { homeownerName: 'Ann Lee' }).orderId)
    const header = ['projectId', ...Object.keys(filledIn)].join(',')
    const row = (homeownerName: string) =>
      [world.projectId, ...Object.values({ ...filledIn, homeownerName })].map((cell) => `"${cell}"`).join(',')
    const text = [header, row('ann lee'), row('Bo Diaz'), row('BO  DIAZ'), row('Bo Diazo')].join('\n')
    const { rows } = await batches.preview({ list: { text } })
    expect(rows.map(({ state }) => state)).toEqual(['duplicate', 'ready', 'duplicate', 'ready'])
    const { batchId } = await batches.create({ list: { text }, name: 'June', includeDuplicates: true })
    batches.start(batchId, { newModule: true })
    expect((await batches.ended(batchId)).counts).toMatchObject({ placed: 2, refused: 2 })
    expect(world.service.orders).toHaveLength(3)
  })
})

test('an order of a project or address that was ordered for minutes ago says so, and asks nothing more', async () => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders }) => {
    const first = await placeReviewed(orders, completeDraft(orders, world.projectId).orderId)
    const corrected = completeDraft(orders, world.projectId, { homeownerName: 'Ruth Satō' })
    const { warnings, duplicates } = await orders.review(corrected.orderId)
    expect(duplicates).toEqual([])
    expect(warnings.filter(({ field }) => field === 'projectId').map(({ message }) => message)).toEqual([
      expect.stringMatching(
        `^This project has an order placed .*: order ${first.orderId} \\(.*, Max fill, Ordered\\)\\. Check that this ` +
          'is not',
      ),
    ])
    const elsewhere = orders.preview({ ...corrected.texts, projectId: 'another-one' })
    expect(elsewhere.warnings.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(`^Another project \\(${world.projectId}\\) at this address has an order placed`),
    )
    expect(
      orders.preview({ ...corrected.texts, projectId: 'another-one', projectAddress: '1 Far Rd' }).warnings,
    ).toEqual(warnings.filter(({ field }) => field !== 'projectId'))
    expect((await placeReviewed(orders, corrected.orderId)).state).toBe('placed')
  })
})

test('an order for a project that the service does not know says which, and what to check', async () => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders }) => {
    const { problem } = await placeReviewed(orders, completeDraft(orders, 'nobody-knows-me').orderId)
    expect(problem?.message).toMatch(
      /^The service does not know this project \(nobody-knows-me\)\. The order was not placed\. Check the ID/,
    )
  })
})

test('while it is unknown whether an order was placed, nothing alike is sent, however its id is written', async () => {
  const world = await orderWorld()
  const otherCase = world.projectId.toUpperCase()
  await world.withOrders(async ({ orders }) => {
    world.service.faults.add({ route: 'serviceRequests', method: 'POST', fault: { kind: 'reset' }, count: 1 })
    const lost = await placeReviewed(orders, completeDraft(orders, world.projectId).orderId)
    expect(lost.state).toBe('unconfirmed')

    const alike = completeDraft(orders, otherCase)
    await expect(placeReviewed(orders, alike.orderId)).rejects.toThrow(wrongUsage)
    await expect(placeReviewed(orders, alike.orderId, true)).rejects.toThrow(wrongUsage)
    const other = completeDraft(orders, otherCase, { homeownerName: 'Somebody else' })
    expect((await orders.review(other.orderId)).unconfirmed).toMatchObject([{ orderId: lost.orderId }])
    await expect(placeReviewed(orders, other.orderId)).rejects.toThrow(wrongUsage)
    expect(world.service.orders).toHaveLength(0)
  })
})

test('a list with an unknown module names it, and is placed only if that is confirmed', async () => {
  const world = await orderWorld()
  await world.withEngine(async ({ batches }) => {
    const header = ['projectId', ...Object.keys(filledIn)].join(',')
    const cells = [world.projectId, ...Object.values({ ...filledIn, designOneModule: 'rec' })]
    const text = [header, cells.map((cell) => `"${cell}"`).join(',')].join('\n')
    const { batchId } = await batches.create({ list: { text }, name: 'June', includeDuplicates: false })
    expect((await batches.review(batchId)).unknownModules).toEqual({
      count: 1,
      rows: [{ line: 2, homeownerName: 'Ruth Sato', value: 'rec' }],
    })
    expect(() => batches.start(batchId, { withoutCheck: true })).toThrow(/the module “rec” \(line 2\)/)
    expect(await batches.ended(batchId)).toMatchObject({ state: 'waiting', counts: { waiting: 1 } })
    batches.start(batchId, { newModule: true })
    expect(await batches.ended(batchId)).toMatchObject({ state: 'done', counts: { placed: 1 } })
    expect(world.service.orders).toHaveLength(1)
  })
})

test('orders that the service has are named before another is sent, and listed under their own date', async () => {
  const world = await orderWorld({ existingOrders: 2 })
  await world.withEngine(async ({ orders, batches }) => {
    const header = ['projectId', ...Object.keys(filledIn)].join(',')
    const text = [header, [world.projectId, ...Object.values(filledIn)].map((cell) => `"${cell}"`).join(',')].join('\n')
    const { batchId } = await batches.create({ list: { text }, name: 'June', includeDuplicates: false })
    expect((await batches.review(batchId)).notes.map(({ field }) => field)).not.toContain('projectId')
    const named = expect.stringMatching(
      /^This project has 2 orders already: order \d+, placed elsewhere .* \(.+\); order .*\. Check that/,
    ) as string
    const asked = await batches.review(batchId, { ask: true })
    expect(asked.notes.find(({ field }) => field === 'projectId')?.message).toEqual(named)
    expect(asked).toMatchObject({ listProblem: null, unreadProjects: 0 })
    expect(world.service.requests.count('serviceRequests')).toBe(1)
    expect((await batches.preview({ list: { text } })).rows[0]?.warnings.map(({ message }) => message)).toContainEqual(
      named,
    )
    const draft = completeDraft(orders, world.projectId)
    expect((await orders.review(draft.orderId)).warnings).toContainEqual({ field: 'projectId', message: named })

    const { items } = orders.list({ offset: 0, limit: 50, search: '', filter: 'placed' })
    expect(items.map(({ source, placedAt }) => [source, placedAt]).sort()).toEqual(
      world.service.orders.map(({ createdAt }) => ['service', createdAt]).sort(),
    )
    for (const { serviceId, changedAt } of items) {
      const remote = world.service.orders.find(({ id }) => id === serviceId)
      expect([remote?.createdAt, remote?.updatedAt]).toContain(changedAt)
    }

    await placeReviewed(orders, draft.orderId)
    const { duplicates, warnings } = await orders.review(completeDraft(orders, world.projectId).orderId)
    expect(duplicates).toHaveLength(1)
    expect(warnings.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^This project has 2 other orders already: /),
    )
  })
})

test('a project is the same one whatever capitals its ID is written with', async () => {
  const world = await orderWorld({ existingOrders: 1 })
  const otherCase = world.projectId.toUpperCase()
  await world.withEngine(async ({ orders, batches }) => {
    await placeReviewed(orders, completeDraft(orders, world.projectId).orderId)
    const projectOrders = (projectId: string) =>
      orders.list({ offset: 0, limit: 50, search: '', filter: 'placed', projectId }).items.map(({ orderId }) => orderId)
    expect(projectOrders(otherCase)).toHaveLength(2)
    expect(projectOrders(otherCase)).toEqual(projectOrders(world.projectId))
    // The order from elsewhere is older than a day.
    const named = expect.stringMatching(
      /^This project has 2 orders already: order \d+, placed .*; order \d+, placed else/,
    ) as string
    const { warnings } = await orders.review(completeDraft(orders, otherCase, { homeownerName: 'Ana Ortiz' }).orderId)
    expect(warnings.filter(({ field }) => field === 'projectId').map(({ message }) => message)).toContainEqual(named)
    const row = (projectId: string, homeownerName: string) =>
      [projectId, ...Object.values({ ...filledIn, homeownerName })].map((cell) => `"${cell}"`).join(',')
    const header = ['projectId', ...Object.keys(filledIn)].join(',')
    const text = [header, row(world.projectId, 'Bo Diaz'), row(otherCase, 'Ed Fox')].join('\n')
    const { batchId } = await batches.create({ list: { text }, name: 'June', includeDuplicates: false })
    expect(await batches.review(batchId)).toMatchObject({ sameProject: { count: 2 }, unreadProjects: 1 })
  })
})
