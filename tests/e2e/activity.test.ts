import { expect, test } from 'vitest'
import { withApp } from './support/with-app.ts'

test('what happens is listed as it happens, newest first, and leads to its project', async () => {
  const completed = { projects: 2, checklistsPerProject: 2, statuses: ['completed' as const] }
  await withApp(
    { service: completed },
    async ({ page, service: { projects }, show, untilArchived, call, expectAccessible }) => {
      await show('/activity')
      await untilArchived()
      await page
        .getByText(/^Complete: \d+ files archived/)
        .first()
        .waitFor()
      await expectAccessible()
      await call('watch.pause', { length: 'hour' })
      await expect.poll(() => page.locator('ol li p').first().textContent()).toContain('Syncing paused until')
      await page.getByRole('tab', { name: 'Verify' }).click()
      await page.getByText('Nothing of this kind has happened yet.').waitFor()
      await page.getByRole('button', { name: 'Show all' }).click()
      const name = projects[0]?.name ?? ''
      await page.getByRole('link', { name, exact: true }).first().click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
    },
  )
})

test('who does not follow is told how much is new', async () => {
  await withApp({ service: { projects: 1, checklistsPerProject: 1 } }, async ({ page, show, untilArchived, call }) => {
    await untilArchived()
    await show('/activity')
    await page.getByRole('switch', { name: 'Follow' }).click()
    await call('watch.pause', { length: 'resumed' })
    await page.getByRole('button', { name: '1 new entry' }).click()
    await page.getByText('Syncing paused', { exact: true }).waitFor()
  })
})
