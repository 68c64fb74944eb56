import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { withApp, type TestApp } from './support/with-app.ts'

const oneChecklist = { projects: 1, checklistsPerProject: 1 } as const
const report = (page: Page) => page.getByRole('region', { name: 'Report', exact: true })

async function openChecklist({ service, show }: TestApp): Promise<void> {
  const [project] = service.projects
  await show(`/projects/${project?.id}/checklists/${project?.checklists[0]?.id}`)
}

test('the report opens beside the photos, can be searched, zoomed, and paged, and is loaded in ranges', async () => {
  await withApp(
    // Too large for one range.
    { isArchived: true, service: { ...oneChecklist, statuses: ['completed'], reportBytes: 3_000_000 } },
    async (app) => {
      const { page, expectAccessible } = app
      const statuses: number[] = []
      page.on('response', (response) => {
        if (
          /\/files\/\d+\?key=[\w-]+&v=\w+$/.test(response.url()) &&
          response.headers()['content-type'] === 'application/pdf'
        ) {
          statuses.push(response.status())
        }
      })
      await openChecklist(app)
      await report(page).locator('canvas').first().waitFor()
      // The text on the one page of every report of a fixed size.
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
      await expectAccessible(report(page))
      await page.keyboard.press('Enter')
      await page
        .getByRole('search')
        .getByText(/^(2 of \d+|1 of 1)$/)
        .waitFor()
      await page.keyboard.press('Control+A')
      await page.keyboard.type('nowhere in it')
      await page.getByRole('search').getByText('Not found').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Search in the report' }).and(page.locator(':focus')).waitFor()

      await page.getByRole('button', { name: 'Page previews' }).click()
      const pages = page.getByRole('navigation', { name: 'Pages of the report' })
      await pages.getByRole('button', { name: 'Page 1', exact: true }).waitFor()
      await expectAccessible(report(page))
    },
  )
})

test('a report is paged, shown as a tab in a narrow window, and the width of its pane is remembered', async () => {
  // A report of the service has several pages.
  const service = { ...oneChecklist, statuses: ['completed'], photoBytes: 4000, photoQuestionsPerChecklist: 2 } as const
  await withApp({ isArchived: true, service, isLifelike: true }, async (app) => {
    const { page, expectAccessible } = app
    await openChecklist(app)
    const number = page.getByRole('toolbar', { name: 'Report' }).getByRole('textbox')
    await report(page).locator('canvas').first().waitFor()
    await number.fill('2')
    await number.press('Enter')
    const second = report(page).locator('.page[data-page-number="2"]')
    const pane = await report(page).boundingBox()
    const top = async () => (((await second.boundingBox())?.y ?? 0) - (pane?.y ?? 0)) / (pane?.height ?? 1)
    await expect.poll(async () => Math.abs(await top())).toBeLessThan(0.25)
    await page.getByRole('button', { name: 'Page previews' }).click()
    const thumbnails = page.getByRole('navigation', { name: 'Pages of the report' })
    await thumbnails.getByRole('button', { name: 'Page 1', exact: true }).click()
    await expect.poll(() => number.inputValue()).toBe('1')
    await number.fill('0')
    await number.press('Enter')
    await expect.poll(() => number.inputValue()).toBe('1')
    await page.getByRole('button', { name: 'Page previews' }).click()
    const handle = page.getByRole('separator', { name: 'Report width' })
    await handle.focus()
    const before = Number(await handle.getAttribute('aria-valuenow'))
    await page.keyboard.press('ArrowRight')
    await expect.poll(async () => Number(await handle.getAttribute('aria-valuenow'))).toBeLessThan(before)
    const chosen = await handle.getAttribute('aria-valuenow')
    expect(await isLeft(page, { key: 'ArrowLeft', altKey: true })).toBe(true)
    await page.locator('[data-openable="0"]').focus()
    expect(await isLeft(page, { key: 'ArrowLeft', altKey: true })).toBe(true)
    expect(await isLeft(page, { key: 'ArrowLeft' })).toBe(false)
    const counting = await page.addInitScript(countUnnamedPages)
    await page.reload()
    await counting.dispose()
    await expect.poll(() => handle.getAttribute('aria-valuenow')).toBe(chosen)
    await report(page).locator('canvas').first().waitFor()
    const count = await report(page).locator('.page').count()
    expect(await page.evaluate('pagesSeen')).toEqual({ named: count, unnamed: 0 })

    await page.setViewportSize({ width: 900, height: 600 })
    await page.getByRole('button', { name: 'Report', exact: true }).click()
    await report(page).locator('canvas').first().waitFor()
    expect(await page.getByRole('region', { name: 'Photos by question' }).isVisible()).toBe(false)
    await expectAccessible()
    await page.getByRole('button', { name: 'Photos', exact: true }).click()
    await page.locator('[data-openable="0"]').waitFor()
  })
})

/** Sends a key to the focused element. Resolves to true if it is left to the browser. */
const isLeft = (page: Page, key: object) =>
  page.evaluate<boolean>(
    `document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { ...${JSON.stringify(key)}, bubbles: true, cancelable: true }))`,
  )

/** Counts the pages as they are added to the document: those with a name for screen readers, and those without. */
const countUnnamedPages = `
  globalThis.pagesSeen = { named: 0, unnamed: 0 }
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (node.nodeType !== Node.ELEMENT_NODE || !node.matches('.page[role="region"]')) continue
      pagesSeen[node.ariaLabel === 'Page ' + node.dataset.pageNumber ? 'named' : 'unnamed'] += 1
    }
  }).observe(document, { childList: true, subtree: true })`

test('without a report, the pane says why', async () => {
  await withApp(
    {
      isArchived: true,
      service: {
        ...oneChecklist,
        photoQuestionsPerChecklist: 1,
        photosPerQuestion: 3,
        statuses: ['pdfProcessingFailed'],
      },
    },
    async (app) => {
      const { page, service, call, expectAccessible } = app
      await openChecklist(app)
      await page.getByText('The service could not create the report').waitFor()
      await expectAccessible(page.getByRole('main'))
      const [project] = service.projects
      service.setStatus(project?.checklists[0]?.id ?? '', 'pdfProcessing')
      await call('sync.now', {})
      await page.getByText('The service is creating the report').waitFor()
    },
  )
})
