import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { databaseName } from '../../electron/engine/store/database-files.ts'
import { readZip } from '../support/read-zip.ts'
import { holdBack } from './support/hold-back.ts'
import { shareApp, withApp } from './support/with-app.ts'

const app = shareApp({
  isArchived: true,
  service: { projects: 4, checklistsPerProject: 2, statuses: ['completed'] },
})

const slots = (page: Page) => page.getByRole('region', { name: 'Slots' })
const slot = (page: Page, title: string) =>
  slots(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: title, level: 3, exact: true }) })

test('a packet shows its slots, remembers a correction, and is made with its documents', async () => {
  const { page, service, folder, show, call, expectAccessible } = app()
  const surveys = service.projects.flatMap(({ id, checklists }) =>
    checklists.filter(({ title }) => title === 'Site survey').map((checklist) => ({ id, checklist })),
  )
  const [project, other] = surveys
  await show(`/projects/${project?.id}`)
  await page.getByRole('navigation', { name: 'This project' }).getByRole('link', { name: 'Packet' }).click()
  await slot(page, 'House from the street').getByText('Filled', { exact: true }).waitFor()
  await slot(page, 'House from the street').getByRole('img').first().waitFor()
  await slot(page, 'Utility bill').getByText('Add this document yourself.').waitFor()
  await slot(page, 'Panel label and directory').getByText('No question of the checklists fills it.').waitFor()
  await expectAccessible()

  // A question fills another slot, too, by keyboard.
  const change = (title: string) =>
    slot(page, title)
      .getByRole('button', { name: /^Change slot/ })
      .first()
  const name = ((await change('Utility meter').getAttribute('aria-label')) ?? '').replace('Change slot… ', '')
  await change('Utility meter').focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Slots of this question' })
  await dialog.getByText(name, { exact: true }).waitFor()
  await expectAccessible(dialog)
  await dialog.getByRole('checkbox', { name: 'Panel label and directory' }).press('Space')
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await slot(page, 'Panel label and directory').getByText('assigned by you').waitFor()
  await slot(page, 'Panel label and directory').getByText('Filled', { exact: true }).waitFor()

  // Another project's checklist has the same title. There, it is moved out of all slots.
  await show(`/projects/${other?.id}/checklists/${other?.checklist.id}/packet`)
  await page.getByRole('heading', { name: 'Site survey', level: 1 }).waitFor()
  await slot(page, 'Panel label and directory').getByText('assigned by you').waitFor()
  await change('Utility meter').click()
  await dialog.getByRole('checkbox', { name: 'Utility meter' }).uncheck()
  await dialog.getByRole('checkbox', { name: 'Panel label and directory' }).uncheck()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await slot(page, 'Utility meter').getByText('Not filled').waitFor()
  await page.getByText('6 of 7 required slots are filled').waitFor()
  const others = page.getByRole('region', { name: 'In no slot' })
  await others.getByText(name).waitFor()

  const target = join(folder, 'packets')
  mkdirSync(target)
  await page.getByRole('button', { name: 'Make packet…' }).click()
  const make = page.getByRole('dialog', { name: 'Make a packet' })
  await make.getByText('Not every required slot is filled.').waitFor()
  await make.getByRole('checkbox', { name: /^Certificate/ }).check()
  const names = make.getByLabel('File names')
  const firstNames = make.getByRole('list', { name: 'The first names' })
  await firstNames
    .getByText(/^photos\/01 House from the street\/01 /)
    .first()
    .waitFor()
  await names.fill('{slotnumber}/{nothing}')
  await make.getByText(/unknown field \{nothing\}.* Its fields are \{slot\}, \{slotid\}/).waitFor()
  expect(await make.getByRole('button', { name: 'Make packet' }).isDisabled()).toBe(true)
  await expectAccessible(make)
  await names.fill('{slotnumber:2}-{sequence:2} ')
  await make.getByRole('button', { name: '{slotid}' }).click()
  await expect.poll(() => names.inputValue()).toBe('{slotnumber:2}-{sequence:2} {slotid}')
  await firstNames.getByText('photos/01-01 house-front.jpg').waitFor()
  await make.getByRole('button', { name: 'Make packet' }).click()
  await make.getByText('Enter the folder for the packet.').waitFor()
  await expectAccessible(make)
  await make.getByLabel('Save in').fill(target)
  await make.getByRole('button', { name: 'Make packet' }).press('Enter')
  const finished = page.getByRole('dialog', { name: 'Packet finished' })
  await finished.getByRole('list', { name: 'Slots with gaps' }).getByText('Utility meter').waitFor()
  await expectAccessible(finished)
  const [made = ''] = readdirSync(target)
  expect(readdirSync(join(target, made))).toEqual(
    expect.arrayContaining(['packet.pdf', 'packet.json', 'certificate.pdf', 'photos', 'SHA256SUMS']),
  )
  const json = JSON.parse(readFileSync(join(target, made, 'packet.json'), 'utf8')) as { readonly complete: boolean }
  expect(json.complete).toBe(false)
  expect(readdirSync(join(target, made, 'photos'))).toContain('01-01 house-front.jpg')
  // The browser may be on another machine.
  const [downloaded] = await Promise.all([
    page.waitForEvent('download'),
    finished.getByRole('button', { name: 'Download' }).click(),
  ])
  const files = await readZip(readFileSync(await downloaded.path()))
  expect(files.get(`${made}/packet.json`)?.bytes.equals(readFileSync(join(target, made, 'packet.json')))).toBe(true)
  // While the dialog fades out, its button that makes a packet makes no other one.
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  const dialogAt = "document.querySelector('[role=dialog]')"
  await page.evaluate(`${dialogAt}.style.setProperty('animation-duration', '60s', 'important')`)
  await finished.getByRole('button', { name: 'Done' }).press('Enter')
  const closing = page.locator('[role="dialog"][data-state="closed"]')
  await closing.getByRole('button', { name: 'Make packet' }).press('Enter')
  expect(await page.evaluate(`getComputedStyle(${dialogAt}).pointerEvents`)).toBe('none')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.reload()
  // The choices are there again.
  await page.getByRole('button', { name: 'Make packet…' }).click()
  expect(await names.inputValue()).toBe('{slotnumber:2}-{sequence:2} {slotid}')
  expect(await make.getByLabel('Save in').inputValue()).toBe(target)
  expect(await make.getByRole('checkbox', { name: /^Certificate/ }).isChecked()).toBe(true)
  await page.keyboard.press('Escape')
  await make.waitFor({ state: 'detached' })
  expect(readdirSync(target)).toEqual([made])

  // What was decided is forgotten again.
  await others.getByRole('button', { name: `Change slot… ${name}` }).click()
  await dialog.getByRole('button', { name: 'Reset to the template' }).click()
  await slot(page, 'Utility meter').getByText('Filled', { exact: true }).waitFor()
  await slot(page, 'Panel label and directory').getByText('Optional, not filled').waitFor()
  const { slots: after } = await call('packets.preview', {
    selection: { kind: 'projects', projectIds: [project?.id ?? ''] },
    template: 'financing-site-survey',
  })
  expect(after.find(({ id }) => id === 'panel-label')?.questions).toEqual([])
})

test('a template that is chosen in another tab changes nothing in this one', async () => {
  const { page, origin, service, show } = app()
  await show(`/projects/${service.projects[0]?.id}/packet`)
  const template = page.getByRole('combobox', { name: 'Template' })
  await expect.poll(() => template.textContent()).toContain('Financing site survey')
  await page.evaluate("addEventListener('storage', ({ newValue }) => (window.chosenElsewhere = newValue))")
  const other = await page.context().newPage()
  await other.goto(`${origin}/#/projects/${service.projects[0]?.id}/packet`)
  await other.getByRole('combobox', { name: 'Template' }).click()
  await other.getByRole('option', { name: 'Permit photos' }).click()
  await expect.poll(() => page.evaluate('window.chosenElsewhere')).toBe('permit-photos')
  await other.close()
  expect(await template.textContent()).toContain('Financing site survey')
})

test('a template is copied, edited, saved as a file, removed, and imported', async () => {
  const { page, folder, service, show, call, expectAccessible } = app()
  await show(`/projects/${service.projects[0]?.id}/packet`)
  await page.getByRole('link', { name: 'Templates', exact: true }).click()
  const list = page.getByRole('list', { name: 'Templates' })
  await list
    .getByText(/comes with Solarchive/)
    .first()
    .waitFor()
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Projects' }).waitFor()
  const current = page.getByRole('navigation', { name: 'Views' }).locator('[aria-current]')
  expect(await current.innerText()).toBe('Projects')
  await expectAccessible()

  // From the page of a template that cannot be edited: the copy is on the same page, and Back asks as well.
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  await show('/packets/templates/permit-photos')
  await page.getByRole('link', { name: 'Copy', exact: true }).click()
  const title = page.getByLabel('Title', { exact: true }).first()
  await title.fill('Never saved')
  await page.goBack()
  await question.getByRole('button', { name: 'Discard changes' }).click()
  await page.getByRole('link', { name: 'All templates' }).click()

  await list.getByRole('link', { name: 'Copy Permit photos' }).click()
  await expect.poll(() => title.inputValue()).toBe('Permit photos (copy)')
  await title.fill('County of Suffolk')
  await page.getByRole('button', { name: /^Main panel with cover off/ }).press('Enter')
  const questions = page.getByLabel('Questions that fill it')
  await questions.fill('-gas')
  await page.getByLabel('Photos, at most').fill('0')
  await page.getByRole('button', { name: 'Save template' }).click()
  await page.getByText('“-gas” has no word to look for: add one without “-” before it.').waitFor()
  await page.getByText('Enter a number from 1 to 500, or nothing.').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true')
  await expectAccessible()
  const focused = () => page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")')
  await questions.fill('deadfront\n\npanel cover* -gas')
  await page.getByLabel('Photos, at most').fill('3')
  await page.getByRole('button', { name: 'Move Main panel with cover off up' }).press('Enter')
  await expect.poll(focused).toMatch(/^Move Main panel with cover off /)
  await page.getByRole('button', { name: 'Remove Roof obstructions' }).click()
  await expect.poll(focused).toMatch(/^Remove /)
  await page.getByRole('button', { name: 'Add slot' }).click()
  await page.getByRole('button', { name: /^Untitled slot/ }).waitFor()
  await page.keyboard.type('Gas meter')

  // Nothing is lost by a click.
  await page.getByRole('link', { name: 'Overview' }).click()
  await question.getByRole('button', { name: 'Keep editing' }).click()
  await question.waitFor({ state: 'detached' })
  const reloading = page.evaluate('location.reload()')
  const asked = await page.waitForEvent('dialog')
  expect(asked.type()).toBe('beforeunload')
  await asked.dismiss()
  await reloading
  await page.getByRole('button', { name: 'Save template' }).click()
  await list.getByText('County of Suffolk').waitFor()
  const own = async () =>
    (await call('packets.templates', {})).items.filter(({ isBuiltIn }) => !isBuiltIn).map(({ template }) => template)
  const [saved] = await own()
  expect(saved).toMatchObject({ id: 'county-of-suffolk', title: 'County of Suffolk' })
  expect(saved?.slots.find(({ id }) => id === 'main-panel')).toMatchObject({
    patterns: ['deadfront', 'panel cover* -gas'],
    maxPhotos: 3,
  })
  expect(saved?.slots.at(-1)).toMatchObject({ id: 'gas-meter', title: 'Gas meter', required: true })

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    list.getByRole('button', { name: 'Save as file: County of Suffolk', exact: true }).click(),
  ])
  expect(download.suggestedFilename()).toBe('county-of-suffolk.json')
  const file = join(folder, 'county.json')
  await download.saveAs(file)
  await page.getByLabel('Template file').setInputFiles(file)
  await page.getByText('Template “County of Suffolk (2)” imported', { exact: true }).waitFor()
  expect((await own()).map(({ id }) => id)).toEqual(['county-of-suffolk', 'county-of-suffolk-2'])
  await list.getByText(/^county-of-suffolk-2 · /).waitFor()
  // Also before the list of this page has arrived.
  const held = await holdBack(page, ['**/api/call/packets.templates'])
  await show('/')
  await show('/packets/templates')
  await held.until('packets.templates')
  await page.getByLabel('Template file').setInputFiles(file)
  held.release('packets.templates')
  await page.getByText('Template “County of Suffolk (3)” imported', { exact: true }).waitFor()
  expect(await own()).toHaveLength(3)
  // `/packets/templates/new` is the form for a new template.
  writeFileSync(join(folder, 'new.json'), JSON.stringify({ ...saved, id: 'new', title: 'New county' }))
  await page.getByLabel('Template file').setInputFiles(join(folder, 'new.json'))
  await list.getByRole('link', { name: 'Edit New county' }).click()
  await page.getByRole('heading', { name: 'New county', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await list.getByRole('button', { name: 'Remove… New county' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove template' }).click()
  await expect.poll(async () => (await own()).length).toBe(3)
  writeFileSync(join(folder, 'wrong.json'), '{"slots": []}')
  await page.getByLabel('Template file').setInputFiles(join(folder, 'wrong.json'))
  await page.getByText(/wrong\.json is not a template at id: /).waitFor()
  const wrong = { ...saved, slots: [{ ...saved?.slots[0], title: '' }] }
  writeFileSync(join(folder, 'untitled.json'), JSON.stringify(wrong))
  await page.getByLabel('Template file').setInputFiles(join(folder, 'untitled.json'))
  const notice = page.getByRole('alert').filter({ hasText: 'untitled.json is not a template at slots.0.title: ' })
  await notice.waitFor()
  // The notice stays within the page beside its margins.
  const [box, room] = [await notice.boundingBox(), page.viewportSize()]
  expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThan(room?.width ?? 0)
  writeFileSync(join(folder, 'latin1.json'), Buffer.from(JSON.stringify({ ...saved, title: 'Übergabe' }), 'latin1'))
  await page.getByLabel('Template file').setInputFiles(join(folder, 'latin1.json'))
  await page.getByText('latin1.json is not saved as UTF-8. Choose another file.').waitFor()
  writeFileSync(join(folder, 'broken.json'), '{"slots": [')
  await page.getByLabel('Template file').setInputFiles(join(folder, 'broken.json'))
  await page.getByText('broken.json is not valid JSON. Choose another file.').waitFor()

  await list.getByRole('button', { name: 'Remove… County of Suffolk' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove template' }).click()
  await expect.poll(async () => (await own()).length).toBe(2)
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
})

test('a slot says how many of its photos are in the packet', async () => {
  const { page, service, show, call } = app()
  const limited = { id: 'all', title: 'At most one', patterns: ['*o*'], maxPhotos: 1 }
  await call('packets.saveTemplate', { template: { id: 'limited', title: 'Limited', slots: [limited] } })
  await show(`/projects/${service.projects[0]?.id}/packet?template=limited`)
  await slot(page, 'At most one')
    .getByText(/^1 of \d+ photos$/)
    .waitFor()
  await call('packets.removeTemplate', { id: 'limited' })
})

test('the packet of a project or template that is removed meanwhile is no longer offered', async () => {
  const { page, service, show, call } = app()
  const projectId = service.projects[3]?.id ?? ''
  const [example] = (await call('packets.templates', {})).items
  if (example === undefined) throw new Error('There is no template')
  await call('packets.saveTemplate', { template: { ...example.template, id: 'short-lived', title: 'Short-lived' } })
  await show(`/projects/${projectId}/packet?template=short-lived`)
  const template = page.getByRole('combobox', { name: 'Template' })
  await expect.poll(() => template.textContent()).toBe('Short-lived')
  const make = page.getByRole('button', { name: 'Make packet…' })
  await expect.poll(() => make.isEnabled()).toBe(true)
  await call('packets.removeTemplate', { id: 'short-lived' })
  await call('projects.remove', { projectId: service.projects[2]?.id ?? '' })
  await expect.poll(() => template.textContent()).not.toBe('Short-lived')
  await slots(page).waitFor()
  expect(await make.isEnabled()).toBe(true)

  await call('projects.remove', { projectId })
  await page.getByText('This project is not in the archive').waitFor()
  expect(await make.isDisabled()).toBe(true)
  expect(await page.getByText(/Nothing archived yet|required slots/).count()).toBe(0)
})

test('questions and checklists without a name are called untitled', async () => {
  const service = { projects: 1, checklistsPerProject: 1, statuses: ['completed'] } as const
  await withApp({ isArchived: true, service }, async ({ page, service: { projects }, show, home }) => {
    const db = new Database(join(home, databaseName))
    db.exec(`UPDATE checklists SET title = '';
      UPDATE questions SET label = '' WHERE key = (SELECT question_key FROM assets WHERE kind = 'photo' LIMIT 1)`)
    db.close()
    await show(`/projects/${projects[0]?.id}/packet`)
    const untitled = slots(page)
      .getByRole('button', { name: /^Change slot… .*Untitled question$/ })
      .first()
    await untitled.click()
    const dialog = page.getByRole('dialog', { name: 'Slots of this question' })
    await dialog.getByText('“Untitled checklist”').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await slots(page)
      .getByRole('list', { name: /^Photos of .*Untitled question$/ })
      .getByRole('link')
      .first()
      .click()
    await page.getByRole('dialog', { name: 'Photos' }).waitFor()
    await page.keyboard.press('i')
    const panel = page.getByRole('complementary', { name: 'About this photo' })
    await panel.getByText('Untitled question').waitFor()
  })
})

test('a packet of another window leaves no form for nothing once Solarchive has started again', async () => {
  const { page, service, folder, show, call, startAgain } = app()
  // This window, too, is another one after a reload.
  await show('/')
  await page.reload()
  await call('packets.start', {
    // Other tests have removed other projects.
    selection: { kind: 'projects', projectIds: [service.projects[0]?.id ?? ''] },
    template: 'permit-photos',
    to: join(folder, 'elsewhere'),
  })
  await page.getByRole('button', { name: /^Packet finished/ }).click()
  await page.getByRole('dialog', { name: 'Packet finished' }).waitFor()
  const address = await startAgain()
  const other = await page.context().newPage()
  await other.goto(address)
  await other.locator('main h1').waitFor()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await other.close()
})
