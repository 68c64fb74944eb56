import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { shareApp } from './support/with-app.ts'

const app = shareApp({
  isArchived: true,
  service: { projects: 2, checklistsPerProject: 2, statuses: ['completed', 'awaitingMedia'] },
  // Photos that are not uploaded yet are gaps.
  expectedMessages: /404/,
})

const dialog = (page: Page) => page.getByRole('dialog').filter({ has: page.getByRole('heading', { level: 2 }) })
const folderField = (page: Page) => dialog(page).getByLabel('Save in')
const start = (page: Page) => dialog(page).getByRole('button', { name: 'Export', exact: true })
const finished = (page: Page) => page.getByRole('dialog', { name: 'Export finished' })

/** Returns an empty folder for exports. */
function emptyFolder(name: string): string {
  const folder = join(app().folder, name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  return folder
}

async function runCommand(page: Page, label: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Search everything').fill(label.replace('…', ''))
  await page.getByRole('option', { name: label }).click()
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => statSync(join(folder, path)).isFile())

test('a project is exported with chosen names, parts, and format, by keyboard', async () => {
  const { page, service, show, call, expectAccessible } = app()
  const folder = emptyFolder('project')
  const [project] = service.projects
  const projectId = project?.id ?? ''
  const { project: row } = await call('projects.get', { projectId })
  await show(`/projects/${projectId}`)
  await page.getByRole('button', { name: 'Export…' }).focus()
  await page.keyboard.press('Enter')
  const box = page.getByRole('dialog', { name: `Export ${row.name}` })
  await box.getByText(/^2 checklists of 1 project/).waitFor()
  await expectAccessible(box)

  // A template that has a mistake, and one that has none.
  const names = box.getByLabel('File names')
  await names.fill('{project}/{nothing}')
  await box.getByText(/unknown field \{nothing\}/).waitFor()
  expect(await start(page).isDisabled()).toBe(true)
  await expectAccessible(box)
  // What was not exported with is forgotten.
  await page.keyboard.press('Escape')
  await box.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Export…' }).click()
  await expect.poll(() => names.inputValue()).toBe('{project}/{checklist}/{section}/{question}/{name}')
  await names.fill('{project:upper}/{sequence:3} ')
  await box.getByRole('button', { name: '{question}' }).click()
  await expect.poll(() => names.inputValue()).toBe('{project:upper}/{sequence:3} {question}')
  await box
    .getByRole('list', { name: 'The first names' })
    .getByText(/\/001 /)
    .first()
    .waitFor()

  await box.getByText(/^1 checklist is not completed yet/).waitFor()
  await box.getByRole('checkbox', { name: /^Reports/ }).press('Space')
  await box.getByRole('radio', { name: /^Zip file/ }).check()
  await box.getByText(`${row.name}.zip`).waitFor()
  await start(page).click()
  await box.getByText('Enter the folder for the export.').waitFor()
  // A folder that was mistyped is not the name of the zip.
  await folderField(page).fill(join(folder, 'nowhere'))
  await start(page).click()
  const problem = box.getByRole('alert').getByText(/^The folder does not exist: /)
  await problem.waitFor()
  expect(await folderField(page).getAttribute('aria-describedby')).toBe('export-folder-problem')
  await expectAccessible(box)
  expect(readdirSync(folder)).toEqual([])
  await folderField(page).fill(folder)
  await problem.waitFor({ state: 'detached' })
  await start(page).press('Enter')
  await finished(page)
    .getByText(/files? of 2 checklists in 1 project/)
    .waitFor()
  await expectAccessible(finished(page))
  expect(readdirSync(folder)).toEqual([`${row.name}.zip`])
  // The browser may be on another machine.
  const [downloaded] = await Promise.all([
    page.waitForEvent('download'),
    finished(page).getByRole('button', { name: 'Download' }).click(),
  ])
  expect(downloaded.suggestedFilename()).toBe(`${row.name}.zip`)
  expect(readFileSync(await downloaded.path())).toEqual(readFileSync(join(folder, `${row.name}.zip`)))
  await finished(page).getByRole('button', { name: 'Done' }).press('Enter')
  await finished(page).waitFor({ state: 'detached' })

  // The choices are there again, and the name is a free one.
  await runCommand(page, 'Export this project…')
  expect(await names.inputValue()).toBe('{project:upper}/{sequence:3} {question}')
  expect(await folderField(page).inputValue()).toBe(folder)
  await box.getByRole('button', { name: 'Examples' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Folders as in the archive' }).click()
  await box.getByRole('checkbox', { name: /^Reports/ }).check()
  await box.getByRole('radio', { name: /^BagIt bag/ }).check()
  await box.getByRole('checkbox', { name: /^Contact sheet/ }).check()
  await box.getByRole('checkbox', { name: /^Certificate/ }).check()
  await start(page).click()
  await finished(page).waitFor()
  const bag = join(folder, row.name)
  expect(readFileSync(join(bag, 'bagit.txt'), 'utf8')).toContain('BagIt-Version: 1.0')
  const documents = ['certificate.pdf', 'contact-sheet.pdf']
  expect(filesIn(join(bag, 'data'))).toEqual(expect.arrayContaining(documents))
  expect(filesIn(join(bag, 'data')).filter((path) => path.endsWith('.pdf')).length).toBeGreaterThan(documents.length)
  await page.keyboard.press('Escape')
})

test('what is missing is shown before and after, and incomplete checklists can be left out', async () => {
  const { page, service, show, call } = app()
  const folder = emptyFolder('gaps')
  const [project] = service.projects
  const checklist = project?.checklists.find(({ status }) => status === 'completed')
  service.addPhoto(checklist?.id ?? '', { question: 0, state: 'planned' })
  await call('sync.now', {})
  await expect
    .poll(async () => {
      const { gaps } = await call('export.preview', { selection: { kind: 'everything' }, options: {} })
      return gaps
    })
    .toBeGreaterThan(0)
  await show('/activity')
  await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor()
  await runCommand(page, 'Export everything…')
  const box = page.getByRole('dialog', { name: 'Export everything' })
  await box.getByText(/files that are not archived/).waitFor()
  await box.getByRole('checkbox', { name: 'Only complete checklists' }).check()
  await box.getByText(/left out/).waitFor()
  await box.getByText(/files that are not archived/).waitFor({ state: 'detached' })
  await box.getByRole('checkbox', { name: 'Only complete checklists' }).uncheck()
  await box.getByRole('radio', { name: /^Folder/ }).check()
  // Remembered for the later tests: these documents take longer than the rest of an export.
  await box.getByRole('checkbox', { name: /^Contact sheet/ }).uncheck()
  await box.getByRole('checkbox', { name: /^Certificate/ }).uncheck()
  await folderField(page).fill(folder)
  await start(page).click()
  await finished(page)
    .getByRole('list')
    .getByText(/archived\. Not uploaded/)
    .first()
    .waitFor()
  expect(existsSync(join(folder, 'Solarchive export', 'SHA256SUMS'))).toBe(true)
  await page.keyboard.press('Escape')
})

test('selected projects, a checklist, photos, a question, and a search are exported', async () => {
  const { page, service, show } = app()
  const [project] = service.projects
  const checklist = project?.checklists[0]
  const expectTitle = async (title: string | RegExp) => {
    await page.getByRole('dialog', { name: title }).getByText(/file/).first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: title }).waitFor({ state: 'detached' })
  }
  await show('/projects')
  await page.getByRole('grid', { name: 'Projects' }).locator('[data-index="0"] a').waitFor()
  await page.getByRole('checkbox', { name: 'Select all listed projects' }).click()
  await page.getByRole('toolbar', { name: 'Selected projects' }).getByRole('button', { name: 'Export…' }).click()
  await expectTitle('Export 2 projects')

  await show(`/projects/${project?.id}`)
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Export…' }).click()
  await expectTitle(/^Export /)

  await show(`/projects/${project?.id}/checklists/${checklist?.id}`)
  await page.getByRole('button', { name: 'Export…' }).click()
  await expectTitle(`Export ${checklist?.title}`)
  const grid = page.getByRole('region', { name: 'Photos by question' })
  await grid.locator('[data-openable="0"]').focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+ArrowRight')
  await page.getByRole('toolbar', { name: 'Selected photos' }).getByRole('button', { name: 'Export…' }).click()
  await expectTitle(`Export 2 photos of ${checklist?.title}`)
  await page.keyboard.press('Escape')
  await page
    .getByRole('navigation', { name: 'Questions' })
    .getByRole('button')
    .filter({ hasText: /[1-9]\d* of \d+ photo/ })
    .first()
    .click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Export this question…' }).click()
  await expectTitle(new RegExp(`^Export “.+” of ${checklist?.title}`))

  await show('/search?q=kind:photo')
  await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Export…' }).click()
  await expectTitle('Export what “kind:photo” finds')
})

test('an export continues beside other pages and shows its end', async () => {
  const { page, show, call } = app()
  const folder = emptyFolder('stopped')
  await show('/')
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await runCommand(page, 'Export everything…')
  await folderField(page).fill(folder)
  await start(page).click()
  await finished(page).waitFor()
  await page.keyboard.press('Escape')

  // As another window or the command line would.
  await call('export.start', { selection: { kind: 'everything' }, options: {}, to: join(folder, 'again') })
  await page.getByText(/^Export finished: \d+ files, not complete$/).waitFor()
  // The result is still there on another page.
  await page.getByRole('link', { name: 'Activity', exact: true }).click()
  await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor()
  await page.getByRole('button', { name: /^Export finished/ }).click()
  await finished(page).getByText(join(folder, 'again')).waitFor()
  await finished(page).getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: /^Export finished/ }).waitFor({ state: 'detached' })

  // The message of the end opens it in place of the palette.
  await page.keyboard.press('Control+k')
  const search = page.getByPlaceholder('Search everything')
  await search.waitFor()
  await call('export.start', { selection: { kind: 'everything' }, options: {}, to: join(folder, 'third') })
  await page.locator('ol[data-slot="viewport"] button', { hasText: 'Details' }).first().click()
  await finished(page).waitFor()
  await search.waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await finished(page).waitFor({ state: 'detached' })
})

test('in a small window the dialog shows that it continues, and scrolls to what is wrong', async () => {
  const { page, service, show, expectAccessible } = app()
  await show(`/projects/${service.projects[0]?.id}`)
  const size = page.viewportSize()
  await page.setViewportSize({ width: 800, height: 700 })
  try {
    await page.getByRole('button', { name: 'Export…' }).click()
    const names = dialog(page).getByRole('list', { name: 'The first names' })
    await names.getByRole('button', { name: /^Show \d+ more$/ }).waitFor()
    const hint = dialog(page).locator('[data-scroll-hint]')
    await hint.waitFor()
    await folderField(page).fill(join(app().folder, 'nowhere'))
    await start(page).click()
    const problem = dialog(page).getByRole('alert')
    await problem.waitFor()
    const [text, footer] = [await problem.boundingBox(), await start(page).boundingBox()]
    expect((text?.y ?? Infinity) + (text?.height ?? 0)).toBeLessThan(footer?.y ?? 0)
    await expectAccessible(dialog(page))
    await names.getByRole('button').click()
    await names.getByRole('button').waitFor({ state: 'detached' })
    expect(await names.getByRole('listitem').count()).toBeGreaterThan(5)
    await names.hover()
    await page.mouse.wheel(0, 5_000)
    await hint.waitFor({ state: 'hidden' })
    await page.keyboard.press('Escape')
  } finally {
    if (size !== null) await page.setViewportSize(size)
  }
})

test('damage that an export finds is under Attention as soon as it ends', async () => {
  const { page, folder: own, show, call } = app()
  const folder = emptyFolder('damage')
  const archive = join(own, 'archive')
  const photo = filesIn(archive).find(
    (path) => /(^|\/)photos\/.*\.(jpe?g|png)$/.test(path) && !path.includes('.versions'),
  )
  rmSync(join(archive, photo ?? ''))
  expect((await call('overview', {})).damagedFiles).toBe(0)
  await show('/attention')
  await page.getByRole('heading', { name: 'Attention', level: 1 }).waitFor()
  await runCommand(page, 'Export everything…')
  await folderField(page).fill(folder)
  await start(page).click()
  await finished(page)
    .getByText(/missing or changed/i)
    .first()
    .waitFor()
  await finished(page).getByRole('button', { name: 'Done' }).click()
  await page.getByText('1 archived file missing or changed').waitFor()
  expect((await call('overview', {})).damagedFiles).toBe(1)
})
