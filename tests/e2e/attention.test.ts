import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { databaseName } from '../../electron/engine/store/database-files.ts'
import { shareApp, type TestedApp } from './support/with-app.ts'

const app = shareApp({
  service: {
    projects: 3,
    checklistsPerProject: 2,
    statuses: ['completed'],
    photoQuestionsPerChecklist: 3,
    photosPerQuestion: 2,
    photoBytes: 2000,
  },
  addsProjects: false,
})

const badge = ({ page }: TestedApp) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Attention' }).textContent()

async function sync({ call }: TestedApp): Promise<void> {
  await call('sync.now', {})
  await expect.poll(async () => (await call('overview', {})).sync.kind).toBe('idle')
}

test('many failures are one group with one action; what passes by itself stays quiet until its third try', async () => {
  const tested = app()
  const { page, service, call, show, home, untilArchived, expectAccessible } = tested
  await show('/attention')
  await page.getByRole('heading', { name: 'Nothing needs attention' }).waitFor()
  await expectAccessible()

  const gone = service.faults.add({ route: 'report', fault: { kind: 'status', status: 404 } })
  const failing = service.faults.add({ route: 'photo', fault: { kind: 'status', status: 403 } })
  const chosen = service.projects.slice(0, 2)
  const unseen = service.faults.add({
    route: new RegExp(`/thumbnails/.*${chosen[0]?.checklists[0]?.id}`),
    fault: { kind: 'status', status: 404 },
  })
  // Only the test retries.
  await call('watch.pause', { length: 'resumed' })
  await call('projects.add', { projects: chosen.map(({ id, name }) => ({ id, name })) })
  await sync(tested)
  const reports = page.getByRole('region', { name: '4 files can no longer be downloaded' })
  await reports.waitFor()
  // Photos and reports are counted, as on every page; thumbnails are details.
  await reports.getByRole('button', { name: 'Show 4 files and 6 thumbnails' }).click()
  await page.getByText('24 files failed just now. Solarchive retries them automatically; nothing to do.').waitFor()
  await expect.poll(() => badge(tested)).toMatch(/\D4\s*need attention/)
  const { items } = await call('projects.list', {})
  expect(items.map(({ needsAttention }) => needsAttention)).toEqual([true, true])

  await sync(tested)
  expect((await call('overview', {})).counts).toMatchObject({
    filesFailed: 4,
    previewsFailed: 6,
    filesRetrying: 24,
    previewsRetrying: 0,
  })
  await sync(tested)
  const photos = page.getByRole('region', { name: /^The download server refuses \d+ files$/ })
  await photos.getByRole('button', { name: 'Show 24 files' }).waitFor()
  await expect.poll(() => badge(tested)).toMatch(/\D28\s*need attention/)
  expect(await page.getByText('failed just now').count()).toBe(0)
  expect(await photos.getByRole('row').count()).toBe(0)
  await expect.poll(() => reports.getByRole('row').filter({ hasText: 'report.pdf' }).count()).toBe(4)
  await expectAccessible(page.getByRole('main'))

  await reports.getByRole('button', { name: 'Ask the service…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Ask the service' })
  const text = dialog.getByRole('textbox', { name: 'Message to the service' })
  await expect.poll(() => text.inputValue()).toContain('report.pdf')
  const message = await text.inputValue()
  for (const { id, checklists } of chosen)
    for (const part of [id, ...checklists.map((one) => one.id)]) {
      expect(message).toContain(part)
    }
  expect(message).not.toMatch(/https?:|\?|token|Error:/i)
  expect(message).not.toContain(service.token)
  await expectAccessible(dialog)
  await dialog.getByRole('button', { name: 'Copy message' }).click()
  await page.getByText('Message copied', { exact: true }).waitFor()

  failing.remove()
  // Still only the test retries.
  const later = new Database(join(home, databaseName))
  later.exec(`UPDATE jobs SET next_try_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+1 hour') WHERE state = 'failed'`)
  later.close()
  await call('watch.resume', {})
  // Nothing is claimed about a list that could not be read.
  const refusal = { ok: false, error: { code: 'internal', message: 'The list could not be read.', details: {} } }
  await page.route('**/api/call/failures.list', (route) => route.fulfill({ json: refusal }))
  await photos.getByRole('button', { name: 'Show 24 files' }).click()
  await photos.getByText('The list could not be read.').waitFor()
  expect(await photos.getByText('Scroll to see all').count()).toBe(0)
  await page.unroute('**/api/call/failures.list')
  await photos.getByRole('button', { name: 'Hide 24 files' }).click()
  await photos.getByRole('button', { name: 'Show 24 files' }).click()
  await photos.getByText('24 files. Scroll to see all.').waitFor()
  const rows = photos.getByRole('row').filter({ has: page.getByRole('button', { name: /^Retry: / }) })
  await rows.first().getByText('The download server refused the link.').waitFor()
  await expectAccessible(photos)
  await rows
    .first()
    .getByRole('button', { name: /^Retry: / })
    .click()
  await photos.getByRole('button', { name: 'Hide 23 files' }).waitFor()
  gone.remove()
  unseen.remove()
  await page.getByRole('button', { name: 'Retry all files' }).click()
  await page.getByRole('heading', { name: 'Nothing needs attention' }).waitFor()
  // A thumbnail that was being retried while its fault was removed would wait for its next try.
  await sync(tested)
  await untilArchived()
})

test('Enter on a failed file opens its checklist, and so does a report that the service could not create', async () => {
  const { page, service, call, show, expectAccessible } = app()
  const project = service.projects[2]
  const failed = project?.checklists[1]
  service.setStatus(failed?.id ?? '', 'pdfProcessingFailed')
  service.faults.add({ route: 'report', fault: { kind: 'status', status: 404 } })
  await call('projects.add', { projects: [{ id: project?.id ?? '', name: project?.name ?? '' }] })
  await show('/attention')
  await page.getByRole('row').filter({ hasText: 'report.pdf' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toMatch(/\/projects\/[^/]+\/checklists\/[^/]+$/)

  await show('/')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await attention.getByRole('link', { name: 'The service could not create 1 PDF report' }).click()
  const troubled = page.getByRole('region', { name: 'The service could not create 1 PDF report' })
  await troubled.getByText('Ask the service to create the report again.').waitFor()
  await expectAccessible(troubled)
  await troubled.getByRole('button', { name: 'Ask the service…' }).click()
  const text = page.getByRole('textbox', { name: 'Message to the service' })
  await expect.poll(() => text.inputValue()).toContain(failed?.id)
  await page.keyboard.press('Escape')
  const row = page.getByRole('row').filter({ hasText: 'report.pdf' })
  for (const [width, height] of [
    [640, 400],
    [900, 600],
  ] as const) {
    await page.setViewportSize({ width, height })
    // Both ends of the view can be scrolled into the window: nothing covers them, and their boxes are inside.
    for (const part of [troubled.getByText('Ask the service to create the report again.'), row]) {
      await part.scrollIntoViewIfNeeded()
      const box = await part.boundingBox()
      expect(box?.y, `${width}`).toBeGreaterThanOrEqual(0)
      expect((box?.y ?? 0) + (box?.height ?? 0), `${width}`).toBeLessThanOrEqual(height)
    }
    await row.getByRole('button', { name: 'Retry: report.pdf' }).click({ trial: true })
  }
  await troubled.getByRole('link', { name: failed?.title ?? '' }).click()
  await expect.poll(() => page.url()).toContain(`/checklists/${failed?.id}`)
})

test('a retry of a group syncs its projects, and retries its files of other projects', async () => {
  const { page, service, call, show, home } = app()
  const [failing, other] = [service.projects[0], service.projects[2]]
  const overview = async () => (await call('overview', {})).counts
  expect(await overview()).toMatchObject({ projectsWithProblem: 0, filesFailed: 1 })
  service.faults.clear()
  const db = new Database(join(home, databaseName))
  db.exec(`UPDATE projects SET error_code = 'unreachable-reset', error_message = 'Reset.' WHERE id = '${failing?.id}';
    UPDATE jobs SET error_code = 'unreachable-reset' WHERE project_id = '${other?.id}'`)
  db.close()
  await show('/attention')
  const group = page.getByRole('region', { name: 'The service cannot be reached' })
  await group.getByRole('row').filter({ hasText: 'report.pdf' }).waitFor()
  const retried = page.waitForRequest('**/api/call/failures.retry')
  await group.getByRole('button', { name: 'Retry now' }).click()
  await retried
  await page.getByText('Syncing 1 project', { exact: true }).waitFor()
  await expect.poll(overview).toMatchObject({ projectsWithProblem: 0, filesFailed: 0 })
})
