import { expect, test } from 'vitest'
import { exampleOrder } from '../../electron/sample-service/orders/order-book.ts'
import { orderProblems } from '../../electron/sample-service/orders/order-rules.ts'
import type { SampleService } from '../../electron/sample-service/start-sample-service.ts'
import { call, first, read, serviceForTest } from './sample-client.ts'

const place = (service: SampleService, body: unknown): Promise<Response> =>
  call(service, 'serviceRequests', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const someText: unknown = expect.any(String)
const someId: unknown = expect.stringMatching(/^[0-9a-f]{24}$/)

const project = { id: '0123456789abcdef01234567', address: '1 Main St, Boise, ID 83702', homeownerName: 'Ruth Sato' }

/** The example with one value changed, or removed if the value is undefined. */
function changed(path: string, value: unknown): unknown {
  const order = structuredClone(exampleOrder(project)) as Record<string, unknown>
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  const owner = keys.reduce((object, key) => object[key] as Record<string, unknown>, order)
  if (value === undefined) Reflect.deleteProperty(owner, last)
  else owner[last] = value
  return order
}

test('a valid order is created and returned with every documented field', async () => {
  const service = await serviceForTest({ existingOrders: 0 })
  const site = first(service.projects)
  const order = exampleOrder(site)
  const response = await place(service, order)
  expect(response.status).toBe(201)
  expect(await response.json()).toEqual({
    id: someId,
    companyName: someText,
    projectDesign: { id: someId },
    userInfo: {
      id: someId,
      firstName: someText,
      lastName: someText,
      email: someText,
    },
    status: 'ordered',
    tierLevel: 'maxFill',
    addOns: [],
    form: order.form,
    designServiceProviderId: someText,
    designServiceProviderName: someText,
    isExpedited: false,
    isAutomated: false,
    createdAt: someText,
    updatedAt: someText,
    project: { id: site.id, name: site.name, status: site.status, mode: site.mode },
    company: { id: someId },
    modelRevisionCount: '0',
  })
  expect(service.orders).toHaveLength(1)
})

test('orders of a project can be listed with their status', async () => {
  const service = await serviceForTest()
  const site = first(service.projects)
  const before = await read<{ id: string }[]>(service, `serviceRequests/project/${site.id}`)
  expect(before).toHaveLength(1)
  const { id } = (await (await place(service, exampleOrder(site))).json()) as { id: string }
  service.setOrderStatus(id, 'inProgress')
  const after = await read<{ id: string; status: string }[]>(service, `serviceRequests/project/${site.id}`)
  expect(after.at(-1)).toMatchObject({ id, status: 'inProgress' })
})

test('an order for an unknown project gets a 404 and is not placed', async () => {
  const service = await serviceForTest({ existingOrders: 0 })
  expect((await place(service, exampleOrder(project))).status).toBe(404)
  expect(service.orders).toHaveLength(0)
})

test('an invalid order gets a 400 with its problems, field by field', async () => {
  const service = await serviceForTest({ existingOrders: 0 })
  const response = await place(service, changed('form.fireSetbacks.ridge', undefined))
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    statusCode: 400,
    message: 'Validation failed',
    details: [{ field: 'form.fireSetbacks.ridge', message: 'is required' }],
  })
  expect((await place(service, '{"projectId":')).status).toBe(400)
  expect((await place(service, '[]')).status).toBe(400)
  expect(service.orders).toHaveLength(0)
})

test('an order without the token gets a 401 before anything else', async () => {
  const service = await serviceForTest()
  const response = await fetch(`${service.url}/api/v1/serviceRequests`, { method: 'POST', body: 'x' })
  expect(response.status).toBe(401)
})

test('an order whose response is lost was placed, one that fails before processing was not', async () => {
  const service = await serviceForTest({ existingOrders: 0 })
  const order = exampleOrder(first(service.projects))
  service.faults.add({ route: 'serviceRequests', fault: { kind: 'reset' }, count: 1 })
  await expect(place(service, order)).rejects.toThrow()
  expect(service.orders).toHaveLength(0)
  service.faults.add({ route: 'serviceRequests', fault: { kind: 'reset', afterBytes: 0 }, count: 1 })
  await expect(place(service, order).then((response) => response.text())).rejects.toThrow()
  expect(service.orders).toHaveLength(1)
})

test('a fault can follow processing: the order is placed without a response', async () => {
  const service = await serviceForTest({ existingOrders: 0 })
  const fault = { kind: 'status', status: 500, afterProcessing: true } as const
  service.faults.add({ route: 'serviceRequests', fault, count: 1 })
  expect((await place(service, exampleOrder(first(service.projects)))).status).toBe(500)
  expect(service.orders).toHaveLength(1)
})

const accepted: [string, unknown][] = [
  ['tierLevel', 'someFutureTier'],
  ['form.sizedForCategory', 'somethingElse'],
  ['form.sizedForValue', '-12.5'],
  ['form.fireSetbacks.hip', 0],
  ['form.fireSetbacks.eave', 'undefined'],
  ['form.moduleOrientation', 'landscape'],
  ['form.negativeTolerance', undefined],
  ['form.positiveTolerance', null],
  ['extra', true],
]
test.each(accepted)('accepts %s = %j', (path, value) => {
  expect(orderProblems(changed(path, value))).toEqual([])
})

const refused: [string, unknown][] = [
  ['projectId', undefined],
  ['projectId', 7],
  ['status', 'draft'],
  ['tierLevel', ''],
  ['upgrade', 'false'],
  ['isExpedited', null],
  ['form', undefined],
  ['form', []],
  ['form.sizedForCategory', 3],
  ['form.sizedForValue', 100],
  ['form.sizedForValue', '100%'],
  ['form.fireSetbacks', undefined],
  ['form.fireSetbacks', 'undefined'],
  ['form.fireSetbacks.rake', '18'],
  ['form.fireSetbacks.valley', null],
  ['form.obstructionSetbacks.parapet', undefined],
  ['form.obstructionSetbacks.general', 'default'],
  ['form.projectAddress', ' '],
  ['form.homeownerName', undefined],
  ['form.designOneModule', null],
  ['form.moduleOrientation', 'Portrait'],
  ['form.mixedOrientation', true],
  ['form.moduleSpacingLong', 1],
  ['form.moduleSpacingShort', ''],
  ['form.azimuthRangeStart', 'north'],
  ['form.azimuthRangeEnd', 360],
  ['form.newBuildPlansRequired', 'no'],
  ['form.isCommercialZone', undefined],
  ['form.negativeTolerance', '5'],
]
test.each(refused)('refuses %s = %j', (path, value) => {
  expect(orderProblems(changed(path, value)).map(({ field }) => field)).toEqual([path])
})

test('the module library belongs to the user who places the orders', async () => {
  const service = await serviceForTest()
  const { userInfo } = first(service.orders)
  const modules = await read<{ name: string }[]>(service, `module-library/${userInfo.id}`)
  expect(modules.map(({ name }) => name)).toContain('REC Alpha Pure-R 430')
  expect(await read(service, `module-library/combined/${userInfo.id}`)).toEqual(modules)
  expect((await call(service, `module-library/${'0'.repeat(24)}`)).status).toBe(404)
})
