import axe, { type AxeResults } from 'axe-core'
import type { Browser } from 'playwright-core'
import { expect } from 'vitest'
import { openChromium } from '../../support/open-chromium.ts'
import { until } from '../../support/watching.ts'
import { openApp, type App, type AppOptions } from './open-app.ts'

export type { App } from './open-app.ts'

/** The app under test. */
export interface TestedApp extends App {
  /** Expects that axe finds nothing, light and dark. */
  readonly expectAccessible: () => Promise<void>
}

/** Chromium of this process, for all its test files: it ends with the process, which holds the other end of its pipe. */
let browser: Promise<Browser> | undefined

/** Opens the app for a test, in a browser context of its own. Whatever the page must not do fails the test; see `openApp`. */
export async function withApp(options: AppOptions, use: (app: TestedApp) => Promise<void>): Promise<void> {
  browser ??= openChromium()
  const problems = await openApp(await browser, options, (app) =>
    use({ ...app, expectAccessible: () => expectAccessible(app) }),
  )
  expect(problems).toEqual([])
}

async function expectAccessible({ page }: App): Promise<void> {
  // A toast has elements that catch the focus, which axe takes for hidden content that can be focused.
  await until('toasts are gone', async () => (await page.locator('ol[data-slot="viewport"] li').count()) === 0)
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // Light and dark differ in colors only.
    const rules = colorScheme === 'dark' ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {}
    // No view has a frame, and no rule in use reads the style sheets.
    const options = JSON.stringify({ ...rules, resultTypes: ['violations'], iframes: false, preload: false })
    const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`)
    expect(
      violations.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`),
    ).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
