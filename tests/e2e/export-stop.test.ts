import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Locator } from 'playwright-core'
import { delayContactSheets } from './support/delay-contact-sheets.ts'
import { shareApp } from './support/with-app.ts'

const app = shareApp({
  isArchived: true,
  service: { projects: 1, checklistsPerProject: 1, statuses: ['completed'], photosPerQuestion: 10 },
})

test('an export that is stopped leaves nothing at its target, says so, and can be started again', async () => {
  const { page, folder, service, show, call, expectAccessible } = app()
  const target = join(folder, 'stopped')
  mkdirSync(target)
  await show(`/projects/${service.projects[0]?.id}`)
  await page.getByRole('button', { name: 'Export…' }).click()
  const choices = page.getByRole('dialog', { name: /^Export / })
  const sheet = choices.getByRole('checkbox', { name: /^Contact sheet/ })
  await sheet.check()
  await choices.getByLabel('Save in').fill(target)
  const start = choices.getByRole('button', { name: 'Export', exact: true })
  delayContactSheets()
  await start.click()

  const running = page.getByRole('dialog', { name: 'Exporting' })
  await running.getByText(/^[1-9]\d* of \d+ photos/).waitFor()
  expect(readdirSync(target)).toEqual([expect.stringMatching(/^\..*\.partial$/)])
  await running.getByRole('button', { name: 'Stop' }).click()
  const message = choices.getByRole('alert')
  await message.getByText('Export stopped. The export was stopped. Nothing of it was kept').waitFor()
  expect(readdirSync(target)).toEqual([])
  await expectAccessible(choices)
  expect((await call('overview', {})).damagedFiles).toBe(0)

  await sheet.uncheck()
  await start.click()
  await page.getByRole('dialog', { name: 'Export finished' }).waitFor()
  expect(readdirSync(target)).toEqual([expect.stringMatching(/^[^.]/)])
  await page.keyboard.press('Escape')
})

test('the line of an export keeps the focus while it counts, and says why the export failed', async () => {
  const { page, folder, service, show, call } = app()
  const target = join(folder, 'lost')
  mkdirSync(target)
  const projectId = service.projects[0]?.id ?? ''
  await show(`/projects/${projectId}`)
  await page.getByRole('button', { name: 'Export…' }).click()
  const choices = page.getByRole('dialog', { name: /^Export / })
  await choices.getByRole('checkbox', { name: /^Contact sheet/ }).check()
  await choices.getByLabel('Save in').fill(target)
  const proceed = delayContactSheets()
  await choices.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('dialog', { name: 'Exporting' }).waitFor()
  await page.keyboard.press('Escape')
  const line = page.getByRole('button', { name: /^Exporting/ })
  await line.focus()
  const first = await line.textContent()
  await expect.poll(() => line.textContent()).not.toBe(first)
  expect(await line.and(page.locator(':focus')).count()).toBe(1)

  // The reason is that of the export that failed, also if another one is wanted meanwhile, or after it.
  const title = `Export ${(await call('projects.get', { projectId })).project.name}`
  // Esc would close the toast as well.
  const close = async (dialog: Locator) => {
    await dialog
      .getByRole('button', { name: /^(?:Close|Cancel)$/ })
      .last()
      .click()
    await dialog.waitFor({ state: 'detached' })
  }
  const wantEverything = async (heading: string) => {
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search everything').fill('Export everything')
    await page.getByRole('option', { name: 'Export everything…' }).click()
    const dialog = page.getByRole('dialog', { name: heading })
    await close(dialog)
  }
  await wantEverything('Exporting')
  rmSync(target, { recursive: true })
  proceed()
  const details = page.getByRole('button', { name: 'Details' })
  await details.waitFor()
  // Toasts stay while the window does not have the focus.
  await page.evaluate("dispatchEvent(new Event('blur'))")
  await page.getByRole('button', { name: /^Export failed/ }).press('Enter')
  const reason = choices.getByRole('alert').filter({ hasText: 'The export failed' })
  await reason.waitFor()
  await page.getByRole('heading', { name: title, exact: true }).waitFor()
  await close(choices)
  await wantEverything('Export everything')
  await details.click()
  await reason.waitFor()
  await page.getByRole('heading', { name: title, exact: true }).waitFor()
  await choices.getByRole('checkbox', { name: /^Contact sheet/ }).uncheck()
  await reason.waitFor({ state: 'detached' })
})

test('an export that another window started, and that ends early, leaves no form for something else', async () => {
  const { page, folder, service, show, call } = app()
  const target = join(folder, 'elsewhere')
  mkdirSync(target)
  const projectId = service.projects[0]?.id ?? ''
  const startElsewhere = () =>
    call('export.start', {
      selection: { kind: 'projects', projectIds: [projectId] },
      options: { include: ['photos', 'contact-sheet'] },
      to: target,
      inFolder: true,
    })
  // This window, too, is another one after a reload.
  await show(`/projects/${projectId}`)
  await page.reload()
  const proceed = delayContactSheets()
  await startElsewhere()
  const line = page.getByRole('button', { name: /^Exporting/ })
  await line.click()
  const running = page.getByRole('dialog', { name: 'Exporting' })
  await running.getByRole('button', { name: 'Stop' }).click()
  await line.waitFor({ state: 'detached' })
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)

  await startElsewhere()
  await page.getByRole('button', { name: 'Export…' }).click()
  await running.waitFor()
  rmSync(target, { recursive: true })
  proceed()
  await page.getByText('Export failed', { exact: true }).waitFor()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  expect(await page.getByRole('button', { name: /^(?:Details|Export failed)/ }).count()).toBe(0)
})

test('the settings say that a change of them stops an export that runs', async () => {
  const { page, folder, service, show, call } = app()
  const target = join(folder, 'settings')
  mkdirSync(target)
  await show('/settings')
  delayContactSheets()
  await call('export.start', {
    selection: { kind: 'projects', projectIds: [service.projects[0]?.id ?? ''] },
    options: { include: ['photos', 'contact-sheet'] },
    to: target,
    inFolder: true,
  })
  const notice = page.getByRole('status').filter({ hasText: 'export, or packet you started' })
  await notice.waitFor()
  const sections = page.getByRole('region', { name: 'Settings', exact: true })
  for (const name of ['Connection', 'Sync', 'Time stamps']) {
    await page.getByRole('navigation', { name: 'Settings sections' }).getByRole('button', { name }).click()
    // It is in view beside each section that it is about.
    const [box, below] = [await notice.boundingBox(), await sections.boundingBox()]
    expect((box?.y ?? -1) >= 0 && (box?.y ?? 0) + (box?.height ?? Infinity) <= (below?.y ?? 0), name).toBe(true)
  }
  await call('settings.save', { schedule: 'hourly' })
  await notice.waitFor({ state: 'detached' })
  expect(readdirSync(target)).toEqual([])
})
