import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { shareApp, withApp } from './support/with-app.ts'

const app = shareApp({
  isArchived: true,
  service: { projects: 4, checklistsPerProject: 1, statuses: ['completed'] },
})

const rows = (page: Page) => page.getByRole('grid', { name: 'Projects' }).locator('[data-index]')
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
  const { page, show, expectAccessible } = app()
  await show('/projects')
  await rows(page).first().focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press(' ')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press(' ')
  await page.getByText('2 projects selected').waitFor()
  expect(await rows(page).nth(1).getByRole('checkbox').isChecked()).toBe(true)
  expect(await rows(page).nth(1).getAttribute('aria-selected')).toBe('true')
  // A hovered row is darker: its badges must stay readable.
  await rows(page).nth(3).hover()
  await expectAccessible(page.getByRole('main'))
  await page.keyboard.press('Control+a')
  await page.getByText('4 projects selected').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await rows(page).first().getByRole('checkbox').click()
  await rows(page)
    .nth(2)
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] })
  await page.getByText('3 projects selected').waitFor()
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
  await dialog.getByText('stay in the archive folder').waitFor()
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
  await page.getByRole('toolbar').getByRole('button', { name: 'Remove…' }).click()
  await page.getByRole('button', { name: 'Remove projects' }).click()
  await expect.poll(() => rows(page).count()).toBe(1)
  await page.getByText('3 projects removed').first().waitFor()
  expect(readdirSync(archive)).toEqual(folders)
  expect(existsSync(archive)).toBe(true)
})

test('selected projects are synced together, except one that was removed meanwhile', async () => {
  await withApp(
    { isArchived: true, service: { projects: 3, checklistsPerProject: 1 } },
    async ({ page, show, call }) => {
      await show('/projects')
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
    },
  )
})
