import { expect, test } from 'vitest'
import { until } from '../support/watching.ts'
import { shareApp } from './support/with-app.ts'

const app = shareApp({
  service: { projects: 3, checklistsPerProject: 2, photoQuestionsPerChecklist: 1, statuses: ['completed'] },
  addsProjects: false,
})

test('what happens is listed as it happens, newest first, and leads to its project', async () => {
  const { page, service, show, untilArchived, call, expectAccessible } = app()
  const projects = service.projects.slice(1)
  await show('/activity')
  await call('projects.add', { projects: projects.map(({ id, name }) => ({ id, name })) })
  await untilArchived()
  await page
    .getByText(/^Complete: \d+ photos and reports archived/)
    .first()
    .waitFor()
  await expectAccessible()
  await call('watch.pause', { length: 'hour' })
  await expect.poll(() => page.locator('ol li p').first().textContent()).toContain('Syncing paused until')
  await page.getByRole('tab', { name: 'Verify' }).click()
  await page.getByText('Nothing of this kind has happened yet.').waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  // Left open overnight: the page looks at the clock every half minute, and here at once. Its clock shows noon of the
  // day of the newest entry, so that midnight is not near.
  const at = (await call('activity.list', { limit: 1 })).items[0]?.at ?? ''
  const looksOften = await page.addInitScript(`
    const aheadMs = new Date('${at}').setHours(12, 0, 0, 0) - Date.now()
    Date.now = ((now) => () => now() + aheadMs)(Date.now)
    const original = globalThis.setInterval
    globalThis.setInterval = (act, ms) => original(act, ms === 30_000 ? 50 : ms)`)
  await page.reload()
  const today = page.getByRole('heading', { name: 'Today', level: 2 })
  await today.waitFor()
  // Noon of the next day: a day may have 25 hours.
  await page.evaluate(`
    const aheadMs = new Date(Date.now()).setHours(36, 0, 0, 0) - Date.now()
    Date.now = ((now) => () => now() + aheadMs)(Date.now)`)
  await today.waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Yesterday', level: 2 }).waitFor()
  await looksOften.dispose()
  await page.reload()
  const name = projects[0]?.name ?? ''
  await page.getByRole('link', { name, exact: true }).first().click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
})

test('with Follow off the number of new entries is shown; a growing count is one entry', async () => {
  const { page, service, show, untilArchived, call } = app()
  await call('watch.resume', {})
  const project = service.projects[0]
  const name = 'The long name of a customer, with their address and what is to be built there'
  await call('projects.add', { projects: [{ id: project?.id ?? '', name }] })
  await untilArchived()
  // This is recorded at the end of the pass.
  await until('its checklists are listed as complete', async () => {
    const { items } = await call('activity.list', { projectId: project?.id ?? '', limit: 50 })
    return items.filter(({ kind }) => kind === 'checklist-archived').length === project?.checklists.length
  })
  await show('/activity')
  await page.locator('ol li p').first().waitFor()
  await page.getByRole('switch', { name: 'Follow' }).click()
  const after = (await call('activity.list', { limit: 1 })).items[0]?.id ?? 0
  const questions = project?.checklists[0]?.sections.flatMap((section) => section.questions) ?? []
  const photos = questions.flatMap((question) => question.photos)
  for (const [index, { id }] of photos.slice(0, 2).entries()) {
    service.replacePhoto(id)
    await call('sync.now', {})
    await until('the replaced photo is listed', async () => {
      const { items } = await call('activity.list', { after, limit: 50 })
      return items.some(
        ({ kind, facts }) =>
          kind === 'files-replaced' && 'fileKind' in facts && facts.fileKind === 'photo' && facts.count === index + 1,
      )
    })
    await until('the sync has ended', async () => (await call('overview', {})).sync.kind === 'idle')
    await page.getByRole('button', { name: /new entr/ }).waitFor()
  }
  await call('watch.pause', { length: 'resumed' })
  const listed = async () => (await call('activity.list', { after, limit: 50 })).items
  await until('the pause is listed', async () => (await listed()).some(({ kind }) => kind === 'paused'))
  const { length } = await listed()
  await page.getByRole('button', { name: `${length} new entries`, exact: true }).click()
  await page.getByText('Syncing paused', { exact: true }).waitFor()

  await show('/')
  const checklist = page.getByRole('region', { name: 'Recent activity' }).getByRole('link', {
    name: project?.checklists[0]?.title ?? '',
  })
  await checklist.first().waitFor()
  type Box = { readonly scrollWidth: number; readonly clientWidth: number }
  const isCut = await checklist.evaluateAll((links) =>
    (links as Box[]).map(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth),
  )
  expect(isCut).not.toContain(true)
  expect(await page.getByTitle(name).count()).toBeGreaterThan(0)
})
