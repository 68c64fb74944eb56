import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { archivedHashes, servedHashes } from '../support/sample-archive.ts'
import { until } from '../support/watching.ts'
import {
  launch,
  makeSandbox,
  quit,
  startAgain,
  startDesktop,
  startTimeoutMs,
  type DesktopApp,
  type Sandbox,
  type SandboxOptions,
} from './support/open-desktop.ts'

async function newSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await makeSandbox({ projects: 2, checklistsPerProject: 2, photosPerQuestion: 1, ...options })
  onTestFinished(() => sandbox.remove())
  return sandbox
}

const addAll = ({ call }: DesktopApp, { service }: Sandbox) =>
  call('projects.add', { projects: service.projects.map(({ id, name }) => ({ id, name })) })

type Running = Pick<DesktopApp, 'electron'>

/** Emits what the running app receives when it is started a second time. */
const emitSecondStart = ({ electron }: Running) =>
  electron.evaluate(({ app }) => void app.emit('second-instance', {}, ['solarchive'], '/'))

/** Runs `act` and resolves to the exit code of the process, which ends by itself. */
async function exitCodeAfter({ electron }: Running, act: () => unknown): Promise<number | null> {
  const child = electron.process()
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  await act()
  return ended
}

const isArchived = async ({ archive, service }: Sandbox) =>
  JSON.stringify(archivedHashes(archive)) === JSON.stringify(await servedHashes(service))

/** Has the service keep all files but the first ones back until the return value is called. */
function holdFiles({ service }: Sandbox): () => void {
  const { promise: until, resolve: release } = Promise.withResolvers<void>()
  service.faults.add({ route: 'files', method: 'GET', skip: 6, fault: { kind: 'hold', until } })
  return release
}

const chosenBounds = { x: 60, y: 40, width: 900, height: 600 }
const boundsFile = ({ home }: Sandbox) => join(home, 'window.json')
const boundsOf = ({ electron }: Running) =>
  electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds())

test('quitting during a sync stops cleanly, and the next start resumes it, a draft, and the window', async () => {
  const sandbox = await newSandbox()
  const first = await startDesktop(sandbox)
  await first.electron.evaluate(({ BrowserWindow }, bounds) => {
    BrowserWindow.getAllWindows()[0]?.setBounds(bounds)
  }, chosenBounds)
  await expect.poll(() => boundsOf(first)).toEqual(chosenBounds)
  const { orderId } = await first.call('orders.create', { texts: {} })
  await first.show(`/orders/${orderId}/edit`)
  // A page that is busy, as with a long list, sends its last change late.
  await first.page.evaluate(() => {
    // Tests are compiled without the types of a page.
    const window = globalThis as unknown as EventTarget
    window.addEventListener('beforeunload', () => {
      const untilMs = performance.now() + 500
      while (performance.now() < untilMs);
    })
  })
  const release = holdFiles(sandbox)
  await addAll(first, sandbox)
  await until('some files are archived', () => archivedHashes(sandbox.archive).length > 2)
  await first.page.getByLabel('Homeowner').fill('Typed at the last moment')
  expect(await exitCodeAfter(first, () => quit(first.electron))).toBe(0)
  const log = readFileSync(join(sandbox.home, 'logs', 'solarchive.log'), 'utf8')
  expect(log).not.toContain('"level":"error"')
  expect(log).not.toContain('A message to the bridge was refused')
  expect(existsSync(join(sandbox.home, 'solarchive.pid'))).toBe(false)
  expect(log).not.toContain(sandbox.service.token)
  expect(JSON.parse(readFileSync(boundsFile(sandbox), 'utf8'))).toEqual({ ...chosenBounds, isMaximized: false })
  const before = archivedHashes(sandbox.archive)
  expect(before.length).toBeLessThan((await servedHashes(sandbox.service)).length)

  release()
  const second = await startDesktop(sandbox)
  expect(await boundsOf(second)).toEqual(chosenBounds)
  const order = await second.call('orders.get', { orderId })
  expect(Object.values(order.texts)).toContain('Typed at the last moment')
  await second.untilArchived()
  expect(archivedHashes(sandbox.archive)).toEqual(await servedHashes(sandbox.service))

  // The machine is shut down.
  const shutDown = () =>
    second.electron.evaluate(
      ({ powerMonitor }) => void powerMonitor.emit('shutdown', { preventDefault: () => undefined }),
    )
  expect(await exitCodeAfter(second, () => shutDown().catch(() => undefined))).toBe(0)
})

test('started in the background it archives without a window, which another start puts on the screen', async () => {
  const sandbox = await newSandbox()
  const release = holdFiles(sandbox)
  const before = await startDesktop(sandbox)
  await addAll(before, sandbox)
  // A supervisor, or the end of the session.
  expect(await exitCodeAfter(before, () => before.electron.process().kill('SIGTERM'))).toBe(0)
  expect(await isArchived(sandbox)).toBe(false)
  release()

  // Partly off screen, it is moved onto the screen at its own size.
  writeFileSync(boundsFile(sandbox), JSON.stringify({ ...chosenBounds, x: -300, isMaximized: false }))
  const electron = await launch(sandbox, ['--hidden'])
  const windows = () => electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)
  await until('everything is archived', () => isArchived(sandbox))
  expect(await windows()).toBe(0)
  expect(await startAgain(sandbox)).toMatchObject({ code: 0 })
  const page = await electron.firstWindow({ timeout: startTimeoutMs })
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(await windows()).toBe(1)
  expect(await boundsOf({ electron })).toEqual({ ...chosenBounds, x: 0 })

  // Windows notifies the window that the session ends.
  const endSession = () =>
    electron.evaluate(({ BrowserWindow }) => void BrowserWindow.getAllWindows()[0]?.emit('session-end'))
  expect(await exitCodeAfter({ electron }, () => endSession().catch(() => undefined))).toBe(0)
})

test('a page that crashes comes back by itself, and archiving continues meanwhile', async () => {
  const sandbox = await newSandbox()
  const release = holdFiles(sandbox)
  const desktop = await startDesktop(sandbox)
  const { electron, page } = desktop
  await addAll(desktop, sandbox)
  await until('some files are archived', () => archivedHashes(sandbox.archive).length > 2)
  await electron.evaluate(({ BrowserWindow }) => {
    const counted = Object.assign(globalThis, { loads: 0 })
    BrowserWindow.getAllWindows()[0]?.webContents.on('did-finish-load', () => void (counted.loads += 1))
  })
  // A page that is being replaced never responds.
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
  expect(await isArchived(sandbox)).toBe(false)
  release()
  await expect.poll(loads).toBe(1)
  await expect.poll(shown).toContain('Overview')
  // The second reload has a delay, which here never ends; a user who opens the window does not wait for it.
  await electron.evaluate(() => {
    const { setTimeout: start } = globalThis
    const hold = (run: () => void, delayMs?: number) => start(delayMs === 2_000 ? () => undefined : run, delayMs)
    Object.assign(globalThis, { setTimeout: hold })
  })
  await crash()
  await expect.poll(isCrashed).toBe(true)
  await emitSecondStart(desktop)
  await expect.poll(loads).toBe(2)
  await expect.poll(shown).toContain('Overview')
  await until('everything is archived', () => isArchived(sandbox))
  // The reloaded page receives the current states and the events.
  await expect.poll(shown).toContain('Watching for changes')
  const overview = await electron.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    return window?.webContents.executeJavaScript("solarchive.invoke('overview', {})") as Promise<{ ok: boolean }>
  })
  expect(overview.ok).toBe(true)
  // Ctrl+C.
  expect(await exitCodeAfter(desktop, () => electron.process().kill('SIGINT'))).toBe(0)
  expect(readFileSync(join(sandbox.home, 'logs', 'solarchive.log'), 'utf8')).toContain('The page of the window crashed')
})

test('a window whose screen is gone comes back on another one, and a start while it quits is not lost', async () => {
  const sandbox = await newSandbox({ projects: 1, checklistsPerProject: 1 })
  writeFileSync(boundsFile(sandbox), JSON.stringify({ ...chosenBounds, x: 50_000, isMaximized: false }))
  const desktop = await startDesktop(sandbox)
  expect((await boundsOf(desktop))?.x).toBeLessThan(3000)

  // Its screen is disconnected while it is hidden.
  await desktop.electron.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    window?.hide()
    window?.setBounds({ x: 50_000, y: 50_000 })
  })
  await emitSecondStart(desktop)
  await expect.poll(async () => (await boundsOf(desktop))?.x).toBeLessThan(3000)

  // Quit twice, and started while it quits, with a question of the system on the screen.
  await desktop.electron.evaluate(({ dialog }) => {
    const show = dialog.showMessageBox.bind(dialog) as (...args: unknown[]) => Promise<Electron.MessageBoxReturnValue>
    dialog.showMessageBox = (...args: unknown[]) => {
      Object.assign(globalThis, { isAsked: true })
      return show(...args)
    }
  })
  const program = { kind: 'program' as const, path: '/usr/local/bin/hook', args: [] }
  const hooks = [{ id: 'one', name: 'One', events: ['checklist-complete' as const], target: program }]
  desktop.call('hooks.save', { hooks }).catch(() => undefined)
  await expect.poll(() => desktop.electron.evaluate(() => Reflect.get(globalThis, 'isAsked') as unknown)).toBe(true)
  const owner = join(sandbox.home, 'solarchive.pid')
  const before = readFileSync(owner, 'utf8')
  const quitTwice = () =>
    desktop.electron.evaluate(({ app }) => {
      app.quit()
      app.quit()
      app.emit('second-instance', {}, ['solarchive'], '/')
    })
  expect(await exitCodeAfter(desktop, () => quitTwice().catch(() => undefined))).toBe(0)
  const after = () => (existsSync(owner) ? readFileSync(owner, 'utf8') : before)
  await until('it has started again', () => Number.parseInt(after(), 10) > 0 && after() !== before)
  const pid = Number.parseInt(after(), 10)
  process.kill(pid, 'SIGTERM')
  await until('it has ended', () => !isRunning(pid))
  expect(readFileSync(join(sandbox.home, 'settings.json'), 'utf8')).not.toContain('/usr/local/bin/hook')
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
