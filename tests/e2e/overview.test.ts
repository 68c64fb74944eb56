import { expect, test } from 'vitest'
import { withApp } from './support/with-app.ts'

test('without projects the overview leads to adding them', async () => {
  await withApp({ addsProjects: false }, async ({ page, expectAccessible }) => {
    await page.getByRole('heading', { name: 'No projects yet' }).waitFor()
    await expectAccessible()
    await page.getByRole('main').getByRole('link', { name: 'Add projects' }).click()
    await page.getByRole('dialog', { name: 'Add projects' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(page.url()).not.toContain('add')
  })
})

test('the overview shows what the sync does, and pauses, resumes and verifies', async () => {
  await withApp(
    { service: { projects: 2, checklistsPerProject: 1, statuses: ['completed'] } },
    async ({ page, call, untilArchived, expectAccessible }) => {
      await untilArchived()
      const main = page.getByRole('main')
      await main.getByText('Watching for changes').waitFor()
      const { counts } = await call('overview', {})
      await main.getByRole('region', { name: 'Archive' }).getByText(String(counts.files), { exact: true }).waitFor()
      await main.getByText('No project and no file has a problem.').waitFor()

      await main.getByRole('button', { name: 'Pause' }).click()
      await page.getByRole('menuitem', { name: 'Until I resume' }).click()
      await main.getByText('Until you resume').waitFor()
      await page.getByRole('menu').waitFor({ state: 'detached' })
      await expectAccessible()
      await main.getByRole('button', { name: 'Resume' }).click()
      await main.getByText('Watching for changes').waitFor()

      await main.getByRole('button', { name: 'Sync now' }).click()
      await main.getByText(/Last sync you started: just now, nothing new/).waitFor()

      await main.getByRole('region', { name: 'Verify' }).getByRole('button', { name: 'Verify' }).click()
      await page.getByRole('menuitem', { name: 'Verify and repair' }).click()
      await main.getByText('All as archived').waitFor()
      await expectAccessible()
    },
  )
})

test('a project that the service does not know stands first in the overview, with its reason', async () => {
  await withApp({ service: { projects: 1, checklistsPerProject: 1 } }, async ({ page, call, expectAccessible }) => {
    await call('projects.add', { projects: [{ id: 'nobody-knows-it', name: 'Lost residence' }] })
    const attention = page.getByRole('region', { name: 'Needs attention' })
    await attention.getByRole('link', { name: 'Lost residence' }).waitFor()
    await expectAccessible()
    await attention.getByRole('link', { name: 'Show all that needs attention' }).click()
    await page.getByRole('heading', { name: '1 project could not be synced' }).waitFor()
    await expectAccessible()
    await page.getByRole('main').getByRole('link', { name: 'Lost residence' }).click()
    await expect.poll(() => page.url()).toContain('/projects/nobody-knows-it')
  })
})
