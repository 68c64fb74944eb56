import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Page, Request } from 'playwright-core'
import { countOf } from '../../shared/format.ts'
import { shareApp } from './support/with-app.ts'

const app = shareApp({
  isArchived: true,
  service: { projects: 4, checklistsPerProject: 1, statuses: ['completed'] },
})

/** Until the first answer the list has empty rows as well. */
const rows = (page: Page) => page.getByRole('grid', { name: 'Projects' }).locator('[data-index][aria-busy="false"]')
const names = (page: Page) => rows(page).locator('a').allTextContents()

test('projects are searched, filtered, and sorted', async () => {
  const { page, service, show, call, expectAccessible } = app()
  await show('/projects')
  const sorted = service.projects.map(({ name }) => name).sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
  await expect.poll(() => names(page)).toEqual(sorted)
  await expectAccessible()

  await page.getByRole('button', { name: 'Project', exact: true }).click()
  await expect.poll(() => names(page)).toEqual(sorted.toReversed())
  await page.reload()
  await expect.poll(() => names(page)).toEqual(sorted.toReversed())

  const wanted = service.projects[2]
  await page.keyboard.press('/')
  await page.keyboard.type(wanted?.id.toUpperCase() ?? '')
  await expect.poll(() => names(page)).toEqual([wanted?.name])
  await page.getByRole('searchbox').fill('no project has this name')
  await page.getByRole('heading', { name: 'No project matches' }).waitFor()
  await expectAccessible(page.getByRole('main'))
  await page.getByRole('button', { name: 'Show all projects' }).click()
  await expect.poll(() => rows(page).count()).toBe(4)

  await call('projects.add', { projects: [{ id: 'nobody-knows-it', name: 'Lost residence' }] })
  await page.getByRole('combobox', { name: 'Show' }).click()
  await page.getByRole('option', { name: 'Needs attention' }).click()
  await expect.poll(() => names(page)).toEqual(['Lost residence'])
  await rows(page).getByText('Needs attention').waitFor()
  await call('projects.remove', { projectId: 'nobody-knows-it' })
})

test('the table is used by keyboard: rows, selection, opening', async () => {
  const { page, service, show, call, expectAccessible } = app()
  await show('/projects')
  await rows(page).first().waitFor()
  // The arrow keys need no focus in the list, and the search leads to its first row, or opens it.
  await page.evaluate('document.activeElement.blur()')
  await page.keyboard.press('ArrowDown')
  await rows(page).first().and(page.locator(':focus')).waitFor()
  const wanted = service.projects[2]
  const asked: string[] = []
  const record = (request: Request) => void asked.push(`${request.url()} ${request.postData() ?? ''}`)
  page.on('request', record)
  await page.keyboard.press('/')
  await page.keyboard.type(wanted?.name ?? '')
  // Enter that only confirms what an input method proposes.
  await page.getByRole('searchbox').dispatchEvent('keydown', { key: 'Enter', isComposing: true })
  await call('projects.list', {})
  const firstMatches = () => asked.filter((input) => /projects\.list .*"limit":1\b/.test(input)).length
  expect(firstMatches()).toBe(0)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: wanted?.name ?? '' }).waitFor()
  expect(firstMatches()).toBe(1)
  page.off('request', record)
  await show('/projects')
  await rows(page).nth(3).waitFor()
  await rows(page).first().focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press(' ')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press(' ')
  await page.getByText('2 projects selected').waitFor()
  expect(await rows(page).nth(1).getByRole('checkbox').isChecked()).toBe(true)
  expect(await rows(page).nth(1).getAttribute('aria-selected')).toBe('true')
  // A click that just misses a checkbox counts for it, and does not open the project.
  const box = await rows(page).nth(1).getByRole('checkbox').boundingBox()
  for (const [x, y, selected] of [
    [-6, 8, 1],
    [8, 22, 2],
  ] as const) {
    await page.mouse.click((box?.x ?? 0) + x, (box?.y ?? 0) + y)
    await page.getByText(`${countOf(selected, 'project')} selected`).waitFor()
  }
  await page.emulateMedia({ forcedColors: 'active' })
  const colors = await page.evaluate<string[]>(
    `[null, '::before'].map((part) => getComputedStyle(document.querySelector('.row-box:checked'), part).backgroundColor)`,
  )
  expect(new Set(colors).size, 'the mark is seen on its box').toBe(2)
  await page.emulateMedia({ forcedColors: null })
  // A hovered row is darker: its badges must stay readable.
  await rows(page).nth(3).hover()
  await expectAccessible(page.getByRole('main'))
  await page.keyboard.press('Control+a')
  await page.getByText('4 projects selected').waitFor()
  await page.getByRole('button', { name: 'Clear' }).press('Enter')
  await rows(page).nth(1).and(page.locator(':focus')).waitFor()
  await rows(page)
    .first()
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] })
  await page.getByText('1 project selected').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await rows(page).first().getByRole('checkbox').click()
  await rows(page)
    .nth(2)
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] })
  await page.getByText('3 projects selected').waitFor()

  // A range begins with the project that was chosen, wherever it is by then.
  await page.getByRole('button', { name: 'Clear' }).click()
  const before = await names(page)
  await rows(page).nth(1).getByRole('checkbox').click()
  await call('projects.add', { projects: [{ id: 'the-first-of-all', name: 'A first one' }] })
  await expect.poll(() => rows(page).count()).toBe(5)
  expect(await names(page)).toEqual([expect.stringContaining('A first one'), ...before])
  await rows(page)
    .nth(3)
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] })
  await page.getByText('2 projects selected').waitFor()
  await call('projects.remove', { projectId: 'the-first-of-all' })
  await expect.poll(() => rows(page).count()).toBe(4)
  await rows(page).first().focus()
  await page.keyboard.press('End')
  const last = await rows(page).last().locator('a').textContent()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toMatch(/\/projects\/[^/?]+$/)
  await page.goBack()
  await rows(page)
    .getByText(last ?? '')
    .waitFor()
})

test('a right click opens the menu of its row, also at the narrowest width with the wide sidebar', async () => {
  const { page, show, expectAccessible } = app()
  await page.setViewportSize({ width: 1024, height: 720 })
  await show('/projects')
  const second = rows(page).nth(1)
  const actions = second.getByRole('button', { name: /^Actions for/ })
  for (const shown of [page.getByRole('button', { name: 'Last synced' }), actions]) {
    const box = await shown.boundingBox()
    expect((box?.x ?? 1024) + (box?.width ?? 0)).toBeLessThanOrEqual(1024)
  }
  const name = second.locator('a')
  // A name is cut only after what other columns need.
  expect((await name.boundingBox())?.width).toBeGreaterThan(250)
  const clicked = await name.boundingBox()
  await name.click({ button: 'right' })
  const menu = page.getByRole('menu')
  await menu.getByRole('menuitem', { name: 'Copy folder path' }).waitFor()
  const opened = await menu.boundingBox()
  expect(Math.abs((opened?.x ?? 0) - (clicked?.x ?? 0) - (clicked?.width ?? 0) / 2)).toBeLessThan(12)
  await expectAccessible(menu)
  await menu.getByRole('menuitem', { name: 'Open' }).click()
  await expect.poll(() => page.url()).toMatch(/\/projects\/[^/?]+$/)

  // Checklists have one, too; the menu key opens it at the focused row.
  await page.getByRole('region', { name: 'Checklists' }).getByRole('link').first().focus()
  await page.keyboard.press('Shift+F10')
  await menu.getByRole('menuitem', { name: 'Copy folder path' }).waitFor()
  // The menu closes with its page.
  await page.goBack()
  await rows(page).first().waitFor()
  await menu.waitFor({ state: 'detached' })
  // A field keeps the menu of the browser.
  await show('/projects')
  await page.getByRole('searchbox').click({ button: 'right' })
  expect(await menu.count()).toBe(0)

  type Styles = { getComputedStyle(element: unknown): { readonly backgroundColor: string } }
  const tint = (row = 0) =>
    rows(page)
      .nth(row)
      .evaluate((row) => (globalThis as unknown as Styles).getComputedStyle(row).backgroundColor)
  await page.mouse.move(0, 0)
  const plain = await tint()
  await rows(page).first().getByRole('checkbox').click()
  await page.mouse.move(0, 0)
  const selected = await tint()
  await rows(page).nth(2).hover()
  const hovered = await tint(2)
  await rows(page).first().hover()
  expect(new Set([plain, selected, hovered, await tint()]).size).toBe(4)
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('removing projects asks for confirmation and keeps their files', async () => {
  const { page, archive, show, expectAccessible } = app()
  const folders = readdirSync(archive)
  await show('/projects')
  await rows(page)
    .first()
    .getByRole('button', { name: /^Actions for/ })
    .click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  const dialog = page.getByRole('dialog', { name: /^Remove / })
  await dialog.getByText('stay in the archive folder; add the project again').waitFor()
  await expectAccessible(dialog)
  await dialog.getByRole('button', { name: 'Keep' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await rows(page).count()).toBe(4)

  const actions = rows(page)
    .nth(1)
    .getByRole('button', { name: /^Actions for/ })
  await rows(page).nth(1).focus()
  await actions.focus()
  const isBack = () => actions.and(page.locator(':focus')).count()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Remove…' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(isBack).toBe(1)
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Remove…' }).waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(isBack).toBe(1)

  await page.getByRole('checkbox', { name: 'Select all listed projects' }).click()
  await page.getByText('4 projects selected').waitFor()
  await rows(page).first().getByRole('checkbox').click()
  await page.getByText('3 projects selected').waitFor()
  await rows(page).last().focus()
  await page.getByRole('toolbar').getByRole('button', { name: 'Remove…' }).click()
  await dialog.getByText('add the projects again to resume').waitFor()
  await page.getByRole('button', { name: 'Remove projects' }).click()
  // Before the rest, since it disappears by itself.
  await page.getByText('3 projects removed').first().waitFor()
  await expect.poll(() => rows(page).count()).toBe(1)
  await rows(page).first().and(page.locator(':focus')).waitFor()
  expect(readdirSync(archive)).toEqual(folders)
  expect(existsSync(archive)).toBe(true)
})

test('selected projects are synced together, except one that was removed meanwhile', async () => {
  const { page, service, show, call, untilArchived } = app()
  for (const { id } of (await call('projects.list', {})).items) await call('projects.remove', { projectId: id })
  await call('projects.add', { projects: service.projects.slice(0, 3).map(({ id, name }) => ({ id, name })) })
  await untilArchived()
  await show('/projects')
  await expect.poll(() => rows(page).count()).toBe(3)
  await page.getByRole('checkbox', { name: 'Select all listed projects' }).click()
  await page.getByText('3 projects selected').waitFor()
  const remove = async () => {
    const [first] = (await call('projects.list', {})).items
    await call('projects.remove', { projectId: first?.id ?? '' })
  }
  await remove()
  await page.getByRole('toolbar').getByRole('button', { name: 'Sync now' }).click()
  await page.getByText('Syncing 2 projects. 1 project is no longer in the list').first().waitFor()
  await page.getByText('2 projects selected').waitFor()
  await expect.poll(async () => (await call('overview', {})).sync).toMatchObject({ last: { ok: true } })
  await remove()
  await page.getByRole('toolbar').getByRole('button', { name: 'Remove…' }).click()
  await page.getByRole('button', { name: 'Remove projects' }).click()
  await page
    .getByText('1 project removed. The files stay in the archive folder. 1 project is no longer')
    .first()
    .waitFor()
  await page.getByRole('heading', { name: 'No projects yet' }).waitFor()
  expect((await call('projects.list', {})).total).toBe(0)
})
