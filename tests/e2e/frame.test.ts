import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { holdBack } from './support/hold-back.ts'
import { keepBusy } from './support/keep-busy.ts'
import { shareApp } from './support/with-app.ts'

const app = shareApp({
  isArchived: true,
  service: { projects: 2, checklistsPerProject: 1 },
  expectedMessages: /crash/,
})

test('every view is reached by keyboard, and the palette finds a project by its name', async () => {
  const { page, service, expectAccessible } = app()
  // With animations, as for most users.
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  for (const [key, title] of [
    ['p', 'Projects'],
    ['n', 'Attention'],
    ['a', 'Activity'],
    ['s', 'Settings'],
    ['o', 'Overview'],
  ] as const) {
    // Sent together, since the second one counts only for a moment.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press(key)])
    await page.locator('main h1', { hasText: title }).waitFor()
    expect(await page.title()).toBe(`${title} – Solarchive`)
  }
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await expectAccessible(page.getByRole('dialog'))
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  const name = service.projects[0]?.name ?? ''
  await page.keyboard.type(name.slice(0, 12))
  const option = page.getByRole('option', { name: new RegExp(escape(name.slice(0, 12))) })
  await option
    .filter({ has: page.locator('mark') })
    .and(page.locator('[data-highlighted]'))
    .waitFor()
  await expectAccessible(page.getByRole('dialog'))
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toContain('/projects/')
})

test('the keys of a page count by when they were pressed, however busy the window is', async () => {
  const { page, show } = app()
  await show('/projects')
  await page.getByRole('grid', { name: 'Projects' }).waitFor()
  await keepBusy(page, 'keydown', 2_000)
  await Promise.all([page.keyboard.press('g'), page.keyboard.press('s')])
  await page.locator('main h1', { hasText: 'Settings' }).waitFor()
})

test('a page that opens has the focus, unless one of its fields takes it', async () => {
  const { page, service, show } = app()
  const focusedElement = () => page.evaluate<string>('document.activeElement.id || document.activeElement.ariaLabel')
  await show('/projects')
  const row = page.getByRole('grid', { name: 'Projects' }).locator('[data-index="0"][aria-busy="false"]')
  await row.focus()
  await page.keyboard.press('Enter')
  const [project] = service.projects.toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
  await page.getByRole('heading', { name: project?.name ?? '', level: 1 }).waitFor()
  await expect.poll(focusedElement).toBe('main')
  expect(await page.getByRole('main', { name: 'Project', exact: true }).count()).toBe(1)
  await page.getByRole('main').getByRole('link', { name: 'Projects' }).click()
  await row.waitFor()
  await expect.poll(focusedElement).toBe('main')
  await row.focus()
  await page.goBack()
  await page.getByRole('heading', { name: project?.name ?? '', level: 1 }).waitFor()
  await expect.poll(focusedElement).toBe('main')
  await show('/search')
  await expect.poll(focusedElement).toBe('Search everything')
})

test('a dialog returns the focus to the button of the menu that opened it, and to nothing if nothing had it', async () => {
  const { page, show } = app()
  const focusedElement = () => page.evaluate<string>('document.activeElement.id || document.activeElement.ariaLabel')
  const dialog = page.getByRole('dialog')
  await show('/projects')
  const row = page.getByRole('grid', { name: 'Projects' }).locator('[data-index="0"][aria-busy="false"]')
  const actions = row.getByRole('button', { name: /^Actions for/ })
  const name = await actions.getAttribute('aria-label')
  for (const item of ['Remove…', 'Export…']) {
    await actions.click()
    await page.getByRole('menuitem', { name: item }).click()
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(focusedElement).toBe(name)
  }
  await page.getByRole('searchbox').click()
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('?')
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(focusedElement).toBe('main')
})

test('the palette has the letters that were typed before its field was there, and no key acts on the page', async () => {
  const { page, show } = app()
  await show('/projects')
  await page.getByRole('grid', { name: 'Projects' }).waitFor()
  const isEnterLeft = await page.evaluate(`(async () => {
    const press = async (key, ctrlKey = false) => {
      const event = new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true })
      const isLeft = document.body.dispatchEvent(event)
      await Promise.resolve()
      return isLeft
    }
    await press('k', true)
    await press('g')
    await press('o')
    return press('Enter')
  })()`)
  expect(isEnterLeft).toBe(false)
  const field = page.getByPlaceholder('Search everything')
  await expect.poll(() => field.inputValue()).toBe('go')
  await page.keyboard.type('ne')
  await expect.poll(() => field.inputValue()).toBe('gone')
  expect(page.url()).toContain('#/projects')
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
})

test('a palette that fades out runs no other row at the second click of a double click', async () => {
  const { page, show } = app()
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await show('/projects')
  await page.getByRole('grid', { name: 'Projects' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Search everything').fill('settings')
  await page.getByRole('option', { name: /^Settings/ }).waitFor()
  await page.evaluate(`(async () => {
    const option = (label) =>
      [...document.querySelectorAll('[role="option"]')].find(({ textContent }) => textContent.trim().startsWith(label))
    option('Settings').click()
    for (let turn = 0; turn < 5; turn += 1) await new Promise((next) => setTimeout(next))
    option('New order')?.click()
  })()`)
  await page.locator('main h1', { hasText: 'Settings' }).waitFor()
  await page.getByPlaceholder('Search everything').waitFor({ state: 'detached' })
  expect(page.url()).toContain('#/settings')
  await page.emulateMedia({ reducedMotion: 'reduce' })
})

test('the palette that is opened while a view is loading stays open', async () => {
  const { page, show } = app()
  await show('/projects')
  const held = await holdBack(page, ['**/assets/OrdersView-*.js'])
  await page.getByRole('link', { name: 'Orders' }).first().click()
  await held.until('OrdersView')
  await page.keyboard.press('Control+k')
  const field = page.getByPlaceholder('Search everything')
  await field.fill('settings')
  held.release('OrdersView')
  await expect.poll(() => page.url()).toContain('#/orders')
  await page.locator('main h1', { hasText: 'Orders' }).waitFor()
  expect(await field.inputValue()).toBe('settings')
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
})

test('the shortcuts open as soon as a dialog is closed, and from a checkbox', async () => {
  const { page, show } = app()
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await show('/projects')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await page.getByRole('button', { name: 'Add projects' }).click()
  await page.getByRole('dialog', { name: 'Add projects' }).waitFor()
  await page.keyboard.press('Escape')
  // It fades out.
  await page.locator('[role=dialog][data-state=open]').waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await dialog.getByText('Open the menu of the row').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: 'Select all listed projects' }).focus()
  await page.keyboard.press('?')
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('searchbox').focus()
  await page.keyboard.press('?')
  expect(await page.getByRole('searchbox').inputValue()).toBe('?')
  await page.getByRole('searchbox').fill('')
})

test('letters in an open selection or menu are no shortcuts', async () => {
  const { page, service, show } = app()
  const leave = () => Promise.all([page.keyboard.press('g'), page.keyboard.press('a')])
  await show('/search?q=roof')
  const kind = page.getByRole('combobox', { name: 'Kind' })
  await kind.click()
  const list = page.locator('[role=listbox][data-state=open]')
  await list.waitFor()
  await leave()
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  expect(page.url()).toContain('#/search?q=roof')

  const path = `/projects/${service.projects[0]?.id}`
  await show(path)
  await page.getByRole('button', { name: 'More for this project' }).click()
  const menu = page.getByRole('menu')
  await menu.waitFor()
  await leave()
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  expect(page.url()).toContain(`#${path}`)
  await leave()
  await page.locator('main h1', { hasText: 'Activity' }).waitFor()
})

test('shortcuts of a single key can be turned off, and on again from the palette', async () => {
  const { page, show } = app()
  await show('/projects')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  const field = page.getByPlaceholder('Search everything')
  const choice = dialog.getByRole('switch', { name: 'Single-key shortcuts' })
  await page.keyboard.press('?')
  await choice.click()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('grid', { name: 'Projects' }).waitFor()
  for (const key of ['g', 'a', '/', '?', 'Control+k']) await page.keyboard.press(key)
  await field.waitFor()
  expect(page.url()).toContain('#/projects')
  expect(await dialog.count()).toBe(0)
  await page.keyboard.type('keyboard short')
  await page.getByRole('option', { name: 'Keyboard shortcuts' }).click()
  await choice.click()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await Promise.all([page.keyboard.press('g'), page.keyboard.press('a')])
  await page.locator('main h1', { hasText: 'Activity' }).waitFor()
})

/** Returns the tag and label of what has the focus, and its outline. */
const focused = `(() => {
  const { activeElement } = document
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(activeElement)
  const label = activeElement === document.body ? '' : activeElement.ariaLabel ?? activeElement.textContent.trim()
  return [(activeElement.localName + ' ' + label).trim(), [outlineStyle, outlineWidth, outlineColor].join(' ')]
})()`

test('every control in the tab order has the same focus ring, light and dark; scrollbars are thin', async () => {
  const { page, show } = app()
  for (const [colorScheme, ring] of [
    ['light', 'oklch(0.555 0.163 48.998)'],
    ['dark', 'oklch(0.828 0.189 84.429)'],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const [path, title] of [
      ['/projects', 'Projects'],
      ['/settings', 'Settings'],
      ['/orders', 'Orders'],
    ] as const) {
      await show(path)
      // Before, the page that is left has the focus, and gives it up.
      await page.locator('main h1', { hasText: title }).waitFor()
      const widths = '[...document.querySelectorAll("*")].map((one) => getComputedStyle(one).scrollbarWidth)'
      expect(await page.evaluate(`[...new Set(${widths})]`)).toEqual(['thin'])
      const [controls, others] = [new Set<string>(), new Set<string>()]
      for (let step = 0; step < 30; step++) {
        await page.keyboard.press('Tab')
        const [element, outline] = await page.evaluate<[string, string]>(focused)
        // After the last control, nothing has the focus.
        if (element === 'body') continue
        if (outline === `solid 2px ${ring}`) controls.add(element)
        else others.add(`${element}: ${outline}`)
      }
      expect([...others], `${colorScheme} ${path}`).toEqual([])
      expect(controls.size).toBeGreaterThan(5)
    }
  }
})

/** Returns the contrast of the outline of the page's search field with the page and with its other surface. */
const outlineContrasts = `(() => {
  const field = document.querySelector('main input[type="search"]')
  const [, ring] = /([a-z]+\\([^)]*\\)) 0px 0px 0px 1px inset/.exec(getComputedStyle(field).boxShadow)
  const probe = document.createElement('div')
  document.body.append(probe)
  const surfaces = ['--ui-bg', '--ui-bg-elevated'].map((name) => {
    probe.style.backgroundColor = 'var(' + name + ')'
    return getComputedStyle(probe).backgroundColor
  })
  probe.remove()
  const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', {
    willReadFrequently: true,
  })
  const luminance = (color) => {
    context.fillStyle = color
    context.fillRect(0, 0, 1, 1)
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((value) => (value / 255) ** 2.2)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  return surfaces.map((surface) => {
    const [darker, lighter] = [luminance(ring), luminance(surface)].sort((a, b) => a - b)
    return (lighter + 0.05) / (darker + 0.05)
  })
})()`

test('an empty field is outlined by 3:1, light and dark', async () => {
  const { page, show } = app()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await show('/projects')
    await page.getByRole('searchbox').waitFor()
    for (const contrast of await page.evaluate<number[]>(outlineContrasts))
      expect(contrast, colorScheme).toBeGreaterThanOrEqual(3)
  }
})

test('a lost connection shows the next step; after a restart the page says what to do and resumes', async () => {
  const { page, stop, startAgain } = app()
  await stop()
  await page.getByText('Connection to Solarchive lost').waitFor()
  const address = await startAgain()
  await page
    .getByText('This browser is not logged in. Solarchive was restarted, or the session has ended. Open the address')
    .waitFor()
  expect(await page.getByText('Connection to Solarchive lost').count()).toBe(0)
  const other = await page.context().newPage()
  await other.goto(address)
  await other.locator('main h1').waitFor()
  await page.getByText('This browser is not logged in').waitFor({ state: 'detached' })
  await other.close()
})

test('a connection that is lost before it is established is shown as well', async () => {
  const { page, stop, startAgain } = app()
  await page.reload({ waitUntil: 'commit' })
  await page.locator('main h1').waitFor()
  await stop()
  await page.getByText('Connection to Solarchive lost').waitFor()
  await page.goto(await startAgain())
  // The address redirects to the app.
  await page.locator('main h1').waitFor()
})

test('eight tabs of one browser all respond and receive events, even after the first tab crashed', async () => {
  const { page, origin, call } = app()
  const others = await Promise.all(
    Array.from({ length: 7 }, async () => {
      const other = await page.context().newPage()
      await other.goto(`${origin}/#/activity`)
      return other
    }),
  )
  const expectPaused = (tabs: readonly Page[], isPaused: boolean) =>
    Promise.all(
      tabs.map((tab) =>
        tab
          .locator('aside')
          .getByText('Paused')
          .waitFor({ state: isPaused ? 'visible' : 'detached' }),
      ),
    )
  for (const tab of others) await tab.locator('ol li p').first().waitFor()
  await call('watch.pause', { length: 'hour' })
  await expectPaused([page, ...others], true)
  for (const tab of others) await tab.getByText(/^Syncing paused until/).waitFor()

  await page.goto('chrome://crash').catch(() => undefined)
  await call('watch.resume', {})
  await expectPaused(others, false)
})

function escape(text: string): string {
  return text.replace(/[^\w ]/g, '\\$&')
}
