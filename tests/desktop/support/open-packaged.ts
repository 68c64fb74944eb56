import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chromium, type Browser, type Page } from 'playwright-core'
import { electronFlags } from '../../../electron/headless/electron-app.ts'
import { until } from '../../support/watching.ts'
import type { Sandbox } from './open-desktop.ts'
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
  const child = spawn(program, [...electronFlags(), '--remote-debugging-port=0'], {
    env: { ...process.env, SOLARCHIVE_HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const address = await toolsAddress(child)
  // A client that connects while the window is being created waits for a page that is never reported.
  await until('the packaged app has its page', () => hasPage(new URL(address).port))
  const browser: Browser = await chromium.connectOverCDP(address, { noDefaults: true })
  const [context] = browser.contexts()
  if (context === undefined) throw new Error('The packaged app has no session.')
  const page = context.pages()[0] ?? (await context.waitForEvent('page'))
  await page.locator('main h1').waitFor()
  const firstViewMs = performance.now() - startedMs
  return {
    ...{ page, child, firstViewMs },
    async quit() {
      const ended = once(child, 'exit') as Promise<[number | null]>
      child.kill('SIGTERM')
      const [code] = await ended
      await browser.close().catch(() => undefined)
      return code
    },
  }
}

async function hasPage(port: string): Promise<boolean> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as { type: string; url: string }[]
  return targets.some(({ type, url }) => type === 'page' && url.startsWith('app:'))
}

function toolsAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const address = /DevTools listening on (ws:\S+)/.exec(printed)?.[1]
      if (address !== undefined) resolve(address)
    })
    child.once('exit', (code) => reject(new Error(`The packaged app ended with ${code}:\n${printed}`)))
  })
}
