import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { shareApp, withApp } from './support/with-app.ts'

const app = shareApp({
  isArchived: true,
  service: { projects: 1, checklistsPerProject: 60, photoQuestionsPerChecklist: 1, photosPerQuestion: 1 },
  // The host has a screen, so its file manager can be opened.
  env: { DISPLAY: ':99' },
})

test('a project lists its checklists with their state, and each opens', async () => {
  const { page, service, show, expectAccessible } = app()
  const [project] = service.projects
  await show(`/projects/${project?.id}`)
  const list = page.getByRole('region', { name: 'Checklists' })
  await list.getByText('Complete', { exact: true }).first().waitFor()
  await page.getByText(/of 60 checklists complete/).waitFor()
  // Everything known of them is archived, and the service has not completed them.
  await list
    .getByText(/^\d+ so far$/)
    .first()
    .waitFor()
  await expectAccessible()
  // The 51st is on the second page.
  await list.getByRole('link').first().focus()
  for (let row = 0; row < 55; row++) {
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focusedRow()).toBe(String(row + 1))
  }
  await page.keyboard.press('Enter')
  await page
    .getByRole('navigation', { name: 'Breadcrumbs' })
    .getByRole('link', { name: project?.name ?? '' })
    .waitFor()
  await page.getByRole('region', { name: 'Photos by question' }).waitFor()

  function focusedRow() {
    return page.evaluate<string | null>('document.activeElement.closest("[data-index]")?.getAttribute("data-index")')
  }
})

test('a project is removed after a confirmation that says its files stay', async () => {
  const { page, service, show, call, expectAccessible } = app()
  await show(`/projects/${service.projects[0]?.id}`)
  await page.getByRole('button', { name: 'More for this project' }).click()
  await page.getByRole('menuitem', { name: 'Show folder' }).waitFor()
  await expectAccessible(page.getByRole('menu'))
  await page.getByRole('menuitem', { name: 'Remove this project…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove this project?' })
  await dialog
    .getByText(/The \d+ files already archived stay in their folder\. Add the project again to resume\./)
    .waitFor()
  await expectAccessible(dialog)
  await dialog.getByRole('button', { name: 'Remove project' }).click()
  await page.locator('main h1', { hasText: 'Projects' }).waitFor()
  expect((await call('projects.list', {})).total).toBe(0)
})

/** Returns what the project's page says before the project is removed. */
async function removalText(page: Page): Promise<string | null> {
  await page.getByRole('button', { name: 'More for this project' }).click()
  await page.getByRole('menuitem', { name: 'Remove this project…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove this project?' })
  const text = await dialog.textContent()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  return text
}

test('a project of one file says before it is removed that the file stays', async () => {
  const service = {
    projects: 1,
    checklistsPerProject: 1,
    photoQuestionsPerChecklist: 0,
    statuses: ['completed'],
  } as const
  await withApp({ isArchived: true, service }, async ({ page, service, show }) => {
    await show(`/projects/${service.projects[0]?.id}`)
    expect(await removalText(page)).toContain(
      'The file already archived stays in its folder. Add the project again to resume.',
    )
  })
})

test('a project without checklists, an unknown one, and an unarchived one say what is next', async () => {
  await withApp(
    { isArchived: true, service: { projects: 1, checklistsPerProject: 0 } },
    async ({ page, service, show, call, expectAccessible }) => {
      await show(`/projects/${service.projects[0]?.id}`)
      await page.getByText('No checklists at the service').waitFor()
      await page.getByText('No checklists', { exact: true }).waitFor()
      expect(await removalText(page)).toContain('It has no files yet. Add the project again to resume.')
      await expectAccessible(page.getByRole('main'))
      await call('projects.add', { projects: [{ id: 'no-such-project' }] })
      await call('sync.now', { projectIds: ['no-such-project'] })
      await show('/projects/no-such-project')
      await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor()
      await expectAccessible(page.getByRole('main'))
      await show('/projects/never-heard-of')
      await page.getByText('This project is not archived').waitFor()
    },
  )
})
