import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { databaseName } from '../../electron/engine/store/database-files.ts'
import { withApp } from './support/with-app.ts'

const options = {
  addsProjects: false,
  // Photos are measured by a process that only a command of its own starts.
  hasOwnProcess: true,
  service: { projects: 1, checklistsPerProject: 1, statuses: ['completed'] },
} as const

const title = 'photos worth a second look are listed on their checklist and under Attention, without a badge'

// Photos are measured after all other work of the machine.
test(title, async () => {
  await withApp(options, async ({ page, service, show, call, untilArchived, expectAccessible }) => {
    const [project] = service.projects
    const [checklist] = project?.checklists ?? []
    if (project === undefined || checklist === undefined) throw new Error('There is no checklist')
    await call('projects.add', { projects: [{ id: project.id, name: project.name }] })
    await call('sync.now', { projectIds: [project.id] })
    await untilArchived()
    const of = { projectId: project.id, checklistId: checklist.id }
    // The tenth photo of the sample's first checklist was taken down the street.
    const kinds = async () => (await call('hints.checklist', of)).hints.map(({ kind }) => kind)
    await expect.poll(kinds, { timeout: 800_000 }).toContain('far')

    await show('/attention')
    const section = page.getByRole('region', { name: 'Photos worth a second look' })
    await section.getByText(/1 taken far from the others/).waitFor()
    const views = page.getByRole('navigation', { name: 'Views' })
    expect(await views.getByRole('link', { name: 'Attention' }).textContent()).not.toMatch(/\d/)
    await expectAccessible()
    await section.getByRole('link').click()

    await page.getByText(/\d+ photos? worth a second look/).click()
    const hints = page.getByRole('list', { name: 'Photos worth a second look' })
    const far = hints
      .getByRole('listitem')
      .filter({ hasText: /Taken 1,3\d0 ft \(4\d0 m\) from the others of this checklist/ })
    await far.waitFor()
    await expectAccessible()
    await far.getByRole('link').click()
    await page.getByRole('dialog', { name: 'Photos' }).waitFor()
  })
})

test('a hint about a photo of a question without a label names it as such', async () => {
  await withApp({ isArchived: true, service: options.service }, async ({ page, service, show, home }) => {
    const [checklist] = service.projects[0]?.checklists ?? []
    const db = new Database(join(home, databaseName))
    db.exec(`UPDATE questions SET label = '';
      INSERT INTO photo_hints (asset_id, kind, severity)
        SELECT id, 'dark', 1 FROM assets WHERE kind = 'photo' ORDER BY id LIMIT 1`)
    db.close()
    await show(`/projects/${checklist?.projectId}/checklists/${checklist?.id}`)
    await page.getByText('1 photo worth a second look').click()
    const hints = page.getByRole('list', { name: 'Photos worth a second look' })
    await hints.getByRole('link', { name: /^Untitled question, / }).waitFor()
  })
})
