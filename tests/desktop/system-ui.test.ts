import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { autostartEntry } from '../../electron/desktop/startup.ts'
import { until } from '../support/watching.ts'
import { electronProgram } from './support/electron-runtime.ts'
import { makeSandbox, startDesktop, type DesktopApp, type Sandbox } from './support/open-desktop.ts'

/** Everything the app shows outside its window, recorded by spies on Electron's classes. */
interface Seen {
  notifications: { title: string; body: string; click: () => void }[]
  menu: Electron.Menu | undefined
  tooltip: string
  icons: number
  bars: number[]
  opened: string[]
  dragged: string[]
  failures: string[]
}

let sandbox: Sandbox
let desktop: DesktopApp
let image: string

const autostart = () => join(sandbox.folder, 'config', 'autostart', 'solarchive.desktop')

beforeAll(async () => {
  const site = { projects: 2, checklistsPerProject: 2, awkwardNames: false, statuses: ['completed'] as const }
  sandbox = await makeSandbox(site)
  image = join(sandbox.folder, 'Solarchive 100%.AppImage')
  // It was switched on when the app was another file.
  mkdirSync(dirname(autostart()), { recursive: true })
  writeFileSync(autostart(), autostartEntry(join(sandbox.folder, 'Solarchive 1%.AppImage')))
  desktop = await startDesktop(sandbox, [], {
    APPIMAGE: image,
    APPDIR: dirname(electronProgram()),
    XDG_CONFIG_HOME: join(sandbox.folder, 'config'),
  })
  await desktop.electron.evaluate(({ BrowserWindow, Notification, shell, Tray }) => {
    const seen: Seen = {
      notifications: [],
      menu: undefined,
      tooltip: '',
      icons: 0,
      bars: [],
      opened: [],
      dragged: [],
      failures: [],
    }
    Object.assign(globalThis, { seen })
    Notification.isSupported = () => true
    Notification.prototype.show = function (this: Electron.Notification) {
      seen.notifications.push({ title: this.title, body: this.body, click: () => void this.emit('click') })
    }
    Tray.prototype.setContextMenu = (menu) => void (seen.menu = menu ?? undefined)
    Tray.prototype.setToolTip = (text) => void (seen.tooltip = text)
    Tray.prototype.setImage = () => void (seen.icons += 1)
    shell.openPath = (path) => Promise.resolve((seen.opened.push(path), ''))
    const [window] = BrowserWindow.getAllWindows()
    if (window === undefined) return
    window.setProgressBar = (value) => void seen.bars.push(value)
    window.webContents.startDrag = ({ file }) => void seen.dragged.push(file)
    // A page that is reloaded loses it.
    void window.webContents.executeJavaScript('globalThis.isSame = true')
  })
})

afterAll(async () => {
  await desktop?.quit()
  await sandbox?.remove()
})

/** Each test starts with a visible window at the overview, and without faults. */
beforeEach(async () => {
  sandbox.service.faults.clear()
  await setWindow('show')
  await desktop.show('/')
  await desktop.electron.evaluate(() => {
    const { seen } = globalThis as unknown as { seen: Seen }
    Object.assign(seen, { notifications: [], opened: [], dragged: [], bars: [] })
  })
})

const log = () => readFileSync(join(sandbox.home, 'logs', 'solarchive.log'), 'utf8')
const opened = () => desktop.electron.evaluate(() => (globalThis as unknown as { seen: Seen }).seen.opened)
const dragged = () => desktop.electron.evaluate(() => (globalThis as unknown as { seen: Seen }).seen.dragged)
const failures = () => desktop.electron.evaluate(() => (globalThis as unknown as { seen: Seen }).seen.failures)
const bars = () => desktop.electron.evaluate(() => (globalThis as unknown as { seen: Seen }).seen.bars)
const tooltip = () => desktop.electron.evaluate(() => (globalThis as unknown as { seen: Seen }).seen.tooltip)
const notifications = () =>
  desktop.electron.evaluate(() => {
    const { seen } = globalThis as unknown as { seen: Seen }
    return seen.notifications.map(({ title, body }) => ({ title, body }))
  })
const setWindow = (act: 'hide' | 'show') =>
  desktop.electron.evaluate(({ BrowserWindow }, act) => BrowserWindow.getAllWindows()[0]?.[act](), act)
const isVisible = () =>
  desktop.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible() ?? false)

/** The labels of the tray's menu, those of its submenus too. */
const trayLabels = () =>
  desktop.electron.evaluate(() => {
    const { seen } = globalThis as unknown as { seen: Seen }
    return (seen.menu?.items ?? []).flatMap(({ label, submenu }) => [
      label,
      ...(submenu?.items ?? []).map((item) => item.label),
    ])
  })

/** Chooses an item of the tray's menu as a user does. */
const chooseInTray = (label: string) =>
  desktop.electron.evaluate((_electron, label) => {
    const { seen } = globalThis as unknown as { seen: Seen }
    const items = (seen.menu?.items ?? []).flatMap((item) => [item, ...(item.submenu?.items ?? [])])
    items.find((item) => item.label === label)?.click()
  }, label)

test('the window shows itself before the data folder is opened', async () => {
  const paintedMs = await desktop.page.evaluate<number>(
    "performance.timeOrigin + performance.getEntriesByName('first-contentful-paint')[0].startTime",
  )
  expect(paintedMs).toBeLessThan(statSync(join(sandbox.home, 'lock.sqlite3')).birthtimeMs)
})

test('checklists archived in the background share one notification, which opens their project', async () => {
  const { call, electron, page } = desktop
  const [project] = sandbox.service.projects
  // Slow enough to be seen.
  await call('settings.save', { concurrency: 2 })
  const slow = sandbox.service.faults.add({ route: 'files', fault: { kind: 'latency', delayMs: 2_000 } })
  await setWindow('hide')
  await call('projects.add', { projects: [{ id: project?.id ?? '', name: project?.name }] })
  await expect.poll(bars).toContainEqual(expect.toSatisfy((value: number) => value > 0 && value <= 1))
  const isLinux = process.platform === 'linux'
  await expect.poll(tooltip).toMatch(isLinux ? /^Solarchive: Syncing$/ : /^Solarchive: Syncing\n\d+ of \d+ files/)
  slow.remove()
  await expect
    .poll(notifications)
    .toEqual([{ title: '2 checklists archived', body: `${project?.name}. Nothing is missing.` }])
  await expect.poll(async () => (await bars()).at(-1)).toBe(-1)
  await expect.poll(tooltip).toBe('Solarchive: Watching for changes')

  await electron.evaluate(() => (globalThis as unknown as { seen: Seen }).seen.notifications[0]?.click())
  await expect.poll(isVisible).toBe(true)
  await page.getByRole('heading', { name: project?.name ?? '' }).waitFor()
  expect(await page.evaluate(() => (globalThis as { isSame?: boolean }).isSame)).toBe(true)
})

test('the menu of the tray pauses, resumes, syncs, and opens the archive and the window', async () => {
  const { call } = desktop
  await expect.poll(trayLabels).toContain('Sync everything now')
  await chooseInTray('Pause for an hour')
  await expect.poll(trayLabels).toContain('Resume syncing')
  expect(await call('watch.state', {})).toMatchObject({ kind: 'paused', until: expect.any(String) as string })
  expect(await tooltip()).toMatch(/^Solarchive: Paused\nUntil /)
  await chooseInTray('Resume syncing')
  await expect.poll(async () => (await call('watch.state', {})).kind).not.toBe('paused')

  const { sync: before } = await call('overview', {})
  expect(before).toEqual({ kind: 'idle', last: null })
  await chooseInTray('Sync everything now')
  await expect.poll(async () => (await call('overview', {})).sync).toMatchObject({ kind: 'idle', last: { ok: true } })

  await chooseInTray('Open archive')
  await expect.poll(opened).toEqual([sandbox.archive])
  // The drive of the archive is unplugged.
  const away = `${sandbox.archive} away`
  await desktop.electron.evaluate(({ dialog }) => {
    const { seen } = globalThis as unknown as { seen: Seen }
    dialog.showMessageBox = (...args: unknown[]) => {
      seen.failures.push((args.at(-1) as { readonly detail: string }).detail)
      return Promise.resolve({ response: 0, checkboxChecked: false })
    }
  })
  renameSync(sandbox.archive, away)
  await chooseInTray('Open archive')
  await expect.poll(failures).toEqual([`${sandbox.archive} is not there. If it is on a drive, connect the drive.`])
  renameSync(away, sandbox.archive)
  expect(await opened()).toEqual([sandbox.archive])
  await setWindow('hide')
  await chooseInTray('Show Solarchive')
  await expect.poll(isVisible).toBe(true)
})

test('each time that the window comes back, the taskbar shows progress and problems again', async () => {
  // More often than a changed status may have done it meanwhile.
  const times = 10
  const before = await desktop.electron.evaluate(({ BrowserWindow }, times) => {
    const { length } = (globalThis as unknown as { seen: Seen }).seen.bars
    for (let time = 0; time < times; time += 1) BrowserWindow.getAllWindows()[0]?.emit('show')
    return length
  }, times)
  await expect.poll(async () => (await bars()).length).toBeGreaterThanOrEqual(before + times)
})

test('a refused token is notified immediately, and a kind that is switched off is not', async () => {
  const { call, electron, page } = desktop
  await setWindow('hide')
  await call('settings.save', { notifications: { checklistArchived: false } })
  const [, second] = sandbox.service.projects
  await call('projects.add', { projects: [{ id: second?.id ?? '', name: second?.name }] })
  await desktop.untilArchived()
  const refusal = sandbox.service.faults.add({ route: 'api', fault: { kind: 'status', status: 401 } })
  await call('sync.now', {})
  await until('the watch is refused', async () => {
    await call('projects.add', { projects: [{ id: 'another' }] })
    return (await call('watch.state', {})).kind === 'blocked'
  })
  await expect.poll(notifications).toEqual([
    {
      title: 'Access token refused',
      body: 'Nothing new is archived until the service gets a valid access token. Enter one in the settings.',
    },
  ])
  await electron.evaluate(() => (globalThis as unknown as { seen: Seen }).seen.notifications[0]?.click())
  await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor()

  refusal.remove()
  await call('projects.remove', { projectId: 'another' })
  // After a sleep the blocker is checked again.
  await electron.evaluate(({ powerMonitor }) => powerMonitor.emit('resume'))
  await expect.poll(async () => (await call('watch.state', {})).kind).not.toBe('blocked')

  // Whatever raises the badge is notified, too.
  await setWindow('hide')
  const gone = sandbox.service.faults.add({ route: 'report', fault: { kind: 'status', status: 404 } })
  sandbox.service.replaceReport(second?.checklists[0] ?? '')
  await call('sync.now', {})
  await expect
    .poll(notifications)
    .toContainEqual({ title: '1 file could not be archived', body: 'Open Attention to see why, and what to do.' })
  gone.remove()
  await call('failures.retry', { all: true })
  await desktop.untilArchived()
})

test('on battery it pauses if the settings say so, and resumes when it is plugged in', async () => {
  const { call, electron, page, show } = desktop
  const kind = async () => (await call('watch.state', {})).kind
  const plug = (name: 'on-battery' | 'on-ac') =>
    electron.evaluate(({ powerMonitor }, name) => powerMonitor.emit(name), name)
  await plug('on-battery')
  expect(await kind()).not.toBe('battery')
  await show('/settings')
  await page.getByRole('switch', { name: 'Pause on battery' }).click()
  await expect.poll(kind).toBe('battery')
  await expect.poll(tooltip).toMatch(/^Solarchive: Paused on battery/)
  // The engine that replaces it pauses, too.
  await call('settings.save', { concurrency: 3 })
  await expect.poll(kind).toBe('battery')
  await plug('on-ac')
  await expect.poll(kind).not.toBe('battery')
  await call('settings.save', { pauseOnBattery: false })
})

const entryOfImage = () => `Exec=env "SOLARCHIVE_HOME=${sandbox.home}" "${image.replace('%', '%%')}" --hidden\n`

test.runIf(process.platform === 'linux')('starting at login is switched on and off in the settings', async () => {
  const { call, page, show } = desktop
  const file = autostart()
  await expect.poll(() => readFileSync(file, 'utf8')).toContain(entryOfImage())
  expect(await call('startAtLogin.get', {})).toEqual({ canChange: true, isOn: true })
  await show('/settings')
  // The page shows the new state once the app has changed it.
  const startAtLogin = (checked: boolean) => page.getByRole('switch', { name: 'Start when you log in', checked })
  await startAtLogin(true).click()
  await startAtLogin(false).waitFor()
  expect(existsSync(file)).toBe(false)
  await startAtLogin(false).click()
  await startAtLogin(true).waitFor()
  expect(readFileSync(file, 'utf8')).toContain(entryOfImage())
  expect(await call('startAtLogin.get', {})).toEqual({ canChange: true, isOn: true })
  await startAtLogin(true).click()
  await startAtLogin(false).waitFor()
  expect(existsSync(file)).toBe(false)
})

test('a photo and the report are dragged out as files, and the report opens in another program', async () => {
  const { call, page, show } = desktop
  const [project] = sandbox.service.projects
  const ids = { projectId: project?.id ?? '', checklistId: project?.checklists[0]?.id ?? '' }
  const { sections, report } = await call('checklists.get', ids)
  const photo = sections.flatMap(({ questions }) => questions).flatMap(({ photos }) => photos)[0]
  const pathOf = async (assetId = 0) => (await call('files.locate', { assetId })).path
  await show(`/projects/${ids.projectId}/checklists/${ids.checklistId}`)
  await page.locator('[data-openable="0"]').dispatchEvent('dragstart')
  await expect.poll(dragged).toEqual([await pathOf(photo?.assetId)])
  const open = page.getByRole('button', { name: 'Open the report in another program' })
  await open.dispatchEvent('dragstart')
  await expect.poll(dragged).toEqual([await pathOf(photo?.assetId), await pathOf(report?.assetId)])
  await open.click()
  await expect.poll(opened).toEqual([await pathOf(report?.assetId)])
  expect(await page.getByRole('link', { name: 'Download the report' }).count()).toBe(0)
})

test('the menu of the app leads to the settings and the archive, and edits and zooms by its roles', async () => {
  const { electron, page, show } = desktop
  await show('/')
  const choose = (label: string) =>
    electron.evaluate(({ Menu }, label) => {
      const items = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []) ?? []
      items.find((item) => item.label === label)?.click()
      return items.map(({ role }) => ((role as string | null | undefined) ?? '').toLowerCase())
    }, label)
  const roles = await choose('Settings…')
  await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor()
  expect(roles).toEqual(expect.arrayContaining(['copy', 'paste', 'zoomin', 'resetzoom', 'close']))
  await choose('About Solarchive')
  const sections = page.getByRole('navigation', { name: 'Settings sections' })
  await expect.poll(() => sections.locator('[aria-current]').textContent()).toContain('About')
  await page.getByRole('button', { name: 'Third-party notices' }).click()
  const notices = page.getByRole('dialog', { name: 'Third-party notices' })
  await notices.getByText('better-sqlite3 ').first().waitFor()
  await page.keyboard.press('Escape')
  await notices.waitFor({ state: 'detached' })
  await choose('Open Archive Folder')
  await expect.poll(opened).toEqual([sandbox.archive])
  await choose('Third-Party Notices')
  await notices.waitFor()
  await page.keyboard.press('Escape')
  await notices.waitFor({ state: 'detached' })
  await choose('Open Logs Folder')
  await expect.poll(opened).toEqual([sandbox.archive, join(sandbox.home, 'logs')])
  // A command for the open page: above it at first, and closed by the next page.
  await choose('Search…')
  await page.getByRole('dialog', { name: 'Search' }).waitFor()
  await choose('Attention')
  await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Attention', exact: true }).waitFor()
  // The dialog has asked whether to replace it.
  const bundle = join(sandbox.folder, 'bundle.zip')
  writeFileSync(bundle, 'an earlier one')
  await electron.evaluate(({ dialog, shell }, filePath) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath })
    shell.showItemInFolder = (path) => void (globalThis as unknown as { seen: Seen }).seen.opened.push(path)
  }, bundle)
  await choose('Create Support Bundle…')
  await expect.poll(opened).toContain(bundle)
  expect(readFileSync(bundle, 'latin1')).toMatch(/^PK/)
  await choose('Export…')
  await page.getByRole('dialog', { name: 'Export everything' }).waitFor()
  await choose('New Order')
  await page.getByRole('dialog', { name: 'Export everything' }).waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'New order' }).waitFor()
  // The command for the page that is open keeps what was typed there.
  await choose('Attention')
  await page.getByRole('heading', { name: 'Attention', exact: true }).waitFor()
  await choose('Attention')
  await expect
    .poll(() => electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.isLoading()))
    .toBe(false)
  expect(await page.evaluate(() => (globalThis as { isSame?: boolean }).isSame)).toBe(true)
})

test('rows and fields have native context menus', async () => {
  const { electron, page, show } = desktop
  await electron.evaluate(({ Menu }) => {
    const menus: Electron.Menu[] = []
    const closed: (() => void)[] = []
    Object.assign(globalThis, { menus, closed })
    Menu.prototype.popup = function (this: Electron.Menu, options) {
      menus.push(this)
      closed.push(() => options?.callback?.())
    }
  })
  type Menus = { readonly menus: Electron.Menu[]; readonly closed: (() => void)[] }
  const shown = () =>
    electron.evaluate(() =>
      (globalThis as unknown as Menus).menus
        .at(-1)
        ?.items.filter(({ type }) => type !== 'separator')
        .map(({ label, role }) => (role as string | null | undefined) ?? label),
    )
  const close = (label: string | null) =>
    electron.evaluate(({ BrowserWindow }, label) => {
      const { menus, closed } = globalThis as unknown as Menus
      const [window] = BrowserWindow.getAllWindows()
      // Taken away, so that the next one is waited for.
      const item = menus.pop()?.items.find((item) => item.label === label)
      // As Electron may do it: closed first, chosen then.
      closed.pop()?.()
      item?.click(undefined, window, window?.webContents)
    }, label)
  await show('/projects')
  const row = page.getByRole('grid', { name: 'Projects' }).locator('[data-index="0"]')
  const name = (await row.locator('a').textContent()) ?? ''
  await row.click({ button: 'right' })
  await expect.poll(shown).toContain('Show folder')
  expect(await page.getByRole('menu').count()).toBe(0)
  await close(null)
  await row.getByRole('button', { name: /^Actions for/ }).click()
  await expect.poll(shown).toContain('Remove…')
  await close('Open')
  await page.getByRole('heading', { name }).waitFor()
  await page.getByRole('region', { name: 'Checklists' }).locator('li').first().click({ button: 'right' })
  await expect.poll(shown).toEqual(['Open', 'Export…', 'Show folder', 'Copy folder path'])
  await close('Show folder')
  await expect.poll(opened).toHaveLength(1)

  const [project] = sandbox.service.projects
  await show(`/projects/${project?.id}/checklists/${project?.checklists[0]?.id}`)
  const ofFile = ['Copy image', 'Copy path', 'Show in folder', 'Print']
  const photo = page.locator('[data-openable="0"]')
  await photo.click({ button: 'right' })
  await expect.poll(shown).toEqual(['Open', 'Open in another program', 'Select', 'Save as…', ...ofFile])
  await close('Open')
  await page.getByRole('dialog', { name: 'Photos' }).click({ button: 'right', position: { x: 200, y: 200 } })
  await expect.poll(shown).toEqual(['Open in another program', 'Save as…', ...ofFile])
  await close(null)
  await page.keyboard.press('Escape')
  await page.getByRole('region', { name: 'Photos by question' }).getByRole('heading').nth(1).click({ button: 'right' })
  await expect.poll(shown).toContain('Print section')
  await close(null)
  await page.getByRole('region', { name: 'Report', exact: true }).click({ button: 'right' })
  await expect.poll(shown).toEqual(['Open in another program', 'Save as…', 'Print', 'Copy path', 'Show in folder'])
  await close(null)
  await show('/activity')
  await page.getByRole('region', { name: 'Activity list' }).locator('time').first().click({ button: 'right' })
  await expect.poll(shown).toContain('Copy entry')
  await close('Copy entry')
  await page.getByText('Entry copied', { exact: true }).waitFor()

  await show('/projects')
  const search = page.getByRole('searchbox')
  const paste = async () => {
    const pasted = await search.inputValue()
    if (pasted === 'a token') return pasted
    await search.fill('')
    await search.click({ button: 'right' })
    await expect.poll(async () => (await shown())?.map((role) => role.toLowerCase())).toContain('paste')
    await electron.evaluate(({ clipboard }) => clipboard.writeText('a token'))
    await close('Paste')
    return search.inputValue()
  }
  // The apps of other test files have the same clipboard.
  await expect.poll(paste).toBe('a token')
})

test('processes of Chromium that die are restarted, and the page keeps working', async () => {
  const { call, electron, page, show } = desktop
  // Others, such as the process that reads files, end by themselves, and start again once they have work.
  const alwaysThere = () =>
    electron.evaluate(({ app }) =>
      app
        .getAppMetrics()
        .map(({ type, pid, serviceName = type }) => ({ name: serviceName, pid }))
        .filter(({ name }) => name === 'GPU' || name === 'network.mojom.NetworkService'),
    )
  const before = await alwaysThere()
  const wanted = before.map(({ name }) => name).sort()
  expect(wanted).toContain('network.mojom.NetworkService')
  for (const { pid } of before) process.kill(pid, 'SIGKILL')
  const killed = new Set(before.map(({ pid }) => pid))
  const started = async () => (await alwaysThere()).filter(({ pid }) => !killed.has(pid))
  await expect.poll(async () => (await started()).map(({ name }) => name).sort()).toEqual(wanted)
  await show('/activity')
  await page.getByRole('heading', { name: 'Activity', exact: true }).waitFor()
  expect((await call('overview', {})).watch.kind).not.toBe('stopped')
  expect(log()).toContain('A process of Chromium ended')
})

test('an uncaught error is shown once, and a closed terminal is not an error', async () => {
  const { call, electron } = desktop
  await electron.evaluate(({ dialog }) => {
    const shown: string[] = []
    Object.assign(globalThis, { shown })
    dialog.showMessageBox = ((options: Electron.MessageBoxOptions) => {
      shown.push(options.message)
      return Promise.resolve({ response: 0, checkboxChecked: false })
    }) as typeof dialog.showMessageBox
  })
  const shown = () => electron.evaluate(() => (globalThis as unknown as { shown: string[] }).shown)
  await electron.evaluate(() => {
    for (const stream of [process.stdout, process.stderr]) stream.emit('error', new Error('write EPIPE'))
  })
  expect([await shown(), log().includes('Uncaught error in the app')]).toEqual([[], false])
  await electron.evaluate((_electron, token) => {
    setTimeout(() => {
      throw new Error(`thrown with ${token}`)
    }, 0)
    void Promise.reject(new Error('rejected'))
    void Promise.reject(new Error('rejected again'))
  }, sandbox.service.token)
  await expect.poll(() => log().split('Uncaught error in the app').length - 1).toBe(3)
  expect(await shown()).toEqual(['Something unexpected went wrong inside Solarchive'])
  expect(log()).not.toContain(sandbox.service.token)
  expect((await call('overview', {})).sync.kind).toBe('idle')
})

test('the page had no violations', () => {
  expect(desktop.problems).toEqual([])
})
