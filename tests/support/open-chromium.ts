import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

/** Paths of a user's own browser, if the packaged one does not run on this machine. */
const installedChannels = ['chrome', 'msedge', 'chromium'] as const

/**
 * Launches a Chromium for tests: the packaged one (Linux on x64), else an installed Chrome, else Playwright's own.
 * `SOLARCHIVE_TEST_BROWSER` names another executable.
 */
export async function openChromium(): Promise<Browser> {
  const own = process.env['SOLARCHIVE_TEST_BROWSER']
  if (own !== undefined && existsSync(own)) return chromium.launch({ executablePath: own })
  if (process.platform === 'linux' && process.arch === 'x64') {
    const { default: packaged } = await import('@sparticuz/chromium')
    packaged.setGraphicsMode = false
    // Its flags are for machines without a sandbox or a display. Site isolation stays on, as users have it.
    const args = packaged.args
      .filter((arg) => !/disable-web-security|disable-site-isolation|single-process|no-zygote/.test(arg))
      // A renderer process started in advance is never used, since each test has its own context.
      .map((arg) => arg.replace(/^--disable-features=.*/, '$&,SpareRendererForSitePerProcess'))
    return chromium.launch({ executablePath: await packaged.executablePath(), args, headless: true })
  }
  for (const channel of installedChannels) {
    const browser = await chromium.launch({ channel }).catch(() => undefined)
    if (browser !== undefined) return browser
  }
  return chromium.launch()
}
