import type { Page } from 'playwright-core'
import type { SampleService } from '../../../electron/sample-service/start-sample-service.ts'
import type { OrderTexts } from '../../../shared/order/order-fields.ts'
import type { TestedApp } from './with-app.ts'

/** A small site without orders. */
export const orderSite = { projects: 2, checklistsPerProject: 1, existingOrders: 0, statuses: ['completed'] } as const

/** A complete order for a project of the sample, as it would be typed. */
export function completeTexts(service: SampleService, nth = 0): OrderTexts {
  const project = service.projects[nth]
  return {
    projectId: project?.id ?? '',
    homeownerName: 'Ana Ortiz',
    projectAddress: '8116 Maple Ridge Rd, Boise, ID 83702',
    tierLevel: 'maxFill',
    sizedForCategory: 'consumption',
    sizedForValue: '100',
    designOneModule: 'REC Alpha Pure-R 430',
    moduleSpacingShort: '0.5',
  }
}

/** Opens the form of a new draft. Resolves to its id. */
export async function openDraft({ call, show, page }: TestedApp, texts: OrderTexts): Promise<number> {
  const { orderId } = await call('orders.create', { texts })
  // The form of another draft, which is left only once that is saved, looks the same.
  await show('/orders')
  await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor()
  await show(`/orders/${orderId}/edit`)
  await page.getByRole('heading', { name: 'Fire setbacks' }).waitFor()
  return orderId
}

/** Name of the focused field, as in `orderFields`, or `null` if no field of the form has the focus. */
export function focusedField(page: Page): Promise<string | null> {
  return page.evaluate<string | null>("document.activeElement.closest('[data-field]')?.dataset.field ?? null")
}

/** Presses Tab until the field has the focus. */
export async function tabTo(page: Page, field: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await focusedField(page)) === field) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${field}`)
}

/** Presses Tab until the button has the focus. */
export async function tabToButton(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await page.evaluate<string>('document.activeElement.textContent.trim()')) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${name}`)
}

/** Opens the review, and confirms a module that nobody ordered before. */
export async function review(page: Page): Promise<void> {
  await openReview(page)
  await confirmModule(page)
}

/** Confirms the module of a review if nobody ordered it before. */
export async function confirmModule(page: Page): Promise<void> {
  const consent = page.getByLabel('Yes, order this module')
  if ((await consent.count()) > 0) await consent.check()
}

export async function openReview(page: Page): Promise<void> {
  await page.keyboard.press('Control+Enter')
  await page.getByRole('heading', { name: 'Check the order' }).waitFor()
}
