import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { until } from '../support/watching.ts'
import { withServer } from '../support/with-server.ts'
import { withApp } from './support/with-app.ts'

const service = { projects: 1, checklistsPerProject: 1 }
const expectedMessages = /status of 401/

test('a program on another port that receives the cookie opens nothing with it', async () => {
  await withApp({ isArchived: true, service }, async ({ page, origin, call }) => {
    await withServer(
      (_request, response) => void response.end('<h1>Another program</h1>'),
      async ({ url, requests }) => {
        const visit = await page.context().newPage()
        await visit.goto(url)
        const cookie = requests[0]?.headers.cookie ?? ''
        expect(cookie).toContain(`solarchive-${new URL(origin).port}=`)
        const steal = (path: string, init: RequestInit = {}) =>
          fetch(new URL(path, origin), { ...init, headers: { cookie, 'content-type': 'application/json' } })
        for (const path of ['/api/events', '/files/1', '/thumbnails/2', '/support-bundle.zip']) {
          expect((await steal(path)).status, path).toBe(401)
        }
        for (const path of ['/api/call/overview', '/api/call/settings.get', '/api/log-out']) {
          expect((await steal(path, { method: 'POST', body: '{}' })).status, path).toBe(401)
        }
        // Its pages have the host's cookie, and not the keys of this origin.
        const stored = 'JSON.stringify([{ ...sessionStorage }, { ...localStorage }])'
        expect(await visit.evaluate(stored)).toBe('[{},{}]')
      },
    )
    expect((await call('overview', {})).counts.projects).toBe(1)
  })
})

test('a reload and a new tab keep the session, and without any tab the browser says how to open the app', async () => {
  await withApp({ isArchived: true, service, expectedMessages }, async ({ page, origin }) => {
    await page.reload()
    await page.locator('main h1').waitFor()
    const second = await page.context().newPage()
    await second.goto(`${origin}/#/projects`)
    await second.getByRole('heading', { name: 'Projects', exact: true }).waitFor()
    // The keys are neither in the address nor in the history.
    expect(second.url()).toBe(`${origin}/#/projects`)

    await second.evaluate('sessionStorage.clear()')
    await page.close()
    await second.goto('about:blank')
    const late = await second.context().newPage()
    await second.close()
    const browser = await late.context().newCDPSession(late)
    await until('the worker has ended', async () => {
      const { targetInfos } = await browser.send('Target.getTargets')
      return !targetInfos.some(({ type, url }) => type === 'shared_worker' && url.startsWith(origin))
    })
    await late.goto(`${origin}/#/projects`)
    await late.getByText('This browser is not logged in.').waitFor()
    await late.getByText('Open the address that Solarchive printed last').waitFor()
  })
})

test('a new address opens the app beside older tabs after the clock of the machine was set back', async () => {
  const rightTime = Date.now
  const ahead = vi.spyOn(Date, 'now').mockImplementation(() => rightTime() + 3_600_000)
  await withApp({ service, expectedMessages }, async ({ page, origin, service: { projects }, latestAddress }) => {
    const showProject = async (tab: Page) => {
      await tab.goto(`${origin}/#/projects`)
      await tab
        .getByText(projects[0]?.name ?? '', { exact: true })
        .first()
        .waitFor()
    }
    await showProject(page)
    ahead.mockRestore()
    const second = await page.context().newPage()
    await second.goto(latestAddress())
    await second.locator('main h1').waitFor()
    await showProject(second)
    // A tab with the keys of the earlier session, and one without any.
    await page.reload()
    await showProject(page)
    await showProject(await page.context().newPage())
  })
})

test('logging out everywhere closes the app in every tab and says how to open it again', async () => {
  await withApp({ isArchived: true, service, expectedMessages }, async ({ page, origin, show, expectAccessible }) => {
    const second = await page.context().newPage()
    await second.goto(`${origin}/#/activity`)
    await second.getByRole('heading', { name: 'Activity', exact: true }).waitFor()
    await show('/settings')
    await expectAccessible(page.locator('#browsers'))
    await page.getByRole('button', { name: 'Log out everywhere' }).click()
    await page.getByText('Open the address that Solarchive printed last').waitFor()
    await second.getByText('This browser is not logged in. Solarchive was restarted').waitFor()
    await page.goto(origin)
    await page.getByText('This browser is not logged in.').waitFor()
    expect(await page.evaluate("sessionStorage.getItem('solarchive-session')")).toBe(null)
  })
})
