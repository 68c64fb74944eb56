import { writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ArchiveReader } from '../../electron/engine/engine.ts'
import { createOrderQueries } from '../../electron/engine/orders/create-orders.ts'
import { createStore } from '../../electron/engine/store/create-store.ts'
import { listOrdersCommand } from '../../electron/headless/commands/orders.ts'
import { createPainter } from '../../electron/headless/output/console-output.ts'
import type { Session } from '../../electron/headless/session.ts'
import { exampleOrder } from '../../electron/sample-service/orders/order-book.ts'
import { startSampleService } from '../../electron/sample-service/start-sample-service.ts'
import type { FailingCalls } from '../support/hooks/fail-calls.ts'
import { runMain, startMain } from '../support/run-main.ts'
import { until } from '../support/watching.ts'
import { type Ended, runSolarchive } from './run-solarchive.ts'

const failCallsHook = fileURLToPath(new URL('../support/hooks/fail-calls.ts', import.meta.url))

let folder: string
let service: Awaited<ReturnType<typeof startSampleService>>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'solarchive-orders-'))
  service = await startSampleService({ token: 'canary-token-of-the-service', projects: 2, existingOrders: 0 })
})

afterEach(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

function surroundings(token: string) {
  return {
    cwd: folder,
    env: {
      SOLARCHIVE_HOME: 'data',
      SOLARCHIVE_ARCHIVE: 'archive',
      SOLARCHIVE_URL: service.url,
      SOLARCHIVE_TOKEN: token,
    },
  }
}

async function run(args: readonly string[], input = '', token = service.token): Promise<Ended> {
  return withoutToken(await runMain(args, { ...surroundings(token), input }))
}

/** Runs a command in a process whose system calls fail as `failing` specifies. */
async function runWithFailingCalls(args: readonly string[], failing: FailingCalls): Promise<Ended> {
  const { cwd, env } = surroundings(service.token)
  const options = {
    cwd,
    nodeArgs: ['--import', failCallsHook],
    env: { ...env, FAILING_CALLS: JSON.stringify(failing) },
  }
  return withoutToken(await runSolarchive(args, options))
}

function withoutToken(ended: Ended): Ended {
  expect(ended.stdout + ended.stderr).not.toContain('canary')
  return ended
}

type Document = Record<string, unknown> & {
  readonly order: Record<string, unknown>
  readonly problems: readonly { field: string; message: string }[]
}

async function runJson(args: readonly string[], input?: string, token?: string) {
  const { exitCode, stdout, stderr } = await run([...args, '--json'], input, token)
  return { exitCode, stderr, document: JSON.parse(stdout) as Document }
}

async function orderFile(change: (order: Record<string, unknown>) => void = () => undefined) {
  const [project] = service.projects
  if (project === undefined) throw new Error('There is no project')
  const order: Record<string, unknown> = exampleOrder(project)
  change(order)
  await writeFile(join(folder, 'order.json'), JSON.stringify(order))
  return { projectId: project.id, order }
}

test('a template is filled in, previewed, placed, listed, and checked; repeating it sends nothing', async () => {
  const template = JSON.parse((await run(['orders', 'template'])).stdout) as { form: Record<string, unknown> }
  const { projectId } = await orderFile()
  const place = ['orders', 'place', '--project', projectId, '--file', 'order.json']

  // Reads the standard input of a process.
  const dryRun = ['orders', 'place', '--file', '-', '--dry-run', '--json']
  const unfinished = await runSolarchive(dryRun, { ...surroundings(service.token), input: JSON.stringify(template) })
  expect(unfinished.exitCode).toBe(2)
  expect((JSON.parse(unfinished.stdout) as Document).problems.map(({ field }) => field).sort()).toEqual([
    'form.designOneModule',
    'form.homeownerName',
    'form.moduleSpacingShort',
    'form.projectAddress',
    'projectId',
  ])

  const dry = await runJson([...place, '--dry-run'])
  expect(dry).toMatchObject({ exitCode: 0, document: { outcome: 'dry-run', order: null } })
  const plain = await run([...place, '--dry-run'])
  expect(JSON.parse(plain.stdout), 'alone on stdout').toEqual(dry.document['payload'])
  expect(plain.stderr).toContain('No earlier order or preset has')
  expect(plain.stderr, 'the default of most regions').not.toContain('at the ridge')
  expect(plain.stderr).toContain('This order has no errors. Nothing was sent.')
  expect(plain.stderr).not.toContain('before')
  expect(plain.stderr).not.toContain('Not stated')
  const shorter = await orderFile((order) => {
    delete order['upgrade']
    delete (order['form'] as Record<string, unknown>)['isCommercialZone']
  })
  expect((await run([...place, '--dry-run'])).stderr).toContain(
    'Not stated, sent as no: Upgrade of an earlier design (upgrade), Commercial zone (form.isCommercialZone).',
  )
  const unstated = (await runJson([...place, '--dry-run'])).document
  expect(unstated).toMatchObject({ notStated: ['upgrade', 'form.isCommercialZone'], payload: { upgrade: false } })
  expect(shorter.projectId).toBe(projectId)
  await orderFile()
  expect(dry.document['payload']).toEqual(JSON.parse(await readFile(join(folder, 'order.json'), 'utf8')))
  expect(service.orders).toHaveLength(0)

  const first = await runJson(place)
  expect(first).toMatchObject({ exitCode: 0, document: { outcome: 'placed', order: { state: 'placed', projectId } } })
  const [placed] = service.orders
  expect(first.document.order['serviceId']).toBe(placed?.id)
  const again = await runJson(place)
  expect(again).toMatchObject({
    exitCode: 0,
    document: { outcome: 'already-placed', order: { serviceId: placed?.id } },
  })
  expect(service.orders).toHaveLength(1)
  expect((await run([...place, '--dry-run'])).stderr).toContain('The same order was placed from here before (order 1)')
  expect((await run(['orders', 'list', '--project', 'zzz'])).stdout).toContain('No orders of this project.')
  expect((await run([...place, '--again'])).stdout).toContain('is placed')
  expect(service.orders).toHaveLength(2)

  const list = (await runJson(['orders', 'list'])).document['orders'] as Record<string, unknown>[]
  expect(list.map(({ state }) => state)).toEqual(['placed', 'placed'])
  const keys = ['id', 'projectId', 'projectName', 'homeownerName', 'projectAddress', 'state', 'status', 'serviceId']
  expect(Object.keys(list[0] ?? {})).toEqual([
    ...keys,
    'tierLevel',
    'isExpedited',
    'source',
    'createdAt',
    'placedAt',
    'problem',
    'lateFor',
  ])
  expect((await run(['orders', 'list'])).stdout).toMatch(/Design .*\n.* Max fill, 100% /)
  service.setOrderStatus(placed?.id ?? '', 'inReview')
  const check = await runJson(['orders', 'check', placed?.id ?? ''])
  expect(check).toMatchObject({ exitCode: 0, document: { order: { status: 'inReview' } } })
  service.faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'status', status: 404 } })
  const unchecked = await runJson(['orders', 'check', placed?.id ?? ''])
  expect(unchecked).toMatchObject({
    exitCode: 4,
    document: { order: { status: 'inReview' }, error: { code: 'not-found' } },
  })
  const number = String(unchecked.document.order['id'])
  const sentence = (what: string) =>
    `Order ${number} (${String(unchecked.document.order['homeownerName'])}, service order ${placed?.id}): ` +
    `This order was placed, but the service ${what}, so its current status is not known. ` +
    "It stays unchanged here; look for it on the service's own pages.\n"
  const unavailable = await run(['orders', 'check', number])
  expect([unavailable.exitCode, unavailable.stdout + unavailable.stderr]).toEqual([
    4,
    sentence('provides no list of its orders now'),
  ])
  service.faults.clear()
  service.faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'body', body: '[]' } })
  const unlisted = await run(['orders', 'check', number])
  expect([unlisted.exitCode, unlisted.stdout + unlisted.stderr]).toEqual([4, sentence('does not list it now')])
  expect(await runJson(['orders', 'check', '77'])).toMatchObject({
    exitCode: 2,
    document: { error: { code: 'not-found', message: 'There is no order 77. "orders list" shows all orders.' } },
  })
})

test('hundreds of orders are listed with one query, because each one sorts all of them', () => {
  const store = createStore(join(folder, 'orders.sqlite3'))
  try {
    const count = 300
    store.transaction(() => {
      for (let number = 1; number <= count; number += 1) {
        store.orders.insertDraft({ source: 'app', texts: {}, region: null, at: new Date(number).toISOString() })
      }
    })
    // The list needs nothing but the store, and the command nothing but the list.
    const orders = createOrderQueries({ store } as unknown as Parameters<typeof createOrderQueries>[0])
    const list = vi.spyOn(orders, 'list')
    const session = { engine: { orders }, output: { paint: createPainter(false) } }
    const { document } = listOrdersCommand(session as unknown as Session<ArchiveReader>, {})
    const listed = (document as { orders: { id: number }[] }).orders.map(({ id }) => id)
    expect(listed).toEqual(Array.from({ length: count }, (_, index) => count - index))
    expect(list).toHaveBeenCalledTimes(1)
  } finally {
    store.close()
  }
})

test('an order whose response is lost is unconfirmed or found, never sent again by repeating the command', async () => {
  const { projectId } = await orderFile()
  const place = ['orders', 'place', '--project', projectId, '--file', 'order.json']
  service.faults.add({ route: 'serviceRequests', method: 'POST', fault: { kind: 'reset' } })
  service.faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'status', status: 404 } })
  const first = await runJson(place)
  expect(first).toMatchObject({ exitCode: 4, document: { outcome: 'unconfirmed', order: { state: 'unconfirmed' } } })
  service.faults.clear()
  const second = await runJson(place)
  expect(second.document['outcome']).toBe('unconfirmed')
  const number = String(second.document.order['id'])

  await orderFile((order) => Object.assign(order['form'] as object, { projectAddress: '1 Other Street' }))
  const hint = `Order ${number} of this project was sent`
  const dry = await run([...place, '--dry-run'])
  expect([dry.exitCode, dry.stderr]).toEqual([0, expect.stringContaining(hint)])
  const beside = await run(place)
  expect([beside.exitCode, beside.stderr]).toEqual([2, expect.stringContaining(hint)])
  expect(service.requests.count('serviceRequests', 'POST')).toBe(1)
  await orderFile()

  const other = await startSampleService({ token: service.token, projects: 2, existingOrders: 1 })
  const elsewhere = await runJson([...place, '--url', other.url])
  expect(elsewhere).toMatchObject({ exitCode: 4, document: { outcome: 'unconfirmed' } })
  expect(elsewhere.stderr).toContain(`It was sent to ${service.url}, and only that service knows`)
  const asked = await runJson(['orders', 'check', number, '--url', other.url])
  expect(asked).toMatchObject({
    exitCode: 4,
    document: { order: { state: 'unconfirmed' }, error: { code: 'not-found' } },
  })
  expect([other.orders.length, other.requests.count('serviceRequests', 'POST')]).toEqual([1, 0])
  await other.close()

  const early = await runJson(['orders', 'settle', number, '--not-placed'])
  expect(early.exitCode).toBe(2)
  expect(early.document).toMatchObject({ error: { code: 'wrong-usage' } })
  const withToken = await run(['orders', 'settle', number, '--placed', '--service-id', `sr-${service.token}`])
  const refusal = expect.stringContaining('The access token was entered where another text belongs') as string
  expect([withToken.exitCode, withToken.stderr]).toEqual([2, refusal])
  const settled = await runJson(['orders', 'settle', number, '--placed', '--service-id', 'abc-123'])
  expect(settled.document.order).toMatchObject({ state: 'placed', serviceId: 'abc-123', settledBy: 'person' })
  expect(service.orders).toHaveLength(0)
})

test('an order sent while the disk ran full is reported as sent, and found once there is space', async () => {
  const { projectId } = await orderFile()
  const place = ['orders', 'place', '--project', projectId, '--file', 'order.json']
  const isFull = join(folder, 'full')
  const fill = ({ method }: { method: string }) => {
    if (method === 'POST') writeFileSync(isFull, '')
    return false
  }
  service.faults.add({ route: fill, fault: { kind: 'reset' } })
  const failing = {
    below: ['database'],
    calls: ['run'],
    from: 1,
    what: 'SQLITE_FULL',
    while: isFull,
  } satisfies FailingCalls
  const full = await runWithFailingCalls(place, failing)
  expect(full.exitCode).toBe(4)
  expect(full.stderr).toContain('The order was sent, but its outcome could not be recorded.')
  expect(service.orders).toHaveLength(1)
  expect((await runJson(place)).document).toMatchObject({
    outcome: 'already-placed',
    order: { serviceId: service.orders[0]?.id, settledBy: 'service' },
  })
  expect(service.orders).toHaveLength(1)
})

test('a draft that was sent before and is still looked for is kept if it is refused now', async () => {
  const { projectId } = await orderFile()
  const place = ['orders', 'place', '--project', projectId, '--file', 'order.json']
  service.faults.add({ route: 'serviceRequests', method: 'POST', fault: { kind: 'reset' }, count: 1 })
  const { id } = (await runJson(place)).document.order as { id: number }
  const db = new Database(join(folder, 'data', 'solarchive.sqlite3'))
  db.prepare('UPDATE orders SET sent_at = ?').run(new Date(Date.now() - 60 * 60_000).toISOString())
  db.close()
  expect((await run(['orders', 'settle', String(id), '--not-placed'])).exitCode).toBe(0)
  const refused = await runJson(place, undefined, 'wrong-token')
  expect(refused).toMatchObject({ exitCode: 3, document: { order: { id, isLookedFor: true } } })
  expect((await runJson(['orders', 'list'])).document['orders']).toMatchObject([{ id, state: 'draft' }])
  expect((await runJson(place)).document).toMatchObject({ outcome: 'placed', order: { id } })
  expect(service.orders).toHaveLength(1)
})

test('in a terminal an unknown module is confirmed first; without one it is a warning', async () => {
  const { projectId } = await orderFile()
  const place = ['orders', 'place', '--project', projectId, '--file', 'order.json']
  const type = (input: string, ...more: string[]) =>
    runMain([...place, ...more], { ...surroundings(service.token), input, isTerminal: true })
  const declined = await type('\n')
  expect(declined).toMatchObject({ exitCode: 2, stdout: '' })
  expect(declined.stderr).toContain('It is ordered exactly as written. Order it? [y/N]')
  expect(declined.stderr).toContain('was not confirmed. Nothing was sent.')
  expect((await type('')).exitCode, 'the terminal was closed').toBe(2)
  expect(service.orders).toHaveLength(0)
  expect((await runJson(['orders', 'list'])).document['orders']).toEqual([])
  const confirmed = await type('y\n')
  expect(confirmed.exitCode).toBe(0)
  expect(service.orders).toHaveLength(1)
  // An order is known by now; its module is not asked about.
  expect((await type('', '--again')).stderr).not.toContain('[y/N]')
  await orderFile(({ form }) => Object.assign(form as object, { designOneModule: 'Another 400' }))
  const unasked = await type('', '--new-module')
  expect(unasked).toMatchObject({ exitCode: 0 })
  expect(unasked.stderr).not.toContain('[y/N]')
  await orderFile(({ form }) => Object.assign(form as object, { designOneModule: 'A third 400' }))
  const script = await run(place)
  expect(script).toMatchObject({ exitCode: 0 })
  expect(script.stdout).toContain('No earlier order or preset has “A third 400”')
  expect(service.orders).toHaveLength(4)
})

test('in a terminal an order with an unknown module that is typed itself is not sent: nobody can answer', async () => {
  const { order } = await orderFile()
  const input = JSON.stringify(order)
  const typed = (...more: string[]) =>
    runMain(['orders', 'place', '--file', '-', ...more], { ...surroundings(service.token), input, isTerminal: true })
  const asked = await typed()
  expect(asked).toMatchObject({ exitCode: 2, stdout: '' })
  expect(asked.stderr).toContain('was not confirmed. Nothing was sent.')
  expect(service.orders).toHaveLength(0)
  expect(await typed('--new-module')).toMatchObject({ exitCode: 0 })
  expect(service.orders).toHaveLength(1)
})

test('after the database was lost, an order that may be one of the service’s list is placed with --again', async () => {
  const { projectId } = await orderFile()
  const place = ['orders', 'place', '--project', projectId, '--file', 'order.json']
  expect(await run(place)).toMatchObject({ exitCode: 0 })
  await rm(join(folder, 'data', 'backups'), { recursive: true, force: true })
  await writeFile(join(folder, 'data', 'solarchive.sqlite3'), 'not a database')
  await orderFile(({ form }) => Object.assign(form as object, { homeownerName: 'Ann Lee' }))
  const asked = await run(place)
  expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining('The database was replaced or restored')])
  expect(asked.stderr).toContain('To place it anyway, add --again.')
  expect(service.orders).toHaveLength(1)
  expect(await run([...place, '--again'])).toMatchObject({ exitCode: 0 })
  expect(service.orders).toHaveLength(2)
})

test('while the list of the service cannot be read, an order is placed only without that check', async () => {
  const { projectId } = await orderFile()
  const place = ['orders', 'place', '--project', projectId, '--file', 'order.json']
  service.faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'reset' } })
  const refused = await runJson(place)
  expect(refused).toMatchObject({
    exitCode: 4,
    document: { outcome: 'not-checked', order: null, error: { code: 'unreachable-reset' } },
  })
  expect(refused.stderr).toContain('add --without-check')
  expect((await runJson(['orders', 'list'])).document['orders']).toEqual([])
  const { exitCode, stdout, stderr } = await run([...place, '--without-check'])
  expect(exitCode).toBe(0)
  expect(stderr).toContain('it then has it twice')
  expect(stdout).toContain("It was placed without checking the service's list of orders first.")
  expect(service.orders).toHaveLength(1)
})

test('an order file in UTF-8 or PowerShell’s UTF-16 is read; any other is refused with what to do', async () => {
  const { order } = await orderFile(({ form }) => Object.assign(form as object, { homeownerName: 'José Muñoz' }))
  const text = JSON.stringify(order)
  const dryRun = async (bytes: Buffer) => {
    await writeFile(join(folder, 'order.json'), bytes)
    return runJson(['orders', 'place', '--file', 'order.json', '--dry-run'])
  }
  for (const bytes of [
    Buffer.from(`\uFEFF${text}`),
    Buffer.from(`\uFEFF${text}`, 'utf16le'),
    Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
  ]) {
    expect(await dryRun(bytes)).toMatchObject({
      exitCode: 0,
      document: { payload: { form: { homeownerName: 'José Muñoz' } } },
    })
  }
  for (const bytes of [Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le')]) {
    const { exitCode, stderr } = await dryRun(bytes)
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/order\.json is not saved as UTF-8.*-Encoding utf8/)])
  }
  await writeFile(join(folder, 'list.csv'), Buffer.from('id,name\np1,Muñoz', 'latin1'))
  // Names of projects are not sent, and Excel saves CSV so.
  expect((await run(['projects', 'add', '--file', 'list.csv'])).stdout).toContain('Muñoz')
  await writeFile(join(folder, 'list.csv'), Buffer.from('\uFEFFid,name\np2,Nuñez', 'utf16le'))
  expect((await run(['projects', 'add', '--file', 'list.csv'])).stdout).toContain('Nuñez')
})

test('an order that differs only in capitals from one of today asks first', async () => {
  const { projectId } = await orderFile()
  const place = ['orders', 'place', '--project', projectId, '--file', 'order.json']
  await run(place)
  await orderFile((order) => Object.assign(order['form'] as object, { homeownerName: 'undefined' }))
  expect((await run(place)).stdout).toContain('“undefined” is what a program writes for a missing value')
  await orderFile(({ form }) => {
    const { homeownerName } = form as { homeownerName: string }
    Object.assign(form as object, { homeownerName: homeownerName.toUpperCase() })
  })
  expect((await run([...place, '--dry-run'])).stderr).toContain('Order 1 differs only in spaces or capitals')
  const asked = await run(place)
  expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining('To place a second one, add --again.')])
  expect(service.orders).toHaveLength(1)
  expect((await run([...place, '--again'])).exitCode).toBe(0)
  expect(service.orders).toHaveLength(2)
})

test('after the service asked to wait, the next command waits too, and says so', async () => {
  const { projectId } = await orderFile()
  const place = ['orders', 'place', '--project', projectId, '--file', 'order.json']
  const fault = { kind: 'status', status: 429, retryAfter: 20 } as const
  service.faults.add({ route: 'serviceRequests', method: 'POST', count: 1, fault })
  const limited = await run(place)
  expect([limited.exitCode, limited.stdout]).toEqual([4, expect.stringContaining('makes no calls until then')])
  const { exitCode, stderr } = await run(place)
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/Waiting for the service's rate limit, about \d+ s/)])
  const times = service.requests.records.map(({ at, method }) => ({ at, method }))
  const refusedAt = times.find(({ method }) => method === 'POST')?.at ?? 0
  const later = times.filter(({ at }) => at > refusedAt)
  expect(Math.min(...later.map(({ at }) => at)) - refusedAt).toBeGreaterThan(19_900)
})

test('after a refusal for the limit without a time, the next command waits a minute, and can be stopped', async () => {
  const { projectId } = await orderFile()
  const place = ['orders', 'place', '--project', projectId, '--file', 'order.json']
  const fault = { kind: 'status', status: 429 } as const
  service.faults.add({ route: 'serviceRequests', method: 'POST', count: 1, fault })
  expect(await run(place)).toMatchObject({ exitCode: 4 })
  const calls = service.requests.count('api')
  const waiting = startMain(place, surroundings(service.token))
  await until('it says that it waits', () => /rate limit, about (\d\d s|1 min)/.test(waiting.printed.stderr))
  expect(await waiting.stop('SIGINT')).toMatchObject({ exitCode: 130 })
  expect(service.requests.count('api')).toBe(calls)
  expect(await run(['orders', 'list'])).toMatchObject({ stdout: 'No orders in this data folder yet.\n' })
})

test('an order that the service records late is found, and one placed from another data folder is listed', async () => {
  const { projectId } = await orderFile()
  const place = ['orders', 'place', '--project', projectId, '--file', 'order.json']
  const record = service.recordOrdersLate()
  service.faults.add({
    route: 'serviceRequests',
    method: 'POST',
    fault: { kind: 'reset', afterProcessing: true },
    count: 1,
  })
  const number = String((await runJson(place)).document.order['id'])
  const database = new Database(join(folder, 'data', 'solarchive.sqlite3'))
  database.prepare('UPDATE orders SET sent_at = ?').run(new Date(Date.now() - 600_000).toISOString())
  database.close()
  const settled = await run(['orders', 'settle', number, '--not-placed'])
  expect(settled.stdout).toContain(`"orders check ${number}", the app, and the watch look for it for 30 days`)
  expect((await run(['orders', 'check', number])).stdout).toContain('is not placed')
  record()
  const placed = { state: 'placed', settledBy: 'service', serviceId: service.orders[0]?.id, lateOrders: [] }
  expect(await runJson(place)).toMatchObject({ exitCode: 0, document: { outcome: 'already-placed', order: placed } })
  expect((await run(['orders', 'check', number])).stdout).toContain('is placed')

  const elsewhere = [...place, '--home', 'other-data']
  const { exitCode, document } = await runJson(elsewhere)
  expect({ exitCode, document }).toMatchObject({
    exitCode: 0,
    document: { outcome: 'already-placed', order: { source: 'service', serviceId: service.orders[0]?.id } },
  })
  const listed = (await runJson(['orders', 'list', '--home', 'other-data'])).document['orders']
  expect(listed).toMatchObject([{ source: 'service', state: 'placed', homeownerName: document.order['homeownerName'] }])
  expect(service.requests.count('serviceRequests', 'POST')).toBe(1)
})

test('an order placed elsewhere is known, also if the list arrives only after the wait for the rate limit', async () => {
  const { projectId } = await orderFile()
  const place = ['orders', 'place', '--project', projectId, '--file', 'order.json']
  expect(await run(place)).toMatchObject({ exitCode: 0 })
  const fault = { kind: 'status', status: 429, retryAfter: 13 } as const
  service.faults.add({ route: 'serviceRequests', method: 'GET', count: 1, fault })
  const elsewhere = await runJson([...place, '--home', 'other-data'])
  expect(elsewhere).toMatchObject({
    exitCode: 0,
    document: { outcome: 'already-placed', order: { source: 'service', serviceId: service.orders[0]?.id } },
  })
  expect(service.requests.count('serviceRequests', 'POST')).toBe(1)
})

test('errors of an order are listed by field, with those of the service; nothing is sent twice', async () => {
  const { projectId } = await orderFile((order) => {
    const wrongs = { sizedForValue: '-5', colour: 'red', azimuthRangeEnd: '10', designOneModule: null }
    Object.assign(order['form'] as object, wrongs)
  })
  const place = ['orders', 'place', '--project', projectId, '--file', 'order.json']
  const wrong = await run(place)
  expect(wrong.exitCode).toBe(2)
  for (const field of ['form.sizedForValue', 'form.colour', 'form.azimuthRangeEnd'])
    expect(wrong.stdout).toContain(`${field}`)
  expect(wrong.stdout.match(/form\.designOneModule.*/g)).toEqual([
    'form.designOneModule (Module): It is missing. Write it in the file, as the service names the module.',
  ])
  expect((await runJson([...place, '--preset', 'Ours'])).document).toMatchObject({ error: { code: 'wrong-usage' } })

  await orderFile()
  const refused = await runJson(place, undefined, 'wrong-token')
  expect(refused.exitCode).toBe(3)
  const unknown = await runJson(
    ['orders', 'place', '--file', '-'],
    JSON.stringify(exampleOrder({ ...service.projects[0]!, id: 'nobody-knows-me' })),
  )
  expect(unknown.exitCode).toBe(2)
  expect(JSON.stringify(unknown.document)).toContain('not-found')
  expect(unknown.document.order).toBeNull()
  const sentence = { error: 'Bad Request', details: [{ field: 'form.homeownerName', message: 'is no homeowner' }] }
  const rejected = { kind: 'body', status: 400, body: JSON.stringify(sentence) } as const
  service.faults.add({ route: 'serviceRequests', method: 'POST', fault: rejected, count: 2 })
  const listed = await run(place)
  expect(listed.exitCode).toBe(4)
  expect(listed.stdout).toContain('form.homeownerName (Homeowner): is no homeowner')
  expect(listed.stdout).toContain('Nothing was saved: the order is in its file.')
  expect(listed.stdout).not.toMatch(/order \d/i)
  expect((await runJson(place)).document).toMatchObject({
    outcome: 'refused',
    problems: [
      { field: 'homeownerName', message: 'is no homeowner' },
      { field: null, message: 'Bad Request' },
    ],
  })
  expect((await run(['orders', 'place', '--file', '.'])).stderr).toContain('is a folder')
  expect((await run(['orders', 'place', '--file', 'nowhere.json'])).stderr).toContain('does not exist')
  await writeFile(join(folder, 'order.json'), '{')
  expect((await run(place)).stderr).toContain('orders template')
  await writeFile(join(folder, 'order.json'), ' '.repeat(2 * 1024 * 1024))
  const large = await run(place)
  expect([large.exitCode, large.stderr]).toEqual([2, expect.stringContaining('too large')])
  expect(service.orders).toHaveLength(0)
})

test('an order that contains the access token is refused, not shown, and not kept', async () => {
  const { token } = service
  for (const texts of [{ id: token }, { homeownerName: token.toUpperCase() }]) {
    const order = JSON.stringify(exampleOrder({ ...service.projects[0]!, ...texts }))
    const { exitCode, stderr } = await run(['orders', 'place', '--file', '-'], order)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('The access token was entered where another text belongs')
  }
  expect(service.orders).toHaveLength(0)
  expect((await run(['orders', 'list', '--json'])).stdout).not.toContain('"draft"')
})

test('a preset fills in fields that the file leaves at their default, and lists them', async () => {
  await run(['orders', 'list'])
  const store = createStore(join(folder, 'data', 'solarchive.sqlite3'))
  const texts = { ridge: '30', eave: '9', moduleOrientation: 'landscape' }
  store.orderPresets.save({ name: 'Ada County', kind: 'jurisdiction', texts, region: null, isDefault: false })
  store.close()
  const { projectId } = await orderFile((order) => {
    const form = order['form'] as { fireSetbacks: Record<string, unknown> }
    form.fireSetbacks = { ...form.fireSetbacks, ridge: 'undefined', eave: 'default' }
  })
  const dry = ['orders', 'place', '--project', projectId, '--file', 'order.json', '--preset', 'ada county', '--dry-run']
  const { stdout, stderr } = await run(dry)
  expect((JSON.parse(stdout) as { form: unknown }).form).toMatchObject({
    fireSetbacks: { ridge: 30, eave: 'undefined' },
    moduleOrientation: 'portrait',
  })
  expect(stderr).toContain('The preset fills in: Ridge.')
  expect(stderr).toContain('The file overrides the preset: Module orientation, Eave.')
})
