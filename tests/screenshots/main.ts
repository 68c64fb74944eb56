// Makes the pictures of docs/screenshots from the real app on the sample service: every view, light and dark. With
// arguments, such as `1440x900 pictures`, in a window of that size, which shows the report beside the photos, into
// that folder.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import type { OrderTexts } from '../../shared/order/order-fields.ts'
import { buildRenderer } from '../e2e/support/built-renderer.ts'
import { openApp, openStage, type TestApp } from '../e2e/support/open-app.ts'
import buildProcesses from '../support/build-processes.ts'
import { openChromium } from '../support/open-chromium.ts'

const [size = '1280x800', target] = process.argv.slice(2)
const folder = target ?? resolve(import.meta.dirname, '..', '..', 'docs', 'screenshots')
const [width = 0, height = 0] = size.split('x').map(Number)
const viewport = { width, height }

/** No picture shows a path of the machine that it is made on. */
const personFolder = '/tmp/home/pat'

async function take(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // Pictures and fonts are there when the network is quiet; the event stream never ends, so it is not waited for.
    await page.waitForTimeout(1_500)
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) })
    console.log(`${name}-${colorScheme}.png`)
  }
}

/** Waits until every expected file is archived, without the time limit of the tests. */
async function untilArchived({ page, call }: TestApp): Promise<void> {
  for (;;) {
    const { items } = await call('projects.list', {})
    if (items.every(({ lastSyncedAt, waitingFiles }) => lastSyncedAt !== null && waitingFiles === 0)) return
    await page.waitForTimeout(1_000)
  }
}

/** With this many files done, the picture shows a sync in progress. */
const filesInProgress = 25

async function takeAll(app: TestApp): Promise<void> {
  const { page, service, show, call } = app
  // The finished photos of the sample service would arrive before the picture is taken.
  const delay = service.faults.add({ route: 'photo', fault: { kind: 'latency', delayMs: 500 } })
  await call('projects.add', { projects: service.projects.map(({ id, name }) => ({ id, name })) })
  await page.getByText(new RegExp(`^(${filesInProgress}|[3-9]\\d|\\d{3}) of `)).waitFor({ timeout: 120_000 })
  await take(page, 'overview-syncing')
  delay.remove()
  await untilArchived(app)
  await call('settings.save', { apiCallsPerMinute: 60 })
  const project = service.projects[0]
  const checklist = project?.checklists.find(({ status }) => status === 'completed')
  if (project === undefined || checklist === undefined) throw new Error('The sample service has no completed checklist')
  await show('/')
  await take(page, 'overview')
  await show('/projects')
  await take(page, 'projects')
  await show('/projects?add')
  await take(page, 'add-projects')
  await show(`/projects/${project.id}`)
  await take(page, 'project')
  await show(`/projects/${project.id}/checklists/${checklist.id}`)
  await take(page, 'checklist')
  await page.getByRole('button', { name: 'Export…' }).click()
  await page
    .getByRole('dialog')
    .getByText(/^1 checklist of 1 project/)
    .waitFor()
  await take(page, 'export')
  await page.keyboard.press('Escape')
  await takePackets(app, `/projects/${project.id}/packet`)
  await takePlaces(app, `/projects/${project.id}/checklists/${checklist.id}`)
  await show(`/projects/${project.id}/checklists/${checklist.id}`)
  await page.locator('main img').first().waitFor()
  const report = page.getByRole('region', { name: 'Report', exact: true })
  // A narrow page shows tabs, since it has no room for the report beside the photos.
  await report.or(page.getByRole('group', { name: 'View' })).waitFor()
  if (await report.isVisible()) {
    await report.focus()
    await page.keyboard.press('Control+f')
    await page.keyboard.type('rafter')
    await page.locator('.highlight.selected').first().waitFor()
    await take(page, 'report-search')
    await page.keyboard.press('Escape')
  }
  await page.locator('main img').first().click()
  await take(page, 'photo')
  await page.keyboard.press('Escape')
  await takeOrders(app)
  await show('/search')
  await take(page, 'search-empty')
  await page.getByRole('combobox', { name: 'Search everything' }).fill('roof')
  await page.getByRole('option').first().waitFor()
  await take(page, 'search')
  await show('/activity')
  await take(page, 'activity')
  await show('/settings')
  await take(page, 'settings')
  await takeHooks(app)
  await show('/attention')
  await take(page, 'attention')
  await makeTrouble(app)
  await take(page, 'attention-failures')
  await show('/projects')
  await call('watch.pause', { length: 'tomorrow' })
  await page.keyboard.press('Control+k')
  await take(page, 'palette')
  await page.keyboard.type('main panel')
  await page.getByRole('option', { name: /^All results/ }).waitFor()
  await take(page, 'palette-search')
}

/** The packet of a project, its dialogs, and the templates. */
async function takePackets({ page, show }: TestApp, path: string): Promise<void> {
  await show(path)
  await page.getByRole('region', { name: 'Slots' }).getByRole('img').first().waitFor()
  await take(page, 'packet')
  await page
    .getByRole('button', { name: /^Change slot/ })
    .first()
    .click()
  await take(page, 'packet-slots')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Make packet…' }).click()
  await take(page, 'packet-make')
  await page.keyboard.press('Escape')
  await show('/packets/templates')
  await page.getByRole('list', { name: 'Templates' }).waitFor()
  await take(page, 'packet-templates')
  await page.getByRole('link', { name: 'Copy Permit photos' }).click()
  await page.getByRole('button', { name: /^Main panel with cover off/ }).click()
  await take(page, 'packet-template')
}

/** The map, with the photo that was taken down the street, and the timeline. */
async function takePlaces({ page, show }: TestApp, path: string): Promise<void> {
  await show(`${path}/map`)
  const map = page.getByRole('region', { name: 'Map', exact: true })
  await map.locator('[data-mark]').nth(3).hover()
  await take(page, 'map')
  await page.getByRole('button', { name: 'Show on the map' }).click()
  await take(page, 'map-far')
  await show(`${path}/timeline`)
  await take(page, 'timeline')
}

const module = 'REC Alpha Pure-R 430'

/** Orders of every kind: drafts, placed ones, an unconfirmed one, and a list of orders. */
async function takeOrders(app: TestApp): Promise<void> {
  const { page, service, show, call } = app
  await call('presets.save', {
    name: 'Our usual',
    kind: 'company',
    region: 'LI',
    isDefault: true,
    texts: { tierLevel: 'maxFill', sizedForCategory: 'consumption', sizedForValue: '100', designOneModule: module },
  })
  const order = async (index: number, texts: OrderTexts = {}) => {
    const {
      id: projectId,
      homeownerName,
      address,
    } = service.projects[index] ?? { id: '', homeownerName: '', address: '' }
    const house = { homeownerName, projectAddress: address, moduleSpacingShort: '0.5' }
    return (await call('orders.create', { projectId, texts: { ...house, ...texts } })).orderId
  }
  const place = async (orderId: number) => {
    const { fingerprint } = await call('orders.review', { orderId })
    return call('orders.place', { orderId, fingerprint: fingerprint ?? '', newModule: true, again: true })
  }
  const placed = await place(await order(0, { isExpedited: 'yes' }))
  service.setOrderStatus(placed.serviceId ?? '', 'inProgress')
  await call('orders.check', { orderId: placed.orderId })
  await place(await order(1))
  await order(2)
  service.faults.add({ route: 'serviceRequests', method: 'POST', count: 1, fault: { kind: 'reset', afterBytes: 0 } })
  const silence = service.faults.add({
    route: ({ route, method }) => route === 'serviceRequests' && method === 'GET',
    fault: { kind: 'status', status: 404 },
  })
  const lost = await place(await order(2, { ridge: '36' }))
  await fetch(`${service.url}/api/v1/serviceRequests?access_token=${service.token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...lost.payload, tierLevel: 'basic' }),
  })
  await fetch(`${service.url}/api/v1/serviceRequests?access_token=${service.token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(lost.payload),
  })
  silence.remove()
  await call('orders.check', { orderId: lost.orderId })
  await show('/orders')
  await take(page, 'orders')
  await show(`/orders/${placed.orderId}`)
  await take(page, 'order')
  await show(`/orders/${lost.orderId}`)
  await take(page, 'order-unconfirmed')
  await show(`/orders/${await order(0, { ridge: '18' })}/edit`)
  await page.getByLabel('Ridge', { exact: true }).focus()
  await take(page, 'order-form')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('heading', { name: 'Check the order' }).waitFor()
  await take(page, 'order-review')
  await show('/orders/lists/new')
  await page
    .getByRole('textbox', { name: 'Orders, one per line' })
    .fill(
      [
        'projectId,homeownerName,projectAddress,moduleSpacingShort,ridge,tierLevel,' +
          'sizedForCategory,sizedForValue,designOneModule',
        ...service.projects.map(
          ({ id, homeownerName, address }, index) =>
            `${id},${homeownerName},"${address}",0.5,${['36', '0', 'a lot'][index % 3]},` +
            `maxFill,consumption,100,${module}`,
        ),
      ].join('\n'),
    )
  await page.getByRole('table', { name: 'Orders in the list' }).waitFor()
  await take(page, 'order-list')
  await show('/orders/presets')
  await take(page, 'order-presets')
  await call('orders.settle', { orderId: lost.orderId, decision: 'placed' })
}

/** Time stamps and hooks in the settings, and a delivery that waits for its next try. */
async function takeHooks({ page, service, show, call }: TestApp): Promise<void> {
  const target = {
    kind: 'webhook',
    url: 'https://crm.invalid/solarchive',
    secret: 'a secret of the pictures',
  } as const
  await call('hooks.save', {
    hooks: [{ id: 'crm', name: 'Our CRM', events: ['checklist-complete', 'order-status'], target }],
  })
  await show('/settings?section=evidence')
  await page.getByRole('list', { name: 'Hooks' }).waitFor()
  await take(page, 'settings-evidence')
  await page.getByRole('button', { name: 'Add webhook…' }).click()
  await take(page, 'hook')
  await page.keyboard.press('Escape')
  service.addPhoto(service.projects[0]?.checklists.find(({ status }) => status === 'completed')?.id ?? '')
  await call('sync.now', {})
  await show('/settings/deliveries')
  await page.getByRole('list', { name: 'Deliveries' }).getByText('Message').first().click()
  await take(page, 'deliveries')
  await call('hooks.save', { hooks: [] })
}

/** Reports that the file host has lost, and a project that the service does not know. */
async function makeTrouble({ page, service, call }: TestApp): Promise<void> {
  service.faults.add({ route: 'report', fault: { kind: 'status', status: 404 } })
  const completed = service.projects.flatMap(({ checklists }) =>
    checklists.filter(({ status }) => status === 'completed'),
  )
  for (const checklist of completed.slice(0, 3)) service.replaceReport(checklist)
  await call('projects.add', { projects: [{ id: '6a2f00c41d77b93a5e081f2b', name: 'Alvarez residence 6.2 kW' }] })
  await call('sync.now', {})
  while ((await call('overview', {})).sync.kind === 'running') await page.waitForTimeout(500)
}

mkdirSync(folder, { recursive: true })
await buildRenderer()
await buildProcesses()
const browser = await openChromium()
try {
  await openApp(await openStage(browser), { personFolder, viewport, isSetUp: false }, async ({ page }) =>
    take(page, 'set-up'),
  )
  await openApp(
    await openStage(browser),
    { personFolder, viewport, isLifelike: true, addsProjects: false, service: { projects: 3 } },
    takeAll,
  )
} finally {
  await browser.close()
}
