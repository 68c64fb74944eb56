import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { orderTemplateCsv } from '../../shared/order/order-template.ts'
import { focusedField } from './support/order-form-page.ts'
import { withApp } from './support/with-app.ts'

const header =
  'projectId,homeownerName,projectAddress,tierLevel,sizedForCategory,sizedForValue,designOneModule,' +
  'moduleSpacingShort,ridge'
const row = (projectId: string, homeowner: string, ridge = '36') =>
  `${projectId},${homeowner},"1 Main St, Boise, ID 83702",maxFill,consumption,100,REC Alpha Pure-R 430,0.5,${ridge}`

async function downloaded(page: Page, button: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ])
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
}

/** Names come without a blank to break them at, too. */
const longName = 'Novak'.repeat(18)

test('a list of orders is reviewed, saved, placed, stopped by an error, continued, and downloaded', async () => {
  await withApp(
    { service: { projects: 2, checklistsPerProject: 1, existingOrders: 0, statuses: ['completed'] } },
    async ({ page, service, show, call, expectAccessible }) => {
      const [first = '', second = ''] = service.projects.map(({ id }) => id)
      await call('presets.save', {
        name: 'Our usual',
        kind: 'company',
        region: null,
        isDefault: false,
        texts: { moduleOrientation: 'landscape' },
      })
      await show('/orders/lists')
      await page.getByRole('heading', { name: 'No order lists yet' }).waitFor()
      await page.getByRole('link', { name: 'Order from a list' }).first().click()
      const template = await downloaded(page, 'Download the template')
      expect(template.text.replace(/^\uFEFF/, '')).toBe(orderTemplateCsv())

      const lines = [
        header,
        row(first, 'Ruth Sato'),
        row(first, 'Ruth Sato'),
        row(second, 'Omar Lindqvist', 'a lot'),
        row(second, 'Ada Brook', '0'),
        row(first, longName),
      ]
      await page.getByRole('combobox', { name: 'Preset for empty cells' }).click()
      await page.getByRole('option', { name: 'Our usual' }).click()
      await page.getByLabel('CSV file').setInputFiles({
        name: 'november.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(lines.join('\r\n')),
      })
      await page.getByText('3 orders ready · 1 duplicate · 1 row with an error').waitFor()
      await page.getByText(/Not stated, sent as no: .*Upgrade of an earlier design \(3 rows\)/).waitFor()
      await page.getByText('Project: The list has more orders for this project: lines 3, 6.').waitFor()
      const table = page.getByRole('table', { name: 'Orders in the list' })
      await table.getByRole('row', { name: /Omar Lindqvist.*Ridge: Write inches/ }).waitFor()
      await table.getByRole('row', { name: /Ada Brook.*Ridge: 0 in leaves no setback/ }).waitFor()
      await expectAccessible()
      expect(service.orders).toHaveLength(0)
      await page.getByRole('button', { name: 'Save 3 orders as drafts' }).click()
      await page.locator('main h1', { hasText: 'november' }).waitFor()
      await page.getByText('2 rows skipped; see the result file').waitFor()
      expect(service.orders).toHaveLength(0)

      // The second order is refused for its token: the third is not tried.
      service.faults.add({
        route: 'serviceRequests',
        method: 'POST',
        skip: 1,
        count: 1,
        fault: { kind: 'status', status: 401 },
      })
      await page.getByRole('button', { name: 'Place the orders…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Place 3 orders?' })
      await expect
        .poll(() => dialog.getByRole('listitem').allTextContents())
        .toEqual([
          'REC Alpha Pure-R 430, line 2, Ruth Sato; REC Alpha Pure-R 430, line 5, Ada Brook; REC Alpha Pure-R 430, ' +
            `line 6, ${longName}`,
          expect.stringContaining('The modules are ordered exactly as written'),
          '2 orders are for projects with more than one in this list (lines 2, 6).',
          expect.stringMatching(/0 in, line 5, Ada Brook\. 0 in leaves no setback/),
        ])
      type Box = { readonly scrollWidth: number; readonly clientWidth: number }
      for (const notice of await dialog.locator('section').all()) {
        expect(await notice.evaluate(({ scrollWidth, clientWidth }: Box) => scrollWidth <= clientWidth)).toBe(true)
      }
      await expectAccessible(dialog)
      await dialog.getByText('Confirm the modules first.').waitFor()
      expect(await dialog.getByRole('button', { name: 'Place 3 orders' }).isDisabled()).toBe(true)
      await dialog.getByRole('checkbox', { name: 'Yes, order these modules' }).click()
      await dialog.getByRole('button', { name: 'Place 3 orders' }).click()
      await page.getByText('1 placed · 2 waiting of 3 orders').waitFor()
      await page.getByText('The waiting orders were not sent').waitFor()
      await expectAccessible()
      await page.getByRole('button', { name: 'Continue…' }).click()
      await page.getByRole('button', { name: 'Place 2 orders' }).click()
      await page.getByText('3 placed of 3 orders').waitFor()
      await expect.poll(() => page.getByRole('button', { name: 'Stop' }).count()).toBe(0)
      expect(service.orders.map(({ form }) => form['moduleOrientation'])).toEqual(Array(3).fill('landscape'))

      const result = await downloaded(page, 'Download the result')
      // Every row, the duplicate and the one with an error included.
      expect(result.text.trim().split('\n')).toHaveLength(6)
      for (const { id } of service.orders) expect(result.text).toContain(id)
      const rows = page.getByRole('grid', { name: 'Orders of this list' }).locator('[data-index]')
      await expect.poll(() => rows.count()).toBe(3)
      await rows.filter({ hasText: 'Ada Brook' }).click()
      await page.locator('main h1', { hasText: 'Ada Brook' }).waitFor()
      await page.getByRole('link', { name: 'An order list' }).click()
      await page.locator('main h1', { hasText: 'november' }).waitFor()
      await show('/orders/lists')
      await page.getByRole('link', { name: /november.*Done/ }).waitFor()
      await expectAccessible()

      // The service answers the check with a sign-in page: nothing is sent before the user agrees to continue without
      // it.
      const broken = service.faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'html' } })
      const alone = { text: [header, row(first, 'Uma Lind')].join('\n') }
      const stopped = await call('batches.create', { list: alone, name: 'october' })
      await show(`/orders/lists/${stopped.batchId}`)
      await page.getByRole('button', { name: 'Place the orders…' }).click()
      const unchecked = page.getByRole('dialog', { name: 'Place 1 order?' })
      await unchecked.getByText('The service’s list of orders cannot be read').waitFor()
      expect(await unchecked.getByRole('button', { name: 'Place 1 order' }).isDisabled()).toBe(true)
      await unchecked.getByRole('checkbox', { name: 'Place them without checking' }).click()
      await expectAccessible(unchecked)
      await unchecked.getByRole('button', { name: 'Place 1 order' }).click()
      await page.getByText('1 placed of 1 order').waitFor()
      broken.remove()
      await show('/orders/lists')

      // A list with a rejected row is not just Done, and the rejection is shown everywhere.
      service.faults.add({
        route: 'serviceRequests',
        method: 'POST',
        skip: 1,
        count: 1,
        fault: {
          kind: 'body',
          status: 422,
          contentType: 'application/json',
          body: JSON.stringify({ message: 'moduleSpacingShort must be at least 1' }),
        },
      })
      const list = { text: [header, row(first, 'Ida Berg'), row(second, 'Jon Moe')].join('\n') }
      const { batchId } = await call('batches.create', { list, name: 'december' })
      await call('batches.start', { batchId, newModule: true })
      await page.getByRole('link', { name: /december.*Done, 1 not placed/ }).click()
      const refused = page.getByRole('grid', { name: 'Orders of this list' }).locator('[data-index]')
      await refused.filter({ hasText: 'Jon Moe' }).getByText('must be at least 1').waitFor()
      expect(await refused.allTextContents()).toEqual([
        expect.stringMatching(/Ida Berg.*Line 2/),
        expect.stringMatching(/Jon Moe.*Line 3/),
      ])
      await page.getByRole('button', { name: 'Only not placed' }).click()
      await expect.poll(() => refused.count()).toBe(1)
      await page.getByRole('link', { name: /^Orders.*1.*not placed/ }).waitFor()
      await show('/attention')
      await page.getByText('1 order not placed: Jon Moe').waitFor()
      await page.getByText('Spacing, short edge must be at least 1', { exact: true }).waitFor()
      await expectAccessible(page.getByRole('main'))
      await show('/orders')
      await page.getByRole('tab', { name: 'Not placed 1' }).click()
      await page.getByRole('grid', { name: 'Orders' }).getByText('Jon Moe').click()
      await page
        .getByRole('alert')
        .filter({ hasText: 'rejected the order' })
        .getByRole('button', { name: 'Spacing, short edge' })
        .waitFor()
      expect(await focusedField(page)).toBe('moduleSpacingShort')
      await page.getByText('Spacing, short edge must be at least 1').waitFor()
      await expectAccessible(page.getByRole('alert').filter({ hasText: 'rejected the order' }))
      await page.getByRole('button', { name: 'Close this message' }).click()
      expect(await page.getByText('rejected the order').count()).toBe(0)
    },
  )
})
