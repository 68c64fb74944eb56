import { expect, test } from 'vitest'
import { shareApp, withApp } from './support/with-app.ts'

const app = shareApp({ service: { projects: 2, checklistsPerProject: 0 }, addsProjects: false })

test('a pasted list is checked before it is added', async () => {
  const { page, service, show, call, expectAccessible } = app()
  const [first, second] = service.projects
  await call('projects.add', { projects: [{ id: first?.id ?? '' }] })
  await show('/projects?add')
  const dialog = page.getByRole('dialog', { name: 'Add projects' })
  const sheet = ['Project\tCustomer\tOwner\tSite address', `${second?.id}\tElm\tBob\t1 Elm St, Ithaca`].join('\n')
  await dialog.getByRole('textbox').fill(sheet)
  await dialog.getByRole('row').filter({ hasText: 'Elm, 1 Elm St, Ithaca' }).waitFor()
  const reading = 'ID from Project, name from Customer, address from Site address. Not used: Owner.'
  await dialog.getByText(reading).waitFor()
  const list = ['id,name', `${first?.id},Known residence`, `${second?.id},New residence`, 'two words,', '']
  await dialog.getByRole('textbox').fill([...list, `${second?.id},New residence`].join('\n'))
  await dialog.getByText('1 new project · 1 already here · 1 repeated · 1 row cannot be added').waitFor()
  await dialog.getByRole('row').filter({ hasText: 'The ID has a space in it.' }).waitFor()
  await expectAccessible(dialog)
  await dialog.getByRole('button', { name: 'Add 1 project' }).click()
  await dialog.waitFor({ state: 'detached' })
  const grid = page.getByRole('grid', { name: 'Projects' })
  await grid.getByText('New residence').waitFor()
  await grid.getByText('Known residence').waitFor()
  expect((await call('projects.list', {})).total).toBe(2)
})

test('a CSV file as Excel on Windows writes it is read with its umlauts, and one can be dropped', async () => {
  const { page, show, expectAccessible } = app()
  await show('/projects')
  await page.getByRole('button', { name: 'Add projects' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add projects' })
  const buffer = Buffer.from('Project ID;Name\r\nabc-1;Müller\r\n', 'latin1')
  await dialog.getByLabel('CSV file').setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer })
  await dialog.getByRole('row').filter({ hasText: 'Müller' }).waitFor()
  await expectAccessible(dialog)
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('table').waitFor({ state: 'detached' })
  expect(await dialog.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true)

  const dataTransfer = await page.evaluateHandle(
    `(() => {
      const data = new DataTransfer()
      data.items.add(new File(['id,name\\nabc-2,Dropped'], 'drop.csv'))
      return data
    })()`,
  )
  await dialog.getByRole('textbox').dispatchEvent('dragover', { dataTransfer })
  await dialog.getByRole('textbox').dispatchEvent('drop', { dataTransfer })
  await dialog.getByRole('row').filter({ hasText: 'Dropped' }).waitFor()
})

test('all projects that the service lists are imported in one step', async () => {
  await withApp({ service: { projects: 3, checklistsPerProject: 0 }, addsProjects: false }, async ({ page, show }) => {
    await show('/projects?add')
    await page.getByRole('button', { name: 'Import all projects' }).click()
    await page.getByText('The service lists 3 projects; 3 added').first().waitFor()
    await expect.poll(() => page.getByRole('grid').locator('[data-index]').count()).toBe(3)
  })
})

test('a service without a list of projects says so in the dialog', async () => {
  const { page, service, show } = app()
  service.faults.add({ route: 'projects', fault: { kind: 'status', status: 404 } })
  await show('/')
  await show('/projects?add')
  await page.getByRole('button', { name: 'Import all projects' }).click()
  await page.getByRole('dialog').getByRole('alert').waitFor()
})
