import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Route } from 'playwright-core'
import type { CallOutput } from '../../shared/contract/calls.ts'
import type { Fault } from '../../electron/sample-service/http/faults.ts'
import { completeTexts, confirmModule, focusedField, openDraft, orderSite, review } from './support/order-form-page.ts'
import { shareApp } from './support/with-app.ts'

const shared = shareApp({
  isArchived: true,
  service: { ...orderSite, statuses: [...orderSite.statuses] },
  expectedMessages: /ERR_FAILED/,
  hasOwnProcess: true,
})

/** The service's answer to an order, and the form's message. */
const refusals: readonly { readonly fault: Fault; readonly says: string; readonly code: string }[] = [
  { fault: { kind: 'status', status: 401 }, says: 'The service refuses the access token', code: 'token-refused' },
  { fault: { kind: 'status', status: 403 }, says: 'This token is not allowed to place orders', code: 'no-permission' },
  { fault: { kind: 'status', status: 404 }, says: 'The service does not know this project', code: 'not-found' },
  {
    fault: { kind: 'status', status: 429, retryAfter: 1 },
    says: 'The service is limiting requests',
    code: 'rate-limited',
  },
]

test('for every response of the service, the form says what happened and keeps the draft', async () => {
  const app = shared()
  const { page, call, expectAccessible, show } = app
  const orderId = await openDraft(app, completeTexts(app.service))
  const place = page.getByRole('button', { name: 'Place order' })
  for (const { fault, says, code } of refusals) {
    const active = app.service.faults.add({ route: 'serviceRequests', method: 'POST', fault })
    await review(page)
    await place.click()
    const alert = page.getByRole('alert').filter({ hasText: says })
    await alert.getByText('Nothing was placed, and the draft is kept.').waitFor()
    expect(await alert.getByRole('link').count(), code).toBe(
      code === 'token-refused' || code === 'no-permission' ? 1 : 0,
    )
    expect(await call('orders.get', { orderId }), code).toMatchObject({ state: 'draft', problem: { code } })
    active.remove()
  }

  const body = JSON.stringify({
    message: 'Validation failed',
    errors: [
      { field: 'form.homeownerName', message: 'homeowner is not on file' },
      { field: 'form.fireSetbacks.ridge', message: 'ridge is too small here' },
      { message: 'the site is closed for orders' },
    ],
  })
  const rejects = app.service.faults.add({
    route: 'serviceRequests',
    method: 'POST',
    fault: { kind: 'body', body, status: 400, contentType: 'application/json' },
  })
  await review(page)
  await place.click()
  const alert = page.getByRole('alert').filter({ hasText: 'The service rejected the order' })
  await alert.getByRole('listitem').getByText('the site is closed for orders').waitFor()
  const homeowner = page.getByLabel('Homeowner')
  await expect.poll(() => focusedField(page)).toBe('homeownerName')
  await page.getByText('homeowner is not on file').last().waitFor()
  await expectAccessible(alert)
  await expectAccessible(page.locator('[data-field="homeownerName"]'))
  await homeowner.fill('Ana M. Ortiz')
  await expect.poll(() => page.locator('[data-field="homeownerName"]').getByText('not on file').count()).toBe(0)
  await alert.getByRole('button', { name: 'Ridge' }).click()
  await page.locator('[data-field="ridge"]').getByText('ridge is too small here').waitFor()
  rejects.remove()
  expect(app.service.orders).toEqual([])

  // It got the order, and its answer was lost: the list of orders resolves it.
  app.service.faults.add({
    route: 'serviceRequests',
    method: 'POST',
    fault: { kind: 'reset', afterBytes: 0 },
    count: 1,
  })
  await review(page)
  await place.click()
  await expect.poll(() => page.url()).not.toContain('/edit')
  expect(app.service.orders).toHaveLength(1)
  expect(await call('orders.get', { orderId })).toMatchObject({ state: 'placed', settledBy: 'service' })

  // The list of orders cannot be read: the user may do without it.
  const northern = { azimuthRangeStart: '315', azimuthRangeEnd: '45' }
  const unchecked = await openDraft(app, { ...completeTexts(app.service, 1), ...northern })
  const broken = app.service.faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'reset' } })
  await review(page)
  const consent = page.getByRole('checkbox', { name: 'Place it without this check' })
  await consent.waitFor()
  expect(await place.isDisabled()).toBe(true)
  expect(await page.getByText('not stated, sent as no').count()).toBe(4)
  await page.getByRole('region', { name: 'Check these values' }).getByText('The range goes through north').waitFor()
  await expectAccessible(page.getByRole('region', { name: 'The service’s list of orders cannot be read' }))
  await consent.click()
  await place.click()
  await page.getByText('Placed without checking the service’s list of orders').waitFor()
  expect(await call('orders.get', { orderId: unchecked })).toMatchObject({ state: 'placed', isUnchecked: true })
  broken.remove()

  // Unconfirmed: no answer in time, and no list.
  const other = await openDraft(app, { ...completeTexts(app.service, 1), homeownerName: 'Ben Ode' })
  app.service.faults.add({ route: 'serviceRequests', method: 'POST', fault: { kind: 'status', status: 504 } })
  app.service.faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'status', status: 404 } })
  await review(page)
  await place.click()
  await expect.poll(() => page.url()).not.toContain('/edit')
  expect(await call('orders.get', { orderId: other })).toMatchObject({ state: 'unconfirmed' })
  await show(`/orders/${other}/edit`)
  await page.getByText('It was sent, but is not confirmed yet').waitFor()
  await page.getByRole('link', { name: 'Show the order' }).waitFor()
  app.service.faults.clear()
})

test('a wait for the rate limit is announced without its seconds', async () => {
  const app = shared()
  const { page } = app
  await page.route('**/api/call/overview', async (route) => {
    const response = await route.fetch()
    const { value, ...answer } = (await response.json()) as { readonly value: CallOutput<'overview'> }
    const api = { ...value.api, waitMs: 600_000 }
    await route.fulfill({ response, json: { ...answer, value: { ...value, api } } })
  })
  // Asks for the overview, which nothing else may change meanwhile.
  await page.reload()
  await openDraft(app, { ...completeTexts(app.service), homeownerName: 'Cleo Marsh' })
  const announced = (text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor()
  await review(page)
  await announced('Rate limit reached')
  const { promise: isAnnounced, resolve: end } = Promise.withResolvers<void>()
  await page.route('**/api/call/orders.place', async (route) => {
    await isAnnounced
    await route.abort()
  })
  await page.getByRole('button', { name: 'Place order' }).click()
  await announced('Waiting for the service’s rate limit')
  end()
  await page.getByRole('alert').first().waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

test('typed values are saved while typing: through a crash, a page that is left, and a second window', async () => {
  const app = shared()
  const { page, call, origin } = app
  const earlier = app.service.orders.length
  const orderId = await openDraft(app, completeTexts(app.service))
  const ridge = page.getByLabel('Ridge', { exact: true })
  await ridge.fill('20')
  await page.getByText(/^Saved \d/).waitFor()
  const opening = await app.startAgain()
  await page
    .getByText('This browser is not logged in. Solarchive was restarted, or the session has ended. Open the address')
    .waitFor()
  await page.goto(opening)
  // The address redirects to the app.
  await page.locator('main h1').waitFor()
  await page.goto(`${origin}/#/orders/${orderId}/edit`)
  await expect.poll(() => ridge.inputValue()).toBe('20')

  // Left within the half second before it is saved. A page that is closed has only half a second to run: Chromium kills
  // it then, even if a busy machine has not let it handle its `pagehide` yet.
  const leaving = await page.context().newPage()
  await leaving.goto(`${origin}/#/orders/${orderId}/edit`)
  await leaving.getByLabel('Valley', { exact: true }).fill('7')
  await leaving.reload()
  await leaving.close()
  const textsNow = async () => (await call('orders.get', { orderId })).texts
  await expect.poll(textsNow).toMatchObject({ ridge: '20', valley: '7' })
  // The window without unsaved changes shows what the other one saved.
  await expect.poll(() => page.getByLabel('Valley', { exact: true }).inputValue()).toBe('7')

  // Both change it: no change is lost before the user has chosen.
  await page.route('**/api/call/orders.saveDraft', (route) => route.abort())
  await ridge.fill('21')
  await page.getByText('Not saved; retrying automatically.').waitFor()
  const { revision, texts, region } = await call('orders.get', { orderId })
  await call('orders.saveDraft', { orderId, revision, texts: { ...texts, eave: '9' }, region })
  await page.unroute('**/api/call/orders.saveDraft')
  const notice = page.getByRole('alert').filter({ hasText: 'Changed in another window.' })
  await notice.getByText('Ridge, Eave').waitFor()
  expect(await textsNow()).toMatchObject({ ridge: '20', eave: '9' })
  await page.getByRole('link', { name: 'Projects' }).click()
  const dialog = page.getByRole('dialog', { name: 'Leave without the last changes?' })
  await dialog.getByRole('button', { name: 'Stay' }).click()
  // Also for another draft, which is the same page.
  const other = await call('orders.create', { texts: { homeownerName: 'Dana Okafor' } })
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Search everything').fill('dana okafor')
  await page.getByRole('option', { name: /^Dana Okafor/ }).waitFor()
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Stay' }).click()
  expect(await ridge.inputValue()).toBe('21')
  expect(await page.title()).toBe('Order draft – Solarchive')
  await call('orders.discard', { orderId: other.orderId })
  await notice.getByRole('button', { name: 'Keep this version' }).click()
  await expect.poll(textsNow).toMatchObject({ ridge: '21' })
  expect(await notice.count()).toBe(0)

  // What is kept is what this window shows, although nothing was changed in it, and what is loaded is the latest.
  const saveElsewhere = async (eave: string) => {
    const { revision, texts } = await call('orders.get', { orderId })
    await call('orders.saveDraft', { orderId, revision, texts: { ...texts, eave }, region })
  }
  const conflict = async (eave: string) => {
    await page.route('**/api/call/orders.saveDraft', (route) => route.abort())
    await ridge.fill('22')
    await page.getByText('Not saved; retrying automatically.').waitFor()
    await saveElsewhere(eave)
    await page.unroute('**/api/call/orders.saveDraft')
    await notice.getByText('Ridge, Eave').waitFor()
  }
  await conflict('10')
  await ridge.fill('21')
  await notice.getByRole('button', { name: 'Keep this version' }).click()
  await expect.poll(textsNow).not.toHaveProperty('eave')
  expect(await textsNow()).toMatchObject({ ridge: '21' })
  expect(await notice.count()).toBe(0)
  await conflict('11')
  await saveElsewhere('12')
  await notice.getByRole('button', { name: 'Load other version' }).click()
  await expect.poll(() => page.getByLabel('Eave', { exact: true }).inputValue()).toBe('12')
  expect(await ridge.inputValue()).toBe('21')

  // A window that still shows the earlier review says so, and shows what would be sent now.
  await review(page)
  const last = await call('orders.get', { orderId })
  await call('orders.saveDraft', { orderId, revision: last.revision, texts: { ...last.texts, hip: '11' }, region })
  await page.getByRole('button', { name: 'Place order' }).click()
  await page.getByText('The draft was changed since your review.').waitFor()
  await page.getByText('"hip": 11').waitFor({ state: 'attached' })
  expect(app.service.orders).toHaveLength(earlier)

  // Two windows place it at once.
  const second = await page.context().newPage()
  await second.goto(`${origin}/#/orders/${orderId}/edit`)
  await second.getByRole('button', { name: 'Review order' }).click()
  await second.getByRole('heading', { name: 'Check the order' }).waitFor()
  const windows = [page, second]
  for (const one of windows) await confirmModule(one)
  const asked: Route[] = []
  for (const one of windows) {
    const place = async (route: Route) => {
      asked.push(route)
      await expect.poll(() => asked.length).toBe(windows.length)
      await route.continue()
    }
    await one.route('**/api/call/orders.place', place, { times: 1 })
  }
  for (const one of windows) await one.getByRole('button', { name: 'Place order' }).click()
  const outcomes = () => Promise.all(windows.map((one) => one.getByText('no longer a draft').count()))
  await expect.poll(async () => (await outcomes()).reduce((sum, each) => sum + each, 0)).toBe(1)
  await expect.poll(() => app.service.orders).toHaveLength(earlier + 1)
  const shown = async () => (await call('orders.list', {})).items[0]
  await expect.poll(shown).toMatchObject({ orderId, state: 'placed' })
  await second.close()
})

test('a draft of a restored database is asked about by itself, also after the question about another order', async () => {
  const app = shared()
  const { page, call, show } = app
  const texts = { ...completeTexts(app.service), homeownerName: 'Cleo Ray' }
  const { orderId } = await call('orders.create', { texts })
  const opening = await app.startAgain(() => {
    const database = new Database(join(app.home, 'solarchive.sqlite3'))
    database.prepare('UPDATE orders SET restored = 1 WHERE id = ?').run(orderId)
    database.close()
  })
  await page.goto(opening)
  // The address redirects to the app.
  await page.locator('main h1').waitFor()
  const hidden = app.service.faults.add({
    route: 'serviceRequests',
    method: 'GET',
    fault: { kind: 'status', status: 404 },
  })
  await show(`/orders/${orderId}/edit`)
  await page.getByRole('heading', { name: 'Fire setbacks' }).waitFor()
  await review(page)
  const similar = await call('orders.create', { texts: { ...texts, homeownerName: 'CLEO RAY' } })
  const { fingerprint } = await call('orders.review', { orderId: similar.orderId })
  await call('orders.place', { orderId: similar.orderId, fingerprint: fingerprint ?? '', again: true, newModule: true })
  const sent = app.service.orders.length

  const place = page.getByRole('button', { name: 'Place order' })
  const consent = page.getByLabel('Place this one as well')
  await place.click()
  await page.getByRole('status').filter({ hasText: 'differs only in spaces or capitals' }).waitFor()
  await consent.check()
  await place.click()
  await page.getByRole('status').filter({ hasText: 'The service does not list its orders' }).waitFor()
  expect(app.service.orders).toHaveLength(sent)
  await consent.check()
  await place.click()
  await expect.poll(() => call('orders.get', { orderId })).toMatchObject({ state: 'placed' })
  expect(app.service.orders).toHaveLength(sent + 1)
  hidden.remove()
})
