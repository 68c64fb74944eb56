import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openssl, startAuthority } from '../support/time-stamp-authority.ts'
import { shareApp } from './support/with-app.ts'

describe.skipIf(openssl === undefined)('time stamps in the settings', () => {
  const app = shareApp({ isArchived: true, service: { projects: 1, checklistsPerProject: 1 } })

  test('an authority is set, stamps the archive, and its failure is explained', async () => {
    const { page, folder, service, show, call, expectAccessible } = app()
    const authority = await startAuthority()
    try {
      await show('/settings?section=evidence')
      const section = page.locator('#evidence')
      const stamp = section.getByRole('button', { name: 'Stamp now' })
      await section.getByText('None yet').waitFor()
      expect(await stamp.isDisabled()).toBe(true)
      await section.getByRole('switch', { name: 'Daily time stamps' }).click()
      await section
        .getByRole('alert')
        .filter({ hasText: /authority/ })
        .waitFor()
      const address = section.getByLabel('Time-stamping authority')
      await address.fill('no address')
      await address.press('Tab')
      await section.getByText(/^Enter the address of a time-stamping authority/).waitFor()
      await expectAccessible(section)
      await address.fill(authority.url)
      await address.press('Tab')
      await stamp.click()
      await section.getByText('Stamped.').waitFor()
      await section.getByText(/by Example time stamps/).waitFor()
      await stamp.click()
      await section.getByText('Nothing has changed since the last time stamp.').waitFor()

      // What is known to be missing is said, and that it can be restored.
      const archive = join(folder, 'archive')
      const photo = readdirSync(archive, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('.jpg'))
      rmSync(join(archive, photo ?? ''))
      await call('verify.start', {})
      await expect.poll(async () => (await call('overview', {})).damagedFiles).toBe(1)
      await stamp.click()
      await section
        .getByText(/^1 archived file is missing or changed on the disk: the time stamp proves only/)
        .waitFor()
      await expectAccessible(section)

      authority.answerWith((_query, response) => void response.writeHead(503).end())
      service.addPhoto(service.projects[0]?.checklists[0]?.id ?? '', { question: 0 })
      await call('sync.now', {})
      await expect.poll(async () => (await call('overview', {})).sync.kind).toBe('idle')
      await stamp.click()
      const failure = section.getByRole('alert').filter({ hasText: /503/ })
      await failure.waitFor()
      await section.getByText(/by Example time stamps/).waitFor()
      // It is outdated after a time stamp that another window, or the day, asked for.
      authority.answerWith()
      await call('evidence.stampNow', {})
      await failure.waitFor({ state: 'detached' })
      await section.getByRole('switch', { name: 'Daily time stamps' }).click()
      await expect.poll(async () => (await call('settings.get', {})).stampDaily).toBe(true)
    } finally {
      await authority.close()
    }
  })
})
