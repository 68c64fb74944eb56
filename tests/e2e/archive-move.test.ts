import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withApp } from './support/with-app.ts'

test('a move that waits for a drive is shown on every view with what it means, and can be undone', async () => {
  await withApp(
    {
      service: { projects: 1, checklistsPerProject: 1 },
      env: { SOLARCHIVE_ARCHIVE: undefined },
      prepare({ home, archive }) {
        for (const folder of [home, archive]) mkdirSync(folder, { recursive: true })
        const record = {
          from: archive,
          to: `${archive} 2`,
          folders: ['A house [000001]'],
          renamed: [],
          phase: 'renaming',
        }
        writeFileSync(join(home, 'settings.json'), JSON.stringify({ archiveFolder: archive }))
        writeFileSync(join(home, 'archive-move.json'), JSON.stringify(record))
      },
    },
    async ({ page, show, archive, untilArchived, expectAccessible }) => {
      const banner = page.getByRole('status').filter({ hasText: 'The move of the archive is not finished.' })
      for (const path of ['/', '/projects', '/attention', '/activity', '/settings']) {
        await show(path)
        await banner.getByText('nothing is synced and the archive is read-only').waitFor()
        await page.getByRole('complementary').getByText('Move not finished').waitFor()
      }
      await expectAccessible(banner)
      expect(await banner.textContent()).toContain(`${archive} 2`)
      expect(await page.getByRole('button', { name: 'Move to another folder' }).count()).toBe(0)

      await banner.getByRole('button', { name: 'Resume the move' }).click()
      await banner.getByText(/^Reason: /).waitFor()
      await banner.getByRole('button', { name: 'Undo the move' }).click()
      await banner.waitFor({ state: 'detached' })
      await page.getByText('The move was stopped. The archive is where it was').waitFor()
      await untilArchived()
      await page.getByRole('complementary').getByText('Watching for changes').waitFor()

      // The dialog of the next move says what it costs before a folder is chosen.
      await page.getByRole('button', { name: 'Move to another folder' }).click()
      const dialog = page.getByRole('dialog', { name: 'Move the archive' })
      const folder = dialog.getByLabel('New folder')
      await expect.poll(() => folder.and(page.locator(':focus')).count()).toBe(1)
      await dialog
        .getByText(/^The size of the archive is [\d.]+ [kKMG]?B\. A move takes seconds on the same disk/)
        .waitFor()
      await page.keyboard.type(`${archive} 3`)
      await dialog.getByText('This folder is on the same disk: the move takes seconds.').waitFor()
      await expectAccessible(dialog)
      // The answer to the call arrives after the end of the move.
      const moved = page.getByText(/Moved \d+ files/)
      await page.route('**/api/call/archive.move', async (route) => {
        const response = await route.fetch()
        await moved.waitFor()
        await route.fulfill({ response })
      })
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'detached' })
      await moved.waitFor()
    },
  )
})
