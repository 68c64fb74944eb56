import { expect, test } from 'vitest'
import type { SampleService } from '../../electron/sample-service/start-sample-service.ts'
import { until } from '../support/watching.ts'
import { startHostileFront, type HostileFront } from './support/hostile-front.ts'
import { hostileId, hostileText } from './support/hostile-texts.ts'
import { expectNoHarm } from './support/expect-no-harm.ts'
import { withApp } from './support/with-app.ts'

test('every text of the service stays text, in every view', async () => {
  let front: HostileFront | undefined
  const service = {
    projects: 3,
    checklistsPerProject: 3,
    photoQuestionsPerChecklist: 2,
    photosPerQuestion: 2,
    awkwardNames: false,
    // The front replaces a draft's status by a text.
    statuses: ['completed', 'awaitingMedia', 'draft'] as const,
  }
  const started = async (service: SampleService) => (front = await startHostileFront(service))
  await withApp(
    { service, addsProjects: false, front: started },
    async ({ page, service, call, show, expectAccessible }) => {
      const [shown, refused, removed] = service.projects
      const completed = shown?.checklists.find(({ status }) => status === 'completed')
      const lost = completed?.sections[0]?.questions[0]?.photos[0]
      if (front === undefined || shown === undefined || refused === undefined || completed === undefined)
        throw new Error('The sample service has too little')
      front.refusedProject = refused.id
      service.faults.add({ route: new RegExp(`photos/.*${lost?.id}`), fault: { kind: 'status', status: 404 } })

      await show('/projects?add')
      await page.getByRole('button', { name: 'Import all projects' }).click()
      await page.getByText('The service lists 3 projects; 3 added').first().waitFor()
      await expectNoHarm(page, 'added')
      await until('all but the refused project is archived', async () => {
        const { items } = await call('projects.list', {})
        return items.every(({ id, problem, lastSyncedAt, waitingFiles }) =>
          id === refused.id ? problem !== null : lastSyncedAt !== null && waitingFiles === 0,
        )
      })
      await call('watch.pause', { length: 'resumed' })
      const { checklist, sections } = await call('checklists.get', {
        projectId: shown.id,
        checklistId: hostileId(completed.id),
      })
      const texts = [
        checklist.title,
        ...sections.flatMap(({ label, questions }) => [label, ...questions.map((q) => q.label)]),
      ]
      for (const text of texts) expect(text).toContain('onerror=')

      const headings: Readonly<Record<string, string>> = {
        '/': 'Overview',
        '/projects': 'Projects',
        '/attention': 'Attention',
        '/activity': 'Activity',
        '/settings': 'Settings',
      }
      const checklistPath = `/projects/${shown.id}/checklists/${encodeURIComponent(hostileId(completed.id))}`
      for (const path of [
        ...Object.keys(headings),
        `/projects/${shown.id}`,
        `/projects/${refused.id}`,
        `${checklistPath}/map`,
        `${checklistPath}/timeline`,
        checklistPath,
      ]) {
        await show(path)
        const heading = path.startsWith('/projects/') ? 'onerror=' : headings[path]
        await page.locator('main h1', { hasText: heading ?? path }).waitFor()
        if (path !== '/settings') await page.locator('main').getByText('onerror=').first().waitFor()
        for (const width of [640, 1280]) {
          await page.setViewportSize({ width, height: 700 })
          await expectNoHarm(page, `${path} at ${width}`)
        }
      }

      const report = page.getByRole('region', { name: 'Report', exact: true })
      await report.locator('.annotationLayer section').first().waitFor({ state: 'attached' })
      const sheet = await report.locator('.page').first().boundingBox()
      for (const height of [0.1, 0.6, 0.9, 0.95]) {
        const { x = 0, y = 0, width = 0, height: whole = 0 } = sheet ?? {}
        await page.mouse.click(x + width * 0.07, y + whole * height)
      }
      await expectNoHarm(page, 'report')
      await page.locator('[data-openable] img').first().click()
      await page.keyboard.press('i')
      const panel = page.getByRole('complementary', { name: 'About this photo' })
      await panel.getByText('onerror=').nth(2).waitFor()
      await panel.getByText('MMM').waitFor()
      await expectNoHarm(page, 'lightbox')
      await expectAccessible(panel)
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'detached' })

      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('option').filter({ hasText: 'onerror=' }).first().waitFor()
      await expectNoHarm(page, 'palette')
      await page.keyboard.type('img')
      await page.getByRole('dialog').getByRole('option').filter({ hasText: 'onerror=' }).first().waitFor()
      await expectNoHarm(page, 'palette, searched')
      await page.keyboard.press('Escape')
      await show('/search?q=img')
      await page.getByRole('option').filter({ hasText: 'onerror=' }).first().waitFor()
      await expectNoHarm(page, 'search')

      await show('/projects?add')
      const dialog = page.getByRole('dialog')
      const rows = Array.from({ length: 12 }, (_, row) => [
        `new-${row}`,
        hostileText().slice(0, 500),
        hostileText().slice(0, 500),
      ])
      const list = [['id', 'name', 'address'], ...rows, ['a b<img src=x onerror=owned=1>', '', '']]
      await dialog
        .getByRole('textbox')
        .fill(list.map((row) => row.map((cell) => JSON.stringify(cell).replaceAll('\\"', '""')).join(',')).join('\n'))
      await dialog.getByRole('row').filter({ hasText: 'onerror=' }).first().waitFor()
      await expectNoHarm(page, 'preview')
      front.refusesAll = true
      await page.getByRole('button', { name: 'Import all projects' }).click()
      await dialog.getByRole('alert').waitFor()
      await expectNoHarm(page, 'refused list')
      await show('/settings')
      await page.getByRole('button', { name: 'Test the connection' }).click()
      await page.getByRole('region', { name: 'Connection' }).getByRole('status').waitFor()
      await expectNoHarm(page, 'refused test')

      await show('/projects')
      await page
        .getByRole('checkbox', { name: /^Select <|onerror/ })
        .first()
        .click()
      await page
        .getByRole('checkbox', { name: /onerror/ })
        .nth(1)
        .click()
      await page.getByRole('toolbar').getByRole('button', { name: 'Remove…' }).click()
      await page.getByRole('dialog').getByText('onerror=').first().waitFor()
      await expectNoHarm(page, 'remove two')
      await page.getByRole('button', { name: 'Keep' }).click()
      await page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click()
      await page.getByRole('menuitem', { name: 'Remove…' }).click()
      await page.getByRole('dialog').getByText('onerror=').first().waitFor()
      await expectNoHarm(page, 'remove one')
      await page.getByRole('button', { name: 'Keep' }).click()
      await show(`/projects/${removed?.id}`)
      await page.getByRole('button', { name: 'More for this project' }).click()
      await page.getByRole('menuitem', { name: 'Remove this project…' }).click()
      await page.getByRole('dialog').getByText('onerror=').first().waitFor()
      await expectNoHarm(page, 'remove this one')
      await page.getByRole('button', { name: 'Remove project', exact: true }).click()
      await page.locator('main h1', { hasText: 'Projects' }).waitFor()
      await expectNoHarm(page, 'removed')
    },
  )
})
