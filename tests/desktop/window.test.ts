import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { archivedHashes, servedHashes } from '../support/sample-archive.ts'
import { makeSandbox, startAgain, startDesktop, type DesktopApp, type Sandbox } from './support/open-desktop.ts'

const reportBytes = 20_000_000

let sandbox: Sandbox
let desktop: DesktopApp

beforeAll(async () => {
  const site = { projects: 2, checklistsPerProject: 1, awkwardNames: false, statuses: ['completed'] as const }
  sandbox = await makeSandbox({ ...site, isSetUp: false, reportBytes })
  // Stored while there was a keyring.
  if (process.platform === 'linux') writeFileSync(join(sandbox.home, 'token.encrypted'), 'djExAAAA\n', { mode: 0o600 })
  desktop = await startDesktop(sandbox, ['--password-store=basic'], desktopWithTray())
})

/** Returns the environment of a Linux desktop whose message bus says that it shows tray icons. */
function desktopWithTray(): Record<string, string> {
  if (process.platform !== 'linux') return {}
  const programs = join(sandbox.folder, 'bin')
  mkdirSync(programs)
  writeFileSync(join(programs, 'gdbus'), '#!/bin/sh\necho "(<true>,)"\n', { mode: 0o755 })
  return {
    PATH: `${programs}:${process.env['PATH']}`,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(sandbox.folder, 'no-bus')}`,
  }
}

afterAll(async () => {
  await desktop?.quit()
  await sandbox?.remove()
})

test('the first run goes from an address and a token to a complete archive, with visible progress', async () => {
  const { page, ask, call, show, untilArchived } = desktop
  const { service, archive, home } = sandbox
  await page.getByRole('heading', { name: 'Set up Solarchive' }).waitFor()
  await page.getByLabel('Service address').fill(service.url)
  await page.getByLabel('Access token').fill(service.token)
  const asked = await desktop.electron.evaluateHandle(({ dialog }, archive) => {
    const asked: unknown[] = []
    dialog.showOpenDialog = (...args: readonly unknown[]) => {
      asked.push(args.length, args.at(-1))
      return Promise.resolve({ canceled: false, filePaths: [archive] })
    }
    return asked
  }, archive)
  await page.getByLabel('Archive folder').fill(join(sandbox.folder, 'not', 'there'))
  await page.getByRole('button', { name: 'Browse for a folder' }).click()
  await expect.poll(() => page.getByLabel('Archive folder').inputValue()).toBe(archive)
  // Above the window, starting at the nearest existing folder of the typed path.
  const properties = ['openDirectory', 'createDirectory']
  expect(await asked.jsonValue()).toEqual([2, { defaultPath: sandbox.folder, properties }])
  await page.getByText('The folder will be created.').waitFor()
  const start = page.getByRole('button', { name: 'Start archiving' })
  if (process.platform === 'linux') {
    // There is no keyring here: the page explains that, and the user may choose the private file.
    await page.getByText('A token is stored, but the keyring cannot be opened').waitFor()
    await page.getByText('This computer has no keyring').waitFor()
    expect(await start.isDisabled()).toBe(true)
    const asked = { serviceUrl: service.url, token: service.token, archiveFolder: archive }
    expect(await ask('setup.complete', asked)).toMatchObject({ ok: false, error: { code: 'wrong-settings' } })
    expect(readdirSync(home).filter((name) => name.startsWith('token'))).toEqual(['token.encrypted'])
  }
  await page.getByLabel('Keep the token in a private file').check()
  await start.click()
  await page.getByRole('dialog', { name: 'Add projects' }).waitFor()
  await page.keyboard.press('Escape')
  expect(await call('setup.state', {})).toMatchObject({ token: 'file' })
  expect(readFileSync(join(home, 'token'), 'utf8').trim()).toBe(service.token)
  if (process.platform !== 'win32') expect(statSync(join(home, 'token')).mode & 0o777).toBe(0o600)
  await show('/')

  // Slow enough to be seen.
  const slow = service.faults.add({ route: 'files', fault: { kind: 'latency', delayMs: 2_000 } })
  await call('settings.save', { apiCallsPerMinute: 0, concurrency: 2 })
  await call('projects.add', { projects: service.projects.map(({ id, name }) => ({ id, name })) })
  await call('sync.now', {})
  const main = page.getByRole('main')
  await main.getByText('Syncing', { exact: true }).waitFor()
  await main
    .getByRole('region', { name: 'Sync' })
    .getByRole('link', { name: /^Reading projects: \d+ of \d+$|^\d+ photos? (?:or report|and reports) to download$/ })
    .waitFor()
  slow.remove()
  await untilArchived()
  await main.getByText('Watching for changes').waitFor()
  const { archivedFiles, previews } = (await call('overview', {})).progress
  const figures = main.getByRole('region', { name: 'Archive' })
  await figures.getByText(new RegExp(`^${archivedFiles - previews.archived} Photos and reports$`)).waitFor()
  expect(archivedHashes(archive)).toEqual(await servedHashes(service))
})

async function showFirstChecklist(): Promise<void> {
  const [project] = sandbox.service.projects
  await desktop.show(`/projects/${project?.id}/checklists/${project?.checklists[0]?.id}`)
}

test('photos and the report are shown from the archive', async () => {
  const { page } = desktop
  const answers: { status: number; bytes: number }[] = []
  page.on('response', (response) => {
    const bytes = Number(response.headers()['content-length'])
    if (response.url().startsWith('archive://files/')) answers.push({ status: response.status(), bytes })
  })
  await showFirstChecklist()
  const photo = page.locator('[data-openable="0"] img')
  await expect
    .poll(() => photo.evaluate((image) => (image as { naturalWidth?: number }).naturalWidth))
    .toBeGreaterThan(0)
  expect(await photo.getAttribute('src')).toMatch(/^archive:\/\/thumbnails\/\d+\?v=[0-9a-f]{12}$/)
  const report = page.getByRole('region', { name: 'Report', exact: true })
  await report.locator('canvas').first().waitFor()
  await report.getByText('Checklist report').first().waitFor()
  // Of a large report only the visible pages are read.
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([206]))
  expect(answers.reduce((total, { bytes }) => total + bytes, 0)).toBeLessThan(reportBytes / 10)
})

test('a photo is shown in the file manager by its id, and its path is copied', async () => {
  const { electron, page, call } = desktop
  await showFirstChecklist()
  await electron.evaluate(({ shell }) => {
    shell.showItemInFolder = (path) => void Object.assign(globalThis, { shownPath: path })
  })
  await page.locator('[data-openable="0"]').click()
  await page.getByRole('button', { name: 'Show in folder' }).click()
  const shown = () => electron.evaluate(() => (globalThis as { shownPath?: string }).shownPath)
  await expect.poll(shown).toMatch(/\/photos\//)
  const { path } = await call('files.locate', { assetId: await assetOnScreen() })
  expect(await shown()).toBe(path)
  expect(path.startsWith(join(sandbox.archive, '/'))).toBe(true)
  const copyPath = async () => {
    await page.getByRole('button', { name: 'Copy path' }).click()
    await page.getByText('Path copied', { exact: true }).first().waitFor()
    return electron.evaluate(({ clipboard }) => clipboard.readText())
  }
  // The apps of other test files have the same clipboard.
  await expect.poll(copyPath).toBe(path)
  expect(await page.getByRole('link', { name: /original/ }).count()).toBe(0)
  await page.keyboard.press('Escape')
})

test('photos are saved to a folder, dragged out together, saved under a name, and copied as an image', async () => {
  const { electron, page, call } = desktop
  await showFirstChecklist()
  const folder = join(sandbox.folder, 'copies')
  const file = join(sandbox.folder, 'panel.jpg')
  mkdirSync(folder)
  await electron.evaluate(
    ({ dialog, BrowserWindow }, [folder, file]) => {
      dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [folder ?? ''] })
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: file ?? '' })
      const [window] = BrowserWindow.getAllWindows()
      if (window === undefined) return
      window.webContents.startDrag = ({ files }) => void Object.assign(globalThis, { draggedFiles: files })
    },
    [folder, file],
  )
  await page.locator('[data-openable="0"]').click({ modifiers: ['Control'] })
  await page.locator('[data-openable="1"]').click({ modifiers: ['Control'] })
  await page.getByRole('button', { name: 'Save copies…' }).click()
  await page.getByText('2 files saved', { exact: true }).waitFor()
  expect(readdirSync(folder)).toHaveLength(2)
  await page.locator('[data-openable="1"]').dispatchEvent('dragstart')
  const dragged = () => electron.evaluate(() => (globalThis as { draggedFiles?: string[] }).draggedFiles)
  await expect.poll(dragged).toHaveLength(2)
  const { path } = await call('files.locate', { assetId: await assetOnScreen() })
  expect((await dragged())?.[0]).toBe(path)

  await page.getByRole('button', { name: 'Clear selection' }).click()
  await page.locator('[data-openable="0"]').click()
  await page.getByRole('button', { name: 'Save as…' }).click()
  await page.getByText('1 file saved', { exact: true }).waitFor()
  expect(readFileSync(file)).toEqual(readFileSync(path))
  const copyImage = async () => {
    await page.getByRole('button', { name: 'Copy image' }).click()
    await page.getByText('Image copied', { exact: true }).first().waitFor()
    return electron.evaluate(({ clipboard }) => clipboard.has('image/png'))
  }
  await expect.poll(copyImage).toBe(true)
  // A copy has no transparency: it is white, not black.
  const copyTransparent = async () => {
    await page.evaluate(serveTransparentOnce)
    await copyImage()
    return electron.evaluate(async ({ clipboard, nativeImage }) => {
      // As the app does it: older versions of Electron have no `read`.
      const older: { readonly readImage?: () => Electron.NativeImage } = clipboard as object
      if (older.readImage !== undefined) return older.readImage().toBitmap()[0]
      const blob = await (await clipboard.read())[0]?.getType('image/png')
      const png = (await blob?.arrayBuffer()) ?? new ArrayBuffer(0)
      return nativeImage.createFromBuffer(Buffer.from(png)).toBitmap()[0]
    })
  }
  await expect.poll(copyTransparent).toBeGreaterThan(250)
  await page.keyboard.press('Escape')
})

/** The next file that the page reads is a transparent PNG. */
const serveTransparentOnce = `{
  const { fetch } = globalThis
  globalThis.fetch = async () => {
    globalThis.fetch = fetch
    const canvas = new OffscreenCanvas(8, 8)
    canvas.getContext('2d')
    return new Response(await canvas.convertToBlob())
  }
}`

async function assetOnScreen(): Promise<number> {
  const [project] = sandbox.service.projects
  const ids = { projectId: project?.id ?? '', checklistId: project?.checklists[0]?.id ?? '' }
  const { sections } = await desktop.call('checklists.get', ids)
  return sections.flatMap(({ questions }) => questions).flatMap(({ photos }) => photos)[0]?.assetId ?? 0
}

test('closing the window keeps the app in the tray and says so once; another start shows the window', async () => {
  const { electron } = desktop
  const state = () =>
    electron.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows()
      return { isVisible: window?.isVisible(), isFocused: window?.isFocused() }
    })
  await electron.evaluate(({ dialog }) => {
    const shown: string[] = []
    Object.assign(globalThis, { shown })
    dialog.showMessageBox = ((_window: unknown, { message }: Electron.MessageBoxOptions) => {
      shown.push(message)
      return Promise.resolve({ response: 0, checkboxChecked: false })
    }) as typeof dialog.showMessageBox
  })
  const shown = () => electron.evaluate(() => (globalThis as unknown as { shown: string[] }).shown)
  const close = async () => {
    // In a turn of its own: if it collects garbage, V8 may take the result of the call for collected, too.
    await electron.evaluate(({ BrowserWindow }) => void setTimeout(() => BrowserWindow.getAllWindows()[0]?.close(), 0))
    await expect.poll(async () => (await state()).isVisible).toBe(false)
  }
  await close()
  // On macOS an app that runs without a window is nothing new.
  const explained = process.platform === 'darwin' ? [] : ['Solarchive keeps running']
  expect(await shown()).toEqual(explained)
  if (process.platform !== 'darwin') {
    const file = JSON.parse(readFileSync(join(sandbox.home, 'window.json'), 'utf8')) as unknown
    expect(file).toMatchObject({ isTrayExplained: true })
  }
  expect(await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1)
  expect(await startAgain(sandbox)).toEqual({
    code: 0,
    stdout: 'Solarchive is running already; its window is shown.\n',
  })
  await expect.poll(async () => (await state()).isVisible).toBe(true)
  // As on a full disk, on which this one could not create a lock of its own.
  const noFolder = { TMPDIR: join(sandbox.home, 'settings.json') }
  expect(await startAgain(sandbox, ['--hidden'], noFolder)).toEqual({
    code: 0,
    stdout: 'Solarchive is running already.\n',
  })
  await close()
  expect(await shown()).toEqual(explained)
})

test('the page had no violations', () => {
  expect(desktop.problems).toEqual([])
})
