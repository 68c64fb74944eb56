import type { Page } from 'playwright-core'
import type { TestApp } from '../e2e/support/open-app.ts'
import { benchInApp, fixedLoop, traced } from './in-app.ts'
import { median } from './rows.ts'

/** Maximum wall-clock times on a quiet machine. */
const targets = { openMs: 300, frameMs: 100 }

/** 720 photos, as the largest checklists of a commercial site have. */
const questions = 24
const photosPerQuestion = 30

/**
 * `npm run bench -- photos [rounds]`: a checklist of 720 photos in a real browser. Prints how long it takes from the
 * click in the project's page until its first photos are painted, and the longest frame while all of them are scrolled
 * through, and while its map is zoomed and dragged: by the clock, and "busy", the processor time of the page's thread,
 * which other programs do not lengthen. The fixed loop is what the same machine took at that time. Sets the exit code
 * to 1 when a median misses its target.
 */
export function benchPhotos([roundsText = '5']: readonly string[]): Promise<void> {
  return benchInApp(
    roundsText,
    {
      isArchived: true,
      viewport: { width: 1440, height: 900 },
      service: {
        projects: 1,
        checklistsPerProject: 1,
        statuses: ['completed'],
        photoQuestionsPerChecklist: questions,
        photosPerQuestion,
      },
    },
    measure,
  )
}

async function measure({ page, service, call, show }: TestApp, rounds: number): Promise<void> {
  const [project] = service.projects
  const [checklist] = project?.checklists ?? []
  if (project === undefined || checklist === undefined) throw new Error('There is no checklist')
  // Nothing else runs while the page is measured.
  await call('watch.pause', { length: 'tomorrow' })
  const figures = new Map<string, number[]>()
  const record = (name: string, value: number) => figures.set(name, [...(figures.get(name) ?? []), value])
  const session = await page.context().newCDPSession(page)
  for (let round = 0; round < rounds; round += 1) {
    await show(`/projects/${project.id}`)
    await page.reload()
    const link = page.locator(`main a[href$="/checklists/${checklist.id}"]`).first()
    await link.waitFor()
    await page.evaluate(observe)
    record('fixed loop', await page.evaluate<number>(fixedLoop))
    const started = Date.now()
    await call('checklists.get', { projectId: project.id, checklistId: checklist.id })
    record('call', Date.now() - started)
    await page.waitForTimeout(500)
    const opening = await traced(session, async () => {
      record('open', await page.evaluate<number>(opened(checklist.id)))
    })
    record('open, busy', opening.totalMs)
    await page.waitForTimeout(1_500)
    await page.evaluate('frames.length = 0')
    const scrolling = await traced(session, () => scroll(page))
    record('frame', await page.evaluate<number>('Math.max(0, ...frames)'))
    record('frame, busy', scrolling.longestMs)
    await show(`/projects/${project.id}/checklists/${checklist.id}/map`)
    await page.locator('[data-mark]').first().waitFor()
    await page.waitForTimeout(1_500)
    await page.evaluate('frames.length = 0')
    const moving = await traced(session, () => moveMap(page))
    record('frame, map', await page.evaluate<number>('Math.max(0, ...frames)'))
    record('frame, map busy', moving.longestMs)
  }
  console.log(`Milliseconds with ${questions * photosPerQuestion} photos, ${rounds} rounds: median, highest`)
  for (const [name, times] of figures) {
    const limit = name.startsWith('open') ? targets.openMs : name.startsWith('frame') ? targets.frameMs : Infinity
    const isMissed = median(times) > limit
    const row = `${median(times).toFixed(0).padStart(6)} ${Math.max(...times)
      .toFixed(0)
      .padStart(6)}`
    console.log(`  ${name.padEnd(16)} ${row}${isMissed ? '  MISSED' : ''}`)
    if (isMissed) process.exitCode = 1
  }
}

/** In the page: the time between two frames. */
const observe = `
  globalThis.frames = []
  {
    let last = performance.now()
    const frame = (at) => {
      frames.push(at - last)
      last = at
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  }`

/** In the page: clicks the checklist, and returns the time until its first photo is loaded and painted. */
const opened = (checklistId: string) => `new Promise((resolve) => {
  const started = performance.now()
  document.querySelector('main a[href$="/checklists/${checklistId}"]').click()
  const check = () => {
    const image = document.querySelector('[data-openable="0"] img')
    if (!(image?.complete && image.naturalWidth > 0)) return requestAnimationFrame(check)
    requestAnimationFrame(() => resolve(performance.now() - started))
  }
  check()
})`

/** Zooms into the map by the wheel until every photo has its own mark, drags it around, and zooms out again. */
async function moveMap(page: Page): Promise<void> {
  const map = page.getByRole('region', { name: 'Map', exact: true })
  const { x = 0, y = 0, width = 0, height = 0 } = (await map.boundingBox()) ?? {}
  const [right, down] = [x + width / 2, y + height / 2]
  await page.mouse.move(right, down)
  for (let notch = 0; notch < 25; notch += 1) await page.mouse.wheel(0, -100)
  await page.mouse.down()
  for (let step = 1; step <= 40; step += 1) {
    await page.mouse.move(right + 300 * Math.sin(step / 6), down + 200 * Math.cos(step / 6))
  }
  await page.mouse.up()
  for (let notch = 0; notch < 40; notch += 1) await page.mouse.wheel(0, 100)
}

/** Scrolls by the wheel to the last photo, a flick every frame or two. */
async function scroll(page: Page): Promise<void> {
  await page.locator('[data-openable="0"]').hover()
  const isAtEnd = () => page.locator(`[data-openable="${questions * photosPerQuestion - 1}"]`).isVisible()
  while (!(await isAtEnd())) {
    for (let flick = 0; flick < 10; flick += 1) await page.mouse.wheel(0, 240)
  }
}
