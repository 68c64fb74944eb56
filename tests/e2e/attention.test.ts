import { expect, test } from 'vitest'
import { shareApp } from './support/with-app.ts'

const app = shareApp({
  service: { projects: 3, checklistsPerProject: 2, statuses: ['completed'] },
  addsProjects: false,
})

test('failed files are listed by checklist with their reason, and are archived on a retry', async () => {
  const { page, service, call, show, untilArchived, expectAccessible } = app()
  await show('/attention')
  await page.getByRole('heading', { name: 'Nothing needs attention' }).waitFor()
  await expectAccessible()

  const broken = service.faults.add({ route: 'report', fault: { kind: 'status', status: 404 } })
  await call('projects.add', { projects: service.projects.slice(0, 2).map(({ id, name }) => ({ id, name })) })
  const rows = page.getByRole('row').filter({ hasText: 'report.pdf' })
  await expect.poll(() => rows.count()).toBe(4)
  await rows.first().getByText('The file is not on the file host any more.').waitFor()
  await expectAccessible(page.getByRole('main'))

  broken.remove()
  await rows.first().getByRole('button', { name: 'Try again: report.pdf' }).click()
  await expect.poll(() => rows.count()).toBe(3)
  await page.getByRole('button', { name: 'Retry all files' }).click()
  await page.getByRole('heading', { name: 'Nothing needs attention' }).waitFor()
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
  await attention.getByRole('link', { name: failed?.title ?? '' }).waitFor()
  await show('/attention')
  const troubled = page.getByRole('region', { name: '1 checklist needs attention' })
  await troubled.getByText('The service could not create the PDF report.').waitFor()
  await expectAccessible(troubled)
  const row = page.getByRole('row').filter({ hasText: 'report.pdf' })
  for (const [width, height] of [
    [640, 400],
    [900, 600],
  ] as const) {
    await page.setViewportSize({ width, height })
    // Both ends of the view can be scrolled into the window: nothing covers them, and their boxes are inside.
    for (const part of [troubled.getByText('Create the report again at the service.'), row]) {
      await part.scrollIntoViewIfNeeded()
      const box = await part.boundingBox()
      expect(box?.y, `${width}`).toBeGreaterThanOrEqual(0)
      expect((box?.y ?? 0) + (box?.height ?? 0), `${width}`).toBeLessThanOrEqual(height)
    }
    await row.getByRole('button', { name: 'Try again: report.pdf' }).click({ trial: true })
  }
  await troubled.getByRole('link', { name: failed?.title ?? '' }).click()
  await expect.poll(() => page.url()).toContain(`/checklists/${failed?.id}`)
})
