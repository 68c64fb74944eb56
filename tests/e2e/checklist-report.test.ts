import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { withApp, type App } from './support/with-app.ts'

const oneChecklist = { projects: 1, checklistsPerProject: 1 } as const
const report = (page: Page) => page.getByRole('region', { name: 'Report', exact: true })

async function openChecklist({ service, show }: App): Promise<void> {
  const [project] = service.projects
  await show(`/projects/${project?.id}/checklists/${project?.checklists[0]?.id}`)
}

test('the report opens beside the photos, is searched, zoomed and paged, and is fetched in parts', async () => {
  await withApp(
    // Large enough that one range does not hold all of it.
    { service: { ...oneChecklist, statuses: ['completed'], reportBytes: 3_000_000 } },
    async (app) => {
      const { page, untilArchived, expectAccessible } = app
      const statuses: number[] = []
      page.on('response', (response) => {
        if (/\/files\/\d+$/.test(response.url()) && response.headers()['content-type'] === 'application/pdf') {
          statuses.push(response.status())
        }
      })
      await untilArchived()
      await openChecklist(app)
      await report(page).locator('canvas').first().waitFor()
      // What every report of a fixed size says on its one page.
      const title = 'Checklist report'
      await report(page).getByText(title).first().waitFor()
      expect(statuses.filter((status) => status === 206).length).toBeGreaterThan(0)

      const sheet = report(page).locator('.page').first()
      const width = async () => (await sheet.boundingBox())?.width ?? 0
      const fitted = await width()
      await page.getByRole('button', { name: 'Zoom in' }).click()
      await expect.poll(width).toBeGreaterThan(fitted * 1.1)
      await page.getByRole('button', { name: 'Fit the width' }).click()
      await expect.poll(async () => Math.abs((await width()) - fitted)).toBeLessThan(2)

      await report(page).focus()
      await page.keyboard.press('Control+f')
      await page.keyboard.type(title.slice(0, 5))
      await page
        .getByRole('status')
        .getByText(/^1 of \d+$/)
        .waitFor()
      await report(page).locator('.highlight.selected').first().waitFor()
      await expectAccessible()
      await page.keyboard.press('Enter')
      await page
        .getByRole('search')
        .getByText(/^(2 of \d+|1 of 1)$/)
        .waitFor()
      await page.keyboard.press('Control+A')
      await page.keyboard.type('nowhere in it')
      await page.getByRole('search').getByText('Not found').waitFor()
      await page.keyboard.press('Escape')

      await page.getByRole('button', { name: 'Page thumbnails' }).click()
      const pages = page.getByRole('navigation', { name: 'Pages of the report' })
      await pages.getByRole('button', { name: 'Page 1', exact: true }).waitFor()
      await expectAccessible()
    },
  )
})

test('a narrow window shows the report as a tab, and the width of the pane is remembered', async () => {
  await withApp({ service: { ...oneChecklist, statuses: ['completed'] } }, async (app) => {
    const { page, untilArchived, expectAccessible } = app
    await untilArchived()
    await openChecklist(app)
    const handle = page.getByRole('separator', { name: 'Width of the report' })
    await handle.focus()
    const before = Number(await handle.getAttribute('aria-valuenow'))
    await page.keyboard.press('ArrowRight')
    await expect.poll(async () => Number(await handle.getAttribute('aria-valuenow'))).toBeLessThan(before)
    const chosen = await handle.getAttribute('aria-valuenow')
    await page.reload()
    await expect.poll(() => handle.getAttribute('aria-valuenow')).toBe(chosen)

    await page.setViewportSize({ width: 900, height: 600 })
    await page.getByRole('button', { name: 'Report', exact: true }).click()
    await report(page).locator('canvas').first().waitFor()
    expect(await page.getByRole('region', { name: 'Photos by question' }).isVisible()).toBe(false)
    await expectAccessible()
    await page.getByRole('button', { name: 'Photos', exact: true }).click()
    await page.locator('[data-openable="0"]').waitFor()
  })
})

test('where there is no report, the pane says why', async () => {
  await withApp(
    {
      service: {
        ...oneChecklist,
        photoQuestionsPerChecklist: 1,
        photosPerQuestion: 3,
        statuses: ['pdfProcessingFailed'],
      },
    },
    async (app) => {
      const { page, service, call, untilArchived, expectAccessible } = app
      await untilArchived()
      await openChecklist(app)
      await page.getByText('The service could not make the report').waitFor()
      await expectAccessible()
      const [project] = service.projects
      service.setStatus(project?.checklists[0]?.id ?? '', 'pdfProcessing')
      await call('sync.now', {})
      await page.getByText('The service is making the report').waitFor()
    },
  )
})
