import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { archivedHashes, servedHashes } from '../support/sample-archive.ts'
import { until } from '../support/watching.ts'
import {
  launch,
  makePlace,
  quit,
  startAgain,
  startDesktop,
  type DesktopApp,
  type Place,
  type PlaceOptions,
} from './support/open-desktop.ts'

async function newPlace(options: PlaceOptions = {}): Promise<Place> {
  const place = await makePlace({ projects: 2, checklistsPerProject: 2, ...options })
  onTestFinished(() => place.remove())
  return place
}

const addAll = ({ call }: DesktopApp, { service }: Place) =>
  call('projects.add', { projects: service.projects.map(({ id, name }) => ({ id, name })) })

/** A second start, told to the app that runs. */
const startedAgain = ({ electron }: DesktopApp) =>
  electron.evaluate(({ app }) => void app.emit('second-instance', {}, ['solarchive'], '/'))

/** The process and what it left: the data folder is free, and it ended by itself. */
async function endedWith({ electron }: DesktopApp, act: () => unknown): Promise<number | null> {
  const child = electron.process()
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  await act()
  return ended
}

test('quitting in the middle of a sync stops in order, and the next start goes on to a full archive', async () => {
  const place = await newPlace()
  const slow = place.service.faults.add({ route: 'files', fault: { kind: 'latency', delayMs: 150 } })
  const first = await startDesktop(place)
  await addAll(first, place)
  await until('some files are archived', () => archivedHashes(place.archive).length > 5)
  expect(await endedWith(first, () => quit(first.electron))).toBe(0)
  const log = readFileSync(join(place.home, 'logs', 'solarchive.log'), 'utf8')
  expect(log).not.toContain('"level":"error"')
  expect(log).not.toContain('A message to the bridge was refused')
  expect(existsSync(join(place.home, 'solarchive.pid'))).toBe(false)
  expect(log).not.toContain(place.service.token)
  const before = archivedHashes(place.archive)
  expect(before.length).toBeLessThan((await servedHashes(place.service)).length)

  slow.remove()
  const second = await startDesktop(place)
  await second.untilArchived()
  expect(archivedHashes(place.archive)).toEqual(await servedHashes(place.service))

  // A supervisor, or the end of the session.
  expect(await endedWith(second, () => second.electron.process().kill('SIGTERM'))).toBe(0)
})

test('started in the background it archives without a window, until it is started again', async () => {
  const place = await newPlace()
  const before = await startDesktop(place)
  await addAll(before, place)
  // Ctrl+C.
  expect(await endedWith(before, () => before.electron.process().kill('SIGINT'))).toBe(0)

  const electron = await launch(place, ['--hidden'])
  const windows = () => electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)
  await until('everything is archived', async () => {
    return JSON.stringify(archivedHashes(place.archive)) === JSON.stringify(await servedHashes(place.service))
  })
  expect(await windows()).toBe(0)
  expect(await startAgain(place)).toMatchObject({ code: 0 })
  const page = await electron.firstWindow()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(await windows()).toBe(1)
  await quit(electron)
})

test('a page that crashes comes back by itself, and archiving went on meanwhile', async () => {
  const place = await newPlace()
  place.service.faults.add({ route: 'files', fault: { kind: 'latency', delayMs: 40 } })
  const desktop = await startDesktop(place)
  const { electron, page } = desktop
  await addAll(desktop, place)
  await until('some files are archived', () => archivedHashes(place.archive).length > 2)
  await electron.evaluate(({ BrowserWindow }) => {
    const counted = Object.assign(globalThis, { loads: 0 })
    BrowserWindow.getAllWindows()[0]?.webContents.on('did-finish-load', () => void (counted.loads += 1))
  })
  // What is asked of a page that is on its way out is never answered.
  const loads = () => electron.evaluate(() => (globalThis as unknown as { loads: number }).loads)
  const crash = () =>
    electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer())
  const isCrashed = () =>
    electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.isCrashed())
  const shown = () =>
    electron
      .evaluate(({ BrowserWindow }) => {
        const [window] = BrowserWindow.getAllWindows()
        return window?.webContents.executeJavaScript("document.querySelector('main')?.innerText ?? ''")
      })
      .catch(() => '')
  const crashed = new Promise((resolve) => page.once('crash', resolve))
  await crash()
  await crashed
  await expect.poll(loads).toBe(1)
  await expect.poll(shown).toContain('Overview')
  // The next time it waits a while; who asks for the window does not.
  await crash()
  await expect.poll(isCrashed).toBe(true)
  await startedAgain(desktop)
  await expect.poll(loads, { timeout: 1500 }).toBe(2)
  await expect.poll(shown).toContain('Overview')
  await until('everything is archived', async () => {
    return JSON.stringify(archivedHashes(place.archive)) === JSON.stringify(await servedHashes(place.service))
  })
  // The new page is told of everything again, and of what happens.
  await expect.poll(shown).toContain('Watching for changes')
  const overview = await electron.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    return window?.webContents.executeJavaScript("solarchive.invoke('overview', {})") as Promise<{ ok: boolean }>
  })
  expect(overview.ok).toBe(true)
  await quit(electron)
  expect(readFileSync(join(place.home, 'logs', 'solarchive.log'), 'utf8')).toContain('The page of the window crashed')
})

test('the window comes back where it was, and onto the screen when its place is not there any more', async () => {
  const place = await newPlace({ projects: 1, checklistsPerProject: 1 })
  const boundsOf = ({ electron }: DesktopApp) =>
    electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds())
  const first = await startDesktop(place)
  const chosen = { x: 60, y: 40, width: 900, height: 600 }
  await first.electron.evaluate(({ BrowserWindow }, bounds) => {
    BrowserWindow.getAllWindows()[0]?.setBounds(bounds)
  }, chosen)
  await expect.poll(() => boundsOf(first)).toEqual(chosen)
  // The machine is shut down.
  const shutDown = () =>
    first.electron.evaluate(
      ({ powerMonitor }) => void powerMonitor.emit('shutdown', { preventDefault: () => undefined }),
    )
  expect(await endedWith(first, () => shutDown().catch(() => undefined))).toBe(0)
  const file = join(place.home, 'window.json')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...chosen, isMaximized: false })

  const second = await startDesktop(place)
  expect(await boundsOf(second)).toEqual(chosen)
  // Windows tells the window that the session ends.
  const endSession = () =>
    second.electron.evaluate(({ BrowserWindow }) => void BrowserWindow.getAllWindows()[0]?.emit('session-end'))
  expect(await endedWith(second, () => endSession().catch(() => undefined))).toBe(0)

  writeFileSync(file, JSON.stringify({ ...chosen, x: 50_000, isMaximized: false }))
  const third = await startDesktop(place)
  expect((await boundsOf(third))?.x).toBeLessThan(3000)

  // Its screen goes while it is hidden.
  await third.electron.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    window?.hide()
    window?.setBounds({ x: 50_000, y: 50_000 })
  })
  await startedAgain(third)
  await expect.poll(async () => (await boundsOf(third))?.x).toBeLessThan(3000)

  // Quit twice, and started while it is on its way out: that start is not lost.
  const owner = join(place.home, 'solarchive.pid')
  const before = readFileSync(owner, 'utf8')
  const quitTwice = () =>
    third.electron.evaluate(({ app }) => {
      app.quit()
      app.quit()
      app.emit('second-instance', {}, ['solarchive'], '/')
    })
  expect(await endedWith(third, () => quitTwice().catch(() => undefined))).toBe(0)
  const after = () => (existsSync(owner) ? readFileSync(owner, 'utf8') : before)
  await until('it has started again', () => Number.parseInt(after(), 10) > 0 && after() !== before)
  const pid = Number.parseInt(after(), 10)
  process.kill(pid, 'SIGTERM')
  await until('it has ended', () => !isRunning(pid))
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
