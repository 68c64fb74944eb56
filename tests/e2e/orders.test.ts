import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { holdBack } from './support/hold-back.ts'
import { shareApp } from './support/with-app.ts'
import { draftIn, place } from './support/placed-orders.ts'

const isListing = ({ route, method }: { route: string; method: string }) =>
  route === 'serviceRequests' && method === 'GET'
const small = { projects: 2, checklistsPerProject: 1, existingOrders: 0, statuses: ['completed'] } as const
const shared = shareApp({ isArchived: true, service: small })

test('orders are found, read, refreshed, duplicated, and discarded', async () => {
  const app = shared()
  const { page, service, show, call, expectAccessible } = app
  const [project] = service.projects
  await show('/orders')
  await page.getByRole('heading', { name: 'No orders yet' }).waitFor()
  await expectAccessible(page.getByRole('main'))

  const placed = await place(app, await draftIn(app, { isExpedited: 'yes', ridge: '3 ft' }))
  const draft = await draftIn(app, { homeownerName: 'Omar Lindqvist' }, 1)
  const grid = page.getByRole('grid', { name: 'Orders' })
  const rows = grid.locator('[data-index]')
  await rows.filter({ hasText: 'Ruth Sato' }).getByText('Ordered').waitFor()
  await rows.filter({ hasText: 'Ruth Sato' }).getByText('Expedited').waitFor()
  await rows.filter({ hasText: 'Omar Lindqvist' }).getByText('Draft').waitFor()
  await expectAccessible()
  await page.getByRole('tab', { name: 'Drafts 1' }).click()
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByRole('tab', { name: 'All 2' }).click()
  await page.getByRole('searchbox').fill('nobody has this name')
  await page.getByRole('heading', { name: 'No order matches' }).waitFor()
  await page.getByRole('searchbox').fill('ruth')
  await expect.poll(() => rows.count()).toBe(1)
  await page.goBack()

  // Limited to a project, nothing is said of the orders of others.
  const { project: row } = await call('projects.get', { projectId: project?.id ?? '' })
  await show(`/orders?project=${row.id}&filter=not-placed`)
  await page.getByRole('heading', { name: 'No order of this project matches' }).waitFor()
  await page.getByRole('button', { name: `Only ${row.name}: show orders of all projects` }).waitFor()
  await page.getByRole('tab', { name: 'Drafts', exact: true }).waitFor()

  // By keyboard: the palette finds an order by its homeowner.
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Search everything').fill('ruth sa')
  await page.getByRole('option', { name: /^Ruth Sato/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('main h1', { hasText: 'Ruth Sato' }).waitFor()
  const order = page.getByRole('region', { name: 'Order', exact: true })
  const fields = await order.locator('dl').allInnerTexts()
  expect(fields.join(' ')).toMatch(/Ridge\s+36 in \(3 ft\)/)
  expect(fields.join(' ')).toMatch(/Rake\s+Default: 22 in \(1 ft 10 in\); in NYC 8 in/)
  expect(fields.join(' ')).toMatch(/Target\s+100%/)
  expect(fields.join(' ')).toContain(placed.serviceId)
  await page.getByText('Technical details').click()
  const sent = JSON.parse((await order.locator('pre').textContent()) ?? '') as object
  expect(sent).toEqual(placed.payload)
  await expectAccessible()

  const history = order.getByRole('region', { name: 'History' }).getByRole('listitem')
  // The service's own word for a status is never shown.
  service.setOrderStatus(placed.serviceId ?? '', 'inProgress')
  await page.getByRole('button', { name: 'Check now' }).click()
  await history.getByText('In progress').waitFor()
  expect(await page.getByText('inProgress').count()).toBe(0)
  service.setOrderStatus(placed.serviceId ?? '', 'waitingForTheCustomer')
  await page.getByRole('button', { name: 'Check now' }).click()
  await expect
    .poll(async () => (await history.allInnerTexts()).map((text) => text.split('\n')[0]))
    .toEqual(['Waiting for the customer', 'In progress', 'Ordered', 'Sent to the service', 'Draft created'])

  // A double click creates one draft.
  const held = await holdBack(page, ['**/api/call/orders.create'])
  await page.getByRole('button', { name: 'Duplicate' }).click()
  await held.until('orders.create')
  await page.getByRole('button', { name: 'Duplicate' }).click()
  held.release('orders.create')
  await page.waitForURL(({ hash }) => hash !== `#/orders/${placed.orderId}`)
  expect((await call('orders.list', {})).counts.drafts).toBe(2)
  await show(`/projects/${project?.id}`)
  const own = page.getByRole('region', { name: 'Orders', exact: true }).getByRole('listitem')
  await expect.poll(() => own.count()).toBe(2)
  expect(await page.getByRole('link', { name: 'New order' }).getAttribute('href')).toBe(
    `#/orders/new?project=${project?.id}`,
  )
  service.setOrderStatus(placed.serviceId ?? '', 'completed')
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('The service lists 1 order of this project', { exact: true }).waitFor()
  await own.getByText('Completed').waitFor()
  await expectAccessible(page.getByRole('region', { name: 'Orders', exact: true }))

  await show('/orders')
  await rows
    .filter({ hasText: 'Omar Lindqvist' })
    .getByRole('button', { name: /^Actions for/ })
    .click()
  await page.getByRole('menuitem', { name: 'Discard…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Discard this draft?' })
  await dialog.getByText('Omar Lindqvist').waitFor()
  await dialog.getByRole('button', { name: 'Discard draft' }).click()
  await expect.poll(() => rows.count()).toBe(2)
  await show(`/orders/${draft}`)
  await page.getByRole('heading', { name: 'Order not found' }).waitFor()
  expect(service.orders).toHaveLength(1)
})

test('an order whose response was lost is confirmed by the service or the user, and never sent again', async () => {
  const app = shared()
  const { page, service, home, show, call, startAgain, expectAccessible } = app
  const earlier = service.orders.length
  const posts = () => service.requests.count('serviceRequests', 'POST')
  const mute = () => service.faults.add({ route: isListing, fault: { kind: 'status', status: 404 } })
  const loseAnswer = (afterBytes?: number) =>
    service.faults.add({
      route: 'serviceRequests',
      method: 'POST',
      count: 1,
      fault: { kind: 'reset', ...(afterBytes !== undefined && { afterBytes }) },
    })

  // The service has it, and lists it as soon as it can.
  loseAnswer(0)
  const silence = mute()
  const found = await place(app, await draftIn(app))
  expect(found.state).toBe('unconfirmed')
  await show('/orders')
  const unconfirmed = page.getByRole('grid', { name: 'Orders' }).getByRole('row').filter({ hasText: 'Unconfirmed' })
  await unconfirmed.getByText('The connection broke before the answer was complete.').waitFor()
  await show('/')
  await page.getByRole('link', { name: /^1 order unconfirmed: Ruth Sato/ }).click()
  await page.getByRole('heading', { name: 'It is not known whether the service has this order' }).waitFor()
  await page.getByText('unknown: the service did not send its list').waitFor()
  // Without the time, which changes.
  expect(await page.locator('dl [aria-live]').textContent()).toMatch(/^unknown: /)
  expect(await page.getByRole('button', { name: 'Duplicate' }).count()).toBe(0)
  await page.getByRole('link', { name: /^Orders 1 unconfirmed/ }).waitFor()
  expect(await page.getByRole('button', { name: 'Mark as not placed…' }).isDisabled()).toBe(true)
  await page.getByText('An answer may still arrive until').waitFor()
  await expectAccessible(page.getByRole('main'))
  silence.remove()
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('the order was found in the service’s list afterwards').waitFor()
  expect(service.orders).toHaveLength(earlier + 1)

  // Two of the service's orders may be this one: the user chooses.
  loseAnswer(0)
  const other = mute()
  const twice = await place(app, await draftIn(app, { homeownerName: 'Ada Brook' }, 1))
  await fetch(`${service.url}/api/v1/serviceRequests?access_token=${service.token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(twice.payload),
  })
  other.remove()
  await show(`/orders/${twice.orderId}`)
  await page.getByRole('button', { name: 'Check now' }).click()
  const candidates = page.getByRole('region', { name: 'Orders that may be this one' })
  const mine = service.orders[earlier + 1]
  await candidates.getByRole('button', { name: `Match this order… ${mine?.id}` }).waitFor()
  expect(await candidates.getByRole('row', { name: /^Fields that differ/ }).innerText()).toMatch(/None\s+None/)
  await candidates.getByRole('columnheader', { name: 'This order, as sent' }).waitFor()
  await candidates.getByRole('rowheader', { name: 'Sent or created' }).waitFor()
  await expectAccessible(candidates)
  await candidates.getByRole('button', { name: `Match this order… ${mine?.id}` }).click()
  const placedDialog = page.getByRole('dialog', { name: 'Mark this order as placed?' })
  expect(await placedDialog.getByRole('radio', { name: mine?.id ?? '' }).isChecked()).toBe(true)
  await expectAccessible(placedDialog)
  // Enter that only confirms what an input method proposes.
  await placedDialog.getByRole('radio', { name: 'The order with this ID' }).click()
  await placedDialog.getByRole('textbox').fill('some other id')
  await placedDialog.getByRole('textbox').dispatchEvent('keydown', { key: 'Enter', isComposing: true })
  await placedDialog.getByRole('radio', { name: mine?.id ?? '' }).click()
  await placedDialog.getByRole('button', { name: 'Mark as placed', exact: true }).click()
  await page.getByText('a user confirmed that the service has the order').waitFor()
  expect(await call('orders.get', { orderId: twice.orderId })).toMatchObject({
    state: 'placed',
    serviceId: mine?.id,
    settledBy: 'person',
  })

  // The service never had it and cannot say so: long after it was sent the user may.
  loseAnswer()
  mute()
  const lost = await place(app, await draftIn(app, { homeownerName: 'Lea Novak' }))
  const before = { orders: service.orders.length, posts: posts() }
  const opening = await startAgain(() => {
    const database = new Database(join(home, 'solarchive.sqlite3'))
    const longAgo = new Date(Date.now() - 600_000).toISOString()
    database.prepare('UPDATE orders SET sent_at = ? WHERE id = ?').run(longAgo, lost.orderId)
    database.close()
  })
  await page.goto(opening)
  // The address redirects to the app.
  await page.locator('main h1').waitFor()
  await show(`/orders/${lost.orderId}`)
  await page.getByRole('button', { name: 'Mark as not placed…' }).click()
  const notPlaced = page.getByRole('dialog', { name: 'Mark this order as not placed?' })
  const confirm = notPlaced.getByRole('button', { name: 'Mark as not placed' })
  expect(await confirm.isDisabled()).toBe(true)
  await notPlaced.getByRole('checkbox').click()
  await expectAccessible(notPlaced)
  await confirm.click()
  await page.getByText('You said that the service does not have this order').first().waitFor()
  expect((await call('orders.get', { orderId: lost.orderId })).state).toBe('draft')
  expect({ orders: service.orders.length, posts: posts() }).toEqual(before)
  service.faults.clear()

  // The service records it late, and the draft was changed meanwhile.
  const { revision, texts, region } = await call('orders.get', { orderId: lost.orderId })
  await call('orders.saveDraft', {
    orderId: lost.orderId,
    revision,
    region,
    texts: { ...texts, sizedForValue: '90' },
  })
  const url = `${service.url}/api/v1/serviceRequests?access_token=${service.token}`
  await fetch(url, { method: 'POST', body: JSON.stringify(lost.payload) })
  await page.getByRole('button', { name: 'Check now' }).click()
  const lateNotice = page.getByRole('status').filter({ hasText: 'This order is placed already, as it was before' })
  await lateNotice.getByRole('link', { name: /^order / }).click()
  await page.getByText('An earlier attempt to place').waitFor()
  await page.getByRole('link', { name: `order ${lost.orderId}` }).click()
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.getByText('Discard this draft, or place it as a second order.').waitFor()
  await expectAccessible()
})

test('presets are created, changed, set as the default, and removed', async () => {
  const { page, show, call, expectAccessible } = shared()
  await show('/orders/presets')
  await page.getByRole('heading', { name: 'No presets yet' }).waitFor()
  // What another page saves is shown at once.
  const texts = { tierLevel: 'maxFill' }
  const elsewhere = await call('presets.save', {
    name: 'Elsewhere',
    kind: 'company',
    texts,
    region: null,
    isDefault: false,
  })
  await page.getByRole('button', { name: 'Edit Elsewhere' }).waitFor()
  await call('presets.remove', { presetId: elsewhere.presetId })
  await page.getByRole('heading', { name: 'No presets yet' }).waitFor()
  await page.getByRole('button', { name: 'New preset' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New preset' })
  await dialog.getByRole('textbox', { name: 'Ridge' }).fill('a lot')
  await dialog.getByRole('button', { name: 'Save preset' }).click()
  await dialog.getByText('Enter a name.').waitFor()
  await dialog.getByText('Write inches, such as 18, or feet, such as 3 ft').waitFor()
  await dialog.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor()
  await expectAccessible(dialog)
  await dialog.getByRole('textbox', { name: 'Ridge' }).fill('3 ft')
  await dialog.getByRole('combobox', { name: 'Module orientation' }).click()
  await page.getByRole('option', { name: 'Landscape' }).click()
  await dialog.getByRole('textbox', { name: 'Sized for' }).pressSequentially('system  size')
  await dialog.getByRole('textbox', { name: 'Target' }).fill('7.5')
  await dialog.getByRole('textbox', { name: 'Target' }).locator('..').getByText('kW').waitFor()
  await dialog.getByRole('textbox', { name: 'Tier' }).pressSequentially('maxFillPlus')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Our usual')
  await page.keyboard.press('Enter')
  const items = page.getByRole('list', { name: 'Presets' }).getByRole('listitem')
  await items.getByText('Our usual').waitFor()
  expect((await call('presets.list', {})).items).toMatchObject([
    {
      name: 'Our usual',
      kind: 'company',
      texts: {
        tierLevel: 'maxFillPlus',
        sizedForCategory: 'systemSize',
        sizedForValue: '7.5',
        ridge: '3 ft',
        moduleOrientation: 'landscape',
      },
      isDefault: false,
    },
  ])
  await page.getByRole('button', { name: 'Use by default: Our usual' }).click()
  await items.getByText('in every new order').waitFor()
  // The second click of a double click takes nothing back.
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
  await page.getByRole('button', { name: 'Edit Our usual' }).click()
  expect(await page.getByRole('textbox', { name: 'Sized for' }).inputValue()).toBe('System size')
  await page.getByRole('radio', { name: 'Jurisdiction' }).click()
  expect((await call('presets.list', {})).items).toMatchObject([{ isDefault: true }])
  await page.getByRole('textbox', { name: 'Name' }).fill('Nassau County')
  await page.getByRole('button', { name: 'Save preset' }).click()
  await items.getByText('Nassau County').waitFor()
  await items.getByText('Jurisdiction').waitFor()
  await expectAccessible()
  await page.getByRole('button', { name: 'Remove… Nassau County' }).click()
  await page.getByRole('button', { name: 'Remove preset' }).click()
  await page.getByRole('heading', { name: 'No presets yet' }).waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
})

test('a preset of an order form names its defaults, and an error of its dialog is in view', async () => {
  const { page, show, call } = shared()
  const preset = { name: 'As usual', kind: 'company', region: null, isDefault: false } as const
  const { presetId } = await call('presets.save', { ...preset, texts: { ridge: 'undefined', hip: '18' } })
  await page.setViewportSize({ width: 800, height: 500 })
  await show('/orders/presets')
  await page.getByRole('button', { name: 'Edit As usual' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit preset' })
  const ridge = dialog.getByRole('textbox', { name: 'Ridge' })
  expect(await ridge.inputValue()).toBe('Default')
  expect(await ridge.locator('..').getByText('in', { exact: true }).count()).toBe(0)
  expect(
    await dialog.getByRole('textbox', { name: 'Hip' }).locator('..').getByText('in', { exact: true }).count(),
  ).toBe(1)
  await ridge.fill('default')
  await dialog.getByRole('button', { name: 'Save preset' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await call('presets.list', {})).items).toMatchObject([{ texts: { ridge: 'undefined', hip: '18' } }])
  await page.getByRole('button', { name: 'Edit As usual' }).click()
  await call('presets.remove', { presetId })
  await dialog.getByRole('button', { name: 'Save preset' }).click()
  const { y = 0, height = 0 } = (await dialog.getByRole('alert').boundingBox()) ?? {}
  expect([y > 0, height > 0, y + height < 500]).toEqual([true, true, true])
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.keyboard.press('Escape')
})

test('a rejected order says why once, by the labels of the form', async () => {
  const app = shared()
  const { page, service, show } = app
  const body = JSON.stringify({
    errors: [
      { field: 'form.fireSetbacks.ridge', message: 'is too small. Ask for a variance' },
      { message: 'the site is closed for orders.' },
    ],
  })
  const rejects = service.faults.add({
    route: 'serviceRequests',
    method: 'POST',
    fault: { kind: 'body', body, status: 400, contentType: 'application/json' },
  })
  const { orderId } = await place(app, await draftIn(app, { homeownerName: 'Ida Wren' }))
  rejects.remove()
  await show('/orders?filter=not-placed')
  const row = page.getByRole('grid', { name: 'Orders' }).getByRole('row').filter({ hasText: 'Ida Wren' })
  const reason = row.getByText('is too small')
  await reason.waitFor()
  expect(await reason.innerText()).toBe('Ridge: is too small. Ask for a variance; the site is closed for orders')
  await show(`/orders/${orderId}`)
  const order = page.getByRole('region', { name: 'Order', exact: true })
  await order.getByRole('list', { name: 'Problems reported by the service' }).waitFor()
  expect((await order.innerText()).split('the site is closed for orders')).toHaveLength(2)
  expect(await order.innerText()).not.toContain('form.fireSetbacks')
})
