import Database from 'better-sqlite3'
import { parse } from 'csv-parse/sync'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { createBatches } from '../../../electron/engine/orders/batches.ts'
import type { Engine } from '../../../electron/engine/engine.ts'
import { AppError } from '../../../shared/errors.ts'
import type { OrderTexts } from '../../../shared/order/order-fields.ts'
import { orderTemplateCsv } from '../../../shared/order/order-template.ts'
import { until } from '../../support/watching.ts'
import { checkUnconfirmed, completeDraft, filledIn, orderWorld, type OrderWorld, placeReviewed } from './order-world.ts'

/** A list with one order per row, for the world's project. */
function listOf(archive: OrderWorld, rows: readonly OrderTexts[], more: readonly (keyof OrderTexts)[] = []) {
  const fields = ['projectId', ...Object.keys(filledIn), ...more] as (keyof OrderTexts)[]
  const cells = rows.map((row) => {
    const texts: OrderTexts = { projectId: archive.projectId, ...filledIn, ...row }
    return fields.map((field) => `"${texts[field] ?? ''}"`)
  })
  return { list: { text: [fields, ...cells].map((line) => line.join(',')).join('\n') } }
}

const houses = (count: number) => Array.from({ length: count }, (_, index) => ({ homeownerName: `Owner ${index + 1}` }))

async function create(engine: Engine, archive: OrderWorld, rows: readonly OrderTexts[], includeDuplicates = false) {
  return (await engine.batches.create({ ...listOf(archive, rows), name: 'June.csv', includeDuplicates })).batchId
}

async function run(engine: Engine, batchId: number) {
  engine.batches.start(batchId, { newModule: true })
  return engine.batches.ended(batchId)
}

const listAddress = ({ service, projectId }: OrderWorld) =>
  `${service.url}/api/v1/serviceRequests/project/${projectId}?access_token=${service.token}`

const owners = ({ service }: OrderWorld) => service.orders.map(({ form }) => form['homeownerName'])

describe('the preview of a list of orders', () => {
  it('shows every row, filled in from presets and the project, and stores nothing', async () => {
    const archive = await orderWorld()
    await archive.withEngine(async (engine) => {
      const projectId = archive.projectId
      engine.projects.add([{ id: projectId, address: '9 Oak St' }])
      const { homeownerName: _, projectAddress: _address, tierLevel: _tier, ...texts } = filledIn
      engine.presets.save({
        name: 'Ours',
        kind: 'company',
        texts: { ...texts, tierLevel: 'x' },
        region: null,
        isDefault: true,
      })
      const town = {
        name: 'Town',
        kind: 'jurisdiction',
        texts: { tierLevel: 'maxFill', ridge: '12' },
        region: 'LI',
      } as const
      const { presetId } = engine.presets.save({ ...town, isDefault: false })
      const cells = ['Ann;;Kim', 'Ann;12 in;', 'Bo;tall;'].map((row) => `${projectId};${row}`)
      const text = ['projectId;Homeowner;Ridge;Rep', ...cells, ';Cy;;'].join('\n')
      const preview = await engine.batches.preview({ list: { text }, presetId })
      expect(preview.counts).toEqual({ ready: 1, duplicate: 1, wrong: 2 })
      expect(preview.ignoredColumns).toEqual(['Rep'])
      // Rows with errors are not sent.
      const unstated = ['isExpedited', 'upgrade', 'newBuildPlansRequired', 'isCommercialZone']
      expect(preview.notStated).toEqual(unstated.map((field) => ({ field, rows: 2, duplicates: 1 })))
      const [ann, again, bo, cy] = preview.rows
      expect(ann).toMatchObject({ line: 2, state: 'ready', homeownerName: 'Ann', problems: [] })
      expect(ann?.warnings).toMatchObject([{ field: 'ridge' }, { field: 'projectId' }])
      expect(again).toMatchObject({ line: 3, state: 'duplicate', sameAs: 'Line 2 of this list is the same order.' })
      expect(bo).toMatchObject({ state: 'wrong', problems: [{ field: 'ridge' }] })
      const houses = [`${projectId},Di,9 OAK ST.`, `${projectId},Ed,90 Oak St`, 'P-TYPO,Flo,9 Oak St']
      const misread = ['projectId,Homeowner,Address', ...houses].join('\n')
      const { rows: misreadRows } = await engine.batches.preview({ list: { text: misread }, presetId })
      expect(misreadRows.map(({ state, warnings }) => [state, ...warnings.map(({ message }) => message)])).toEqual([
        ['ready', expect.stringContaining('12 in at the ridge'), expect.stringContaining('line 3.')],
        [
          'ready',
          expect.stringContaining('12 in at the ridge'),
          "Differs from the project's address: 9 Oak St.",
          expect.stringContaining('line 2.'),
        ],
        ['ready', expect.stringContaining('12 in at the ridge'), 'This project is not in the archive. Check its ID.'],
      ])
      // Without a project, its address is unknown too.
      expect(cy).toMatchObject({ state: 'wrong', problems: [{ field: 'projectId' }, { field: 'projectAddress' }] })
      expect(engine.batches.list()).toEqual([])
      expect(engine.orders.list({ offset: 0, limit: 50, search: '', filter: 'all' }).total).toBe(0)
    })
    expect(archive.service.requests.count('serviceRequests')).toBe(0)
  })

  it('refuses the template, a list that is too long, and one without a valid order', async () => {
    const archive = await orderWorld()
    await archive.withEngine(async (engine) => {
      const template = { list: { text: orderTemplateCsv() } }
      expect((await engine.batches.preview(template)).counts).toEqual({ ready: 0, duplicate: 0, wrong: 1 })
      const wrongUsage: unknown = expect.objectContaining({ code: 'wrong-usage' })
      await expect(engine.batches.create({ ...template, name: 'x', includeDuplicates: true })).rejects.toThrow(
        wrongUsage,
      )
      await expect(
        engine.batches.preview({ list: { text: `projectId\n${'p1\n'.repeat(2001)}` } }),
      ).rejects.toMatchObject({
        code: 'wrong-usage',
        message: expect.stringMatching(/at most 2,000 rows .* split it into smaller lists/) as string,
      })
      await expect(engine.batches.preview({ ...template, presetId: 7 })).rejects.toThrow(
        expect.objectContaining({ code: 'not-found' }),
      )
    })
  })
})

test('warnings about a list are shown row by row, and again with counts before it is placed', async () => {
  const archive = await orderWorld({ projects: 3 })
  const [first = '', second = '', third = ''] = archive.service.projects.map(({ id }) => id)
  archive.service.faults.add({
    route: 'serviceRequests',
    method: 'POST',
    count: 1,
    fault: { kind: 'status', status: 500 },
  })
  archive.service.faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'status', status: 404 } })
  await archive.withEngine(async (engine) => {
    const lost = completeDraft(engine.orders, second, { homeownerName: 'Earlier' })
    expect(await placeReviewed(engine.orders, lost.orderId)).toMatchObject({ state: 'unconfirmed' })
    const rows = [
      { projectId: first, homeownerName: 'Ann' },
      { projectId: first, homeownerName: 'Bo', ridge: '0' },
      { projectId: second, homeownerName: 'Cy' },
      { projectId: third, homeownerName: 'Di' },
      { projectId: third, homeownerName: 'Ed', sizedForValue: 'wrong' },
    ]
    const preview = await engine.batches.preview(listOf(archive, rows, ['ridge']))
    expect(preview.rows.map(({ state, warnings }) => [state, ...warnings.map(({ message }) => message)])).toEqual([
      ['ready', 'The list has more orders for this project: line 3.'],
      ['ready', '0 in leaves no setback at all.', 'The list has more orders for this project: line 2.'],
      ['ready', expect.stringContaining(`Order ${lost.orderId} of this project is unconfirmed`)],
      ['ready', 'The list has more orders for this project: line 6.'],
      ['wrong', 'The list has more orders for this project: line 5.'],
    ])
    const list = { ...listOf(archive, rows, ['ridge']), name: 'June.csv', includeDuplicates: false }
    const { batchId } = await engine.batches.create(list)
    const bo = { line: 3, homeownerName: 'Bo', value: '0' }
    expect(await engine.batches.review(batchId)).toEqual({
      unusual: { count: 1, lines: [3] },
      notes: [{ field: 'ridge', message: '0 in leaves no setback at all.', orders: { count: 1, rows: [bo] } }],
      moreNotes: 0,
      unknownModules: { count: 0, rows: [] },
      listProblem: null,
      unreadProjects: 3,
      unconfirmed: { count: 1, lines: [4] },
      sameProject: { count: 2, lines: [2, 3] },
    })
    // As announced, the order beside the unresolved one is not sent.
    expect((await run(engine, batchId)).counts).toEqual({ total: 4, placed: 3, unconfirmed: 0, refused: 1, waiting: 0 })
    expect(owners(archive)).toEqual(['Ann', 'Bo', 'Di'])
    expect((await engine.batches.review(batchId)).unconfirmed.count).toBe(0)
  })
})

describe('a list of orders', () => {
  it('is placed in sequence, each order once; rejected orders stay drafts, and the result reports all', async () => {
    const archive = await orderWorld()
    archive.service.faults.add({
      route: 'serviceRequests',
      method: 'POST',
      skip: 1,
      count: 1,
      fault: { kind: 'status', status: 400 },
    })
    await archive.withEngine(async (engine) => {
      const rows = [{ homeownerName: '=HYPERLINK(1)' }, { homeownerName: 'Bo' }, { homeownerName: 'Zoë' }]
      const batchId = await create(engine, archive, rows)
      expect(engine.batches.get(batchId)).toMatchObject({ state: 'waiting', counts: { total: 3, waiting: 3 } })
      expect(archive.service.orders).toEqual([])
      const ended = await run(engine, batchId)
      expect(ended).toMatchObject({ state: 'done', stoppedBecause: null })
      expect(ended.counts).toEqual({ total: 3, placed: 2, unconfirmed: 0, refused: 1, waiting: 0 })
      expect(engine.batches.list()).toEqual([ended])
      const { items } = engine.orders.list({ offset: 0, limit: 9, search: '', filter: 'not-placed' })
      expect(items).toMatchObject([{ homeownerName: 'Bo', batchId, waitsInList: false, problem: { code: 'rejected' } }])
      expect(owners(archive)).toEqual(['=HYPERLINK(1)', 'Zoë'])

      const { name, text } = engine.batches.result(batchId)
      expect(name).toBe('June result.csv')
      const [header, first, second, third] = parse(text, { bom: true })
      expect(header).toEqual(['line', 'projectId', 'project', 'homeowner', 'state', 'serviceId', 'status', 'message'])
      const [placed] = archive.service.orders
      expect(first?.slice(3)).toEqual(["'=HYPERLINK(1)", 'placed', placed?.id, 'ordered', ''])
      expect(second?.slice(3, 7)).toEqual(['Bo', 'refused', '', ''])
      expect(second?.[7]).not.toBe('')
      expect(third?.[4]).toBe('placed')

      // Nothing waits: nothing is sent, especially no refused or placed order.
      expect(await run(engine, batchId)).toMatchObject({ state: 'done' })
      expect(archive.service.orders).toHaveLength(2)
      // The same list again: a placed order is a duplicate.
      const again = await engine.batches.preview(listOf(archive, rows))
      expect(again.counts).toEqual({ ready: 1, duplicate: 2, wrong: 0 })
    })
  })

  it('has a result with every row, including invalid, duplicate, and later removed ones', async () => {
    const archive = await orderWorld()
    const endless = 'x'.repeat(5000)
    await archive.withEngine(async (engine) => {
      const { list } = listOf(archive, [
        { homeownerName: 'Ann' },
        { homeownerName: 'Bo', sizedForValue: '-5', tierLevel: '' },
        { homeownerName: 'Ann' },
        { homeownerName: 'Cy' },
        { homeownerName: endless },
      ])
      const text = `${list.text}\n${archive.projectId},"too few"`
      const { batchId, rowsLeftOut } = await engine.batches.create({
        list: { text },
        name: 'June.csv',
        includeDuplicates: false,
      })
      expect(rowsLeftOut).toBe(4)
      const drafts = engine.orders.list({ offset: 0, limit: 9, search: 'Cy', filter: 'drafts', batchId }).items
      engine.orders.discard(drafts[0]?.orderId ?? 0)
      expect(await run(engine, batchId)).toMatchObject({ counts: { total: 1, placed: 1 }, rowsLeftOut: 5 })
      const rows = parse(engine.batches.result(batchId).text, { bom: true }).slice(1)
      expect(rows.map(([line, projectId, , homeowner, state]) => [line, projectId, homeowner, state])).toEqual([
        ['2', archive.projectId, 'Ann', 'placed'],
        ['3', archive.projectId, 'Bo', 'wrong'],
        ['4', archive.projectId, 'Ann', 'double'],
        ['5', archive.projectId, 'Cy', 'removed'],
        ['6', archive.projectId, endless.slice(0, 2000), 'wrong'],
        ['7', '', '', 'wrong'],
      ])
      const messages = rows.map((row) => row[7] ?? '')
      expect(messages[1]).toMatch(/^Not ordered\. .*tierLevel: .*sizedForValue: /)
      expect(messages[2]).toContain('the same order')
      expect(messages[3]).toContain('removed')
      expect(messages[5]).toContain('fewer cells')
      expect(rows[1]?.[2]).toBe(archive.service.projects[0]?.name)
    })
  })

  it('ends with an order that stays waiting: it is tried once', async () => {
    const archive = await orderWorld()
    await archive.withOrders(async ({ orders, store, deps }) => {
      const tried: number[] = []
      const place = ({ orderId }: { orderId: number }) => {
        if (tried.includes(orderId)) throw new AppError('cancelled', 'Tried twice')
        tried.push(orderId)
        return Promise.resolve(orders.get(orderId))
      }
      const readList = () => Promise.resolve({ list: null, failure: null })
      const batches = createBatches({
        ...deps,
        store,
        orders: { place },
        readList,
        onChanged: () => undefined,
        run: (_signal, work) => work(new AbortController().signal),
      })
      const input = { ...listOf(archive, houses(2)), name: 'June.csv', includeDuplicates: false }
      const { batchId } = await batches.create(input)
      batches.start(batchId, { newModule: true })
      expect(await batches.ended(batchId)).toMatchObject({ state: 'done', counts: { total: 2, waiting: 2 } })
      expect(tried).toHaveLength(2)
    })
  })

  it('is never placed twice: duplicates that were kept are refused as drafts', async () => {
    const archive = await orderWorld()
    await archive.withEngine(async (engine) => {
      const batchId = await create(engine, archive, [{}, {}], true)
      expect((await run(engine, batchId)).counts).toMatchObject({ placed: 1, refused: 1 })
    })
    expect(archive.service.orders).toHaveLength(1)
  })

  it('stops when the token is refused, and continues with waiting orders on request', async () => {
    const archive = await orderWorld()
    const good = archive.service.token
    await archive.withEngine(
      async (engine) => {
        const batchId = await create(engine, archive, houses(4))
        engine.events.on('orders-changed', () => {
          if (archive.service.orders.length === 2) archive.service.setToken('another')
        })
        const stopped = await run(engine, batchId)
        expect(stopped).toMatchObject({ state: 'stopped', stoppedBecause: { code: 'token-refused' } })
        expect(stopped.counts).toEqual({ total: 4, placed: 2, unconfirmed: 0, refused: 0, waiting: 2 })
        const page = { offset: 0, limit: 9, search: '', batchId }
        const rows = engine.orders.list({ ...page, filter: 'drafts' }).items
        expect(engine.orders.list({ ...page, filter: 'not-placed' }).total).toBe(0)
        // Both still wait in the list, so that neither counts as not placed.
        expect(rows.map(({ waitsInList, problem }) => [waitsInList, problem?.code])).toEqual([
          [true, 'token-refused'],
          [true, undefined],
        ])
        engine.events.removeAllListeners('orders-changed')
        archive.service.setToken(good)
        expect(await run(engine, batchId)).toMatchObject({ state: 'done', counts: { placed: 4 }, stoppedBecause: null })
      },
      {},
      { secrets: { accessToken: () => Promise.resolve(good) } },
    )
    expect(owners(archive).sort()).toEqual(['Owner 1', 'Owner 2', 'Owner 3', 'Owner 4'])
  })

  it('continues after one unconfirmed order, but not after three in a row', async () => {
    const archive = await orderWorld()
    const { faults } = archive.service
    faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'status', status: 404 } })
    faults.add({ route: 'serviceRequests', method: 'POST', count: 1, fault: { kind: 'reset' } })
    faults.add({ route: 'serviceRequests', method: 'POST', skip: 2, count: 3, fault: { kind: 'reset' } })
    await archive.withEngine(async (engine) => {
      const ended = await run(engine, await create(engine, archive, houses(7)))
      expect(ended).toMatchObject({ state: 'stopped', stoppedBecause: { code: 'service-error' } })
      expect(ended.counts).toMatchObject({ unconfirmed: 4, refused: 0 })
      expect(ended.counts.placed + ended.counts.waiting).toBe(3)
    })
  })

  it('does not resend orders: only the user sends one that the service turned out not to have', async () => {
    const archive = await orderWorld({ existingOrders: 1 })
    const { faults, orders: atService } = archive.service
    const fault = { kind: 'status', status: 500, afterProcessing: true } as const
    faults.add({ route: 'serviceRequests', method: 'POST', count: 1, fault })
    // The service accepts the order, and its list lags behind longer than any wait.
    const behind = JSON.stringify(await (await fetch(listAddress(archive))).json())
    faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'body', body: behind } })
    await archive.withEngine(
      async (engine) => {
        const batchId = await create(engine, archive, houses(2))
        const first = await run(engine, batchId)
        expect(first).toMatchObject({ state: 'done', counts: { placed: 1, unconfirmed: 1, waiting: 0 } })
        const unconfirmed = engine.orders.list({ offset: 0, limit: 9, search: '', filter: 'unconfirmed' }).items
        const orderId = unconfirmed[0]?.orderId ?? 0
        engine.orders.resolve({ orderId, decision: 'not-placed' })
        expect(engine.orders.get(orderId).waitsInList).toBe(false)
        const again = await run(engine, batchId)
        expect(again).toMatchObject({ state: 'done', counts: { placed: 1, refused: 1, unconfirmed: 0, waiting: 0 } })
      },
      { orderTimings: { answerWindowMs: 0 } },
    )
    expect(archive.service.requests.count('serviceRequests', 'POST')).toBe(2)
    expect(owners(archive).slice(1)).toEqual(['Owner 1', 'Owner 2'])
    expect(atService).toHaveLength(3)
  })

  it('holds back a row that is edited while the list is placed, and sends one that was edited before', async () => {
    const archive = await orderWorld()
    await archive.withEngine(async (engine) => {
      const batchId = await create(engine, archive, houses(3))
      const edit = (homeownerName: string, projectAddress: string) => {
        const page = { offset: 0, limit: 9, search: homeownerName, filter: 'all', batchId } as const
        const { orderId, texts, revision } = engine.orders.get(engine.orders.list(page).items[0]?.orderId ?? 0)
        engine.orders.saveDraft({ orderId, revision, texts: { ...texts, projectAddress }, region: null })
        return orderId
      }
      edit('Owner 2', '2 Oak St')
      engine.batches.start(batchId, { newModule: true })
      const edited = edit('Owner 3', '3 Oa')
      const { state, counts } = await engine.batches.ended(batchId)
      expect([state, counts]).toEqual(['done', { total: 3, placed: 2, unconfirmed: 0, refused: 1, waiting: 0 }])
      expect(engine.orders.get(edited)).toMatchObject({ state: 'draft', problem: { code: 'draft-changed' } })
    })
    expect(owners(archive)).toEqual(['Owner 1', 'Owner 2'])
    expect(archive.service.orders[1]?.form).toMatchObject({ projectAddress: '2 Oak St' })
  })

  it('is not running any more if its end could not be recorded, and can be continued', async () => {
    const archive = await orderWorld()
    await archive.withEngine(async (engine) => {
      const batchId = await create(engine, archive, houses(1))
      const other = new Database(join(archive.home, 'solarchive.sqlite3'))
      other.exec(`CREATE TRIGGER full_disk BEFORE UPDATE ON order_batches WHEN NEW.state = 'done'
        BEGIN SELECT RAISE(ABORT, 'full'); END`)
      expect(await run(engine, batchId)).toMatchObject({ state: 'stopped', counts: { placed: 1 } })
      expect(engine.batches.list()).toMatchObject([{ batchId, state: 'stopped' }])
      other.exec('DROP TRIGGER full_disk')
      other.close()
      expect(await run(engine, batchId)).toMatchObject({ state: 'done', counts: { placed: 1 } })
    })
    expect(archive.service.orders).toHaveLength(1)
  })

  it('is placed until it is stopped or Solarchive ends, and never resumes by itself', async () => {
    const archive = await orderWorld()
    archive.service.faults.add({
      route: 'serviceRequests',
      method: 'POST',
      skip: 1,
      fault: { kind: 'latency', delayMs: 300 },
    })
    const batchId = await archive.withEngine(async (engine) => {
      const id = await create(engine, archive, houses(5))
      expect(engine.batches.start(id, { newModule: true }).state).toBe('running')
      expect(() => engine.batches.start(id, { newModule: true })).toThrow(
        expect.objectContaining({ code: 'wrong-usage' }),
      )
      await until('an order is in flight', () => archive.service.requests.count('serviceRequests', 'POST') >= 2)
      expect(engine.batches.get(id).counts).toMatchObject({ placed: 1, unconfirmed: 0, waiting: 4 })
      expect(parse(engine.batches.result(id).text, { bom: true })[2]?.[4]).toBe('sending')
      const stopped = await engine.batches.stop(id)
      expect(stopped).toMatchObject({ state: 'stopped', stoppedBecause: null, counts: { placed: 2, waiting: 3 } })
      engine.batches.start(id, { newModule: true })
      await until('another order is in flight', () => archive.service.requests.count('serviceRequests', 'POST') >= 3)
      return id
    })
    await archive.withEngine(async (engine) => {
      const { state, counts } = engine.batches.get(batchId)
      expect(state).toBe('stopped')
      expect(counts.placed + counts.unconfirmed + counts.waiting).toBe(5)
      const before = archive.service.requests.count('serviceRequests', 'POST')
      await checkUnconfirmed(engine.orders)
      expect(archive.service.requests.count('serviceRequests', 'POST')).toBe(before)
      await run(engine, batchId)
    })
    const placed = owners(archive)
    expect(new Set(placed).size).toBe(placed.length)
    expect(placed).toHaveLength(5)
  })
})
