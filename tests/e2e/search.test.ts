import { expect, test } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { until } from '../support/watching.ts'
import { holdBack } from './support/hold-back.ts'
import { shareApp, withApp } from './support/with-app.ts'

const app = shareApp({
  isArchived: true,
  // Reports are read in a process that only a process of the command line starts.
  hasOwnProcess: true,
  // Reports with pages of text.
  isLifelike: true,
  service: { projects: 1, checklistsPerProject: 1, statuses: ['completed'] },
})

const box = (page: Page) => page.getByRole('combobox', { name: 'Search everything' })
const options = (page: Page) => page.getByRole('listbox', { name: 'Results' }).getByRole('option')
const lightbox = (page: Page) => page.getByRole('dialog', { name: 'Photos' })

/** The questions of the only checklist. */
async function questions() {
  const { call, service } = app()
  const [project] = service.projects
  const projectId = project?.id ?? ''
  const { sections } = await call('checklists.get', { projectId, checklistId: project?.checklists[0]?.id ?? '' })
  return sections.flatMap(({ label, questions }) => questions.map((question) => ({ section: label, question })))
}

const report = (page: Page) => page.getByRole('region', { name: 'Report', exact: true })
const checklistPath = () => {
  const [project] = app().service.projects
  return `/projects/${project?.id}/checklists/${project?.checklists[0]?.id}`
}

test('a link to a page of a report opens it with its words highlighted, also in a narrow window', async () => {
  const { page, show } = app()
  await show(`${checklistPath()}?page=3&find=rafters&find=main+service`)
  const number = page.getByRole('toolbar', { name: 'Report' }).getByRole('textbox')
  const third = report(page).locator('.page[data-page-number="3"]')
  await third.locator('.highlight.selected', { hasText: 'Rafters' }).waitFor()
  await third.locator('.highlight', { hasText: 'Main service' }).first().waitFor()
  expect(await number.inputValue()).toBe('3')
  // Next match, across all words of the link.
  await page.getByRole('search').getByRole('searchbox').press('Enter')
  await third.locator('.highlight.selected', { hasText: 'Main service' }).waitFor()
  await page.getByRole('button', { name: 'Close the search' }).click()
  await report(page).locator('.highlight').first().waitFor({ state: 'detached' })

  await page.setViewportSize({ width: 900, height: 600 })
  await page.getByRole('button', { name: 'Photos', exact: true }).click()
  await show(`${checklistPath()}?page=4&find=trees`)
  await report(page).locator('.page[data-page-number="4"] .highlight.selected', { hasText: 'Trees' }).waitFor()
  // The word of the link can be typed again after another one.
  const search = page.getByRole('search')
  await search.getByRole('searchbox').fill('nowhere in it')
  await search.getByText('Not found').waitFor()
  await search.getByRole('searchbox').fill('trees')
  await search.getByText(/^\d+ of \d+$/).waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('a link to a photo opens it, and one to a question scrolls to it', async () => {
  const { page, show } = app()
  const last = (await questions()).findLast(({ question }) => question.photos.length > 0)
  const photo = last?.question.photos[0]
  await show(`${checklistPath()}?photo=${photo?.assetId}`)
  await lightbox(page)
    .getByText(photo?.fileName ?? 'no photo')
    .waitFor()
  await page.keyboard.press('Escape')
  await lightbox(page).waitFor({ state: 'detached' })
  await expect.poll(() => page.url()).not.toContain('photo=')

  const query = new URLSearchParams({ section: last?.section ?? '', question: last?.question.label ?? '' })
  await show(`${checklistPath()}?${query.toString()}`)
  await expect.poll(() => foundQuestion(page)).toContain(last?.question.label)
})

const foundQuestion = (page: Page) =>
  page.getByRole('region', { name: 'Photos by question' }).locator('.shadow-amber-400').textContent()

test('a label, an answer, the middle of a file name, and an order are found as one types, by keyboard', async () => {
  const { page, show, call, service, expectAccessible } = app()
  const all = await questions()
  const panel = all.find(({ question }) => question.label.startsWith('Main service panel'))?.question
  await show('/')
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Search everything, or type a command').fill('panel main')
  const first = page.getByRole('option', { name: /^Main service panel, cover off.*Photo/ }).first()
  await first.locator('mark', { hasText: 'Main' }).waitFor()
  await expect
    .poll(() => page.evaluate('document.querySelector("[role=option] img")?.naturalWidth ?? 0'))
    .toBeGreaterThan(0)
  await expectAccessible(page.getByRole('dialog'))
  await page.keyboard.press('Enter')
  await lightbox(page)
    .getByText(panel?.photos[0]?.fileName ?? 'no photo')
    .waitFor()
  await page.keyboard.press('Escape')
  await lightbox(page).waitFor({ state: 'detached' })

  // The full page, from the palette.
  await page.keyboard.press('Control+k')
  await page.keyboard.type('panel main')
  await page.getByRole('option', { name: /^All results for “panel main”/ }).click()
  await expect.poll(() => page.evaluate('document.activeElement.getAttribute("role")')).toBe('combobox')
  expect(await box(page).inputValue()).toBe('panel main')
  await options(page).first().waitFor()
  await page
    .getByRole('status')
    .getByText(/^\d+ results$/)
    .waitFor()
  await expectAccessible()

  const { fileName = '' } = panel?.photos[1] ?? {}
  const middle = fileName.slice(1, -4)
  await box(page).fill(middle)
  await expect.poll(() => options(page).first().textContent()).toContain(fileName)
  await page.keyboard.press('ArrowDown')
  expect(
    await page.evaluate(
      'document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.textContent',
    ),
  ).toContain(fileName)
  await page.keyboard.press('Enter')
  await lightbox(page).getByText(fileName).waitFor()
  await page.keyboard.press('Escape')
  await lightbox(page).waitFor({ state: 'detached' })
  await page.goBack()
  await options(page).first().waitFor()
  expect(await box(page).inputValue()).toBe(middle)

  const answered = all.find(({ question }) => (question.answer?.length ?? 0) > 6)?.question
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'What you can type' }).waitFor()
  await page.keyboard.type(`"${answered?.answer}"`)
  await options(page)
    .filter({ hasText: answered?.label ?? 'no answer' })
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => foundQuestion(page)).toContain(answered?.label)
  await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Photos by question')

  const [project] = service.projects
  const texts = { homeownerName: 'Ottoline Quimby', projectAddress: '1 Elm' }
  const { orderId } = await call('orders.create', { projectId: project?.id ?? '', texts })
  await show('/search')
  await page.getByRole('heading', { name: 'Search', level: 1 }).click()
  await page.keyboard.press('/')
  await page.keyboard.type('quimby otto')
  await options(page).filter({ hasText: 'Ottoline Quimby' }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toContain(`/orders/${orderId}/edit`)
})

test('a word on page 3 of a report opens it at that page', async () => {
  const { page, show, call } = app()
  await until('the report is read', async () => (await call('search', { query: 'kind:report sheathing' })).total > 0)
  await show('/search?q=kind:report%20rafters%20sheathing')
  await options(page).filter({ hasText: 'Report, page 3' }).waitFor()
  await box(page).press('ArrowDown')
  while (!(await page.locator('[aria-selected="true"]').textContent())?.includes('Report, page 3')) {
    await box(page).press('ArrowDown')
  }
  await page.keyboard.press('Enter')
  await report(page).locator('.page[data-page-number="3"] .highlight.selected', { hasText: 'Rafters' }).waitFor()
})

test('Enter in a search that is still loading opens nothing on the page that was opened meanwhile', async () => {
  const { page, show } = app()
  const held = await holdBack(page, ['**/api/call/search'])
  await show('/search?q=rafter')
  await held.until('rafter')
  await box(page).press('Enter')
  await page.getByRole('link', { name: 'Activity', exact: true }).click()
  await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor()
  const answered = page.waitForResponse('**/api/call/search')
  held.release('rafter')
  await answered
  await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor()
  expect(page.url()).toMatch(/\/activity$/)
  await page.unrouteAll({ behavior: 'wait' })
})

test('Enter in the palette opens nothing that was found for the letters before', async () => {
  const { page, show } = app()
  await show('/projects')
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Search everything, or type a command').fill('rafter')
  await page.getByRole('option').first().locator('mark', { hasText: 'Rafter' }).waitFor()
  const held = await holdBack(page, ['**/api/call/search'])
  // While reports are read, the results are refreshed, and the next letters wait for that.
  held.release('"rafter"')
  await page.getByPlaceholder('Search everything, or type a command').fill('rafter size')
  await held.until('"rafter size"')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toMatch(/#\/search\?q=rafter(\+|%20)size$/)
  held.release('rafter')
  await options(page).first().locator('mark', { hasText: 'Rafter' }).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

test('a chosen result in the palette stays chosen when a sync brings nothing new to the search', async () => {
  const { page, show, call } = app()
  await until('the report is read', async () => (await call('search', { query: 'kind:report sheathing' })).total > 0)
  await show('/projects')
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Search everything, or type a command').fill('rafter')
  await page.getByRole('option').first().locator('mark', { hasText: 'Rafter' }).waitFor()
  await page.keyboard.press('ArrowDown')
  const second = page.getByRole('option').nth(1).and(page.locator('[data-highlighted]'))
  await second.waitFor()
  const held = await holdBack(page, ['**/api/call/search'])
  await call('sync.now', {})
  await held.until('rafter')
  const answered = page.waitForResponse('**/api/call/search')
  held.release('rafter')
  await (await answered).finished()
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  expect(await second.count()).toBe(1)
  await page.unrouteAll({ behavior: 'wait' })
})

test('filters are part of the query; what was ignored, and that nothing was found, is said', async () => {
  const { page, show, expectAccessible } = app()
  await show('/search?q=rafter')
  await options(page).first().waitFor()
  await page.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'Answers' }).click()
  await page.keyboard.press('Escape')
  await expect.poll(() => box(page).inputValue()).toBe('kind:answer rafter')
  await expect.poll(() => options(page).count()).toBe(1)
  await page.getByLabel('From', { exact: true }).fill('2026-01-01')
  await expect.poll(() => box(page).inputValue()).toContain('after:2026-01-01')
  await page.getByRole('checkbox', { name: 'Only missing photos' }).click()
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
  await expectAccessible(page.getByRole('main'))
  await page.getByRole('button', { name: 'Search without filters' }).click()
  await expect.poll(() => box(page).inputValue()).toBe('rafter')
  const [project] = app().service.projects
  await show(`/search?q=project:${project?.id}%20rafter%20size`)
  await options(page).filter({ hasText: 'Rafter size' }).locator('mark', { hasText: 'Rafter' }).first().waitFor()
  await expect.poll(() => page.getByRole('combobox', { name: 'Project' }).inputValue()).toBe(project?.name)
  await box(page).fill('rafter before:2026-13')
  await page.getByText('"2026-13" is not a date.').waitFor()
  await options(page).first().waitFor()

  // The results keep their place when the filters can be cleared.
  await page.setViewportSize({ width: 1440, height: 900 })
  const top = async () => (await page.getByRole('listbox', { name: 'Results' }).boundingBox())?.y
  await box(page).fill('rafter')
  await page.getByRole('button', { name: 'Clear filters' }).waitFor({ state: 'hidden' })
  await page.getByText('"2026-13" is not a date.').waitFor({ state: 'hidden' })
  await untilDone(page, /still being (indexed|read)/)
  const before = await top()
  await box(page).fill('kind:answer rafter')
  await page.getByRole('button', { name: 'Clear filters' }).waitFor()
  await options(page).first().waitFor()
  expect(await top()).toBe(before)
  // Results end where the box ends, beside the scrollbar.
  const right = async (part: Locator) => {
    const { x, width } = (await part.boundingBox()) ?? { x: 0, width: 0 }
    return Math.round(x + width)
  }
  expect(await right(options(page).first().locator('> div'))).toBe(await right(box(page)))
  await page.getByRole('button', { name: 'Clear filters' }).press('Enter')
  await box(page).and(page.locator(':focus')).waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('Enter in the project filter takes no project that was listed for the letters before', async () => {
  const { page, show, call } = app()
  await call('projects.add', { projects: [{ id: 'oak-court', name: 'Oak Court' }] })
  await show('/search')
  const project = page.getByRole('combobox', { name: 'Project' })
  await project.click()
  await page.getByRole('option').nth(1).waitFor()
  const held = await holdBack(page, ['**/api/call/projects.list'])
  await project.fill('court')
  await held.until('court')
  await project.press('Enter')
  held.release('projects.list')
  await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['Oak Court'])
  expect(await box(page).inputValue()).toBe('')
  await project.press('Enter')
  await expect.poll(() => box(page).inputValue()).toBe('project:"Oak Court"')
  await page.unrouteAll({ behavior: 'wait' })
  await call('projects.remove', { projectId: 'oak-court' })
})

test('the palette finds exports and the pages of the open project, and says what it ignored', async () => {
  const { page, show, service } = app()
  const [project] = service.projects
  /** A page that opens closes the palette. */
  const opened = (name = '') => page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
  const option = (name: string | RegExp) => page.getByRole('option', { name })
  const find = async (text: string) => {
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search everything, or type a command').fill(text)
  }
  await show('/settings')
  await opened('Settings')
  await find('export')
  await option('Export everything…').waitFor()
  await page.keyboard.press('Escape')
  await find('timeline')
  await option(/^Projects/).waitFor()
  await page.keyboard.press('Escape')
  await find('kind:bogus roof')
  await option(/All results for .*kind:bogus ignored/).waitFor()
  await page.keyboard.press('Escape')

  await show(`/projects/${project?.id}`)
  await opened(project?.name)
  await find('timeline')
  await option('Timeline of this project').click()
  await expect.poll(() => page.url()).toContain(`/projects/${project?.id}/timeline`)
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
})

test('a search is saved by a name, found in the palette, kept over a restart, and deleted', async () => {
  const { page, show, startAgain, expectAccessible } = app()
  await show('/search?q=kind:photo%20roof')
  const refusal = { ok: false, error: { code: 'disk-full', message: 'The disk is full.', details: {} } }
  await page.route('**/api/call/settings.save', (route) => route.fulfill({ json: refusal }))
  await page.getByRole('button', { name: 'Save this search' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this search' })
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await dialog.getByText(refusal.error.message).waitFor()
  await page.unroute('**/api/call/settings.save')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save this search' }).click()
  await expectAccessible(dialog)
  expect(await dialog.getByText(refusal.error.message).count()).toBe(0)
  // The query is proposed as the name; typing replaces it.
  await expect.poll(() => page.evaluate('getSelection().toString()')).toBe('kind:photo roof')
  await page.keyboard.type('Roofs of this month')
  await page.keyboard.press('Enter')
  await page.getByText('Saved as Roofs of this month').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Search everything')
  await page.goto(await startAgain())
  await page.locator('main h1').waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('roofs of')
  await page.getByRole('option', { name: 'Roofs of this month' }).click()
  await expect.poll(() => box(page).inputValue()).toBe('kind:photo roof')
  await options(page).first().waitFor()
  await page.getByRole('button', { name: 'Clear the search' }).click()
  await expectAccessible(page.getByRole('main'))
  await page.getByRole('button', { name: 'Delete Roofs of this month' }).click()
  await page.getByText('Search for something, then choose').waitFor()
  await box(page).and(page.locator(':focus')).waitFor()
})

test('a search that is deleted stays deleted if another one is deleted before that is saved', async () => {
  const { page, show, call } = app()
  const names = ['Attics', 'Basements', 'Carports']
  await call('settings.save', { savedSearches: names.map((name) => ({ name, query: name })) })
  await show('/search')
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/call/settings.save', async (route) => {
    await isReleased
    await route.continue()
  })
  for (const name of ['Attics', 'Basements']) await page.getByRole('button', { name: `Delete ${name}` }).click()
  release()
  const saved = async () => (await call('settings.get', {})).savedSearches.map(({ name }) => name)
  await expect.poll(saved).toEqual(['Carports'])
  await page.unrouteAll({ behavior: 'wait' })
  await call('settings.save', { savedSearches: [] })
})

/** Waits until the page does not say any more that the archive is being indexed, or its files read. */
const untilDone = (page: Page, what: RegExp) =>
  page.getByRole('main').getByRole('status').filter({ hasText: what }).waitFor({ state: 'hidden' })

const scrollDown = (page: Page) =>
  page.evaluate('(list => list.scrollTo(0, list.scrollHeight))(document.querySelector("main [role=listbox]"))')

test('results follow without end while the list is scrolled, and by keyboard; Back returns to the place', async () => {
  const service = { projects: 1, checklistsPerProject: 1, photoQuestionsPerChecklist: 2, photosPerQuestion: 90 }
  await withApp({ isArchived: true, service }, async ({ page, show, call }) => {
    await show('/search?q=kind:photo%20img')
    await options(page).first().waitFor()
    await page.getByText('180 results').first().waitFor()
    // Until then, the answers change by themselves.
    await untilDone(page, /still being indexed/)
    // A list that is refreshed while its next rows are in flight is scrolled to its end only once.
    const held = await holdBack(page, ['**/api/call/search'])
    // No next rows are asked for while the first ones are refreshed.
    held.release('"limit":60}')
    const scrollHeight = () => page.evaluate('document.querySelector("main [role=listbox]").scrollHeight')
    await scrollDown(page)
    await held.until('"cursor"')
    const refreshed = page.waitForResponse('**/api/call/overview')
    await call('sync.now', {})
    await refreshed
    held.release('"cursor"')
    await expect.poll(scrollHeight).toBe(120 * 60)
    await scrollDown(page)
    await expect.poll(scrollHeight).toBe(180 * 60)
    // Only the rows near the view are rendered.
    expect(await options(page).count()).toBeLessThan(40)
    for (let press = 0; press < 25; press += 1) await box(page).press('PageDown')
    await expect
      .poll(() => page.evaluate('document.querySelector("[aria-selected=true]").getAttribute("aria-posinset")'))
      .toBe('180')

    // Also to a place among rows that are not loaded with the first ones.
    for (const row of [150, 40]) {
      const top = row * 60
      await page.evaluate(`document.querySelector("main [role=listbox]").scrollTo(0, ${top})`)
      await expect.poll(() => page.evaluate('history.state.solarchiveListTop')).toBe(top)
      await page.locator(`#search-hit-${row + 2}`).click()
      await lightbox(page).waitFor()
      await page.keyboard.press('Escape')
      await lightbox(page).waitFor({ state: 'detached' })
      await page.goBack()
      await expect.poll(() => page.evaluate('document.querySelector("main [role=listbox]")?.scrollTop')).toBe(top)
      await page.locator(`#search-hit-${row + 2}`).waitFor()
      expect(await page.evaluate('history.state.solarchiveListTop')).toBe(top)
    }
  })
})

test('print on a photo is found, and outlined there, also zoomed in and turned', async () => {
  const service = { projects: 1, checklistsPerProject: 1, statuses: ['completed'] } as const
  await withApp({ addsProjects: false, hasOwnProcess: true, isLifelike: true, service }, async (app) => {
    const { page, show, call } = app
    const [project] = app.service.projects
    const questions = project?.checklists[0]?.sections.flatMap(({ questions }) => questions) ?? []
    // Reading takes a second or two for a photo, more on a busy machine.
    for (const { label, photos } of questions) photos.splice(label === 'Utility meter' ? 1 : 0)
    await call('settings.save', { readPhotos: true })
    await call('projects.add', { projects: [{ id: project?.id ?? '', name: 'Elm Street' }] })
    // The page shows the hit once the photo is read: after all other work of the machine.
    await app.untilArchived()
    await show('/search?q=%22smart%20meter%22')
    const found = options(page).filter({ hasText: 'Text on photo' })
    await found.waitFor({ timeout: 800_000 })
    const [hit] = (await call('search', { query: '"smart meter"' })).hits
    const { words } = await call('photos.words', { assetId: hit?.assetId ?? 0, find: ['SMART METER'] })
    expect(words.map(({ text }) => text)).toEqual(['SMART', 'METER'])

    // The words are known before the photo is loaded.
    const held = await holdBack(page, ['**/files/*'])
    await found.click()
    await lightbox(page).getByText('outlined: SMART METER').waitFor()
    await held.until('/files/')
    held.release('/files/')
    const outline = page.locator('.pswp__item[aria-hidden="false"] .photo-words > div').first()
    const [left = 0, top = 0, width = 0, height = 0] = words[0]?.box ?? []
    /** Returns whether the outline is at these fractions of the photo as it is displayed. */
    const isAt = async (expected: readonly number[]) => {
      const [box, photo] = [await outline.boundingBox(), await outline.locator('xpath=../../img').last().boundingBox()]
      if (box === null || photo === null) return false
      const place = [(box.x - photo.x) / photo.width, (box.y - photo.y) / photo.height]
      const size = [box.width / photo.width, box.height / photo.height]
      return [...place, ...size].every((part, index) => Math.abs(part - (expected[index] ?? 0)) < 0.01)
    }
    await expect.poll(() => isAt([left, top, width, height])).toBe(true)
    await page.keyboard.press('z')
    await expect.poll(async () => (await outline.boundingBox())?.width ?? 0).toBeGreaterThan(100)
    await expect.poll(() => isAt([left, top, width, height])).toBe(true)
    await page.keyboard.press('r')
    await expect.poll(() => isAt([1 - top - height, left, height, width])).toBe(true)
    await app.expectAccessible(lightbox(page))
  })
})
