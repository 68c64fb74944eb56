import type { Page } from 'playwright-core'
import type { TestApp } from '../e2e/support/open-app.ts'
import { benchInApp, fillPaused, fixedLoop, traced } from './in-app.ts'
import { median } from './rows.ts'

/** Maximum wall-clock time on a quiet machine, from a key to its results on the screen. */
const targetMs = 100
const projects = 2_000

/** Each key of it changes the first row. */
const search = '789'

/** Fields that users type into. A search is answered once `first` shows `nameOf` it. */
const fields = [
  {
    name: 'filter',
    open: async ({ page, show }: TestApp) => {
      await show('/projects')
      await page.reload()
      await page.getByRole('searchbox').focus()
    },
    first: 'main [role=grid] [data-index="0"] a',
    nameOf: async ({ call }: TestApp, search: string) =>
      (await call('projects.list', { search, limit: 1 })).items[0]?.name,
  },
  {
    name: 'palette',
    open: async ({ page, show }: TestApp) => {
      await show('/')
      await page.reload()
      await page.locator('main section[aria-label="Archive"] dd').first().waitFor()
      await page.keyboard.press('Control+k')
    },
    first: '[role=dialog] [role=option] :is(bdi, .line-clamp-2)',
    nameOf: async ({ call }: TestApp, query: string) =>
      (await call('search', { query, limit: 1 })).hits[0]?.snippet ?? `All results for “${query}”`,
  },
] as const

/**
 * `npm run bench -- typing [rounds]`: searching 2,000 projects in a real browser. Prints how long it takes from each
 * key until what it found is painted: by the clock, and "busy", the processor time of the page's thread, which other
 * programs do not lengthen. The fixed loop is what the same machine took at that time. Sets the exit code to 1 when a
 * median misses its target.
 */
export function benchTyping([roundsText = '5']: readonly string[]): Promise<void> {
  return benchInApp(
    roundsText,
    {
      addsProjects: false,
      viewport: { width: 1440, height: 900 },
      service: { projects: 1 },
      prepare: ({ home }) => fillPaused(home, projects),
    },
    measure,
  )
}

async function measure(app: TestApp, rounds: number): Promise<void> {
  const { page } = app
  const figures = new Map<string, number[]>()
  const record = (name: string, value: number) => figures.set(name, [...(figures.get(name) ?? []), value])
  const session = await page.context().newCDPSession(page)
  const searches = [...search].map((key, index) => ({ key, text: search.slice(0, index + 1) }))
  for (let round = 0; round < rounds; round += 1) {
    record('fixed loop', await page.evaluate<number>(fixedLoop))
    for (const { name, open, first, nameOf } of fields) {
      await open(app)
      await page.locator(first).first().waitFor()
      // The page has settled after it was opened.
      await page.waitForTimeout(1_000)
      for (const { key, text } of searches) {
        await page.evaluate(answered(first, (await nameOf(app, text)) ?? '?'))
        const { totalMs } = await traced(session, async () => {
          await page.keyboard.press(key)
          record(name, await page.evaluate<number>('answeredMs'))
        })
        record(`${name}, busy`, totalMs)
        await rest(page)
      }
    }
  }
  console.log(`Milliseconds from a key to its results among ${projects} projects, ${rounds} rounds: median, highest`)
  for (const [name, times] of figures) {
    const isMissed = fields.some((field) => field.name === name) && median(times) > targetMs
    const [middle, highest] = [median(times), Math.max(...times)].map((ms) => ms.toFixed(0).padStart(6))
    console.log(`  ${name.padEnd(14)} ${middle} ${highest}${isMissed ? '  MISSED' : ''}`)
    if (isMissed) process.exitCode = 1
  }
}

/** Waits for longer than people do between two keys, so that each key is measured on its own. */
const rest = (page: Page) => page.waitForTimeout(400)

/**
 * In the page: `answeredMs` becomes the time from the next key until the first result is the one with this name, and
 * painted.
 */
const answered = (first: string, name: string) => `void (globalThis.answeredMs = new Promise((resolve, reject) => {
  addEventListener('keydown', ({ timeStamp }) => {
    const check = () => {
      if (performance.now() - timeStamp > 10_000) return reject(new Error('Nothing was found'))
      const found = document.querySelector(${JSON.stringify(first)})?.textContent.trim()
      if (found !== ${JSON.stringify(name)}) return requestAnimationFrame(check)
      // The frame that shows it is over when the next one begins.
      requestAnimationFrame(() => resolve(performance.now() - timeStamp))
    }
    requestAnimationFrame(check)
  }, { once: true, capture: true })
}))`
