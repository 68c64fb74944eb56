import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withApp } from './support/with-app.ts'

const service = { projects: 1, checklistsPerProject: 1 }

test('settings are kept, and what the start decided is told and left alone', async () => {
  await withApp({ service }, async ({ page, show, home, expectAccessible }) => {
    await show('/settings')
    await page.getByRole('switch', { name: 'Rest every day' }).click()
    await expectAccessible()
    await page.getByLabel('Quiet hours begin').fill('21:30')
    await page.locator('#sync').getByRole('button', { name: 'Save' }).click()
    await expect
      .poll(() => JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8')) as unknown)
      .toMatchObject({ quietHours: { start: '21:30', end: '06:00' } })
    expect(await page.getByLabel('Service address').isDisabled()).toBe(true)
    expect(await page.getByText('Set when Solarchive was started').count()).toBeGreaterThan(0)
  })
})

test('the appearance is chosen once and stays', async () => {
  await withApp({ service }, async ({ page, show }) => {
    await show('/settings')
    await page.getByRole('radio', { name: 'Dark' }).click()
    await expect.poll(() => page.locator('html.dark').count()).toBe(1)
    await page.reload()
    await expect.poll(() => page.locator('html.dark').count()).toBe(1)
  })
})

test('the connection is tested, and a support bundle is downloaded', async () => {
  await withApp({ service }, async ({ page, show }) => {
    await show('/settings')
    await page.getByRole('button', { name: 'Test now' }).click()
    await page.getByText('Connected').waitFor()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Make a support bundle' }).click()
    expect((await downloading).suggestedFilename()).toMatch(/^solarchive-support-.*\.zip$/)
  })
})
