import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createEngine } from '../../electron/engine/create-engine.ts'
import type { Engine } from '../../electron/engine/engine.ts'
import type { Fault, FaultRule, FaultSubject } from '../../electron/sample-service/http/faults.ts'
import { SeededRandom } from '../../electron/sample-service/site/seeded-random.ts'
import type { OrderDetail } from '../../shared/order/order-views.ts'
import { checkUnconfirmed } from '../engine/orders/order-world.ts'
import { install, type TestInstallation } from '../support/installation.ts'
import { smallFilesFolder } from '../support/memory-disk.ts'
import { takeSnapshot, type Snapshot } from '../support/record-snapshots.ts'
import { silentPorts } from '../support/silent-logger.ts'

/** Number of orders of each kind. */
const runs = 20
/** Avoids lists with the length of a page, which prove nothing. */
const projectCount = 5
/** One per project: a list that shows it can prove that another order was not placed. */
const existingOrders = projectCount
/** As for all other tests: only a hang reaches it. */
const timeoutMs = 15 * 60_000

/** Time that the service works on an order, and the time until its list is trusted. */
const workMs = 40
const answerWindowMs = 150

interface Kill {
  /** Number of orders that the killed process places at the same time. */
  readonly simultaneous: number
  /** The fault of the service for each order. */
  readonly fault: Fault | null
  /** The call at which the process is killed; each order costs two lists (review, before sending) and a POST. */
  readonly at: { readonly method: 'GET' | 'POST'; readonly nth: number }
  /** Milliseconds between that call and the kill. */
  readonly afterMs: (random: SeededRandom) => number
  /**
   * Least number of orders in a state that each kill leaves; undefined where the kill may come after the last order.
   */
  readonly leaves?: Readonly<Partial<Record<OrderDetail['state'], number>>>
}

const simultaneous = 5
const lastOrder = { method: 'POST', nth: simultaneous } as const
const atOnce = () => 0
/** Any time below that, mostly a short one: a fast machine is done soon. */
const within = (ms: number) => (random: SeededRandom) => ms * random.next() ** 3

const kills: Readonly<Record<string, Kill>> = {
  'before its orders are sent': {
    simultaneous,
    fault: null,
    at: { method: 'GET', nth: simultaneous + 1 },
    afterMs: atOnce,
    leaves: { draft: simultaneous },
  },
  'when the first of its orders arrives': {
    simultaneous,
    fault: null,
    at: { method: 'POST', nth: 1 },
    afterMs: atOnce,
    leaves: { unconfirmed: 1 },
  },
  'when its orders arrive, and the service accepts them': {
    simultaneous,
    fault: { kind: 'latency', delayMs: workMs },
    at: lastOrder,
    afterMs: atOnce,
    leaves: { unconfirmed: 1 },
  },
  'when its orders arrive, and the service never accepts them': {
    simultaneous,
    fault: { kind: 'reset', delayMs: workMs },
    at: lastOrder,
    afterMs: atOnce,
    leaves: { unconfirmed: 1 },
  },
  'after the service accepted its orders, before it responds': {
    simultaneous,
    fault: { kind: 'latency', delayMs: workMs, afterProcessing: true },
    at: lastOrder,
    afterMs: () => 10,
    leaves: { unconfirmed: 1 },
  },
  'while the response arrives and is recorded': {
    simultaneous: 2,
    fault: null,
    at: { method: 'POST', nth: 1 },
    afterMs: within(12),
  },
  'at any moment': {
    simultaneous: 2,
    fault: { kind: 'latency', delayMs: 5 },
    at: { method: 'GET', nth: 1 },
    afterMs: within(60),
  },
}

describe.each(Object.entries(kills))('a process that is killed %s', (_, kill) => {
  test(
    `leaves one order for each of ${runs} drafts, and loses none`,
    async () => {
      const seed = String(Date.now())
      const random = new SeededRandom(seed)
      const installation = await world({ existingOrders })
      const all = Array.from({ length: runs / kill.simultaneous }, (_, first) =>
        Array.from({ length: kill.simultaneous }, (_, index) => first * kill.simultaneous + index),
      )
      const drafts = await withEngine(installation, ({ orders }) =>
        all.map((batch) => batch.map((run) => ({ run, orderId: draft(orders, installation, run) }))),
      )
      const found: Record<string, number> = {}
      let killed = 0
      for (const batch of drafts) {
        const ids = batch.map(({ orderId }) => orderId)
        if (await placeAndKill(installation, ids, kill, random)) killed += 1
        await withEngine(installation, async (engine) => {
          const states = ids.map((orderId) => engine.orders.get(orderId).state)
          for (const state of states) found[state] = (found[state] ?? 0) + 1
          for (const [state, least] of Object.entries(kill.leaves ?? {})) {
            expect(states.filter((one) => one === state).length, state).toBeGreaterThanOrEqual(least)
          }
          for (const { orderId, run } of batch) await resolveAndPlace(engine, orderId, run, installation)
          await untilProcessed(installation)
          for (const { orderId, run } of batch) expectOne(engine.orders.get(orderId), installation, run, `seed ${seed}`)
        })
      }
      expect(killed).toBeGreaterThanOrEqual(kill.leaves === undefined ? 1 : drafts.length)
      process.stdout.write(`Found after ${killed} kills: ${JSON.stringify(found)}.\n`)
    },
    timeoutMs,
  )
})

/** Number of kills while five orders are placed that the service records late: 5 s of processor time. */
const lateKills = Number(process.env['LATE_ORDER_KILLS'] ?? 12)

/** End of the POST whose order is recorded late: the process is killed before, during, or after that. */
const lateFaults: readonly Fault[] = [
  { kind: 'latency', delayMs: 0 },
  { kind: 'reset', afterProcessing: true },
  { kind: 'status', status: 504, afterProcessing: true },
  { kind: 'latency', delayMs: 4, afterProcessing: true },
]

test(
  `${lateKills * simultaneous} orders of ${lateKills} killed processes, which the service records late, leave one ` +
    'order for each draft, and none out of sight',
  async () => {
    const seed = String(Date.now())
    const random = new SeededRandom(seed)
    // Short lists, which cost little to read.
    const installation = await world({ existingOrders: 40, projects: 40 })
    const { service } = installation
    const found: Record<string, number> = {}
    let [kills, runs] = [0, 0]
    let pending: { readonly run: number; readonly orderId: number }[] = []
    let record = () => undefined as void

    /** Gives the last orders up while the list lacks them; then the service records them. */
    const settle = async (engine: Engine) => {
      const { orders } = engine
      for (const { orderId } of pending) {
        if (orders.get(orderId).state === 'unconfirmed') await orders.check(orderId)
        if (orders.get(orderId).state === 'unconfirmed') orders.resolve({ orderId, decision: 'not-placed' })
        const { state, isLookedFor } = orders.get(orderId)
        const outcome = isLookedFor ? 'given up' : state
        found[outcome] = (found[outcome] ?? 0) + 1
      }
      record()
      for (const { run, orderId } of pending) {
        const way = random.whole(0, 2)
        if (way === 0) await orders.check(orderId).catch(() => undefined)
        if (way === 1) await engine.refreshOrders(orders.get(orderId).projectId)
        if (orders.get(orderId).state === 'draft') {
          const { fingerprint } = await orders.review(orderId)
          // The review finds it too.
          const isDraft = orders.get(orderId).state === 'draft'
          if (isDraft) await orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true })
        }
        expectOne(orders.get(orderId), installation, run, `seed ${seed}`)
      }
      pending = []
    }

    while (kills < lateKills) {
      let calls = 0
      const [nth, afterMs] = [random.whole(1, simultaneous), random.between(0, 12)]
      const wasKilled = await killedDuring(
        installation,
        ({ method }) => calls > 0 && method === 'POST' && calls++ === nth,
        { route: 'serviceRequests', method: 'POST', fault: random.pick(lateFaults) },
        async (engine) => {
          await settle(engine)
          pending = Array.from({ length: simultaneous }, () => ({
            run: runs,
            orderId: draft(engine.orders, installation, runs++),
          }))
          record = service.recordOrdersLate()
          calls = 1
          await Promise.all(
            pending.map(async ({ orderId }) => {
              const { fingerprint } = await engine.orders.review(orderId)
              await engine.orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true })
            }),
          )
        },
        { afterMs, windowMs: 0 },
      )
      await untilProcessed(installation)
      if (wasKilled) kills += 1
    }
    await withEngine(installation, settle, 0)
    await withEngine(installation, ({ orders }) => {
      const own = orders.list({ offset: 0, limit: 1, search: 'Owner Number', filter: 'all' })
      expect(own.total, `seed ${seed}`).toBe(runs)
      expect(own.counts, `seed ${seed}`).toMatchObject({ drafts: 0, notPlaced: 0, unconfirmed: 0 })
      expect(service.orders).toHaveLength(40 + runs)
    })
    process.stdout.write(`Found after ${kills} kills of ${runs} orders: ${JSON.stringify(found)}.\n`)
  },
  timeoutMs * Math.max(1, lateKills / 40),
)

/** Number of orders whose response is lost, always in the same way. */
const lostResponses = 6

const lost: Readonly<Record<string, Fault>> = {
  'a reset before processing': { kind: 'reset' },
  'a reset after processing': { kind: 'reset', afterProcessing: true },
  'a reset during the response': { kind: 'reset', afterBytes: 100 },
  'a truncated response': { kind: 'truncate', framing: 'chunked' },
  'a garbage response': { kind: 'body', status: 201, body: '\u0000{"id":', afterProcessing: true },
  'an HTML page as the response': { kind: 'html', afterProcessing: true },
  'a gateway timeout before processing': { kind: 'status', status: 504 },
  'a gateway timeout with later processing': { kind: 'status', status: 504, afterProcessing: true },
  'a server error after processing': { kind: 'status', status: 500, afterProcessing: true },
}

test.each(Object.entries(lost))(
  `${lostResponses} responses lost by %s leave one order for each draft`,
  async (_, fault) => {
    // Lists without any order at first: the user has to look for missing ones.
    const installation = await world({ existingOrders: 0 })
    await withEngine(installation, async (engine) => {
      for (let run = 1; run <= lostResponses; run++) {
        const orderId = draft(engine.orders, installation, run)
        installation.service.faults.add({ route: 'serviceRequests', method: 'POST', fault, count: 1 })
        const { fingerprint } = await engine.orders.review(orderId)
        await engine.orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true })
        await resolveAndPlace(engine, orderId, run, installation)
        expectOne(engine.orders.get(orderId), installation, run, 'after the answer was lost')
      }
    })
  },
  timeoutMs,
)

test(
  `a list of ${runs} orders whose process is killed repeatedly places each once, and never resumes by itself`,
  async () => {
    const installation = await world({ existingOrders })
    const { service } = installation
    const seed = String(Date.now())
    const random = new SeededRandom(seed)
    const owners = Array.from({ length: runs }, (_, run) => homeowner(run))
    const batchId = await withEngine(installation, (engine) => createList(engine, installation, owners))
    const sent = () => service.requests.count('serviceRequests', 'POST')
    let kills = 0
    for (let isDone = false; !isDone;) {
      // During an order of the list.
      const afterProcessing = random.chance(0.5)
      const skip = random.whole(1, 4)
      const before = sent()
      const wasKilled = await killedDuring(
        installation,
        ({ method }) => method === 'POST' && sent() - before > skip,
        {
          route: 'serviceRequests',
          method: 'POST',
          skip,
          fault: { kind: 'latency', delayMs: workMs, afterProcessing },
        },
        async ({ batches }) => {
          batches.start(batchId, { newModule: true })
          await batches.ended(batchId)
        },
      )
      if (wasKilled) kills += 1
      await untilProcessed(installation)
      isDone = await withEngine(installation, async ({ batches, orders }) => {
        const { state, counts } = batches.get(batchId)
        expect(state, `seed ${seed}`).toBe(wasKilled ? 'stopped' : 'done')
        expect(counts.placed + counts.unconfirmed + counts.waiting + counts.refused, `seed ${seed}`).toBe(runs)
        const asked = sent()
        while ((await checkUnconfirmed(orders)) > 0) await sleep(20)
        expect(sent(), `seed ${seed}`).toBe(asked)
        const after = batches.get(batchId).counts
        expect(after, `seed ${seed}`).toMatchObject({
          placed: counts.placed + counts.unconfirmed - (after.refused - counts.refused),
        })
        if (after.waiting === 0) await placeRefused(orders, batchId)
        return batches.get(batchId).counts.placed === runs
      })
    }
    const placed = service.orders.slice(existingOrders).map(({ form }) => form['homeownerName'])
    expect(placed.sort(), `seed ${seed}`).toEqual(owners.sort())
    expect(kills).toBeGreaterThan(2)
    process.stdout.write(`Killed ${kills} times.\n`)
  },
  timeoutMs,
)

/** Places orders that were sent without success as the user does, since a list never sends them again. */
async function placeRefused(orders: Engine['orders'], batchId: number): Promise<void> {
  const { items } = orders.list({ offset: 0, limit: 50, search: '', filter: 'not-placed', batchId })
  for (const { orderId } of items) {
    expect(orders.get(orderId)).toMatchObject({ settledBy: 'service', waitsInList: false })
    const { fingerprint } = await orders.review(orderId)
    await orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true })
  }
}

async function createList({ batches }: Engine, { service }: TestInstallation, owners: readonly string[]) {
  const header = 'projectId,homeownerName,projectAddress,tierLevel,sizedForCategory,sizedForValue,designOneModule'
  const projectOf = (run: number) => service.projects[run % projectCount]?.id ?? ''
  const rows = owners.map((owner, run) => `${projectOf(run)},${owner},1 Main St,maxFill,consumption,100,REC 430,1`)
  const text = [`${header},moduleSpacingShort`, ...rows].join('\n')
  return (await batches.create({ list: { text }, name: 'June.csv', includeDuplicates: false })).batchId
}

async function world(orders: {
  readonly existingOrders: number
  readonly projects?: number
}): Promise<TestInstallation> {
  const installation = await install({
    service: { projects: projectCount, checklistsPerProject: 0, ...orders },
    within: smallFilesFolder,
  })
  onTestFinished(() => installation.close())
  return installation
}

async function withEngine<T>(
  { service, home, root }: TestInstallation,
  work: (engine: Engine) => T | Promise<T>,
  windowMs = answerWindowMs,
): Promise<T> {
  const engine = createEngine(
    {
      serviceUrl: service.url,
      homeFolder: home,
      archiveFolder: root,
      apiCallsPerMinute: 0,
      orderTimings: { answerWindowMs: windowMs },
    },
    silentPorts(service.token),
  )
  try {
    return await work(engine)
  } finally {
    await engine.close()
  }
}

/** Resolves once the service has processed the orders of killed processes. */
async function untilProcessed({ service }: TestInstallation): Promise<void> {
  // The last ones may be sent, but not received yet.
  do await sleep(5)
  while (service.requests.inProgress > 0)
}

/** Identifies the order of this run. */
const homeowner = (run: number) => `Owner Number ${run}`

function draft(orders: Engine['orders'], { service }: TestInstallation, run: number): number {
  const { orderId } = orders.create({
    projectId: service.projects[run % service.projects.length]?.id ?? '',
    texts: {
      homeownerName: homeowner(run),
      projectAddress: '1 Main St, Boise, ID 83702',
      tierLevel: 'maxFill',
      sizedForCategory: 'consumption',
      sizedForValue: '100',
      designOneModule: 'REC Alpha Pure-R 430',
      moduleSpacingShort: '0.5',
    },
  })
  return orderId
}

/** Returns true if the process was killed before it had placed all orders. */
async function placeAndKill(
  installation: TestInstallation,
  orderIds: readonly number[],
  { fault, at, afterMs }: Kill,
  random: SeededRandom,
): Promise<boolean> {
  let calls = 0
  return killedDuring(
    installation,
    ({ method }) => method === at.method && ++calls === at.nth,
    fault === null ? null : { route: 'serviceRequests', method: 'POST', fault },
    async ({ orders }) => {
      const reviewed = await Promise.all(
        orderIds.map(async (orderId) => ({ orderId, review: await orders.review(orderId) })),
      )
      await Promise.all(
        reviewed.map(({ orderId, review }) =>
          orders.place({ orderId, fingerprint: review.fingerprint ?? '', newModule: true }),
        ),
      )
    },
    { afterMs: afterMs(random) },
  )
}

/**
 * Runs `work` on an engine as if its process were killed `afterMs` milliseconds after the first request for which
 * `isMoment` returns true: restores the data folder of that moment, and lets no later request reach the service;
 * earlier ones are processed. Returns true if the moment came before the end of the work.
 */
async function killedDuring(
  installation: TestInstallation,
  isMoment: (request: FaultSubject) => boolean,
  fault: FaultRule | null,
  work: (engine: Engine) => Promise<void>,
  { afterMs = 0, windowMs = answerWindowMs }: { readonly afterMs?: number; readonly windowMs?: number } = {},
): Promise<boolean> {
  const { service, home, root } = installation
  let left: Snapshot | undefined
  let killing: NodeJS.Timeout | undefined
  const kill = () => (left = takeSnapshot([home, root], 'killed'))
  const isRefused = (request: FaultSubject) => {
    if (left !== undefined) return true
    if (killing === undefined && isMoment(request)) {
      if (afterMs === 0) kill()
      else killing = setTimeout(kill, afterMs)
    }
    return false
  }
  service.faults.add({ route: isRefused, fault: { kind: 'reset' } })
  if (fault !== null) service.faults.add(fault)
  const untilKilled = async (engine: Engine) => {
    try {
      await work(engine)
    } catch (error) {
      if (left === undefined) throw error
    } finally {
      clearTimeout(killing)
    }
  }
  await withEngine(installation, untilKilled, windowMs)
  service.faults.clear()
  left?.restore()
  return left !== undefined
}

/** Does what the app does after a start, and the user after that. */
async function resolveAndPlace(
  { orders }: Engine,
  orderId: number,
  run: number,
  installation: TestInstallation,
): Promise<void> {
  const { state } = orders.get(orderId)
  if (state === 'unconfirmed') {
    // It cannot be sent a second time while it is unconfirmed.
    const again = orders.place({ orderId, fingerprint: 'whatever', again: true })
    await expect(again).rejects.toMatchObject({ code: 'wrong-usage' })
    const isUndecided = () => orders.get(orderId).asked?.outcome === 'cannot-say'
    while ((await checkUnconfirmed(orders)) > 0 && !isUndecided()) await sleep(20)
    if (orders.get(orderId).state === 'unconfirmed') await decide(orders, orderId, run, installation)
  }
  if (orders.get(orderId).state !== 'draft') return
  const { fingerprint, duplicates } = await orders.review(orderId)
  expect(duplicates, `run ${run}`).toEqual([])
  await orders.place({ orderId, fingerprint: fingerprint ?? '', newModule: true })
}

/** Decides as the user does by the service's own pages, as soon as a decision is allowed. */
async function decide(
  orders: Engine['orders'],
  orderId: number,
  run: number,
  { service }: TestInstallation,
): Promise<void> {
  while (orders.get(orderId).state === 'unconfirmed') {
    const found = service.orders.find(({ form }) => form.homeownerName === homeowner(run))
    try {
      if (found === undefined) orders.resolve({ orderId, decision: 'not-placed' })
      else orders.resolve({ orderId, decision: 'placed', serviceId: found.id })
    } catch (error) {
      expect(error).toMatchObject({ code: 'wrong-usage', details: { decidableAt: expect.any(String) as string } })
      await sleep(20)
    }
  }
}

function expectOne(order: OrderDetail, { service }: TestInstallation, run: number, where: string): void {
  const placed = service.orders.filter(({ form }) => form.homeownerName === homeowner(run)).map(({ id }) => id)
  expect(placed, `run ${run}, ${where}`).toEqual([order.serviceId])
  expect(order.state).toBe('placed')
}
