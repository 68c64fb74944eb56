import { expect, test } from 'vitest'
import { orderFieldNames } from '../../shared/order/order-fields.ts'
import {
  completeTexts,
  focusedField,
  openDraft,
  orderSite,
  openReview,
  review,
  tabTo,
  tabToButton,
} from './support/order-form-page.ts'
import { holdBack } from './support/hold-back.ts'
import { shareApp } from './support/with-app.ts'

const shared = shareApp({
  isArchived: true,
  service: { ...orderSite, statuses: [...orderSite.statuses], photoQuestionsPerChecklist: 6 },
})

test('an order is filled in, reviewed, and placed by keyboard, beside the roof and the site’s photos', async () => {
  const app = shared()
  const { page, show, call, expectAccessible } = app
  const project = app.service.projects[0]
  const type = async (field: string, text: string) => {
    await tabTo(page, field)
    await page.keyboard.type(text)
  }
  const roof = page.getByRole('figure')

  await show(`/orders/new?project=${project?.id}`)
  await page.getByRole('heading', { name: 'Fire setbacks' }).waitFor()
  await expect.poll(() => focusedField(page)).toBe('homeownerName')
  // The ID below the project is shown once the project is loaded.
  await page.locator('[data-field="projectId"]').getByText(`ID ${project?.id}`).waitFor()
  // A field that was only passed is not red, and nothing moves under the first click.
  const orientation = page.locator('[data-field="moduleOrientation"]')
  const before = await orientation.boundingBox()
  await page.locator('[data-field="projectAddress"] input').click()
  expect(await page.getByLabel('Homeowner').getAttribute('aria-invalid')).not.toBe('true')
  expect(await orientation.boundingBox()).toEqual(before)
  await page.keyboard.press('Control+Enter')
  await page.getByText('Enter the homeowner’s name').first().waitFor()
  await expect.poll(() => focusedField(page)).toBe('homeownerName')
  const invalid = page.getByLabel('Homeowner')
  expect(await invalid.getAttribute('aria-invalid')).toBe('true')
  const described = (await invalid.getAttribute('aria-describedby')) ?? ''
  expect(await page.locator(`[id="${described}"]`).textContent()).toContain('Enter the homeowner’s name')
  await expectAccessible()

  await page.keyboard.type('Ana Ortiz')
  await type('projectAddress', '8116 Maple Ridge Rd, Boise, ID 83702')
  await type('tierLevel', 'maxFill')
  await type('sizedForCategory', 'production')
  await type('sizedForValue', '12,5')
  await page.keyboard.press('Tab')
  await page.getByText('Write a decimal point, not a comma.').waitFor()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('400')
  await page.getByText('400 kWh is unusual').waitFor()
  await type('designOneModule', 'A module of my own')
  // No known module is similar: no list covers the fields below.
  await expect.poll(() => page.getByRole('listbox').count()).toBe(0)
  await tabTo(page, 'moduleOrientation')
  await page.keyboard.press('ArrowRight')
  await type('moduleSpacingShort', '0.5')
  await tabTo(page, 'azimuthRangeStart')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('90')
  await roof.getByText('faces from 90° to 360°').waitFor()

  await tabTo(page, 'ridge')
  await roof.getByText('18 in (1 ft 6 in); in NYC 36 in (3 ft), default, by region').waitFor()
  await page.getByLabel('Show defaults for').click()
  await page.getByRole('option', { name: 'NYC' }).click()
  await expect.poll(() => page.getByRole('listbox').count()).toBe(0)
  await page.getByLabel('Ridge', { exact: true }).click()
  await roof.getByText('36 in (3 ft), default of NYC').waitFor()
  await page.keyboard.type('18')
  await roof.getByText('18 in (1 ft 6 in)').waitFor()
  expect(await page.getByText('18 in at the ridge of a full roof').count()).toBe(0)
  await type('skylights', '1 ft')
  await roof.getByText('12 in (1 ft)').waitFor()
  await tabTo(page, 'isCommercialZone')
  await page.keyboard.press('Space')

  const photos = page.getByRole('region', { name: 'Photos by question' })
  expect(await photos.getByRole('heading', { level: 2 }).first().textContent()).toMatch(/roof|attic/i)
  await photos.getByRole('button').first().click()
  await page.getByRole('dialog', { name: 'Photos' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Report', exact: true }).click()
  await page.getByRole('region', { name: 'Report', exact: true }).waitFor()

  await review(page)
  await page.getByText('Target: 400 kWh is unusual').waitFor()
  await expectAccessible(page.getByRole('main'))
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('heading', { name: 'Check the order' }).count()).toBe(0)
  await openReview(page)
  // Nobody ordered this module before: the order waits for a yes.
  expect(await page.getByRole('button', { name: 'Place order' }).isDisabled()).toBe(true)
  await page.getByText('Is this the module’s full name?').waitFor()
  await page.getByLabel('Yes, order this module').focus()
  await page.keyboard.press('Space')
  expect(await page.locator('pre').isVisible()).toBe(false)
  const shown = JSON.parse((await page.locator('pre').textContent()) ?? '') as { form: object }
  await tabToButton(page, 'Place order')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).not.toContain('/edit')

  const [order] = app.service.orders
  expect(app.service.orders).toHaveLength(1)
  expect(order?.form).toEqual(shown.form)
  expect(order?.form).toMatchObject({
    homeownerName: 'Ana Ortiz',
    projectAddress: '8116 Maple Ridge Rd, Boise, ID 83702',
    sizedForValue: '400',
    designOneModule: 'A module of my own',
    moduleOrientation: 'landscape',
    fireSetbacks: { ridge: 18, eave: 'undefined' },
    obstructionSetbacks: { skylights: 12, vents: 'undefined' },
    isCommercialZone: true,
  })
  const { items } = await call('orders.list', {})
  expect(items).toMatchObject([{ state: 'placed', serviceId: order?.id }])

  // The next order of the project is compared with it, in the words of the form.
  const { orderId } = await call('orders.create', { texts: completeTexts(app.service) })
  await show(`/orders/${orderId}/edit`)
  await page.getByRole('heading', { name: 'Fire setbacks' }).waitFor()
  await openReview(page)
  await page.getByText('(Ana Ortiz, Max fill, Ordered)').waitFor()
  await call('orders.discard', { orderId })
})

test('every field is reached by Tab in order, also at 200% zoom, and a preset previews its values', async () => {
  const app = shared()
  const { page, call, show, expectAccessible } = app
  const earlier = (await call('orders.list', {})).items.map(({ orderId }) => orderId)
  await page.setViewportSize({ width: 640, height: 400 })
  const other = { ...app.service.projects[1] }
  const address = '400 Juniper Ct, Boise, ID 83702'
  await call('projects.add', { projects: [{ id: other.id ?? '', name: 'Juniper Court', address }] })
  const first = await openDraft(app, completeTexts(app.service))
  const reached: string[] = []
  for (let presses = 0; presses < 90 && reached.at(-1) !== 'isCommercialZone'; presses += 1) {
    await page.keyboard.press('Tab')
    const field = await focusedField(page)
    if (field !== null && field !== reached.at(-1)) reached.push(field)
  }
  const options = ['isExpedited', 'upgrade', 'newBuildPlansRequired', 'isCommercialZone'] as const
  const others = orderFieldNames.filter((name) => !options.some((option) => option === name))
  expect(reached).toEqual([...others, ...options])
  expect(await page.evaluate<boolean>('document.querySelector("main").scrollWidth <= innerWidth')).toBe(true)
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByLabel('Ridge', { exact: true }).fill('36')
  await page.getByRole('button', { name: 'Presets' }).click()
  await page.getByRole('menuitem', { name: 'Save as preset' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Save preset' }).click()
  await dialog.getByText('Enter a name.').waitFor()
  await dialog.getByLabel('Name').and(page.locator(':focus')).waitFor()
  await dialog.getByLabel('Name').fill('Nassau')
  await dialog.getByLabel('Jurisdiction').click()
  await expectAccessible(dialog)
  await dialog.getByRole('button', { name: 'Save preset' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Presets' }).click()
  await page.getByRole('menuitem', { name: 'Save as preset' }).click()
  await dialog.getByLabel('Name').fill('Our standard')
  await dialog.getByLabel('Use in every new order').click()
  await dialog.getByLabel('Name').press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  // A name that begins with another preset's name is that one's name for a moment.
  await page.getByRole('button', { name: 'Presets' }).click()
  await page.getByRole('menuitem', { name: 'Save as preset' }).click()
  await dialog.getByLabel('Name').fill('Our standard')
  await dialog.getByRole('checkbox', { name: 'Use in every new order', checked: true }).waitFor()
  await dialog.getByLabel('Name').fill('Our standard with hips')
  await dialog.getByRole('checkbox', { name: 'Use in every new order', checked: false }).waitFor()
  await dialog.getByLabel('Name').fill('Nassau')
  await dialog.getByRole('radio', { name: 'Jurisdiction', checked: true }).waitFor()
  // What was chosen stays.
  await dialog.getByLabel('Company').click()
  await dialog.getByLabel('Name').fill('Our standard with hips')
  await dialog.getByRole('checkbox', { name: 'Use in every new order', checked: false }).waitFor()
  await dialog.getByLabel('Name').press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  const presets = (await call('presets.list', {})).items
  expect(presets.map(({ name, kind, isDefault }) => ({ name, kind, isDefault }))).toEqual(
    expect.arrayContaining([
      { name: 'Nassau', kind: 'jurisdiction', isDefault: false },
      { name: 'Our standard', kind: 'company', isDefault: true },
      { name: 'Our standard with hips', kind: 'company', isDefault: false },
    ]),
  )
  expect(presets.find(({ name }) => name === 'Nassau')?.texts).toMatchObject({ ridge: '36', hip: 'undefined' })
  expect(presets.flatMap(({ texts }) => Object.keys(texts))).not.toContain('homeownerName')

  await show('/orders/new')
  await page.waitForURL((url) => /\/orders\/\d+\/edit$/.test(url.hash) && !url.hash.includes(`/${first}/`))
  await page.getByRole('heading', { name: 'Fire setbacks' }).waitFor()
  await expect.poll(() => page.getByLabel('Module', { exact: true }).inputValue()).toBe('REC Alpha Pure-R 430')
  await show('/orders')
  await page.getByRole('grid', { name: 'Orders' }).waitFor()
  const { all } = (await call('orders.list', {})).counts
  await page.getByRole('link', { name: 'New order' }).first().click()
  await page.getByRole('heading', { name: 'Fire setbacks' }).waitFor()
  await page.getByRole('link', { name: 'Orders' }).first().click()
  await page.getByRole('grid', { name: 'Orders' }).waitFor()
  expect((await call('orders.list', {})).counts.all, 'a new order in which nothing was typed leaves nothing').toBe(all)
  await page.reload()
  await page.getByRole('grid', { name: 'Orders' }).waitFor()
  const held = await holdBack(page, ['**/api/call/orders.create', '**/assets/ProjectsView-*.js'])
  await page.getByRole('link', { name: 'New order' }).first().click()
  await held.until('orders.create')
  await page.getByRole('link', { name: 'Projects' }).first().click()
  await held.until('ProjectsView')
  held.release('orders.create')
  await expect.poll(async () => (await call('orders.list', {})).counts.all).toBe(all)
  held.release('ProjectsView')
  await page.getByRole('grid', { name: 'Projects' }).waitFor()

  await show('/orders/new')
  await page.getByRole('heading', { name: 'Fire setbacks' }).waitFor()
  await page.getByLabel('Hip', { exact: true }).fill('12')
  await page.getByRole('button', { name: 'Presets' }).click()
  await page.getByRole('menuitem', { name: 'Nassau' }).click()
  await dialog.getByRole('row', { name: 'Hip 12 in default' }).waitFor()
  await expectAccessible(dialog)
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await expect.poll(() => page.evaluate('document.activeElement.textContent.trim()')).toBe('Presets')
  await expect.poll(() => page.getByLabel('Hip', { exact: true }).inputValue()).toBe('')
  await expect.poll(() => page.getByLabel('Ridge', { exact: true }).inputValue()).toBe('36')

  await page.getByLabel('Project', { exact: true }).fill('juniper')
  await page.getByRole('option', { name: 'Juniper Court' }).click()
  await expect.poll(() => page.getByLabel('Address').inputValue()).toBe(address)
  await page.getByRole('heading', { name: 'Juniper Court' }).waitFor()
  await page.getByRole('button', { name: 'Discard…' }).click()
  await dialog.getByRole('button', { name: 'Discard draft' }).click()
  await expect.poll(() => page.url()).not.toContain('/edit')
  expect((await call('orders.list', {})).items.map(({ orderId }) => orderId)).toEqual([first, ...earlier])
  for (const { presetId } of presets) await call('presets.remove', { presetId })
})

test('a duplicate is reported with details of the first order, and placed only on request', async () => {
  const app = shared()
  const { page, call, show, expectAccessible } = app
  const earlier = app.service.orders.length
  const { counts } = await call('orders.list', {})
  const first = await openDraft(app, completeTexts(app.service))
  await review(page)
  await page.getByRole('button', { name: 'Place order' }).dblclick()
  await expect.poll(() => page.url()).not.toContain('/edit')
  expect(app.service.orders).toHaveLength(earlier + 1)

  await show(`/orders/${first}/edit`)
  await page.getByText('This order is no longer a draft').waitFor()
  await page.getByText('It was placed.').waitFor()
  await show('/orders/4711/edit')
  await page.getByText('Order not found').waitFor()

  await show(`/orders/new?from=${first}`)
  await page.getByRole('heading', { name: 'Fire setbacks' }).waitFor()
  await expect.poll(() => page.getByLabel('Homeowner').inputValue()).toBe('Ana Ortiz')
  await review(page)
  await page.getByText('The same order already exists').waitFor()
  await page.getByRole('link', { name: app.service.orders[earlier]?.id ?? '?' }).waitFor()
  const place = page.getByRole('button', { name: 'Place order' })
  expect(await place.isDisabled()).toBe(true)
  await expectAccessible(page.getByRole('main'))
  await page.getByLabel('Place a second order with the same values').click()
  const asked = page.waitForRequest('**/api/call/orders.place')
  await place.click()
  expect((await asked).postDataJSON()).toMatchObject({ again: true, seen: [app.service.orders[earlier]?.id] })
  await expect.poll(() => page.url()).not.toContain('/edit')
  expect(app.service.orders).toHaveLength(earlier + 2)
  expect((await call('orders.list', {})).counts).toMatchObject({
    placed: counts.placed + 2,
    drafts: counts.drafts,
  })
})

test('a double click on "Review order" opens the review and places nothing', async () => {
  const app = shared()
  const { page, call } = app
  const earlier = app.service.orders.length
  const texts = { ...completeTexts(app.service, 1), homeownerName: 'Dee Park' }
  const preset = { name: 'Roof', kind: 'company', region: null, isDefault: false } as const
  const { presetId } = await call('presets.save', { ...preset, texts: { designOneModule: 'REC Alpha Pure-R 430' } })
  const orderId = await openDraft(app, texts)
  const place = page.getByRole('button', { name: 'Place order' })
  // The second click comes once the review is open, as with a fast service.
  await page.getByRole('button', { name: 'Review order' }).click()
  await expect.poll(() => place.isEnabled()).toBe(true)
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
  await page.getByRole('button', { name: 'Back to the form' }).click()
  await page.getByRole('button', { name: 'Review order' }).waitFor()
  expect(await call('orders.get', { orderId })).toMatchObject({ state: 'draft' })
  expect(app.service.orders).toHaveLength(earlier)
  await call('presets.remove', { presetId })
})

test('in the smallest window nothing is printed over the actions of an order', async () => {
  const app = shared()
  const { page } = app
  await page.setViewportSize({ width: 800, height: 560 })
  await openDraft(app, {})
  await page.getByText('Choose the project: its archived photos and report appear here.').waitFor()
  const text = await page.getByText('required fields left').boundingBox()
  const isOver = await page.evaluate<boolean>(
    `document.elementsFromPoint(${text?.x ?? 0}, ${text?.y ?? 0})
      .some((one) => one.closest('aside[aria-label="Roof and site"]') !== null)`,
  )
  expect(isOver).toBe(false)
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('a new order that was saved just before the page is left is kept', async () => {
  const { page, call, show } = shared()
  const drafts = async () => (await call('orders.list', { filter: 'drafts' })).items
  const before = await drafts()
  await show('/orders')
  await page.getByRole('link', { name: 'New order' }).first().click()
  await page.getByRole('heading', { name: 'Fire setbacks' }).waitFor()
  const held = await holdBack(page, ['**/api/call/orders.saveDraft', '**/api/call/orders.get'])
  await page.getByLabel('Hip', { exact: true }).fill('12')
  await held.until('orders.saveDraft')
  held.release('orders.saveDraft')
  await page.getByText(/^Saved \d/).waitFor()
  await held.until('orders.get')
  await page.getByRole('link', { name: 'Orders' }).first().click()
  await page.getByRole('grid', { name: 'Orders' }).waitFor()
  const after = await drafts()
  expect(after).toHaveLength(before.length + 1)
  held.release('orders.get')
  await call('orders.discard', { orderId: after[0]?.orderId ?? 0 })
})

test('Back from a new order to another draft saves what was typed, and discards the order if nothing was', async () => {
  const app = shared()
  const { page, call } = app
  const first = await openDraft(app, { homeownerName: 'Ana Ortiz' })
  const drafts = async () => (await call('orders.list', { filter: 'drafts' })).items.map(({ orderId }) => orderId)
  const before = await drafts()
  const startAnother = async () => {
    // A form that opens takes the focus, and the letters with it.
    await page.getByRole('heading', { name: 'Ana Ortiz' }).waitFor()
    await expect.poll(() => focusedField(page)).toBe('projectId')
    await page.getByRole('main').focus()
    // The second key counts for little more than a second.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('d')])
    await page.waitForURL(({ hash }) => /\/orders\/\d+\/edit$/.test(hash) && !hash.includes(`/${first}/`))
    await page.getByRole('heading', { name: 'Fire setbacks' }).waitFor()
    return (await drafts()).find((orderId) => !before.includes(orderId)) ?? 0
  }
  await startAnother()
  await page.goBack()
  await expect.poll(drafts).toEqual(before)

  const typedInto = await startAnother()
  // Back comes before the half second after which it is saved.
  await page.getByLabel('Hip', { exact: true }).fill('12')
  await page.goBack()
  await expect.poll(async () => (await call('orders.get', { orderId: typedInto })).texts.hip).toBe('12')
  await call('orders.discard', { orderId: typedInto })

  // A save that takes longer than the form waits for it: the question is moot as soon as it is saved.
  const slow = await startAnother()
  const held = await holdBack(page, ['**/api/call/orders.saveDraft'])
  await page.getByLabel('Hip', { exact: true }).fill('14')
  await page.goBack()
  const question = page.getByRole('dialog', { name: 'Leave without the last changes?' })
  await question.waitFor()
  held.release('orders.saveDraft')
  await question.waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Ana Ortiz' }).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  await call('orders.discard', { orderId: slow })

  // Of two places that were chosen while the form waits, it is left for the last one.
  const leftTwice = await startAnother()
  const heldAgain = await holdBack(page, ['**/api/call/orders.saveDraft'])
  await page.getByLabel('Hip', { exact: true }).fill('16')
  // The form waits longer for the second place than for the first: the page itself keeps their order, however slow.
  const orders = page.getByRole('link', { name: 'Orders' }).first()
  await orders.evaluate((link) => {
    // Tests are compiled without the types of a page.
    const click = () => setTimeout(() => (link as unknown as { click(): void }).click(), 1_500)
    const window = globalThis as unknown as EventTarget
    window.addEventListener('popstate', click, { once: true })
  })
  await page.goBack()
  await question.waitFor()
  heldAgain.release('orders.saveDraft')
  await question.waitFor({ state: 'detached' })
  await page.getByRole('grid', { name: 'Orders' }).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  await call('orders.discard', { orderId: leftTwice })
  await call('orders.discard', { orderId: first })
})

test('another project replaces what was filled in for the one before, also by nothing, but nothing typed', async () => {
  const { page, service, call, show } = shared()
  const first = { id: service.projects[0]?.id ?? '', name: 'Mary Jones', address: '12 Elm St, Boise, ID 83702' }
  await call('projects.add', { projects: [first, { id: 'oak-court', name: 'Oak Court' }] })
  const project = page.getByLabel('Project', { exact: true })
  const homeowner = page.getByLabel('Homeowner')
  const address = page.getByLabel('Address')
  const site = async () => [await homeowner.inputValue(), await address.inputValue()]
  const choose = async (text: string, option: string) => {
    await project.fill(text)
    await page.getByRole('option', { name: option }).click()
  }
  await show(`/orders/new?project=${first.id}`)
  await page.getByRole('heading', { name: 'Fire setbacks' }).waitFor()
  expect(await site()).toEqual([expect.stringMatching(/^(?:Mary Jones|Ana Ortiz)$/), first.address])
  await choose('oak', 'Oak Court')
  await expect.poll(site).toEqual(['', ''])

  await choose('mary', 'Mary Jones')
  await expect.poll(() => address.inputValue()).toBe(first.address)
  await choose('house-4711', 'Order for the ID “house-4711”')
  await expect.poll(site).toEqual(['', ''])
  await page.getByText('Not an archived project.').waitFor()

  await choose('mary', 'Mary Jones')
  await expect.poll(() => address.inputValue()).toBe(first.address)
  await homeowner.fill('Luis Ortiz')
  await address.fill('14 Elm St, Boise, ID 83702')
  await choose('oak', 'Oak Court')
  for (const field of ['homeownerName', 'projectAddress']) {
    await page.locator(`[data-field="${field}"]`).getByText('From the project chosen before. Check it.').waitFor()
  }
  expect(await site()).toEqual(['Luis Ortiz', '14 Elm St, Boise, ID 83702'])
  await page.getByRole('button', { name: 'Discard…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard draft' }).click()
  await expect.poll(() => page.url()).not.toContain('/edit')
  await call('projects.remove', { projectId: 'oak-court' })
})

test('Enter in the project field waits for the projects that match what was typed', async () => {
  const app = shared()
  const { page, call } = app
  await call('projects.add', { projects: [{ id: 'oak-court', name: 'Oak Court' }] })
  const orderId = await openDraft(app, {})
  const project = page.getByLabel('Project', { exact: true })
  await project.click()
  await page.getByRole('option').nth(1).waitFor()
  const held = await holdBack(page, ['**/api/call/projects.list'])
  for (const { typed, id } of [
    { typed: 'oak', id: 'ID oak-court' },
    { typed: 'house-4711', id: 'Not an archived project.' },
  ]) {
    await project.fill(typed)
    await project.press('Enter')
    await held.until(typed)
    held.release(typed)
    await page.locator('[data-field="projectId"]').getByText(id).waitFor()
  }
  held.release('projects.list')
  await call('projects.remove', { projectId: 'oak-court' })
  // A form with changes that cannot be saved anywhere is not left without a question.
  const saved = async () => (await call('orders.get', { orderId })).texts.projectId
  await expect.poll(saved).toBe('house-4711')
  await page.getByText(/^Saved /).waitFor()
  await call('orders.discard', { orderId })
})

test('a value that begins like a known one is stored as it was typed', async () => {
  const { page, call } = shared()
  const orderId = await openDraft(shared(), {})
  const tier = page.locator('[data-field="tierLevel"] input')
  await tier.fill('')
  await tier.pressSequentially('maxFillPlus')
  expect(await tier.inputValue()).toBe('maxFillPlus')
  // Closing the list leaves the field no more than a pause does.
  await tier.fill('')
  await tier.pressSequentially('max fill')
  await page.getByRole('option', { name: 'Max fill' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('option', { name: 'Max fill' }).waitFor({ state: 'detached' })
  await tier.pressSequentially('Plus')
  expect(await tier.inputValue()).toBe('max fillPlus')
  await tier.fill('maxFillPlus')
  const sizedFor = page.locator('[data-field="sizedForCategory"] input')
  for (const key of ['Tab', 'Enter']) {
    await sizedFor.fill('')
    await sizedFor.pressSequentially('system size')
    await page.locator('[role="option"][data-highlighted]', { hasText: 'System size' }).waitFor()
    await page.keyboard.press(key)
    await expect.poll(() => sizedFor.inputValue()).toBe('System size')
  }
  const texts = async () => (await call('orders.get', { orderId })).texts
  await expect.poll(texts).toMatchObject({ tierLevel: 'maxFillPlus', sizedForCategory: 'systemSize' })
})
