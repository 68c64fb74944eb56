import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { until } from '../support/watching.ts'
import { keepBusy } from './support/keep-busy.ts'
import { withApp, type TestApp } from './support/with-app.ts'

const oneChecklist = { projects: 1, checklistsPerProject: 1 } as const

/** The only checklist of the only project. */
async function openChecklist({ service, show }: TestApp): Promise<{ projectId: string; checklistId: string }> {
  const [project] = service.projects
  const [checklist] = project?.checklists ?? []
  if (project === undefined || checklist === undefined) throw new Error('There is no checklist')
  await show(`/projects/${project.id}/checklists/${checklist.id}`)
  return { projectId: project.id, checklistId: checklist.id }
}

const grid = (page: Page) => page.getByRole('region', { name: 'Photos by question' })
const photoTile = (page: Page, index: number) => page.locator(`[data-openable="${index}"]`)

test('photos appear as they arrive, and the checklist becomes complete, while it is open', async () => {
  await withApp(
    {
      isArchived: true,
      service: { ...oneChecklist, photoQuestionsPerChecklist: 12, photosPerQuestion: 4, statuses: ['awaitingMedia'] },
    },
    async (app) => {
      const { page, service, call, expectAccessible } = app
      const { projectId, checklistId } = await openChecklist(app)
      // A photo may be shown before the sync that brought it has ended.
      const syncNow = () =>
        expect
          .poll(() =>
            call('sync.now', { projectIds: [projectId] }).then(
              () => 'started',
              (refusal: Error) => refusal.message,
            ),
          )
          .toBe('started')
      await photoTile(page, 0).locator('img').waitFor()
      const questions = page.getByRole('navigation', { name: 'Questions' }).getByRole('button')
      await questions.last().click()
      await grid(page)
        .getByText(/^\d+ photos? not uploaded yet$/)
        .first()
        .waitFor()
      await expectAccessible(grid(page))

      // Somewhere in the middle: the visible part stays in place while photos arrive above and below.
      await questions.nth(4).click()
      await expect.poll(async () => (await topQuestion(page))?.top ?? Infinity).toBeLessThan(40)
      const before = await restingQuestion(page)
      service.addPhoto(checklistId, { question: 0 })
      service.addPhoto(checklistId, { question: 1 })
      service.setStatus(checklistId, 'completed')
      await syncNow()
      await page.locator('main').getByText('Complete', { exact: true }).waitFor()
      const after = await restingQuestion(page)
      expect(after?.text).toBe(before?.text)
      expect(Math.abs((after?.top ?? Number.NaN) - (before?.top ?? Number.NaN))).toBeLessThanOrEqual(2)
      expect(await page.getByText('has not uploaded').count()).toBe(0)
      await page.getByRole('region', { name: 'Report', exact: true }).locator('canvas').first().waitFor()
      await expectAccessible()

      // The focus returns to the photo that the lightbox showed, although another one arrived before it.
      await questions.first().click()
      const opened = photoTile(page, 6)
      const picture = await opened.locator('img').getAttribute('src')
      await opened.click()
      const lightbox = page.getByRole('dialog', { name: 'Photos' })
      await lightbox.waitFor()
      service.addPhoto(checklistId, { question: 0 })
      await syncNow()
      await photoTile(page, 7).locator(`img[src="${picture}"]`).waitFor({ state: 'attached' })
      await page.keyboard.press('Escape')
      await lightbox.waitFor({ state: 'detached' })
      await expect.poll(() => page.evaluate<string>('document.activeElement.dataset.openable')).toBe('7')

      // So does a menu that was open meanwhile act on its photo.
      await photoTile(page, 7).click({ button: 'right' })
      const item = page.getByRole('menuitem', { name: 'Open', exact: true })
      await item.waitFor()
      service.addPhoto(checklistId, { question: 0 })
      await syncNow()
      await photoTile(page, 8).locator(`img[src="${picture}"]`).waitFor({ state: 'attached' })
      await item.click()
      await lightbox.getByText(/^Photo 9 of/).waitFor()
    },
  )
})

/** The heading nearest to the top of the photos, and its distance from the title of the section that stays there. */
async function topQuestion(page: Page): Promise<{ text: string; top: number } | undefined> {
  const title = await grid(page).locator('> [aria-hidden="true"]').boundingBox()
  const top = title === null ? Number.NaN : title.y + title.height
  const headings = await grid(page).getByRole('heading', { level: 3 }).all()
  const places = await Promise.all(
    headings.map(async (heading) => ({
      text: (await heading.textContent()) ?? '',
      top: ((await heading.boundingBox())?.y ?? Number.NaN) - top,
    })),
  )
  return places.filter((place) => place.top >= 0).sort((one, other) => one.top - other.top)[0]
}

/** Like `topQuestion`, once it no longer moves: rows are placed by estimates until they are measured. */
async function restingQuestion(page: Page): Promise<Awaited<ReturnType<typeof topQuestion>>> {
  let last = await topQuestion(page)
  const isResting = async () => {
    const earlier = last
    last = await topQuestion(page)
    return last?.text === earlier?.text && last?.top === earlier?.top
  }
  await expect.poll(isResting).toBe(true)
  return last
}

test('a double click on a photo opens it whole, and each of several fast clicks on the arrow counts', async () => {
  await withApp({ isArchived: true, service: { ...oneChecklist, statuses: ['completed'] } }, async (app) => {
    const { page } = app
    await openChecklist(app)
    await photoTile(page, 0).dblclick()
    const dialog = page.getByRole('dialog', { name: 'Photos' })
    await dialog.getByText(/^Photo 1 of/).waitFor()
    expect(await page.locator('.pswp--zoomed-in').count()).toBe(0)
    await dialog.getByRole('button', { name: /^Next photo/ }).hover()
    for (const clickCount of [1, 2, 3]) {
      await page.mouse.down({ clickCount })
      await page.mouse.up({ clickCount })
    }
    await dialog.getByText(/^Photo 4 of/).waitFor()
  })
})

test('a double click on a photo opens it whole if the window is too busy to handle the second click at once', async () => {
  await withApp({ isArchived: true, service: { ...oneChecklist, statuses: ['completed'] } }, async (app) => {
    const { page } = app
    await openChecklist(app)
    await photoTile(page, 0).hover()
    await keepBusy(page, 'click', 1_500)
    await Promise.all([1, 2].flatMap((clickCount) => [page.mouse.down({ clickCount }), page.mouse.up({ clickCount })]))
    const dialog = page.getByRole('dialog', { name: 'Photos' })
    await dialog.getByText(/^Photo 1 of/).waitFor()
    expect(await page.locator('.pswp--zoomed-in').count()).toBe(0)
  })
})

test('photos are browsed by keyboard, with camera data; the focus returns; a replaced one is shown', async () => {
  await withApp({ isArchived: true, service: { ...oneChecklist, statuses: ['completed'] } }, async (app) => {
    const { page, service, call, expectAccessible } = app
    await openChecklist(app)
    await photoTile(page, 0).focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => focusedPhoto(page)).toBe('1')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Photos' })
    await dialog.waitFor()
    await dialog.getByText(/^Photo 2 of/).waitFor()
    await page.keyboard.press('ArrowRight')
    await dialog.getByText(/^Photo 3 of/).waitFor()
    const width = async () => {
      const box = await dialog
        .locator('.pswp__item[aria-hidden="false"] .pswp__img:not(.pswp__img--placeholder)')
        .boundingBox()
      return box?.width ?? 0
    }
    await until('the picture is shown', async () => (await width()) > 100)
    const whole = await width()
    await page.keyboard.press('+')
    await expect.poll(width).toBeGreaterThan(whole * 1.2)
    await page.keyboard.press('-')
    await expect.poll(width).toBeLessThan(whole * 1.01)
    await page.keyboard.press('i')
    const panel = dialog.getByRole('complementary', { name: 'About this photo' })
    await panel.getByText('Taken (camera)').waitFor()
    await panel
      .getByText(/-?\d+\.\d{6}, -?\d+\.\d{6}/)
      .first()
      .waitFor()
    await expectAccessible(dialog)
    await page.keyboard.press('Control+k')
    expect(await page.getByRole('dialog').count()).toBe(1)
    // This host has no screen: no folder can be shown.
    await dialog.getByRole('button', { name: 'Copy path' }).waitFor()
    expect(await dialog.getByRole('button', { name: 'Show in folder' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(() => focusedPhoto(page)).toBe('2')

    const image = photoTile(page, 2).locator('img')
    const before = await image.getAttribute('src')
    const photos = service.projects[0]?.checklists[0]?.sections.flatMap(({ questions }) => questions)
    for (const { id } of photos?.flatMap((question) => question.photos) ?? []) service.replacePhoto(id)
    await call('sync.now', {})
    await expect.poll(() => image.getAttribute('src')).not.toBe(before)
    await image.waitFor()
  })
})

const focusedPhoto = (page: Page) =>
  page.evaluate<string | null>('document.activeElement.getAttribute("data-openable")')

test('photos that cannot be downloaded show the reason in their tile', async () => {
  await withApp(
    {
      service: { ...oneChecklist, photoQuestionsPerChecklist: 2, photosPerQuestion: 3, statuses: ['completed'] },
      addsProjects: false,
    },
    async (app) => {
      const { page, service, call, untilArchived, expectAccessible } = app
      const broken = service.projects[0]?.checklists[0]?.sections[0]?.questions[0]?.photos[1]
      service.faults.add({
        route: ({ route, path }) => route === 'photo' && path.includes(broken?.id ?? '?'),
        fault: { kind: 'html' },
      })
      await call('projects.add', { projects: service.projects.map(({ id, name }) => ({ id, name })) })
      await untilArchived()
      await openChecklist(app)
      await page.getByText('1 photo missing. Invalid when downloaded').waitFor()
      await page.locator('main').getByText('Needs attention', { exact: true }).waitFor()
      await grid(page).getByText('2 of 3 photos').waitFor()
      await expectAccessible(page.getByRole('main'))
      service.faults.clear()
      await call('failures.retry', { all: true })
      await page.locator('main').getByText('Complete', { exact: true }).waitFor()
      expect(await photoTile(page, 5).count()).toBe(1)
      await page.getByRole('button', { name: 'None missing' }).waitFor()

      service.faults.add({ route: 'checklist', fault: { kind: 'status', status: 400 } })
      service.replacePhoto(broken?.id ?? '')
      await call('sync.now', {})
      await page.getByRole('button', { name: 'None known missing' }).waitFor()
    },
  )
})

test('a photo or report that is deleted, unreadable, or out of reach is reported as such', async () => {
  const service = { ...oneChecklist, statuses: ['completed'] } as const
  await withApp({ isArchived: true, service, hasEmptyCache: true, expectedMessages: /404|503/ }, async (app) => {
    const { page, service, call } = app
    const ids = { projectId: service.projects[0]?.id ?? '', checklistId: service.projects[0]?.checklists[0]?.id ?? '' }
    const { sections } = await call('checklists.get', ids)
    const photos = sections.flatMap(({ questions }) => questions.flatMap((question) => question.photos))
    const pathOf = async (index: number) => (await call('files.locate', { assetId: photos[index]?.assetId ?? 0 })).path
    rmSync(await pathOf(0))
    // Of the same length, and a JPEG by its first bytes.
    const torn = await pathOf(1)
    writeFileSync(torn, Buffer.concat([readFileSync(torn).subarray(0, 3), Buffer.alloc(statSync(torn).size - 3)]))
    for (const report of readdirSync(app.archive, { recursive: true, encoding: 'utf8' }))
      if (report.endsWith('report.pdf')) rmSync(join(app.archive, report))

    await openChecklist(app)
    const gone = 'This file is missing or was changed on the disk.'
    await page.getByRole('main').getByText(gone).waitFor()
    await photoTile(page, 0).click()
    const dialog = page.getByRole('dialog', { name: 'Photos' })
    await dialog.getByText(gone).waitFor()
    await page.keyboard.press('ArrowRight')
    await dialog.getByText('This photo cannot be shown here. The file is in the archive').waitFor()

    // Of a drive that was unplugged nothing is known, nor without Solarchive.
    const unreachable = 'Solarchive or the archive folder cannot be reached now.'
    renameSync(app.archive, `${app.archive} unplugged`)
    await page.reload()
    await page.getByRole('main').getByText(unreachable).waitFor()
    await photoTile(page, 2).getByText('No preview').waitFor()
    await photoTile(page, 0).click()
    await dialog.getByText(unreachable).first().waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    renameSync(`${app.archive} unplugged`, app.archive)
    // The previews are back with what the next sync brings.
    const questions = service.projects[0]?.checklists[0]?.sections.flatMap((section) => section.questions)
    const last = questions?.flatMap((question) => question.photos).at(-1)
    service.replacePhoto(last?.id ?? '')
    await call('sync.now', {})
    await expect.poll(() => grid(page).getByText('No preview').count()).toBe(0)
    await app.stop()
    await photoTile(page, 0).click()
    await dialog.getByText(unreachable).first().waitFor()
  })
})

test('a checklist of 300 photos renders few of them, and scrolls to the last', async () => {
  await withApp(
    {
      isArchived: true,
      service: { ...oneChecklist, photoQuestionsPerChecklist: 20, photosPerQuestion: 15, statuses: ['completed'] },
    },
    async (app) => {
      const { page } = app
      await openChecklist(app)
      await photoTile(page, 0).waitFor()
      expect(await page.locator('[data-openable]').count()).toBeLessThan(80)
      const questions = page.getByRole('navigation', { name: 'Questions' }).getByRole('button')
      await questions.last().click()
      await grid(page).focus()
      await page.keyboard.press('End')
      await photoTile(page, 299).locator('img').waitFor()
      expect(await questions.last().getAttribute('aria-current')).toBe('location')
      expect(await page.locator('[data-openable]').count()).toBeLessThan(80)
    },
  )
})
