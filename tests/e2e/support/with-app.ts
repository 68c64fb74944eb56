import type axe from 'axe-core'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { archivesVariable } from '../../support/memory-disk.ts'
import { openChromium } from '../../support/open-chromium.ts'
import { until } from '../../support/watching.ts'
import { openApp, openStage, type TestApp, type TestAppOptions, type Stage } from './open-app.ts'

export type { TestApp } from './open-app.ts'

/** App under test. */
export interface TestedApp extends TestApp {
  /**
   * Expects that axe finds nothing, light and dark. Each view is checked completely once, in its fullest state; `part`
   * limits the check to the new part of a dialog, a message, or another state of a view.
   */
  readonly expectAccessible: (part?: Locator) => Promise<void>
}

/** The minified build: every page that is checked receives it. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Chromium for all test files of this process: it ends with the process, which holds the other end of its pipe. */
let browser: Promise<Browser> | undefined

/** Contexts that no app uses. */
const freeStages: Stage[] = []

/**
 * Opens the app for a test, in a browser context that no other app uses at the time and with nothing stored in it.
 * Fails the test on violations of the page; see `openApp`. The context of a failed test is not used again.
 */
export async function withApp(options: TestAppOptions, use: (app: TestedApp) => Promise<void>): Promise<void> {
  browser ??= openChromium()
  const stage = (options.hasEmptyCache === true ? undefined : freeStages.pop()) ?? (await openStage(await browser))
  const problems = await openApp(stage, { within: process.env[archivesVariable] ?? tmpdir(), ...options }, (app) =>
    use({ ...app, expectAccessible: (part) => expectAccessible(app, part) }),
  )
  if (options.hasEmptyCache === true) await stage.context.close()
  else freeStages.push(stage)
  expect(problems).toEqual([])
}

/** Opens one app for the tests of a file. They run in order; each starts by showing its view. */
export function shareApp(options: TestAppOptions): () => TestedApp {
  let opened: TestedApp | undefined
  const { promise: isDone, resolve: end } = Promise.withResolvers<void>()
  let closed: Promise<void> | undefined
  beforeAll(async () => {
    await new Promise<void>((resolve, reject) => {
      closed = withApp(options, (app) => {
        opened = app
        resolve()
        return isDone
      })
      closed.catch(reject)
    })
  })
  afterAll(async () => {
    end()
    await closed
  })
  return () => {
    if (opened === undefined) throw new Error('The app is not open')
    return opened
  }
}

async function expectAccessible({ page }: TestApp, part?: Locator): Promise<void> {
  // A toast has elements that catch the focus, which axe reports as hidden content that can be focused.
  if (part === undefined) {
    await until('toasts are gone', async () => (await page.locator('ol[data-slot="viewport"] li').count()) === 0)
  }
  const [hasAxe, isDark] = await page.evaluate<boolean[]>(
    "['axe' in globalThis, matchMedia('(prefers-color-scheme: dark)').matches]",
  )
  if (hasAxe !== true) await page.evaluate(axeSource)
  // The page stays in the second scheme, in which the next check starts: a change computes every style again.
  const schemes = ['light', 'dark'] as const
  for (const [index, colorScheme] of (isDark === true ? schemes.toReversed() : schemes).entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // The schemes differ in colors only.
    const rules = index === 1 ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {}
    // No view has a frame, and no rule in use reads the style sheets.
    const options = { ...rules, resultTypes: ['violations' as const], iframes: false, preload: false }
    const { violations } = await (part ?? page.locator('html')).evaluate(
      (root, options) => (globalThis as unknown as { axe: typeof axe }).axe.run(root, options),
      options,
    )
    expect(
      violations.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`),
    ).toEqual([])
  }
}
