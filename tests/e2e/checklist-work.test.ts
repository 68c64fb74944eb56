import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { photosOf, type SampleChecklist } from '../../electron/sample-service/site/site-types.ts'
import { readZip } from '../support/read-zip.ts'
import { shareApp } from './support/with-app.ts'

// One project with realistic questions: the first checklist is completed, the second waits for photos.
const app = shareApp({
  isArchived: true,
  service: { projects: 1, checklistsPerProject: 2, statuses: ['completed', 'awaitingMedia'], awkwardNames: false },
})

function checklistAt(index: number): SampleChecklist {
  const checklist = app().service.projects[0]?.checklists[index]
  if (checklist === undefined) throw new Error('There is no checklist')
  return checklist
}

/** Opens a checklist, with a print dialog that counts how often it is opened. */
async function openChecklist(index: number): Promise<SampleChecklist> {
  const checklist = checklistAt(index)
  await app().show(`/projects/${checklist.projectId}/checklists/${checklist.id}`)
  await app().page.evaluate('globalThis.printed = 0; window.print = () => void (globalThis.printed += 1)')
  await tile(0).locator('img').waitFor()
  return checklist
}

const tile = (openable: number) => app().page.locator(`[data-openable="${openable}"]`)
const grid = () => app().page.getByRole('region', { name: 'Photos by question' })
const selection = () => app().page.getByRole('toolbar', { name: 'Selected photos' })
const untilPrinted = (page: Page) => expect.poll(() => page.evaluate<number>('globalThis.printed')).toBe(1)

/** The page as a printer gets it. */
async function onPaper(page: Page, look: (sheet: Locator) => Promise<void>): Promise<void> {
  const sheet = page.locator('.print-sheet')
  await page.emulateMedia({ media: 'print' })
  await sheet.waitFor()
  expect(await page.locator('#app').isVisible()).toBe(false)
  await look(sheet)
  await page.emulateMedia({ media: 'screen' })
  expect(await sheet.isVisible()).toBe(false)
  await page.evaluate("window.dispatchEvent(new Event('afterprint'))")
  await sheet.waitFor({ state: 'detached' })
}

test('answers are in the tree, among the photos, and on paper; the title of a section stays in view', async () => {
  const { page, expectAccessible } = app()
  const { sections } = await openChecklist(0)
  const answered = sections.flatMap(({ questions }) => questions).find(({ answer }) => answer !== null)
  const text = answered?.answer ?? ''
  await page.getByRole('navigation', { name: 'Questions' }).getByText(text, { exact: true }).waitFor()
  await grid().getByText(text, { exact: true }).waitFor()
  expect(await grid().getByText('No photos needed').count()).toBe(0)
  await expectAccessible(page.getByRole('main'))

  const title = grid().locator('> [aria-hidden="true"]')
  expect(await title.textContent()).toBe(sections[0]?.label)
  const [first, second] = sections
  const entry = (first?.questions.length ?? 0) + 1
  await page.getByRole('navigation', { name: 'Questions' }).getByRole('button').nth(entry).click()
  await expect.poll(() => title.textContent()).toBe(second?.label)
  expect((await title.boundingBox())?.y).toBe((await grid().boundingBox())?.y)

  await page.getByRole('toolbar', { name: 'Photos', exact: true }).getByRole('button', { name: 'Print' }).click()
  await page.getByRole('menuitem', { name: 'Print all sections' }).click()
  await untilPrinted(page)
  await onPaper(page, async (sheet) => {
    expect(await sheet.getByRole('heading', { level: 2 }).allTextContents()).toEqual(sections.map(({ label }) => label))
    await sheet.getByText(text, { exact: true }).waitFor()
    expect(await sheet.locator('img').count()).toBe(photosOf(checklistAt(0)).length)
  })
})

test('photos are selected by mouse and by keyboard, downloaded as one zip, and their paths are copied', async () => {
  const { page, expectAccessible } = app()
  const checklist = await openChecklist(0)
  const total = photosOf(checklist).length
  const count = (selected: number) => selection().getByText(`${selected} selected`).waitFor()
  await tile(0).hover()
  await page.getByRole('checkbox').first().click()
  await count(1)
  await tile(2).click({ modifiers: ['Shift'] })
  await count(3)
  await tile(1).click({ modifiers: ['ControlOrMeta'] })
  await count(2)
  expect(await page.getByRole('dialog').count()).toBe(0)
  await expectAccessible(page.getByRole('main'))

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    selection().getByRole('button', { name: 'Download copies' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^\w.* - \w.*\.zip$/)
  const files = await readZip(readFileSync(await download.path()))
  expect([...files.keys()]).toEqual([
    expect.stringMatching(/^01 .+ - \d\d .+ - .+\.jpg$/),
    expect.stringMatching(/^01 .+ - \d\d .+ - .+\.jpg$/),
  ])
  await selection().getByRole('button', { name: 'Copy paths' }).click()
  await page.getByText('2 paths copied', { exact: true }).waitFor()

  // The focus is on a button of the toolbar: the keys of the photos work there, too.
  await page.keyboard.press('ControlOrMeta+a')
  await count(total)
  await page.keyboard.press('Escape')
  await selection().waitFor({ state: 'detached' })
  await tile(0).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+ArrowRight')
  await count(2)
  await page.keyboard.press('ControlOrMeta+a')
  await count(total)
  await selection().getByRole('button', { name: 'Clear selection' }).click()
  await tile(0).click()
  await page.getByRole('dialog', { name: 'Photos' }).waitFor()
  await page.keyboard.press('Escape')
})

test('photos, questions, the report, and the lightbox have menus by mouse and by keyboard', async () => {
  const { page, expectAccessible } = app()
  const { sections } = await openChecklist(0)
  const items = () => page.getByRole('menuitem').allTextContents()
  const ofPhoto = ['Open', 'Select', 'Download', 'Copy image', 'Copy path', 'Print']
  await tile(1).click({ button: 'right' })
  await expect.poll(items).toEqual(ofPhoto)
  await page.getByRole('menuitem', { name: 'Select' }).click()
  await selection().getByText('1 selected').waitFor()
  await tile(0).press('Shift+F10')
  await expect.poll(items).toEqual(ofPhoto)
  await expectAccessible(page.getByRole('menu'))
  await page.getByRole('menuitem', { name: 'Select' }).press('Enter')
  // A caption is part of its photo, and one of several selected photos stands for all.
  await page.locator('figcaption').first().click({ button: 'right' })
  await expect
    .poll(items)
    .toEqual(['Download copies of 2 photos', 'Export 2 photos…', 'Copy paths', 'Print 2 photos', 'Clear selection'])
  await page.getByRole('menuitem', { name: 'Clear selection' }).click()
  await selection().waitFor({ state: 'detached' })

  const { label = '', answer = '' } =
    sections.flatMap(({ questions }) => questions).find((question) => question.answer !== null) ?? {}
  const question = page.getByRole('navigation', { name: 'Questions' }).getByRole('button', { name: label }).first()
  await question.press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Copy answer' }).click()
  await page
    .getByRole('region', { name: /^Notifications/ })
    .getByText(answer ?? '', { exact: true })
    .waitFor()
  await expect.poll(() => page.evaluate<string>('document.activeElement.title')).toContain(label)
  // The questions are one stop of the Tab key. Enter moves on to the photos.
  const tree = page.getByRole('navigation', { name: 'Questions' })
  await tree.locator('[tabindex="0"]').waitFor()
  await tree.locator('[tabindex="0"]').press('Home')
  await tree.getByRole('button').first().and(page.locator(':focus')).press('ArrowDown')
  await tree.getByRole('button').nth(1).and(page.locator(':focus')).waitFor()
  await tree
    .getByRole('button')
    .filter({ hasText: /[1-9]\d* of \d+ photo/ })
    .first()
    .press('Enter')
  await page.locator('[data-openable]:focus').waitFor()
  await grid().getByRole('heading', { level: 3 }).first().click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Print section' }).click()
  await untilPrinted(page)
  await page.evaluate("window.dispatchEvent(new Event('afterprint'))")

  await page.getByRole('region', { name: 'Report', exact: true }).click({ button: 'right' })
  await expect.poll(items).toEqual(['Download', 'Print', 'Copy path'])
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })

  // Not by keyboard: a closed menu returns the focus a moment later.
  await tile(0).click()
  const lightbox = page.getByRole('dialog', { name: 'Photos' })
  await lightbox.press('Shift+F10')
  await expect.poll(items).toEqual(['Download', 'Copy image', 'Copy path', 'Print'])
  // Esc and the arrow keys are those of the menu while it is open.
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await lightbox.getByText(/^Photo 1 of /).waitFor()
  await page.keyboard.press('Escape')
  await lightbox.waitFor({ state: 'detached' })
  // The next lightbox has a menu, too.
  await tile(0).click()
  await lightbox.press('Shift+F10')
  await expect.poll(items).toEqual(['Download', 'Copy image', 'Copy path', 'Print'])
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await lightbox.waitFor({ state: 'detached' })
})

test('missing photos are shown alone, and found one by one; the thumbnail size is remembered', async () => {
  const { page, expectAccessible } = app()
  await openChecklist(1)
  // Nothing takes the place of the report that does not exist yet.
  await page.getByRole('region', { name: 'PDF report' }).getByText('No report yet.').waitFor()
  expect((await page.getByRole('region', { name: 'PDF report' }).boundingBox())?.height).toBeLessThan(60)
  const current = () => page.locator('nav[aria-label="Questions"] [aria-current]').textContent()
  await page.keyboard.press('n')
  await expect.poll(current).toMatch(/photos missing/)
  const first = await current()
  // In a menu, a letter looks for an item.
  await page.getByRole('button', { name: 'More for this checklist' }).click()
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('n')
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  expect(await current()).toBe(first)
  await page.keyboard.press('n')
  await expect.poll(current).not.toBe(first)
  await page.getByRole('button', { name: /^Only missing \(\d+\)$/ }).click()
  await grid()
    .getByText(/not uploaded yet/)
    .first()
    .waitFor()
  expect(await page.locator('[data-openable]').count()).toBe(0)
  // Archived photos, which are hidden now, are not selected.
  await grid().press('ControlOrMeta+a')
  expect(await selection().count()).toBe(0)
  await expectAccessible(page.getByRole('main'))
  await page.getByRole('button', { name: /^Only missing/ }).click()

  const width = async () => (await tile(0).boundingBox())?.width ?? 0
  await tile(0).waitFor()
  const before = await width()
  await page.getByRole('slider', { name: 'Thumbnail size' }).fill('320')
  await expect.poll(width).toBeGreaterThan(before * 1.5)
  const chosen = await width()
  await page.reload()
  await expect.poll(width).toBe(chosen)
  await page.getByRole('slider', { name: 'Thumbnail size' }).fill('148')
})

test('of a photo that the browser cannot draw, the thumbnail is printed', async () => {
  const { page, call } = app()
  const { projectId, id: checklistId } = checklistAt(1)
  const { sections } = await call('checklists.get', { projectId, checklistId })
  const [photo] = sections.flatMap(({ questions }) => questions).flatMap(({ photos }) => photos)
  const original = new RegExp(`/files/${photo?.assetId}\\?`)
  await page.route(original, (route) => route.fulfill({ contentType: 'image/heic', body: 'Not drawn by Chromium' }))
  await openChecklist(1)
  const drawn = (sheet: Locator) =>
    sheet
      .locator('img')
      .first()
      .evaluate((image) => (image as { naturalWidth?: number }).naturalWidth)
  await page.getByRole('toolbar', { name: 'Photos', exact: true }).getByRole('button', { name: 'Print' }).click()
  await page.getByRole('menuitem', { name: 'Print all sections' }).click()
  await untilPrinted(page)
  await onPaper(page, async (sheet) => expect(await drawn(sheet)).toBeGreaterThan(0))

  await tile(0).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Print' }).click()
  await expect.poll(() => page.evaluate<number>('globalThis.printed')).toBe(2)
  await onPaper(page, async (sheet) => expect(await drawn(sheet)).toBeGreaterThan(0))
  await page.unroute(original)
})

test('a photo is turned, printed, and compared with its earlier version; so is a report', async () => {
  const { page, service, call, expectAccessible } = app()
  const checklist = checklistAt(0)
  for (const photo of photosOf(checklist)) service.replacePhoto(photo)
  service.replaceReport(checklist)
  await call('sync.now', {})
  await expect
    .poll(async () => {
      const { report, sections } = await call('checklists.get', {
        projectId: checklist.projectId,
        checklistId: checklist.id,
      })
      const photos = sections.flatMap(({ questions }) => questions.flatMap((question) => question.photos))
      return [report?.earlierVersions, photos.every(({ earlierVersions }) => earlierVersions === 1)]
    })
    .toEqual([1, true])
  await openChecklist(0)
  await tile(0).click()
  const lightbox = page.getByRole('dialog', { name: 'Photos' })
  const picture = lightbox.locator('.pswp__item[aria-hidden="false"] .pswp__img:not(.pswp__img--placeholder)')
  const isWide = async () => {
    const { width = 0, height = 0 } = (await picture.boundingBox()) ?? {}
    return width > height
  }
  await expect.poll(isWide).toBe(true)
  await page.keyboard.press('r')
  await expect.poll(isWide).toBe(false)
  await lightbox.getByRole('button', { name: 'Print' }).click()
  await untilPrinted(page)
  await onPaper(page, async (sheet) => expect(await sheet.locator('img').count()).toBe(1))

  const compare = async (dialog: Locator) => {
    const shown = (name: string) => dialog.getByRole('region', { name }).locator('img').getAttribute('src')
    await dialog.getByText(/^Until /).waitFor()
    return [await shown('Earlier version'), await shown('Current version')]
  }
  await lightbox.getByRole('button', { name: 'Compare with earlier versions' }).click()
  const versions = page.getByRole('dialog', { name: /^Versions of/ })
  const [earlier, now] = await compare(versions)
  expect(earlier).toMatch(/\/[0-9a-f]{64}\?/)
  expect(now).not.toMatch(/\/[0-9a-f]{64}\?/)
  await versions
    .getByRole('group', { name: /^Photo\./ })
    .first()
    .press('+')
  for (const image of await versions.locator('img').all())
    expect(await image.getAttribute('style')).toContain('scale(1.25)')
  await expectAccessible(versions)
  await page.keyboard.press('Escape')
  await versions.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate<string>('document.activeElement.dataset.openable')).toBe('0')

  const report = page.getByRole('toolbar', { name: 'Report' })
  await report.getByRole('button', { name: 'Print the report' }).click()
  await expect.poll(() => page.evaluate<number>('globalThis.printed')).toBe(2)
  await onPaper(page, async (sheet) => expect(await sheet.locator('img').count()).toBeGreaterThan(0))
  await report.getByRole('button', { name: 'Compare with earlier versions' }).click()
  for (const name of ['Earlier version', 'Current version'])
    await versions.getByRole('region', { name }).locator('canvas').first().waitFor()
  const search = versions.getByRole('button', { name: 'Search in the report' }).first()
  await search.click()
  await versions.getByRole('search').getByRole('button', { name: 'Next match' }).press('Escape')
  await search.and(page.locator(':focus')).waitFor()
  await search.click()
  await versions.getByRole('searchbox').press('Escape')
  await search.and(page.locator(':focus')).waitFor()
  expect(await versions.getAttribute('data-state')).toBe('open')
  await page.keyboard.press('Escape')
  await versions.waitFor({ state: 'detached' })

  // Of a version that no browser shows, such as HEIC, the dialog says so.
  const earlierFiles = /\/files\/\d+\/[0-9a-f]{64}/
  await page.route(earlierFiles, (route) => route.fulfill({ contentType: 'image/heic', body: 'ftypheic' }))
  await tile(1).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Compare with earlier versions…' }).click()
  await versions
    .getByRole('region', { name: 'Earlier version' })
    .getByText('This photo cannot be shown here.')
    .waitFor()
  await expectAccessible(versions)
  await page.keyboard.press('Escape')
  await page.unroute(earlierFiles)
})
