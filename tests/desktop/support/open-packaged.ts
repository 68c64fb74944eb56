import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chromium, type Browser, type Page } from 'playwright-core'
import { pageWithDevtools, startWithDevtools } from '../../support/start-with-devtools.ts'
import { until } from '../../support/watching.ts'
import { startTimeoutMs, type Sandbox } from './open-desktop.ts'
import type { PackagedApp } from './package-app.ts'

/** A packaged app, running. */
export interface OpenPackaged {
  readonly page: Page
  readonly child: ChildProcess
  /** Time from the start of the process to the first useful content of its page. */
  readonly firstViewMs: number
  /** Ends it as the system does. Resolves to its exit code. */
  readonly quit: () => Promise<number | null>
}

/**
 * Starts a packaged app and connects to its page by the DevTools protocol, since its fuses prevent access to the main
 * process.
 */
export async function openPackaged({ program }: PackagedApp, { home }: Pick<Sandbox, 'home'>): Promise<OpenPackaged> {
  const startedMs = performance.now()
  const { child, address: starting } = startWithDevtools(program, home)
  const address = await starting
  // A client that connects while the window is being created waits for a page that is never reported.
  await until('the packaged app has its page', async () => (await pageWithDevtools(address)) !== undefined)
  const browser: Browser = await chromium.connectOverCDP(address, { noDefaults: true, timeout: startTimeoutMs })
  const [context] = browser.contexts()
  if (context === undefined) throw new Error('The packaged app has no session.')
  context.setDefaultTimeout(startTimeoutMs)
  const page = context.pages()[0] ?? (await context.waitForEvent('page'))
  await page.locator('main h1').waitFor()
  const firstViewMs = performance.now() - startedMs
  return {
    page,
    child,
    firstViewMs,
    async quit() {
      const ended = once(child, 'exit') as Promise<[number | null]>
      child.kill('SIGTERM')
      const [code] = await ended
      await browser.close().catch(() => undefined)
      return code
    },
  }
}
