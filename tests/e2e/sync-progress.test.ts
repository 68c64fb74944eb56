import { expect, test } from 'vitest'
import { withApp } from './support/with-app.ts'

const projects = 24
const site = {
  projects,
  checklistsPerProject: 1,
  photoQuestionsPerChecklist: 2,
  statuses: ['completed', 'completed', 'awaitingMedia'],
  awkwardNames: false,
} as const

/** Texts of the sidebar and of the page at the same moment, without anything between them. */
const readBoth = `['aside', 'main'].map((name) => document.querySelector(name).innerText.replaceAll('\\n', ' '))`

test('a first sync reads projects, then downloads files, and every page counts them alike', async () => {
  await withApp({ service: site, addsProjects: false }, async (app) => {
    const { page, service, call, show, untilArchived, expectAccessible } = app
    const main = page.getByRole('main')
    const sync = main.getByRole('region', { name: 'Sync' })
    const bars = main.getByRole('progressbar')
    const expectSame = async (text: RegExp) => {
      const [sidebar, shown] = await page.evaluate<string[]>(readBoth)
      const inSidebar = text.exec(sidebar ?? '')?.[0]
      expect(inSidebar).toBeDefined()
      expect(text.exec(shown ?? '')?.[0]).toBe(inSidebar)
    }

    // A slow service, which asks for a pause in the middle and then does not answer, and a slow file host.
    const inTheMiddle = { route: 'checklists', skip: 9 } as const
    const limit = service.faults.add({ ...inTheMiddle, fault: { kind: 'status', status: 429, retryAfter: 20 } })
    const silence = service.faults.add({ ...inTheMiddle, fault: { kind: 'hang' } })
    service.faults.add({ route: 'media', fault: { kind: 'latency', delayMs: 50 } })
    await show('/')
    await call('projects.add', { projects: service.projects.map(({ id, name }) => ({ id, name })) })
    const headline = sync.getByRole('link', { name: new RegExp(`^Reading projects: \\d+ of ${projects}$`) })
    await headline.waitFor()
    await sync.getByText(/The service limits calls: resumes in \d+ s/).waitFor()
    service.faults.add({ route: 'photo', fault: { kind: 'latency', delayMs: 4000 } })
    await expectSame(/resumes in \d+ s/)
    // Until here, the service asks again for a pause after each one: it is shown however slow the machine is.
    limit.remove()
    await expectSame(/Reading projects: \d+ of \d+/)
    await main.getByText(/photos and reports archived so far$/).waitFor()
    expect(await bars.count()).toBe(1)
    expect(await bars.getAttribute('aria-label')).toBe('Projects read')
    await expectAccessible()
    await headline.click()
    await page
      .getByRole('status')
      .filter({ hasText: /^\d+ projects$/ })
      .waitFor()
    expect(page.url()).toContain('filter=unread')
    await page.goBack()

    // Paused halfway: how many photos there are is as little known as before.
    await main.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('menuitem', { name: 'Until I resume' }).click()
    await main.getByText('Until you resume').waitFor()
    const unread = main.getByRole('link', { name: new RegExp(`^\\d+ of ${projects} projects read$`) })
    await unread.waitFor()
    await main.getByText(/photos? (?:or report|and reports) archived so far$/).waitFor()
    expect(await bars.count()).toBe(0)
    const read = Number.parseInt(await unread.innerText())
    await unread.click()
    await page
      .getByRole('status')
      .filter({ hasText: `${projects - read} projects` })
      .waitFor()
    await page.goBack()
    silence.remove()
    await main.getByRole('button', { name: 'Resume' }).click()

    const toDownload = sync.getByRole('link', { name: /^\d+ photos? (?:or report|and reports) to download$/ })
    await toDownload.waitFor()
    await expectSame(/\d+ photos? (?:or report|and reports) to download/)
    await expect.poll(() => bars.count()).toBe(1)
    expect(await bars.getAttribute('aria-label')).toBe('Archived photos and reports of all projects')
    await expectAccessible(sync)
    service.faults.clear()
    await untilArchived()

    // The overview, the list, a project, and a checklist count the same photos and reports.
    await show('/')
    const { progress } = await call('overview', {})
    const archived = progress.archivedFiles - progress.previews.archived
    const expected = progress.expectedFiles - progress.previews.expected
    const completeness = main.getByRole('region', { name: 'Completeness' })
    await completeness.getByText(`${archived} of ${expected} photos and reports archived`).waitFor()
    const figures = main.getByRole('region', { name: 'Archive' })
    const figure = (label: string) => figures.locator('dl > div').filter({ hasText: label }).locator('dd').innerText()
    expect(Number.parseInt(await figure('Photos and reports'))).toBe(archived)
    expect(Number.parseInt(await figure('not uploaded yet'))).toBe(expected - archived)
    expect(progress.filesNotChecked).toBe(0)

    // A line leads to exactly what it counts, and the list shows the same number.
    const missing = expected - archived
    await figures.getByRole('link', { name: /not uploaded yet/ }).click()
    await page
      .getByRole('status')
      .filter({ hasText: new RegExp(`^${missing} photos not uploaded yet in \\d+ projects$`) })
      .waitFor()
    expect(page.url()).toContain('filter=not-uploaded')
    await page.goBack()

    const line = completeness.getByRole('link', { name: /^\d+ waiting for photos$/ })
    const waiting = Number.parseInt(await line.innerText())
    await line.click()
    await page
      .getByRole('status')
      .filter({ hasText: `${waiting} checklists waiting for photos in ${waiting} projects` })
      .waitFor()
    await show('/projects')
    const cells = page.getByRole('grid').getByText(/^\d+ (?:\/ \d+|so far)$/)
    await expect.poll(() => page.getByRole('grid').locator('[data-index] a').count()).toBeGreaterThan(10)
    const [project] = (await call('projects.list', {})).items.filter(
      (item) => item.checklists === item.completeChecklists,
    )
    const ofProject = (project?.archivedFiles ?? 0) - (project?.previews.archived ?? 0)
    expect(await cells.count()).toBeGreaterThan(0)
    await page
      .getByRole('grid')
      .getByRole('link', { name: project?.name ?? '', exact: true })
      .click()
    await main.getByText(`${ofProject} / ${ofProject}`).first().waitFor()
    await main.getByRole('region', { name: 'Checklists' }).getByRole('link').first().click()
    await main.getByText('Service status:').waitFor()
    await main.getByText(`${ofProject} / ${ofProject}`).first().waitFor()
    const { items } = (await call('projects.get', { projectId: project?.id ?? '' })).checklists
    const view = await call('checklists.get', { projectId: project?.id ?? '', checklistId: items[0]?.id ?? '' })
    const photos = view.sections.flatMap(({ questions }) => questions.flatMap((question) => question.photos))
    expect(photos.length + 1).toBe(ofProject)
  })
})
