import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { withApp } from './support/with-app.ts'

test('every view is reached by keyboard, and the palette finds a project by its name', async () => {
  await withApp(
    { hasMotion: true, service: { projects: 2, checklistsPerProject: 1 } },
    async ({ page, service, untilArchived, expectAccessible }) => {
      await untilArchived()
      for (const [key, title] of [
        ['p', 'Projects'],
        ['n', 'Attention'],
        ['a', 'Activity'],
        ['s', 'Settings'],
        ['o', 'Overview'],
      ] as const) {
        await page.keyboard.press('g')
        await page.keyboard.press(key)
        await page.locator('main h1', { hasText: title }).waitFor()
      }
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
      await expectAccessible(page.getByRole('dialog'))
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+k')
      const name = service.projects[0]?.name ?? ''
      await page.keyboard.type(name.slice(0, 12))
      await page
        .getByRole('option', { name: new RegExp(escape(name.slice(0, 12))) })
        .first()
        .waitFor()
      await expectAccessible(page.getByRole('dialog'))
      await page.keyboard.press('Enter')
      await expect.poll(() => page.url()).toContain('/projects/')
    },
  )
})

test('a lost connection to Solarchive is shown, with the next step', async () => {
  await withApp({ addsProjects: false }, async ({ page, stop }) => {
    await stop()
    await page.getByText('Connection to Solarchive lost').waitFor()
  })
})

test('a connection that is lost before it is established is shown as well', async () => {
  await withApp({ addsProjects: false }, async ({ page, stop }) => {
    await page.reload({ waitUntil: 'commit' })
    await page.locator('main h1').waitFor()
    await stop()
    await page.getByText('Connection to Solarchive lost').waitFor()
  })
})

test('eight tabs of one browser all respond and receive events, even after the first tab crashed', async () => {
  const service = { projects: 2, checklistsPerProject: 1 }
  await withApp({ isArchived: true, service, expectedMessages: /crash/ }, async ({ page, origin, call }) => {
    const others = await Promise.all(
      Array.from({ length: 7 }, async () => {
        const other = await page.context().newPage()
        await other.goto(`${origin}/#/activity`)
        return other
      }),
    )
    const expectPaused = (tabs: readonly Page[], isPaused: boolean) =>
      Promise.all(
        tabs.map((tab) =>
          tab
            .locator('aside')
            .getByText('Paused')
            .waitFor({ state: isPaused ? 'visible' : 'detached', timeout: 20_000 }),
        ),
      )
    for (const tab of others) await tab.locator('ol li p').first().waitFor({ timeout: 5_000 })
    await call('watch.pause', { length: 'hour' })
    await expectPaused([page, ...others], true)
    for (const tab of others) await tab.getByText(/^Syncing paused until/).waitFor({ timeout: 5_000 })

    await page.goto('chrome://crash').catch(() => undefined)
    await call('watch.resume', {})
    await expectPaused(others, false)
  })
})

test('after a crash and a restart an open page says what to do, and resumes afterwards', async () => {
  await withApp({ addsProjects: false, hasOwnProcess: true }, async ({ page, crashAndStartAgain }) => {
    const address = await crashAndStartAgain()
    await page
      .getByText('This browser is not logged in. Solarchive was restarted, or the session has ended. Open the address')
      .waitFor()
    expect(await page.getByText('Connection to Solarchive lost').count()).toBe(0)
    const other = await page.context().newPage()
    await other.goto(address)
    await other.locator('main h1').waitFor()
    await page.getByText('This browser is not logged in').waitFor({ state: 'detached' })
  })
})

function escape(text: string): string {
  return text.replace(/[^\w ]/g, '\\$&')
}
