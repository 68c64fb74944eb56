import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { CDPSession } from 'playwright-core'
import { buildRenderer } from '../e2e/support/built-renderer.ts'
import { openApp, openStage, type TestApp, type TestAppOptions } from '../e2e/support/open-app.ts'
import { fillBigDatabase } from '../support/big-database.ts'
import { openChromium } from '../support/open-chromium.ts'

/**
 * In the page: returns the milliseconds of a fixed amount of work, which shows how fast the machine is at that time.
 */
export const fixedLoop = `(() => {
  const start = performance.now()
  let sum = 0
  for (let index = 0; index < 50_000_000; index += 1) sum = (sum + index * 7) % 1_000_003
  globalThis.kept = sum
  return performance.now() - start
})()`

/**
 * Runs a bench in the app in a real browser. `roundsText`: number of rounds that a user asked for. Sets the exit code
 * to 2 if it is none, and to 1 if the page had problems.
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

/** Fills the database of `home` and pauses the watch, so that only the app is measured. */
export function fillPaused(home: string, projects: number): void {
  mkdirSync(home, { recursive: true })
  const file = join(home, 'solarchive.sqlite3')
  fillBigDatabase(file, { projects })
  const db = new Database(file)
  db.prepare(`INSERT INTO meta (key, value) VALUES ('pause', ?)`).run(
    JSON.stringify({ sinceMs: Date.now(), untilMs: null }),
  )
  db.close()
}

interface Work {
  readonly totalMs: number
  readonly longestMs: number
}

/** Thread of a page in Chromium's traces. */
const pageThread = 'CrRendererMain'

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Processor time in microseconds. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

/** Returns the processor time of the page's tasks meanwhile. */
export async function traced(session: CDPSession, act: () => Promise<void>): Promise<Work> {
  const events: TraceEvent[] = []
  const collect = ({ value }: { value: object[] }) => void events.push(...(value as TraceEvent[]))
  session.on('Tracing.dataCollected', collect)
  const includedCategories = ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata']
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories } })
  await act()
  const isComplete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.end')
  await isComplete
  session.off('Tracing.dataCollected', collect)
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const own = new Set(events.filter(({ args }) => args.name === pageThread).map(threadOf))
  const tasks = events.filter((event) => event.name === 'RunTask' && own.has(threadOf(event)))
  const times = tasks.map(({ tdur = 0 }) => tdur / 1000)
  return { totalMs: times.reduce((sum, time) => sum + time, 0), longestMs: Math.max(0, ...times) }
}
