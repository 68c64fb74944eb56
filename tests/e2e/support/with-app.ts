import axe, { type AxeResults } from 'axe-core'
import type { Browser } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { openChromium } from '../../support/open-chromium.ts'
import { until } from '../../support/watching.ts'
import { openApp, type App, type AppOptions } from './open-app.ts'

export type { App } from './open-app.ts'

/** The app under test. */
export interface TestedApp extends App {
  /** Expects that axe finds nothing, light and dark. */
  readonly expectAccessible: () => Promise<void>
}

let browser: Promise<Browser> | undefined
afterAll(async () => {
  await (await browser)?.close()
  browser = undefined
})

/** Opens the app for a test. Whatever the page may not do and does fails it; see `openApp`. */
export async function withApp(options: AppOptions, use: (app: TestedApp) => Promise<void>): Promise<void> {
  browser ??= openChromium()
  const problems = await openApp(await browser, options, (app) =>
    use({ ...app, expectAccessible: () => expectAccessible(app) }),
  )
  expect(problems).toEqual([])
}

async function expectAccessible({ page }: App): Promise<void> {
  // A toast has elements that catch the focus, which axe takes for content that is hidden and yet can be focused.
  await until('toasts are gone', async () => (await page.locator('ol[data-slot="viewport"] li').count()) === 0)
  await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // Light and dark differ in nothing but colours.
    const rules = colorScheme === 'dark' ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {}
    const options = JSON.stringify({ ...rules, resultTypes: ['violations'] })
    const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`)
    expect(
      violations.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`),
    ).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
