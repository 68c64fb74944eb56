import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { settingEntries } from '../../renderer/features/settings/setting-entries.ts'
import { holdBack } from './support/hold-back.ts'
import { shareApp, withApp } from './support/with-app.ts'

const app = shareApp({ isArchived: true, service: { projects: 1, checklistsPerProject: 1 } })

const problem = 'Another Solarchive is running. Nothing was changed.'
const refusal = { ok: false, error: { code: 'data-folder-locked', message: problem, details: {} } }

/**
 * Holds the next save back, which is answered with `json` if there is one. The function that it returns releases it,
 * and resolves once the page shows the answer.
 */
async function holdSave(page: Page, json?: object): Promise<() => Promise<void>> {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  const answered = page.waitForResponse('**/api/call/settings.save')
  const hold = async (route: Route) => {
    await isReleased
    await (json === undefined ? route.continue() : route.fulfill({ json }))
  }
  await page.route('**/api/call/settings.save', hold, { times: 1 })
  return async () => {
    release()
    await (await answered).finished()
    await untilPainted(page)
  }
}

const untilPainted = (page: Page) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')

test('settings are saved, and those fixed by options are shown as such and cannot be changed', async () => {
  const { page, show, home, call, expectAccessible } = app()
  await show('/settings')
  const downloads = page.getByLabel('Downloads at the same time')
  await downloads.fill('3')
  await downloads.press('Tab')
  await page.getByRole('radio', { name: 'Dark' }).click()
  // Before the rest, since it disappears by itself.
  await page.getByText('Saved', { exact: true }).waitFor()
  await expect.poll(() => page.locator('html.dark').count()).toBe(1)
  await expect.poll(() => downloads.inputValue()).toBe('3')
  await downloads.fill('')
  await downloads.press('Tab')
  await expect.poll(() => downloads.inputValue()).toBe('3')
  await page.getByRole('radio', { name: 'System' }).click()
  // Hours that are typed before the switch is saved stay.
  const held = await holdBack(page, ['**/api/call/settings.save'])
  const start = page.getByLabel('Quiet hours start')
  const answered = page.waitForResponse((response) => response.request().postData()?.includes('"22:00"') === true)
  await page.getByRole('switch', { name: 'Use quiet hours' }).click()
  await held.until('"22:00"')
  await start.fill('21:30')
  await held.until('"21:30"')
  held.release('"22:00"')
  await (await answered).finished()
  await untilPainted(page)
  expect(await start.inputValue()).toBe('21:30')
  held.release('settings.save')
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByRole('switch', { name: 'A file is damaged' }).click()
  await expect.poll(() => page.getByRole('status').filter({ hasText: 'Saved' }).count()).toBe(1)
  expect(await page.locator('ol[data-slot="viewport"] li').count()).toBe(0)
  await expectAccessible()
  await expect
    .poll(() => JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8')) as unknown)
    .toMatchObject({ concurrency: 3, quietHours: { start: '21:30', end: '06:00' } })
  // In quiet hours the next test would see them instead of its schedule.
  await call('settings.save', { quietHours: null })
  expect(await page.getByLabel('Service address').isDisabled()).toBe(true)
  expect(await page.getByText('Set when Solarchive was started').count()).toBeGreaterThan(0)
  // Text in fields and on buttons is no smaller than the labels.
  const texts = "['#connection label', '#connection input', '#downloads', '#archive button']"
  const sizes = `${texts}.map((one) => getComputedStyle(document.querySelector(one)).fontSize)`
  expect(await page.evaluate(sizes)).toEqual(Array(4).fill('14px'))
  const marked = page.getByRole('navigation', { name: 'Settings sections' }).locator('[aria-current]')
  await page.getByRole('button', { name: 'Appearance' }).click()
  await expect.poll(() => marked.textContent()).toContain('Appearance')
  await page.mouse.wheel(0, -10_000)
  await expect.poll(() => marked.textContent()).toContain('Connection')
  // As wide as a window of 1280 pixels at a zoom of 200 %.
  await page.setViewportSize({ width: 640, height: 400 })
  await page.getByRole('button', { name: 'Diagnostics' }).click()
  await expect.poll(() => marked.textContent()).toContain('Diagnostics')
  await page.locator('#diagnostics').getByRole('button', { name: 'Create a support bundle' }).waitFor()
  const box = await marked.boundingBox()
  expect((box?.x ?? -1) >= 0 && (box?.x ?? 640) + (box?.width ?? 0) <= 640).toBe(true)
  await expectAccessible(page.getByRole('main'))
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('a proxy and a file of certificates are set, and what cannot be used is refused with what to do', async () => {
  const { page, show, home, call, expectAccessible } = app()
  await show('/settings')
  const section = page.locator('#connection')
  const stored = () => JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8')) as { proxy?: string }
  await section.getByRole('radio', { name: 'This proxy' }).click()
  const address = section.getByLabel('Address of the proxy')
  await address.fill('http://user:hunter2@proxy.example.com:3128')
  await address.press('Enter')
  await section.getByRole('alert').filter({ hasText: 'HTTPS_PROXY' }).waitFor()
  expect(stored().proxy).toBeUndefined()
  await address.fill('proxy.example.com:3128')
  await address.press('Enter')
  await expect.poll(() => stored().proxy).toBe('proxy.example.com:3128')
  const caFile = section.getByLabel('Additional certificates')
  await caFile.fill(join(home, 'settings.json'))
  await caFile.press('Enter')
  await section.getByRole('alert').filter({ hasText: 'contains no certificate in PEM format. Nothing was' }).waitFor()
  await expectAccessible(section)
  const answered = page.waitForResponse('**/api/call/settings.save')
  await section.getByRole('radio', { name: 'No proxy' }).click()
  // The file is written before the engine restarts, and the page is answered after that.
  await (await answered).finished()
  expect(stored().proxy).toBe('none')

  // A choice that cannot be saved is taken back.
  await page.route('**/api/call/settings.save', (route) => route.fulfill({ json: refusal }))
  await section.getByRole('radio', { name: 'From the environment' }).click()
  await section.getByRole('alert').getByText(problem).waitFor()
  expect(await section.getByRole('radio', { name: 'No proxy' }).isChecked()).toBe(true)
  const quietHours = page.getByRole('switch', { name: 'Use quiet hours' })
  await quietHours.click()
  await page.locator('#sync').getByRole('alert').getByText(problem).waitFor()
  expect(await quietHours.isChecked()).toBe(false)
  // Others that are being edited stay as they are.
  await page.unroute('**/api/call/settings.save')
  await call('settings.save', { quietHours: { start: '22:00', end: '06:00' } })
  const start = page.getByLabel('Quiet hours start')
  await start.waitFor()
  // As typed, but not left yet.
  await page.evaluate(`
    const field = document.querySelector('[aria-label="Quiet hours start"]')
    field.value = '23:30'
    field.dispatchEvent(new Event('input'))
  `)
  await page.route('**/api/call/settings.save', (route) => route.fulfill({ json: refusal }))
  await page.getByRole('radio', { name: 'At most once an hour' }).click()
  await expect.poll(() => page.getByRole('radio', { name: 'Automatic' }).isChecked()).toBe(true)
  expect(await start.inputValue()).toBe('23:30')
  // A message that stays until it is closed, by keyboard too.
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: /^Use the (dark|light) theme$/ }).click()
  const message = page.locator('ol[data-slot="viewport"] li').filter({ hasText: problem })
  await message.waitFor()
  await page.keyboard.press('F8')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  const close = message.getByRole('button', { name: 'Close' })
  await expect.poll(() => close.and(page.locator(':focus')).count()).toBe(1)
  await page.keyboard.press('Enter')
  await message.waitFor({ state: 'detached' })
  await page.unroute('**/api/call/settings.save')
  await call('settings.save', { proxy: 'environment', quietHours: null })
})

test('an address of a proxy that is typed while the choice before it is being saved stays', async () => {
  const { page, show, call } = app()
  await show('/settings')
  const section = page.locator('#connection')
  const radio = (name: string) => section.getByRole('radio', { name })
  const address = section.getByLabel('Address of the proxy')
  for (const [host, json] of [
    ['proxy2.example', undefined],
    ['proxy3.example', refusal],
  ] as const) {
    await expect.poll(() => radio('From the environment').isChecked()).toBe(true)
    await radio('From the environment').focus()
    const release = await holdSave(page, json)
    // An arrow key chooses the next one, which is on the way, too.
    for (const name of ['No proxy', 'This proxy']) {
      await page.keyboard.down('ArrowDown')
      await expect.poll(() => radio(name).isChecked()).toBe(true)
      await page.keyboard.up('ArrowDown')
    }
    await expect.poll(() => address.and(page.locator(':focus')).count()).toBe(1)
    await address.fill(host)
    await release()
    expect(await radio('This proxy').isChecked()).toBe(true)
    const answered = page.waitForResponse('**/api/call/settings.save')
    await page.keyboard.type('.com:3128')
    await page.keyboard.press('Enter')
    await (await answered).finished()
    expect((await call('settings.get', {})).proxy).toBe(`${host}.com:3128`)
    // Another window's change is shown.
    await call('settings.save', { proxy: 'environment' })
  }
  await expect.poll(() => radio('From the environment').isChecked()).toBe(true)
})

test('a text that is corrected while it is being saved stays', async () => {
  const { page, show, call } = app()
  await show('/settings')
  const authority = page.getByLabel('Time-stamping authority')
  await authority.fill('https://stamp.example')
  const release = await holdSave(page)
  await authority.press('Enter')
  await page.keyboard.type('.com')
  await release()
  expect(await authority.inputValue()).toBe('https://stamp.example.com')
  const answered = page.waitForResponse('**/api/call/settings.save')
  await authority.press('Enter')
  await (await answered).finished()
  expect((await call('settings.get', {})).stampAuthority).toBe('https://stamp.example.com')
  await call('settings.save', { stampAuthority: null })
  // Another window's change is shown.
  await expect.poll(() => authority.inputValue()).toBe('')
})

test('a number that is changed while the one before it is being saved stays', async () => {
  const { page, show, call } = app()
  await show('/settings')
  const downloads = page.getByLabel('Downloads at the same time')
  const held = await holdBack(page, ['**/api/call/settings.save'])
  const answered = page.waitForResponse((response) => response.request().postData()?.includes('":5') === true)
  for (const number of ['5', '7']) {
    await downloads.fill(number)
    await downloads.press('Tab')
    await held.until(`":${number}`)
  }
  held.release('":5')
  await (await answered).finished()
  await untilPainted(page)
  expect(await downloads.inputValue()).toBe('7')
  held.release('settings.save')
  await page.unrouteAll({ behavior: 'wait' })
  await call('settings.save', { concurrency: 3 })
  // Another window's change is shown.
  await expect.poll(() => downloads.inputValue()).toBe('3')
})

test('a limit of calls to the service has no maximum, and stays when its field is left', async () => {
  const personFolder = mkdtempSync(join(tmpdir(), 'solarchive-e2e-'))
  const env = { SOLARCHIVE_HOME: join(personFolder, '.local', 'share', 'solarchive') }
  const service = { projects: 1, checklistsPerProject: 1 }
  await withApp({ personFolder, env, addsProjects: false, service }, async ({ page, show, call }) => {
    await call('settings.save', { apiCallsPerMinute: 12_000 })
    await show('/settings')
    const calls = page.getByLabel('Calls to the service per minute')
    await expect.poll(() => calls.inputValue()).toBe('12,000')
    await calls.focus()
    await page.keyboard.press('Tab')
    await untilPainted(page)
    expect(await calls.inputValue()).toBe('12,000')
    await calls.fill('20000')
    await calls.press('Tab')
    await expect.poll(async () => (await call('settings.get', {})).apiCallsPerMinute).toBe(20_000)
  })
})

test('the sync schedule is chosen with its description, and a manual schedule is shown as such', async () => {
  const { page, show, home, expectAccessible } = app()
  await show('/settings')
  const schedule = page.getByRole('radiogroup', { name: 'Sync schedule' })
  expect(await schedule.getByRole('radio', { name: 'Automatic' }).isChecked()).toBe(true)
  await page.getByText('rare checks find new photos and reports later').waitFor()
  await schedule.getByRole('radio', { name: 'Only when I ask' }).click()
  await expect
    .poll(() => JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8')) as unknown)
    .toMatchObject({ schedule: 'manual' })
  await page.getByRole('complementary').getByText('Syncs only when you ask').waitFor()
  await expectAccessible(page.locator('#sync'))
  await show('/')
  await page.getByRole('main').getByText('Syncs only when you ask').waitFor()
  await page.getByRole('main').getByRole('button', { name: 'Sync now' }).click()
  await page
    .getByRole('main')
    .getByText(/Last sync you started: just now/)
    .waitFor()
})

test('the appearance is chosen in the settings or the palette, and is kept', async () => {
  const { page, show, home } = app()
  await show('/settings')
  await page.getByRole('radio', { name: 'Dark' }).click()
  await expect.poll(() => page.locator('html.dark').count()).toBe(1)
  await page.reload()
  await expect.poll(() => page.locator('html.dark').count()).toBe(1)
  // The palette closes when a page is opened, the first one included.
  await page.locator('main h1').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Use the light theme' }).click()
  await expect.poll(() => page.getByRole('radio', { name: 'Light' }).isChecked()).toBe(true)
  await expect
    .poll(() => JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8')) as unknown)
    .toMatchObject({ appearance: 'light' })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.reload()
  await page.locator('main h1').waitFor()
  await expect.poll(() => page.locator('html:not(.dark)').count()).toBe(1)
})

test('each setting has a link that focuses its field, and the palette opens it', async () => {
  const { page, show } = app()
  const entries = settingEntries.filter(({ host }) => host !== 'desktop')
  const labels = () =>
    page.evaluate<string[]>('[...document.querySelectorAll("[data-setting]")].map((row) => row.dataset.setting)')
  const focused = () => page.evaluate<string>('document.activeElement.closest("[data-setting]")?.dataset.setting ?? ""')
  await show('/settings')
  await expect.poll(labels).toEqual(entries.map(({ label }) => label))
  // As the palette opens them.
  for (const { section, label } of entries) {
    await show(`/settings?${new URLSearchParams({ section, setting: label }).toString()}`)
    await expect.poll(focused).toBe(label)
  }
  for (const label of ['Quiet hours', 'Browser sessions']) {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search' }).getByRole('textbox').fill(label)
    await page.getByRole('option', { name: label, exact: true }).click()
    await expect.poll(focused).toBe(label)
  }
  // From another page, by another word, with the keyboard.
  await show('/')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('parallel')
  // Commands come first once the search has found nothing else.
  const option = page.getByRole('option', { name: 'Downloads at the same time' })
  await option.and(page.locator('[data-highlighted]')).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('downloads')
})

test('the connection is tested, and a support bundle is downloaded', async () => {
  const { page, show } = app()
  await show('/settings')
  await page.getByRole('button', { name: 'Test the connection' }).click()
  await page.getByText('Connected').waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Create a support bundle' }).click()
  expect((await downloading).suggestedFilename()).toMatch(/^solarchive-support-.*\.zip$/)
})

test('the licenses of third-party software are shown', async () => {
  const { page, show, expectAccessible } = app()
  await show('/settings?section=about')
  const marked = page.getByRole('navigation', { name: 'Settings sections' }).locator('[aria-current]')
  await expect.poll(() => marked.textContent()).toContain('About')
  // At 200% zoom the list of sections stays above them.
  await page.setViewportSize({ width: 720, height: 450 })
  await page.getByRole('button', { name: 'Third-party notices' }).scrollIntoViewIfNeeded()
  const first = page.getByRole('navigation', { name: 'Settings sections' }).getByRole('button', { name: 'Connection' })
  await first.click({ trial: true })
  expect((await first.boundingBox())?.y).toBeLessThan(150)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Third-party notices' }).click()
  const dialog = page.getByRole('dialog', { name: 'Third-party notices' })
  const notices = dialog.getByRole('region', { name: 'Notices' })
  await notices.waitFor()
  const text = (await notices.textContent()) ?? ''
  // Of what the command line, the pages, and PDF.js need.
  for (const name of ['better-sqlite3', '@vue/runtime-core', 'pdfjs-dist', 'tailwindcss', '@iconify-json/lucide']) {
    expect(text).toMatch(new RegExp(`^${name} \\d+\\.`, 'm'))
  }
  await expectAccessible(dialog)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})
