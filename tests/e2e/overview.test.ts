import { readdirSync, renameSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { CallOutput } from '../../shared/contract/calls.ts'
import { readFiles } from '../support/sample-archive.ts'
import { until } from '../support/watching.ts'
import { holdBack } from './support/hold-back.ts'
import { shareApp, withApp } from './support/with-app.ts'

const twoChecklists = { projects: 2, checklistsPerProject: 1, statuses: ['completed' as const] }

/** Returns what people count of these files. */
function peopleCounts({ archivedFiles, expectedFiles, previews }: CallOutput<'overview'>['progress']) {
  return { archived: archivedFiles - previews.archived, expected: expectedFiles - previews.expected }
}

const app = shareApp({ service: twoChecklists, addsProjects: false })

test('without projects the overview leads to adding them', async () => {
  const { page, expectAccessible } = app()
  await page.getByRole('heading', { name: 'No projects yet' }).waitFor()
  await expectAccessible()
  await page.getByRole('main').getByRole('link', { name: 'Add projects' }).click()
  await page.getByRole('dialog', { name: 'Add projects' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(page.url()).not.toContain('add')
})

test('a project that the service does not know is first in the overview, with its reason', async () => {
  const { page, call, show, expectAccessible } = app()
  await call('projects.add', { projects: [{ id: 'nobody-knows-it', name: 'Lost residence' }] })
  await show('/')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await attention.getByRole('link', { name: 'The service does not know 1 project' }).waitFor()
  await attention.getByText('Lost residence').waitFor()
  await expectAccessible(attention)
  await attention.getByRole('link', { name: 'Show all items that need attention' }).click()
  await page.getByRole('heading', { name: 'The service does not know 1 project' }).waitFor()
  const main = page.getByRole('main')
  await main.getByText('The service does not know this project.').waitFor()
  await main.getByText('Project ID: nobody-knows-it').waitFor()
  await expectAccessible(main)
  await main.getByRole('link', { name: 'Lost residence' }).click()
  await expect.poll(() => page.url()).toContain('/projects/nobody-knows-it')
  await page.goBack()
  await main.getByRole('button', { name: 'Remove… Lost residence' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove project' }).click()
  await page.getByRole('heading', { name: 'Nothing needs attention' }).waitFor()
})

test('the overview shows completeness and sync activity, and pauses, resumes, and verifies', async () => {
  await withApp(
    { service: twoChecklists },
    async ({ page, call, service, archive, untilArchived, expectAccessible }) => {
      await untilArchived()
      const main = page.getByRole('main')
      await main.getByText('Watching for changes').waitFor()
      const { archived } = peopleCounts((await call('overview', {})).progress)
      const figures = main.getByRole('region', { name: 'Archive' })
      const figure = (label: string) => figures.locator('dl > div').filter({ hasText: label }).locator('dd')
      await expect.poll(() => figure('Photos and reports').textContent()).toMatch(new RegExp(`^${archived}\\b`))
      expect(await figure('Files of removed projects').count()).toBe(0)
      await main.getByText('No project, checklist, file, or order has a problem.').waitFor()
      const completeness = main.getByRole('region', { name: 'Completeness' })
      await completeness.getByText('2 of 2 checklists complete').waitFor()
      await completeness.getByText(`${archived} of ${archived} photos and reports archived`).waitFor()
      const recent = main.getByRole('region', { name: 'Recent activity' })
      await recent
        .getByText(/^Complete: \d+ photos and reports archived/)
        .first()
        .waitFor()
      await recent.getByRole('link', { name: 'All activity' }).waitFor()

      await main.getByRole('button', { name: 'Pause' }).click()
      await page.getByRole('menuitem', { name: 'Until I resume' }).click()
      await main.getByText('Until you resume').waitFor()
      await page.getByRole('menu').waitFor({ state: 'detached' })
      await expectAccessible(main.getByRole('region', { name: 'Sync' }))
      await main.getByRole('button', { name: 'Resume' }).click()
      await main.getByText('Watching for changes').waitFor()

      await main.getByRole('button', { name: 'Sync now' }).click()
      await main.getByText(/Last sync you started: just now, nothing new/).waitFor()

      await main.getByRole('region', { name: 'Verify' }).getByRole('button', { name: 'Verify' }).click()
      await page.getByRole('menuitem', { name: 'Verify and repair' }).click()
      await main.getByText('Verified: no changes').waitFor()
      await expectAccessible()

      // A repair has to call the service, which does not respond: it runs until it is stopped. A poll that had its
      // answer already would replace the file before.
      await call('watch.pause', { length: 'resumed' })
      const found = readdirSync(archive, { recursive: true, encoding: 'utf8' })
      truncateSync(join(archive, found.find((path) => path.endsWith('.jpg')) ?? ''), 10)
      service.faults.add({ route: ({ route }) => route !== 'photo', fault: { kind: 'hang' } })
      await main.getByRole('region', { name: 'Verify' }).getByRole('button', { name: 'Verify' }).click()
      await page.getByRole('menuitem', { name: 'Verify and repair' }).click()
      await main.getByRole('button', { name: 'Stop verifying' }).click()
      await main.getByRole('region', { name: 'Verify' }).getByText('Stopped').waitFor()

      // While a sync waits for the service, a verify of the same project waits for the sync.
      await call('sync.now', {})
      await main.getByRole('region', { name: 'Verify' }).getByRole('button', { name: 'Verify' }).click()
      await page.getByRole('menuitem', { name: 'Verify and repair' }).click()
      await main.getByRole('button', { name: 'Stop verifying' }).click()
      await main.getByRole('region', { name: 'Verify' }).getByText('Stopped').waitFor()
      expect((await call('sync.stop', {})).kind).toBe('running')
    },
  )
})

test('damaged and unexpected files are listed by name until they are repaired', async () => {
  const { page, service, call, show, archive, untilArchived, expectAccessible } = app()
  await call('projects.add', { projects: service.projects.map(({ id, name }) => ({ id, name })) })
  await untilArchived()
  await show('/')
  const main = page.getByRole('main')
  const completeness = main.getByRole('region', { name: 'Completeness' })
  const { expected } = peopleCounts((await call('overview', {})).progress)
  const [report = ''] = [...readFiles(archive).keys()].filter((path) => path.endsWith('/report.pdf'))
  const put = join(archive, dirname(report), 'mine.txt')
  renameSync(join(archive, report), put)
  await call('verify.start', {})
  await page.getByRole('region', { name: 'Needs attention' }).getByText('1 archived file missing or changed').waitFor()
  await main.getByText('Damage found').waitFor()
  await completeness.getByText('1 of 2 checklists complete').waitFor()
  await completeness.getByText(`${expected - 1} of ${expected} photos and reports archived`).waitFor()
  await main.getByRole('link', { name: 'Show these files' }).click()
  const files = page.getByRole('list', { name: 'Files' }).getByRole('listitem')
  await files.filter({ hasText: 'Missing' }).getByText(report).waitFor()
  await files.filter({ hasText: 'mine.txt' }).getByText('Unexpected file').waitFor()
  expect(await files.getByRole('link').count()).toBe(2)
  const current = page.getByRole('navigation', { name: 'Views' }).locator('[aria-current]')
  expect(await current.innerText()).toBe('Overview')
  await expectAccessible()
  await files.filter({ hasText: 'Missing' }).getByRole('link').click()
  await page.getByText('The report is missing or was changed').waitFor()
  await page.goBack()

  // More than a page of them: when the list shrinks, the page number follows.
  const many = Array.from({ length: 60 }, (_, index) => join(archive, dirname(report), `mine ${index}.txt`))
  for (const path of many) writeFileSync(path, '')
  await call('verify.start', {})
  await page.getByText('1 to 50 of 62 files').waitFor()
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await page.getByText('51 to 62 of 62 files').waitFor()
  for (const path of many) unlinkSync(path)
  await call('verify.start', {})
  await files.filter({ hasText: 'Missing' }).getByText(report).waitFor()
  // Nothing is claimed before it is known.
  const held = await holdBack(page, ['**/api/call/overview', '**/api/call/orders.list'])
  await page.reload()
  await files.filter({ hasText: 'Missing' }).getByText(report).waitFor()
  expect(await page.getByText('No file is missing or changed.').count()).toBe(0)
  held.release('overview')
  await page.getByText('1 file missing or changed.').waitFor()

  await page.getByRole('button', { name: 'Repair' }).click()
  await page.getByText('No file is missing or changed.').waitFor()
  await show('/')
  await main.getByText('Repaired', { exact: true }).waitFor()
  const nothing = main.getByText('No project, checklist, file, or order has a problem.')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await attention.getByText('1 archived file').waitFor({ state: 'detached' })
  expect(await nothing.count()).toBe(0)
  const answered = page.waitForResponse('**/api/call/attention.groups')
  await show('/attention')
  await (await answered).finished()
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  const quiet = page.getByRole('heading', { name: 'Nothing needs attention' })
  expect(await quiet.count()).toBe(0)
  held.release('orders.list')
  await quiet.waitFor()
  await show('/')
  await nothing.waitFor()
})

test('the overview counts waiting checklists and the files of removed projects, and shows the rate limit', async () => {
  const { page, call, show, service, expectAccessible } = app()
  await show('/')
  const main = page.getByRole('main')
  const figures = main.getByRole('region', { name: 'Archive' })
  const figure = (label: string) => figures.locator('dl > div').filter({ hasText: label }).locator('dd')
  const completeness = main.getByRole('region', { name: 'Completeness' })
  await completeness.getByText('2 of 2 checklists complete').waitFor()
  await main.getByText('Watching for changes').waitFor()
  const [checklist] = service.projects[0]?.checklists ?? []
  service.setStatus(checklist ?? '', 'awaitingMedia')
  await main.getByRole('button', { name: 'Sync now' }).click()
  await completeness.getByText('1 of 2 checklists complete').waitFor()
  await completeness.getByRole('link', { name: '1 waiting for photos' }).click()
  await page.getByRole('grid').getByText('Waiting', { exact: true }).waitFor()
  await page.goBack()

  await until('the sync has ended', async () => (await call('overview', {})).sync.kind === 'idle')
  // While the service answers with errors, the state says so, and leads to them.
  const outage = service.faults.add({
    route: new RegExp(`checklist/${service.projects[1]?.id}`),
    fault: { kind: 'status', status: 503 },
  })
  await call('sync.now', { projectIds: [service.projects[1]?.id ?? ''] })
  const failed = main
    .getByRole('region', { name: 'Sync' })
    .getByRole('link', { name: '1 project could not be checked' })
  await failed.waitFor()
  expect(await page.getByText('Watching for changes').count()).toBe(0)
  await expectAccessible(main.getByRole('region', { name: 'Sync' }))
  await failed.click()
  await page.getByText('1 project failed just now. Solarchive retries it automatically; nothing to do.').waitFor()
  outage.remove()
  await show('/')
  await main.getByRole('button', { name: 'Sync now' }).click()
  await main.getByText('Watching for changes').waitFor()

  // For longer than a slow machine takes for what follows, and no longer than a sync waits.
  service.faults.add({ route: 'checklists', fault: { kind: 'status', status: 429, retryAfter: 800 } })
  await main.getByRole('button', { name: 'Sync now' }).click()
  await main.getByText(/resumes in \d+ min/).waitFor()
  // The second click of a double click does not stop it.
  await main.getByRole('button', { name: 'Stop this sync' }).waitFor()
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
  await expectAccessible(main)
  expect((await call('overview', {})).sync.kind).toBe('running')
  await main.getByRole('button', { name: 'Stop this sync' }).click()
  await main.getByRole('button', { name: 'Stop this sync' }).waitFor({ state: 'detached' })

  // What is left of a removed project is counted separately.
  const [removed] = (await call('projects.list', {})).items
  await call('projects.remove', { projectId: removed?.id ?? '' })
  await completeness.getByText(/^. of 1 checklist complete/).waitFor()
  await expect.poll(() => figure('Checklists').textContent()).toMatch(/^1\b/)
  await expect.poll(() => figure('Files of removed').textContent()).toBe(String(removed?.archivedFiles))
  const { archived } = peopleCounts((await call('overview', {})).progress)
  await completeness.getByText(`${archived} of ${archived} photos and reports archived`).waitFor()
  expect(await figure('Photos and reports').textContent()).toMatch(new RegExp(`^${archived}\\b`))
})

test('the overview shows the files being downloaded and their progress, in stable rows', async () => {
  await withApp(
    {
      service: { projects: 1, checklistsPerProject: 1, photoQuestionsPerChecklist: 6, photoBytes: 40_000 },
      addsProjects: false,
    },
    async ({ page, service, call, expectAccessible }) => {
      service.faults.add({ route: 'photo', fault: { kind: 'trickle', bytesPerSecond: 100 } })
      const [project] = service.projects
      await call('projects.add', { projects: [{ id: project?.id ?? '', name: 'Elm Street 3' }] })
      await page.getByRole('main').getByRole('button', { name: 'Details' }).click()
      const files = page.getByRole('list', { name: 'Downloading now' }).getByRole('listitem')
      await expect.poll(() => files.filter({ hasText: 'of 40.0 KB' }).count()).toBe(4)
      expect(await files.getByText('Elm Street 3').count()).toBe(4)
      expect(await files.getByRole('progressbar').count()).toBe(4)
      await page.getByText(/^and \d+ more$/).waitFor()
      await expectAccessible(page.getByRole('list', { name: 'Downloading now' }))
      const first = files.first()
      const name = await first.locator('bdi').first().textContent()
      const size = await first.locator('p').textContent()
      await expect.poll(() => first.locator('p').textContent()).not.toBe(size)
      expect(await first.locator('bdi').first().textContent()).toBe(name)
    },
  )
})

test('a refused token is explained once, with instructions', async () => {
  await withApp(
    { service: { projects: 1, checklistsPerProject: 1 }, env: { SOLARCHIVE_TOKEN: 'another-token' } },
    async ({ page, call }) => {
      await page.getByRole('link', { name: 'Enter a new token' }).waitFor()
      const watch = await call('watch.state', {})
      const sentence = watch.kind === 'blocked' ? watch.message : ''
      await call('sync.now', {})
      await page.getByRole('main').getByText('Last sync you started').waitFor()
      expect(await page.getByText(sentence).count()).toBe(1)
      await page.getByRole('main').getByText('Access token refused', { exact: true }).waitFor()
      expect((await call('overview', {})).counts.projectsWithProblem).toBe(0)
    },
  )
})
