import { expect, test } from 'vitest'
import { openStore } from '../../electron/engine/store/open-store.ts'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'
import { withApp } from './support/with-app.ts'
import { silentLogger } from '../support/silent-logger.ts'

const many = 10_000
const names = Array.from({ length: many }, (_, index) => `Residence ${String(index).padStart(5, '0')}`)

/** As many projects as a large contractor has, with the watch paused, so that the service is not asked for them. */
function fillDatabase({ home }: { home: string }): void {
  const logger = silentLogger
  const store = openStore({ homeFolder: home, clock: systemClock, logger })
  try {
    store.meta.set('pause', JSON.stringify({ sinceMs: Date.now(), untilMs: null }))
    store.transaction(() => {
      for (const [index, name] of names.entries()) {
        store.projects.put(`id-${index}`, name, `${index} Long Road`, new Date(index).toISOString())
        const texts = { projectId: `id-${index}`, homeownerName: `Owner ${name.slice(-5)}` }
        store.orders.insertDraft({ source: 'list', texts, region: null, at: new Date(index).toISOString() })
      }
    })
  } finally {
    store.close()
  }
}

test('ten thousand projects and orders are scrolled, searched, and selected without loading them all', async () => {
  await withApp(
    { addsProjects: false, service: { projects: 1 }, prepare: fillDatabase },
    async ({ page, show, call }) => {
      await show('/projects')
      const grid = page.getByRole('grid', { name: 'Projects' })
      await grid.getByText('Residence 00000').waitFor()
      expect(await grid.getAttribute('aria-rowcount')).toBe(String(many + 1))
      expect(await grid.locator('[data-index]').count()).toBeLessThan(60)

      await page.evaluate("const grid = document.querySelector('[role=grid]'); grid.scrollTop = grid.scrollHeight / 2")
      await grid.getByText('Residence 05000').waitFor()
      const middle = grid.locator('[data-index="5000"]')
      expect(await middle.getAttribute('aria-rowindex')).toBe('5002')
      await middle.focus()
      await page.keyboard.press('End')
      await grid.getByText('Residence 09999').waitFor()
      await page.keyboard.press('Home')
      await grid.getByText('Residence 00000').waitFor()

      await page.evaluate("document.querySelector('[role=grid]').scrollTop = 4000 * 40")
      // The place is saved a moment later, and only while the list is open.
      await expect.poll(() => page.evaluate('history.state.solarchiveListTop')).toBe(4000 * 40)
      await grid.getByText('Residence 04000').click()
      await page.locator('main h1', { hasText: 'Residence 04000' }).waitFor()
      await page.goBack()
      await grid.getByText('Residence 04000').waitFor()
      await page.getByRole('checkbox', { name: 'Select all listed projects' }).click()
      await page.getByText('10,000 projects selected').waitFor()
      await page.getByRole('button', { name: 'Clear' }).click()

      await page.getByRole('searchbox').fill('9 long road')
      await page.getByText('1,000 projects').waitFor()
      await page.getByRole('checkbox', { name: 'Select all listed projects' }).click()
      await page.getByText('1,000 projects selected').waitFor()

      // Another search starts at its top, also after one that found nothing.
      const topOf = () =>
        page.evaluate('[document.querySelector("[role=grid]").scrollTop, history.state.solarchiveListTop]')
      await page.evaluate("document.querySelector('[role=grid]').scrollTop = 8000")
      await expect.poll(topOf).toEqual([8000, 8000])
      await page.getByRole('searchbox').fill('zzz')
      await page.getByText('No project matches').waitFor()
      await page.getByRole('searchbox').fill('residence')
      await grid.getByText('Residence 00000').waitFor()
      await page.getByText('10,000 projects').waitFor()
      expect(await page.evaluate('document.querySelector("[role=grid]").scrollTop')).toBe(0)

      // As many orders, those that changed last first.
      await show('/orders')
      const orders = page.getByRole('grid', { name: 'Orders' })
      await orders.getByText('Owner 09999').waitFor()
      await page.getByText('10,000 orders').waitFor()
      expect(await orders.locator('[data-index]').count()).toBeLessThan(60)
      await page.evaluate("document.querySelector('[role=grid]').scrollTop = 5000 * 44")
      await orders.getByText('Owner 04999').waitFor()
      // A change elsewhere is shown in place: nothing jumps.
      const { orderId } = (await call('orders.list', { search: 'Owner 04998' })).items[0] ?? { orderId: 0 }
      await call('orders.discard', { orderId })
      await page.getByText('9,999 orders').waitFor()
      await orders.getByText('Owner 04999').waitFor()
      await expect.poll(() => orders.getByText('Owner 04998').count()).toBe(0)
      expect(await page.evaluate("document.querySelector('[role=grid]').scrollTop")).toBe(5000 * 44)
    },
  )
})
