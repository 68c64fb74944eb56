import { describe, expect, it, test } from 'vitest'
import { createFollower } from '../../../electron/engine/orders/follow-orders.ts'
import { recordFound } from '../../../electron/engine/orders/record-order.ts'
import { readServiceRequestList } from '../../../electron/engine/service/readers/read-service-requests.ts'
import { exampleOrder } from '../../../electron/sample-service/orders/order-book.ts'
import { orderDetailSchema } from '../../../shared/order/order-views.ts'
import type { SampleArchive } from '../../support/sample-archive.ts'
import { startWatching, until } from '../../support/watching.ts'
import { JumpingClock } from '../../support/jumping-clock.ts'
import { completeDraft, orderWorld, placeReviewed } from './order-world.ts'

const everything = { offset: 0, limit: 50, search: '', filter: 'all' } as const

/** Places an order the way another program does. */
async function placeElsewhere({ service }: SampleArchive, more: Record<string, unknown> = {}): Promise<void> {
  const [project] = service.projects
  const body = { ...(project === undefined ? {} : exampleOrder(project)), ...more }
  const url = `${service.url}/api/v1/serviceRequests?access_token=${service.token}`
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  expect(answer.status).toBe(201)
}

/** A clock that can be set, whose pauses are shortened and counted. */
class ImpatientClock extends JumpingClock {
  sleeps = 0

  override sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    this.sleeps += 1
    return super.sleep(Math.min(delayMs, 5), signal)
  }
}

const polls = ({ service }: SampleArchive) => service.requests.count('serviceRequests', 'GET')

describe('the refreshed orders of a project', () => {
  it('follow an order whose project id was typed in capitals', async () => {
    const archive = await orderWorld()
    const typedId = archive.projectId.toUpperCase()
    const order = (id: string, status: string) => ({ id, status, project: { id: archive.projectId } })
    const { faults } = archive.service
    faults.add({
      route: 'serviceRequests',
      method: 'POST',
      fault: { kind: 'body', body: JSON.stringify(order('A1', 'ordered')) },
    })
    await archive.withEngine(async (engine) => {
      const empty = faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'body', body: '[]' } })
      const { orderId } = await placeReviewed(engine.orders, completeDraft(engine.orders, typedId).orderId)
      empty.remove()
      const body = JSON.stringify([order('A1', 'inDesign'), order('B2', 'ordered')])
      faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'body', body } })
      await engine.refreshOrders(typedId)
      expect(engine.orders.get(orderId)).toMatchObject({ serviceId: 'A1', status: 'inDesign' })
      const found = engine.orders.list(everything).items.find(({ source }) => source === 'service')
      expect(found).toMatchObject({ serviceId: 'B2', projectId: archive.projectId })
    })
  })

  it('match the service: new statuses with their history, and orders placed elsewhere', async () => {
    const archive = await orderWorld()
    await archive.withEngine(async (engine) => {
      const projectId = archive.projectId
      const { orderId, serviceId } = await placeReviewed(
        engine.orders,
        completeDraft(engine.orders, archive.projectId).orderId,
      )
      await placeElsewhere(archive, { tierLevel: 'premium' })
      archive.service.setOrderStatus(serviceId ?? '', 'inDesign')
      expect(await engine.refreshOrders(projectId)).toEqual({ listed: 2 })

      const order = engine.orders.get(orderId)
      expect(order.status).toBe('inDesign')
      expect(order.history.map(({ status }) => status)).toEqual(['inDesign', 'ordered'])
      const facts = { orderId, from: 'ordered', to: 'inDesign' }
      expect(engine.activity({ limit: 50 }).items[0]).toMatchObject({
        kind: 'order-status',
        facts,
        project: { id: projectId },
      })

      const found = engine.orders.list(everything).items.find(({ source }) => source === 'service')
      expect(found).toMatchObject({ state: 'placed', status: 'ordered', tierLevel: 'premium', projectId })
      const [, remote] = archive.service.orders
      expect(found).toMatchObject({ serviceId: remote?.id, homeownerName: remote?.form['homeownerName'] })
      // It can be ordered again unchanged.
      const copy = engine.orders.create({ from: found?.orderId ?? 0 })
      expect((await engine.orders.review(copy.orderId)).payload?.form).toEqual(remote?.form)

      // Nothing new: no event.
      const before = engine.activity({ limit: 50 }).items.length
      const emitted: unknown[] = []
      engine.events.on('orders-changed', (change) => void emitted.push(change))
      await engine.refreshOrders(projectId)
      expect([engine.activity({ limit: 50 }).items.length, emitted]).toEqual([before, []])
      expect(engine.orders.list(everything).counts).toMatchObject({ placed: 2, drafts: 1 })
    })
  })

  it('stay unchanged if the service has no such list, or no longer lists them', async () => {
    const archive = await orderWorld()
    await archive.withEngine(async (engine) => {
      const { orderId } = await placeReviewed(engine.orders, completeDraft(engine.orders, archive.projectId).orderId)
      const before = engine.orders.get(orderId)
      const { faults } = archive.service
      for (const fault of [
        { kind: 'status', status: 404 },
        { kind: 'status', status: 403 },
        { kind: 'html' },
      ] as const) {
        const rule = faults.add({ route: 'serviceRequests', method: 'GET', fault })
        expect(await engine.refreshOrders(archive.projectId)).toEqual({ listed: null })
        rule.remove()
      }
      faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'body', body: '[]' } })
      expect(await engine.refreshOrders(archive.projectId)).toEqual({ listed: 0 })
      expect(engine.orders.get(orderId)).toEqual(before)
    })
  })
})

describe('the watch follows orders', () => {
  it('resolves unconfirmed orders, sees new statuses, and pauses with the watch', async () => {
    const archive = await orderWorld()
    const clock = new ImpatientClock()
    const work = async (engine: Parameters<Parameters<SampleArchive['withEngine']>[0]>[0]) => {
      const { faults } = archive.service
      const noList = faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'status', status: 502 } })
      faults.add({ route: 'serviceRequests', method: 'POST', count: 1, fault: { kind: 'reset', afterBytes: 0 } })
      const { orderId } = completeDraft(engine.orders, archive.projectId)
      const fingerprint = (await engine.orders.review(orderId)).fingerprint ?? ''
      const { state } = await engine.orders.place({ orderId, fingerprint, newModule: true, withoutCheck: true })
      expect(state).toBe('unconfirmed')
      noList.remove()
      const watching = startWatching(engine)
      await until('it is resolved', () => engine.orders.get(orderId).state === 'placed')
      const { serviceId, settledBy } = engine.orders.get(orderId)
      expect({ serviceId, settledBy }).toEqual({ serviceId: archive.service.orders[0]?.id, settledBy: 'service' })

      archive.service.setOrderStatus(serviceId ?? '', 'completed')
      const asked = polls(archive)
      engine.watch.pause('resumed')
      await until('it is paused', () => watching.states.at(-1)?.kind === 'paused')
      clock.jump(60 * 60_000)
      const ticks = clock.sleeps
      await until('time has passed', () => clock.sleeps > ticks + 50)
      expect(polls(archive)).toBe(asked)
      engine.watch.resume()
      await until('its status is known', () => engine.orders.get(orderId).status === 'completed')
      expect(polls(archive)).toBe(asked + 1)

      // The service no longer has the list: it is not called for a day.
      faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'status', status: 404 } })
      clock.jump(7 * 24 * 60 * 60_000)
      await until('it was asked for', () => polls(archive) === asked + 2)
      clock.jump(20 * 60 * 60_000)
      const later = clock.sleeps
      await until('time has passed again', () => clock.sleeps > later + 50)
      expect(polls(archive)).toBe(asked + 2)
      await watching.stop()
    }
    await archive.withEngine(work, { orderTimings: { answerWindowMs: 0 } }, { clock })
    expect(archive.service.orders).toHaveLength(1)
  })
})

describe('module names', () => {
  it('are the last used ones first, then those of the library once an order names its user', async () => {
    const archive = await orderWorld()
    await archive.withEngine(async (engine) => {
      expect(await engine.moduleNames({ library: true })).toEqual({ ordered: [], presets: [], library: null })
      expect(archive.service.requests.count('modules')).toBe(0)
      const texts = { designOneModule: 'Aptos DNA-120' }
      engine.presets.save({ name: 'Ours', kind: 'company', texts, region: null, isDefault: false })
      for (const designOneModule of ['Silfab SIL-420 BG', 'REC Alpha Pure-R 430']) {
        await placeReviewed(engine.orders, completeDraft(engine.orders, archive.projectId, { designOneModule }).orderId)
      }
      completeDraft(engine.orders, archive.projectId, { designOneModule: 'Only typed' })
      const { ordered, presets, library } = await engine.moduleNames({ library: true })
      expect(ordered).toEqual(['REC Alpha Pure-R 430', 'Silfab SIL-420 BG'])
      expect(presets).toEqual(['Aptos DNA-120'])
      expect(library).toContain('Qcells Q.PEAK DUO BLK ML-G10+ 410')
      await engine.moduleNames({ library: true })
      expect(archive.service.requests.count('modules')).toBe(1)
      // What is known here is offered without waiting for the library.
      expect(await engine.moduleNames({ library: false })).toEqual({ ordered, presets, library: null })
      const unknown = async (designOneModule: string) =>
        (await engine.orders.review(completeDraft(engine.orders, archive.projectId, { designOneModule }).orderId))
          .isModuleUnknown
      expect(await unknown('silfab  sil-420 bg')).toBe(false)
      expect(await unknown('Aptos DNA-120')).toBe(false)
      expect(await unknown('Qcells Q.PEAK DUO BLK ML-G10+ 410')).toBe(false)
      expect(await unknown('rec')).toBe(true)
      // Its warning names the library, which was read.
      const { orderId: warned } = completeDraft(engine.orders, archive.projectId, { designOneModule: 'rec' })
      const { warnings, isLibraryRead } = await engine.orders.review(warned)
      expect(isLibraryRead).toBe(true)
      expect(warnings.map(({ message }) => message).join()).toContain('preset, or library of the service has “rec”')
      const { orderId } = completeDraft(engine.orders, archive.projectId, { designOneModule: 'rec' })
      const { fingerprint } = await engine.orders.review(orderId)
      const place = (newModule: boolean) => engine.orders.place({ orderId, fingerprint: fingerprint ?? '', newModule })
      await expect(place(false)).rejects.toThrow('No earlier order or preset has this module')
      expect(await place(true)).toMatchObject({ state: 'placed' })
    })
    // A service without a library is not called for a day.
    archive.service.faults.add({ route: 'modules', fault: { kind: 'html' } })
    await archive.withEngine(async (engine) => {
      expect(await engine.moduleNames({ library: true })).toMatchObject({ library: null })
      const { orderId } = completeDraft(engine.orders, archive.projectId, { designOneModule: 'rec 2' })
      const { warnings, isLibraryRead } = await engine.orders.review(orderId)
      expect(isLibraryRead).toBe(false)
      expect(warnings.map(({ message }) => message).join()).not.toContain('library')
      const asked = archive.service.requests.count('modules')
      expect(await engine.moduleNames({ library: true })).toMatchObject({ library: null })
      expect(archive.service.requests.count('modules')).toBe(asked)
    })
  })
})

test('without an own order, the library is that of the user who ordered for the project elsewhere', async () => {
  const archive = await orderWorld()
  const query = { library: true, projectId: archive.projectId }
  await archive.withEngine(async (engine) => {
    expect(await engine.moduleNames(query)).toMatchObject({ library: null })
    await engine.moduleNames(query)
    expect([polls(archive), archive.service.requests.count('modules')]).toEqual([1, 0])
  })
  await placeElsewhere(archive)
  await archive.withEngine(async (engine) => {
    const { library } = await engine.moduleNames(query)
    expect(library).toContain('Qcells Q.PEAK DUO BLK ML-G10+ 410')
    await engine.moduleNames(query)
    expect([polls(archive), archive.service.requests.count('modules')]).toEqual([2, 1])
  })
})

test('a list of hundreds with texts of any length is recorded in steps, without the token, and shown', async () => {
  const archive = await orderWorld()
  const hostile = `<img src=x onerror=alert(1)> \u202e ${archive.service.token} ${'S'.repeat(1_000_000)}`
  const form = { homeownerName: 'H'.repeat(10_000), sizedForValue: NaN, projectAddress: `${archive.service.token} St` }
  const listed = Array.from({ length: 250 }, (_, index) => ({
    id: `A${index}`,
    status: index === 100 ? hostile : 'ordered',
    tierLevel: 'maxFill',
    form,
  }))
  archive.service.faults.add({
    route: 'serviceRequests',
    method: 'GET',
    fault: { kind: 'body', body: JSON.stringify(listed) },
  })
  await archive.withEngine(async (engine) => {
    // The token is known once it has been used.
    expect(await engine.refreshOrders(archive.projectId)).toEqual({ listed: 250 })
    expect(engine.orders.list(everything)).toMatchObject({ total: 250, counts: { placed: 250 } })
    const [shown] = engine.orders.list({ ...everything, search: 'A100' }).items
    const order = engine.orders.get(shown?.orderId ?? 0)
    expect(orderDetailSchema.safeParse(order).error).toBeUndefined()
    expect(order.status?.length).toBeLessThanOrEqual(200)
    expect(order.status?.startsWith('<img src=x onerror=alert(1)>')).toBe(true)
    expect(JSON.stringify([order, engine.activity({ limit: 50 })])).not.toContain(archive.service.token)
    const emitted: unknown[] = []
    engine.events.on('orders-changed', (change) => void emitted.push(change))
    await engine.refreshOrders(archive.projectId)
    expect(emitted).toEqual([])
  })
})

test('many due projects take a small share of the calls, unconfirmed orders first', async () => {
  const archive = await orderWorld({ existingOrders: 1 })
  await archive.withOrders(async ({ orders, deps }) => {
    const found = readServiceRequestList(
      Array.from({ length: 12 }, (_, index) => ({ id: `A${index}`, status: 'ordered' })),
    ).list
    for (const [index, remote] of found.entries()) recordFound(deps, `project-${index}`, remote)
    archive.service.faults.add({ route: 'serviceRequests', method: 'POST', fault: { kind: 'status', status: 502 } })
    const { orderId } = await placeReviewed(orders, completeDraft(orders, archive.projectId).orderId)
    expect(orders.get(orderId).state).toBe('unconfirmed')
    archive.service.faults.clear()
    archive.clock.pass(20 * 60_000)
    const follower = createFollower(deps)
    const { signal } = new AbortController()
    const before = polls(archive)
    const asked: number[] = []
    for (let round = 0; round < 4; round++) {
      await follower.followDue(signal)
      asked.push(polls(archive) - before)
      expect(orders.get(orderId).state).toBe('draft')
    }
    expect(asked).toEqual([5, 10, 13, 13])
  })
})

test('a project whose list of orders hangs does not keep the others from being followed', async () => {
  const archive = await orderWorld({ projects: 2 })
  const [first = '', second = ''] = archive.service.projects.map(({ id }) => id)
  const { faults } = archive.service
  await archive.withOrders(async ({ orders, deps }) => {
    faults.add({ route: 'serviceRequests', method: 'POST', fault: { kind: 'reset', afterProcessing: true } })
    const lost: number[] = []
    for (const projectId of [first, second]) {
      const hidden = faults.add({
        route: 'serviceRequests',
        method: 'GET',
        skip: 2,
        fault: { kind: 'status', status: 404 },
      })
      const { orderId, state } = await placeReviewed(orders, completeDraft(orders, projectId).orderId)
      expect(state).toBe('unconfirmed')
      hidden.remove()
      lost.push(orderId)
    }
    const hanging = faults.add({ route: new RegExp(`serviceRequests/project/${first}`), fault: { kind: 'hang' } })
    const follower = createFollower(deps)
    const { signal } = new AbortController()
    await expect(follower.followDue(signal)).rejects.toMatchObject({ code: 'unreachable-timeout' })
    const { hits } = hanging
    await follower.followDue(signal)
    expect(lost.map((orderId) => orders.get(orderId).state)).toEqual(['unconfirmed', 'placed'])
    expect(hanging.hits, 'it is left for a while').toBe(hits)
    hanging.remove()
    archive.clock.pass(2 * 60_000)
    await follower.followDue(signal)
    expect(lost.map((orderId) => orders.get(orderId).state)).toEqual(['placed', 'placed'])
  })
})

test('a project is followed once, and for all its orders, whatever capitals their ids were typed with', async () => {
  const archive = await orderWorld()
  await archive.withOrders(async ({ orders, deps }) => {
    const otherCase = archive.projectId.toUpperCase()
    const found = readServiceRequestList(['A1', 'B2'].map((id) => ({ id, status: 'ordered' }))).list
    for (const [index, remote] of found.entries()) {
      recordFound(deps, index === 0 ? archive.projectId : otherCase, remote)
    }
    archive.service.faults.add({ route: 'serviceRequests', method: 'POST', fault: { kind: 'reset' } })
    const { orderId } = await placeReviewed(orders, completeDraft(orders, otherCase).orderId)
    const follower = createFollower(deps)
    const { signal } = new AbortController()
    await follower.followDue(signal)
    const before = polls(archive)
    const { state, asked } = orders.get(orderId)
    expect(state).toBe('unconfirmed')
    archive.clock.pass(1_000)
    await follower.refresh(archive.projectId, signal)
    expect(orders.get(orderId).asked?.at).not.toBe(asked?.at)
    archive.clock.pass(24 * 60 * 60_000)
    await follower.followDue(signal)
    expect(polls(archive) - before).toBe(2)
  })
})

test('a refused token leaves no unconfirmed order for later', async () => {
  const archive = await orderWorld()
  await archive.withOrders(async ({ orders, deps }) => {
    const { faults } = archive.service
    faults.add({ route: 'serviceRequests', method: 'POST', fault: { kind: 'reset', afterProcessing: true } })
    faults.add({ route: 'serviceRequests', method: 'GET', skip: 2, count: 1, fault: { kind: 'status', status: 404 } })
    const { orderId } = await placeReviewed(orders, completeDraft(orders, archive.projectId).orderId)
    const refused = faults.add({ route: 'serviceRequests', fault: { kind: 'status', status: 401 } })
    const follower = createFollower(deps)
    const { signal } = new AbortController()
    await expect(follower.followDue(signal)).rejects.toMatchObject({ code: 'token-refused' })
    refused.remove()
    await follower.followDue(signal)
    expect(orders.get(orderId).state).toBe('placed')
  })
})
