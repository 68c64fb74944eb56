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
    expect(rows.map(({ state }) => state)).toEqual(['double', 'ready', 'double', 'ready'])
    const { batchId } = await batches.create({ list: { text }, name: 'June', includeDuplicates: true })
    batches.start(batchId)
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
        `^This project has an order placed .*: order ${first.orderId} \\(.*, Max fill\\)\\. Check that this is not`,
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
      /^The service does not know this project \(nobody-knows-me\)\. The order was not placed\. Check the id/,
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
