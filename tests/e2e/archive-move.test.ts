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
    },
  )
})
