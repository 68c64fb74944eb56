import { expect, test } from 'vitest'
import { withApp } from './support/with-app.ts'

test('files that failed are listed by checklist with their reason, and are archived when they are tried again', async () => {
  await withApp(
    {
      service: { projects: 2, checklistsPerProject: 1, statuses: ['completed'] },
      addsProjects: false,
    },
    async ({ page, service, call, show, untilArchived, expectAccessible }) => {
      await show('/attention')
      await page.getByRole('heading', { name: 'Nothing needs attention' }).waitFor()
      await expectAccessible()

      const broken = service.faults.add({ route: 'report', fault: { kind: 'status', status: 404 } })
      await call('projects.add', { projects: service.projects.map(({ id, name }) => ({ id, name })) })
      const rows = page.getByRole('row').filter({ hasText: 'report.pdf' })
      await expect.poll(() => rows.count()).toBe(2)
      await rows.first().getByText('The file is not on the file host any more.').waitFor()
      await expectAccessible()

      broken.remove()
      await rows.first().getByRole('button', { name: 'Try again: report.pdf' }).click()
      await expect.poll(() => rows.count()).toBe(1)
      await page.getByRole('button', { name: 'Try all files again' }).click()
      await page.getByRole('heading', { name: 'Nothing needs attention' }).waitFor()
      await untilArchived()
    },
  )
})

test('Enter on a failed file opens its checklist', async () => {
  await withApp(
    { service: { projects: 1, checklistsPerProject: 1, statuses: ['completed'] }, addsProjects: false },
    async ({ page, service, call, show }) => {
      service.faults.add({ route: 'report', fault: { kind: 'status', status: 404 } })
      await call('projects.add', { projects: service.projects.map(({ id, name }) => ({ id, name })) })
      await show('/attention')
      await page.getByRole('row').filter({ hasText: 'report.pdf' }).focus()
      await page.keyboard.press('Enter')
      await expect.poll(() => page.url()).toMatch(/\/projects\/[^/]+\/checklists\/[^/]+$/)
    },
  )
})
