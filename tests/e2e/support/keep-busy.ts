import type { Page } from 'playwright-core'

/** Keeps the page busy for `ms` as soon as it has handled the next event of a kind. */
export async function keepBusy(page: Page, event: 'click' | 'keydown', ms: number): Promise<void> {
  await page.evaluate(`addEventListener('${event}', () => {
    const endMs = performance.now() + ${ms}
    while (performance.now() < endMs);
  }, { once: true })`)
}
