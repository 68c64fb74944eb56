import { mkdirSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { databaseName } from '../../electron/engine/store/database-files.ts'
import { holdBack } from './support/hold-back.ts'
import { shareApp } from './support/with-app.ts'

/** Receives webhooks; answers 500 until it is asked to accept. */
async function startReceiver() {
  const ids: string[] = []
  const receiver = { ids, status: 500, url: '', close: () => new Promise((resolve) => server.close(resolve)) }
  const server = createServer((request, response) => {
    ids.push(String(request.headers['x-solarchive-id']))
    request.resume()
    response.writeHead(receiver.status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}

const receiver = await startReceiver()
afterAll(() => receiver.close())

/** With arguments that no text of one line each shows. */
const program = { kind: 'program', path: '/usr/local/bin/alarm', args: ['', 'two\nlines', '--urgent'] }

/** Programs, and addresses on this machine, are allowed in settings.json alone. */
function allowReceiver({ home }: { readonly home: string }): void {
  const target = { kind: 'webhook', url: receiver.url, secret: 'canary-secret-of-the-hook', allowPrivate: true }
  const hooks = [
    { id: 'crm', name: 'Our CRM', isOn: false, events: ['checklist-complete'], target },
    { id: 'alarm', name: 'Alarm', isOn: false, events: ['damage-found'], target: program },
  ]
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ hooks }), { mode: 0o600 })
}

const app = shareApp({
  prepare: allowReceiver,
  isArchived: true,
  service: { projects: 1, checklistsPerProject: 1, statuses: ['completed'] },
})

const section = (page: Page) => page.locator('#hooks')

test('a webhook is added, notified of an event, repeated, changed, turned off, and removed', async () => {
  const { page, service, home, show, call, expectAccessible } = app()
  await show('/settings?section=hooks')
  await section(page).getByRole('button', { name: 'Add webhook…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a webhook' })
  await dialog.getByRole('checkbox', { name: 'A checklist is complete' }).uncheck()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText('Enter a name.').waitFor()
  await dialog.getByText('Choose at least one event.').waitFor()
  const name = dialog.getByLabel('Name', { exact: true })
  await name.and(page.locator(':focus')).waitFor()
  await expectAccessible(dialog)
  await dialog.getByRole('checkbox', { name: 'Photos missing for several days' }).check()
  await name.fill('Elsewhere')
  const address = dialog.getByLabel('Address', { exact: true })
  await address.fill('http://127.0.0.1:9999/hook')
  await dialog.getByRole('checkbox', { name: 'Photos missing for several days' }).uncheck()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByRole('checkbox', { name: 'A checklist is complete' }).and(page.locator(':focus')).waitFor()
  await dialog.getByRole('checkbox', { name: 'Photos missing for several days' }).check()
  const held = await holdBack(page, ['**/api/call/hooks.save'])
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await held.until('hooks.save')
  // A dialog that closes while it saves would take its error and the secret with it.
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Close' }).click()
  held.release('hooks.save')
  const refusal = dialog.getByRole('alert').getByText(/^This address uses http.*"allowPrivate"/)
  await refusal.waitFor()
  const described = (await address.getAttribute('aria-describedby')) ?? ''
  await page
    .locator(`[id="${described}"]`)
    .getByText(/^This address uses http/)
    .waitFor()
  await expectAccessible(dialog)
  await address.fill('https://hooks.invalid/a')
  await refusal.waitFor({ state: 'detached' })
  // Only settings.json may name an address on a private network.
  await dialog.getByText(/Addresses on this network.*can only be entered in the app window/).waitFor()
  expect(await dialog.getByRole('checkbox', { name: /^Allow an address/ }).count()).toBe(0)
  await dialog.getByRole('button', { name: 'Add', exact: true }).press('Enter')
  await section(page).getByText('https://hooks.invalid/a').waitFor()
  const row = section(page).getByRole('listitem').filter({ hasText: 'Our CRM' })
  await row.getByText(receiver.url).waitFor()
  await row.getByRole('switch', { name: 'Our CRM' }).click()
  await expect.poll(async () => (await call('hooks.list', {})).hooks[0]?.isOn).toBe(true)
  await expectAccessible(section(page))
  // Programs are a matter of the machine itself.
  expect(await section(page).getByRole('button', { name: 'Add program…' }).count()).toBe(0)

  service.addPhoto(service.projects[0]?.checklists[0]?.id ?? '', { question: 0 })
  await call('sync.now', {})
  await expect.poll(() => receiver.ids.length).toBe(1)
  await section(page).getByRole('link', { name: 'Deliveries' }).click()
  const deliveries = page.getByRole('list', { name: 'Deliveries' })
  const delivery = deliveries.getByRole('listitem').first()
  await delivery.getByText('Waiting', { exact: true }).waitFor()
  await delivery.getByText('HTTP status 500').waitFor()
  await delivery.getByText(/next retry/).waitFor()
  await delivery.getByRole('button', { name: 'Retry now' }).waitFor()
  // Only the test tries again. As long as nothing was sent, that is no retry.
  const later = new Database(join(home, databaseName))
  later.exec("UPDATE hook_deliveries SET tries = 0, next_try_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+1 hour')")
  later.close()
  receiver.status = 204
  await delivery.getByText('Message').click()
  await delivery.getByText('"event": "checklist-complete"').waitFor()
  await expectAccessible()

  // What waits can be tried at once, and what is delivered be repeated, under the same id.
  await delivery.getByText(/first attempt/).waitFor()
  await delivery.getByRole('button', { name: 'Send now' }).click()
  await delivery.getByText('Delivered', { exact: true }).waitFor()
  const before = receiver.ids.length
  await delivery.getByRole('button', { name: 'Repeat' }).click()
  await expect.poll(() => receiver.ids.length).toBe(before + 1)
  expect(new Set(receiver.ids).size).toBe(1)
  await page.getByRole('combobox', { name: 'Show' }).click()
  await page.getByRole('option', { name: 'Given up' }).click()
  await page.getByText('No delivery matches').waitFor()

  // A receiver that keeps failing needs attention until it takes an event.
  receiver.status = 500
  await page.getByRole('combobox', { name: 'Show' }).click()
  await page.getByRole('option', { name: 'All deliveries' }).click()
  await delivery.getByRole('button', { name: 'Repeat' }).click()
  await delivery.getByText('Waiting', { exact: true }).waitFor()
  const db = new Database(join(home, databaseName))
  db.exec('UPDATE hook_deliveries SET tries = 8')
  db.close()
  await show('/attention')
  const problem = page.getByRole('link', { name: 'Our CRM could not be notified of events' })
  await problem.waitFor()
  // Another window turns it off, which gives up what waits, and on again.
  const { hooks } = await call('hooks.list', {})
  const turn = (isOn: boolean) =>
    call('hooks.save', { hooks: hooks.map((hook) => (hook.name === 'Our CRM' ? { ...hook, isOn } : hook)) })
  await turn(false)
  await problem.waitFor({ state: 'detached' })
  await turn(true)
  await problem.click()
  await expectAccessible()
  receiver.status = 204
  await delivery.getByRole('button', { name: 'Repeat' }).click()
  await delivery.getByText('Delivered', { exact: true }).waitFor()
  await show('/attention')
  await page.getByText('Nothing needs attention').waitFor()
  const many = new Database(join(home, databaseName))
  many.exec(`WITH numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 60)
    INSERT INTO hook_deliveries (event_id, hook_id, event, body, state, created_at, since, ended_at)
    SELECT 'event ' || n, hook_id, event, body, 'delivered', created_at, since, ended_at
    FROM numbers, (SELECT * FROM hook_deliveries LIMIT 1)`)
  many.close()
  await show('/settings/deliveries')
  await page.getByText(/^1 to 50 of 61/).waitFor()
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await page.getByText(/^51 to 61 of 61/).waitFor()
  await expect.poll(() => page.evaluate<string>('document.activeElement.textContent.trim()')).toBe('Next')
  expect(await page.getByRole('button', { name: 'Next', exact: true }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Previous', exact: true }).click()
  await page.getByText(/^1 to 50 of 61/).waitFor()
  // Where the second page is gone, the first one is shown.
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await page.getByText(/^51 to 61 of 61/).waitFor()
  const fewer = new Database(join(home, databaseName))
  fewer.exec("DELETE FROM hook_deliveries WHERE event_id LIKE 'event 4%' OR event_id LIKE 'event 5%'")
  fewer.close()
  await page.getByRole('list', { name: 'Deliveries' }).getByRole('button', { name: 'Repeat' }).last().click()
  await expect.poll(() => page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').count()).toBe(39)

  await page.getByRole('link', { name: 'Settings' }).last().click()
  await row.getByRole('button', { name: 'Edit… Our CRM' }).click()
  const change = page.getByRole('dialog', { name: 'Edit webhook' })
  await change.getByText('Stored').waitFor()
  await change.getByRole('checkbox', { name: /^Allow an address/, checked: true }).waitFor()
  await change.getByLabel('Name', { exact: true }).fill('The CRM')
  await change.getByRole('checkbox', { name: 'Photos missing for several days' }).check()
  await change.getByLabel('Days that photos may be missing').fill('14')
  await change.getByRole('button', { name: 'Save' }).click()
  const renamed = section(page).getByRole('listitem').filter({ hasText: 'The CRM' })
  await renamed.getByText(/Photos missing for several days/).waitFor()
  await renamed.getByRole('switch', { name: 'The CRM' }).click()
  await expect
    .poll(async () => (await call('hooks.list', {})).hooks[0])
    .toMatchObject({ name: 'The CRM', isOn: false, gapDays: 14, events: ['checklist-complete', 'gap-old'] })
  await renamed.getByRole('button', { name: 'Remove… The CRM' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove hook' }).click()
  await renamed.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
})

test('a program that is renamed keeps its arguments', async () => {
  const { page, show, call } = app()
  // As in the app window, which lets a user change programs.
  await page.route('**/api/call/hooks.list', async (route) => {
    const response = await route.fetch()
    const { value, ...answer } = (await response.json()) as { readonly value: object }
    await route.fulfill({ response, json: { ...answer, value: { ...value, canAddPrograms: true } } })
  })
  await show('/settings/deliveries')
  await show('/settings?section=hooks')
  await section(page).getByRole('button', { name: 'Edit… Alarm' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit program' })
  await dialog.getByLabel('Name', { exact: true }).fill('Call the office')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await section(page).getByText('Call the office').waitFor()
  const { hooks } = await call('hooks.list', {})
  expect(hooks.find(({ id }) => id === 'alarm')).toMatchObject({ name: 'Call the office', target: program })
  // An error is in view, however long the dialog is.
  await page.route('**/api/call/hooks.save', (route) =>
    route.fulfill({ json: { ok: false, error: { code: 'disk-full', message: 'The disk is full.' } } }),
  )
  await section(page).getByRole('button', { name: 'Edit… Call the office' }).click()
  await page.setViewportSize({ width: 800, height: 500 })
  await dialog.getByRole('button', { name: 'Save' }).click()
  const { y = 0, height = 0 } = (await dialog.getByRole('alert').boundingBox()) ?? {}
  expect([y > 0, height > 0, y + height < 500]).toEqual([true, true, true])
  await page.unroute('**/api/call/hooks.save')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.keyboard.press('Escape')
})

test('a delivery has the id of its hook while the names are loaded', async () => {
  const { page, home, show } = app()
  const db = new Database(join(home, databaseName))
  db.exec(`INSERT INTO hook_deliveries (event_id, hook_id, event, body, state, created_at, since, ended_at)
    VALUES ('1', 'hook-of-before', 'damage-found', '{}', 'failed', '2026-06-12', '2026-06-12', '2026-06-12')`)
  db.close()
  const held = await holdBack(page, ['**/api/call/hooks.list'])
  await show('/settings/deliveries')
  await held.until('hooks.list')
  const delivery = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first()
  await delivery.getByText('hook-of-before').waitFor()
  held.release('hooks.list')
  await delivery.getByText('Removed hook').waitFor()
})
