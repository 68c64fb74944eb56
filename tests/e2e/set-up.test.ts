import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withApp } from './support/with-app.ts'

const small = { projects: 1, checklistsPerProject: 1, statuses: ['completed'] as const }

test('the first run goes from an address, a token and a folder to a full archive', async () => {
  const options = { isSetUp: false, service: { ...small, statuses: [...small.statuses] } }
  await withApp(options, async ({ page, service, folder, untilArchived, call, expectAccessible }) => {
    await page.getByRole('heading', { name: 'Set up Solarchive' }).waitFor()
    await expectAccessible()
    const archive = join(folder, 'the archive')
    await page.getByLabel('Service address').fill(service.url)
    await page.getByLabel('Access token').fill('not-the-token')
    await page.getByLabel('Archive folder').fill(archive)
    await page.getByText('The folder will be made.').waitFor()
    await page.getByRole('button', { name: 'Test the connection' }).click()
    await page.getByText('Token refused').waitFor()
    await expectAccessible()
    await page.getByLabel('Access token').fill(service.token)
    await page.getByRole('button', { name: 'Start archiving' }).click()
    await page.getByRole('dialog', { name: 'Add projects' }).waitFor()
    expect(page.url()).not.toContain(service.token)
    await call('projects.add', { projects: service.projects.map(({ id, name }) => ({ id, name })) })
    await untilArchived()
    expect(existsSync(archive)).toBe(true)
  })
})

test('who is only looking explores the sample service', async () => {
  await withApp({ isSetUp: false }, async ({ page, call }) => {
    await page.getByRole('button', { name: 'Explore the sample service' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await expect.poll(async () => (await call('projects.list', {})).total).toBeGreaterThan(0)
    expect(await call('setup.state', {})).toMatchObject({ ready: true, usesSample: true })
  })
})
