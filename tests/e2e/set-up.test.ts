import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withApp } from './support/with-app.ts'

const small = { projects: 1, checklistsPerProject: 1, statuses: ['completed'] as const }

test('the first run goes from an address, a token and a folder to a full archive', async () => {
  const options = { isSetUp: false, service: { ...small, statuses: [...small.statuses] } }
  await withApp(options, async ({ page, service, folder, untilArchived, call, show, expectAccessible }) => {
    await page.getByRole('heading', { name: 'Set up Solarchive' }).waitFor()
    await page.getByText('Still missing: the access token.').waitFor()
    await expectAccessible()
    const archive = join(folder, 'the archive')
    await page.getByLabel('Service address').fill(service.url)
    await page.getByLabel('Access token').fill('not-the-token')
    await page.getByLabel('Archive folder').fill(archive)
    await page.getByText('The folder will be made.').waitFor()
    await page.getByRole('button', { name: 'Test the connection' }).click()
    await page.getByText('Token refused').waitFor()
    await page.getByLabel('Access token').fill('')
    await page.getByRole('button', { name: 'Test the connection' }).click()
    await page.getByText('Token missing').waitFor()
    expect(await page.getByRole('link', { name: 'Cancel' }).count()).toBe(0)
    await expectAccessible()
    await page.getByLabel('Access token').fill(service.token)
    expect(await page.getByText('Still missing').count()).toBe(0)
    writeFileSync(archive, 'in the way')
    await page.getByRole('button', { name: 'Start archiving' }).click()
    await page.getByRole('alert').getByText('There is a file of this name.').waitFor()
    const folderCheck = page.getByRole('status').filter({ hasText: 'There is a file of this name.' })
    await folderCheck.waitFor()
    expect(await page.getByText('The folder will be made.').count()).toBe(0)
    expect(await page.getByLabel('Service address').inputValue()).toBe(service.url)
    rmSync(archive)
    mkdirSync(archive)
    writeFileSync(join(archive, 'notes.txt'), 'mine')
    await page.getByLabel('Archive folder').fill(`${archive}/`)
    await page.getByText('There are files in this folder already; they stay.').waitFor()
    await page.getByRole('button', { name: 'Start archiving' }).click()
    await page.getByRole('dialog', { name: 'Add projects' }).waitFor()
    expect(page.url()).not.toContain(service.token)
    await call('projects.add', { projects: service.projects.map(({ id, name }) => ({ id, name })) })
    await untilArchived()
    expect(readFileSync(join(archive, 'notes.txt'), 'utf8')).toBe('mine')

    await show('/settings')
    const other = new URL(service.url)
    other.hostname = 'localhost'
    await page.getByLabel('Service address').fill(other.href)
    await page.getByText('The stored token is not sent to another address.').waitFor()
    const save = page.locator('#connection').getByRole('button', { name: 'Save' })
    expect(await save.isDisabled()).toBe(true)
    const asked = service.requests.count('api')
    await page.getByRole('button', { name: 'Test now' }).click()
    await page.getByText('Paste the token for this address.').waitFor()
    expect(service.requests.count('api')).toBe(asked)
    await page.getByLabel('Access token').fill(service.token)
    expect(await page.getByRole('button', { name: 'Replace' }).isDisabled()).toBe(true)
    await save.click()
    await expect.poll(async () => (await call('settings.get', {})).serviceUrl).toBe(other.origin)
    await expect.poll(() => page.getByLabel('Access token').inputValue()).toBe('')
  })
})

test('who is only looking explores the sample service, and may look at the set-up without leaving it', async () => {
  await withApp({ isSetUp: false }, async ({ page, call, show, expectAccessible }) => {
    const own = await page.getByLabel('Archive folder').inputValue()
    await page.getByRole('button', { name: 'Explore the sample service' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await expect.poll(async () => (await call('projects.list', {})).total).toBeGreaterThan(0)
    expect(await call('setup.state', {})).toMatchObject({ ready: true, usesSample: true })
    await page.getByRole('link', { name: 'Sample service' }).click()
    await page.getByRole('heading', { name: 'Set up Solarchive' }).waitFor()
    await show('/settings')
    await page.getByText('Address, token and connection test belong to the real service').waitFor()
    for (const name of ['Test now', 'Replace', 'I have moved the folder myself']) {
      expect(await page.getByRole('button', { name }).or(page.getByRole('link', { name })).count(), name).toBe(0)
    }
    await page.getByRole('link', { name: 'Connect to the real service' }).click()
    await expect.poll(() => page.getByLabel('Archive folder').inputValue()).toBe(own)
    expect(own).toMatch(/Solarchive$/)
    expect(await page.getByLabel('Service address').inputValue()).toMatch(/^https:/)
    await expectAccessible()
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await call('setup.state', {})).toMatchObject({ ready: true, usesSample: true })
  })
})
