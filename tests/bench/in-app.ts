import { buildRenderer } from '../e2e/support/built-renderer.ts'
import { openApp, openStage, type TestApp, type TestAppOptions } from '../e2e/support/open-app.ts'
import { openChromium } from '../support/open-chromium.ts'

/** In the page: returns the milliseconds of a fixed amount of work, which shows how fast the machine is at that time. */
export const fixedLoop = `(() => {
  const start = performance.now()
  let sum = 0
  for (let index = 0; index < 50_000_000; index += 1) sum = (sum + index * 7) % 1_000_003
  globalThis.kept = sum
  return performance.now() - start
})()`

/**
 * Runs a bench in the app in a real browser. `roundsText`: number of rounds that a user asked for. Sets the exit code to
 * 2 if it is none, and to 1 if the page had problems.
 */
export async function benchInApp(
  roundsText: string,
  options: TestAppOptions,
  measure: (app: TestApp, rounds: number) => Promise<void>,
): Promise<void> {
  const rounds = Number(roundsText)
  if (!(rounds >= 1)) {
    console.error('The number of rounds is a number from 1.')
    process.exitCode = 2
    return
  }
  await buildRenderer()
  const browser = await openChromium()
  try {
    const own = { hasOwnProcess: true, hasMotion: true, ...options }
    const problems = await openApp(await openStage(browser), own, (app) => measure(app, rounds))
    for (const problem of problems) console.error(problem)
    if (problems.length > 0) process.exitCode = 1
  } finally {
    await browser.close()
  }
}
