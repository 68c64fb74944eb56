import { expect, test } from 'vitest'
import { isPersonName } from '../../../electron/engine/orders/drafts.ts'
import type { OrderTexts } from '../../../shared/order/order-fields.ts'
import type { OrderQuery } from '../../../shared/order/order-views.ts'
import { completeDraft, filledIn, orderWorld, placeReviewed } from './order-world.ts'

const all: OrderQuery = { offset: 0, limit: 50, search: '', filter: 'all' }

test.each(['Mary Jones', 'Ana & Luis Ortiz', 'Ludwig van der Berg', 'Zoë O’Neil-Smith'])(
  '%s is a person’s name',
  (name) => {
    expect(isPersonName(name)).toBe(true)
  },
)

test.each(['Jones Residence', 'Mary', '12 Oak St', 'Oak Street', 'Sunrise Solar LLC', 'mary jones', 'Roof #2', ''])(
  '"%s" is not a person’s name',
  (name) => {
    expect(isPersonName(name)).toBe(false)
  },
)

test('a draft combines the presets, the project, and the provided values, later ones over earlier ones', async () => {
  const world = await orderWorld()
  await world.withEngine(async ({ orders, presets, projects }) => {
    projects.add([{ id: 'P-MARY', name: 'Mary Jones', address: '5 Elm St' }])
    projects.add([{ id: 'P-SITE', name: 'Roof #2' }])
    const company = { tierLevel: 'maxFill', designOneModule: 'REC 430', ridge: '18', eave: '8' }
    presets.save({ name: 'Ours', kind: 'company', texts: company, region: 'NYC', isDefault: true })
    const county = { name: 'County', kind: 'jurisdiction', texts: { ridge: '36', hip: '20' }, region: 'LI' } as const
    const { presetId } = presets.save({ ...county, isDefault: false })
    const draft = orders.create({ projectId: 'P-MARY', presetId, texts: { hip: '24' } })
    expect(draft).toMatchObject({ state: 'draft', source: 'app', revision: 0, region: 'LI', projectName: 'Mary Jones' })
    expect(draft.texts).toEqual({
      tierLevel: 'maxFill',
      designOneModule: 'REC 430',
      ridge: '36',
      eave: '8',
      hip: '24',
      projectId: 'P-MARY',
      homeownerName: 'Mary Jones',
      projectAddress: '5 Elm St',
    })
    expect(orders.create({ projectId: 'P-SITE' }).texts.homeownerName).toBeUndefined()
    const copy = orders.create({ from: draft.orderId })
    expect(copy).toMatchObject({ texts: draft.texts, state: 'draft', region: 'LI' })
    const elsewhere = orders.create({ from: draft.orderId, projectId: 'P-SITE' })
    expect(elsewhere.texts).toMatchObject({ projectId: 'P-SITE', hip: '24' })
    expect(elsewhere.texts.homeownerName).toBeUndefined()
    expect(() => orders.create({ presetId: 999 })).toThrow(expect.objectContaining({ code: 'not-found' }) as Error)
    expect(() => orders.create({ from: 999 })).toThrow(expect.objectContaining({ code: 'not-found' }) as Error)
    await Promise.resolve()
  })
})

test('an order that differs from its archived project is reported before it is sent', async () => {
  const world = await orderWorld()
  await world.withEngine(async ({ orders, projects, presets }) => {
    const { projectId } = world
    const texts = { designOneModule: completeDraft(orders, projectId).texts.designOneModule ?? '' }
    presets.save({ name: 'Ours', kind: 'company', texts, region: null, isDefault: false })
    const warnings = async (texts: OrderTexts) =>
      (await orders.review(completeDraft(orders, projectId, texts).orderId)).warnings
    expect(await warnings({}), 'nothing is archived yet').toEqual([])
    projects.add([{ id: projectId, address: '1 Main St., Boise, ID 83702' }])
    expect(await warnings({ projectAddress: '1 MAIN ST  Boise ID 83702' })).toEqual([])
    expect(await warnings({ projectAddress: '11 Main St, Boise' })).toEqual([
      { field: 'projectAddress', message: "Differs from the project's address: 1 Main St., Boise, ID 83702." },
    ])
    const other = `${projectId.slice(0, -1)}${projectId.endsWith('0') ? '1' : '0'}`
    expect(await warnings({ projectId: other })).toEqual([
      { field: 'projectId', message: 'This project is not in the archive. Check its ID.' },
    ])
    expect(await warnings({ projectId: 'P.12' })).toMatchObject([
      { field: 'projectId', message: expect.stringContaining('does not look like an ID of the service') as string },
    ])
  })
})

test('a copy of an order has all its input and none of its outcome', async () => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders }) => {
    const { orderId, texts } = completeDraft(orders, world.projectId)
    await placeReviewed(orders, orderId)
    const copy = orders.create({ from: orderId }, 'command-line')
    const nothing = {
      payload: null,
      serviceId: null,
      status: null,
      remote: null,
      history: [],
      placedAt: null,
      sentAt: null,
    }
    expect(copy).toMatchObject({ ...nothing, texts, state: 'draft', source: 'command-line' })
  })
})

test('a draft is stored as typed, and two windows cannot overwrite each other', async () => {
  const world = await orderWorld()
  const orderId = await world.withOrders(async ({ orders }) => {
    const draft = orders.create({})
    const save = (revision: number, eave: string) =>
      orders.saveDraft({ orderId: draft.orderId, revision, texts: { eave, sizedForValue: 'abc' }, region: null })
    expect(save(0, '1')).toMatchObject({ revision: 1 })
    expect(() => save(0, '2')).toThrow(expect.objectContaining({ code: 'draft-changed' }) as Error)
    expect(save(1, '3')).toMatchObject({ revision: 2 })
    await Promise.resolve()
    return draft.orderId
  })
  await world.withOrders(async ({ orders }) => {
    expect(orders.get(orderId)).toMatchObject({ revision: 2, texts: { eave: '3', sizedForValue: 'abc' } })
    const review = await orders.review(orderId)
    expect(review).toMatchObject({ payload: null, fingerprint: null, duplicates: [] })
    expect(review.problems.map(({ field }) => field)).toContain('sizedForValue')
    expect(() => orders.discard(orderId, 1)).toThrow(expect.objectContaining({ code: 'draft-changed' }) as Error)
    orders.discard(orderId, 2)
    expect(() => orders.get(orderId)).toThrow(expect.objectContaining({ code: 'not-found' }) as Error)
  })
})

test('orders are found by project, homeowner, address, and service order ID, last changed first', async () => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders }) => {
    const { orderId } = completeDraft(orders, world.projectId, { homeownerName: '100% Ana_Ortiz', isExpedited: 'Yes' })
    completeDraft(orders, 'P-OTHER')
    expect(orders.list(all).items.map(({ projectId }) => projectId)).toEqual(['P-OTHER', world.projectId])
    const { serviceId } = await placeReviewed(orders, orderId)
    expect(orders.list(all)).toMatchObject({
      total: 2,
      counts: { all: 2, drafts: 1, notPlaced: 0, unconfirmed: 0, placed: 1 },
      items: [{ orderId, state: 'placed', isExpedited: true, tierLevel: 'maxFill' }, { state: 'draft' }],
    })
    const found = (query: Partial<OrderQuery>) => orders.list({ ...all, ...query }).items.map((order) => order.orderId)
    expect(found({ search: '0% ana_' })).toEqual([orderId])
    expect(found({ search: 'aXa' })).toEqual([])
    expect(found({ search: serviceId ?? '' })).toEqual([orderId])
    expect(found({ filter: 'placed' })).toEqual([orderId])
    expect(found({ projectId: world.projectId })).toEqual([orderId])
    expect(found({ search: 'boise' })).toHaveLength(2)
    expect(found({ batchId: 7 })).toEqual([])
  })
})

test('a draft of the app takes the homeowner of the project’s latest order, and the only known tier', async () => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders }) => {
    const { projectId } = world
    expect(orders.create({ projectId }).texts).toMatchObject({ tierLevel: 'maxFill' })
    expect(orders.create({ projectId }).texts.homeownerName).toBeUndefined()
    await placeReviewed(orders, completeDraft(orders, projectId, { homeownerName: 'Priya Delgado' }).orderId)
    expect(orders.create({ projectId }).texts).toMatchObject({
      homeownerName: 'Priya Delgado',
      projectAddress: filledIn.projectAddress,
    })
    expect(orders.create({ projectId }, 'command-line').texts.tierLevel).toBeUndefined()
  })
})

test('a command removes its own draft alone: not one that was edited, or has its number now', async () => {
  const world = await orderWorld()
  await world.withOrders(async ({ orders }) => {
    const texts = { ...filledIn, projectId: world.projectId }
    await orders.withDraft(texts, (orderId) => {
      orders.discard(orderId)
      expect(orders.create({ texts: { homeownerName: 'Typed in the app' } }).orderId).toBe(orderId)
      return Promise.resolve()
    })
    expect(orders.list(all).items).toMatchObject([{ source: 'app', homeownerName: 'Typed in the app' }])
    await orders.withDraft(texts, (orderId) => {
      const { revision } = orders.get(orderId)
      orders.saveDraft({ orderId, revision, texts: { ...texts, homeownerName: 'Edited in the app' }, region: null })
      return Promise.resolve()
    })
    expect(orders.list(all).items).toHaveLength(2)
    await orders.withDraft(texts, () => Promise.resolve())
    expect(orders.list(all).items).toHaveLength(2)
  })
})
