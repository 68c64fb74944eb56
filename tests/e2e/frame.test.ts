import { expect, test } from 'vitest'
import { withApp } from './support/with-app.ts'

test('every view is reached by keyboard, and the palette finds a project by its name', async () => {
  await withApp(
    { service: { projects: 2, checklistsPerProject: 1 } },
    async ({ page, service, untilArchived, expectAccessible }) => {
      await untilArchived()
      for (const [key, title] of [
        ['p', 'Projects'],
        ['n', 'Attention'],
        ['a', 'Activity'],
        ['s', 'Settings'],
        ['o', 'Overview'],
      ] as const) {
        await page.keyboard.press('g')
        await page.keyboard.press(key)
        await page.locator('main h1', { hasText: title }).waitFor()
      }
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
      await expectAccessible()
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+k')
      const name = service.projects[0]?.name ?? ''
      await page.keyboard.type(name.slice(0, 12))
      await page
        .getByRole('option', { name: new RegExp(escape(name.slice(0, 12))) })
        .first()
        .waitFor()
      await expectAccessible()
      await page.keyboard.press('Enter')
      await expect.poll(() => page.url()).toContain('/projects/')
    },
  )
})

test('a lost connection to Solarchive is told, with what happens next', async () => {
  await withApp(
    { service: { projects: 1, checklistsPerProject: 1 }, expectedMessages: /Failed to load resource|ERR_/ },
    async ({ page, stop }) => {
      await stop()
      await page.getByText('Connection to Solarchive lost').waitFor()
    },
  )
})

function escape(text: string): string {
  return text.replace(/[^\w ]/g, '\\$&')
}
